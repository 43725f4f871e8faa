// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells the program which revision it is built from: `FRESCO_REVISION` within a git clone, not set elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

/// Hexadecimal digits of a revision that are shown.
const DIGITS: usize = 12;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    match revision(Path::new("../../.git")) {
        Some(revision) => {
            println!("cargo:rustc-env=FRESCO_REVISION={revision}");
            println!("cargo:rustc-env=FRESCO_VERSION={version} ({revision})");
        }
        None => println!("cargo:rustc-env=FRESCO_VERSION={version}"),
    }
}

/// The commit that HEAD names, read from the files of the clone: git itself need not be there.
fn revision(git: &Path) -> Option<String> {
    let directory = match fs::read_to_string(git) {
        // A worktree has a file that says where its directory is.
        Ok(link) => git.parent()?.join(link.strip_prefix("gitdir:")?.trim()),
        Err(_) => git.to_owned(),
    };
    let head = fs::read_to_string(watched(directory.join("HEAD"))).ok()?;
    // Grows with every commit, whatever HEAD names.
    watched(directory.join("logs/HEAD"));
    let commit = match head.trim().strip_prefix("ref: ") {
        Some(name) => commit_of(name, &directory)?,
        None => head.trim().to_owned(),
    };
    let digits = commit.get(..DIGITS)?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| digits.to_owned())
}

/// The commit of a branch: in a file of its own, or packed with others.
fn commit_of(name: &str, directory: &Path) -> Option<String> {
    // The branches of a worktree are those of its clone.
    let common = fs::read_to_string(directory.join("commondir"));
    let common = common.map_or_else(|_| directory.to_owned(), |path| directory.join(path.trim()));
    if let Ok(commit) = fs::read_to_string(watched(common.join(name))) {
        return Some(commit);
    }
    let packed = fs::read_to_string(watched(common.join("packed-refs"))).ok()?;
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines
        .find(|(_, branch)| *branch == name)
        .map(|(commit, _)| commit.to_owned())
}

/// Builds again when this file changes. One that does not exist would count as changed every time.
fn watched(path: PathBuf) -> PathBuf {
    if path.exists() {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    path
}
