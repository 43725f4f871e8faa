// SPDX-License-Identifier: MIT OR Apache-2.0
//! `userfaultfd`: faults on missing pages as messages, and the answer: a page moved there, frame and all. By hand: libraries for it call
//! through the C library, before whose functions this crate stands.
//!
//! Numbers and layouts are those of `include/uapi/linux/userfaultfd.h`; moving pages came with Linux 6.8.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};
use rustix::mm::{UserfaultfdFlags, userfaultfd};
use rustix::time::Timespec;
use std::ops::Range;
use std::time::Duration;

const GROUP: u8 = 0xaa;
const API: u64 = 0xaa;
const FEATURE_MOVE: u64 = 1 << 16;
const REGISTER_MISSING: u64 = 1;
const DONT_WAKE: u64 = 1;
const EVENT_PAGE_FAULT: u8 = 0x12;
/// Bytes of a message.
const MESSAGE: usize = 32;

#[repr(C)]
struct ApiArgument {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
struct RangeArgument {
    start: u64,
    bytes: u64,
}

#[repr(C)]
struct RegisterArgument {
    range: RangeArgument,
    mode: u64,
    ioctls: u64,
}

/// Of `UFFDIO_ZEROPAGE` and `UFFDIO_POISON`.
#[repr(C)]
struct FillArgument {
    range: RangeArgument,
    mode: u64,
    filled: i64,
}

/// Of `UFFDIO_MOVE` and `UFFDIO_COPY`.
#[repr(C)]
struct MoveArgument {
    to: u64,
    from: u64,
    bytes: u64,
    mode: u64,
    moved: i64,
}

/// The address of a missing page that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub u64);

/// Missing pages of registered ranges of the calling process.
#[derive(Debug)]
pub struct Userfault {
    file: OwnedFd,
}

impl Userfault {
    /// Asks the kernel for the handling of missing pages, by moving pages, for this process.
    ///
    /// # Errors
    /// `EPERM` without privilege, `ENOSYS` without the system call, `EINVAL` before Linux 6.8.
    pub fn open() -> Result<Self, Errno> {
        let flags = UserfaultfdFlags::CLOEXEC | UserfaultfdFlags::NONBLOCK;
        // SAFETY: the descriptor lets its owner decide what missing pages of ranges registered with it hold; none is
        // registered yet.
        let file = unsafe { userfaultfd(flags)? };
        let this = Self { file };
        let mut argument = ApiArgument {
            api: API,
            features: FEATURE_MOVE,
            ioctls: 0,
        };
        // SAFETY: UFFDIO_API reads and writes such a structure.
        unsafe { this.control::<{ opcode::read_write::<ApiArgument>(GROUP, 0x3f) }, _>(&mut argument)? };
        Ok(this)
    }

    /// From now on, faults on missing pages of the range are messages.
    ///
    /// # Errors
    /// `EINVAL` where there is no private anonymous memory, or somebody else has registered it.
    ///
    /// # Safety
    /// Threads that touch missing pages there sleep until they are answered; the range is private anonymous memory.
    pub unsafe fn register(&self, range: Range<u64>) -> Result<(), Errno> {
        let mut argument = RegisterArgument {
            range: of(range),
            mode: REGISTER_MISSING,
            ioctls: 0,
        };
        // SAFETY: UFFDIO_REGISTER reads and writes such a structure.
        unsafe { self.control::<{ opcode::read_write::<RegisterArgument>(GROUP, 0x00) }, _>(&mut argument) }
    }

    /// Moves pages, frames and contents, from one range of this process to missing pages of another; wakes nobody.
    /// Returns the bytes moved, and why not more.
    ///
    /// # Safety
    /// Nobody uses what is at `from`.
    pub unsafe fn move_pages(&self, to: u64, from: u64, bytes: u64) -> (u64, Result<(), Errno>) {
        let mut argument = MoveArgument {
            to,
            from,
            bytes,
            mode: DONT_WAKE,
            moved: 0,
        };
        // SAFETY: UFFDIO_MOVE reads and writes such a structure; the caller answers for the addresses.
        let result = unsafe { self.control::<{ opcode::read_write::<MoveArgument>(GROUP, 0x05) }, _>(&mut argument) };
        (argument.moved.max(0) as u64, result)
    }

