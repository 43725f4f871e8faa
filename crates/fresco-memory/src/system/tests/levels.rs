// SPDX-License-Identifier: MIT OR Apache-2.0
//! Private caches above inclusive, exclusive and other last-level caches, against plain lists, access by access.

use super::*;
use crate::cache::{LeavingLines, PrivateCaches, PrivateOutcome};
use crate::system::{Service, Upward};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Fetch,
}

/// One level: sets of lines with their dirty bits, the most recently used in front.
struct Level {
    ways: usize,
    sets: Vec<Vec<(u64, bool)>>,
}

impl Level {
    fn new(ways: usize, sets: usize) -> Self {
        let sets = vec![Vec::new(); sets];
        Self { ways, sets }
    }

    fn set(&mut self, line: u64) -> &mut Vec<(u64, bool)> {
        let count = self.sets.len() as u64;
        &mut self.sets[(line % count) as usize]
    }

    fn has(&mut self, line: u64) -> bool {
        self.set(line).iter().any(|(other, _)| *other == line)
    }

    fn remove(&mut self, line: u64) -> Option<bool> {
        let set = self.set(line);
        let at = set.iter().position(|(other, _)| *other == line)?;
        Some(set.remove(at).1)
    }

    /// A use of a line that is there.
    fn touch(&mut self, line: u64, write: bool) -> bool {
        let Some(dirty) = self.remove(line) else { return false };
        self.set(line).insert(0, (line, dirty | write));
        true
    }

    fn put(&mut self, line: u64, dirty: bool) -> Option<(u64, bool)> {
        let ways = self.ways;
        let set = self.set(line);
        set.insert(0, (line, dirty));
        if set.len() > ways { set.pop() } else { None }
    }
}

/// What a core has.
struct Private {
    /// Of data, and of code.
    first: [Level; 2],
    second: Level,
}

impl Private {
    fn levels(&mut self) -> impl Iterator<Item = &mut Level> {
        self.first.iter_mut().chain([&mut self.second])
    }

    fn forget(&mut self, line: u64) -> bool {
        self.levels()
            .fold(false, |dirty, level| dirty | level.remove(line).unwrap_or(false))
    }
}

/// All levels, by the words of the documentation.
struct Naive {
    inclusion: Inclusion,
    private: [Private; 2],
    last: Level,
    written: Vec<u64>,
}

impl Naive {
    /// The level that has the line; 0 for memory.
    fn access(&mut self, core: usize, line: u64, kind: Kind) -> u8 {
        let (code, store) = (usize::from(kind == Kind::Fetch), kind == Kind::Store);
        let mut leaving = Vec::new();
        let private = &mut self.private[core];
        if private.first[code].touch(line, store) {
            return 1;
        }
        let in_second = private.second.touch(line, false);
        if !in_second && let Some(victim) = private.second.put(line, false) {
            self.leave_second(core, victim, &mut leaving);
        }
        if let Some(victim) = self.private[core].first[code].put(line, store) {
            self.leave_first(core, victim, &mut leaving);
        }
        let mut level = 2;
        if !in_second {
            level = if self.ask_last(core, line) { 3 } else { 0 };
        }
        for (line, dirty) in leaving {
            if !self.last.touch(line, dirty)
                && let Some(victim) = self.last.put(line, dirty)
            {
                self.leave_last(victim);
            }
        }
        level
    }

    fn ask_last(&mut self, core: usize, line: u64) -> bool {
        if self.inclusion == Inclusion::Exclusive {
            let Some(dirty) = self.last.remove(line) else {
                return false;
            };
            let private = &mut self.private[core];
            let [data, _] = &mut private.first;
            if dirty {
                let holder = [data, &mut private.second].into_iter().find_map(|level| {
                    let entry = level.set(line).iter_mut().find(|(other, _)| *other == line)?;
                    entry.1 = true;
                    Some(())
                });
                // Code alone, of which the copy in level 2 has had to make room at once.
                self.written.extend(holder.is_none().then_some(line));
            }
            return true;
        }
        let found = self.last.touch(line, false);
        if !found && let Some(victim) = self.last.put(line, false) {
            self.leave_last(victim);
        }
        found
    }

