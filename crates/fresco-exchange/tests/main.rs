// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is exported is read back by other means than it was written with, and compared with what it was made of.

mod c_tables;
mod imports;
mod partitions;
mod schedules;
mod support;
mod task_sets;
