// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs, one file each.

pub(crate) mod bandwidth;
pub(crate) mod idle;
pub(crate) mod is;
pub(crate) mod latency;
pub(crate) mod matmult;
pub(crate) mod random;
pub(crate) mod stream;
pub(crate) mod strides;
