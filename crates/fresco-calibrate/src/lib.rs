// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a machine's model is from curves of bandwidth and latency that were measured on it, and what of it they determine.
//!
//! [`Curves`] are what was measured, [`Bench`] makes the same experiment on the model, [`Comparison`] lays the two beside
//! each other. [`fit`] chooses values for what nobody publishes of a machine: in a fixed order, each from the part of the
//! curves that shows it, within bounds, and only if that brings the model closer.

mod bench;
mod comparison;
mod curves;
mod fit;
mod knobs;

pub use bench::{Bench, Load, Point};
pub use comparison::{Comparison, Errors, Limits, compare};
pub use curves::{Curve, Curves, Measured};
pub use fit::{Fitted, Step, Tried, fit};
pub use fresco_system::Observer;
pub use knobs::{Knob, Setting, as_texts};
