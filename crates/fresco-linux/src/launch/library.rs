// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the library lies that is put before programs: beside `fresco`, as cargo builds it, or in `lib/fresco` beside
//! its `bin`, as `make install` puts it.

use super::elf::is_loadable;
use rustix::fs::{StatVfsMountFlags, fstatvfs};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Its file name.
pub const NAME: &str = "libfresco_preload.so";

/// The library of the program at `program`; else the places where it was looked for.
///
/// # Errors
/// It is in none of these places.
pub fn find_library(program: &Path) -> Result<PathBuf, Vec<PathBuf>> {
    let directory = program.parent().unwrap_or(Path::new("/"));
    let installed = directory.parent().unwrap_or(Path::new("/")).join("lib/fresco");
    let places = vec![directory.join(NAME), installed.join(NAME)];
    places.iter().find(|path| path.is_file()).cloned().ok_or(places)
}

/// Refuses a library that the loader cannot put before a program. It would complain, and start the program all the same,
/// without colors.
///
/// # Errors
/// Why it cannot.
pub fn check_library(library: &Path) -> Result<(), String> {
    let told = |reason: String| format!("{}: {reason}", library.display());
    let file = File::open(library).map_err(|error| told(error.to_string()))?;
    if !is_loadable(&file) {
        return Err(told(
            "is damaged, or no library for this machine; `make build` builds it anew".to_owned(),
        ));
    }
    match fstatvfs(&file) {
        Ok(about) if about.f_flag.contains(StatVfsMountFlags::NOEXEC) => Err(told(
            "lies in a file system that is mounted noexec; put fresco and the library somewhere else".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// The value of `LD_PRELOAD` that puts `library` before `others`; `None` if the loader cannot be told this path.
pub fn preload_value(library: &Path, others: Option<&OsStr>) -> Option<OsString> {
    let path = library.as_os_str();
    if path.as_bytes().iter().any(|byte| b": \t".contains(byte)) {
        return None;
    }
    let mut value = path.to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        value.push(":");
        value.push(others);
    }
    Some(value)
}

/// A value of `LD_PRELOAD` less the library; `None` if that leaves nothing.
pub fn without_library(value: &OsStr) -> Option<OsString> {
    let words = value.as_bytes().split(|byte| b": \t".contains(byte));
    let others =
        words.filter(|word| !word.is_empty() && Path::new(OsStr::from_bytes(word)).file_name() != Some(NAME.as_ref()));
    let others: Vec<&[u8]> = others.collect();
    (!others.is_empty()).then(|| OsStr::from_bytes(&others.join(&b':')).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_comes_before_others_and_is_named_so_that_the_loader_understands() {
        let value = |path: &str, others: Option<&str>| preload_value(Path::new(path), others.map(OsStr::new));
        assert_eq!(value("/a/b.so", None), Some("/a/b.so".into()));
        assert_eq!(value("/a/b.so", Some("")), Some("/a/b.so".into()));
        assert_eq!(value("/a/b.so", Some("c.so d.so")), Some("/a/b.so:c.so d.so".into()));
        assert_eq!(value("/a b/c.so", None), None);
    }

    #[test]
    fn what_the_loader_would_ignore_is_no_library() {
        let path = std::env::temp_dir().join(format!("fresco-{}-{NAME}", std::process::id()));
        let refused = |what: &str| {
            let reason = check_library(&path).expect_err(what);
            assert!(reason.starts_with(&format!("{}: ", path.display())), "{reason}");
        };
        refused("missing");
        // Any library of this machine will do: this test is linked to some.
        let maps = std::fs::read_to_string("/proc/self/maps").expect("readable");
        let library = maps
            .split_whitespace()
            .find(|word| word.contains("libc.so") || word.contains("libc-"));
        let whole = std::fs::read(library.expect("the C library")).expect("readable");
        for (what, bytes) in [
            ("empty", &b""[..]),
            ("text", b"garbage\n"),
            ("a header", &whole[..64]),
            ("the first half", &whole[..whole.len() / 2]),
        ] {
            std::fs::write(&path, bytes).expect("writable");
            refused(what);
        }
        let mut other = whole.clone();
        other[18] ^= 0xff;
        std::fs::write(&path, &other).expect("writable");
        refused("another machine's");
        std::fs::write(&path, &whole).expect("writable");
        let found = check_library(&path);
        std::fs::remove_file(&path).expect("ours");
        assert_eq!(found, Ok(()));
    }

    #[test]
    fn it_is_taken_out_again() {
        let without = |value: &str| without_library(OsStr::new(value));
        assert_eq!(without("/a/libfresco_preload.so"), None);
        assert_eq!(
            without("/a/libfresco_preload.so:c.so  /d/e.so"),
            Some("c.so:/d/e.so".into())
        );
        assert_eq!(without(""), None);
    }

    #[test]
    fn where_it_is_looked_for_is_told() {
        let places = find_library(Path::new("/nowhere/bin/fresco")).expect_err("not there");
        let places: Vec<_> = places.iter().map(|path| path.to_string_lossy()).collect();
        assert_eq!(
            places,
            [
                "/nowhere/bin/libfresco_preload.so",
                "/nowhere/lib/fresco/libfresco_preload.so"
            ]
        );
    }
}
