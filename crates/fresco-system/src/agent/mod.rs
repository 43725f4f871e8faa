// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices that are no cores: which lines they move and when, and what came of it.

mod device;
mod pace;
mod traffic;

pub(crate) use device::Device;
