// SPDX-License-Identifier: MIT OR Apache-2.0
//! A memory embedded in another simulator: known answers, the same as the driver of address traces to the last count, back-pressure, and that
//! neither the length of a step nor the way of sending changes anything.

use crate::support::random::Random;
use fresco_dram::{CommandKind, Cycle, LONGEST_GAP, PhysAddr};
use fresco_machine::{Machine, load_with};
use fresco_memory::checker::Constraint;
use fresco_memory::controller::ChannelStats;
use fresco_memory::embedded::{Done, Limit, Memory, Options, SendError};
use fresco_memory::{Access, Command, Completion, Controller, Driver, Observer, RowOutcome, TraceRequest, Wait};
use std::num::NonZeroU32;

fn machine(name: &str, set: &[(&str, &str)]) -> Machine {
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    load_with(name, &set).expect("a machine")
}

fn bench(set: &[(&str, &str)]) -> Machine {
    machine("ddr4-2400-bench", set)
}

fn outstanding(most: u32) -> Options {
    Options {
        limit: Limit::Outstanding(NonZeroU32::new(most).expect("some")),
        ..Options::default()
    }
}

/// One request and what became of it.
fn one(memory: &mut Memory, address: u64, access: Access) -> Done {
    memory.send(address, access, address).expect("it is taken");
    let done = memory.next_done(memory.now() + 10_000).expect("it is done");
    assert_eq!((done.tag, done.address, done.access), (address, address, access));
    assert_eq!((memory.now(), memory.outstanding()), (done.at, 0));
    done
}

const ROW: u64 = 1 << 18;

/// DDR4-2400 16-16-16: one cycle of pipeline, and what each row asks for.
#[test]
fn a_lone_read_takes_what_its_row_asks_for() {
    let mut memory = Memory::new(&bench(&[]), Options::default());
    assert_eq!((memory.now(), memory.line_bytes()), (0, 64));
    assert_eq!(memory.clock().to_ps(6), 5_000);
    // Nothing happens before the request, then before its first command, which is issued in cycle 1.
    assert_eq!(
        memory.next_event(),
        Some(4_681),
        "the first refresh, of the second rank"
    );
    let first = one(&mut memory, 5 * ROW + 64, Access::Read);
    assert_eq!(
        (first.arrived, first.at, first.outcome),
        (0, 1 + 16 + 16 + 4, RowOutcome::Miss)
    );
    let service = Wait {
        service: 37,
        ..Wait::default()
    };
    assert_eq!(first.wait, service);
    let hit = one(&mut memory, 5 * ROW, Access::Read);
    assert_eq!(
        (hit.arrived, hit.at, hit.outcome),
        (37, 37 + 1 + 16 + 4, RowOutcome::Hit)
    );
    memory.advance(200, |_| panic!("nothing is under way"));
    let conflict = one(&mut memory, 6 * ROW, Access::Read);
    assert_eq!(
        (conflict.at, conflict.outcome),
        (200 + 1 + 16 + 16 + 16 + 4, RowOutcome::Conflict)
    );
    // A write is taken in its cycle, and a read of its line, of any byte of it, is served by the buffer.
    let write = one(&mut memory, 9 * ROW, Access::Write);
    assert_eq!(
        (write.arrived, write.at, write.outcome),
        (253, 254, RowOutcome::Buffered)
    );
    let forwarded = one(&mut memory, 9 * ROW + 63, Access::Read);
    assert_eq!((forwarded.at, forwarded.outcome), (255, RowOutcome::Forwarded));
    // RD until the write buffer is emptied: PRE in 256, ACT in 272, WR in 288, whose data are over 12 + 4 later.
    assert_eq!(memory.drain(|_| panic!("nothing is outstanding")), 304);
    let stats = memory.stats().remove(0);
    assert_eq!((stats.reads, stats.writes, stats.forwarded), (3, 1, 1));
    assert_eq!((stats.row_hits, stats.row_misses, stats.row_conflicts), (1, 1, 2));
    memory.reset_stats();
    assert_eq!(memory.stats()[0].commands, [0; CommandKind::ALL.len()]);
}

