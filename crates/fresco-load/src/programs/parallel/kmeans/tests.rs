// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::team::testing::run_kernel;

#[test]
fn two_clusters_on_a_line() {
    let mut kernel = KMeans::new([6, 1, 2], 2, 1);
    kernel.points.data = vec![1.0, 2.0, 3.0, 11.0, 12.0, 13.0];
    kernel.centers.data = kernel.first_centers();
    // Centres 1, 2; then 1 and 41/5; then 2 and 12.
    let mut kernel = run_kernel(kernel, 2, 2);
    assert_eq!(kernel.centers.data, [2.0, 12.0]);
    assert_eq!(kernel.nearest.data, [0, 0, 0, 1, 1, 1]);
    kernel.centers.data[1] = 12.5;
    assert_eq!(kernel.verify(), Err("centre 1 is wrong after 2 rounds".to_owned()));
}

#[test]
fn tight_clusters_are_found() {
    let kernel = run_kernel(KMeans::new([400, 10, 4], 3, 5), 3, 20);
    for (point, &nearest) in kernel.nearest.data.iter().enumerate() {
        assert_eq!(nearest, kernel.nearest.data[point % 4], "point {point}");
    }
}
