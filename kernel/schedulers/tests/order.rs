// SPDX-License-Identifier: GPL-2.0-only
//! The choice that the BPF programs make, without a kernel: the same header, compiled for this machine.

use std::path::Path;
use std::process::Command;

#[test]
fn who_goes_first() {
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-16".to_owned());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/order.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("order");
    let compiled = Command::new(&clang)
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-UNDEBUG", "-o"])
        .args([&program, &source])
        .status()
        .expect("clang, which builds the schedulers, too");
    assert!(compiled.success());
    let ran = Command::new(&program).output().expect("a program");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
