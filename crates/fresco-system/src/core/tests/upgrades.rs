// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stores to lines that the core has and may not store to.

use super::*;
use fresco_memory::Purpose;

const NS: Ps = 1000;

/// A store that hits after a slot, and asks.
fn upgrade(gap: u32, dep: u32, line: u64) -> MicroOp {
    MicroOp {
        write: true,
        lookup: Lookup::Upgrade {
            slots: 1,
            watched: None,
        },
        ..miss(gap, dep, line)
    }
}

#[test]
fn it_takes_a_register_as_a_miss_does() {
    // One register: the load waits until the upgrade is answered, at 50 ns, and has its line 50 ns later.
    let ops = vec![upgrade(0, 0, 1), miss(0, 0, 2)];
    let (end, sent) = run(&core(CoreKind::OutOfOrder, 1, 64, 1), ops.clone(), 50 * NS);
    assert_eq!((end, sent), (100 * NS, vec![0, 50 * NS]));
    let (end, sent) = run(&core(CoreKind::OutOfOrder, 1, 64, 2), ops, 50 * NS);
    assert_eq!((end, sent), (51 * NS, vec![0, NS]));
}

#[test]
fn the_store_buffer_hides_it_until_it_is_full() {
    let entries = Pipeline::STORE_BUFFER as u64;
    let time = |count| {
        let ops = (0..count).map(|line| upgrade(0, 0, line));
        // Loads that hit, which the window has no room for while a store cannot retire.
        let ops = ops.chain((0..64).map(|line| hit(0, 0, 1000 + line, 1)));
        run(&core(CoreKind::OutOfOrder, 1, 8, 256), ops.collect(), 500 * NS).0
    };
    assert_eq!(time(entries), (500 + entries - 1) * NS, "the last store leaves then");
    // One more waits for the first, at 500 ns; a window of eight holds seven operations after it.
    assert!(time(entries + 1) >= (500 + 64 - 7) * NS);
}

#[test]
fn a_core_in_order_waits_for_it() {
    let ops = vec![upgrade(0, 0, 1), upgrade(0, 0, 2), hit(0, 0, 2, 1)];
    let (end, sent) = run(&core(CoreKind::InOrder, 1, 1, 1), ops, 50 * NS);
    assert_eq!((end, sent), (101 * NS, vec![0, 50 * NS]));
}

/// Sends everything that a core sends at once, and returns what for.
fn purposes(ops: Vec<MicroOp>, mshrs: u32) -> Vec<Purpose> {
    let mut core = build(&core(CoreKind::OutOfOrder, 1, 64, mshrs));
    let mut source = List::new(ops);
    core.resume(0);
    let (mut found, mut answers) = (Vec::new(), std::collections::VecDeque::new());
    loop {
        let now = core.next_time();
        if now == fresco_dram::NEVER || answers.front().is_some_and(|(at, _)| *at <= now) {
            let (at, tag) = answers.pop_front().expect("it waits for something");
            core.complete(tag, at, at);
            continue;
        }
        match core.step(Some(&mut source), now) {
            Action::Fetch { at, tag, line, .. } => {
                found.push(core.purpose(tag));
                assert_eq!(
                    core.awaited(line, None).map(|(tag, at)| (tag, at.is_some())),
                    Some((tag, false))
                );
                assert_eq!(core.awaited(line, Some(tag)), None);
                answers.push_back((at + 50 * NS, tag));
            }
            Action::Event { .. } => return found,
            Action::Leave { .. } | Action::Watched { .. } | Action::Ran => {}
        }
    }
}

#[test]
fn a_load_and_a_store_that_wait_for_a_line_send_for_it_once() {
    use Purpose::{Load, Store, Upgrade};
    assert_eq!(purposes(vec![miss(0, 0, 1)], 1), [Load]);
    assert_eq!(purposes(vec![store(miss(0, 0, 1))], 1), [Store]);
    assert_eq!(purposes(vec![upgrade(0, 0, 1)], 1), [Upgrade]);
    // The one register is taken by line 1 while the load and the store of line 2 come: one request for both.
    assert_eq!(
        purposes(vec![miss(0, 0, 1), miss(0, 0, 2), upgrade(0, 0, 2)], 1),
        [Load, Store]
    );
    // A store that misses is for itself, whoever asks first: it waits for line 1, and the load of line 2 does not.
    assert_eq!(
        purposes(vec![miss(0, 0, 1), store(miss(0, 1, 2)), hit(0, 0, 2, 1)], 4),
        [Load, Store]
    );
    // Two stores, one request.
    assert_eq!(
        purposes(vec![miss(0, 0, 1), upgrade(0, 0, 2), upgrade(0, 0, 2)], 1),
        [Load, Upgrade]
    );
}
