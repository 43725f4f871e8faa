// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds against the controller: no read may take longer than its bound, whoever attacks it.

mod known;
mod observed;
mod setting;
