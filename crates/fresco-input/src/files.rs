// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files in and out: bounded reads, whole writes.

use crate::quantity::format_size;
use crate::{InputError, file_name, is_standard_input, standard_input};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Largest text file that [`read_file`] takes and a plan is written to, in bytes (64 MiB): above the plan of the longest table that is
/// made, 200,000 entries of some 200 bytes, and small enough that a wrong path (a trace, a device) does not fill the memory.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// Reads a text file of at most [`MAX_TEXT_BYTES`] bytes; `-` is standard input.
///
/// # Errors
/// The file is missing, a directory, a device, a named pipe (reading that may wait for ever; pipes of a shell, `<(...)`
/// and `/dev/stdin`, are read), not readable, too large, or not UTF-8 (with the line of the first wrong byte).
pub fn read_file(path: impl AsRef<Path>) -> Result<String, InputError> {
    let path = path.as_ref();
    let name = file_name(path);
    if is_standard_input(path) {
        return text(&name, standard_input::read(MAX_TEXT_BYTES + 1)?);
    }
    if path.is_dir() {
        let error = InputError::new(name, "found a directory").allowed("a text file");
        return Err(error.help("name a file inside it"));
    }
    if let Some(kind) = endless(path) {
        return Err(InputError::new(name, format!("found {kind}"))
            .allowed("a text file, - for standard input, or <(COMMAND)")
            .help("write what it gives into a file first"));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|fault| cannot("read", &name, &fault))?;
    text(&name, bytes)
}

/// The text of a file that holds `bytes`.
fn text(name: &str, bytes: Vec<u8>) -> Result<String, InputError> {
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(larger(name, "a larger file").help("check that the path names the right file"));
    }
    decode(name, bytes)
}

/// That a text is larger than [`MAX_TEXT_BYTES`]; `found` is what it is. The help is the caller's.
pub fn larger(name: &str, found: &str) -> InputError {
    let limit = format!("a text file of at most {}", format_size(MAX_TEXT_BYTES));
    InputError::new(name, format!("found {found}"))
        .allowed(limit)
        .too_large()
}

/// What a path names, if reading it may never end.
fn endless(path: &Path) -> Option<&'static str> {
    let kind = fs::metadata(path).ok()?.file_type();
    match () {
        () if kind.is_block_device() => Some("a device"),
        // A terminal that the shell has opened ends when the user says so.
        () if kind.is_char_device() => (!is_descriptor(path)).then_some("a device"),
        // The pipe of a descriptor has no name, and whoever opened it writes.
        () if kind.is_fifo() => fs::canonicalize(path).is_ok().then_some("a named pipe"),
        () => None,
    }
}

/// Returns true for a file that this process has open already, and for `/dev/null`.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/stdin", "/dev/null"].iter().any(|known| path == Path::new(known)) || path.starts_with("/dev/fd")
}

/// The bytes that some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of `bytes`, without a byte order mark; `name` is only what errors call the file.
///
/// # Errors
/// Not UTF-8, with the line of the first wrong byte.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<String, InputError> {
    let text = String::from_utf8(bytes).map_err(|fault| {
        let at = fault.utf8_error().valid_up_to();
        let bytes = fault.as_bytes();
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        InputError::new(name, format!("found the byte {:#04x}, which is not UTF-8", bytes[at]))
            .at_line(line as u32)
            .allowed("text in UTF-8")
            .help("save the file as UTF-8, or check that the path names a text file")
    })?;
    Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Writes a file so that `path` holds either what it held before or all of `bytes`, never a part: the bytes go to a
/// temporary file beside it, which then takes its name. Something that is not a regular file (`/dev/stdout`, a pipe) is
/// written to directly.
///
/// # Errors
/// The directory does not exist, is not writable, or the disk is full; `path` is then untouched.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), InputError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(directory_found(name));
    }
    let special = fs::metadata(path).is_ok_and(|meta| !meta.is_file());
    let written = if special {
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut file| file.write_all(bytes))
    } else {
        replace(path, bytes)
    };
    written.map_err(|fault| cannot("write", &name, &fault))
}

/// Checks that [`write_atomically`] could write this file, as far as can be told beforehand. Nothing is changed: a
/// temporary file is made beside it and removed. A file that is not regular is opened only at the end, as that may
/// change it.
///
/// # Errors
/// It is a directory, its directory does not exist or is not writable.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), InputError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(directory_found(name));
    }
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Ok(());
    }
    let made = create_beside(path).and_then(|(_, temporary, _)| fs::remove_file(&temporary));
    made.map_err(|fault| cannot("write", &name, &fault))
}

fn directory_found(name: String) -> InputError {
    let error = InputError::new(name, "found a directory").allowed("the name of a file to write");
    error.help("name a file inside it")
}

