// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the verbs find that the evidence rests on: bounds, attacks, a simulation, the check of a plan. Each is kept as the verb itself prints it
//! when it is run in the folder.

use super::facts::{
    AttackFacts, BoundFacts, PlanFacts, PromiseFacts, RowCheck, SimulatedTask, SimulationFacts, Term, Unbounded,
};
use super::subject::Subject;
use super::{Args, formulas};
use crate::failure::Failure;
use crate::progress;
use crate::shown::Results;
use crate::simulate::{self, simulate};
use crate::stop::Stop;
use crate::verbs::attack::{self, Attacks};
use crate::verbs::bound::{self, Bounds, Measure, Reason};
use crate::verbs::check;
use crate::verbs::machine::{self, MachineView};
use fresco_attack::Search;
use fresco_report::{Document, Provenance};
use fresco_scenario::Role;
use fresco_show::plan::assumptions;
use fresco_system::planned::{Run, promised};
use fresco_system::results::{RunResult, ScenarioResult};
use serde::Serialize;
use std::collections::BTreeMap;

/// Files of results.
pub const BOUND: &str = "bound.json";
pub const ATTACK: &str = "attack.json";
pub const SIM: &str = "sim.json";
pub const CHECK: &str = "check.json";
pub const MACHINE: &str = "machine.json";

/// What the runs of a scenario or plan found.
pub struct Found {
    pub bounds: Vec<BoundFacts>,
    pub attacks: Option<Vec<AttackFacts>>,
    pub simulation: SimulationFacts,
    pub rows: Option<RowCheck>,
    pub plan: Option<PlanFacts>,
}

fn document<T: Serialize>(schema: &str, provenance: &Provenance, data: &T) -> Result<Vec<u8>, Failure> {
    let document = Document {
        schema,
        provenance,
        data,
    };
    Ok(document.to_bytes()?)
}

/// Runs everything; `None` if Ctrl-C came before.
///
/// # Errors
/// What a run finds.
pub fn all(args: &Args, subject: &mut Subject, stop: &Stop) -> Result<Option<Found>, Failure> {
    keep_machine(subject)?;
    let plan = subject.plan.is_some().then(|| checked(subject)).transpose()?;
    let mut bounds = None;
    if let Some((scenario, _)) = &subject.scenario {
        let measure = Measure {
            scenario,
            stop: stop.clone(),
            bar: progress::bar(0, "bounds"),
            threads: 0,
        };
        let mut found = measure.reads();
        measure.work(&mut found)?;
        measure.bar.finish_and_clear();
        bounds = Some((found, scenario.seed));
    }
    if stop.is_asked() {
        return Ok(None);
    }
    let Some(result) = simulated(subject, stop)? else {
        return Ok(None);
    };
    if let Some((bounds, seed)) = &mut bounds {
        // Of a plan the tasks run as planned, which is another run than that of the tasks as a scenario.
        let rest = match subject.plan {
            None => {
                bound::note(&result, bounds);
                "--observe --json"
            }
            Some(_) => "--json",
        };
        let command = subject.command("bound", rest);
        let provenance = subject.provenance(&command, *seed, false);
        let bytes = document(bound::SCHEMA, &provenance, bounds)?;
        subject
            .copies
            .add_result(BOUND, bytes, "bounds of reads and work", &command);
    }
    let attacks = match args.no_attack || subject.scenario.is_none() {
        true => None,
        false => match attacked(args, subject, stop)? {
            Some(attacks) => Some(attacks),
            None => return Ok(None),
        },
    };
    Ok(Some(Found {
        bounds: bounds.iter().flat_map(|(bounds, _)| bound_facts(bounds)).collect(),
        attacks,
        rows: rows(subject, &result),
        simulation: simulation(&result),
        plan,
    }))
}

/// The machine as it is used, with what the scenario changes of it.
fn keep_machine(subject: &mut Subject) -> Result<(), Failure> {
    let named = &subject.machine;
    let mut words = vec![
        "fresco machine show".to_owned(),
        crate::provenance::quoted(&named.given),
    ];
    for (key, value) in &named.changes {
        words.push(format!(
            "--set {}",
            crate::provenance::quoted(&format!("{key}={value}"))
        ));
    }
    words.push("--json".to_owned());
    let command = words.join(" ");
    let mut provenance = subject.provenance(&command, None, false);
    (provenance.scenario, provenance.inputs) = (None, Vec::new());
    let bytes = document(machine::SCHEMA, &provenance, &MachineView::new(&subject.model))?;
    subject
        .copies
        .add_result(MACHINE, bytes, "the machine, with what is changed of it", &command);
    Ok(())
}

