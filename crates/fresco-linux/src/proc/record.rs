// SPDX-License-Identifier: MIT OR Apache-2.0
//! The record of what a process was asked to run with: a sealed file without a name, which the process keeps as a mapping
//! or as a descriptor, and which is found there by its name in `/proc`.
//!
//! A program may overwrite its environment, as those do that show a title of their own. It does not unmap what it has
//! not mapped, a fork passes it on, no change of root or user takes it away, and it goes with the process. Seals keep
//! everybody from changing it. A program can make another one; if it has changed its user since it began, that one's owner
//! tells.

use super::{Mapping, allows_file};
use crate::colors::{MOST_BYTES, Request};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, memfd_create};
use rustix::io::{Errno, FdFlags, dup, fcntl_dupfd_cloexec, fcntl_setfd, write};
use rustix::mm::{MapFlags, ProtFlags, mmap};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{AsFd, IntoRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

/// Its name, and how `/proc` shows it.
const NAME: &str = "fresco-request";
const SHOWN: &str = "/memfd:fresco-request (deleted)";
/// The lowest descriptor that it is kept as: those below are for programs that count on certain ones.
const LOWEST: i32 = 200;

/// So many are read: a program may make more.
const MOST_RECORDS: usize = 8;

const SEALS: SealFlags = SealFlags::SEAL
    .union(SealFlags::SHRINK)
    .union(SealFlags::GROW)
    .union(SealFlags::WRITE);

/// Makes a record of the text of a request.
fn make(text: &[u8]) -> Result<OwnedFd, Errno> {
    if !allows_file(text.len() as u64) {
        return Err(Errno::FBIG);
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | MemfdFlags::NOEXEC_SEAL;
    let file = memfd_create(NAME, flags)?;
    let mut rest = text;
    while !rest.is_empty() {
        rest = &rest[write(&file, rest)?..];
    }
    fcntl_add_seals(&file, SEALS)?;
    Ok(file)
}

/// Keeps a record in the calling process and its forks, as a mapping that is never undone.
///
/// # Errors
/// A limit of the process, or a filter of system calls; then the environment is all there is.
pub fn keep_mapped(text: &[u8]) -> Result<(), Errno> {
    let file = make(text)?;
    // SAFETY: the kernel chooses addresses that nothing uses; nobody reads the mapping through them.
    unsafe {
        mmap(
            null_mut(),
            text.len().max(1),
            ProtFlags::READ,
            MapFlags::SHARED,
            &file,
            0,
        )?
    };
    Ok(())
}

/// Keeps a record in the program that this process becomes, and in what it starts: as an open descriptor, which is lost
/// where a program closes those it does not know.
///
/// # Errors
/// As of [`keep_mapped`].
pub fn keep_open(text: &[u8]) -> Result<(), Errno> {
    let file = make(text)?;
    // Where there may be no such number, any will do.
    let kept = fcntl_dupfd_cloexec(&file, LOWEST).or_else(|_| dup(&file))?;
    fcntl_setfd(&kept, FdFlags::empty())?;
    let _ = kept.into_raw_fd();
    Ok(())
}

/// The request in the record that the process in this folder of `/proc` has. Of several, the one that it cannot have made
/// as the user that it is now.
pub(super) fn request_of(directory: &Path) -> Option<Request> {
    let own = user_of(directory);
    let mut found: Vec<(bool, File)> = mapped(directory)
        .into_iter()
        .chain(open(directory))
        .filter_map(|path| {
            let (owner, file) = sealed(&path)?;
            Some((Some(owner) == own, file))
        })
        .collect();
    // The order of those alike stays.
    found.sort_by_key(|(is_own, _)| *is_own);
    let mut texts = found.iter().take(MOST_RECORDS).filter_map(|(_, file)| text_of(file));
    texts.find_map(|text| Request::parse(&text))
}

/// The user that a process acts as.
fn user_of(directory: &Path) -> Option<u32> {
    let status = fs::read_to_string(directory.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Mappings of records, one of each.
fn mapped(directory: &Path) -> Vec<PathBuf> {
    let maps = fs::read(directory.join("maps")).unwrap_or_default();
    let lines = String::from_utf8_lossy(&maps);
    let mut known = BTreeSet::new();
    let records = lines.lines().filter(|line| line.ends_with(SHOWN));
    // The fifth word is the number of the file.
    let records = records.filter(|line| known.insert(line.split(' ').nth(4)));
    records
        .filter_map(Mapping::parse)
        .map(|mapping| directory.join(format!("map_files/{:x}-{:x}", mapping.start, mapping.end)))
        .collect()
}

/// Descriptors of records.
fn open(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join("fd")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| fs::read_link(path).is_ok_and(|link| link == Path::new(SHOWN)))
        .collect()
}

/// A record, and its owner; `None` if it is not sealed as [`make`] does it.
fn sealed(path: &Path) -> Option<(u32, File)> {
    let file = File::open(path).ok()?;
    let is_sealed = fcntl_get_seals(file.as_fd()).is_ok_and(|seals| seals.contains(SEALS));
    let owner = fstat(&file).ok()?.st_uid;
    is_sealed.then_some((owner, file))
}

fn text_of(mut file: &File) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    // One that is too long is not parsed.
    file.by_ref().take(MOST_BYTES as u64 + 1).read_to_end(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colors::test_request;
    use std::sync::{Mutex, PoisonError};

    /// Who reads the record of another process has it open meanwhile, so that this process seems to have it.
    static ONE_READER: Mutex<()> = Mutex::new(());

    #[test]
    fn a_record_is_found_by_mapping_and_by_descriptor_and_cannot_be_changed() {
        let _reader = ONE_READER.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, second) = (test_request("first"), test_request("second"));
        let text = |request: &Request| request.to_text().expect("numbers and text");
        let own = Path::new("/proc/self");
        assert_eq!(request_of(own), None);
        let file = make(text(&second).as_bytes()).expect("memory");
        assert_eq!(write(&file, b"x"), Err(Errno::PERM));
        let link = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file)));
        let read = sealed(&link).and_then(|(_, file)| text_of(&file));
        assert_eq!(read, Some(text(&second).into_bytes()));
        assert_eq!(request_of(own), Some(second.clone()));
        keep_mapped(text(&first).as_bytes()).expect("memory");
        // Only who sees all of the machine may open what others have mapped.
        if crate::launch::probe().is_ok() {
            assert_eq!(request_of(own), Some(first), "mappings come first");
        }
        // One that can be changed is none.
        let forged = memfd_create(NAME, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("memory");
        write(&forged, text(&second).as_bytes()).expect("memory");
        let link = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&forged)));
        assert!(sealed(&link).is_none());
    }

    #[test]
    fn a_program_inherits_the_descriptor() {
        let _reader = ONE_READER.lock().unwrap_or_else(PoisonError::into_inner);
        let request = test_request("inherited");
        let text = request.to_text().expect("numbers and text").into_bytes();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "read line"]).stdin(std::process::Stdio::piped());
        crate::sys::before_exec(&mut command, move || keep_open(&text));
        let mut child = command.spawn().expect("every machine has a shell");
        let found = request_of(Path::new(&format!("/proc/{}", child.id())));
        drop(child.stdin.take());
        child.wait().expect("it ends");
        assert_eq!(found, Some(request));
    }
}
