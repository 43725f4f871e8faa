// SPDX-License-Identifier: MIT OR Apache-2.0
//! The repaired flow is as large as a fresh one, and cuts prove deficits.

use proptest::prelude::*;

use super::*;

#[test]
fn flow_is_rerouted_when_an_edge_closes_and_the_cut_names_the_culprits() {
    let mut net = Transport::new(vec![2, 2, 5], vec![2, 2, 9]);
    let (a0, _a1) = (net.connect(0, 0, 2), net.connect(0, 1, 2));
    let b0 = net.connect(1, 0, 2);
    net.connect(2, 2, 5);
    assert!(net.solve());
    net.close(a0);
    assert!(net.solve());
    assert_eq!(net.edge(b0).flow, 2);
    net.close(b0);
    assert!(!net.solve());
    let cut = net.cut_from(1);
    assert_eq!(cut.rows, [false, true, false]);
    net.open(b0);
    assert!(net.solve());
    assert_eq!(net.total(), 9);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Whatever is closed, opened and raised on the way, the flow is as large as one found from nothing.
    #[test]
    fn repaired_flow_is_maximum(
        supply in prop::collection::vec(0u64..9, 4),
        capacity in prop::collection::vec(0u64..9, 4),
        limits in prop::collection::vec(0u64..7, 16),
        moves in prop::collection::vec((0usize..16, any::<bool>()), 0..20),
    ) {
        let build = |supply: &[u64]| {
            let mut net = Transport::new(supply.to_vec(), capacity.clone());
            for (edge, &limit) in limits.iter().enumerate() {
                net.connect(edge / 4, edge % 4, limit);
            }
            net
        };
        let mut net = build(&supply);
        let mut open = [true; 16];
        let mut extra = [0u64; 4];
        for (edge, up) in moves {
            net.solve();
            if edge % 5 == 0 {
                let row = edge % 4;
                if up {
                    net.raise_supply(row, 2);
                    extra[row] += 2;
                } else if extra[row] > 0 {
                    net.lower_supply(row, 2);
                    extra[row] -= 2;
                }
            } else if up {
                net.open(edge);
                open[edge] = true;
            } else {
                net.close(edge);
                open[edge] = false;
            }
        }
        let complete = net.solve();
        let raised: Vec<u64> = supply.iter().zip(extra).map(|(s, e)| s + e).collect();
        let mut fresh = build(&raised);
        for (edge, open) in open.into_iter().enumerate() {
            if !open {
                fresh.close(edge);
            }
        }
        fresh.solve();
        prop_assert_eq!(net.total(), fresh.total());
        prop_assert_eq!(complete, net.total() == raised.iter().sum::<u64>());
        if let Some(row) = (0..4).find(|&row| net.missing(row) > 0) {
            let cut = net.cut_from(row);
            let supply: u64 = (0..4).filter(|&r| cut.rows[r]).map(|r| net.supply(r)).sum();
            let inside: u64 = (0..4).filter(|&c| cut.columns[c]).map(|c| net.capacity(c)).sum();
            let across: u64 = (0..16)
                .map(|edge| *net.edge(edge))
                .filter(|edge| edge.open && cut.rows[edge.row()] && !cut.columns[edge.column()])
                .map(|edge| edge.capacity)
                .sum();
            prop_assert!(supply > inside + across, "the cut proves the deficit");
        }
    }
}
