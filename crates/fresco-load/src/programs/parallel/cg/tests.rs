// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::team::testing::run_kernel;

#[test]
fn the_known_solution_is_found() {
    let kernel = run_kernel(Cg::new([300, 6], 100, 3, 1), 3, 2);
    for (row, x) in kernel.x.data.iter().enumerate() {
        assert!((x - solution(row)).abs() < 1e-9, "row {row}: {x}");
    }
}

#[test]
fn two_unknowns_take_two_iterations() {
    // Exact in as many iterations as there are distinct eigenvalues.
    let kernel = run_kernel(Cg::new([2, 2], 2, 1, 1), 1, 1);
    assert!((kernel.x.data[0] - solution(0)).abs() < 1e-12 && (kernel.x.data[1] - solution(1)).abs() < 1e-12);
}

#[test]
fn a_wrong_solution_and_a_wrong_residual_are_found() {
    let mut kernel = run_kernel(Cg::new([300, 6], 60, 2, 1), 2, 1);
    assert_eq!(kernel.check(), Ok(()));
    kernel.x.data[7] += 1e-3;
    assert!(kernel.check().unwrap_err().starts_with("the error is"));
    kernel.phase = Phase::Product(1);
    assert!(kernel.verify().unwrap_err().starts_with("the residual is off"));
}
