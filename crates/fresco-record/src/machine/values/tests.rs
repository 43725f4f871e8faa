// SPDX-License-Identifier: MIT OR Apache-2.0
//! What accesses need, of instructions encoded by hand (Intel SDM vol. 2).

use super::*;
use crate::decode::Architecture;
use crate::summary;
use fresco_load::trace::ftrace::recorded::Follower;
use std::convert::Infallible;

/// mov rbx, [rbx]
const NEXT: &[u8] = &[0x48, 0x8b, 0x1b];
/// mov rax, [rbx + 8]
const DATA: &[u8] = &[0x48, 0x8b, 0x43, 0x08];
/// mov rax, [rsi + rcx * 8]
const STREAM: &[u8] = &[0x48, 0x8b, 0x04, 0xce];
/// add rcx, 1
const COUNT: &[u8] = &[0x48, 0x83, 0xc1, 0x01];
/// add rax, [rsi]
const ADD: &[u8] = &[0x48, 0x03, 0x06];
/// mov rdx, [rax]
const BY_SUM: &[u8] = &[0x48, 0x8b, 0x10];
/// mov [rdi], rbx
const STORE: &[u8] = &[0x48, 0x89, 0x1f];
/// add [rbx], rcx
const UPDATE: &[u8] = &[0x48, 0x01, 0x0b];
/// xchg rax, rbx
const SWAP: &[u8] = &[0x48, 0x93];
/// xor ebx, ebx
const ZERO: &[u8] = &[0x31, 0xdb];
/// mov bl, [rsi]
const BYTE: &[u8] = &[0x8a, 0x1e];

fn flow(instructions: &[&[u8]]) -> Flow {
    Flow::new(&Architecture::X86.decode(0x1000, instructions))
}

fn access(place: u16, store: bool) -> Seen {
    Seen::Access(Access {
        place,
        elsewhere: false,
        address: 0,
        size: 8,
        store,
    })
}

fn load(place: u16) -> Seen {
    access(place, false)
}

/// Distances of the accesses that are seen in a run.
fn needs(values: &mut Values, flow: &Flow, seen: &[Seen]) -> Vec<u32> {
    let mut all = Vec::new();
    let done = values.run_seen(flow, seen, |_, distance| {
        all.push(distance);
        Ok::<(), Infallible>(())
    });
    assert!(done.is_ok());
    all
}

#[test]
fn a_list_is_a_chain_and_a_stream_is_none() {
    let (list, stream) = (flow(&[NEXT, COUNT]), flow(&[STREAM, COUNT]));
    let mut values = Values::default();
    assert_eq!(needs(&mut values, &list, &[load(0)]), [0]);
    for _ in 0..5 {
        assert_eq!(needs(&mut values, &list, &[load(0)]), [1]);
        assert_eq!(needs(&mut values, &stream, &[load(0)]), [0]);
        // The load of the list is one further back.
        assert_eq!(needs(&mut values, &list, &[load(0)]), [2]);
    }
}

#[test]
fn a_load_that_is_left_out_hands_on_what_its_address_needs() {
    let list = flow(&[NEXT, COUNT]);
    let mut values = Values::default();
    needs(&mut values, &list, &[load(0)]);
    for _ in 0..3 {
        values.run(&list);
    }
    assert_eq!(needs(&mut values, &list, &[load(0)]), [1]);
    // Within a block, between loads that are told.
    let three = flow(&[NEXT, NEXT, NEXT]);
    assert_eq!(needs(&mut values, &three, &[load(0), load(2)]), [1, 1]);
}

/// The first load of a line is told, the one for the next address hits it, and waits for it all the same.
#[test]
fn a_load_that_is_left_out_waits_for_its_line() {
    let node = flow(&[DATA, NEXT]);
    let mut values = Values::default();
    assert_eq!(needs(&mut values, &node, &[load(0), Seen::Hit(1, 1)]), [0]);
    for number in 2..6 {
        assert_eq!(needs(&mut values, &node, &[load(0), Seen::Hit(1, number)]), [1]);
    }
    // Of a line that is long there it does not.
    let mut values = Values::default();
    assert_eq!(needs(&mut values, &node, &[load(0)]), [0]);
    assert_eq!(needs(&mut values, &node, &[load(0)]), [0]);
}

/// What is added to keeps what it was: the load that is left out is not all that a sum derives from.
#[test]
fn sums_derive_from_all() {
    let mut values = Values::default();
    let block = flow(&[DATA, ADD, BY_SUM]);
    assert_eq!(needs(&mut values, &block, &[load(0), load(2)]), [0, 1]);
    assert_eq!(needs(&mut values, &block, &[load(0), load(1), load(2)]), [0, 0, 1]);
    values.forget();
    // The same without accesses: rdx derives from rbx and rsi.
    needs(&mut values, &flow(&[NEXT]), &[load(0)]);
    values.run(&block);
    // mov rdx, [rdx]
    assert_eq!(needs(&mut values, &flow(&[&[0x48, 0x8b, 0x12]]), &[load(0)]), [1]);
}

#[test]
fn stores_need_their_data() {
    let mut values = Values::default();
    let block = flow(&[NEXT, STORE]);
    assert_eq!(needs(&mut values, &block, &[load(0), access(1, true)]), [0, 1]);
    assert_eq!(needs(&mut values, &block, &[access(1, true)]), [2]);
    let update = flow(&[UPDATE]);
    values.forget();
    // Stores what it has just loaded; left out, that needs nothing.
    assert_eq!(needs(&mut values, &update, &[load(0), access(0, true)]), [0, 1]);
    assert_eq!(needs(&mut values, &update, &[access(0, true)]), [0]);
}

