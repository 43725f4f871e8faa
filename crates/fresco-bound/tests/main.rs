// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds against the controller: no read may take longer than its bound, whoever attacks it.

/// Plausible channels of every standard, as the tests of the memory have them.
#[path = "../../fresco-memory/tests/support/devices.rs"]
#[allow(dead_code)]
mod devices;
mod faults;
mod known;
mod memguard;
mod observed;
mod setting;
mod work;
