// SPDX-License-Identifier: MIT OR Apache-2.0
//! Channels: reads of different channels overlap entirely.

use super::LONGEST_BURST_NS;
use super::sampler::Sampler;
use super::tally::{Quotient, sums};
use super::verdict::Number;
use crate::wide::parity;

/// A second read of another channel adds less than this share of what a second line of a row adds. In every standard, tCCD_S is more than
/// that of tCCD_L (3/8 in the fastest grades of DDR5); a queue in front of all channels adds a clock, which is 1/4 of a burst of eight.
const OTHER_CHANNEL: f64 = 1.0 / 3.0;

/// The functions that change the channel.
pub fn find(sampler: &mut Sampler<'_, '_>, numbers: &mut Vec<Number>) -> Result<Quotient, String> {
    let row = sampler.row();
    numbers.push(Number::level("a second line of the row adds, ns", &row));
    if !row.is_above(0.0) {
        return Err("a second line of an open row adds nothing that can be measured".to_owned());
    }
    if !row.is_below(LONGEST_BURST_NS) {
        return Err(format!(
            "a second line of an open row adds {:.1} ns, more than a burst: the processor waits for the first",
            row.mean
        ));
    }
    let count = sampler.functions();
    let all: Vec<u64> = (1..1u64 << count).collect();
    let limit = OTHER_CHANNEL * row.mean;
    let differs = |f: u64, d: u64| parity(u128::from(f & d)) == 1;
    let look = sampler.sample(&all);
    let mut channel = Quotient::of([], count);
    // Of the pairs that differ in a channel function none is of one channel; any other function takes some of one channel in. What is
    // found here is tested below, by pairs drawn anew.
    loop {
        let levels = channel
            .others()
            .into_iter()
            .map(|f| (f, look.level(|d| channel.keeps(d) && differs(f, d))));
        let least = levels
            .filter(|(_, level)| level.n > 1)
            .min_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean));
        match least {
            Some((f, level)) if level.mean < limit => channel = channel.and([f]),
            _ => break,
        }
    }
    if channel.bits() == count {
        return Err("reads of any two banks overlap entirely".to_owned());
    }
    let inside = sampler.sample(&sums(channel.kept()));
    let level = inside.level(|_| true);
    numbers.push(Number::level("a read of another bank of the channel adds, ns", &level));
    sampler.set_unit(level.mean);
    let others = channel.others();
    if !others.iter().all(|f| inside.level(|d| differs(*f, d)).is_above(limit)) {
        return Err("some reads of a channel overlap more than those of one bus do, but not entirely".to_owned());
    }
    if channel.bits() > 0 {
        let apart: Vec<u64> = all.into_iter().filter(|d| !channel.keeps(*d)).collect();
        let outside = sampler.sample(&apart);
        numbers.push(Number::level(
            "a read of another channel adds, ns",
            &outside.level(|_| true),
        ));
        let is_low = |f: u64, side: bool| outside.level(|d| differs(f, d) == side).is_below(limit);
        if !outside.level(|_| true).is_below(limit) || !others.iter().all(|f| is_low(*f, true) && is_low(*f, false)) {
            return Err("some reads of different channels do not overlap entirely".to_owned());
        }
    }
    Ok(channel)
}
