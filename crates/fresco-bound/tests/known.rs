// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds that can be worked out by hand, and attacks that come near to them.

use fresco_attack::{Attack, Habits, Limits, Pattern, Phase, play};
use fresco_bound::{Crowd, Dram, Unbounded, read};
use fresco_dram::standards::{self, Device, TimingOverrides};
use fresco_dram::{Organisation, Timing};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};

/// DDR3-1600: tRCD = tRP = CL = 11, tRAS 28, tRC 39, tRRD 5 or 6, tFAW 24 to 32, tCCD 4, BL/2 4, tRTP 6 cycles.
fn ddr3() -> Timing {
    standards::timing_with("ddr3-1600", &Device::jedec(4), &TimingOverrides::default()).expect("consistent timing")
}

const BANKS: Organisation = Organisation {
    nodes: 1,
    channels: 1,
    ranks: 1,
    bank_groups: 1,
    banks: 8,
    rows: 32_768,
    columns: 1024,
    bus_bytes: 8,
};

fn controller(hit_cap: u32) -> ControllerConfig {
    ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap },
        page: PagePolicy::Open,
        queues: Queues::Global { reads: 64, writes: 32 },
        drain_high: 24,
        drain_low: 8,
        refresh: RefreshPolicy::None,
        drain_once: true,
        frontend: 0,
    }
}

fn dram<'a>(timing: &'a Timing, controller: &'a ControllerConfig) -> Dram<'a> {
    Dram {
        timing,
        organisation: &BANKS,
        controller,
    }
}

fn crowd(reads: u32, of_bank: u32) -> Crowd {
    Crowd {
        reads,
        of_rank: reads,
        of_group: reads,
        of_bank,
        of_other_ranks: 0,
        ranks: 1,
        waiting_writes: 0,
        front: reads,
    }
}

#[test]
fn alone_it_waits_for_its_own_bank_only() {
    let (timing, config) = (ddr3(), controller(4));
    let memory = dram(&timing, &config);
    let t = &timing;
    let bound = read(&memory, &crowd(1, 1)).expect("bounded");
    // Admission; the row that was opened last may be closed tRAS - tRCD after its read, whose data are over; PRE, ACT, RD, data.
    assert_eq!(bound.total(), 1 + (t.ras - t.rcd - t.cl - 4) + t.rp + t.rcd + t.cl + 4);
    assert_eq!(bound.total(), bound.service);
    // After a write it may be closed later.
    let writes = Crowd {
        waiting_writes: 1,
        ..crowd(1, 1)
    };
    let bound = read(&memory, &writes).expect("bounded");
    assert_eq!(bound.service, 1 + (t.cwl + 4 + t.wr) + t.rp + t.rcd + t.cl + 4);
}

#[test]
fn one_other_in_a_bank_of_its_own_costs_an_activation_or_a_burst() {
    let (timing, config) = (ddr3(), controller(4));
    let memory = dram(&timing, &config);
    let t = &timing;
    let bound = read(&memory, &crowd(2, 1)).expect("bounded");
    // The other one has one command of each kind meanwhile: its PRE a cycle before this one's, and a column command; its ACT at the cycle of this one's,
    // and a column command before each. Four reads do not fill the window of four.
    let row_commands = 1;
    let acts = 1 + t.rrd_l + 1;
    assert_eq!((bound.activations, bound.bus), (row_commands + acts, 3));
    assert_eq!(
        (bound.bank, bound.overtaking, bound.drain, bound.refresh, bound.queue),
        (0, 0, 0, 0, 0)
    );
}

#[test]
fn five_reads_fill_the_window_of_four_activations() {
    let config = controller(4);
    let activations = |timing: &Timing, reads: u32| {
        let memory = dram(timing, &config);
        read(&memory, &crowd(reads, reads)).expect("bounded").activations
    };
    let narrow = Timing {
        faw: 4 * ddr3().rrd_s,
        ..ddr3()
    };
    assert!(ddr3().faw > narrow.faw);
    assert_eq!(activations(&ddr3(), 4), activations(&narrow, 4));
    assert!(activations(&ddr3(), 5) > activations(&narrow, 5));
}

#[test]
fn without_a_cap_hits_of_others_have_no_end() {
    let (timing, config) = (ddr3(), controller(u32::MAX));
    let memory = dram(&timing, &config);
    assert_eq!(read(&memory, &crowd(2, 2)), Err(Unbounded::NoHitCap));
    assert!(read(&memory, &crowd(2, 1)).is_ok(), "nobody else is in its bank");
    let ranks = Crowd {
        ranks: 2,
        ..crowd(2, 1)
    };
    assert_eq!(
        read(&memory, &ranks),
        Err(Unbounded::NoHitCap),
        "a rank keeps the bus without end"
    );
}

#[test]
fn bounds_of_hours_are_none() {
    let (timing, config) = (ddr3(), controller(1_000_000));
    let memory = dram(&timing, &config);
    let crowd = Crowd {
        ranks: 2,
        ..crowd(1_000, 1_000)
    };
    assert_eq!(read(&memory, &crowd), Err(Unbounded::Endless));
}

#[test]
fn bounds_grow_with_the_crowd() {
    let (timing, config) = (ddr3(), controller(4));
    let memory = dram(&timing, &config);
    let total = |crowd: &Crowd| read(&memory, crowd).expect("bounded").total();
    for reads in 1..40 {
        assert!(total(&crowd(reads, 1)) < total(&crowd(reads + 1, 1)));
        for of_bank in 1..reads {
            assert!(
                total(&crowd(reads, of_bank)) < total(&crowd(reads, of_bank + 1)),
                "{reads} {of_bank}"
            );
            let writes = Crowd {
                waiting_writes: 1,
                ..crowd(reads, of_bank)
            };
            assert!(total(&crowd(reads, of_bank)) < total(&writes));
        }
    }
}

/// A core that reads other rows of a bank in which another one reads line after line.
#[test]
fn row_hits_overtake_as_often_as_the_cap_lets_them() {
    let timing = ddr3();
    let core = |reads| Limits {
        reads,
        writes: 0,
        banks: vec![0],
    };
    let habits = |pattern| {
        Habits::Phases(vec![Phase {
            cycles: 1,
            pattern,
            writes: 0,
            writes_to_one: false,
            gap: 0,
            bunched: false,
            ambush: None,
            after_refresh: None,
        }])
    };
    let attack = Attack {
        cores: vec![habits(Pattern::Conflicts), habits(Pattern::Stream)],
        round: 1000,
        seed: 1,
    };
    for hit_cap in [1, 4, 16, 128] {
        let config = controller(hit_cap);
        let memory = dram(&timing, &config);
        let longest = play(&memory, &[core(1), core(8)], 0, &attack, 50_000, false).longest[0].cycles;
        let bound = read(&memory, &crowd(9, 9)).expect("bounded");
        assert!(longest <= bound.total());
        if hit_cap == 128 {
            assert!(
                longest > bound.total() - bound.overtaking,
                "hits overtake: {longest} {bound:?}"
            );
        }
    }
}