    fn leave_first(&mut self, core: usize, (line, dirty): (u64, bool), leaving: &mut Vec<(u64, bool)>) {
        let second = &mut self.private[core].second;
        if dirty && second.touch(line, true) {
            return;
        }
        let moves = dirty || self.inclusion == Inclusion::Exclusive && !second.has(line);
        if moves && let Some(victim) = second.put(line, dirty) {
            self.leave_second(core, victim, leaving);
        }
    }

    fn leave_second(&mut self, core: usize, (line, dirty): (u64, bool), leaving: &mut Vec<(u64, bool)>) {
        if self.inclusion != Inclusion::Exclusive {
            leaving.extend(dirty.then_some((line, dirty)));
            return;
        }
        let [data, code] = &mut self.private[core].first;
        let above = data.set(line).iter_mut().find(|(other, _)| *other == line);
        if let Some((_, above)) = above {
            *above |= dirty;
        } else if dirty || !code.has(line) {
            code.remove(line);
            leaving.push((line, dirty));
        }
    }

    fn leave_last(&mut self, (line, mut dirty): (u64, bool)) {
        if self.inclusion == Inclusion::Inclusive {
            dirty |= self
                .private
                .iter_mut()
                .fold(false, |dirty, private| dirty | private.forget(line));
        }
        self.written.extend(dirty.then_some(line));
    }
}

/// The same with the caches of the model.
struct Real {
    system: MemorySystem,
    private: [PrivateCaches; 2],
    now: Ps,
}

impl Real {
    /// The level that has the line, 0 for memory, and the lines written to memory.
    fn access(&mut self, core: usize, number: u64, kind: Kind) -> (u8, Vec<u64>) {
        let (line, store) = (line(0, number), kind == Kind::Store);
        let private = &mut self.private[core];
        let outcome = match kind {
            Kind::Fetch => private.fetch(line),
            _ => private.access(line, store),
        };
        let (mut level, mut out) = (0, LeavingLines::default());
        let mut leaving = Vec::new();
        match outcome {
            PrivateOutcome::Hit { level: at, leaves, .. } => {
                level = at;
                leaving.extend(leaves);
            }
            PrivateOutcome::Miss => {
                out = match kind {
                    Kind::Fetch => private.fill_code(line),
                    _ => private.fill(line, store),
                };
                let service = self.system.read(self.now, core as u32, line, store);
                self.tell();
                match service {
                    Service::Done { .. } => level = 3,
                    Service::Pending(_) => self.now = finish(&mut self.system)[0].at,
                }
            }
        }
        for leaving in leaving.iter().chain(out.as_slice()) {
            self.system.leave(self.now, core as u32, *leaving);
            self.tell();
        }
        let mut sent = Vec::new();
        self.system.take_sent(&mut sent);
        (level, sent.iter().map(|(_, _, line)| line.0 / LINE).collect())
    }

    fn tell(&mut self) {
        let mut told = Vec::new();
        self.system.take_upward(&mut told);
        for message in told {
            match message {
                Upward::Evicted {
                    at,
                    core,
                    owner,
                    line,
                    dirty,
                } => {
                    let lost = self.private.iter_mut().filter_map(|private| private.invalidate(line));
                    if lost.fold(false, |one, other| one | other) && !dirty {
                        self.system.write_through(at, core, owner, line);
                    }
                }
                Upward::Dirty { at, core, line } => {
                    if !self.private[core as usize].make_dirty(line) {
                        self.system.write_through(at, core, core, line);
                    }
                }
            }
        }
    }
}

fn level(ways: u32, sets: u64) -> CacheConfig {
    CacheConfig {
        size: u64::from(ways) * sets * LINE,
        ways,
        line: LINE as u32,
        latency: 1,
        replacement: Replacement::Lru,
    }
}

