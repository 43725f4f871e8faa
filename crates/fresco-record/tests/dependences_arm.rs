// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same for AArch64. x1 is the address of a word that holds its own address, x2 that of 4,096 zero bytes.

use super::{Case, ROUNDS, case, shares_of, wrong};
use crate::common::{assembled_for_arm, options, plugin, trailer};
use std::path::Path;

const CASES: &[Case] = &[
    case("a list", "", "ldr x1, [x1]", [100.0, 100.0]),
    case("a stream", "", "ldr x3, [x2, x4, lsl #3]", [0.0, 0.0]),
    case(
        "an index that was loaded",
        "",
        "ldr x3, [x2]\nldr x5, [x2, x3]",
        [50.0, 50.0],
    ),
    case(
        "an index of 32 bits",
        "",
        "ldr w3, [x2]\nldr x5, [x2, w3, sxtw #3]",
        [50.0, 50.0],
    ),
    case("moves", "", "ldr x3, [x1]\nmov x5, x3\nmov x1, x5", [100.0, 100.0]),
    case(
        "sums",
        "",
        "ldr x3, [x1]\nadd x3, x3, #16\nsub x3, x3, #16\nadd x1, x3, x4\nsub x1, x1, x4",
        [100.0, 100.0],
    ),
    case(
        "logic and shifts",
        "",
        "ldr x3, [x1]\nand x3, x3, #-2\nror x3, x3, #8\nror x1, x3, #56",
        [100.0, 100.0],
    ),
    case(
        "a multiplication",
        "",
        "ldr x3, [x2]\nmadd x3, x3, x4, xzr\nldr x5, [x2, x3]",
        [50.0, 50.0],
    ),
    case(
        "a constant in its place",
        "",
        "ldr x3, [x1]\nmov x3, #8\nldr x5, [x2, x3]",
        [0.0, 0.0],
    ),
    case(
        "a part of a constant",
        "",
        "ldr x3, [x2]\nmovk x3, #8\nldr x5, [x2, x3]",
        [50.0, 50.0],
    ),
    case("a pair", "stp x1, x1, [x1]", "ldp x1, x3, [x1]", [100.0, 100.0]),
    case(
        "a step before",
        "",
        "ldr x3, [x2]\nmov x5, x2\nldr x6, [x5, #8]!\nldr x7, [x5]",
        [0.0, 0.0],
    ),
    case(
        "a step after",
        "",
        "mov x5, x2\nldr x6, [x5], #8\nldr x7, [x5], #8",
        [0.0, 0.0],
    ),
    case(
        "a vector register",
        "",
        "ldr d0, [x1]\nmov v1.8b, v0.8b\nfmov x1, d1",
        [100.0, 100.0],
    ),
    case("an element", "", "ldr q0, [x1]\numov x1, v0.d[0]", [100.0, 100.0]),
    case("a structure", "", "ld1 {v0.2d}, [x1]\nfmov x1, d0", [100.0, 100.0]),
    case(
        "a number that is converted",
        "",
        "ldr x3, [x2]\nscvtf d0, x3\nfcvtzs x3, d0\nldr x5, [x2, x3]",
        [50.0, 50.0],
    ),
    case(
        "a conditional select",
        "",
        "ldr x3, [x1]\ncmp x4, #5\ncsel x1, x3, x1, ne",
        [100.0, 100.0],
    ),
    case(
        "a condition that was loaded",
        "",
        "ldr x3, [x1]\ncmp x3, #5\ncset x5, eq\nldr x6, [x2, x5]",
        [50.0, 50.0],
    ),
    case(
        "a branch is no dependence",
        "",
        "ldr x3, [x1]\ncbz x3, 2f\n2: ldr x6, [x2]",
        [0.0, 0.0],
    ),
    case("a call", "", "bl 2f\nb 3f\n2: ldr x1, [x1]\nret\n3:", [100.0, 100.0]),
    case(
        "a spill",
        "",
        "ldr x1, [x1]\nstr x1, [sp, #-16]\nmov x1, #0\nldr x1, [sp, #-16]",
        [50.0, 100.0],
    ),
    case(
        "a frame",
        "",
        "stp x29, x30, [sp, #-32]!\nldr x1, [x1]\nldp x29, x30, [sp], #32",
        [
            // What is loaded back is what was stored, and loaded back the round before.
            50.0, 100.0,
        ],
    ),
    case(
        "exclusive",
        "",
        "2: ldxr x3, [x1]\nstxr w5, x3, [x1]\ncbnz w5, 2b\nmov x1, x3",
        [100.0, 100.0],
    ),
    case(
        "ordered",
        "",
        "ldar x3, [x1]\nstlr x3, [x1]\nmov x1, x3",
        [100.0, 100.0],
    ),
    case(
        "an addition, atomic",
        "",
        "ldadd xzr, x3, [x1]\nmov x1, x3",
        [100.0, 100.0],
    ),
    case(
        "compare and swap",
        "",
        "mov x3, x1\ncas x3, x1, [x1]\nmov x1, x3",
        [100.0, 100.0],
    ),
];

fn shares(plugin: &Path, directory: &Path, program: &Path, case: &Case) -> [f64; 2] {
    shares_of(&trailer(&options(plugin, directory, program, &[])), case)
}

#[test]
fn loops_of_assembly_for_arm_depend_as_they_should() {
    let Some(plugin) = plugin() else { return };
    let built = |case: &Case| {
        assembled_for_arm(&format!(
            "adrp x1, area\nadd x1, x1, :lo12:area\nadd x2, x1, #2, lsl #12\nstr x1, [x1]\nmov x4, #40\n{}\n\
             mov x15, #{ROUNDS}\n1: {}\nsubs x15, x15, #1\nb.ne 1b\nmov x0, #0\nmov x8, #93\nsvc #0\n\
             .bss\n.align 12\narea: .skip 16384",
            case.setup, case.body
        ))
    };
    if built(&CASES[0]).is_none() {
        return;
    }
    let found = wrong(CASES, |case| {
        let (directory, program) = built(case).expect("as the first one");
        shares(&plugin, directory.path(), &program, case)
    });
    assert_eq!(found, "");
}
