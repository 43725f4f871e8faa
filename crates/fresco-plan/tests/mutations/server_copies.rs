// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt copy tasks in servers (CRS-11): which instance a job uses, where it lies, and when the data are copied.

use crate::mutations::edit::{locks, servers, window};
use crate::mutations::sound::Sound;
use fresco_plan::plan::Evidence;
use fresco_plan::{Method, Plan};

/// The numbers of the jobs whose instance is another than that of the job before.
fn copying(plan: &Plan) -> Vec<usize> {
    let jobs = &plan.tasks[0].instance_of_job;
    let before = |job: usize| (job + jobs.len() - 1) % jobs.len();
    (0..jobs.len()).filter(|&job| jobs[job] != jobs[before(job)]).collect()
}

#[test]
fn instances_of_other_jobs() {
    let sound = Sound::copies_in_servers();
    let (task, list) = ("tasks[0] (short)", "tasks[0] (short).instance_of_job");
    let copies = copying(&sound.plan);
    assert_eq!(copies.len(), 2, "two copies per retention time (F11)");
    // The jobs in whose windows a color is locked: 4.5 ms from 0 and from 32 ms. The others may use either.
    for job in [0, 1, 8, 9] {
        let other = |plan: &mut Plan| plan.tasks[0].instance_of_job[job] ^= 1;
        sound.refused(other, list, &format!("job {job} copies in a window in which color"));
    }
    sound.refused(
        |plan| plan.tasks[0].instance_of_job.rotate_left(8),
        "proofs[0]",
        "misses its deadline",
    );
    sound.refused(
        |plan| plan.tasks[0].instance_of_job.fill(0),
        "proofs[0]",
        "misses its deadline",
    );
    sound.refused(
        |plan| plan.tasks[0].instance_of_job.fill(1),
        "proofs[0]",
        "misses its deadline",
    );
    sound.refused(
        |plan| plan.tasks[0].instance_of_job[3] = 2,
        task,
        "names instances that it does not have",
    );
    sound.refused(
        |plan| plan.tasks[0].instance_of_job.clear(),
        task,
        "nothing says which a job uses",
    );
    sound.refused(
        |plan| _ = plan.tasks[0].instance_of_job.pop(),
        list,
        "do not last for whole retention times",
    );
    let longest = |plan: &mut Plan| plan.tasks[0].instance_of_job = vec![0; (1 << 20) + 16];
    sound.refused(longest, task, "names instances that it does not have");
    // One instance for one task: a list by job has no meaning for it.
    sound.refused(
        |plan| plan.tasks[1].instance_of_job = vec![0; 2],
        "tasks[1] (long)",
        "has 1 instances, and 2 jobs",
    );
}

#[test]
fn instances_elsewhere() {
    let sound = Sound::copies_in_servers();
    let task = "tasks[0] (short)";
    sound.refused(|plan| _ = plan.tasks[0].instances.pop(), task, "");
    sound.refused(|plan| plan.tasks[0].instances.swap(0, 1), "", "");
    sound.refused(
        |plan| plan.tasks[0].instances[1] = plan.tasks[0].instances[0].clone(),
        task,
        "runs with colors 0, 1, has memory in colors 0, 0",
    );
    sound.refused(
        |plan| plan.tasks[0].instances[1] = vec![524_288; 2],
        task,
        "a color is locked without regard to the others",
    );
    sound.refused(
        |plan| plan.tasks[0].instances[1][1] -= 4096,
        "tasks[0] (short).instances[1]",
        "holds 1044480 bytes",
    );
    sound.refused(|plan| plan.tasks[0].instances[1].fill(0), task, "has memory in color 0");
    // Two colors with memory for one instance each, and no more.
    sound.refused(
        |plan| plan.tasks[0].instances[1][1] = 5 << 30,
        "colors[1]",
        "its capacity is",
    );
    for server in 0..2 {
        let without = |plan: &mut Plan| servers(plan)[0].servers[server].tasks.retain(|&task| task != 0);
        sound.refused(without, task, "has memory in colors 0, 1");
    }
    let twice = |plan: &mut Plan| servers(plan)[0].servers[0].tasks.push(0);
    sound.refused(twice, task, "runs in two places");
}

#[test]
fn copies_that_cost_nothing_or_too_much() {
    let sound = Sound::copies_in_servers();
    sound.refused(
        |plan| plan.tasks[0].copy_ns = None,
        "tasks[0] (short)",
        "no time to copy",
    );
    sound.refused(
        |plan| plan.tasks[0].copy_ns = Some(0),
        "tasks[0] (short)",
        "no time to copy",
    );
    sound.refused(
        |plan| plan.tasks[0].copy_ns = Some(3_000_001),
        "proofs[0]",
        "misses its deadline",
    );
    sound.refused(
        |plan| plan.tasks[0].copy_ns = Some(u64::MAX),
        "tasks[0] (short)",
        "exceed 1000 s",
    );
    // Of 256 KiB, too, each line passes the data buses twice.
    sound.refused(
        |plan| plan.tasks[0].global_bytes *= 64,
        "tasks[0] (short).copy_ns",
        "is 4481; the data buses need 40960 ns",
    );
    sound.refused(
        |plan| plan.tasks[0].copy_ns = Some(1),
        "tasks[0] (short).copy_ns",
        "the data buses need",
    );
    sound.refused(
        |plan| plan.tasks[0].global_bytes *= 512,
        "tasks[0] (short).global_bytes",
        "of memory",
    );
    sound.refused(
        |plan| plan.tasks[0].wcet_ns = 3_999_999,
        "proofs[0]",
        "misses its deadline",
    );
}

#[test]
fn proofs_of_copies() {
    let sound = Sound::copies_in_servers();
    sound.refused(
        |plan| plan.tasks[0].response_bound_ns = Some(1_000),
        "proofs[0]",
        "the proof gives",
    );
    sound.refused(|plan| plan.proofs[0].core = Some(1), "proofs[0]", "");
    sound.refused(|plan| _ = plan.proofs[0].tasks.pop(), "", "");
    sound.refused(|plan| plan.proofs[0].tasks.push(0), "proofs[0]", "is proved twice");
    sound.refused(
        |plan| plan.proofs[0].evidence = Evidence::Table,
        "proofs[0]",
        "names tasks out of order",
    );
    // Demand in slots of one color says nothing of a task that changes colors.
    let of_one = Sound::two(Method::Crs).plan.proofs[0].evidence.clone();
    sound.refused(|plan| plan.proofs[0].evidence = of_one, "proofs[0]", "");
    sound.refused(
        |plan| servers(plan)[0].servers[0].budget_ns /= 64,
        "proofs[0]",
        "misses its deadline",
    );
    sound.refused(
        |plan| plan.tasks[0].phase_ns += 32_000_000,
        "proofs[0]",
        "misses its deadline",
    );
}

/// Locks at another time meet the copies, or the refresh.
#[test]
fn locks_and_refresh_of_copies() {
    let sound = Sound::copies_in_servers();
    sound.refused(
        |plan| window(plan, 0).start_ns += 1,
        "refresh.windows",
        "outside the burst",
    );
    let moved = |plan: &mut Plan| {
        // The lock with its refresh: only the copies and the jobs know.
        locks(plan).phase_ns[0] += 16_000_000;
        window(plan, 0).start_ns += 16_000_000;
    };
    sound.refused(moved, "", "");
}
