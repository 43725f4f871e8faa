// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FRESCO_MODEL`: a digest of all source text that decides what a simulation computes and which rows are made of it, so that results of
//! another model are never taken for those of this one, and a program that was only built anew keeps them. `FRESCO_PLANNER`: the same of what
//! decides plans beside it, so that another planner costs but the results of plans.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates below `fresco-system`, itself, and what makes rows of its results.
const CRATES: [&str; 11] = [
    "fresco-input",
    "fresco-dram",
    "fresco-machine",
    "fresco-memory",
    "fresco-frames",
    "fresco-load",
    "fresco-rt",
    "fresco-detect",
    "fresco-scenario",
    "fresco-system",
    "fresco-tidy",
];

/// What plans are made and checked by.
const OF_PLANS: [&str; 2] = ["fresco-bound", "fresco-plan"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=FRESCO_MODEL={}", digest(&CRATES));
    println!("cargo:rustc-env=FRESCO_PLANNER={}", digest(&OF_PLANS));
}

/// Of the source of crates, and of the versions of others.
fn digest(crates: &[&str]) -> String {
    let mut hash = Sha256::new();
    for name in crates {
        let directory = Path::new("..").join(name).join("src");
        println!("cargo:rerun-if-changed={}", directory.display());
        let mut files = Vec::new();
        collect(&directory, &mut files);
        files.sort();
        assert!(!files.is_empty(), "{}: no source", directory.display());
        files.iter().for_each(|file| add(&mut hash, file));
    }
    // Which versions of other crates, the generator of random numbers among them.
    println!("cargo:rerun-if-changed=../../Cargo.lock");
    add(&mut hash, Path::new("../../Cargo.lock"));
    let digest = hash.finalize();
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// All files below a directory.
fn collect(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, into),
            false => into.push(path),
        }
    }
}

fn add(hash: &mut Sha256, file: &Path) {
    let text = fs::read(file).unwrap_or_default();
    hash.update(file.display().to_string());
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}