    /// Fills a missing page with a copy of another, in a frame of the kernel's choice, whatever access its mapping allows.
    ///
    /// # Errors
    /// `EEXIST` where a page is present, `ENOENT` where nothing is registered, `EAGAIN` while the address space changes.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), Errno> {
        let mut argument = MoveArgument {
            to,
            from,
            bytes,
            mode: 0,
            moved: 0,
        };
        // SAFETY: UFFDIO_COPY reads and writes such a structure. Only missing pages change.
        unsafe { self.control::<{ opcode::read_write::<MoveArgument>(GROUP, 0x03) }, _>(&mut argument) }
    }

    /// Lets missing pages read as zero; the kernel places them when they are written. Wakes who waits. Returns the bytes
    /// so filled, and why not more: `EEXIST` where a page is present, `ENOENT` where nothing is registered.
    pub fn zero(&self, range: Range<u64>) -> (u64, Result<(), Errno>) {
        let mut argument = FillArgument {
            range: of(range),
            mode: 0,
            filled: 0,
        };
        // SAFETY: UFFDIO_ZEROPAGE reads and writes such a structure. Only missing pages change, to what they would be
        // without us.
        let result = unsafe { self.control::<{ opcode::read_write::<FillArgument>(GROUP, 0x04) }, _>(&mut argument) };
        (argument.filled.max(0) as u64, result)
    }

    /// Lets threads that touch missing pages of the range die of SIGBUS, as where huge pages run out.
    ///
    /// # Errors
    /// `EEXIST` where a page is present, `ENOENT` where nothing is registered.
    pub fn poison(&self, range: Range<u64>) -> Result<(), Errno> {
        let mut argument = FillArgument {
            range: of(range),
            mode: 0,
            filled: 0,
        };
        // SAFETY: UFFDIO_POISON reads and writes such a structure. Only missing pages change.
        unsafe { self.control::<{ opcode::read_write::<FillArgument>(GROUP, 0x08) }, _>(&mut argument) }
    }

    /// Lets threads that wait for pages of the range look again.
    pub fn wake(&self, range: Range<u64>) {
        let mut argument = of(range);
        // SAFETY: UFFDIO_WAKE reads such a structure. It fails for empty ranges only, where nobody waits.
        let _ = unsafe { self.control::<{ opcode::read::<RangeArgument>(GROUP, 0x02) }, _>(&mut argument) };
    }

    /// Waits for faults, at most `timeout`, and hands them to `serve`, in order. Returns how many there were.
    ///
    /// # Errors
    /// As of reading; the descriptor is of no use after.
    pub fn wait(&self, timeout: Option<Duration>, mut serve: impl FnMut(Fault)) -> Result<usize, Errno> {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs().cast_signed(),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let mut polled = [PollFd::new(&self.file, PollFlags::IN)];
        match poll(&mut polled, timeout.as_ref()) {
            Err(Errno::INTR) | Ok(0) => return Ok(0),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let mut buffer = [0u8; MESSAGE * 16];
        let bytes = match rustix::io::read(&self.file, &mut buffer) {
            Err(Errno::AGAIN | Errno::INTR) => return Ok(0),
            result => result?,
        };
        let mut served = 0;
        for message in buffer[..bytes].chunks_exact(MESSAGE) {
            if message[0] != EVENT_PAGE_FAULT {
                continue;
            }
            let address = message[16..24].try_into().map_or(0, u64::from_ne_bytes);
            serve(Fault(address));
            served += 1;
        }
        Ok(served)
    }

    /// # Safety
    /// The operation `OP` reads and writes a `T`.
    unsafe fn control<const OP: Opcode, T>(&self, argument: &mut T) -> Result<(), Errno> {
        // SAFETY: as the caller promises; the structure lives through the call.
        unsafe { ioctl(self.file.as_fd(), Updater::<OP, T>::new(argument)) }
    }
}

fn of(range: Range<u64>) -> RangeArgument {
    RangeArgument {
        start: range.start,
        bytes: range.end - range.start,
    }
}
