// SPDX-License-Identifier: MIT OR Apache-2.0
//! One type per address space, so that a virtual address cannot be decoded as a physical one.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! address {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }
    };
}

address!(
    /// A physical address, in bytes.
    PhysAddr
);
address!(
    /// A virtual address of one task, in bytes.
    VirtAddr
);
address!(
    /// A physical page frame number: the physical address divided by the page size.
    FrameNumber
);