#[derive(Default)]
struct Seen {
    completions: Vec<Completion>,
    commands: Vec<Command>,
}

impl Observer for Seen {
    fn completed(&mut self, completion: &Completion) {
        self.completions.push(*completion);
    }

    fn command(&mut self, command: &Command) {
        self.commands.push(*command);
    }
}

/// As `fresco memory` replays a trace: ends in the order of the requests, end of all, statistics, commands.
type Replayed = (Vec<Cycle>, Cycle, Vec<ChannelStats>, Vec<Command>);

fn driven(machine: &Machine, requests: &[TraceRequest], outstanding: usize) -> Replayed {
    let memory = &machine.memory;
    let controllers = (0..memory.organisation.nodes)
        .map(|node| Controller::new(&memory.controller, &memory.organisation, &memory.timing, node));
    let mut driver = Driver::new(controllers.collect(), outstanding);
    let place = |address| memory.map.decode(PhysAddr(address)).ok_or(());
    let mut seen = Seen::default();
    let driven = driver
        .run(requests.iter().copied().map(Ok), place, &mut seen)
        .expect("all have places");
    let stats = driver.controllers().iter_mut().flat_map(Controller::stats).collect();
    let mut ends = vec![0; requests.len()];
    for done in &seen.completions {
        ends[done.id as usize] = done.done + u64::from(done.access == Access::Write);
    }
    seen.commands.sort_by_key(|command| (command.channel, command.cycle));
    (ends, driven.end, stats, seen.commands)
}

/// Lines all over the memory, some of them near each other, a third written; as fast as they are taken, or with pauses.
fn traffic(machine: &Machine, seed: u64, count: usize) -> Vec<TraceRequest> {
    let mut random = Random::new(seed);
    let regions = machine.memory.map.regions();
    let mut cycle = 0;
    let mut address = 0;
    (0..count)
        .map(|i| {
            let region = &regions[random.below(regions.len() as u64) as usize];
            if random.percent(70) {
                let size = region.end() - region.base;
                address = region.base + random.below(size.min(1 << 30) / 64) * 64;
            } else if address + 64 < region.end() && address >= region.base {
                address += 64;
            } else {
                address = region.base;
            }
            // Lulls, within which refreshes fall, between crowds.
            cycle += if i % 500 == 0 { 12_000 } else { random.below(4) };
            TraceRequest {
                cycle: if i < count / 2 { 0 } else { cycle },
                address,
                access: if random.percent(33) {
                    Access::Write
                } else {
                    Access::Read
                },
            }
        })
        .collect()
}

const MACHINES: [&str; 6] = [
    "ddr4-2400-bench",
    "opteron-6128",
    "ss-rtmc",
    "raspberry-pi-5",
    "xeon-5218",
    "xeon-8460y",
];

#[test]
fn a_replay_is_that_of_the_driver() {
    for name in MACHINES {
        let machine = machine(name, &[]);
        let requests = traffic(&machine, 11, 3_000);
        for most in [1, 7, 200] {
            let expected = driven(&machine, &requests, most);
            let options = Options {
                check: true,
                keep_commands: true,
                ..Options::default()
            };
            let mut memory = Memory::new(&machine, options);
            let mut ends = vec![0; requests.len()];
            let end = memory.replay(&requests, most, &mut ends).expect("all have places");
            let mut commands = memory.take_commands();
            commands.sort_by_key(|command| (command.channel, command.cycle));
            assert_eq!((memory.now(), memory.outstanding()), (end, 0));
            let verdict = memory.verdict().expect("it was asked for");
            assert!(verdict.is_clean(), "{name}: {verdict}");
            assert_eq!(verdict.commands_total(), commands.len() as u64);
            assert!(
                (ends.clone(), end, memory.stats(), commands) == expected,
                "{name}, {most} outstanding"
            );
            // In pieces, with the parts of requests in arrays.
            let cycles: Vec<u64> = requests.iter().map(|request| request.cycle).collect();
            let addresses: Vec<u64> = requests.iter().map(|request| request.address).collect();
            let writes: Vec<bool> = requests.iter().map(|request| request.access == Access::Write).collect();
            let mut memory = Memory::new(&machine, Options::default());
            let mut by_arrays = vec![0; requests.len()];
            let mut replay = memory.begin_replay(most, &mut by_arrays, &mut []);
            for ((cycles, addresses), writes) in cycles.chunks(999).zip(addresses.chunks(999)).zip(writes.chunks(999)) {
                let sent = replay.send_arrays(cycles, addresses, writes);
                sent.expect("all have places");
            }
            assert!(
                replay.finish() == end && by_arrays == ends,
                "{name}, {most} outstanding"
            );
        }
    }
}

