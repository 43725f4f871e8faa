// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding a program as a shell does, and finding out whether a library can be put before it.

use super::elf::{Loader, loader};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A program that can be started with colored memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// As the user named it.
    pub name: OsString,
    /// Where it is.
    pub path: PathBuf,
}

/// Why it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
    /// There is none of this name.
    NotFound,
    /// It may not be executed, or read.
    NotExecutable(String),
    /// No library can be put before it.
    Unsuited(String),
}

impl ProgramError {
    /// The exit status that a shell has for it; 125 where a shell would have run it.
    pub fn status(&self) -> u8 {
        match self {
            Self::NotFound => 127,
            Self::NotExecutable(_) => 126,
            Self::Unsuited(_) => 125,
        }
    }

    fn unsuited(reason: &str) -> Self {
        Self::Unsuited(reason.to_owned())
    }

    /// The same of the program that a script names.
    fn of_interpreter(self, interpreter: &Path) -> Self {
        let words = |reason: String| format!("its interpreter {}: {reason}", interpreter.display());
        match self {
            Self::NotFound => self,
            Self::NotExecutable(reason) => Self::NotExecutable(words(reason)),
            Self::Unsuited(reason) => Self::Unsuited(words(reason)),
        }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("no such program"),
            Self::NotExecutable(reason) | Self::Unsuited(reason) => f.write_str(reason),
        }
    }
}

impl Program {
    /// Looks for `name`, in the directories of `search` (the value of `PATH`) unless it has a slash. Without `needs_loader` any
    /// program will do; else the loader has to be able to put a library before it.
    ///
    /// # Errors
    /// [`ProgramError`].
    pub fn find(name: &OsStr, search: &OsStr, needs_loader: bool) -> Result<Self, ProgramError> {
        let mut denied = None;
        let candidates: Vec<PathBuf> = match name.as_bytes().contains(&b'/') {
            true => vec![PathBuf::from(name)],
            false if name.is_empty() => Vec::new(),
            false => std::env::split_paths(search)
                .map(|directory| directory.join(name))
                .collect(),
        };
        for path in candidates {
            match executable(&path) {
                Ok(()) => {
                    suited(&path, 0, needs_loader)?;
                    let name = name.to_owned();
                    return Ok(Self { name, path });
                }
                // As a shell: one that may not be executed is remembered, the search goes on.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => denied = denied.or(Some(error)),
            }
        }
        Err(denied.map_or(ProgramError::NotFound, |error| {
            ProgramError::NotExecutable(error.to_string())
        }))
    }
}

fn executable(path: &Path) -> io::Result<()> {
    let about = match std::fs::metadata(path) {
        Err(error) if error.raw_os_error() == Some(libc::ENOTDIR) => Err(io::ErrorKind::NotFound.into()),
        about => about,
    }?;
    match about.is_file() && about.permissions().mode() & 0o111 != 0 {
        true => Ok(()),
        false if about.is_dir() => Err(io::Error::other("is a directory")),
        false => Err(io::Error::from_raw_os_error(libc::EACCES)),
    }
}

/// Refuses what cannot be executed and, with `needs_loader`, programs into which the loader would not put a library: they would run
/// without colors.
fn suited(path: &Path, depth: u32, needs_loader: bool) -> Result<(), ProgramError> {
    let denied = |error: io::Error| ProgramError::NotExecutable(error.to_string());
    let mut file = match File::open(path) {
        // What may be executed need not be readable.
        Err(error) if !needs_loader && error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        file => file.map_err(denied)?,
    };
    let mut head = Vec::new();
    file.by_ref().take(4096).read_to_end(&mut head).map_err(denied)?;
    if let Some(line) = head.strip_prefix(b"#!") {
        let words = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let mut words = words
            .split(|byte| b" \t\r".contains(byte))
            .filter(|word| !word.is_empty());
        let interpreter = Path::new(OsStr::from_bytes(words.next().unwrap_or_default()));
        // A kernel follows four.
        return match depth < 4 && interpreter != Path::new("") {
            true => suited(interpreter, depth + 1, needs_loader).map_err(|error| error.of_interpreter(interpreter)),
            false => Err(ProgramError::NotExecutable("has no interpreter".to_owned())),
        };
    }
    if !head.starts_with(b"\x7fELF") {
        // A shell would run it as a script of its own; execve does not.
        return Err(ProgramError::NotExecutable(
            "is neither a program nor a script with #!".to_owned(),
        ));
    }
    if !needs_loader {
        return Ok(());
    }
    // Of a script these are not heeded.
    let about = file.metadata().map_err(denied)?;
    if changes_identity(&about) || has_capabilities(path) {
        return Err(ProgramError::unsuited(
            "has privileges of its own (set-user-ID, set-group-ID or capabilities): no library can be put before it",
        ));
    }
    match loader(&file, &head) {
        None => Err(ProgramError::NotExecutable(
            "is damaged: an ELF file that ends before what its headers name".to_owned(),
        )),
        Some(Loader::OtherClass) => Err(ProgramError::unsuited("is not a 64-bit program of this machine")),
        Some(Loader::Path(loader)) if loader.contains("musl") => {
            Err(ProgramError::unsuited("uses musl; the library needs the GNU C library"))
        }
        Some(Loader::Path(_)) => Ok(()),
        Some(Loader::Absent) => Err(ProgramError::unsuited(
            "is linked statically: no library can be put before it, so its memory cannot be colored",
        )),
    }
}

