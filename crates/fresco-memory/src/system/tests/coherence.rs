// SPDX-License-Identifier: MIT OR Apache-2.0
//! MESI: each access takes what the formula says, and states are those of a plain reference.

use super::*;
use crate::cache::{CoherenceCounts, LineState, PrivateCaches, PrivateOutcome};
use crate::system::{Above, Answer, Arrival, Demand, Purpose, Upward};
use fresco_machine::{Coherence, Protocol};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::{BTreeMap, BTreeSet};

/// Latency of the last-level cache ([`small_llc`]), a transfer, and a hit in level 1.
const LLC: Ps = 10_000;
const TRANSFER: Ps = 12_000;
const HIT: Ps = 1_000;

/// Private caches of a core, of which some lines are under way.
#[derive(Default)]
struct Cores {
    caches: Vec<PrivateCaches>,
    under_way: BTreeMap<(u32, PhysAddr), Arrival>,
}

impl Above for Cores {
    fn caches(&mut self, core: u32) -> &mut PrivateCaches {
        &mut self.caches[core as usize]
    }

    fn arrival(&mut self, core: u32, line: PhysAddr) -> Arrival {
        self.under_way.get(&(core, line)).copied().unwrap_or(Arrival::Here)
    }
}

fn cache(lines: u64, ways: u32, latency: Ps) -> CacheConfig {
    CacheConfig {
        size: lines * LINE,
        ways,
        line: LINE as u32,
        latency,
        replacement: Replacement::Lru,
    }
}

/// The machine of these tests, with one private level of so many lines, two of a set, and a last-level cache.
fn coherent(lines: u64, llc: Option<LlcConfig>) -> Machine {
    Machine {
        l1: Some(cache(lines, 2, HIT)),
        llc,
        coherence: Some(Coherence {
            protocol: Protocol::Mesi,
            transfer: TRANSFER,
        }),
        ..machine()
    }
}

/// A last-level cache of so many lines for each two cores.
fn llc(lines: u64, inclusion: Inclusion) -> LlcConfig {
    LlcConfig {
        cache: cache(lines, 2, LLC),
        inclusion,
        ..small_llc()
    }
}

/// One access after the other, each to its end.
struct Sequence {
    machine: Machine,
    system: MemorySystem,
    cores: Cores,
    now: Ps,
}

impl Sequence {
    fn new(machine: Machine) -> Self {
        let caches = || {
            let caches = PrivateCaches::new(machine.l1.as_ref(), machine.l2.as_ref());
            let exclusive = machine.inclusion() == Inclusion::Exclusive;
            caches.with_code(machine.l1i.as_ref()).feeding(exclusive).coherent(true)
        };
        let mut system = MemorySystem::new(&machine);
        system.watch_writes();
        let cores = Cores {
            caches: (0..machine.cores).map(|_| caches()).collect(),
            ..Cores::default()
        };
        Self {
            machine,
            system,
            cores,
            now: 0,
        }
    }

    fn ask(&mut self, core: u32, line: PhysAddr, purpose: Purpose) -> Answer {
        let demand = Demand {
            at: self.now,
            core,
            line,
            purpose,
            for_write: purpose == Purpose::Store,
            is_prefetch: false,
        };
        let answer = self.system.ask(&demand, &mut self.cores);
        self.tell();
        answer
    }

    /// What an inclusive or exclusive cache does to the private ones.
    fn tell(&mut self) {
        let mut told = Vec::new();
        self.system.take_upward(&mut told);
        for message in told {
            let (at, core, owner, line, lost) = match message {
                Upward::Evicted {
                    at,
                    core,
                    owner,
                    line,
                    dirty,
                } => {
                    let mut lost = false;
                    for sharer in self.system.sharers(core) {
                        lost |= self.cores.caches[sharer as usize].invalidate(line) == Some(true);
                    }
                    (at, core, owner, line, lost && !dirty)
                }
                Upward::Dirty { at, core, line } => {
                    let lost = !self.cores.caches[core as usize].make_dirty(line);
                    (at, core, core, line, lost)
                }
            };
            if lost {
                self.system.write_through(at, core, owner, line);
            }
        }
    }

