// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a machine's model is from curves of bandwidth and latency that were measured on it, and what of it they determine.
//!
//! [`Curves`] are what was measured, [`Bench`] makes the same experiment on the model, [`Comparison`] lays the two beside
//! each other. [`fit`] chooses values for what nobody publishes of a machine: in a fixed order, each from the part of the
//! curves that shows it, within bounds, and only if that brings the model closer. [`each_left_out`] judges that on curves that
//! were not used.

mod aim;
mod bench;
mod comparison;
mod curves;
mod fit;
mod knobs;
mod known;
mod limit;
mod load;
mod turns;
mod under_way;

pub use bench::Bench;
pub use comparison::{Comparison, Errors, Limits, compare};
pub use curves::{Curve, Curves, Measured};
pub use fit::{Fitted, Step, Tried, fit};
pub use fresco_system::Observer;
pub use knobs::{Knob, Setting, as_texts};
pub use load::{Load, Point};
pub use turns::{Turn, each_left_out};