#[test]
fn registers_move_end_and_merge() {
    let mut values = Values::default();
    let seen = &[load(0)];
    let loads = flow(&[NEXT]);
    needs(&mut values, &loads, seen);
    values.run(&flow(&[SWAP]));
    assert_eq!(needs(&mut values, &flow(&[BY_SUM]), seen), [1]);
    assert_eq!(needs(&mut values, &loads, seen), [0]);
    values.run(&flow(&[ZERO]));
    assert_eq!(needs(&mut values, &loads, seen), [0]);
    // A byte that is loaded without need leaves the rest as it was.
    values.run(&flow(&[BYTE]));
    assert_eq!(needs(&mut values, &loads, seen), [1]);
    let both = flow(&[NEXT, BYTE, ZERO, NEXT]);
    assert_eq!(needs(&mut values, &both, &[load(0), load(1), load(3)]), [1, 0, 0]);
}

/// Interrupts: what registers hold is not known any more.
#[test]
fn nothing_is_known_after_an_interrupt() {
    let list = flow(&[NEXT]);
    let mut values = Values::default();
    needs(&mut values, &list, &[load(0)]);
    values.forget();
    assert_eq!(needs(&mut values, &list, &[load(0)]), [0]);
}

/// What has come more than twice as many instructions before as are under way is forgotten, less than once as many is not.
#[test]
fn what_is_done_is_waited_for_no_more() {
    let (list, stream) = (flow(&[NEXT]), flow(&[STREAM]));
    for (between, expected) in [
        (UNDER_WAY - 1, UNDER_WAY as u32),
        (2 * UNDER_WAY, 0),
        (9 * UNDER_WAY, 0),
    ] {
        for begin in [0, 1, UNDER_WAY / 2, UNDER_WAY - 1] {
            let mut values = Values::default();
            values.pass(begin);
            needs(&mut values, &list, &[load(0)]);
            for _ in 0..between {
                needs(&mut values, &stream, &[load(0)]);
                values.pass(1);
            }
            assert_eq!(needs(&mut values, &list, &[load(0)]), [expected], "{begin} {between}");
        }
    }
}

/// Accesses that no instruction of the block is known to make need nothing, and nothing needs them.
#[test]
fn what_belongs_to_no_instruction_needs_nothing() {
    let mut values = Values::default();
    let block = flow(&[NEXT, COUNT, NEXT]);
    let elsewhere = Seen::Access(Access {
        place: 0,
        elsewhere: true,
        address: 0,
        size: 8,
        store: false,
    });
    assert_eq!(needs(&mut values, &block, &[load(0)]), [0]);
    let seen = [elsewhere, load(0), load(1), load(2), load(2), load(7), elsewhere];
    assert_eq!(needs(&mut values, &block, &seen), [0, 2, 0, 2, 3, 0, 0]);
    // The last one of the instruction is the one that counts.
    assert_eq!(needs(&mut values, &block, &[load(0)]), [3]);
}

const ALL: [&[u8]; 19] = [
    NEXT,
    DATA,
    STREAM,
    COUNT,
    ADD,
    BY_SUM,
    STORE,
    UPDATE,
    SWAP,
    ZERO,
    BYTE,
    // cmove rbx, rax; cmovne rdx, [rsi]; shl rax, cl; push [rbx]; pop rsi; movsb; leave; lea rcx, [rbx + rax]
    &[0x48, 0x0f, 0x44, 0xd8],
    &[0x48, 0x0f, 0x45, 0x16],
    &[0x48, 0xd3, 0xe0],
    &[0xff, 0x33],
    &[0x5e],
    &[0xa4],
    &[0xc9],
    &[0x48, 0x8d, 0x0c, 0x03],
];

proptest::proptest! {
    /// A run without accesses is what an instruction-by-instruction walk without accesses is.
    #[test]
    fn both_ways_through_a_block_agree(numbers in proptest::collection::vec(0..ALL.len(), 1..20)) {
        let instructions: Vec<&[u8]> = numbers.iter().map(|number| ALL[*number]).collect();
        let mut values = Values::default();
        for instruction in [NEXT, STREAM] {
            needs(&mut values, &flow(&[instruction]), &[load(0)]);
        }
        let mut other = values.clone();
        values.run(&flow(&instructions));
        let nowhere = needs(&mut other, &flow(&instructions), &[]);
        proptest::prop_assert!(nowhere.is_empty());
        let known = |values: &Values| -> Vec<u64> { (0..REGISTERS).map(|register| values.latest(1 << register)).collect() };
        proptest::prop_assert_eq!(known(&values), known(&other));
    }

    /// Where nothing is left out, accesses need what `fresco record` finds that they need.
    #[test]
    fn what_is_needed_is_what_the_recorder_of_programs_finds(
        blocks in proptest::collection::vec(proptest::collection::vec(0..ALL.len(), 1..8), 1..12)
    ) {
        let (mut values, mut follower) = (Values::default(), Follower::default());
        for numbers in blocks {
            let instructions: Vec<&[u8]> = numbers.iter().map(|number| ALL[*number]).collect();
            let effects = Architecture::X86.decode(0x1000, &instructions);
            let (mut told, mut seen) = (Vec::new(), Vec::new());
            for (place, effect) in (0u16..).zip(&effects) {
                for write in [false, true] {
                    if (if write { effect.store } else { effect.load }).is_some() {
                        told.push(access(place, write));
                        let (size, address) = (8, 0);
                        seen.push(summary::Seen { instruction: place, write, size, address });
                    }
                }
            }
            let block = summary::summarise(0x1000, &effects, &seen);
            let mut expected = Vec::new();
            follower.run(&block, &vec![0; seen.len()], |_, _, needed| expected.push(needed.by_registers));
            proptest::prop_assert_eq!(needs(&mut values, &Flow::new(&effects), &told), expected, "{:?}", numbers);
        }
    }
}
