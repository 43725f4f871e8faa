// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every supply keeps the contract of `Supply`, and none promises more than its resource can withhold.

use fresco_rt::Time;
use fresco_rt::supply::{AutoRefresh, Dedicated, LinearBound, PeriodicResource, SlotTable, Supply, Tdma};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn keeps_the_contract(supply: &impl Supply) {
    let (rate, sigma, period) = (supply.rate(), i128::from(supply.sigma()), supply.period());
    let (num, den) = (i128::from(rate.num()), i128::from(rate.den()));
    assert_eq!(supply.sbf(0), 0);
    for t in 0..4 * period {
        let (now, next) = (supply.sbf(t), supply.sbf(t + 1));
        assert!(now <= next && next <= now + 1, "at {t}: {now}, then {next}");
        assert!(
            i128::from(now) * den >= num * i128::from(t) - sigma * den,
            "sigma at {t}"
        );
        if now > 0 {
            assert_eq!(
                u128::from(supply.sbf(t + period) - now) * den as u128,
                num as u128 * u128::from(period)
            );
        }
        if now < next {
            assert_eq!(supply.tbf(u128::from(next)), Some(t + 1));
        }
    }
    assert_eq!(supply.tbf(0), Some(0));
}

/// Ascending disjoint slots, from lengths of gaps and slots.
fn table() -> impl Strategy<Value = SlotTable> {
    prop::collection::vec((0u64..6, 1u64..6), 0..6).prop_map(|pieces| {
        let (mut slots, mut now) = (Vec::new(), 0);
        for (gap, length) in pieces {
            slots.push((now + gap, now + gap + length));
            now += gap + length;
        }
        SlotTable::new(now + 1, &slots).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn budgets_in_periods(period in 1u64..40, part in 0u64..1000) {
        let budget = part % (period + 1);
        keeps_the_contract(&PeriodicResource::new(period, budget).unwrap());
        keeps_the_contract(&LinearBound::new(period, budget).unwrap());
        keeps_the_contract(&Tdma::new(period, budget).unwrap());
    }

    #[test]
    fn a_line_below_a_resource_below_a_slot(period in 1u64..40, part in 0u64..1000, t in 0u64..300) {
        let budget = part % (period + 1);
        let line = LinearBound::new(period, budget).unwrap().sbf(t);
        let resource = PeriodicResource::new(period, budget).unwrap().sbf(t);
        let slot = Tdma::new(period, budget).unwrap().sbf(t);
        prop_assert!(line <= resource && resource <= slot && slot <= Dedicated.sbf(t));
    }

    #[test]
    fn refresh_keeps_the_contract(retention in 20u64..200, commands in 1u64..8, stall in 0u64..4) {
        prop_assume!(commands * stall < retention);
        keeps_the_contract(&AutoRefresh::new(retention, commands, stall).unwrap());
    }

    #[test]
    fn refresh_is_the_least_over_all_phases(interval in 2u64..12, stall in 0u64..6, t in 0u64..60) {
        prop_assume!(stall < interval);
        let memory = AutoRefresh::new(interval * 4, 4, stall).unwrap();
        let busy = |at: u64| at % interval < stall;
        let least = (0..interval).map(|from| (from..from + t).filter(|&at| !busy(at)).count()).min().unwrap();
        prop_assert_eq!(memory.sbf(t), least as Time);
    }

    #[test]
    fn tables_keep_the_contract(table in table()) {
        keeps_the_contract(&table);
        keeps_the_contract(&table.complement());
    }

    #[test]
    fn a_table_is_the_least_over_all_windows(table in table(), t in 0u64..100) {
        let delivered = |at: Time| table.delivered(at).unwrap();
        let least = (0..table.period()).map(|from| delivered(from + t) - delivered(from)).min().unwrap();
        prop_assert_eq!(table.sbf(t), least);
    }

    #[test]
    fn any_placement_of_the_budget_supplies_the_bound(
        period in 1u64..9, part in 0u64..100, places in prop::collection::vec(any::<prop::sample::Index>(), 5), t in 0u64..40,
    ) {
        let budget = part % (period + 1);
        let resource = PeriodicResource::new(period, budget).unwrap();
        let slots: Vec<(Time, Time)> = places.iter().enumerate().filter(|_| budget > 0).map(|(k, place)| {
            let start = k as Time * period + place.index((period - budget) as usize + 1) as Time;
            (start, start + budget)
        }).collect();
        let table = SlotTable::new(period * 5, &slots).unwrap();
        prop_assert!(table.sbf(t) >= resource.sbf(t));
    }
}
