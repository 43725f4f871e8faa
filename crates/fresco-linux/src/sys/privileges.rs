// SPDX-License-Identifier: MIT OR Apache-2.0
//! Privileges of the pager's thread. When a program changes its user or groups, the C library has every thread do so, and
//! ends the program if one of them may and another may not: the pager has to be allowed what the program is.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, capabilities_secure_bits,
    get_keep_capabilities, set_capabilities, set_keep_capabilities,
};
use std::ops::Range;

/// What the pager never gives up by itself: locking memory, and changing user and groups with the program.
const KEPT: CapabilitySet = CapabilitySet::IPC_LOCK
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETGID);

/// What decides whether a thread may change its user and groups, and what it may do after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Privileges {
    permitted: CapabilitySet,
    effective: CapabilitySet,
    /// Whether it keeps its permitted capabilities when it ceases to be root.
    keep: bool,
}

impl Privileges {
    /// Those of the calling thread.
    ///
    /// # Errors
    /// The program is denied these system calls.
    pub fn of_this_thread() -> Result<Self, Errno> {
        let own = capabilities(None)?;
        // Bits of a later kernel are no reason to fail.
        let fixed = capabilities_secure_bits().is_ok_and(|bits| bits.contains(CapabilitiesSecureBits::NO_SETUID_FIXUP));
        Ok(Self {
            permitted: own.permitted & KEPT,
            effective: own.effective & KEPT,
            keep: fixed || get_keep_capabilities()?,
        })
    }

    /// As the words of an order.
    pub fn words(self) -> (Range<u64>, u32) {
        (self.permitted.bits()..self.effective.bits(), u32::from(self.keep))
    }

    /// The privileges that stand in the words of an order.
    pub(crate) fn of_words(words: Range<u64>, keep: u32) -> Self {
        Self {
            permitted: CapabilitySet::from_bits_retain(words.start),
            effective: CapabilitySet::from_bits_retain(words.end),
            keep: keep != 0,
        }
    }

    /// Takes from the calling thread what is not among these, and makes effective what is among them.
    ///
    /// # Errors
    /// The program is denied these system calls.
    pub(crate) fn limit_this_thread(self) -> Result<(), Errno> {
        let own = capabilities(None)?;
        let permitted = own.permitted & self.permitted & KEPT;
        let sets = CapabilitySets {
            effective: permitted & self.effective,
            permitted,
            inheritable: CapabilitySet::empty(),
        };
        // No more system calls than needed: a program may have restricted those of all its threads.
        if sets != own {
            set_capabilities(None, sets)?;
        }
        match get_keep_capabilities()? == self.keep {
            true => Ok(()),
            false => set_keep_capabilities(self.keep),
        }
    }
}

/// Takes all privileges from the calling thread but those of locking memory and of changing user and groups.
pub fn drop_privileges() {
    let keep = get_keep_capabilities().unwrap_or(false);
    let most = Privileges {
        permitted: KEPT,
        effective: KEPT,
        keep,
    };
    // Giving up what one has is always allowed.
    let _ = most.limit_this_thread();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_limited_to_what_another_has_and_gets_nothing_back() {
        // Capabilities are a thread's own: those of the other tests stay.
        let limited = || {
            let before = Privileges::of_this_thread().expect("it may ask");
            let none = Privileges {
                permitted: before.permitted - CapabilitySet::SETGID,
                effective: CapabilitySet::empty(),
                keep: true,
            };
            let (words, keep) = none.words();
            assert_eq!(Privileges::of_words(words, keep), none);
            none.limit_this_thread().expect("giving up is allowed");
            assert_eq!(Privileges::of_this_thread(), Ok(none));
            before.limit_this_thread().expect("so is asking for more");
            let after = Privileges::of_this_thread().expect("it may ask");
            assert_eq!(after.permitted, none.permitted);
            assert_eq!(after.effective, before.effective & none.permitted);
            assert_eq!(after.keep, before.keep);
        };
        std::thread::spawn(limited).join().expect("it holds");
    }
}
