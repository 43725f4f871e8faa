// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores and the operating system on top of the memory: a scenario in, measurements out.
//!
//! A [`Scenario`] is an experiment in one TOML file (`scenarios/README.md` describes the format). [`run_all`] makes all
//! of its runs and returns a [`results::ScenarioResult`]; [`run`] makes one of [`Scenario::runs`].
//!
//! The parts, from the bottom up: [`core`] decides how much memory latency a core hides; `os` has page tables and the
//! processes that cores execute; [`bandwidth`] regulates what they move; `engine` puts cores, page faults and memory into
//! one order of time, whatever a run is made of; [`experiment`] says what that can be: tasks, dispatchers, refresh by plan; `scenario` reads
//! and checks, and `runs` makes runs of it; [`planned`] makes one of a plan; [`results`] counts.
//!
//! ```
//! let text = r#"
//!     name = "two"
//!     machine = "xeon-w3530"
//!     warm_up.operations = 100
//!     measure.operations = 1000
//!     sweep.corunners = [0, 1]
//!     [[task]]
//!     name = "chase"
//!     program = "latency"
//!     core = 0
//!     [[task]]
//!     name = "noise"
//!     program = "random"
//!     core = 1
//!     role = "background"
//! "#;
//! let scenario = fresco_system::Scenario::parse("two.toml", text, "".as_ref(), &[])?;
//! let result = fresco_system::run_all(&scenario, 1, &|_| {})?;
//! let chase = &result.points[1].tasks[0];
//! assert!(chase.slowdown.is_some_and(|slowdown| slowdown.mean > 1.0));
//! # Ok::<(), fresco_input::InputError>(())
//! ```

mod against;
mod agent;
pub mod bandwidth;
mod batch;
pub mod core;
mod engine;
pub mod experiment;
mod in_loop;
mod live;
mod memory_timer;
mod observer;
mod os;
pub mod planned;
pub mod results;
mod runs;
mod store;

pub use against::{Against, Begins, Rival, longest_work};
pub use batch::{Batch, Progress, run, run_all, run_alone, run_here};
pub use fresco_load::Program;
pub use fresco_scenario::{
    Axis, Extent, MachineUsed, Overview, POINTS_SHOWN, Role, RunSpec, Scenario, TaskOverview, TraceUsed,
};
pub use in_loop::InLoop;
pub use live::LiveRun;
pub use memory_timer::MemoryTimer;
pub use observer::Observer;
pub use store::Store;
