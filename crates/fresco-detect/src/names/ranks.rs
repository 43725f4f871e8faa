// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranks: refreshed as a whole, and the bus needs a gap between the data of two of them.

use super::groups::{self, is_flat};
use super::phases::Units;
use super::sampler::Sampler;
use super::tally::{Quotient, sums};
use super::verdict::{Kind, Number, Story};
use super::{SMALL, VISIBLE, WORTH_A_TEST};
use crate::wide::parity;

/// A rank has at least four banks: 2² in every standard.
const LEAST_BANK_BITS: usize = 2;

/// The functions up to the rank's, and up to the bank group's.
pub fn find(
    sampler: &mut Sampler<'_, '_>,
    channel: &Quotient,
    units: &Units,
    story: &mut Story,
) -> (Result<Quotient, String>, Result<Quotient, String>) {
    let unknown = || Err("ranks are not told apart".to_owned());
    if let Units::Told(_, answers) | Units::Unclear(answers) = units {
        let seen = answers.same + answers.other;
        let numbers = story.of(Kind::Rank);
        numbers.push(Number::share(
            "differences of banks refreshed at the same time",
            answers.same,
            seen,
        ));
        numbers.push(Number::share("of these answers, contradictory", answers.wrong, seen));
    }
    let rank = match units {
        Units::Unclear(_) => {
            return (
                Err("refreshes delay some banks together, but not as ranks".to_owned()),
                unknown(),
            );
        }
        Units::Told(units, _) if units.bits() > channel.bits() => by_refresh(sampler, channel, units, story),
        Units::Told(..) | Units::Invisible => by_turns(sampler, channel, story),
    };
    match rank {
        Ok((rank, groups)) => (Ok(rank), groups),
        Err(reason) => {
            // What was measured within a rank that is none says nothing of groups.
            story.of(Kind::BankGroup).clear();
            (Err(reason), unknown())
        }
    }
}

type Ranks = Result<(Quotient, Result<Quotient, String>), String>;

/// Units that are refreshed apart are ranks if the bus needs a turn between them; banks that are refreshed one by one, or one of each
/// group, need none.
fn by_refresh(sampler: &mut Sampler<'_, '_>, channel: &Quotient, units: &Quotient, story: &mut Story) -> Ranks {
    let (row, unit) = (sampler.row(), sampler.unit());
    if sampler.functions() - units.bits() < LEAST_BANK_BITS {
        return Err("fewer than four banks are refreshed at the same time: refreshes may go by banks".to_owned());
    }
    let groups = groups::find(sampler, units, true, story.of(Kind::BankGroup));
    turn(sampler, channel, units, &groups, story)?;
    let is_slow = groups.is_flat && groups.fastest.above(&row).is_above(-SMALL * unit);
    if !groups.is_rank && !is_slow {
        return Err("banks are refreshed in units, but reads within a unit are not those of a rank".to_owned());
    }
    Ok((units.clone(), groups.functions))
}

/// Ranks that are refreshed together, or whose refreshes are not seen, show by the turn alone.
fn by_turns(sampler: &mut Sampler<'_, '_>, channel: &Quotient, story: &mut Story) -> Ranks {
    let (row, unit) = (sampler.row(), sampler.unit());
    let look = sampler.sample(&sums(channel.kept()));
    // No pair of banks has no difference, so that functions of banks in a group seem to add time: fewer pairs of a group are left among those
    // that do not differ. Lines of a row stand for the missing ones, unless rows are closed; what adds time adds it either way.
    let half = (1u64 << channel.kept().len()) as f64 / 2.0;
    let lengthens = |f: &u64| {
        let differs = |d: u64| parity(u128::from(f & d)) == 1;
        let (with, without) = (look.level(differs), look.level(|d| !differs(d)));
        let effect = with.above(&without);
        let whole = effect.mean + (without.mean - row.mean) / half;
        effect.mean.min(whole) > effect.look().max(WORTH_A_TEST * unit)
    };
    let longer: Vec<u64> = channel.others().into_iter().filter(lengthens).collect();
    let rank = channel.and(longer);
    if sampler.functions() - rank.bits() < LEAST_BANK_BITS {
        return Err("fewer than four banks are left of a rank".to_owned());
    }
    let groups = groups::find(sampler, &rank, false, story.of(Kind::BankGroup));
    if let (Err(reason), false) = (&groups.functions, groups.is_rank) {
        return Err(format!("refreshes do not separate banks, and {reason}"));
    }
    if rank.bits() > channel.bits() {
        turn(sampler, channel, &rank, &groups, story)?;
    }
    Ok((rank, groups.functions))
}

/// Checks that reads of different ranks are further apart than the closest ones of a rank, all by as much.
fn turn(
    sampler: &mut Sampler<'_, '_>,
    channel: &Quotient,
    rank: &Quotient,
    groups: &groups::Groups,
    story: &mut Story,
) -> Result<(), String> {
    let unit = sampler.unit();
    let mut apart = sums(channel.kept());
    apart.retain(|d| !rank.keeps(*d));
    let apart = sampler.sample(&apart);
    let level = apart.level(|_| true);
    story
        .of(Kind::Rank)
        .push(Number::level("a read of another rank adds, ns", &level));
    let turn = level.above(&groups.fastest);
    story
        .of(Kind::Rank)
        .push(Number::level("more than the closest read of the rank, ns", &turn));
    // Pairs of two ranks meet the refreshes of both.
    if level.reach() > VISIBLE / 2.0 * unit {
        return Err("reads of banks that are refreshed apart meet too many refreshes to see what they take".to_owned());
    }
    if !is_flat(&apart, &channel.others(), unit) {
        return Err(
            "reads of banks that are refreshed apart differ among themselves: refreshes may go by banks".to_owned(),
        );
    }
    match turn.is_above(SMALL * unit) {
        true => Ok(()),
        false if turn.reach() > VISIBLE * unit => Err("too much noise to see whether the bus needs a turn".to_owned()),
        false => Err(
            "banks are refreshed apart, but the bus needs no turn between them: ranks, or banks refreshed in groups"
                .to_owned(),
        ),
    }
}
