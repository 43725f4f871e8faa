// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which regulator is chosen, where either, both or neither can hold bandwidth.

use super::*;
use crate::memguard::MemguardRefusal;
use crate::memguard::tests::Fake;
use crate::resctrl::{Limits, ResctrlRefusal};

/// With a tree of resctrl that says this, beside the settings of memguard.
fn trees(fake: &Fake, schemata: &str) -> Trees {
    fake.write("resctrl/schemata", schemata);
    fake.write("resctrl/info/L3/cbm_mask", "7ff\n");
    Trees {
        resctrl: crate::resctrl::Tree::at(&fake.0.join("resctrl"), &fake.0),
        memguard: Ok(fake.tree()),
        proc: fake.0.join("proc"),
        system: fake.0.join("system"),
    }
}

const BYTES: &str = "MB:0=4294967295\nL3:0=7ff\n";
const PER_CENT: &str = "MB:0=100\nL3:0=7ff\n";

fn wishes(regulator: Option<Regulator>) -> Wishes {
    Wishes {
        limits: Limits {
            ways: None,
            bytes_per_s: Some(500_000_000),
        },
        regulator,
        cpus: Some(vec![0, 1]),
        ..Wishes::default()
    }
}

fn chosen(regulation: &Regulation) -> [bool; 2] {
    [regulation.class.is_some(), regulation.group.is_some()]
}

#[test]
fn resctrl_where_it_can_and_memguard_where_it_cannot() {
    let fake = Fake::new("choose");
    let both = Regulation::new(&wishes(None), &trees(&fake, BYTES)).expect("resctrl can");
    assert_eq!((chosen(&both), both.bytes_per_s), ([true, false], Some(476 << 20)));
    let named = Regulation::new(&wishes(Some(Regulator::Memguard)), &trees(&fake, BYTES)).expect("memguard can");
    assert_eq!((chosen(&named), named.bytes_per_s), ([false, true], Some(499_968_000)));
    for schemata in [PER_CENT, "L3:0=7ff\n"] {
        let without = Regulation::new(&wishes(None), &trees(&fake, schemata)).expect("memguard can");
        assert_eq!(chosen(&without), [false, true], "{schemata}");
        let named = Regulation::new(&wishes(Some(Regulator::Resctrl)), &trees(&fake, schemata));
        assert!(
            matches!(named, Err(RegulatorRefusal::Resctrl(_))),
            "{schemata}: {named:?}"
        );
    }
    // Ways are resctrl's all the same.
    let mut ways = wishes(None);
    ways.limits.ways = Some(vec![0, 1]);
    let ways = Regulation::new(&ways, &trees(&fake, PER_CENT)).expect("each can its part");
    assert_eq!(chosen(&ways), [true, true]);
    assert_eq!(ways.class.map(|(_, limits, _)| limits.bytes_per_s), Some(None));
    let nothing = Regulation::new(&Wishes::default(), &trees(&fake, BYTES)).expect("nothing is asked");
    assert_eq!(chosen(&nothing), [false, false]);
}

