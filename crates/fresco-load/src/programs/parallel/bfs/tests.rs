// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::team::testing::run_kernel;

#[test]
fn levels_of_a_path() {
    let mut kernel = Bfs::new(5, 2, 2, 1);
    // 0 – 1 – 2 – 3, and 4 apart.
    kernel.graph.starts.data = vec![0, 1, 3, 5, 6, 6];
    kernel.graph.neighbors.data = vec![1, 0, 2, 1, 3, 2];
    let mut kernel = run_kernel(kernel, 2, 1);
    assert_eq!(kernel.levels.data, [0, 1, 2, 3, NONE]);
    assert_eq!(kernel.counts.data, [3, 1]);
    kernel.passes = 0;
    kernel.levels.data[3] = 2;
    assert_eq!(kernel.check(), Err("vertex 3 is on level 2, not 3".to_owned()));
}

#[test]
fn passes_begin_elsewhere_and_verify() {
    let kernel = run_kernel(Bfs::new(500, 4, 3, 2), 3, 3);
    assert_eq!((kernel.passes, kernel.outcome.clone()), (3, Ok(())));
    assert_ne!(kernel.source(), 0);
}
