// SPDX-License-Identifier: MIT OR Apache-2.0
//! Known answers, and a naive model of the same rules.

use super::*;
use fresco_machine::SecondTlb;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::HashMap;

fn tlb(first: (u32, u32), second: Option<(u32, u32)>, walk_cache: u32) -> Tlb {
    let level = |(entries, ways)| TlbLevel { entries, ways };
    Tlb {
        first: level(first),
        second: second.map(|size| SecondTlb {
            size: level(size),
            latency: 0,
        }),
        walk_cache,
    }
}

fn looked_up(tlb: &Tlb, pages: impl IntoIterator<Item = u64>) -> Vec<Translated> {
    let mut translations = Translations::new(tlb, 4096);
    pages.into_iter().map(|page| translations.look_up(0, page)).collect()
}

/// With LRU, as many pages in a round as there are entries all hit; one more, and none does.
#[test]
fn rounds_within_and_just_beyond_the_reach() {
    let one = tlb((16, 16), None, 0);
    let rounds = |pages: u64| looked_up(&one, (0..4 * pages).map(|step| step % pages));
    let misses = |found: &[Translated]| found.iter().filter(|found| **found != Translated::First).count();
    assert_eq!(misses(&rounds(16)), 16);
    assert_eq!(misses(&rounds(17)), 4 * 17);
    // With the second level there are misses of the first, but no walks.
    let two = tlb((16, 16), Some((32, 4)), 0);
    let found = looked_up(&two, (0..3 * 17).map(|step| step % 17));
    assert!(found[..17].iter().all(|found| *found == Translated::Walk(4)));
    assert!(found[17..].iter().all(|found| *found == Translated::Second));
}

/// Pages that are as far apart as there are sets share one.
#[test]
fn the_low_bits_of_the_page_choose_the_set() {
    let sets = tlb((8, 2), None, 0);
    let found = looked_up(&sets, [0, 4, 0, 4, 8, 0, 1, 0]);
    let walk = Translated::Walk(4);
    let first = Translated::First;
    assert_eq!(found, [walk, walk, first, first, walk, walk, walk, first]);
}

/// The first walk reads all four levels. Its neighbor in the same table of pages reads one more, one in another table of the same directory
/// two, and so on.
#[test]
fn the_walk_cache_saves_the_upper_levels() {
    let cached = tlb((1, 1), None, 9);
    let (one, two, three) = (1 << 9, 1 << 18, 1 << 27);
    let found = looked_up(&cached, [0, 1, one, two, three, three + 1, 2]);
    assert_eq!(found, [4, 1, 2, 3, 4, 1, 1].map(Translated::Walk));
    // Three entries hold the way to one page: after the walk to `three` nothing of the first is left.
    let small = tlb((1, 1), None, 3);
    assert_eq!(looked_up(&small, [0, 1, three, 2]), [4, 1, 4, 4].map(Translated::Walk));
}

#[test]
fn larger_pages_are_found_in_fewer_reads() {
    let one = tlb((1, 1), None, 0);
    let reads = |page_bytes| Translations::new(&one, page_bytes).look_up(0, 5);
    assert_eq!(reads(2 << 20), Translated::Walk(3));
    assert_eq!(reads(1 << 30), Translated::Walk(2));
}

#[test]
fn address_spaces_do_not_meet_and_a_page_can_be_forgotten() {
    let mut translations = Translations::new(&tlb((4, 4), Some((8, 8)), 4), 4096);
    assert_eq!(translations.look_up(1, 7), Translated::Walk(4));
    assert_eq!(translations.look_up(2, 7), Translated::Walk(4));
    assert_eq!(translations.look_up(1, 7), Translated::First);
    translations.forget(1, 7);
    assert_eq!(
        translations.look_up(1, 7),
        Translated::Walk(1),
        "its tables are where they were"
    );
    assert_eq!(translations.look_up(2, 7), Translated::First);
}

/// When each key was used last, by set; nothing else.
struct Naive {
    ways: usize,
    sets: u64,
    used: HashMap<(u64, u32, u64), usize>,
    time: usize,
}

impl Naive {
    fn new(level: TlbLevel) -> Self {
        Self {
            ways: level.ways as usize,
            sets: u64::from(level.entries / level.ways),
            used: HashMap::new(),
            time: 0,
        }
    }

    fn uses(&mut self, space: u32, key: u64, index: u64) -> bool {
        self.time += 1;
        let set = index % self.sets;
        let found = self.used.insert((set, space, key), self.time).is_some();
        let mut in_set: Vec<_> = self.used.iter().filter(|((other, _, _), _)| *other == set).collect();
        if in_set.len() > self.ways {
            in_set.sort_by_key(|(_, time)| **time);
            let oldest = *in_set[0].0;
            self.used.remove(&oldest);
        }
        found
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, rng_seed: RngSeed::Fixed(31), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn it_finds_what_a_naive_model_finds(
        sets in 0u32..3, ways in 1u32..5, more in 0u32..3, upper in 0u32..6,
        accesses in prop::collection::vec((0u32..2, 0u64..6, 0u64..4, prop::bool::weighted(0.05)), 1..300),
    ) {
        let size = |sets: u32| (ways << sets, ways);
        let tlb = tlb(size(sets), (more > 0).then(|| size(sets + more)), upper);
        let mut translations = Translations::new(&tlb, 4096);
        let mut first = Naive::new(tlb.first);
        let mut second = tlb.second.map(|second| Naive::new(second.size));
        let mut walk = (upper > 0).then(|| Naive::new(TlbLevel { entries: upper, ways: upper }));
        let (mut lookups, mut walks) = (0, 0);
        for (space, low, high, forgets) in accesses {
            // Near each other, and in tables and directories of their own.
            let page = low + (high << (9 * high));
            if forgets {
                translations.forget(space, page);
                first.used.retain(|(_, of, key), _| (*of, *key) != (space, page));
                if let Some(second) = &mut second {
                    second.used.retain(|(_, of, key), _| (*of, *key) != (space, page));
                }
                continue;
            }
            lookups += 1;
            let found = translations.look_up(space, page);
            let expected = if first.uses(space, page, page) {
                Translated::First
            } else if second.as_mut().is_some_and(|second| second.uses(space, page, page)) {
                Translated::Second
            } else {
                walks += 1;
                let reads = walk.as_mut().map_or(4, |walk| {
                    let key = |level: usize| (page >> (9 * (level - 1))) * 4 + level as u64 - 2;
                    let known = (2..=4).find(|level| walk.used.contains_key(&(0, space, key(*level))));
                    (2..=known.unwrap_or(4)).rev().for_each(|level| _ = walk.uses(space, key(level), 0));
                    known.unwrap_or(5) - 1
                });
                Translated::Walk(reads)
            };
            prop_assert_eq!(found, expected);
        }
        prop_assert!(walks <= lookups);
    }
}
