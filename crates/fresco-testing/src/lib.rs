// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tests share: skipping one where the machine lacks what it takes, and golden files of messages ([`Once`]).
//!
//! A skip is never silent. Its reason goes to standard error, past the harness, which keeps the output of passed tests back.
//! `FRESCO_SKIPPED` names a file to which each skip adds a line, from which `make unit` counts them. `FRESCO_REQUIRE` lists
//! what the machine must have, as `coloring,compiler`, or `all`: there a skip is a failure.

mod once;

pub use once::Once;

use std::fmt::Display;
use std::io::Write;

/// What a test may need of the machine, as `FRESCO_REQUIRE` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// To see frame numbers and to move pages, and the library that is put before programs.
    Coloring,
    /// A C compiler.
    Compiler,
    /// Python 3.
    Python,
    /// Programs that others wrote: redis, nginx, PostgreSQL, perl.
    Programs,
    /// Root, or what only root has.
    Root,
    /// A second user, and a way to become that one.
    Users,
    /// 4 GiB of memory or more.
    Memory,
    /// QEMU's user-mode emulation for x86-64, and the plugin with which it records.
    Recording,
    /// A monotonic time-stamp counter, and the right to lock memory.
    Timing,
    /// valgrind.
    Valgrind,
    /// The SystemC library and its headers.
    SystemC,
    /// Sources of other simulators, which cargo fetches.
    Simulators,
}

impl Need {
    /// Every need with its name.
    pub const NAMES: [(&'static str, Need); 12] = [
        ("coloring", Need::Coloring),
        ("compiler", Need::Compiler),
        ("python", Need::Python),
        ("programs", Need::Programs),
        ("root", Need::Root),
        ("users", Need::Users),
        ("memory", Need::Memory),
        ("recording", Need::Recording),
        ("timing", Need::Timing),
        ("valgrind", Need::Valgrind),
        ("systemc", Need::SystemC),
        ("simulators", Need::Simulators),
    ];

    /// The name in `FRESCO_REQUIRE`.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.into_iter().find(|&(_, need)| need == self);
        named.expect("every need has a name").0
    }
}

/// Reports that the current test is skipped, for want of `need`; the test is to return then.
///
/// # Panics
/// If `FRESCO_REQUIRE` lists the need, or names one that does not exist.
pub fn skip(need: Need, reason: impl Display) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let required = std::env::var("FRESCO_REQUIRE").unwrap_or_default();
    assert!(
        !requires(&required, need),
        "{test} would be skipped, and FRESCO_REQUIRE={required} does not allow that: {reason}"
    );
    let line = format!("{test}: skipped ({}): {reason}\n", need.name());
    // Not eprint!, which the harness keeps back.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("FRESCO_SKIPPED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("the file of FRESCO_SKIPPED can be written");
    }
}

/// Returns true if `list` requires the need.
fn requires(list: &str, need: Need) -> bool {
    let mut found = false;
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let known = Need::NAMES.iter().find(|(known, _)| *known == name);
        assert!(
            name == "all" || known.is_some(),
            "FRESCO_REQUIRE: found {name:?}, allowed: all, {}",
            Need::NAMES.map(|(name, _)| name).join(", ")
        );
        found |= name == "all" || known.is_some_and(|&(_, known)| known == need);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_requires_what_it_names() {
        assert!(requires("coloring,compiler", Need::Compiler));
        assert!(requires(" all ", Need::Timing));
        assert!(!requires("coloring", Need::Compiler));
        assert!(!requires("", Need::Root));
    }

    #[test]
    #[should_panic(expected = "found \"colors\", allowed: all, coloring, compiler")]
    fn a_name_that_does_not_exist_is_told() {
        requires("colors", Need::Coloring);
    }

    /// The variables are of the whole process: another one is started for them.
    fn child(variable: &str, value: &std::ffi::OsStr) -> std::process::Output {
        std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["--ignored", "--exact", "tests::skipped"])
            .env_remove("FRESCO_REQUIRE")
            .env_remove("FRESCO_SKIPPED")
            .env(variable, value)
            .output()
            .expect("it starts")
    }

    #[test]
    #[ignore = "a part of the tests below"]
    fn skipped() {
        skip(Need::Users, "no setpriv");
    }

    #[test]
    fn a_skip_is_told_and_counted() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("skipped");
        for times in 1..=2 {
            let done = child("FRESCO_SKIPPED", file.as_os_str());
            assert!(done.status.success(), "{done:?}");
            assert!(String::from_utf8_lossy(&done.stderr).contains("skipped (users): no setpriv"));
            let lines = std::fs::read_to_string(&file).expect("it is written");
            assert_eq!(lines.lines().count(), times);
            assert!(
                lines
                    .lines()
                    .all(|line| line.ends_with(": skipped (users): no setpriv"))
            );
        }
    }

    #[test]
    fn what_is_required_is_not_skipped() {
        assert!(!child("FRESCO_REQUIRE", "users".as_ref()).status.success());
        assert!(child("FRESCO_REQUIRE", "coloring".as_ref()).status.success());
    }
}
