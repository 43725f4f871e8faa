// SPDX-License-Identifier: MIT OR Apache-2.0
//! The claims of the papers as data of this project, and the verdicts on them: `claims/*.toml` in, results in, verdicts
//! out. Pure: nothing is run here.

mod check;
mod eval;
mod expr;
mod judge;
mod load;
mod model;
mod names;
mod results;
mod rough;
mod rules;
mod verdict;
mod worlds;

pub use check::Check;
pub use judge::{judge, judge_by_seeds};
pub use load::{ClaimError, Claims, System};
pub use model::{Claim, Condition, Experiment, Kind, Number, Platform, Policies, Proof, Question, Role};
pub use results::{Labels, Results, Row};
pub use rough::judge_roughly;
pub use verdict::{Outcome, Part, Seeds, Tally, TallyByRole, Verdict, Without, verdict_table};
pub use worlds::Tried;
