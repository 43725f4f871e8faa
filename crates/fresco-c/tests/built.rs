// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library as hosts get it, and programs that are linked with it.

use fresco_testing::{Need, skip};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The crate's directory.
pub fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The static library that cargo built with these tests: of those beside them the newest.
pub fn static_library() -> PathBuf {
    let tests = std::env::current_exe().expect("this program");
    let beside = std::fs::read_dir(tests.parent().expect("a directory")).expect("it can be read");
    let libraries = beside.map(|entry| entry.expect("an entry").path()).filter(|path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.starts_with("libfresco_c") && name.ends_with(".a")
    });
    let newest = libraries.max_by_key(|path| path.metadata().and_then(|data| data.modified()).expect("its time"));
    newest.expect("cargo builds the library before its tests")
}

/// The directory of the shared library, which is linked once; `None`, and the test is skipped, without a compiler.
pub fn shared_library() -> Option<&'static Path> {
    static LINKED: OnceLock<Option<PathBuf>> = OnceLock::new();
    let linked = LINKED.get_or_init(|| {
        Command::new("cc").arg("--version").output().ok()?;
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libfresco");
        std::fs::create_dir_all(&directory).expect("a directory");
        let script = crate_dir().join("../../scripts/c-library");
        let done = Command::new(script).arg(static_library()).arg(&directory).output();
        succeeded("scripts/c-library", done.expect("it starts"));
        Some(directory)
    });
    if linked.is_none() {
        skip(Need::Compiler, "there is no cc");
    }
    linked.as_deref()
}

/// What a program printed, which must have ended well.
pub fn succeeded(what: &str, done: Output) -> String {
    assert!(done.status.success(), "{what}: {}\n{}", done.status, text(&done.stderr));
    text(&done.stdout)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Warnings are errors, in the oldest language that the header is for.
pub const C: [&str; 6] = ["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"];
pub const CPP: [&str; 6] = ["c++", "-std=c++11", "-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Is there such a compiler? `None`, and the test is skipped, if not.
pub fn compiles(name: &str) -> Option<()> {
    let there = Command::new(name).arg("--version").output().is_ok();
    if !there {
        skip(Need::Compiler, format!("there is no {name}"));
    }
    there.then_some(())
}

/// Compiles a program of `tests/programs`, or of another path below the crate, with `compiler` and links it with the shared library; `None`, and the test is
/// skipped, where that compiler is missing.
pub fn program(compiler: &[&str], source: &str, arguments: &[&str]) -> Option<PathBuf> {
    let library = shared_library()?;
    let (name, flags) = compiler.split_first().expect("a compiler");
    compiles(name)?;
    // Tests that run at the same time compile each their own.
    let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
    let stem = Path::new(source).file_stem().and_then(OsStr::to_str).expect("a name");
    let program = library.join(format!("{test}-{stem}-{name}"));
    let done = Command::new(name)
        .args(flags)
        .args(["-O1", "-g", "-o"])
        .arg(&program)
        .arg(crate_dir().join(source))
        .arg("-I")
        .arg(crate_dir().join("include"))
        .args(arguments)
        .arg("-L")
        .arg(library)
        .args(["-lfresco", "-pthread"])
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .output();
    succeeded(source, done.expect("a compiler"));
    Some(program)
}

/// Runs a program on some input; what it printed, if it ended well.
pub fn run(program: &Path, arguments: &[&str], input: &str) -> String {
    succeeded(
        &program.display().to_string(),
        output(Command::new(program).args(arguments), input),
    )
}

/// The same of any command.
pub fn output(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let all = input.to_owned();
    // A program that ends early does not read it.
    let writer = std::thread::spawn(move || drop(stdin.write_all(all.as_bytes())));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    output
}