    /// The data of an answer are there: when.
    fn wait(&mut self, answer: Answer) -> Ps {
        match answer {
            Answer::At(at) => at,
            Answer::Memory { id, not_before } => {
                let done = finish(&mut self.system);
                let one = done.iter().find(|done| done.id == id).expect("the read ends");
                one.at.max(not_before)
            }
            Answer::After { .. } => panic!("nobody waits"),
        }
    }

    /// A load or store from its begin to its end; returns how long it took.
    fn access(&mut self, core: u32, line: PhysAddr, write: bool) -> Ps {
        let (outcome, out, asks) = self.cores.caches[core as usize].access_coherent(line, write);
        let mut end = self.now;
        let purpose = match outcome {
            PrivateOutcome::Miss if write => Some(Purpose::Store),
            PrivateOutcome::Miss => Some(Purpose::Load),
            PrivateOutcome::Hit { latency, .. } => {
                end += latency;
                asks.then_some(Purpose::Upgrade)
            }
        };
        if let Some(purpose) = purpose {
            let answer = self.ask(core, line, purpose);
            end = self.wait(answer);
        }
        for leaving in out.as_slice() {
            self.system
                .leave_coherent(self.now.max(self.system.now), core, *leaving, &mut self.cores);
            self.tell();
        }
        self.system.check_coherence(&mut self.cores);
        let took = end - self.now;
        // Long enough for everything to come to rest.
        self.now = end.max(self.system.now) + 1_000_000;
        self.system.run_until(self.now, &mut Vec::new());
        took
    }

    fn states(&mut self, line: PhysAddr) -> String {
        let letter = |caches: &PrivateCaches| match caches.state(line) {
            LineState::Modified => 'M',
            LineState::Exclusive => 'E',
            LineState::Shared => 'S',
            LineState::Invalid => 'I',
        };
        self.cores.caches.iter().map(letter).collect()
    }

    fn counts(&self, core: usize) -> [u64; 4] {
        let counts = self.cores.caches[core].coherence_counts().expect("is coherent");
        let CoherenceCounts {
            transfers,
            upgrades,
            invalidations,
            write_backs,
        } = counts;
        [transfers, upgrades, invalidations, write_backs]
    }

    /// Lines that were written to memory since this was asked last.
    fn written(&mut self) -> Vec<PhysAddr> {
        let mut sent = Vec::new();
        self.system.take_sent(&mut sent);
        sent.into_iter().map(|(_, _, line)| line).collect()
    }
}

#[test]
fn two_cores_that_store_to_a_line_in_turn_pay_a_transfer_each_time() {
    let mut run = Sequence::new(coherent(8, Some(llc(64, Inclusion::NonInclusive))));
    let x = line(0, 3);
    let first = run.access(0, x, true);
    assert!(first > LLC + TRANSFER, "from memory: {first}");
    for turn in 1..10 {
        assert_eq!(run.access(turn % 2, x, true), LLC + TRANSFER);
    }
    assert_eq!(run.states(x), "IMIIIIII");
    // Of nine transfers the first and every other one were to core 1; nothing was written.
    assert_eq!((run.counts(0), run.counts(1)), ([4, 0, 5, 0], [5, 0, 4, 0]));
    assert_eq!(run.written(), []);
    // Two lines instead of one: each core has its own.
    let y = line(0, 4);
    run.access(0, y, true);
    for turn in 0..10 {
        let own = if turn % 2 == 0 { y } else { x };
        assert_eq!(run.access(turn % 2, own, true), HIT);
    }
}

#[test]
fn what_is_read_alone_costs_nothing_after_the_first_read() {
    let mut run = Sequence::new(coherent(8, Some(llc(64, Inclusion::NonInclusive))));
    let x = line(0, 3);
    run.access(0, x, false);
    assert_eq!(run.states(x), "EIIIIIII");
    // The first has it exclusive: it is asked. The last-level cache serves the others.
    assert_eq!(run.access(1, x, false), LLC + TRANSFER);
    assert_eq!(run.states(x), "SSIIIIII");
    for turn in 0..10 {
        assert_eq!(run.access(turn % 2, x, false), HIT);
    }
    assert_eq!((run.counts(0), run.counts(1)), ([0; 4], [1, 0, 0, 0]));
    assert_eq!(run.written(), []);
}

