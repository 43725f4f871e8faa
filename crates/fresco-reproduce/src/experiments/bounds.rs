// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds of a read's interference, and the worst that a search finds: what the abstracts of two analyses say of theirs.
//!
//! Kim et al. (RTAS 2014) bound how often row hits overtake, and what dividing banks gains; Yun (arXiv:1407.7448, ECRTS 2015) says that an analysis
//! under-estimates what cores with several requests at a time do to each other. Their formulas and figures are in no text that could be
//! read: the bounds here are Fresco's, of four cores that only read, on a memory of the speed and size that PALLOC's paper gives.

use fresco_attack::{Limits, Search, crowd, search};
use fresco_bound::{Dram, read};
use fresco_dram::Organisation;
use fresco_input::InputError;
use fresco_machine::{ControllerConfig, RefreshPolicy, Scheduler, builtin};
use fresco_report::claims::Row;

/// Four cores, one channel of DDR3-1333.
const MACHINE: &str = "xeon-w3530";

/// Requests that each other core has under way: one, as an analysis may count, and as many as the machine's cores have.
const REQUESTS: [u32; 2] = [1, 10];

/// How an attack is searched for: within seconds for all rows.
const SEARCH: Search = Search {
    tries: 160,
    cycles: 10_000,
    seed: 1,
};

/// The bound of the one read of a core beside three others, and the longest that is found.
pub fn reads() -> Result<Vec<Row>, InputError> {
    let machine = builtin(MACHINE)?;
    let timing = &machine.memory.timing;
    // One rank: what two of them cost is no matter of either analysis.
    let organisation = Organisation {
        ranks: 1,
        ..machine.memory.organisation
    };
    let ns = |cycles| timing.clock.ns(cycles);
    let mut rows = Vec::new();
    for banks in ["private", "shared"] {
        for requests in REQUESTS {
            for cap in [0, machine_cap(&machine.memory.controller)] {
                for refresh in ["no", "yes"] {
                    let controller = ControllerConfig {
                        scheduler: Scheduler::FrFcfs { hit_cap: cap },
                        refresh: match refresh {
                            "no" => RefreshPolicy::None,
                            _ => machine.memory.controller.refresh,
                        },
                        drain_once: true,
                        ..machine.memory.controller.clone()
                    };
                    let dram = Dram {
                        timing,
                        organisation: &organisation,
                        controller: &controller,
                    };
                    let limits = limits(banks == "private", requests, &organisation);
                    let unbounded = |why: fresco_bound::Unbounded| InputError::new(MACHINE, why.to_string());
                    let bound = read(&dram, &crowd(&limits, 0, &organisation)).map_err(unbounded)?;
                    let found = search(&dram, &limits, 0, &SEARCH, &()).map_or(0, |found| found.worst.cycles);
                    rows.push(
                        Row::new()
                            .label("banks", banks)
                            .label("requests", requests)
                            .label("cap", cap)
                            .label("refresh", refresh)
                            .value("bound_ns", ns(bound.total()))
                            .value("found_ns", ns(found)),
                    );
                }
            }
        }
    }
    Ok(rows)
}

/// Row hits that overtake at most.
fn machine_cap(controller: &ControllerConfig) -> u32 {
    match controller.scheduler {
        Scheduler::FrFcfs { hit_cap } => hit_cap,
        Scheduler::Fcfs => 0,
    }
}

const CORES: u32 = 4;

fn limits(private: bool, requests: u32, organisation: &Organisation) -> Vec<Limits> {
    let banks = organisation.banks_per_channel();
    let each = banks / CORES;
    let of = |core: u32| match private {
        true => (core * each..(core + 1) * each).collect(),
        false => (0..banks).collect(),
    };
    let limits = (0..CORES).map(|core| Limits {
        reads: if core == 0 { 1 } else { requests },
        writes: 0,
        banks: of(core),
    });
    limits.collect()
}
