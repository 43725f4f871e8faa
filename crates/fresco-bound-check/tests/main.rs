// SPDX-License-Identifier: MIT OR Apache-2.0
//! Certificates of random memories, whole and with each number changed.

/// Plausible channels of every standard, as the tests of the memory have them.
#[path = "../../fresco-memory/tests/support/devices.rs"]
#[allow(dead_code)]
mod devices;
mod mutations;
/// Memories as the tests of bounds draw them.
#[path = "../../fresco-bound/tests/setting.rs"]
mod setting;