fn checked(subject: &mut Subject) -> Result<PlanFacts, Failure> {
    let Some(loaded) = &subject.plan else {
        return Err(fresco_input::InputError::new("evidence", "found no plan")
            .internal()
            .into());
    };
    let verdict = check::verdict(&loaded.plan, &loaded.machine);
    let violations = verdict.violation.iter().map(ToString::to_string);
    let objections = violations.chain(verdict.report.unverified.iter().map(ToString::to_string));
    let facts = PlanFacts {
        method: loaded.plan.method,
        verdict: verdict.verdict,
        sound: verdict.sound,
        facts: verdict.report.facts.clone(),
        warnings: verdict.report.warnings.clone(),
        objections: objections.collect(),
        promises: promised(&loaded.plan).into_iter().map(str::to_owned).collect(),
        deadlines: assumptions::deadlines(&loaded.plan),
        assumptions: assumptions::assumed(&loaded.plan),
    };
    let command = subject.command("check", "--json");
    let provenance = subject.provenance(&command, None, true);
    let bytes = document(check::SCHEMA, &provenance, &verdict)?;
    subject
        .copies
        .add_result(CHECK, bytes, "what was verified of the plan", &command);
    Ok(facts)
}

/// The runs of the scenario, or that of the plan; `None` if Ctrl-C came before they were whole.
fn simulated(subject: &mut Subject, stop: &Stop) -> Result<Option<ScenarioResult>, Failure> {
    let subjects = [match (subject.plan.take(), &subject.scenario) {
        (Some(plan), _) => simulate::Subject::Plan(Box::new(plan), Run::default()),
        (None, Some((scenario, _))) => simulate::Subject::Scenario(Box::new(scenario.clone()), subject.file.clone()),
        (None, None) => return Ok(None),
    }];
    let mut made = simulate(&subjects, 0, stop);
    let (fault, is_stopped) = (made.faults.pop(), made.stopped.is_some());
    let mut results = std::mem::take(&mut made.results);
    drop(made);
    let [run] = subjects;
    let is_plan = match run {
        simulate::Subject::Plan(plan, _) => {
            subject.plan = Some(*plan);
            true
        }
        simulate::Subject::Scenario(..) => false,
    };
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    if is_stopped || results.is_empty() {
        return Ok(None);
    }
    let command = subject.command("sim", "--json");
    let provenance = subject.provenance(&command, results[0].seed, is_plan);
    let results = Results {
        scenarios: vec![results.swap_remove(0)],
    };
    let bytes = results.json(&provenance)?;
    subject
        .copies
        .add_result(SIM, bytes, "what a simulation showed", &command);
    Ok(results.scenarios.into_iter().next())
}

/// Attacks on each measured task; `None` if Ctrl-C came before all were tried.
fn attacked(args: &Args, subject: &mut Subject, stop: &Stop) -> Result<Option<Vec<AttackFacts>>, Failure> {
    let Some((scenario, setup)) = &subject.scenario else {
        return Ok(None);
    };
    let setup = &**setup;
    let measured = |number: &usize| setup.tasks[setup.copies[*number].task].role == Role::Measured;
    let victims: Vec<usize> = (0..setup.copies.len()).filter(measured).collect();
    let how = Search {
        tries: args.tries,
        cycles: attack::DEFAULT_CYCLES,
        seed: scenario.seed,
    };
    let user = attack::User {
        bar: progress::bar(args.tries.saturating_mul(victims.len() as u64), "attacks"),
        stop: stop.clone(),
    };
    let tasks = victims
        .into_iter()
        .filter_map(|copy| attack::attacked(setup, copy, &how, &user));
    let attacks = Attacks {
        scenario: scenario.name.clone(),
        tasks: tasks.collect(),
    }
    .told(setup);
    user.bar.finish_and_clear();
    if stop.is_asked() {
        return Ok(None);
    }
    let command = subject.command("attack", &format!("--tries {} --json", args.tries));
    let provenance = subject.provenance(&command, how.seed, false);
    let bytes = document(attack::SCHEMA, &provenance, &attacks)?;
    subject
        .copies
        .add_result(ATTACK, bytes, "the worst attacks that were found", &command);
    let facts = attacks.tasks.iter().map(|task| AttackFacts {
        task: task.name.clone(),
        tries: task.tries,
        cycles: task.search.cycles,
        seed: task.search.seed,
        observed_ps: task.observed_ps,
        bound_ps: task.bound_ps,
    });
    Ok(Some(facts.collect()))
}