/// Returns true if the program gets another user or group than ours by its set-user-ID or set-group-ID bit: then the loader takes no
/// library from the environment, whoever starts it (ld.so(8), secure-execution mode).
fn changes_identity(about: &Metadata) -> bool {
    let mode = about.permissions().mode();
    let user = mode & 0o4000 != 0 && about.uid() != rustix::process::getuid().as_raw();
    // Without the group's right to execute the bit marks a file for mandatory locking.
    let group = mode & 0o2010 == 0o2010 && about.gid() != rustix::process::getgid().as_raw();
    user || group
}

/// Returns true if the file gives capabilities that we do not have: the same. Root has them.
fn has_capabilities(path: &Path) -> bool {
    let mut value = [0u8; 64];
    !rustix::process::geteuid().is_root() && rustix::fs::getxattr(path, "security.capability", &mut value).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn search() -> OsString {
        OsString::from("/nowhere:/bin:/usr/bin")
    }

    fn file(name: &str, content: &[u8], mode: u32) -> PathBuf {
        let path = std::env::temp_dir().join(format!("fresco-program-{}-{name}", std::process::id()));
        fs::write(&path, content).expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
        path
    }

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        let shell = Program::find(OsStr::new("sh"), &search(), true).expect("every machine has a shell");
        assert_eq!(shell.name, "sh");
        assert!(shell.path.ends_with("sh"));
        assert!(Program::find(OsStr::new("/bin/sh"), OsStr::new(""), true).is_ok());
        for (name, status) in [
            ("no-such-program", 127),
            ("", 127),
            ("/bin", 126),
            ("/etc/passwd", 126),
            ("/etc/passwd/x", 127),
        ] {
            let error = Program::find(OsStr::new(name), &search(), true).expect_err(name);
            assert_eq!(error.status(), status, "{name}: {error}");
        }
    }

    /// Whoever starts it: root may run a program of another user, too.
    #[test]
    fn programs_of_another_user_or_group_are_refused() {
        if !rustix::process::geteuid().is_root() {
            return; // Files cannot be given away.
        }
        let program = fs::read("/bin/true").expect("readable");
        for (mode, refused) in [(0o4755, true), (0o2755, true), (0o2745, false), (0o755, false)] {
            let path = file("ids", &program, 0o755);
            std::os::unix::fs::chown(&path, Some(65_534), Some(65_534)).expect("root may");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
            let found = Program::find(path.as_os_str(), &search(), true);
            let by_kernel = Program::find(path.as_os_str(), &search(), false);
            fs::remove_file(&path).expect("ours");
            assert_eq!(found.is_err(), refused, "{mode:o}");
            assert!(by_kernel.is_ok(), "the kernel needs no library");
            if let Err(error) = found {
                assert!(error.to_string().starts_with("has privileges of its own"), "{error}");
            }
        }
    }

    #[test]
    fn programs_that_load_no_library_are_refused() {
        for (name, content, status) in [
            ("script", b"#!/bin/sh\n".as_slice(), 0),
            ("lost", b"#! /no/such/interpreter -x\n", 126),
            ("empty", b"#!\n", 126),
            ("text", b"echo\n", 126),
            ("cut", b"\x7fELF\x02\x01", 126),
            ("short", b"\x7fELF\x01\x01\x01", 125),
        ] {
            let path = file(name, content, 0o755);
            let found = Program::find(path.as_os_str(), &search(), true);
            fs::remove_file(&path).expect("ours");
            assert_eq!(found.map_or_else(|error| error.status(), |_| 0), status, "{name}");
        }
        let script = file("missing", b"#!/no/such/sh -e\n", 0o755);
        let found = Program::find(script.as_os_str(), &search(), true);
        fs::remove_file(&script).expect("ours");
        assert_eq!(
            found.expect_err("no interpreter").to_string(),
            "its interpreter /no/such/sh: No such file or directory (os error 2)"
        );
        // A program less its last bytes, and one of which nothing is left but the headers.
        let whole = fs::read("/bin/sh").expect("readable");
        for kept in [whole.len() / 2, 4096, 100] {
            let path = file("truncated", &whole[..kept], 0o755);
            let found = Program::find(path.as_os_str(), &search(), true);
            fs::remove_file(&path).expect("ours");
            let error = found.expect_err("it is not whole");
            assert!(error.to_string().starts_with("is damaged"), "{kept}: {error}");
            assert_eq!(error.status(), 126);
        }
        // A static program: an ELF header without a table of segments.
        let mut content = vec![0u8; 64];
        content[..6].copy_from_slice(b"\x7fELF\x02\x01");
        content[18] = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
        let path = file("static", &content, 0o755);
        let found = Program::find(path.as_os_str(), &search(), true);
        let by_kernel = Program::find(path.as_os_str(), &search(), false);
        fs::remove_file(&path).expect("ours");
        assert!(found.expect_err("no loader").to_string().contains("statically"));
        assert!(by_kernel.is_ok(), "the kernel needs no library");
    }
}
