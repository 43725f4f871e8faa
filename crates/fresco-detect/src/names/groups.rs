// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bank groups: reads of one group are tCCD_L apart, as those of one row are, and those of different groups tCCD_S.

use super::sampler::Sampler;
use super::tally::{Level, Quotient, Tally, sums};
use super::verdict::Number;
use super::{SMALL, VISIBLE, WORTH_A_TEST};

/// As long as lines of a row: within this share, and a difference of the next one would be seen. Two groups in three of a rank's pairs,
/// a clock in five faster (the slowest grade of DDR4), are 0.13.
const ALIKE: f64 = 0.04;
const ALIKE_VISIBLE: f64 = 0.08;

/// What reads of different banks of a rank say.
pub struct Groups {
    /// The functions up to the bank group's: no more than were given where there are no groups.
    pub functions: Result<Quotient, String>,
    /// What a read of another bank adds, of another group where there are groups: the least there is in a rank.
    pub fastest: Level,
    /// All pairs of banks are alike.
    pub is_flat: bool,
    /// They are what one rank with open rows makes: in groups, or all as far apart as lines of a row.
    pub is_rank: bool,
}

/// A rank without groups has at most 2³ banks (DDR2, DDR3, LPDDR4); of more banks, there may be groups that do not show, as in the slowest grade
/// of DDR5, of which tCCD_L is tCCD_S.
const MOST_BANK_BITS: usize = 3;

/// Looks for groups among the banks that `rank` does not tell apart. `closed` says that the rank is known by more than what reads take:
/// then banks may be slower than lines of a row, as they are where rows are closed after each access.
pub fn find(sampler: &mut Sampler<'_, '_>, rank: &Quotient, closed: bool, numbers: &mut Vec<Number>) -> Groups {
    let (row, unit) = (sampler.row(), sampler.unit());
    let within = sums(rank.kept());
    let look = sampler.sample(&within);
    let level = look.level(|_| true);
    let shortens = |f: &u64| {
        let effect = look.effect(*f, |_| true);
        effect.is_some_and(|effect| effect.mean < -effect.look().max(WORTH_A_TEST * unit))
    };
    let shorter: Vec<u64> = rank.others().into_iter().filter(shortens).collect();
    if shorter.is_empty() {
        numbers.push(Number::level("a read of another bank of the rank adds, ns", &level));
        let over = level.above(&row);
        let is_flat = is_flat(&look, &rank.others(), unit);
        let is_rank = is_flat && over.is_nothing(ALIKE * unit, ALIKE_VISIBLE * unit);
        let functions = match is_flat {
            false => Err("banks of a rank differ in how long reads of them take, but not by what would be groups"),
            true if !is_rank && !over.is_above(0.0) => {
                Err("reads of other banks take neither as long as those of one row, nor are they in groups")
            }
            true if !is_rank && !closed => Err(
                "reads of other banks take longer than those of one row: rows may be closed after each access, which hides ranks",
            ),
            true if rank.kept().len() > MOST_BANK_BITS => {
                Err("no groups show, but more than eight banks without any are rare")
            }
            true => Ok(rank.clone()),
        };
        return Groups {
            functions: functions.map_err(str::to_owned),
            fastest: level,
            is_flat,
            is_rank,
        };
    }
    let group = rank.and(shorter);
    let (same, other): (Vec<u64>, Vec<u64>) = within.into_iter().partition(|d| group.keeps(*d));
    let (same, other) = (sampler.sample(&same), sampler.sample(&other));
    let (slow, fast) = (same.level(|_| true), other.level(|_| true));
    numbers.push(Number::level("a read of another bank of the group adds, ns", &slow));
    numbers.push(Number::level("a read of another group adds, ns", &fast));
    let is_told = slow.above(&row).is_nothing(ALIKE * unit, ALIKE_VISIBLE * unit)
        && fast.above(&slow).is_below(-SMALL * unit)
        && is_flat(&same, &group.others(), unit)
        && is_flat(&other, &rank.others(), unit);
    let functions = match is_told {
        true => Ok(group),
        false => Err("reads of some banks are faster than others, but not by what would be groups".to_owned()),
    };
    Groups {
        functions,
        fastest: fast,
        is_flat: false,
        is_rank: is_told,
    }
}

/// Whether all pairs are alike, whatever function they differ in.
pub fn is_flat(tally: &Tally, functions: &[u64], unit: f64) -> bool {
    let mut effects = functions.iter().filter_map(|f| tally.effect(*f, |_| true));
    effects.all(|effect| effect.is_nothing(SMALL * unit, VISIBLE * unit))
}
