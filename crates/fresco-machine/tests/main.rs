// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod builtin;
mod calibration;
mod domains;
mod fine_refresh;
mod lines_of_bursts;
mod management;
mod readme;
mod threads;
mod today;
mod wrong;
