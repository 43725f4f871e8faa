// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces.

mod input;
mod text;
