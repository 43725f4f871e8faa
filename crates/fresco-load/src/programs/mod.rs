// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs, one file each.

pub(crate) mod bandwidth;
pub(crate) mod latency;
pub(crate) mod stream;
pub(crate) mod strides;
