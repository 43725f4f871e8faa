// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt proofs, and tasks that a proof no longer holds for.

use crate::mutations::edit::{demand, responses};
use crate::mutations::sound::Sound;
use fresco_plan::plan::Evidence;
use fresco_plan::{Method, Plan};
use fresco_rt::policy::{Order, Policy};

const PROVED: [Method; 6] = [
    Method::AutoRefresh,
    Method::Burst,
    Method::ColoredRefresh,
    Method::Crs,
    Method::Aligned,
    Method::Flat,
];

#[test]
fn proofs_of_other_tasks() {
    for method in PROVED {
        let sound = Sound::two(method);
        sound.refused(
            |plan| plan.proofs.clear(),
            "tasks[0] (a)",
            "nothing proves its deadline",
        );
        sound.refused(|plan| plan.proofs[0].tasks.push(2), "proofs[0]", "there is no task 2");
        sound.refused(|plan| plan.proofs[0].tasks.clear(), "proofs[0]", "leaves out");
        let again = |plan: &mut Plan| {
            let proof = plan.proofs[0].clone();
            plan.proofs.push(proof);
        };
        sound.refused(again, "proofs[", "is proved twice");
        let heavier = |plan: &mut Plan| plan.tasks[1].wcet_ns = 29_500_000;
        sound.refused(heavier, "", "");
        let shorter = |plan: &mut Plan| {
            plan.tasks[1].deadline_ns = 9_000_000;
            plan.tasks[1].response_bound_ns = Some(9_000_000);
        };
        sound.refused(shorter, "", "");
    }
    // A proof that leaves out a task which shares the time, though another speaks of that.
    for method in [Method::AutoRefresh, Method::Burst, Method::Aligned, Method::Flat] {
        let split = |plan: &mut Plan| {
            let mut second = plan.proofs[0].clone();
            second.tasks = vec![plan.proofs[0].tasks.pop().expect("speaks of two")];
            plan.proofs.push(second);
        };
        Sound::two(method).refused(split, "proofs[0]", "leaves out b, which shares the time");
    }
}

#[test]
fn proofs_that_rest_on_anothers_time() {
    let sound = Sound::two(Method::Crs);
    // Server 1 has more time, but b runs in that of server 0.
    let both = |plan: &mut Plan| {
        plan.proofs.remove(0);
        plan.proofs[0].tasks = vec![0, 1];
    };
    sound.refused(both, "proofs[0]", "speaks of b, which runs in another color's time");
    sound.refused(|plan| plan.proofs[0].color = Some(1), "proofs[0]", "");
    sound.refused(|plan| plan.proofs[0].color = None, "proofs[0]", "leaves out a");
    sound.refused(|plan| plan.proofs[0].color = Some(9), "proofs[0]", "");
    for method in [Method::AutoRefresh, Method::Crs, Method::Aligned, Method::Flat] {
        let four = Sound::four(method);
        four.refused(|plan| plan.proofs[0].core = Some(1), "proofs[0]", "");
        four.refused(|plan| plan.proofs[0].core = None, "proofs[0]", "names no core");
        four.refused(|plan| plan.proofs[0].core = Some(u32::MAX), "proofs[0]", "");
    }
}

#[test]
fn spoilt_demand() {
    let sound = Sound::four(Method::Crs);
    let steps = demand(&mut sound.plan.clone(), 0).steps.len();
    assert!(steps > 2, "a chain of {steps} steps");
    for step in 0..steps {
        sound.refused(|plan| _ = demand(plan, 0).steps.remove(step), "proofs[0]", "left out");
        sound.refused(|plan| demand(plan, 0).steps[step].reached /= 2, "proofs[0]", "");
        sound.refused(
            |plan| demand(plan, 0).steps[step].reached = u64::MAX,
            "proofs[0]",
            "left out",
        );
        sound.refused(|plan| demand(plan, 0).steps[step].t = u64::MAX, "proofs[0]", "left out");
    }
    // The tasks by name, times with their unit.
    let names: Vec<&str> = sound.plan.proofs[0]
        .tasks
        .iter()
        .map(|&task| &*sound.plan.tasks[task].name)
        .collect();
    let left_out = format!(" ns are left out, of {}", names.join(", "));
    sound.refused(|plan| demand(plan, 0).steps.clear(), "proofs[0]", &left_out);
    sound.refused(|plan| demand(plan, 0).steps.reverse(), "proofs[0]", "left out");
    sound.refused(
        |plan| demand(plan, 0).horizon = 0,
        "proofs[0]",
        "the horizon does not bound",
    );
    sound.refused(|plan| demand(plan, 0).horizon /= 2, "proofs[0]", "");
    sound.refused(|plan| demand(plan, 0).horizon = u64::MAX, "proofs[0]", "left out");
    let bound = "the proof gives 40000000";
    sound.refused(
        |plan| plan.tasks[1].response_bound_ns = Some(39_999_999),
        "proofs[0]",
        bound,
    );
    sound.refused(|plan| plan.tasks[1].response_bound_ns = None, "proofs[0]", bound);
}

