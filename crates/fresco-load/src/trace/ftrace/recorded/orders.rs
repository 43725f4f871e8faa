// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which orders between threads a trace holds.

use super::OBJECTS;
use super::bytes::Bytes;
use crate::trace::ftrace::varint::put;
use std::collections::BTreeMap;

/// Tickets in a trace, by object. Those that are not among them were taken where nothing was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tickets {
    /// First ticket of each range, and the one after its last; ranges neither overlap nor touch.
    ranges: BTreeMap<u16, BTreeMap<u32, u32>>,
}

impl Tickets {
    /// Adds a ticket; one that is there already changes nothing.
    pub fn insert(&mut self, object: u16, ticket: u32) {
        let ranges = self.ranges.entry(object).or_default();
        let before = ranges.range(..=ticket).next_back().map(|(first, end)| (*first, *end));
        if before.is_some_and(|(_, end)| ticket < end) {
            return;
        }
        let after = ticket.saturating_add(1);
        let end = ranges.remove(&after).unwrap_or(after);
        let first = before
            .filter(|(_, end)| *end == ticket)
            .map_or(ticket, |(first, _)| first);
        ranges.insert(first, end);
    }

    /// How many tickets of an object are lower than `ticket`.
    pub fn below(&self, object: u16, ticket: u32) -> u32 {
        let ranges = self.ranges.get(&object).into_iter().flatten();
        let lower = ranges.take_while(|(first, _)| **first < ticket);
        lower.map(|(first, end)| ticket.min(*end) - first).sum()
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        let ranges = self.ranges.values().flatten();
        ranges.map(|(first, end)| u64::from(end - first)).sum()
    }

    /// How many others there must have been, which are not recorded.
    pub fn missing(&self) -> u64 {
        let last = self.ranges.values().filter_map(|ranges| ranges.values().next_back());
        last.map(|end| u64::from(*end)).sum::<u64>() - self.count()
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put(out, self.ranges.len() as u64);
        for (object, ranges) in &self.ranges {
            put(out, u64::from(*object));
            put(out, ranges.len() as u64);
            let mut before = 0;
            for (first, end) in ranges {
                put(out, u64::from(first - before));
                put(out, u64::from(end - first));
                before = *end;
            }
        }
    }

    pub(super) fn parse(bytes: &mut Bytes<'_>) -> Result<Self, String> {
        let mut this = Self::default();
        for _ in 0..bytes.below(u64::from(OBJECTS) + 1, "a number of objects")? {
            let object = bytes.below(u64::from(OBJECTS), "an object")? as u16;
            if this
                .ranges
                .last_key_value()
                .is_some_and(|(before, _)| *before >= object)
            {
                return Err("objects out of order".into());
            }
            let (mut ranges, mut before) = (BTreeMap::new(), 0);
            for number in 0..bytes.below(bytes.left() as u64, "a number of ranges")? {
                let skipped = bytes.below(1 << 32, "a ticket")?;
                let first = before + skipped;
                let end = first + bytes.below(1 << 32, "a number of tickets")?;
                if end == first || end > u64::from(u32::MAX) || (number > 0 && skipped == 0) {
                    return Err(format!("tickets {first} to {end}"));
                }
                ranges.insert(first as u32, end as u32);
                before = end;
            }
            this.ranges.insert(object, ranges);
        }
        Ok(this)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(19), failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn they_are_a_set_that_is_written_and_read(inserted in prop::collection::vec((0u16..3, 0u32..60), 0..120)) {
            let (mut tickets, mut set) = (Tickets::default(), BTreeSet::new());
            for (object, ticket) in inserted {
                tickets.insert(object, ticket);
                set.insert((object, ticket));
            }
            prop_assert_eq!(tickets.count(), set.len() as u64);
            for object in 0..3 {
                for ticket in 0..61 {
                    let below = set.iter().filter(|(other, lower)| *other == object && *lower < ticket).count();
                    prop_assert_eq!(tickets.below(object, ticket), below as u32);
                }
            }
            let mut out = Vec::new();
            tickets.put(&mut out);
            let mut bytes = Bytes(&out);
            prop_assert_eq!(Tickets::parse(&mut bytes), Ok(tickets));
            prop_assert_eq!(bytes.left(), 0);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for wrong in [
            &[1][..],
            &[2, 5, 0, 5, 0],
            &[1, 1, 1, 3, 0],
            &[1, 1, 2, 0, 1, 0, 1],
            &[129, 32],
        ] {
            assert!(Tickets::parse(&mut Bytes(wrong)).is_err(), "{wrong:?}");
        }
        let mut tickets = Tickets::default();
        for ticket in [3, 4, 6] {
            tickets.insert(7, ticket);
        }
        assert_eq!((tickets.count(), tickets.missing()), (3, 4));
    }
}
