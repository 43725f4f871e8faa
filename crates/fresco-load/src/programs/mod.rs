// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs, one file each.

mod bandwidth;
mod idle;
mod is;
mod latency;
mod matmult;
mod random;
mod stream;
mod strides;

pub(crate) use bandwidth::BANDWIDTH;
pub(crate) use idle::IDLE;
pub(crate) use is::IS;
pub(crate) use latency::LATENCY;
pub(crate) use matmult::MATMULT;
pub(crate) use random::RANDOM;
pub(crate) use stream::STREAM;
pub(crate) use strides::STRIDES;
