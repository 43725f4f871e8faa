// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's log, where the module says why it refuses something.

use rustix::fs::{Mode, OFlags, SeekFrom, open, seek};
use rustix::io::{Errno, read};
use std::os::fd::OwnedFd;

/// What each line of the module begins with.
const OURS: &str = "memguard: ";
/// The longest record of the log, in bytes.
const RECORD_BYTES: usize = 8192;

/// The log from a moment on.
#[derive(Debug)]
pub struct Log {
    file: Option<OwnedFd>,
}

impl Log {
    /// From now on. Where it cannot be read it is empty.
    pub fn now() -> Self {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = open("/dev/kmsg", flags, Mode::empty()).ok();
        Self {
            file: file.filter(|file| seek(file, SeekFrom::End(0)).is_ok()),
        }
    }

    /// The last line of the module since then.
    pub fn last(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let mut record = vec![0; RECORD_BYTES];
        let mut last = None;
        loop {
            match read(file, &mut record[..]) {
                Ok(0) => return last,
                Ok(length) => last = line(&record[..length]).or(last),
                // Records were overwritten before they were read.
                Err(Errno::PIPE | Errno::INTR) => {}
                Err(_) => return last,
            }
        }
    }
}

/// The text of a record, `6,1234,5678,-;memguard: text`, if it is the module's.
fn line(record: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(record);
    let (_, text) = text.split_once(';')?;
    Some(text.lines().next()?.strip_prefix(OURS)?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_record_of_the_module_is_told_from_others() {
        let ours = b"5,812,4711,-;memguard: period_us: found '7', allowed: 100 to 1000000\n SUBSYSTEM=x\n";
        assert_eq!(
            line(ours).as_deref(),
            Some("period_us: found '7', allowed: 100 to 1000000")
        );
        for other in [
            &b"6,1,2,-;usb 1-1: memguard: new device\n"[..],
            b"6,1,2,-;",
            b"nonsense",
            b"\xff;",
        ] {
            assert_eq!(line(other), None, "{other:?}");
        }
    }
}
