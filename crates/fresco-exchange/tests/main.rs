// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is exported is read back by other means than it was written with, and compared with what it was made of.
//! `EXCHANGE_RUNS` makes more random partitions, task sets and spoilt files than every test does.

mod c_tables;
mod execution;
mod imports;
mod jobs;
mod partitions;
mod records;
mod refresh_windows;
mod schedules;
mod shared;
mod support;
mod task_sets;
