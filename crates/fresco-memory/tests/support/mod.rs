// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests of the controllers share: devices of every standard, traffic, and a record of what was done.
#![allow(dead_code)] // the soak example uses a part

pub mod devices;
pub mod random;
pub mod record;
pub mod script;
pub mod traffic;
pub mod variety;
