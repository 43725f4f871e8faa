// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model once more, written as plainly as possible: a fixed point over whole programs instead of events. On random
//! programs both must give the same times.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Times of one operation, in slots.
#[derive(Clone, Copy, Default)]
struct Times {
    ready: u64,
    result: u64,
    fill: u64,
}

/// End of the program in slots, by the rules of the module's documentation. `latency` is in slots. No MSHR limit and
/// no two misses of one line, so that the order of events plays no part.
fn plain(config: &CoreConfig, steps: &[Step], stalls: u32, latency: u64) -> u64 {
    let (in_order, window) = (config.kind == CoreKind::InOrder, u64::from(config.window));
    let window = if in_order { 1 } else { window };
    let (mut times, mut numbers, mut retired, mut left) = (Vec::<Times>::new(), vec![], vec![], vec![]);
    let (mut number, mut front) = (0u64, 0);
    let stalls = u64::from(stalls) * u64::from(config.issue_width);
    for step in steps {
        let (Step::Op(op) | Step::Fetch(op)) = step else {
            continue;
        };
        let i = times.len();
        // Instruction by instruction: the window has room, which it has once instruction `number - window` and, slot by slot, all before
        // it have retired; then come its stalls.
        let mut slot = front;
        for gap in (0..=op.gap).rev() {
            number += 1;
            for (n, r) in std::iter::zip(&numbers, &retired) {
                if n + window <= number {
                    slot = slot.max(r + (number - window - n));
                }
            }
            if gap > 0 || matches!(step, Step::Op(_)) {
                slot += number * stalls / 1000 - (number - 1) * stalls / 1000;
            }
            slot += u64::from(gap > 0);
        }
        if matches!(step, Step::Fetch(_)) {
            // The instruction itself comes later.
            number -= 1;
            front = slot
                + match op.lookup {
                    Lookup::Hit { slots } | Lookup::Watched { slots, .. } => u64::from(slots),
                    Lookup::Miss | Lookup::Upgrade { .. } => latency,
                };
            continue;
        }
        front = slot + 1;
        let operand = (op.dep as usize)
            .checked_sub(1)
            .and_then(|back| i.checked_sub(back + 1));
        let ready = slot.max(operand.map_or(0, |p| times[p].result));
        let fill = ready
            + if let Lookup::Hit { slots } = op.lookup {
                u64::from(slots)
            } else {
                latency
            };
        let result = if op.write && !in_order { ready + 1 } else { fill };
        let before = std::iter::zip(&numbers, &retired)
            .next_back()
            .map_or(0, |(n, r)| r + (number - n));
        let mut r: u64 = result.max(before).max(number);
        if op.write && !in_order {
            if let Some(slot) = left.len().checked_sub(Pipeline::STORE_BUFFER).map(|free| left[free]) {
                r = r.max(slot);
            }
            left.push(left.last().copied().unwrap_or(0).max(r).max(fill));
        }
        times.push(Times { ready, result, fill });
        numbers.push(number);
        retired.push(r);
    }
    // Instructions between the last operation and a fetch after it retire, too.
    let last = std::iter::zip(&numbers, &retired)
        .next_back()
        .map_or(number, |(n, r)| r + (number - n));
    times
        .iter()
        .map(|t| t.fill.max(t.ready))
        .chain([last, front])
        .chain(left)
        .max()
        .unwrap_or(0)
}

fn any_op() -> impl Strategy<Value = (u32, u32, bool, Option<u32>)> {
    (
        0u32..12,
        prop_oneof![3 => Just(0u32), 1 => 1u32..20],
        any::<bool>(),
        prop_oneof![Just(None), (1u32..12).prop_map(Some)],
    )
}

/// The same cases in every run.
fn config() -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(1);
    ProptestConfig {
        cases: 256,
        failure_persistence: None,
        rng_seed,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn events_and_fixed_point_agree(
        ops in prop::collection::vec(any_op(), 1..200),
        window in 1u32..80,
        width in 1u32..4,
        in_order in any::<bool>(),
        latency in 1u64..400,
        stalls in prop_oneof![Just(0u32), 1..3000u32],
        every in prop_oneof![Just(1000u64), 1..20u64],
    ) {
        let kind = if in_order { CoreKind::InOrder } else { CoreKind::OutOfOrder };
        let config = core(kind, width, window, 1000);
        let ops: Vec<MicroOp> = std::iter::zip(0.., &ops)
            .map(|(line, &(gap, dep, write, slots))| {
                let op = match slots {
                    Some(slots) => hit(gap, dep, line, slots),
                    None => miss(gap, dep, line),
                };
                MicroOp { write, ..op }
            })
            .collect();
        let slots_per_ns = u64::from(width);
        // Some of them are fetches of code.
        let steps: Vec<Step> = std::iter::zip(0u64.., ops)
            .map(|(place, op)| match place % every {
                0 => Step::Fetch(MicroOp { write: false, ..op }),
                _ => Step::Op(op),
            })
            .collect();
        let list = List { steps: steps.clone(), next: 0 };
        let (end, _) = run_steps(&config, list, stalls, 50_000, |_| latency * 1000);
        let clock = SlotClock::new(1000, width);
        prop_assert_eq!(end, clock.to_ps(plain(&config, &steps, stalls, latency * slots_per_ns)));
    }

    /// Lines are met again while they are on their way and after they were displaced, MSHRs are few, latencies differ.
    #[test]
    fn running_ahead_changes_nothing(
        ops in prop::collection::vec((any_op(), 0u64..6), 1..300),
        window in 1u32..80,
        mshrs in 1u32..6,
        stalls in prop_oneof![Just(0u32), 1..3000u32],
    ) {
        let config = core(CoreKind::OutOfOrder, 2, window, mshrs);
        let ops: Vec<MicroOp> = ops
            .iter()
            .map(|&((gap, dep, write, slots), line)| {
                let op = match slots {
                    Some(slots) => hit(gap, dep, line, slots),
                    None => miss(gap, dep, line),
                };
                MicroOp { write, ..op }
            })
            .collect();
        let latency = |line: PhysAddr| 3_000 + line.0 / 64 * 17_000;
        // Every other time all are loads and stores.
        let every = if window % 2 == 0 { 1000 } else { u64::from(window % 7 + 2) };
        let steps: Vec<Step> = std::iter::zip(1u64.., ops)
            .map(|(place, op)| match place % every {
                0 => Step::Fetch(MicroOp { write: false, ..op }),
                _ => Step::Op(op),
            })
            .collect();
        let run = |ahead| run_steps(&config, List { steps: steps.clone(), next: 0 }, stalls, ahead, latency);
        let far = run(1_000_000_000);
        for ahead in [0, 700, 20_000] {
            prop_assert_eq!(&run(ahead), &far);
        }
    }
}
