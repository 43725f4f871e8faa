// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slides' example with cores that are interrupted, wait and go on.

use super::{hard, soft};
use crate::bandwidth::{
    Budgets, Guaranteed, NodeBudgets, Prediction, Regulator, Renewal, Reservation, Settings, Share, Told,
};
use fresco_dram::Ps;
use fresco_memory::Lines;

/// Two cores, 0 and 2, of the slides' machine, with periods of 10 us and interrupts of 1 us at 2.67 GHz.
struct Cores {
    regulator: Regulator,
    lines: [Lines; 3],
}

const US: Ps = 1_000_000;

impl Cores {
    fn new(reservations: &[Reservation], reclaim: bool, share: Share) -> Self {
        Self::told(reservations, reclaim, share, None)
    }

    fn told(reservations: &[Reservation], reclaim: bool, share: Share, told: Option<Told>) -> Self {
        let machine = fresco_machine::builtin("core2-q8400").expect("built in");
        let budgets = Budgets {
            period: 10 * US,
            interrupt_cycles: u64::from(machine.core.mhz),
            count_write_backs: true,
            guaranteed: Guaranteed::of(&machine, true),
            nodes: vec![NodeBudgets {
                node: 0,
                cores: vec![0, 2],
                reserved: vec![1; 2],
                total: 2,
                settings: Settings {
                    total: reservations.iter().map(|one| one.lines).sum(),
                    reservations: reservations.to_vec(),
                    reclaim,
                    share,
                    chunk: 1,
                    prediction: Prediction::Last,
                },
                is_guaranteed: true,
            }],
            told,
        };
        let mut regulator = Regulator::new(&budgets, &machine.core);
        regulator.begin(0, true);
        Self {
            regulator,
            lines: [Lines::default(); 3],
        }
    }

    /// A core fetches a line. Returns true if it is to be interrupted.
    fn fetches(&mut self, core: u32) -> bool {
        self.lines[core as usize].read += 1;
        self.regulator.counted(core, self.lines[core as usize])
    }

    /// It does, and takes the interrupt at once: when it goes on.
    fn spends(&mut self, core: u32, at: Ps) -> Option<Ps> {
        assert!(self.fetches(core), "core {core} at {at}");
        let answer = self.regulator.interrupted(core, at);
        assert!(answer.others.is_empty());
        answer.goes_on
    }
}

#[test]
fn the_reclaim_example_of_the_slides() {
    // MG-5, with what an engine sees of it.
    let mut cores = Cores::new(&[soft(3), soft(3)], true, Share::None);
    assert!(!cores.fetches(0), "time 3");
    assert!(!cores.fetches(2), "time 4");
    assert_eq!(cores.regulator.next(), 10 * US);
    let renewed = cores.regulator.renew(10 * US, true);
    assert_eq!(renewed, [(0, Renewal::Interrupted), (2, Renewal::Interrupted)]);
    for core in [0, 2] {
        let answer = cores.regulator.interrupted(core, 10 * US);
        assert_eq!((answer.goes_on, answer.others), (Some(11 * US), vec![]), "the timer's");
    }
    assert_eq!(cores.spends(2, 12 * US), Some(13 * US), "its reservation comes back");
    assert!(!cores.fetches(2));
    assert_eq!(cores.spends(2, 15 * US), Some(16 * US), "a chunk beyond it");
    assert_eq!(cores.spends(0, 16 * US), Some(17 * US), "what is left of its own");
    assert_eq!(cores.spends(2, 17 * US), None, "nothing remains");
    let renewed = cores.regulator.renew(20 * US, true);
    assert_eq!(renewed, [(0, Renewal::Interrupted), (2, Renewal::GoesOn)]);
    assert_eq!(cores.regulator.resumes(20 * US), 21 * US);
    let waited = cores.regulator.core_result(2).expect("it has a budget");
    assert_eq!((waited.stalled_ns, waited.counts.exhausted), (3000.0, 1));
    assert_eq!(waited.lines_by_period, [1, 4]);
    assert_eq!(cores.regulator.core_result(1), None);
}

#[test]
fn lines_under_way_do_not_interrupt_a_core_that_waits() {
    let mut cores = Cores::new(&[hard(2), hard(2)], false, Share::None);
    assert!(!cores.fetches(0));
    assert_eq!(cores.spends(0, US), None);
    assert!(!cores.fetches(0), "it waits already");
    assert!(!cores.regulator.is_due(0));
    // The other one is interrupted once it has used its budget up, until it comes to that.
    assert!(!cores.fetches(2) && !cores.regulator.is_due(2));
    assert!(cores.fetches(2) && cores.regulator.is_due(2));
    let other = cores.regulator.interrupted(2, 2 * US);
    assert_eq!((other.goes_on, cores.regulator.is_due(2)), (None, false));
}

#[test]
fn all_go_on_when_the_last_one_is_exhausted() {
    let mut cores = Cores::new(&[hard(1), hard(1)], false, Share::BestEffort);
    assert_eq!(cores.spends(2, US), None);
    assert!(cores.fetches(0));
    let answer = cores.regulator.interrupted(0, 4 * US);
    assert_eq!((answer.goes_on, answer.others), (Some(5 * US), vec![2]), "MG-6");
    assert_eq!(cores.regulator.renew(10 * US, true)[1], (2, Renewal::Interrupted));
    let core = cores.regulator.core_result(2).expect("it has a budget");
    assert_eq!(core.stalled_ns, 3000.0);
}

#[test]
fn who_keeps_budgets_elsewhere_is_told_and_nobody_is_stopped() {
    let told = Told::new(3);
    let mut cores = Cores::told(&[hard(2), hard(2)], false, Share::None, Some(told.clone()));
    for fetched in 1..=5 {
        assert!(!cores.fetches(2) && !cores.regulator.is_due(2));
        assert_eq!([0, 1, 2, 3].map(|core| told.lines(core)), [0, 0, fetched, 0]);
    }
    cores.lines[2].written += 3;
    assert!(!cores.fetches(2));
    assert_eq!(told.lines(2), 9, "write-backs count with these budgets");
    assert_eq!(cores.regulator.renew(10 * US, true), []);
    assert_eq!(cores.regulator.next(), 20 * US);
}
