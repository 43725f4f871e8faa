// SPDX-License-Identifier: GPL-2.0-only
//! Compiles the schedulers for BPF, with `clang-16` or what the environment's CLANG says, and writes what loads them.

use libbpf_cargo::SkeletonBuilder;
use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    compile("table")?;
    compile("refresh")?;
    for header in ["types", "calls", "common", "order", "jobs"] {
        println!("cargo::rerun-if-changed=src/bpf/{header}.h");
    }
    println!("cargo::rerun-if-env-changed=CLANG");
    Ok(())
}

fn compile(name: &str) -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang-16".into());
    let headers = env::var("DEP_BPF_INCLUDE")?;
    let source = format!("src/bpf/{name}.bpf.c");
    println!("cargo::rerun-if-changed={source}");
    SkeletonBuilder::new()
        .source(&source)
        .clang(&clang)
        .clang_args(["-Wall", "-Wno-missing-declarations", "-mcpu=v3", "-I", &headers])
        .build_and_generate(out.join(format!("{name}.rs")))?;
    Ok(())
}
