// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use Generation::*;
use RefreshScope::*;
use RefreshTable::*;

fn ns(table: RefreshTable, generation: Generation, density: u32, scope: RefreshScope) -> (u64, Provenance) {
    let t = trfc(table, generation, density, scope).expect("in the table");
    assert_eq!(t.time % 1000, 0, "whole nanoseconds");
    (t.time / 1000, t.provenance)
}

#[test]
fn tables_are_well_formed() {
    for (key, column) in TABLES.iter() {
        assert!(column.density_gbit.is_sorted_by(|a, b| a < b), "{key}");
        for times in [&column.x1, &column.x2, &column.x4, &column.bank, &column.bank_gap] {
            assert!(times.is_empty() || times.len() == column.density_gbit.len(), "{key}");
            assert!(times.is_sorted(), "{key}: a denser device does not refresh faster");
        }
    }
}

#[test]
fn the_dissertations_table() {
    for (density, t) in [(1, 110), (2, 160), (4, 260), (8, 350), (16, 550)] {
        assert_eq!(ns(ColoredRefresh, Ddr3, density, X1), (t, Provenance::Tabulated));
    }
    assert_eq!(ns(ColoredRefresh, Ddr3, 32, X1), (1000, Provenance::LowerBound));
    assert_eq!(ns(ColoredRefresh, Ddr3, 64, X1), (2000, Provenance::LowerBound));
    assert!(trfc(ColoredRefresh, Ddr3, 8, Bank).is_err());
}

#[test]
fn the_co_design_papers_table() {
    assert_eq!(ns(CoDesign, Ddr3, 8, X1), (350, Provenance::Tabulated));
    assert_eq!(ns(CoDesign, Ddr3, 16, X1), (530, Provenance::Interpolated));
    assert_eq!(ns(CoDesign, Ddr3, 24, X1), (710, Provenance::Interpolated));
    assert_eq!(ns(CoDesign, Ddr3, 32, X1), (890, Provenance::Tabulated));
    assert_eq!(ns(CoDesign, Ddr3, 24, Bank), (284, Provenance::Interpolated));
    assert_eq!(ns(CoDesign, Ddr3, 32, Bank), (356, Provenance::Tabulated));
    // Its 890 ns is JEDEC's DDR3 table drawn on.
    assert_eq!(ns(Jedec, Ddr3, 32, X1), (890, Provenance::Extrapolated));
}

#[test]
fn fine_granularity_divisors_of_the_co_design_paper() {
    for (density, full) in [(8, 350_000), (32, 890_000)] {
        let of = |scope| trfc(CoDesign, Ddr4, density, scope).expect("given").time;
        assert_eq!(of(X2), (full * 100 + 67) / 135);
        assert_eq!(of(X4), (full * 100 + 81) / 163);
    }
}

#[test]
fn jedec_values_and_what_is_beyond_them() {
    assert_eq!(trfc(Jedec, Ddr2, 1, X1).map(|t| t.time), Ok(127_500));
    assert_eq!(ns(Jedec, Ddr4, 8, X1), (350, Provenance::Tabulated));
    assert_eq!(ns(Jedec, Ddr4, 8, X2), (260, Provenance::Tabulated));
    assert_eq!(ns(Jedec, Ddr4, 8, X4), (160, Provenance::Tabulated));
    assert_eq!(ns(Jedec, Ddr4, 12, X1), (450, Provenance::Interpolated));
    assert_eq!(ns(Jedec, Ddr4, 32, X1), (950, Provenance::Extrapolated));
    assert_eq!(ns(Jedec, Ddr4, 1, X1), (160, Provenance::Extrapolated));
    assert_eq!(ns(Jedec, Ddr5, 24, X1), (410, Provenance::Tabulated));
    assert_eq!(ns(Jedec, Ddr5, 64, X1), (640, Provenance::Extrapolated));
    assert_eq!(ns(Jedec, Ddr5, 16, Bank), (130, Provenance::Tabulated));
    assert_eq!(ns(Jedec, Lpddr4, 8, Bank), (140, Provenance::Tabulated));
    assert_eq!(ns(Jedec, Lpddr4, 2, BankGap), (60, Provenance::Tabulated));
}

#[test]
fn what_does_not_exist_is_refused() {
    assert_eq!(trfc(Jedec, Ddr3, 8, X2), Err(NoTrfc::Scope(Jedec, Ddr3, X2)));
    assert_eq!(trfc(Jedec, Ddr4, 8, Bank), Err(NoTrfc::Scope(Jedec, Ddr4, Bank)));
    assert_eq!(trfc(Jedec, Ddr5, 16, X4), Err(NoTrfc::Scope(Jedec, Ddr5, X4)));
    for density in [0, 65, u32::MAX] {
        assert_eq!(trfc(Jedec, Ddr4, density, X1), Err(NoTrfc::Density(density)));
    }
}

#[test]
fn every_density_has_an_all_bank_time_that_grows() {
    for table in [Jedec, ColoredRefresh, CoDesign] {
        for generation in [Ddr2, Ddr3, Ddr4, Ddr5, Lpddr3, Lpddr4, Lpddr5, Hbm2, Hbm3] {
            let times: Vec<Ps> = DENSITIES_GBIT
                .map(|d| trfc(table, generation, d, X1).expect("all-bank refresh exists").time)
                .collect();
            assert!(times.is_sorted(), "{table:?} {generation:?}");
        }
    }
}
