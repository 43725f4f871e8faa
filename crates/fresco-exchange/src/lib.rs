// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partitions, schedules and task sets in the formats of others (docs/exchange.md).
//!
//! [`export`] writes a [`Subject`], which is a scenario, a plan or a task set, in one of [`FORMATS`]. [`import`] reads a task set of another
//! tool and makes the text of a scenario of it. Nothing here reads or writes files.
//!
//! ```
//! use fresco_exchange::{ImportOptions, Importer, import};
//!
//! let text = "name,period,wcet_us\ncontrol,20 ms,1500\n";
//! let imported = import(Importer::Csv, "tasks.csv", text, &ImportOptions::default())?;
//! let toml = imported.to_scenario(Some("ss-rtmc"));
//! let set = fresco_scenario::TaskSet::parse("tasks.toml", &toml, "".as_ref(), &[])?;
//! assert_eq!((set.timing()[0].period, set.timing()[0].wcet), (20_000_000, 1_500_000));
//! # Ok::<(), fresco_input::InputError>(())
//! ```

mod amount;
mod colors;
pub mod execution;
mod export;
mod formats;
mod head;
mod import;
mod postponing;
mod shell;
mod subject;
mod times;
mod windows;

pub use amount::Unit;
pub use export::{ExportOptions, Exported, FORMATS, Format, Supplement, Takes, export, format};
pub use head::{Comment, Head};
pub use import::{ImportOptions, Imported, ImportedTask, Importer, import};
pub use subject::{Budgets, Colors, Part, Subject, Task};
pub use times::Times;