/// A new file beside `path`, to be written and then given its name: the path that is replaced, that of the new file, and
/// the new file. It is nobody else's: what has the name already is left alone, a link too.
///
/// # Errors
/// `path` names no file, its directory does not exist or is not writable.
pub fn create_beside(path: &Path) -> io::Result<(PathBuf, PathBuf, File)> {
    // Through a symbolic link, the file it points to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut number = 0;
    loop {
        // Short, as the target's own name may be as long as names can be.
        let temporary = target.with_file_name(format!(".fresco-{}-{number}.tmp", std::process::id()));
        match File::create_new(&temporary) {
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return made.map(|file| (target, temporary, file)),
        }
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (target, temporary, mut file) = create_beside(path)?;
    let mut write = || {
        file.write_all(bytes)?;
        file.sync_all()?;
        if let Ok(old) = fs::metadata(&target) {
            fs::set_permissions(&temporary, old.permissions())?;
        }
        fs::rename(&temporary, &target)
    };
    write().inspect_err(|_| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    })
}

fn cannot(verb: &str, name: &str, fault: &io::Error) -> InputError {
    let help = match fault.kind() {
        io::ErrorKind::NotFound if verb == "write" => "make the directory first",
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::PermissionDenied => "check the permissions of the file and its directory",
        io::ErrorKind::StorageFull => "free some space",
        _ => "check the path and the disk",
    };
    InputError::new(name, format!("cannot {verb} it: {fault}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn faults_of_reading_are_told_apart() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let read = |name: &str| {
            read_file(dir.path().join(name))
                .expect_err("is not readable")
                .to_string()
        };
        assert!(read("missing.toml").contains("cannot read it"));
        assert!(read("").contains("found a directory"));
        fs::write(dir.path().join("latin1"), b"a = 1\nb = \"caf\xe9\"\n").expect("writable");
        assert!(read("latin1").contains("latin1:2: found the byte 0xe9"));
        fs::write(dir.path().join("marked"), "\u{feff}a = 1\n").expect("writable");
        assert_eq!(read_file(dir.path().join("marked")).as_deref(), Ok("a = 1\n"));
        let large = File::create(dir.path().join("large")).expect("writable");
        large.set_len(MAX_TEXT_BYTES + 1).expect("sparse");
        assert!(read("large").contains("at most 64 MiB"));
    }

    #[test]
    fn what_may_never_end_is_refused_and_pipes_of_a_shell_are_read() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let named = dir.path().join("named");
        let made = std::process::Command::new("mkfifo").arg(&named).status();
        assert!(made.expect("every system has it").success());
        let refused = |path: &Path| read_file(path).expect_err("may never end").to_string();
        assert!(refused(&named).contains("found a named pipe"));
        assert!(refused(Path::new("/dev/zero")).contains("found a device"));
        let (reader, mut writer) = io::pipe().expect("a pipe");
        writer.write_all(b"14 18\n").expect("there is room");
        drop(writer);
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(read_file(path).as_deref(), Ok("14 18\n"));
    }

    #[test]
    fn a_write_replaces_the_whole_file_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("out.json");
        write_atomically(&path, b"first, and longer").expect("writable");
        write_atomically(&path, b"second").expect("writable");
        assert_eq!(read_file(&path).as_deref(), Ok("second"));
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 1);
    }

    #[test]
    fn what_lies_where_a_temporary_file_would_is_left_alone() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let victim = dir.path().join("victim");
        fs::write(&victim, "mine").expect("writable");
        let trap = dir.path().join(format!(".fresco-{}-0.tmp", std::process::id()));
        std::os::unix::fs::symlink(&victim, &trap).expect("a link");
        // A name of 255 bytes, the longest there is.
        let path = dir.path().join("x".repeat(255));
        assert_eq!(check_writable(&path), Ok(()));
        write_atomically(&path, b"new").expect("writable");
        assert_eq!(read_file(&path).as_deref(), Ok("new"));
        assert_eq!(read_file(&victim).as_deref(), Ok("mine"));
        assert!(trap.is_symlink());
    }

    #[test]
    fn looking_whether_a_file_can_be_written_changes_nothing() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("out.json");
        assert_eq!(check_writable(&path), Ok(()));
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 0);
        write_atomically(&path, b"old").expect("writable");
        assert_eq!(check_writable(&path), Ok(()));
        assert_eq!(read_file(&path).as_deref(), Ok("old"));
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 1);
        assert_eq!(check_writable("/dev/full"), Ok(()));
        for (path, found) in [
            (dir.path().join("no/x"), "make the directory first"),
            (dir.path().to_owned(), "found a directory"),
        ] {
            let error = check_writable(&path).expect_err("is not writable").to_string();
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let missing = dir.path().join("no/such/out.json");
        assert!(
            write_atomically(&missing, b"x")
                .expect_err("no directory")
                .to_string()
                .contains("make the directory first")
        );
        assert!(
            write_atomically(dir.path(), b"x")
                .expect_err("a directory")
                .to_string()
                .contains("found a directory")
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "old").expect("writable");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write_atomically(&link, b"new").expect("writable");
        assert!(link.is_symlink());
        assert_eq!(read_file(&file).as_deref(), Ok("new"));
        write_atomically("/dev/null", b"gone").expect("takes everything");
        assert!(!fs::metadata("/dev/null").expect("still there").is_file());
    }
}