/// Every access finds the same level, and the same lines are written to memory, in both; and lines are where the kind of cache says.
fn compare(inclusion: Inclusion, second: (u32, u64), accesses: &[(usize, u64, Kind)], shared: bool) {
    let (first, last) = ((2, 1), (4, 2));
    let mut machine = machine();
    machine.llc = Some(LlcConfig {
        cache: level(last.0, last.1),
        inclusion,
        ..small_llc()
    });
    let (l1, l2) = (level(first.0, first.1), level(second.0, second.1));
    let private = PrivateCaches::new(Some(&l1), Some(&l2)).with_code(Some(&l1));
    let private = private.feeding(inclusion == Inclusion::Exclusive);
    let mut real = Real {
        system: MemorySystem::new(&machine),
        private: [private.clone(), private],
        now: 0,
    };
    real.system.watch_writes();
    let naive = |(ways, sets): (u32, u64)| Level::new(ways as usize, sets as usize);
    let mut expected = Naive {
        inclusion,
        private: [(), ()].map(|()| Private {
            first: [naive(first), naive(first)],
            second: naive(second),
        }),
        last: naive(last),
        written: Vec::new(),
    };
    for (step, &(core, number, kind)) in accesses.iter().enumerate() {
        let number = if shared { number } else { 2 * number + core as u64 };
        let level = expected.access(core, number, kind);
        let (found, mut written) = real.access(core, number, kind);
        let mut wanted = std::mem::take(&mut expected.written);
        written.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(
            (found, written),
            (level, wanted),
            "{inclusion:?}, step {step}: core {core}, line {number}, {kind:?}"
        );
        for (core, private) in (0..).zip(&real.private) {
            for line in private.lines() {
                let below = real.system.owner(core, line).is_some();
                match inclusion {
                    Inclusion::Inclusive => assert!(below, "{line} of core {core} is not in the inclusive cache"),
                    Inclusion::Exclusive => {
                        assert!(shared || !below, "{line} of core {core} is in the exclusive cache")
                    }
                    Inclusion::NonInclusive => {}
                }
            }
        }
    }
}

fn accesses() -> impl Strategy<Value = Vec<(usize, u64, Kind)>> {
    let kind = prop_oneof![3 => Just(Kind::Load), 2 => Just(Kind::Store), 1 => Just(Kind::Fetch)];
    prop::collection::vec((0usize..2, 0u64..9, kind), 1..300)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48, rng_seed: RngSeed::Fixed(17), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn three_levels_do_what_lists_do(accesses in accesses(), shared: bool) {
        for inclusion in [Inclusion::NonInclusive, Inclusion::Inclusive, Inclusion::Exclusive] {
            // A second level as small as the first one leaves many lines in that alone.
            for second in [(2, 2), (1, 2), (4, 1)] {
                compare(inclusion, second, &accesses, shared);
            }
        }
    }
}

#[test]
fn a_hot_line_is_lost_to_a_neighbour_under_an_inclusive_cache_alone() {
    for (inclusion, level) in [
        (Inclusion::Inclusive, 0),
        (Inclusion::NonInclusive, 1),
        (Inclusion::Exclusive, 1),
    ] {
        let mut machine = machine();
        machine.llc = Some(LlcConfig {
            inclusion,
            ..small_llc()
        });
        let l1 = self::level(2, 1);
        let private = PrivateCaches::new(Some(&l1), None).feeding(inclusion == Inclusion::Exclusive);
        let mut real = Real {
            system: MemorySystem::new(&machine),
            private: [private.clone(), private],
            now: 0,
        };
        // Line 0 stays the first in level 1 of core 0, which the cache below does not see; lines of core 1 pass it there.
        real.access(0, 0, Kind::Load);
        for other in [2, 4] {
            assert_eq!(real.access(0, 0, Kind::Load).0, 1);
            real.access(1, other, Kind::Load);
        }
        assert_eq!(real.access(0, 0, Kind::Load).0, level, "{inclusion:?}");
        assert_eq!(real.private[0].invalidated(), u64::from(level == 0));
    }
}
