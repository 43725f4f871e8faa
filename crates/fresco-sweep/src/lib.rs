// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many simulations, each once.
//!
//! A [`Sweep`] is a file that says which keys of a scenario take which values: a list of points that is the same everywhere, each found by its
//! number. [`Sweep::run`] runs one of them, in any thread or process. A [`Store`] keeps results by what they follow from, so that what is there
//! is not run again and what has changed is; a [`Runner`] runs what is missing of a [`Shard`]. [`merge()`] makes tables of it, in the order of
//! the points, whoever ran them. Nothing here prints.
//!
//! ```
//! use fresco_sweep::{Runner, Shard, Store, Sweep};
//!
//! let text = r#"
//!     scenario = "first"
//!     set = { repetitions = 1, measure.operations = 200, warm_up.operations = 0, task.victim.parameters.bytes = "64 KiB" }
//!     grid.seed = [1, 2]
//! "#;
//! let sweep = Sweep::parse("s.toml", text, "".as_ref(), &[])?;
//! let directory = tempfile::tempdir().expect("a directory");
//! let run = || {
//!     let store = Store::open(directory.path(), &sweep, false)?;
//!     let runner = Runner {
//!         sweep: &sweep, store: &store, shard: Shard::WHOLE, threads: 1, retry_failed: false,
//!         progress: &|_| {}, stop: &|| false, is_given_up: &|| false,
//!     };
//!     runner.run()
//! };
//! assert_eq!((run()?.run, run()?.found), (2, 2));
//! # Ok::<(), fresco_input::InputError>(())
//! ```

mod address;
mod copy;
mod design;
mod effects;
mod mark;
mod merge;
mod outcome;
mod planned;
mod point;
mod rows;
mod runner;
mod shard;
mod spec;
mod store;
mod summary;
mod sweep;

pub use address::{Digest, Input, Inputs, Spelling, address};
pub use effects::{AtValue, Effect, Effects, Extremes, Response, SHOWN};
pub use mark::Mark;
pub use merge::{Merged, Tool, content, merge};
pub use outcome::{Outcome, PointFailure};
pub use planned::{PLANNER, PlanRun, add_the_checkers_word, seed};
pub use runner::{Progress, Runner};
pub use shard::{MOST_GROUPS, Shard};
pub use spec::{Axis, Design, Level, MOST_POINTS, Range, Set, Spec, Values};
pub use store::{Index, State, Store, begun, look};
pub use summary::{FailedPoint, Summary, summarize};
pub use sweep::{Column, Point, Sweep};

/// Digest of the source of everything that decides results: the model.
pub const MODEL: &str = env!("FRESCO_MODEL");