fn bound_facts(bounds: &Bounds) -> Vec<BoundFacts> {
    let tasks = bounds.points.iter().flat_map(|point| &point.tasks);
    let facts = tasks.map(|task| {
        let terms = task.reads.iter().flat_map(|reads| {
            let several = reads.crowd.of_bank > 1;
            reads.bound.parts().map(|(term, cycles)| Term {
                term,
                cycles,
                formula: formulas::of(term, several),
            })
        });
        let unbounded = |what, reason: &Option<Reason>| {
            reason.as_ref().map(|reason| Unbounded {
                what,
                why: reason.why.clone(),
                way_out: reason.way_out.clone(),
            })
        };
        let reasons = [
            unbounded("reads", &task.reads_unbounded),
            unbounded("work", &task.work_unknown),
        ];
        BoundFacts {
            task: task.name.clone(),
            core: task.core,
            is_measured: task.is_measured,
            read_ps: task.reads.as_ref().map(|reads| reads.longest_ps),
            terms: terms.collect(),
            observed_read_ps: task.observed_read_ps,
            work_ps: task.work.as_ref().map(|work| work.longest_ps),
            work_alone_ps: task.work.as_ref().map(|work| work.alone.time_ps),
            observed_work_ps: task.observed_work_ps,
            unbounded: reasons.into_iter().flatten().collect(),
        }
    });
    facts.collect()
}

fn runs(result: &ScenarioResult) -> impl Iterator<Item = &RunResult> {
    result.points.iter().flat_map(|point| &point.runs)
}

fn simulation(result: &ScenarioResult) -> SimulationFacts {
    let mut tasks: Vec<SimulatedTask> = Vec::new();
    let mut promises: BTreeMap<String, PromiseFacts> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for run in runs(result) {
        for task in &run.tasks {
            let (jobs, missed) = task.jobs.as_ref().map_or((0, 0), |jobs| (jobs.completed, jobs.misses));
            let (reads, longest) = (task.reads.count, task.reads.in_memory_max_ps);
            match tasks.iter_mut().find(|known| known.task == task.name) {
                Some(known) => {
                    known.reads += reads;
                    known.longest_read_ps = known.longest_read_ps.max(longest);
                    known.jobs += jobs;
                    known.missed += missed;
                }
                None => tasks.push(SimulatedTask {
                    task: task.name.clone(),
                    reads,
                    longest_read_ps: longest,
                    jobs,
                    missed,
                }),
            }
        }
        for promise in &run.promises {
            if !promises.contains_key(&promise.what) {
                order.push(promise.what.clone());
            }
            let known = promises.entry(promise.what.clone()).or_insert_with(|| PromiseFacts {
                what: promise.what.clone(),
                kept: true,
                found: String::new(),
            });
            // The first that is broken is told, else the last.
            if known.kept {
                known.kept = promise.kept;
                known.found.clone_from(&promise.found);
            }
        }
    }
    SimulationFacts {
        runs: runs(result).count() as u64,
        seed: result.seed,
        tasks,
        promises: order.iter().filter_map(|what| promises.remove(what)).collect(),
    }
}

/// What the judge of row domains says of the pages of the simulation.
fn rows(subject: &Subject, result: &ScenarioResult) -> Option<RowCheck> {
    let rows = subject.scenario.as_ref()?.1.rows.as_ref()?;
    let judged: Vec<_> = runs(result).filter_map(|run| run.rows_apart.as_ref()).collect();
    let seen = judged.iter().map(|judged| judged.rows).sum();
    let nearest = judged.iter().filter_map(|judged| judged.nearest).min();
    let blast = rows.request.blast;
    Some(RowCheck {
        blast,
        rows: seen,
        found: match nearest {
            Some(nearest) => format!("the nearest rows of two owners are {nearest} apart"),
            None => "no bank has rows of two owners".to_owned(),
        },
        apart: !judged.is_empty() && nearest.is_none_or(|nearest| nearest > blast),
    })
}
