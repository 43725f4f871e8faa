// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs, one file each.

mod bandwidth;
mod cnt;
mod compress;
mod idle;
mod is;
mod latency;
mod lms;
mod matmult;
mod model;
mod parallel;
mod random;
mod st;
mod stream;
mod strides;
mod traffic;

pub(crate) use bandwidth::BANDWIDTH;
pub(crate) use cnt::CNT;
pub(crate) use compress::COMPRESS;
pub(crate) use idle::IDLE;
pub(crate) use is::IS;
pub(crate) use latency::LATENCY;
pub(crate) use lms::LMS;
pub(crate) use matmult::MATMULT;
pub use model::{Characteristics, characteristics};
pub(crate) use model::{MODEL, model_of};
pub(crate) use parallel::{BFS, BLACKSCHOLES, CG, FFT, HISTOGRAM, KMEANS, LBM, MATMULT_PARALLEL, STRIDES_PARALLEL};
pub(crate) use random::RANDOM;
pub(crate) use st::ST;
pub(crate) use stream::STREAM;
pub(crate) use strides::STRIDES;
pub(crate) use traffic::TRAFFIC;
