// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats, a file each.

mod arinc653;
mod bao;
mod c_table;
mod c_text;
mod cgroup;
mod cheddar;
mod csv;
mod jailhouse;
mod palloc;
mod pycpa;
mod refresh_windows;
mod resctrl;
mod sched_deadline;
mod sched_ext;
mod schedcat;
mod task_set;
mod way_colors;
mod xen;

pub use arinc653::Arinc653;
pub use bao::Bao;
pub use c_table::CTable;
pub use cgroup::Cgroup;
pub use cheddar::Cheddar;
pub use csv::Csv;
pub use jailhouse::Jailhouse;
pub use palloc::Palloc;
pub use pycpa::Pycpa;
pub use refresh_windows::RefreshWindows;
pub use resctrl::Resctrl;
pub use sched_deadline::SchedDeadline;
pub use sched_ext::SchedExt;
pub use schedcat::Schedcat;
pub use xen::Xen;