/// Nodes that have nothing to do lag behind; what is drained is written from now on, whatever was asked before.
#[test]
fn write_buffers_of_all_nodes_are_emptied_from_now_on() {
    for name in MACHINES {
        let machine = machine(name, &[]);
        let ends = [false, true].map(|asked| {
            let mut memory = Memory::new(&machine, Options::default());
            memory.send(0, Access::Write, 0).expect("it is taken");
            memory.advance(4_000, |_| {});
            if asked {
                memory.stats();
            }
            (memory.drain(|_| {}), memory.stats())
        });
        assert!(
            ends[0].0 > 4_000 && ends[0] == ends[1],
            "{name}: {} and {}",
            ends[0].0,
            ends[1].0
        );
    }
}

/// What is sent request by request, and drained, is the replay of its trace, though nodes lie idle for long.
#[test]
fn a_host_that_drains_is_a_replay() {
    for name in MACHINES {
        let machine = machine(name, &[]);
        for seed in 0..20 {
            let mut requests = traffic(&machine, seed, 12);
            for (i, request) in (0..).zip(&mut requests) {
                request.cycle = 100 * i;
            }
            let mut by_replay = Memory::new(&machine, Options::default());
            let mut ends = vec![0; requests.len()];
            let end = by_replay.replay(&requests, 200, &mut ends).expect("all have places");
            let mut memory = Memory::new(&machine, Options::default());
            let mut told = vec![0; requests.len()];
            for (tag, request) in (0..).zip(&requests) {
                memory.advance(request.cycle, |done| told[done.tag as usize] = done.at);
                memory.send(request.address, request.access, tag).expect("it is taken");
            }
            let drained = memory.drain(|done| told[done.tag as usize] = done.at);
            assert!(
                (drained, told, memory.stats()) == (end, ends, by_replay.stats()),
                "{name}, {seed}"
            );
        }
    }
}

/// Channels of all nodes.
fn channels(machine: &Machine) -> usize {
    (machine.memory.organisation.nodes * machine.memory.organisation.channels) as usize
}

/// Sends what is due, in a cycle as many requests as there are channels, with so many under way at most, and moves time on by at most `step` cycles at once.
fn hosted(machine: &Machine, requests: &[TraceRequest], most: u32, step: Cycle) -> Replayed {
    let options = Options {
        keep_commands: true,
        ..outstanding(most)
    };
    let mut memory = Memory::new(machine, options);
    let mut ends = vec![0; requests.len()];
    // The cycle of the last request, and how many may follow it there.
    let (mut last, mut places) = (0, channels(machine));
    for (i, request) in requests.iter().enumerate() {
        let earliest = request.cycle.max(last + u64::from(places == 0));
        loop {
            if memory.now() >= earliest && memory.send(request.address, request.access, i as u64) == Ok(()) {
                if memory.now() > last {
                    places = channels(machine);
                }
                (last, places) = (memory.now(), places - 1);
                break;
            }
            let until = if memory.now() < earliest {
                earliest
            } else {
                Memory::LAST
            };
            let until = until.min(memory.now() + step);
            if let Some(done) = memory.next_done(until) {
                assert_eq!(done.at, memory.now());
                ends[done.tag as usize] = done.at;
            }
        }
    }
    let end = memory.drain(|done| ends[done.tag as usize] = done.at);
    let mut commands = memory.take_commands();
    commands.sort_by_key(|command| (command.channel, command.cycle));
    (ends, end, memory.stats(), commands)
}

