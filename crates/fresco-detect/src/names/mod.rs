// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which functions of a map select the channel, the rank, the bank group and the bank.
//!
//! Banks are known by their parities, so the difference of two banks is a vector of one bit for each function. Those differences that
//! keep the channel form a space, within it those that keep the rank as well, and within that those that keep the bank group. What is
//! measured is which differences these are; the functions of a kind are those that do not see the space of their kind. Nothing else
//! is determined: a rank function plus a channel function selects the rank as well.
//!
//! The signals are those of Sudoku (arXiv 2506.15918): what a second read adds to one that is sent with it, and when reads are delayed by
//! refreshes. The tests are ours: every conclusion is tested on pairs drawn anew, and what fails a test has no name.

mod basis;
mod channels;
mod groups;
mod phases;
mod ranks;
mod sampler;
mod tally;
mod verdict;

pub use phases::Answers;
pub use tally::{Level, SIGMAS};
pub use verdict::{Kind, KindVerdict, Named, Names, Number};

use crate::model::Model;
use crate::probe::Probe;
use crate::refresh::RefreshTimes;
use crate::shape::Shape;
use sampler::Sampler;
use tally::Quotient;
use verdict::Story;

/// More functions than any machine has; all sums of them are looked at.
const MOST_FUNCTIONS: usize = 12;
/// A second line of an open row adds a burst, which takes at most so many nanoseconds: eight transfers of DDR2-667 take 12. If it adds
/// more, the processor asks for one line after the other, and channels cannot be seen.
const LONGEST_BURST_NS: f64 = 12.5;
/// Why nothing is told once somebody wants an end.
const STOPPED: &str = "somebody stopped it";
/// Effects below this share of what a second line of a row adds do not count: a clock counts in steps.
const SMALL: f64 = 0.05;
/// Effects above this share are worth a test.
const WORTH_A_TEST: f64 = 0.03;
/// Effects of this share have to be visible before it is concluded that there is none.
const VISIBLE: f64 = 0.13;

/// Names the functions of a proved map as far as the signals allow. Without `shape` no two lines of a row are known, and without
/// `refresh` no period of refreshes.
pub fn find(probe: &mut Probe<'_>, model: &Model, shape: Option<&Shape>, refresh: Option<&RefreshTimes>) -> Names {
    let mut story = Story::default();
    let known = tell(probe, model, shape, refresh, &mut story);
    let told: Vec<Quotient> = known.into_iter().map_while(Result::ok).collect();
    story.ends(model, &told)
}

/// The spaces of functions up to each kind but the last, until one is not told.
fn tell(
    probe: &mut Probe<'_>,
    model: &Model,
    shape: Option<&Shape>,
    refresh: Option<&RefreshTimes>,
    story: &mut Story,
) -> Vec<Result<Quotient, String>> {
    let sampler = match (model.form.odd, shape) {
        _ if model.functions.len() > MOST_FUNCTIONS => Err(format!(
            "{} functions; at most {MOST_FUNCTIONS} are looked at",
            model.functions.len()
        )),
        (Some(_), _) => Err("channels go round an odd number: differences of addresses are none of banks".to_owned()),
        (None, None) => Err("no two lines of one row are known".to_owned()),
        (None, Some(shape)) => Sampler::new(probe, model, shape),
    };
    let mut sampler = match sampler {
        Ok(sampler) => sampler,
        Err(reason) => return story.untold(Kind::Channel, reason),
    };
    let channel = match channels::find(&mut sampler, story.of(Kind::Channel)) {
        Ok(channel) => channel,
        Err(_) if sampler.is_stopped() => return story.untold(Kind::Channel, STOPPED.to_owned()),
        Err(reason) => return story.untold(Kind::Channel, reason),
    };
    let units = phases::find(&mut sampler, &channel, refresh);
    let (rank, groups) = ranks::find(&mut sampler, &channel, &units, story);
    if sampler.is_stopped() {
        return story.untold(Kind::Channel, STOPPED.to_owned());
    }
    let rank = match rank {
        Ok(rank) => rank,
        Err(reason) => {
            let mut known = vec![Ok(channel)];
            known.extend(story.untold(Kind::Rank, reason));
            return known;
        }
    };
    let mut known = vec![Ok(channel), Ok(rank)];
    match groups {
        Ok(group) => known.push(Ok(group)),
        Err(reason) => known.extend(story.untold(Kind::BankGroup, reason)),
    }
    known
}
