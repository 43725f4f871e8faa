// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use fresco_ring::physical::{BEGIN, access, block, definition, end as end_word};
use fresco_ring::turn::Wanted;
use fresco_ring::{Guest, Host};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

/// A machine of two processors with 1 MiB, whose emulator is a thread: it writes these words turn by turn, each for the stream that it
/// belongs to, and returns what it was told.
fn machine(turns: Vec<Vec<(usize, u64)>>) -> (ClosedMachine, Arc<AtomicU64>, JoinHandle<Vec<Wanted>>) {
    let host = Host::new().expect("memory");
    let guest = Guest::open(&host.path()).expect("mapped");
    let emulator = std::thread::spawn(move || {
        let mut told = Vec::new();
        [0, 1].into_iter().for_each(|slot| guest.begin(slot, 0));
        for words in turns {
            words.into_iter().for_each(|(slot, word)| guest.push(slot, word));
            told.push(guest.hand_over());
        }
        told
    });
    let child = Command::new("sleep")
        .arg("100")
        .stdin(Stdio::null())
        .spawn()
        .expect("sleeps");
    let clock = Arc::new(AtomicU64::new(0));
    let numbers = vec![0, 1];
    let queues = numbers.iter().map(|_| Queue(VecDeque::new(), 1 << 20)).collect();
    let exchange = Exchange {
        host,
        child,
        streams: Streams::new(numbers.clone(), queues).heeding_pauses(),
        numbers,
        clock: Arc::clone(&clock),
        feed: None,
        stop: Box::new(|| false),
        is_over: false,
    };
    (ClosedMachine(Arc::new(Mutex::new(exchange))), clock, emulator)
}

/// Operations as address and gap, marks as their gaps.
fn next(program: &mut dyn Program) -> Result<Option<Vec<(u64, u32)>>, InputError> {
    let mut batch = Batch::new();
    let more = program.next(&mut batch)?;
    let told = batch.events().iter().map(|event| match event {
        Event::Op(op) => (op.addr.0, op.gap),
        Event::Mark { gap, .. } => (0, *gap),
        other => panic!("{other:?}"),
    });
    Ok(more.then(|| told.collect()))
}

/// Block 0: ten NOPs. Block 1: a NOP and a PAUSE.
fn begin(slot: usize) -> Vec<(usize, u64)> {
    let blocks = [
        definition(0, 0x1000, &[&[0x90][..]; 10]),
        definition(1, 0x2000, &[&[0x90], &[0xf3, 0x90]]),
    ];
    let words = [BEGIN | slot as u64].into_iter().chain(blocks.concat());
    words.map(|word| (slot, word)).collect()
}

#[test]
fn the_machine_runs_when_the_model_needs_more_and_hears_how_late_it_is() {
    let load = |line: u64| access(3, line * 64, 8, false);
    let first = vec![(0, block(0)), (0, load(1)), (0, block(0)), (1, block(1)), (1, block(1))];
    let turns = vec![
        [begin(0), begin(1)].concat(),
        first,
        vec![(1, block(0)), (1, load(7)), (1, block(0))],
        vec![(0, load(2)), (0, block(0)), (0, block(0)), (0, end_word(4))],
    ];
    let (machine, clock, emulator) = machine(turns);
    assert_eq!(machine.begin().expect("sound"), MachineEnded::Enough);
    let [mut zero, mut one] = [0, 1].map(|processor| machine.program(processor));
    // A mark of the begin.
    assert_eq!(next(&mut *zero).expect("sound"), Some(vec![(0, 0)]));
    assert_eq!(next(&mut *one).expect("sound"), Some(vec![(0, 0)]));
    clock.store(5_000_000, Relaxed);
    // Three NOPs of the first block come before the load.
    assert_eq!(next(&mut *zero).expect("sound"), Some(vec![(64, 3)]));
    clock.store(9_999_999, Relaxed);
    // Two waits, 513 instructions each, and three NOPs.
    assert_eq!(next(&mut *one).expect("sound"), Some(vec![(7 * 64, 2 * 513 + 3)]));
    clock.store(20_000_000, Relaxed);
    // Six NOPs of the first block, three of the second.
    assert_eq!(next(&mut *zero).expect("sound"), Some(vec![(128, 6 + 3)]));
    // The rest of it, a whole block, and four of the last: passed and ended, over, then idle.
    assert_eq!(next(&mut *zero).expect("sound"), Some(vec![(0, 6 + 10 + 4), (0, 0)]));
    assert_eq!(next(&mut *zero).expect("sound"), None);
    assert_eq!(next(&mut *zero).expect("sound"), Some(vec![(0, IDLE)]));
    assert_eq!(machine.executed(0), (34, true));
    assert!(!machine.executed(1).1);
    machine.finish(Duration::ZERO, || false);
    drop((zero, one));
    let more = |processor, time_ns| Wanted::More { processor, time_ns };
    let told = emulator.join().expect("ended");
    assert_eq!(told, [more(0, 5_000), more(1, 9_999), more(0, 20_000), Wanted::Nothing]);
}

#[test]
fn time_goes_by_without_accesses() {
    let blocks = vec![(0, block(0)); 4];
    let (machine, _, emulator) = machine(vec![begin(0), blocks]);
    machine.begin().expect("sound");
    let mut zero = machine.program(0);
    next(&mut *zero).expect("sound");
    // The last of them may go on.
    assert_eq!(next(&mut *zero).expect("sound"), Some(vec![(0, 30)]));
    drop((zero, machine));
    emulator.join().expect("ended");
}

#[test]
fn what_lies_beyond_the_memory_is_a_failure_and_a_dead_emulator_is_none_that_is_over() {
    let beyond = vec![(0, block(0)), (0, access(0, 1 << 20, 8, false)), (0, block(0))];
    let (first, _, emulator) = machine(vec![begin(0), beyond]);
    first.begin().expect("sound");
    let mut zero = first.program(0);
    next(&mut *zero).expect("sound");
    let error = next(&mut *zero).expect_err("beyond").to_string();
    assert!(
        error.contains("it accesses 0x100000, and its memory ends at 0x100000"),
        "{error}"
    );
    drop((zero, first));
    emulator.join().expect("ended");

    let (second, _, emulator) = machine(vec![begin(0)]);
    second.begin().expect("sound");
    let mut zero = second.program(0);
    next(&mut *zero).expect("sound");
    lock(&second.0).child.kill().expect("ours");
    let error = next(&mut *zero).expect_err("dead").to_string();
    assert!(error.contains("found that it ended before its run was over"), "{error}");
    drop((zero, second));
    emulator.join().expect("ended");
}