#[test]
fn ticks_and_leaps_of_a_host_are_a_replay() {
    for name in MACHINES {
        let machine = machine(name, &[]);
        let requests = traffic(&machine, 5, 1_200);
        let expected = driven(&machine, &requests, 20);
        for step in [1, 13, Memory::LAST] {
            let hosted = hosted(&machine, &requests, 20, step);
            assert!(hosted == expected, "{name}, steps of {step}");
        }
    }
}

/// Several a cycle, as the queues let them, in steps of three lengths; all that is done is told in the same order.
#[test]
fn the_order_of_what_is_done_knows_nothing_of_steps() {
    for name in MACHINES {
        let machine = machine(name, &[]);
        let requests = traffic(&machine, 3, 2_000);
        let run = |step: Cycle, by_event: bool| {
            let mut memory = Memory::new(&machine, Options::default());
            let mut told = Vec::new();
            let mut waiting = requests.iter().enumerate().peekable();
            // New requests every 50 cycles, until one is not taken.
            while waiting.peek().is_some() {
                while let Some((i, request)) = waiting.peek() {
                    match memory.send(request.address, request.access, *i as u64) {
                        Ok(()) => waiting.next(),
                        Err(SendError::Full) => break,
                        Err(error) => panic!("{error}"),
                    };
                }
                let until = memory.now() + 50;
                while memory.now() < until {
                    let event = memory.next_event().expect("refreshes go on");
                    let next = if by_event {
                        event.max(memory.now() + 1)
                    } else {
                        memory.now() + step
                    };
                    memory.advance(next.min(until), |done| told.push(*done));
                }
            }
            let stats = memory.stats();
            memory.drain(|done| told.push(*done));
            (told, stats)
        };
        let whole = run(50, false);
        assert_eq!(whole.0.len(), requests.len());
        assert!(whole.0.is_sorted_by_key(|done| done.at));
        assert!(run(1, false) == whole, "{name}: cycle by cycle");
        assert!(run(7, false) == whole, "{name}: seven at once");
        assert!(run(0, true) == whole, "{name}: from event to event");
    }
}

/// A trace in pieces, while what was sent before is under way.
#[test]
fn pieces_of_a_trace_are_the_trace() {
    let machine = machine("opteron-6128", &[]);
    let requests = traffic(&machine, 8, 3_000);
    let expected = driven(&machine, &requests, 48);
    let mut memory = Memory::new(&machine, Options::default());
    let mut ends = vec![0; requests.len()];
    let mut sent = 0;
    for piece in requests.chunks(77) {
        let told = memory.send_all(piece, 48, sent, |done| ends[done.tag as usize] = done.at);
        told.expect("all have places");
        sent += piece.len() as u64;
    }
    let end = memory.drain(|done| ends[done.tag as usize] = done.at);
    assert_eq!((ends, end, memory.stats()), (expected.0, expected.1, expected.2));
}

/// Write buffers are emptied when a memory is drained, and not from then on.
#[test]
fn a_drained_memory_goes_on_as_before() {
    let machine = bench(&[]);
    let requests = traffic(&machine, 9, 2_000);
    let expected = driven(&machine, &requests, 16);
    let mut memory = Memory::new(&machine, Options::default());
    memory.drain(|_| unreachable!("nothing was sent"));
    let mut ends = vec![0; requests.len()];
    let end = memory.replay(&requests, 16, &mut ends).expect("all have places");
    assert_eq!((ends, end, memory.stats()), (expected.0, expected.1, expected.2));
}

/// How many of `requests` are taken in one cycle.
fn taken(memory: &mut Memory, addresses: impl Iterator<Item = u64>, access: Access) -> usize {
    addresses
        .take_while(|&address| {
            let can = memory.can_take(address, access).expect("there is memory");
            let sent = memory.send(address, access, 0);
            assert_eq!(sent, if can { Ok(()) } else { Err(SendError::Full) });
            can
        })
        .count()
}

