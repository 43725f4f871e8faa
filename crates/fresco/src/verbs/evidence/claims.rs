// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is claimed, each with its verdict, and whether all of it holds.

use super::copies::Copies;
use super::facts::{BoundFacts, Claim, LiveFacts, MachineFacts, PartitionFacts, Verdict};
use super::runs::{ATTACK, BOUND, CHECK, Found, MACHINE, SIM};
use fresco_dram::Ps;

/// The facts that claims are about.
pub struct About<'f> {
    pub name: &'f str,
    pub machine: &'f MachineFacts,
    pub partition: &'f PartitionFacts,
    pub found: &'f Found,
    pub live: Option<&'f LiveFacts>,
}

struct List(Vec<Claim>);

impl List {
    fn add(&mut self, about: &str, claim: String, verdict: Verdict, basis: String, files: &[&str]) -> &mut Claim {
        self.0.push(Claim {
            about: about.to_owned(),
            claim,
            verdict,
            basis,
            files: files.iter().map(|&file| file.to_owned()).collect(),
            needed: verdict == Verdict::Refuted,
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

/// A time that people read, rounded up: `5.107 us`.
pub fn at_most(time: Ps) -> String {
    let (unit, size) = match time {
        0..1_000_000 => ("ns", 1_000),
        1_000_000..1_000_000_000 => ("us", 1_000_000),
        1_000_000_000..1_000_000_000_000 => ("ms", 1_000_000_000),
        _ => ("s", 1_000_000_000_000u64),
    };
    let thousandths = (u128::from(time) * 1000).div_ceil(u128::from(size));
    format!("{}.{:03} {unit}", thousandths / 1000, thousandths % 1000)
}

/// Whether all that is claimed holds: nothing is refuted, and nothing that is needed is missing.
pub fn hold(claims: &[Claim]) -> bool {
    claims
        .iter()
        .all(|claim| claim.verdict != Verdict::Refuted && !(claim.needed && claim.verdict == Verdict::NotCovered))
}

/// All claims: the plan's, the tasks', the partition's, the machine's, the live run's.
pub fn of(about: &About<'_>, copies: &Copies) -> Vec<Claim> {
    let mut list = List(Vec::new());
    plan(&mut list, about);
    for bound in about.found.bounds.iter().filter(|bound| bound.is_measured) {
        task(&mut list, bound, about);
    }
    partition(&mut list, about);
    machine(&mut list, about);
    live(&mut list, about);
    debug_assert!(
        list.0
            .iter()
            .flat_map(|claim| &claim.files)
            .all(|file| { file == super::JSON || copies.files.iter().any(|kept| kept.path == *file) }),
        "claims name files of the folder"
    );
    list.0
}

fn plan(list: &mut List, about: &About<'_>) {
    let Some(plan) = &about.found.plan else { return };
    let claim = match plan.promises.is_empty() {
        true => "the plan is sound; it promises no deadline".to_owned(),
        false => format!("the plan is sound: {}", plan.promises.join("; ")),
    };
    let (verdict, basis) = match plan.sound {
        Some(true) => (
            Verdict::Proven,
            format!(
                "`fresco check`, which shares no code with the planner, verified {} facts. {}",
                plan.facts.len(),
                plan.deadlines
            ),
        ),
        Some(false) => (Verdict::Refuted, plan.objections.join("; ")),
        None => (
            Verdict::NotCovered,
            format!("not verifiable: {}", plan.objections.join("; ")),
        ),
    };
    list.add(about.name, claim, verdict, basis, &[CHECK]).needed = true;
    for assumption in &plan.assumptions {
        list.add(
            about.name,
            assumption.clone(),
            Verdict::Assumed,
            "an assumption of the plan".to_owned(),
            &[CHECK],
        );
    }
    for promise in &about.found.simulation.promises {
        let verdict = if promise.kept {
            Verdict::Observed
        } else {
            Verdict::Refuted
        };
        let basis = format!("a simulation of the plan: {}", promise.found);
        list.add(about.name, promise.what.clone(), verdict, basis, &[SIM]);
    }
}

fn task(list: &mut List, bound: &BoundFacts, about: &About<'_>) {
    let name = &bound.task;
    let missing = |what: &str| {
        let reason = bound.unbounded.iter().find(|unbounded| unbounded.what == what);
        reason.map_or_else(
            || "nothing was run to bound it".to_owned(),
            |reason| format!("{}; way out: {}", reason.why, reason.way_out),
        )
    };
    match bound.read_ps {
        Some(longest) => {
            let claim = format!(
                "a read takes at most {} in its controller, whatever all others do",
                at_most(longest)
            );
            let basis = format!(
                "the sum of {} parts, from timing, policies and requests under way alone",
                bound.terms.len()
            );
            list.add(name, claim, Verdict::Proven, basis, &[BOUND, MACHINE]);
        }
        None => {
            // A plan promises no such thing.
            list.add(
                name,
                "how long a read takes at most".to_owned(),
                Verdict::NotCovered,
                missing("reads"),
                &[BOUND],
            )
            .needed = about.found.plan.is_none();
        }
    }
    match bound.work_ps {
        Some(longest) => {
            let claim = format!(
                "its work (a job, or its measured phase) takes at most {}",
                at_most(longest)
            );
            let basis = "its work alone was simulated once; longer reads make it longer by no more, the same lines miss, and no input makes it longer";
            list.add(name, claim, Verdict::Assumed, basis.to_owned(), &[BOUND]);
        }
        None => {
            list.add(
                name,
                "how long its work takes at most".to_owned(),
                Verdict::NotCovered,
                missing("work"),
                &[BOUND],
            );
        }
    }
    for (what, observed, most) in [
        ("read", bound.observed_read_ps, bound.read_ps),
        ("work", bound.observed_work_ps, bound.work_ps),
    ] {
        // Nothing was seen of a task that did not read.
        let (Some(observed @ 1..), Some(most)) = (observed, most) else {
            continue;
        };
        let claim = format!(
            "no {what} was longer than its bound: the longest took {}",
            at_most(observed)
        );
        let verdict = if observed <= most {
            Verdict::Observed
        } else {
            Verdict::Refuted
        };
        let basis = format!("{}; the bound is {}", runs(about.found.simulation.runs), at_most(most));
        list.add(name, claim, verdict, basis, &[BOUND, SIM]);
    }
    match about
        .found
        .attacks
        .as_ref()
        .and_then(|attacks| attacks.iter().find(|attack| attack.task == *name))
    {
        Some(attack) => {
            let claim = format!(
                "no attack that was found makes a read longer than {}",
                at_most(attack.observed_ps)
            );
            let (verdict, share) = match attack.bound_ps {
                Some(most) if attack.observed_ps > most => {
                    (Verdict::Refuted, format!(", more than the bound of {}", at_most(most)))
                }
                Some(most) => (
                    Verdict::Observed,
                    format!(
                        ", {:.0} % of the bound",
                        100.0 * attack.observed_ps as f64 / most.max(1) as f64
                    ),
                ),
                None => (Verdict::Observed, ", and there is no bound".to_owned()),
            };
            let basis = format!(
                "{} attacks of {} cycles, seed {}{share}",
                attack.tries, attack.cycles, attack.seed
            );
            list.add(name, claim, verdict, basis, &[ATTACK]);
        }
        None => {
            let basis = "no attack was tried".to_owned();
            list.add(
                name,
                "what others can do to its reads at worst".to_owned(),
                Verdict::NotCovered,
                basis,
                &[],
            );
        }
    }
}

fn runs(count: u64) -> String {
    match count {
        1 => "one run of a simulation".to_owned(),
        count => format!("{count} runs of a simulation"),
    }
}

fn partition(list: &mut List, about: &About<'_>) {
    let partition = about.partition;
    let owners = |part: usize| partition.parts[part - 1].owners.join(", ");
    let seen = match (partition.pages.pages, partition.pages.exhaustive) {
        (0, _) => "no page was looked at".to_owned(),
        (pages, true) => format!("all {pages} pages of the memory were looked at one by one, and agree"),
        (pages, false) => format!(
            "{pages} of {} pages were looked at one by one, and agree",
            partition.pages.of_pages
        ),
    };
    if !partition.pages.agrees {
        let basis = "pages were seen in banks or sets that the functions give to another part".to_owned();
        list.add(
            "partition",
            "the functions of the map hold for its pages".to_owned(),
            Verdict::Refuted,
            basis,
            &[super::JSON],
        );
    }
    let is_measured = |part: usize| {
        let measured = about.found.bounds.iter().filter(|bound| bound.is_measured);
        measured
            .into_iter()
            .any(|bound| partition.parts[part - 1].owners.contains(&bound.task))
    };
    // What those in the background do to each other stands in the partition alone.
    for pair in partition
        .pairs
        .iter()
        .filter(|pair| pair.parts.into_iter().any(is_measured))
    {
        let [a, b] = pair.parts;
        let about = format!("parts {a} and {b}");
        for (what, apart) in [("bank", &pair.banks), ("line of a last-level cache", &pair.cache)] {
            let claim = format!("pages of {} and {} share no {what}", owners(a), owners(b));
            match apart.apart {
                true if apart.by_colors => list.add(
                    &about,
                    claim,
                    Verdict::Proven,
                    format!("{}; {seen}", apart.why),
                    &[super::JSON, MACHINE],
                ),
                true => list.add(
                    &about,
                    claim,
                    Verdict::Proven,
                    apart.why.clone(),
                    &[super::JSON, MACHINE],
                ),
                false => list.add(&about, claim, Verdict::NotCovered, apart.why.clone(), &[super::JSON]),
            };
        }
    }
    if let Some(rows) = &partition.rows {
        let claim = format!("rows of different row domains are more than {} apart", rows.blast);
        let verdict = if rows.apart {
            Verdict::Observed
        } else {
            Verdict::Refuted
        };
        let basis = format!(
            "a judge that shares no code with what divides the memory looked at {} rows of the simulation: {}",
            rows.rows, rows.found
        );
        list.add("partition", claim, verdict, basis, &[SIM]);
    }
}

fn machine(list: &mut List, about: &About<'_>) {
    let machine = about.machine;
    let map = &machine.map_evidence;
    let verdict = if map.on_hardware {
        Verdict::Observed
    } else {
        Verdict::Assumed
    };
    let mut files = vec![MACHINE, machine.file.as_str()];
    files.extend(map.file.as_deref());
    let claim = "addresses lie in the banks that the map says".to_owned();
    list.add(&machine.name, claim, verdict, map.found.clone(), &files);
    let claim = "timing, queues and policies of the controllers are those of the model".to_owned();
    let basis = format!(
        "{} published sources, {} assumptions",
        machine.sources.len(),
        machine.assumptions.len()
    );
    list.add(&machine.name, claim, Verdict::Assumed, basis, &[MACHINE, &machine.file]);
}

fn live(list: &mut List, about: &About<'_>) {
    let claim = "live processes have what was requested".to_owned();
    let Some(live) = about.live.filter(|live| live.ran) else {
        let basis = "not measured on hardware".to_owned();
        list.add("live run", claim, Verdict::NotCovered, basis, &[]);
        return;
    };
    for process in &live.processes {
        let name = process.tasks.join(", ");
        let claim = format!("it has what was requested: {}", process.requested);
        let verdict = match process.holds {
            Some(true) => Verdict::Observed,
            Some(false) => Verdict::Refuted,
            None => Verdict::NotCovered,
        };
        let basis = format!("{}; {}", process.applied, process.measured);
        list.add(&name, claim, verdict, basis, &[&live.file]);
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, Verdict, at_most, hold};

    #[test]
    fn times_are_rounded_up() {
        assert_eq!(at_most(5_106_875), "5.107 us");
        assert_eq!(at_most(2_000_000_001), "2.001 ms");
        assert_eq!(at_most(999_999), "999.999 ns");
        assert_eq!(at_most(0), "0.000 ns");
        assert_eq!(at_most(u64::MAX), "18446744.074 s");
    }

    #[test]
    fn what_is_refuted_or_needed_and_missing_does_not_hold() {
        let claim = |verdict, needed| Claim {
            about: String::new(),
            claim: String::new(),
            verdict,
            basis: String::new(),
            files: Vec::new(),
            needed,
        };
        assert!(hold(&[claim(Verdict::Proven, true), claim(Verdict::NotCovered, false)]));
        assert!(!hold(&[claim(Verdict::Proven, true), claim(Verdict::Refuted, false)]));
        assert!(!hold(&[claim(Verdict::NotCovered, true)]));
    }
}
