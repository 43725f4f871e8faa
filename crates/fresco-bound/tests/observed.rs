// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random memories and attackers: every read within its bound, and how near the worst comes to it.

use crate::attackers::{self, Core, Habit};
use crate::setting::Setting;
use fresco_bound::{Crowd, Dram, ReadBound, read};
use fresco_memory::Controller;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Cores with banks of their own, or some of all.
fn cores(setting: &Setting, rng: &mut Pcg64) -> (Vec<Core>, bool) {
    let banks = setting.organisation.banks_per_channel();
    let count = rng.random_range(1..=8u32);
    let private = rng.random_bool(0.5);
    let writes = rng.random_bool(0.5);
    let mut all: Vec<u32> = (0..banks).collect();
    all.shuffle(rng);
    let each = (banks / count) as usize;
    let cores = (0..count as usize)
        .map(|i| {
            let own = match private {
                true => all[i * each..(i + 1) * each].to_vec(),
                false => all[..rng.random_range(1..=banks as usize)].to_vec(),
            };
            let mut core = Core {
                reads: [1, 1, 2, 4, 10][rng.random_range(0..5)],
                writes: if writes { [0, 1, 8][rng.random_range(0..3)] } else { 0 },
                banks: own,
                share: 0,
                bunched: false,
                habit: Habit::Random,
                pause: 0,
                one_bank: false,
            };
            attackers::vary(&mut core, rng);
            core
        })
        .collect();
    (cores, private)
}

fn crowd_of(setting: &Setting, cores: &[Core], core: &Core) -> Crowd {
    let per_rank = setting.organisation.banks_per_rank();
    let reads = |of: &dyn Fn(&Core) -> bool| cores.iter().filter(|c| of(c)).map(|c| c.reads).sum::<u32>();
    let writes = cores.iter().map(|c| c.writes).sum();
    let ranks = |c: &Core| -> Vec<u32> { c.banks.iter().map(|b| b / per_rank).collect() };
    let own = ranks(core);
    let mut used: Vec<u32> = cores.iter().flat_map(ranks).collect();
    used.sort_unstable();
    used.dedup();
    let all = reads(&|_| true);
    Crowd {
        reads: all,
        of_rank: reads(&|c| ranks(c).iter().any(|r| own.contains(r))),
        of_bank: reads(&|c| c.banks.iter().any(|b| core.banks.contains(b))),
        ranks: used.len() as u32,
        waiting_writes: writes,
        front: all + writes,
    }
}

/// The worst of one run: observed, bound, and what kind of crowd it was.
pub struct Case {
    pub observed: u64,
    pub bound: ReadBound,
    pub kind: String,
    pub told: String,
}

pub fn run(seed: u64, cycles: u64) -> (Vec<Case>, u64) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let setting = Setting::draw(&mut rng);
    let (cores, private) = cores(&setting, &mut rng);
    let (org, timing) = (&setting.organisation, &setting.timing);
    let mut controller = Controller::new(&setting.controller, org, timing, 0);
    let (longest, reads) = attackers::run(&mut controller, org, timing, &cores, cycles, &mut rng);
    let dram = Dram {
        timing,
        organisation: org,
        controller: &setting.controller,
    };
    let mut cases = Vec::new();
    for (core, observed) in cores.iter().zip(longest) {
        let crowd = crowd_of(&setting, &cores, core);
        let Ok(bound) = read(&dram, &crowd) else {
            continue;
        };
        let kind = format!(
            "{} {} {} {}",
            if private { "private" } else { "shared" },
            if crowd.of_bank == 1 { "single" } else { "several" },
            if crowd.waiting_writes > 0 { "writes" } else { "reads" },
            if crowd.ranks > 1 { "ranks" } else { "rank" },
        );
        let told = format!("seed {seed}: {observed} cycles, bound {} {bound:?}\n{crowd:?}\n{:?} {} {org:?}\n{core:?}", bound.total(), setting.controller, timing.standard);
        cases.push(Case {
            observed,
            bound,
            kind,
            told,
        });
    }
    (cases, reads)
}

#[test]
fn no_read_takes_longer_than_its_bound() {
    let runs = std::env::var("BOUND_RUNS").map_or(300, |n| n.parse().expect("a number"));
    let first = std::env::var("BOUND_FIRST").map_or(0, |n| n.parse().expect("a number"));
    let cycles = std::env::var("BOUND_CYCLES").map_or(8_000, |n| n.parse().expect("a number"));
    let mut near: std::collections::BTreeMap<String, Vec<f64>> = Default::default();
    let mut found: std::collections::BTreeMap<&str, u64> = Default::default();
    let (mut all, mut bad, mut none) = (0, 0, 0);
    for seed in first..first + runs {
        let (cases, reads) = run(seed, cycles);
        all += reads;
        if cases.is_empty() {
            none += 1;
        }
        for case in cases {
            let bound = case.bound.total();
            if case.observed > bound {
                bad += 1;
                if bad < 6 {
                    println!("{}\n", case.told);
                }
            }
            for (name, part) in case.bound.parts() {
                if case.observed > bound - part {
                    *found.entry(name).or_insert(0u64) += 1;
                }
            }
            near.entry(case.kind).or_default().push(case.observed as f64 / bound as f64);
        }
    }
    for (kind, mut shares) in near {
        shares.sort_by(f64::total_cmp);
        println!("{kind}: {} cases, median {:.2}, most {:.3}", shares.len(), shares[shares.len() / 2], shares[shares.len() - 1]);
    }
    println!("{all} reads, {none} unbounded");
    println!("{found:?}");
    assert_eq!(bad, 0);
}