#[test]
fn what_queues_hold_is_taken_and_no_more() {
    let lines = || (0..).map(|i| i * 64);
    let rows = || (0..).map(|i| i * ROW);
    let fresh = |set: &[(&str, &str)]| Memory::new(&bench(set), Options::default());
    // One queue of 32 reads, one of 32 writes: each is full by itself.
    let mut memory = fresh(&[]);
    assert_eq!(taken(&mut memory, lines(), Access::Read), 32);
    assert_eq!(taken(&mut memory, lines(), Access::Write), 32);
    memory.advance(1, |done| assert_eq!(done.access, Access::Write));
    assert_eq!(taken(&mut memory, lines(), Access::Read), 0, "none is served yet");
    // The first column command frees a place: issued in 17, it is free in 18, long before the data are there.
    let mut memory = fresh(&[]);
    assert_eq!(taken(&mut memory, lines(), Access::Read), 32);
    memory.advance(17, |_| panic!("no data before 37"));
    assert_eq!(taken(&mut memory, lines(), Access::Read), 0);
    memory.advance(18, |_| panic!("no data before 37"));
    assert_eq!(taken(&mut memory, lines().skip(1_000), Access::Read), 1);
    // Four reads for each bank.
    let per_bank = [
        ("memory.controller.queues.kind", "per-bank"),
        ("memory.controller.queues.reads_per_bank", "4"),
    ];
    let mut memory = fresh(&per_bank);
    assert_eq!(taken(&mut memory, rows(), Access::Read), 4);
    assert_eq!(
        taken(&mut memory, rows().map(|a| a + (1 << 16)), Access::Read),
        4,
        "another bank"
    );
    assert_eq!(taken(&mut memory, rows(), Access::Write), 32);
    // A front queue, whatever comes.
    let front = [
        ("memory.controller.queues.kind", "front-queue"),
        ("memory.controller.queues.reads_per_bank", "4"),
        ("memory.controller.queues.front", "10"),
    ];
    let mut memory = fresh(&front);
    assert_eq!(taken(&mut memory, lines(), Access::Write), 10);
    assert_eq!(taken(&mut memory, lines(), Access::Read), 0);
    memory.advance(3, |_| {});
    assert_eq!(taken(&mut memory, rows(), Access::Read), 3, "one leaves each cycle");
    // So many requests, wherever.
    let mut memory = Memory::new(&bench(&[]), outstanding(100));
    assert_eq!(taken(&mut memory, lines(), Access::Read), 100);
}

/// Without a front queue, what is taken never waits for a place.
#[test]
fn what_is_taken_waits_for_no_place() {
    for kind in ["global", "per-bank"] {
        let set = [
            ("memory.controller.queues.kind", kind),
            ("memory.controller.queues.reads_per_bank", "3"),
        ];
        let machine = bench(&set);
        let requests = traffic(&machine, 4, 4_000);
        let mut memory = Memory::new(&machine, Options::default());
        let mut most = 0;
        let mut refused = 0;
        for request in &requests {
            while memory.send(request.address, request.access, 0) != Ok(()) {
                refused += 1;
                memory.advance(memory.now() + 1, |_| {});
            }
            // Writes are acknowledged in the next cycle, all of them.
            if request.access == Access::Write {
                let now = memory.now();
                let arrived =
                    std::iter::from_fn(|| memory.next_done(now + 1)).filter(|done| done.access == Access::Write);
                most = most.max(arrived.map(|done| done.at - done.arrived).max().unwrap_or(0));
            }
        }
        assert!(refused > 1_000, "{kind}: the queues were full {refused} times");
        assert_eq!(most, 1, "{kind}");
    }
}

