// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs to record, and the recording of them.

use fresco_load::trace::ftrace::recorded::{RecordedFile, Trailer};
use fresco_record::{Failure, Options, Program, Recording, Trace, find_plugin};
use fresco_testing::{Need, skip};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The plugin; `None`, and the test is skipped, where programs cannot be recorded.
pub fn plugin() -> Option<PathBuf> {
    if Command::new("qemu-x86_64").arg("--version").output().is_err() {
        skip(Need::Recording, "qemu-x86_64 (Debian: qemu-user) is not installed");
        return None;
    }
    if cfg!(not(target_arch = "x86_64")) || Command::new("gcc").arg("--version").output().is_err() {
        skip(Need::Compiler, "no gcc that makes programs for x86-64");
        return None;
    }
    // Beside the directory of test programs.
    let program = std::env::current_exe().expect("this program");
    match find_plugin(program.parent().expect("in a directory")) {
        Ok(plugin) => Some(plugin),
        Err(places) => {
            skip(
                Need::Recording,
                format!("{places:?}: `cargo build -p fresco-qemu-plugin` makes it"),
            );
            None
        }
    }
}

/// A directory with the program that this source makes.
pub fn built(name: &str, source: &str, flags: &[&str]) -> (tempfile::TempDir, PathBuf) {
    built_by("gcc", name, source, flags)
}

pub fn built_by(compiler: &str, name: &str, source: &str, flags: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    std::fs::write(&path, source).expect("writable");
    let program = directory.path().join("program");
    let done = Command::new(compiler)
        .arg("-o")
        .arg(&program)
        .arg(&path)
        .args(flags)
        .output()
        .expect("a compiler");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (directory, program)
}

/// A static program in assembly, Intel's syntax, which begins at `_start`.
pub fn assembled(body: &str) -> (tempfile::TempDir, PathBuf) {
    let source = format!(".intel_syntax noprefix\n.globl _start\n.text\n_start:\n{body}\n");
    built("program.s", &source, &["-nostdlib", "-static"])
}

/// The compiler for AArch64; `None`, and the test is skipped, where such programs cannot be made or run.
pub fn can_build_for_arm() -> Option<&'static str> {
    const COMPILER: &str = "aarch64-linux-gnu-gcc";
    for (tool, package) in [("qemu-aarch64", "qemu-user"), (COMPILER, "gcc-aarch64-linux-gnu")] {
        if Command::new(tool).arg("--version").output().is_err() {
            skip(Need::Recording, format!("{tool} (Debian: {package}) is not installed"));
            return None;
        }
    }
    Some(COMPILER)
}

/// The same as [`assembled`] for AArch64; `None` as [`can_build_for_arm`].
pub fn assembled_for_arm(body: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let compiler = can_build_for_arm()?;
    let source = format!(".arch armv8.2-a\n.globl _start\n.text\n_start:\n{body}\n");
    Some(built_by(compiler, "program.s", &source, &["-nostdlib", "-static"]))
}

/// Options for a program with these arguments, whose trace lies in `directory`.
pub fn options(plugin: &Path, directory: &Path, program: &Path, arguments: &[&str]) -> ToFile {
    let options = Options {
        program: Program::find(program.as_os_str(), "/usr/bin:/bin".as_ref()).expect("it is there"),
        arguments: arguments.iter().map(Into::into).collect(),
        plugin: plugin.to_owned(),
        from_symbol: None,
        to_symbol: None,
        skip: 0,
        instructions: None,
        fetches: false,
        random_addresses: false,
        output_aside: false,
    };
    ToFile {
        options,
        output: directory.join("program.ftrace"),
    }
}

/// A recording into a file.
pub struct ToFile {
    options: Options,
    pub output: PathBuf,
}

impl Deref for ToFile {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.options
    }
}

impl DerefMut for ToFile {
    fn deref_mut(&mut self) -> &mut Options {
        &mut self.options
    }
}

/// Records it.
pub fn record(to: &ToFile, progress: &mut dyn FnMut(u64), stop: &dyn Fn() -> bool) -> Result<Recording, Failure> {
    let trace = Trace {
        path: to.output.clone(),
        tool: "test".into(),
    };
    fresco_record::record(&to.options, &trace, progress, stop)
}

/// Records it to its end.
pub fn recorded(options: &ToFile) -> Recording {
    record(options, &mut |_| {}, &|| false).expect("is recorded")
}

/// Records it, and reads the trailer back.
pub fn trailer(options: &ToFile) -> Trailer {
    let recording = recorded(options);
    let file = RecordedFile::open(&options.output).expect("a sound trace");
    assert_eq!(*file.trailer(), recording.trailer);
    recording.trailer
}
