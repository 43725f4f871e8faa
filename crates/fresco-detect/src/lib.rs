// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding an address map by evidence (MAP-11 to MAP-14, MAP-17, MAP-18).
//!
//! Everything here asks a [`Timer`]; no operating system and no simulator is inside. [`detect`] goes through stages, each
//! with a check that can fail, and ends with a [`Verdict`]; only what has predicted the conflicts of lines on pages that
//! were never looked at, twice, is a map. [`algorithm1`] and [`list`] are the detectors of the papers, bit by bit.
//! [`Judge`] asks whether a map that someone gives is right. [`synthetic`] has timers made of formulas, and disturbances, with which verdicts are tested.

pub mod algorithm1;
pub mod benefit;
mod claim;
mod classes;
mod detect;
mod detection;
pub mod evidence;
mod gather;
mod governor;
pub mod list;
mod method;
pub mod model;
pub mod names;
mod offset;
mod probe;
pub mod queues;
pub mod random;
pub mod refresh;
pub mod registers;
mod screen;
mod shape;
mod shape_odd;
pub mod solve;
pub mod stats;
pub mod synthetic;
mod timer;
mod verdict;
pub mod verify;
pub mod wide;

pub use claim::{Judge, Judgement};
pub use detect::{detect, detect_until};
pub use detection::{Contrasts, Detection, Options};
pub use governor::{ACTIVATIONS_PER_WINDOW, Cost, Governor, WINDOW_NS};
pub use method::Method;
pub use model::Model;
pub use probe::Probe;
pub use shape::{LINE_BITS, Shape};
pub use timer::{Load, Stream, Timer};
pub use verdict::Verdict;
