// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::standards;

/// A rank of 4 GiB: eight devices of 4 Gb.
fn eight_devices() -> Organisation {
    Organisation {
        nodes: 1,
        channels: 1,
        ranks: 2,
        bank_groups: 1,
        banks: 8,
        rows: 65_536,
        columns: 1024,
        bus_bytes: 8,
    }
}

/// By hand, DDR3-1600 of 4 Gb with eight pins: tRAS 35 ns, tRC 48.75 ns, a burst 5 ns, tRFC 260 ns; 1.5 V, eight devices.
#[test]
fn known_energies() {
    let timing = standards::timing("ddr3-1600", 4).expect("built in");
    let (count, currents) = devices(&timing, &eight_devices(), 4).expect("known");
    assert_eq!((count, currents.width, currents.vdd_mv), (8, 8, 1500));
    let of = |activity: Activity| currents.energy(count, &timing, &activity);
    let none = Activity::default();
    // 55·48.75 - 38·35 - 32·13.75 = 911.25 mA·ns; times 1.5 V and 8 devices.
    let activations = 1;
    assert_eq!(of(Activity { activations, ..none }).activate_pj, 10_935);
    // (157 - 38)·5 and (125 - 38)·5.
    assert_eq!(of(Activity { reads: 1, ..none }).read_pj, 7_140);
    assert_eq!(of(Activity { writes: 1000, ..none }).write_pj, 5_220_000);
    // (235 - 38)·260, and active standby meanwhile.
    let time = 1_000_000;
    let refreshed = of(Activity {
        refreshes: 1,
        time,
        ..none
    });
    assert_eq!(refreshed.refresh_pj, 614_640);
    assert_eq!(refreshed.active_standby_pj, 38 * 260 * 12);
    assert_eq!(refreshed.precharge_standby_pj, 32 * 740 * 12);
    // A microsecond of each standby.
    let active = of(Activity {
        active: time,
        time,
        ..none
    });
    assert_eq!((active.active_standby_pj, active.precharge_standby_pj), (456_000, 0));
    assert_eq!(of(Activity { time, ..none }).precharge_standby_pj, 384_000);
    assert_eq!(refreshed.total_pj(), 614_640 + 118_560 + 284_160);
}

#[test]
fn unknown_devices_have_no_energy() {
    let organisation = eight_devices();
    let timing = |standard, density| standards::timing(standard, density).expect("built in");
    assert!(devices(&timing("ddr5-4800", 16), &organisation, 16).is_none());
    assert!(devices(&timing("lpddr4-3200", 8), &organisation, 8).is_none());
    assert!(devices(&timing("ddr3-1600", 2), &organisation, 2).is_none());
    // The rank holds what four devices of 8 Gb hold: sixteen pins each, of which no currents are known.
    assert!(devices(&timing("ddr3-1600", 8), &organisation, 8).is_none());
    // A density that does not fit the rank at all.
    let small = Organisation {
        rows: 1,
        ..organisation
    };
    assert!(devices(&timing("ddr3-1600", 4), &small, 4).is_none());
}

#[test]
fn the_data_are_currents_of_known_grades() {
    for one in DEVICES.iter() {
        let timing = standards::timing(&one.standard, one.density_gbit).unwrap_or_else(|e| panic!("{e:?}"));
        assert!(one.idd2n < one.idd3n && one.idd3n < one.idd0, "{one:?}");
        assert!(
            one.idd0 < one.idd4r.min(one.idd4w) && one.idd4r.max(one.idd4w) <= one.idd5,
            "{one:?}"
        );
        assert!([4, 8, 16].contains(&one.width) && !one.source.is_empty(), "{one:?}");
        let activity = Activity {
            activations: 1,
            ..Activity::default()
        };
        assert!(one.energy(1, &timing, &activity).activate_pj > 0, "{one:?}");
        let same = |other: &&Currents| {
            (&other.standard, other.density_gbit, other.width) == (&one.standard, one.density_gbit, one.width)
        };
        assert_eq!(DEVICES.iter().filter(same).count(), 1, "{one:?}");
    }
}

#[test]
fn absurd_counts_do_not_overflow() {
    let timing = standards::timing("ddr3-1600", 4).expect("built in");
    let (count, currents) = devices(&timing, &eight_devices(), 4).expect("known");
    let most = u64::MAX;
    let activity = Activity {
        activations: most,
        reads: most,
        writes: most,
        refreshes: most,
        active: most,
        time: most,
    };
    assert_eq!(currents.energy(count, &timing, &activity).total_pj(), most);
}