#[test]
fn a_store_to_an_exclusive_line_is_silent_and_to_a_shared_one_an_upgrade() {
    let mut run = Sequence::new(coherent(8, Some(llc(64, Inclusion::NonInclusive))));
    let x = line(0, 3);
    run.access(0, x, false);
    let reads = run.system.core_stats()[0].reads;
    assert_eq!(run.access(0, x, true), HIT);
    assert_eq!(run.states(x), "MIIIIIII");
    assert_eq!(run.system.core_stats()[0].reads, reads, "nobody was asked");
    // A producer and a consumer: the dirty line goes to the cache that both share.
    assert_eq!(run.access(1, x, false), LLC + TRANSFER);
    assert_eq!((run.states(x).as_str(), run.written()), ("SSIIIIII", vec![]));
    assert!(run.system.caches[0].is_dirty(x));
    assert_eq!(run.access(0, x, true), LLC + TRANSFER);
    assert_eq!(run.states(x), "MIIIIIII");
    assert_eq!((run.counts(0), run.counts(1)), ([0, 1, 0, 1], [1, 0, 1, 0]));
    // Nobody else has the shared line any more: the directory alone is asked.
    run.access(1, x, false);
    run.access(1, line(0, 7), false);
    run.access(1, line(0, 11), false);
    assert_eq!(run.states(x), "SIIIIIII", "core 1 displaced it");
    assert_eq!(run.access(0, x, true), LLC);
    assert_eq!(run.states(x), "MIIIIIII");
}

#[test]
fn a_store_that_misses_invalidates_all_who_share() {
    let mut run = Sequence::new(coherent(8, Some(llc(64, Inclusion::NonInclusive))));
    let x = line(0, 3);
    run.access(0, x, false);
    run.access(1, x, false);
    for number in [7, 11] {
        run.access(1, line(0, number), false);
    }
    assert_eq!(run.states(x), "SIIIIIII");
    // The data are in the last-level cache; the other copy has to go first.
    assert_eq!(run.access(1, x, true), LLC + TRANSFER);
    assert_eq!(run.states(x), "IMIIIIII");
    assert_eq!(run.counts(0)[2], 1);
}

#[test]
fn the_way_between_nodes_is_added_and_memory_gets_what_is_dirty() {
    let mut run = Sequence::new(coherent(8, Some(llc(64, Inclusion::NonInclusive))));
    let x = line(0, 3);
    let there_and_back = THERE[1] + BACK[1];
    run.access(2, x, true);
    assert_eq!(run.access(0, x, false), LLC + TRANSFER + there_and_back);
    assert_eq!((run.states(x).as_str(), run.written()), ("SISIIIII", vec![x]));
    assert_eq!(run.access(0, x, true), LLC + TRANSFER + there_and_back, "an upgrade");
    // Displaced, the line is dirty in the cache of cores 0 and 1, which serves it like a core.
    for number in [7, 11] {
        run.access(0, line(0, number), false);
    }
    assert_eq!((run.states(x).as_str(), run.written()), ("IIIIIIII", vec![]));
    assert_eq!(run.access(2, x, false), LLC + TRANSFER + BACK[1] + THERE[1]);
    assert_eq!((run.states(x).as_str(), run.written()), ("IISIIIII", vec![x]));
    // That cache still has it: a store invalidates it there, so that what follows comes from core 2.
    run.access(2, x, true);
    assert!(!run.system.caches[0].contains(x));
    assert_eq!(run.access(1, x, false), LLC + TRANSFER + there_and_back);
}

#[test]
fn without_a_last_level_cache_and_above_an_exclusive_one_memory_gets_what_is_dirty() {
    let x = line(0, 3);
    let mut bare = Sequence::new(coherent(8, None));
    bare.access(0, x, true);
    assert_eq!(bare.access(1, x, false), TRANSFER);
    assert_eq!((bare.states(x).as_str(), bare.written()), ("SSIIIIII", vec![x]));
    assert_eq!(bare.system.core_stats()[0].write_backs, 1);
    let mut exclusive = Sequence::new(coherent(8, Some(llc(64, Inclusion::Exclusive))));
    exclusive.access(0, x, true);
    assert_eq!(exclusive.access(1, x, false), LLC + TRANSFER);
    assert_eq!(
        (exclusive.states(x).as_str(), exclusive.written()),
        ("SSIIIIII", vec![x])
    );
    assert!(!exclusive.system.caches[0].contains(x));
}