#[test]
fn spoilt_responses() {
    for method in [Method::AutoRefresh, Method::Burst, Method::Crs, Method::Aligned] {
        let sound = Sound::two_by_priority(method);
        for proof in 0..sound.plan.proofs.len() {
            let place = format!("proofs[{proof}]");
            let first = sound.plan.proofs[proof].tasks[0];
            let less = |plan: &mut Plan| responses(plan, proof).responses[0] -= 1;
            let unserved = format!("{} is not served within its deadline", sound.plan.tasks[first].name);
            sound.refused(less, &place, &unserved);
            let more = |plan: &mut Plan| responses(plan, proof).responses[0] = u64::MAX;
            sound.refused(more, &place, "is not served within its deadline");
            sound.refused(
                |plan| _ = responses(plan, proof).responses.pop(),
                &place,
                "do not fit the tasks",
            );
            sound.refused(
                |plan| _ = responses(plan, proof).ranking.pop(),
                &place,
                "do not fit the tasks",
            );
            let bound = |plan: &mut Plan| *plan.tasks[first].response_bound_ns.as_mut().expect("is bounded") -= 1;
            sound.refused(bound, &place, "the proof gives");
        }
        sound.refused(|plan| plan.policy = Policy::Edf, "proofs[0]", "is for another policy");
    }
    let sound = Sound::two_by_priority(Method::AutoRefresh);
    let swapped = |plan: &mut Plan| {
        let certificate = responses(plan, 0);
        certificate.ranking.swap(0, 1);
        certificate.responses.fill(12_000_000);
    };
    sound.refused(swapped, "proofs[0]", "");
    let patient = |plan: &mut Plan| {
        // With b first, a would still be in time; but a has priority.
        let certificate = responses(plan, 0);
        certificate.ranking = vec![1, 0];
        certificate.responses = vec![11_000_000, 10_000_000];
        plan.tasks[0].period_ns = 40_000_000;
        plan.tasks[0].deadline_ns = 20_000_000;
        plan.tasks[0].response_bound_ns = Some(11_000_000);
        plan.tasks[1].response_bound_ns = Some(10_000_000);
    };
    sound.refused(patient, "proofs[0]", "counts with other priorities");
    let edf = Sound::two(Method::AutoRefresh);
    let order = Policy::FixedPriority(Order::RateMonotonic);
    edf.refused(|plan| plan.policy = order, "proofs[0]", "is for another policy");
}

#[test]
fn spoilt_runs() {
    let sound = Sound::two(Method::Flat);
    sound.refused(
        |plan| plan.tasks[0].response_bound_ns = Some(1),
        "proofs[0]",
        "the proof gives",
    );
    sound.refused(
        |plan| plan.tasks[1].wcet_ns = 29_000_000,
        "proofs[0]",
        "misses its deadline",
    );
    sound.refused(
        |plan| plan.tasks[0].deadline_ns = 3_874_199,
        "tasks[0] (a)",
        "beyond its deadline",
    );
}

/// What could not be looked at to its end is neither sound nor not; what is wrong elsewhere counts more.
#[test]
fn runs_that_are_too_long() {
    let sound = Sound::two(Method::Flat);
    // 64 ms and a prime near 10 ms: 10^7 turns of two jobs of 32 ms, six jobs of 10 ms and six spans each.
    let prime = |plan: &mut Plan| plan.tasks[0].period_ns = 9_999_991;
    let limit = "more than the 16777216 that are looked at";
    sound.unverifiable(prime, "proofs[0]", limit);
    let endless = |plan: &mut Plan| {
        plan.tasks[0].period_ns = 999_999_999_989;
        plan.tasks[1].period_ns = 999_999_999_961;
    };
    sound.unverifiable(endless, "proofs[0]", "2^64 ns");
    let both = |plan: &mut Plan| {
        plan.tasks[0].period_ns = 9_999_991;
        plan.tasks[1].core = Some(9);
    };
    sound.refused(both, "tasks[1] (b)", "is bound to a core");
}

#[test]
fn evidence_of_another_kind() {
    for method in PROVED {
        let sound = Sound::two(method);
        if !matches!(sound.plan.proofs[0].evidence, Evidence::Table) {
            sound.refused(|plan| plan.proofs[0].evidence = Evidence::Table, "proofs[0]", "");
        }
    }
    let run = Evidence::Run { jobs: 10 };
    let auto = Sound::two(Method::AutoRefresh);
    auto.refused(
        |plan| plan.proofs[0].evidence = run.clone(),
        "proofs[0]",
        "is a run, which",
    );
    let table = Sound::two(Method::ColoredRefresh);
    table.refused(|plan| plan.proofs[0].evidence = run.clone(), "proofs[0]", "");
    let fair = Sound::batch();
    let proof = auto.plan.proofs[0].clone();
    fair.refused(
        |plan| plan.proofs.push(proof),
        "proofs",
        "fair shares guarantee nothing",
    );
}
