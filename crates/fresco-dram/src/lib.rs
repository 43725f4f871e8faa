// SPDX-License-Identifier: MIT OR Apache-2.0
//! DRAM as it is built: organisation, timing as data, address maps over GF(2), and the colors a map allows.
//!
//! No I/O and no operating system here: text comes in as `&str`, results go out as values.

mod address;
pub mod apart;
mod clock;
pub mod color;
mod command;
pub mod density;
pub mod domains;
pub mod energy;
pub mod fuzz;
pub mod gf2;
mod management;
pub mod map;
mod organisation;
pub mod standards;
mod timing;

pub use address::{FrameNumber, PhysAddr, VirtAddr};
pub use clock::{Clock, Cycle, LONGEST_GAP, NEVER, Ps};
pub use color::ColorSpace;
pub use command::CommandKind;
pub use density::Generation;
pub use management::{Management, Prac, Rfm};
pub use map::{AddressMap, Functions, MapError, Region};
pub use organisation::{Location, Organisation};
pub use timing::Timing;