#[test]
fn code_is_shared_and_a_store_takes_it_away() {
    let mut machine = coherent(8, Some(llc(64, Inclusion::NonInclusive)));
    machine.l1i = Some(cache(8, 2, 0));
    let mut run = Sequence::new(machine);
    let x = line(0, 3);
    let (outcome, _) = run.cores.caches[0].fetch_or_fill(x);
    assert_eq!(outcome, PrivateOutcome::Miss);
    let answer = run.ask(0, x, Purpose::Code);
    run.wait(answer);
    run.now = run.system.now + 1_000_000;
    run.system.run_until(run.now, &mut Vec::new());
    assert_eq!(run.states(x), "SIIIIIII");
    assert_eq!(run.access(1, x, true), LLC + TRANSFER);
    assert_eq!(run.states(x), "IMIIIIII");
    assert_eq!(run.cores.caches[0].fetch_or_fill(x).0, PrivateOutcome::Miss);
}

#[test]
fn who_waits_for_the_line_itself_serves_it_when_it_comes() {
    let mut run = Sequence::new(coherent(8, Some(llc(64, Inclusion::NonInclusive))));
    let x = line(0, 3);
    run.access(0, x, true);
    let now = run.now;
    run.cores.caches[1].access_coherent(x, true);
    run.cores.under_way.insert((0, x), Arrival::At(now + 50_000));
    assert_eq!(run.ask(1, x, Purpose::Store), Answer::At(now + 50_000 + TRANSFER));
    run.cores.caches[0].access_coherent(x, true);
    run.cores.under_way.insert((1, x), Arrival::Unknown);
    let (of, from, extra) = (1, now + LLC, TRANSFER);
    assert_eq!(run.ask(0, x, Purpose::Store), Answer::After { of, from, extra });
}

#[test]
fn a_dirty_line_on_its_way_out_is_not_lost_and_not_doubled() {
    let mut run = Sequence::new(coherent(8, Some(llc(64, Inclusion::NonInclusive))));
    let x = line(0, 3);
    run.access(0, x, true);
    run.access(0, line(0, 7), false);
    // The line leaves core 0; before it arrives, core 2 reads it.
    let (_, out, _) = run.cores.caches[0].access_coherent(line(0, 11), false);
    assert_eq!(out.as_slice().len(), 1);
    let answer = run.ask(2, x, Purpose::Load);
    assert_eq!(run.wait(answer) - run.now, LLC + TRANSFER + BACK[1] + THERE[1]);
    assert_eq!(run.written(), [x]);
    run.system.leave_coherent(run.now, 0, out.as_slice()[0], &mut run.cores);
    assert!(!run.system.caches[0].is_dirty(x), "it has been taken over");
}

/// MESI as it is taught, without bounds on caches: what each access takes, but for memory, and all states.
struct Reference {
    states: Vec<BTreeMap<PhysAddr, char>>,
    /// Lines of each last-level cache: dirty or not.
    shared: Vec<BTreeMap<PhysAddr, bool>>,
}

impl Reference {
    fn state(&self, core: usize, line: PhysAddr) -> char {
        self.states[core].get(&line).copied().unwrap_or('I')
    }

    /// There and back between the nodes of two cores: two cores to a node.
    fn way(machine: &Machine, core: usize, other: usize) -> Ps {
        let latency = &machine.topology.hop_latency;
        latency[core / 2][other / 2] + latency[other / 2][core / 2]
    }