#[test]
fn where_neither_is_both_ways_out_are_told() {
    let fake = Fake::new("neither");
    let neither = Trees {
        resctrl: Err(ResctrlRefusal::Unknown),
        memguard: Err(MemguardRefusal::NotLoaded),
        ..trees(&fake, BYTES)
    };
    let refusal = Regulation::new(&wishes(None), &neither).expect_err("there is none");
    let told = refusal.to_string();
    assert!(
        told.contains("this kernel has no resctrl") && told.contains("insmod kernel/memguard/memguard.ko"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1);
    let named = Regulation::new(&wishes(Some(Regulator::Memguard)), &neither);
    assert_eq!(named, Err(RegulatorRefusal::Memguard(MemguardRefusal::NotLoaded)));
    // What resctrl refuses for another reason is not memguard's to do.
    let mut little = wishes(None);
    little.limits.bytes_per_s = Some(1 << 19);
    let refusal = Regulation::new(&little, &trees(&fake, BYTES));
    assert_eq!(refusal, Err(ResctrlRefusal::TooLittle(1 << 20).into()));
}

#[test]
fn two_that_hold_bandwidth_at_once_are_refused() {
    let fake = Fake::new("two");
    let both = trees(&fake, BYTES);
    let resctrl = wishes(Some(Regulator::Resctrl));
    let memguard = wishes(Some(Regulator::Memguard));
    // Budgets that do not hold are none.
    fake.write("memguard/cpus/1/budget", "50\n");
    Regulation::new(&resctrl, &both).expect("memguard is not active");
    fake.write("memguard/active", "1\n");
    let refused = Regulation::new(&resctrl, &both);
    assert_eq!(refused, Err(RegulatorRefusal::BesideBudgets(vec!["cpus/1".to_owned()])));
    // Ways are no bandwidth.
    let mut ways = Wishes::default();
    ways.limits.ways = Some(vec![0, 1]);
    Regulation::new(&ways, &both).expect("ways can be had");

    let class = fake.0.join("resctrl/video");
    for (first, limited, free) in [(BYTES, "MB:0=500\n", BYTES), (PER_CENT, "MB:0=50\n", PER_CENT)] {
        let both = trees(&fake, first);
        fake.write("resctrl/video/tasks", "");
        fake.write("resctrl/video/schemata", free);
        Regulation::new(&memguard, &both).expect("the class limits nothing");
        fake.write("resctrl/video/schemata", limited);
        let refused = Regulation::new(&memguard, &both);
        assert_eq!(
            refused,
            Err(RegulatorRefusal::BesideClasses(vec![class.display().to_string()])),
            "{first}"
        );
    }
    // Everybody is limited.
    let refused = Regulation::new(&memguard, &trees(&fake, "MB:0=90\n"));
    assert!(
        matches!(refused, Err(RegulatorRefusal::BesideClasses(_))),
        "{refused:?}"
    );
}

#[test]
fn a_reservation_is_memguards_and_divided_among_the_processors() {
    let fake = Fake::new("reserve");
    let reserve = |bytes: u64| Wishes {
        reserve: Some(bytes),
        cpus: Some(vec![0, 1]),
        ..Wishes::default()
    };
    let both = trees(&fake, BYTES);
    let regulation = Regulation::new(&reserve(1_000_000_000), &both).expect("memguard can");
    assert_eq!(chosen(&regulation), [false, true]);
    let (_, asked) = regulation.group.expect("a group");
    let (cpus, each) = asked.reserved.expect("a reservation");
    assert_eq!((cpus, each.lines, asked.budget), (vec![0, 1], 7812, None));
    // 64 kB/s are a line in 1 ms.
    let refused = Regulation::new(&reserve(127_999), &both).expect_err("less than a line on each");
    assert!(refused.to_string().contains("the least is 128 kB/s"), "{refused}");
    fake.write("memguard/cpus/1/budget", "9\n");
    let refused = Regulation::new(&reserve(1_000_000_000), &both);
    assert_eq!(refused, Err(MemguardRefusal::Reserved(1, 9).into()));
}

#[test]
fn nothing_is_made_for_an_owner_that_has_ended() {
    let fake = Fake::new("places");
    let both = trees(&fake, PER_CENT);
    let mut first = wishes(None);
    first.limits.ways = Some(vec![0, 1]);
    let regulations: Vec<Regulation> = [first, wishes(None)]
        .iter()
        .map(|wishes| Regulation::new(wishes, &both).expect("it can be"))
        .collect();
    for some in [&regulations[..], &regulations[1..]] {
        let refusal = make(some, 4_194_305, None).expect_err("nobody could wait for it");
        assert!(refusal.to_string().contains("starting its keeper"), "{refusal}");
        for folder in [
            "resctrl/fresco-4194305-0",
            "cgroups/fresco-4194305",
            "memguard/groups/fresco-began",
        ] {
            assert!(!fake.0.join(folder).exists(), "{folder}");
        }
    }
}