#[test]
fn wrong_requests_are_told() {
    let machine = bench(&[]);
    let capacity = machine.memory.map.capacity();
    let mut memory = Memory::new(&machine, Options::default());
    let beyond = Err(SendError::NoMemory { address: capacity });
    assert_eq!(memory.send(capacity, Access::Read, 1), beyond);
    assert_eq!(memory.can_take(capacity, Access::Write), beyond.map(|()| true));
    assert_eq!(
        SendError::NoMemory { address: capacity }.to_string(),
        "found address 0x400000000, where the machine has no memory"
    );
    assert_eq!(memory.outstanding(), 0);
    let request = |cycle, address| TraceRequest {
        cycle,
        address,
        access: Access::Read,
    };
    let trace = [request(0, 0), request(0, 64), request(0, capacity), request(0, 128)];
    let told = memory.send_all(&trace, 8, 0, |_| {});
    assert_eq!(told, Err((2, SendError::NoMemory { address: capacity })));
    assert_eq!((memory.outstanding(), memory.now()), (2, 1));
    let told = memory.send_all(&[request(Memory::LAST + 1, 0)], 8, 0, |_| {});
    assert_eq!(
        told,
        Err((
            0,
            SendError::Late {
                cycle: Memory::LAST + 1
            }
        ))
    );
    // It goes on: nothing was lost, and the past is no error.
    let mut done = 0;
    memory.advance(1_000, |_| done += 1);
    memory.advance(10, |_| done += 1);
    assert_eq!((done, memory.now()), (2, 1_000));
    assert!(memory.verdict().is_none() && memory.take_commands().is_empty());
    // Of a replay those before it are waited for: two hits, the second in the next cycle of its bank group.
    let mut ends = [0; 4];
    let told = memory.replay(&trace, 8, &mut ends);
    assert_eq!(told, Err((2, SendError::NoMemory { address: capacity })));
    assert_eq!(ends, [1_000 + 21, 1_000 + 21 + 6, 0, 0]);
    assert_eq!((memory.outstanding(), memory.now()), (0, ends[1]));
}

/// From one request to the next are at most so many cycles, as in traces, however they are handed over: the second is in time, the third is not.
#[test]
fn pauses_between_requests_have_an_end() {
    let machine = bench(&[("memory.controller.refresh", "none")]);
    let request = |cycle| TraceRequest {
        cycle,
        address: 0,
        access: Access::Read,
    };
    let second = 1 + LONGEST_GAP;
    let third = second + 1 + LONGEST_GAP + 1;
    let trace = [request(0), request(second), request(third)];
    let far = SendError::Far {
        cycle: third,
        from: second + 1,
    };
    for piece in [1, 2, 3] {
        let mut memory = Memory::new(&machine, Options::default());
        let mut ends = [0; 3];
        let mut replay = memory.begin_replay(8, &mut ends, &mut []);
        let told = trace.chunks(piece).find_map(|piece| replay.send(piece).err());
        assert_eq!((told, replay.sent()), (Some((2, far)), 2), "pieces of {piece}");
    }
    let mut memory = Memory::new(&machine, Options::default());
    assert_eq!(memory.send_all(&trace, 8, 0, |_| {}), Err((2, far)));
    assert_eq!(
        far.to_string(),
        format!(
            "found cycle {third}, where time stands at {}, allowed: at most 17179869184 cycles from one request to the next; shorten the pause, or \
             move time on before",
            second + 1
        )
    );
}

/// Time without end costs nothing where nothing happens, and what is idle says so.
#[test]
fn an_idle_memory_without_refreshes_waits_for_ever() {
    let machine = bench(&[("memory.controller.refresh", "none")]);
    let mut memory = Memory::new(&machine, Options::default());
    assert_eq!(memory.next_event(), None);
    memory.advance(u64::MAX, |_| panic!("nothing was sent"));
    assert_eq!(memory.now(), Memory::LAST);
    assert_eq!(memory.send(0, Access::Read, 0), Ok(()));
    assert_eq!(memory.next_event(), Some(Memory::LAST + 1));
}

