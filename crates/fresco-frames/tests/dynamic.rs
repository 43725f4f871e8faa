// SPDX-License-Identifier: MIT OR Apache-2.0
//! What dynamic BPM and BPM+ decide, followed by hand, and for any input.

use fresco_frames::ColorSet;
use fresco_frames::dynamic::{
    Adjustment, Demand, Holding, Loan, Migration, Mode, adjust, adjust_within, estimate, mode, rebalance,
    unbalance_permille,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Pages of 4 KiB in one of the 32 colors of 8 GiB.
const COLOR: u64 = 65_536;
const GIB: u64 = 262_144;

/// Equal shares of 32 colors, as BPM-4 has them.
fn equal(required: &[u64]) -> Vec<Holding> {
    let each = 32 / required.len() as u32;
    let holding = |(thread, &required): (u32, &u64)| Holding {
        required,
        banks: (thread * each..(thread + 1) * each).collect(),
    };
    (0..).zip(required).map(holding).collect()
}

fn loan(color: u32, from: usize, to: usize) -> Loan {
    Loan { color, from, to }
}

#[test]
fn the_needy_borrow_whole_colors_of_those_that_can_spare_them() {
    // Four programs of 3, 0.5, 1 and 2 GiB with 2 GiB each.
    let holdings = equal(&[3 * GIB, GIB / 2, GIB, 2 * GIB]);
    let nice: Vec<i64> = holdings.iter().map(|holding| holding.nice(COLOR)).collect();
    assert_eq!(nice, [-262_144, 393_216, 262_144, 0]);
    // 1 GiB is four colors. Program 1 can spare the most until it has given three; then program 2 can.
    let adjustment = adjust(&holdings, COLOR);
    assert_eq!(
        adjustment.moved,
        [loan(15, 1, 0), loan(14, 1, 0), loan(13, 1, 0), loan(23, 2, 0)]
    );
    assert!(adjustment.shared.is_empty() && adjustment.short.is_empty());
    let sets: Vec<String> = adjustment.apply(&holdings).iter().map(ToString::to_string).collect();
    assert_eq!(sets, ["0-7,13-15,23", "8-12", "16-22", "24-31"]);
    // BPM-7: nobody is in need, nothing moves.
    assert!(adjust(&equal(&[GIB; 4]), COLOR).is_empty());
}

#[test]
fn under_extreme_pressure_colors_are_shared() {
    // 2.1 GiB, and three programs that fill their 2 GiB but for half a color each: nobody can spare a whole one.
    let nearly = 2 * GIB - COLOR / 2;
    let adjustment = adjust(&equal(&[2 * GIB + COLOR * 3 / 4, nearly, nearly, nearly]), COLOR);
    // BPM-8: half a color of program 1, a quarter of program 2.
    assert_eq!(adjustment.shared, [loan(15, 1, 0), loan(23, 2, 0)]);
    assert!(adjustment.moved.is_empty() && adjustment.short.is_empty());
    // More than there is: what can be lent is lent, and who is short is told.
    let adjustment = adjust(&equal(&[5 * GIB, 4 * GIB, GIB / 2, GIB]), COLOR);
    assert_eq!((adjustment.moved.len(), adjustment.short), (10, vec![0, 1]));
}

#[test]
fn the_unbalance_factor_is_that_of_the_source() {
    assert_eq!(unbalance_permille(&[1200, 1000]), 200);
    assert_eq!(unbalance_permille(&[1000, 1201]), 201);
    assert_eq!(unbalance_permille(&[7, 7]), 0);
    assert_eq!(unbalance_permille(&[0, 1]), u64::MAX);
    assert_eq!(unbalance_permille(&[]), 0);
    // Three misses of four, and none at all.
    assert_eq!(estimate(1000, &[300, 100]), [750, 250]);
    assert_eq!(estimate(1000, &[0, 0]), [0, 0]);
}

fn demand(channel: usize, bandwidth: u64, footprint: u64) -> Demand {
    Demand {
        channel,
        bandwidth,
        footprint,
    }
}

#[test]
fn one_heavy_thread_faces_three_light_ones() {
    // The source's example: one thread of high demand on one channel, three of less on the other.
    let gb = 1_000_000_000;
    let threads = [
        demand(0, 3 * gb, 500),
        demand(0, gb, 80),
        demand(1, gb, 10),
        demand(1, gb, 90),
    ];
    let moved = rebalance(&threads, 2);
    assert_eq!(moved, [Migration { thread: 1, to: 1 }]);
    let mut after = threads;
    after[1].channel = 1;
    assert_eq!(mode(&after, 2), Mode::BpmPlus);
    assert!(rebalance(&after, 2).is_empty());
    // The smallest footprint goes (BPM-10), of those that help: thread 0 would only turn the tables.
    let threads = [
        demand(0, 3 * gb, 1),
        demand(0, gb / 2, 80),
        demand(0, gb / 2, 70),
        demand(1, gb, 10),
        demand(1, gb, 5),
    ];
    let moved: Vec<usize> = rebalance(&threads, 2)
        .iter()
        .map(|migration| migration.thread)
        .collect();
    assert_eq!(moved, [2, 1], "3.5 to 2.5 is still too much");
}

#[test]
fn bpm_is_taken_where_channels_do_not_pay() {
    let gb = 1_000_000_000;
    // BPM-12: not above 2 GB/s; not balanced below 0.2.
    assert_eq!(mode(&[demand(0, gb, 1), demand(1, gb, 1)], 2), Mode::Bpm);
    assert_eq!(mode(&[demand(0, gb + 1, 1), demand(1, gb, 1)], 2), Mode::BpmPlus);
    assert_eq!(mode(&[demand(0, 6 * gb, 1), demand(1, 4 * gb, 1)], 2), Mode::Bpm);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, rng_seed: RngSeed::Fixed(8), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// No color is lost, no lender falls short, and borrowers are served if the memory suffices.
    #[test]
    fn lending_harms_nobody(required in proptest::collection::vec(0u64..80, 1..8), each in 1u32..5, pages in 1u64..20) {
        let holding = |(thread, &required): (u32, &u64)| Holding {
            required,
            banks: (thread * each..(thread + 1) * each).collect::<ColorSet>(),
        };
        let holdings: Vec<Holding> = (0..).zip(&required).map(holding).collect();
        let adjustment: Adjustment = adjust(&holdings, pages);
        let sets = adjustment.apply(&holdings);
        let colors = each * required.len() as u32;
        let mut owners = vec![0; colors as usize];
        for set in &sets {
            prop_assert!(!set.is_empty());
            set.iter().for_each(|color| owners[color as usize] += 1);
        }
        prop_assert!(owners.iter().all(|&owners| owners >= 1));
        if adjustment.shared.is_empty() {
            prop_assert!(owners.iter().all(|&owners| owners == 1));
        }
        for (thread, holding) in holdings.iter().enumerate() {
            let was_short = holding.nice(pages) < 0;
            let now = Holding { banks: sets[thread].clone(), ..holding.clone() };
            let is_short = adjustment.short.contains(&thread);
            prop_assert!(was_short || now.nice(pages) >= 0);
            prop_assert!(is_short || now.nice(pages) >= 0);
        }
        let fits = required.iter().sum::<u64>() <= u64::from(colors) * pages;
        prop_assert!(!fits || adjustment.short.is_empty(), "{adjustment:?}");
        prop_assert!(fits || !adjustment.short.is_empty());
    }

    #[test]
    fn moves_make_channels_more_equal(
        threads in proptest::collection::vec((0usize..3, 0u64..100, 0u64..50), 0..10), channels in 3usize..4,
    ) {
        let before: Vec<Demand> = threads.iter().map(|&(channel, bandwidth, footprint)| demand(channel, bandwidth, footprint)).collect();
        let mut after = before.clone();
        for migration in rebalance(&before, channels) {
            prop_assert!(after[migration.thread].channel != migration.to);
            after[migration.thread].channel = migration.to;
        }
        let spread = |demands: &[Demand]| {
            let of = |channel| demands.iter().filter(|d| d.channel == channel).map(|d| d.bandwidth).sum::<u64>();
            let uses: Vec<u64> = (0..channels).map(of).collect();
            uses.iter().map(|used| used * used).sum::<u64>()
        };
        prop_assert!(spread(&after) <= spread(&before));
    }
}

/// Within groups nobody lends to another group, and places are those of the whole list.
#[test]
fn colors_are_lent_within_groups_only() {
    let holding = |banks: std::ops::Range<u32>, required| Holding {
        required,
        banks: banks.collect(),
    };
    let holdings = [
        holding(0..4, 0),
        holding(4..8, 500),
        holding(8..12, 600),
        holding(12..16, 100),
    ];
    let apart = adjust_within(&holdings, &[0, 1, 0, 1], 100);
    let pairs: Vec<(usize, usize)> = apart.moved.iter().map(|loan| (loan.from, loan.to)).collect();
    assert_eq!(pairs, [(0, 2), (0, 2), (3, 1)]);
    assert_eq!(
        adjust_within(&holdings, &[7; 4], 100),
        adjust(&holdings, 100),
        "one group is all of them"
    );
    // The first loans are those of a whole one.
    let sets = apart.first(1).apply(&holdings);
    assert_eq!(sets[2].iter().collect::<Vec<_>>(), [3, 8, 9, 10, 11]);
    assert_eq!((sets[1].len(), sets[3].len()), (4, 4));
    assert_eq!(apart.first(9), apart);
}