    /// How long it takes; `None` if data come from memory, which is more than all else.
    fn access(&mut self, machine: &Machine, core: usize, line: PhysAddr, write: bool) -> Option<Ps> {
        let (group, own) = (core / 2, self.state(core, line));
        if "ME".contains(own) || own == 'S' && !write {
            self.states[core].insert(line, if write { 'M' } else { own });
            return Some(HIT);
        }
        let others = (0..8).filter(|other| *other != core);
        let holders: Vec<usize> = others.filter(|other| self.state(*other, line) != 'I').collect();
        let elsewhere: Vec<usize> = (0..4)
            .filter(|other| *other != group && self.shared[*other].contains_key(&line))
            .collect();
        let owner = holders
            .iter()
            .copied()
            .find(|holder| "ME".contains(self.state(*holder, line)));
        let dirty_cache = elsewhere.iter().copied().find(|cache| self.shared[*cache][&line]);
        let places = holders.iter().copied().chain(elsewhere.iter().map(|cache| 2 * cache));
        let farthest = places.map(|other| Self::way(machine, core, other)).max();
        let transfer = farthest.map(|way| LLC + TRANSFER + way);
        let took = match (own, owner, dirty_cache) {
            ('S', ..) => Some(transfer.unwrap_or(LLC)),
            (_, None, None) if !self.shared[group].contains_key(&line) => None,
            (_, None, None) if write => Some(transfer.unwrap_or(LLC)),
            (_, None, None) => Some(LLC),
            _ => transfer,
        };
        if write {
            for holder in &holders {
                self.states[*holder].remove(&line);
            }
            for cache in &elsewhere {
                self.shared[*cache].remove(&line);
            }
            self.states[core].insert(line, 'M');
            self.shared[group].entry(line).or_insert(false);
        } else {
            let dirty = owner.is_some_and(|owner| self.state(owner, line) == 'M');
            let stays = dirty && owner.is_some_and(|owner| owner / 2 == group);
            let alone = holders.is_empty() && elsewhere.is_empty();
            for cache in &elsewhere {
                self.shared[*cache].insert(line, false);
            }
            for holder in &holders {
                self.states[*holder].insert(line, 'S');
            }
            self.states[core].insert(line, if alone { 'E' } else { 'S' });
            *self.shared[group].entry(line).or_insert(false) |= stays;
        }
        took
    }
}

#[derive(Clone, Copy, Debug)]
struct Op {
    core: u32,
    line: PhysAddr,
    write: bool,
}

/// Cores 0 and 1 share a node and a last-level cache, 2 and 4 have others.
fn ops(lines: u64, most: usize) -> impl Strategy<Value = Vec<Op>> {
    let cores = prop::sample::select(vec![0u32, 1, 2, 4]);
    let op = (cores, 0..lines, any::<bool>()).prop_map(|(core, number, write)| Op {
        core,
        line: line(number % 2, 3 + number),
        write,
    });
    prop::collection::vec(op, 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, rng_seed: RngSeed::Fixed(17), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn states_and_times_are_those_of_a_plain_reference(ops in ops(4, 120), inclusive: bool) {
        let inclusion = if inclusive { Inclusion::Inclusive } else { Inclusion::NonInclusive };
        let mut run = Sequence::new(coherent(64, Some(llc(64, inclusion))));
        let mut reference = Reference { states: vec![BTreeMap::new(); 8], shared: vec![BTreeMap::new(); 4] };
        for Op { core, line, write } in ops {
            let took = run.access(core, line, write);
            match reference.access(&run.machine, core as usize, line, write) {
                Some(expected) => prop_assert_eq!(took, expected),
                None => prop_assert!(took > LLC),
            }
            let states: String = (0..8).map(|core| reference.state(core, line)).collect();
            prop_assert_eq!(run.states(line), states);
        }
    }

    /// With caches that displace lines all the time: the states fit together ([`MemorySystem::check_coherence`], after each access), an
    /// inclusive cache has what is above it, and the last store to a line is dirty somewhere or has been written.
    #[test]
    fn no_store_is_lost(ops in ops(12, 200), kind in 0usize..4, levels in 1usize..3) {
        let inclusions = [Inclusion::NonInclusive, Inclusion::Inclusive, Inclusion::Exclusive];
        let shared = inclusions.get(kind).map(|inclusion| llc(4, *inclusion));
        let mut machine = coherent(2, shared);
        machine.l2 = (levels == 2).then(|| cache(4, 2, 2 * HIT));
        let mut run = Sequence::new(machine);
        let mut unwritten = BTreeSet::new();
        for Op { core, line, write } in ops {
            if write {
                unwritten.insert(line);
            }
            run.access(core, line, write);
            for line in run.written() {
                unwritten.remove(&line);
            }
            for line in &unwritten {
                let private = run.cores.caches.iter().any(|caches| caches.state(*line) == LineState::Modified);
                let shared = run.system.caches.iter().any(|cache| cache.is_dirty(*line));
                prop_assert!(private || shared, "{} is clean everywhere, and was not written", line);
            }
            if run.machine.inclusion() == Inclusion::Inclusive {
                for core in 0..8 {
                    for line in run.cores.caches[core as usize].lines() {
                        prop_assert!(run.system.owner(core, line).is_some(), "{} of core {}", line, core);
                    }
                }
            }
        }
    }
}