/// The checker judges by its own table of distances where the machine does not say that it has others: rows are opened and closed in 12 cycles
/// here, and DDR4-2400 asks for 16 or more.
#[test]
fn the_checker_sees_what_is_done() {
    let mut machine = bench(&[("memory.timing.rcd", "12")]);
    let verdict = |machine: &Machine| {
        let mut memory = Memory::new(
            machine,
            Options {
                check: true,
                ..Options::default()
            },
        );
        memory.send(0, Access::Read, 0).expect("it is taken");
        memory.advance(100, |_| {});
        memory.verdict().expect("it was asked for")
    };
    let own = verdict(&machine);
    assert!(own.is_clean() && own.commands_total() == 2, "{own}");
    assert_eq!(own.end, 100);
    machine.memory.own_timing.clear();
    assert_eq!(verdict(&machine).counts, [(Constraint::Rcd, 1)].into());
}

#[test]
fn it_may_go_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&Memory::new(&bench(&[]), Options::default()));
}

/// The cycles in which requests arrive that ask for these, given in pieces of so many.
fn arrivals(machine: &Machine, cycles: &[Cycle], outstanding: usize, piece: usize) -> Vec<Cycle> {
    let requests: Vec<_> = (0u64..)
        .zip(cycles)
        .map(|(i, &cycle)| TraceRequest {
            cycle,
            address: 64 * i,
            access: Access::Read,
        })
        .collect();
    let mut memory = Memory::new(machine, Options::default());
    let (mut ends, mut arrivals) = (vec![0; requests.len()], vec![0; requests.len()]);
    let mut replay = memory.begin_replay(outstanding, &mut ends, &mut arrivals);
    for piece in requests.chunks(piece) {
        replay.send(piece).expect("there is memory");
    }
    replay.finish();
    arrivals
}

/// Eight channels: eight requests a cycle, in order. One that finds no place holds those behind it, until the first of the first eight is back.
#[test]
fn a_cycle_has_a_request_for_each_channel() {
    let machine = machine("opteron-6128", &[]);
    assert_eq!(channels(&machine), 8);
    let cycles = [[0; 10].as_slice(), &[7; 9], &[3, 0, 30]].concat();
    let expected = [[0; 8].as_slice(), &[1; 2], &[7; 8], &[8; 3], &[30]].concat();
    for piece in [1, 4, 9, 100] {
        assert_eq!(arrivals(&machine, &cycles, 100, piece), expected, "pieces of {piece}");
        let few = arrivals(&machine, &[0, 0, 0, 0, 0, 0], 3, piece);
        assert_eq!(few[..3], [0; 3]);
        assert!(few[3] > 20 && few[3..].is_sorted(), "{few:?}");
    }
    // One channel: one request a cycle.
    assert_eq!(arrivals(&bench(&[]), &[0, 0, 9, 5], 100, 100), [0, 1, 9, 10]);
}

/// Lines in sequence come near the peak of all channels, of machines of many of them, too.
#[test]
fn replays_come_near_the_peak_of_all_channels() {
    for (name, share) in [
        ("ddr4-2400-bench", 0.62),
        ("xeon-5218", 0.85),
        ("xeon-8460y", 0.85),
        ("xeon-max-9480", 0.85),
    ] {
        let machine = machine(name, &[]);
        let requests: Vec<_> = (0..60_000u64)
            .map(|i| TraceRequest {
                cycle: 0,
                address: 64 * i,
                access: Access::Read,
            })
            .collect();
        let mut memory = Memory::new(&machine, Options::default());
        let mut ends = vec![0; requests.len()];
        let end = memory
            .replay(&requests, 64 * channels(&machine), &mut ends)
            .expect("there is memory");
        let timing = &machine.memory.timing;
        let line = timing.burst() * timing.bursts_of_line(&machine.memory.organisation);
        let busy = (requests.len() as u64 * line) as f64 / channels(&machine) as f64;
        let reached = busy / end as f64;
        println!("{name}: {reached:.3}");
        assert!(reached > share && reached <= 1.0, "{name}: {reached}");
    }
}
