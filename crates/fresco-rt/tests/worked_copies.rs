// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copy tasks under the Colored Refresh Server (CRS-11): tables of instances, Table 5.2 at 32 and 64 Gb, and properties.

use fresco_rt::copies::{
    CopyTask, CopyVerdict, InstanceTable, NoInstances, Switch, assign_instances, copies_test, least_gap,
    servers_with_copies, switches_twice,
};
use fresco_rt::executive::{Answer, CoAssign, Cores, Problem, Rotation, Slicing};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::{Burst, Density, RETENTION};
use fresco_rt::search::{Sought, Space, partition};
use fresco_rt::toplevel::{Locks, Server, TopLevel};
use fresco_rt::{Patience, Task, Time};
use proptest::prelude::*;

const MS: Time = 1_000_000;
/// Time of a copy in the worked examples.
const COPY: Time = 50_000;

fn task(name: &str, period: Time, wcet: Time) -> Task {
    Task::new(name, 0, period, wcet, period).unwrap()
}

fn table_5_2() -> Vec<Task> {
    vec![
        task("cnt", 20 * MS, 3 * MS),
        task("lms", 10 * MS, 1_600_000),
        task("st", 8 * MS, 2 * MS),
        task("compress", 10 * MS, 1_200_000),
        task("matmult", 40 * MS, 10 * MS),
    ]
}

fn locks(density: Density, handler: Time) -> Locks {
    Locks::of_two_servers(RETENTION, Burst::Standard.length(density), handler, handler).unwrap()
}

/// What is asked of a task with two instances.
#[derive(Clone, Copy, PartialEq)]
enum Handing {
    /// Nothing: its jobs are independent. Each is charged a copy.
    Nothing,
    /// Data go from job to job, copied while neither color is refreshed.
    Data,
}

/// Returns true if Table 5.2 can run at all between fixed bursts, with two instances of the tasks in `copied` (F8, F9).
fn clairvoyant(density: Density, copied: &[usize], handing: Handing) -> bool {
    let mut tasks = table_5_2();
    for &i in copied.iter().filter(|_| handing == Handing::Nothing) {
        tasks[i].wcet += COPY;
    }
    let rotation = Rotation::bursts(RETENTION, 2, Burst::Standard.length(density)).unwrap();
    let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
    let mut question = CoAssign::one_color(&problem);
    question.capacity = vec![10; 2];
    for &task in copied {
        question.instances[task] = 2;
        question.copy_cost[task] = (handing == Handing::Data).then_some(COPY);
    }
    match question.solve().unwrap().0 {
        Answer::Found(_) => true,
        Answer::Impossible(_) => false,
        Answer::Unknown => panic!("out of budget"),
    }
}

#[test]
fn table_5_2_needs_copies_from_32_gigabits() {
    for handing in [Handing::Nothing, Handing::Data] {
        assert!(clairvoyant(Density::Gb16, &[], handing));
        assert!(!clairvoyant(Density::Gb32, &[], handing));
        assert!(clairvoyant(Density::Gb32, &[2], handing), "st alone");
        assert!(
            !clairvoyant(Density::Gb32, &[0, 1, 3, 4], handing),
            "nothing else in its place"
        );
    }
}

/// At 64 Gb every task needs two instances; and data cannot be handed on safely then, though there is time enough: no gap between
/// refreshes holds a whole job of every task at the right moment (F10).
#[test]
fn table_5_2_needs_copies_of_all_at_64_gigabits() {
    let all = [0, 1, 2, 3, 4];
    assert!(clairvoyant(Density::Gb64, &all, Handing::Nothing));
    for kept in all {
        let others: Vec<usize> = all.into_iter().filter(|&task| task != kept).collect();
        assert!(!clairvoyant(Density::Gb64, &others, Handing::Nothing), "task {kept}");
    }
    assert!(!clairvoyant(Density::Gb64, &all, Handing::Data));
}

/// At 32 Gb `st` meets a lock as long as its period: two instances, two copies in each retention time.
#[test]
fn instances_of_st_at_32_gigabits() {
    let locks = locks(Density::Gb32, 0);
    assert_eq!(least_gap(&locks), Some(23_808_000));
    let st = &table_5_2()[2];
    assert!(switches_twice(st, &locks));
    let table = assign_instances(st, COPY, &locks, 0, Switch::Earliest).unwrap();
    assert_eq!((table.length, table.switches()), (RETENTION, 2));
    let colors: Vec<usize> = table.jobs.iter().map(|job| job.color).collect();
    // Color 1 is locked at 0 to 8.192 ms, color 0 at 32 to 40.192 ms.
    assert_eq!(colors, [0, 0, 1, 1, 1, 1, 0, 0]);
    let late = assign_instances(st, COPY, &locks, 0, Switch::Latest).unwrap();
    let colors: Vec<usize> = late.jobs.iter().map(|job| job.color).collect();
    assert_eq!(colors, [0, 0, 0, 1, 1, 1, 1, 0]);
}

fn found(workloads: [&[Task]; 2], shared: &[CopyTask], density: Density) -> Option<fresco_rt::copies::FoundWithCopies> {
    let space = Space::new(locks(density, 2_000), 250_000, 16 * MS);
    let found = servers_with_copies(workloads, shared, Policy::Edf, &space, Patience::ENDLESS).unwrap()?;
    let placed = found.order.map(|workload| workloads[workload]);
    let verdict = copies_test(&found.top, placed, shared, Policy::Edf, found.switch).unwrap();
    assert_eq!(verdict, CopyVerdict::Schedulable(found.instances.clone()));
    Some(found)
}

/// Where phases are known, servers hold Table 5.2 up to 16 Gb, with and without a copy of `compress`; sporadic tasks up to 8 Gb.
/// At 32 Gb none do, with a copy of `st` or without.
#[test]
fn servers_of_table_5_2_with_a_copy_task() {
    let tasks = table_5_2();
    let pick = |indices: &[usize]| -> Vec<Task> { indices.iter().map(|&i| tasks[i].clone()).collect() };
    let copy = |i: usize| CopyTask {
        task: tasks[i].clone(),
        copy_cost: COPY,
    };
    let space = Space::new(locks(Density::Gb16, 2_000), 250_000, 16 * MS);
    assert_eq!(
        partition(&tasks, None, Policy::Edf, &space, 40).unwrap(),
        Sought::Nowhere
    );
    let with = found([&pick(&[0, 2]), &pick(&[1, 4])], &[copy(3)], Density::Gb16).expect("servers");
    assert_eq!(with.instances[0].switches(), 10, "in 320 ms");
    assert!(found([&pick(&[0, 1, 3, 4]), &pick(&[2])], &[], Density::Gb16).is_some());
    assert!(found([&pick(&[0, 1]), &pick(&[3, 4])], &[copy(2)], Density::Gb32).is_none());
}

/// What copy tasks are for (CRS-11): a period shorter than the burst. Only with an instance in each server there are servers.
#[test]
fn a_task_shorter_than_the_burst_needs_both_servers() {
    let short = task("short", 8 * MS, MS / 2);
    let own = [[task("a", 64 * MS, 10 * MS)], [task("b", 64 * MS, 8 * MS)]];
    let [a, b] = &own;
    let shared = [CopyTask {
        task: short.clone(),
        copy_cost: COPY,
    }];
    let with = found([a, b], &shared, Density::Gb32).expect("servers");
    assert_eq!(with.instances[0].switches(), 2);
    let alone = |first: Vec<Task>, second: Vec<Task>| found([&first, &second], &[], Density::Gb32).is_some();
    assert!(alone(a.to_vec(), b.to_vec()));
    assert!(!alone(vec![a[0].clone(), short.clone()], b.to_vec()));
    assert!(!alone(a.to_vec(), vec![b[0].clone(), short]));
}

#[test]
fn tasks_without_a_table_say_why() {
    let refused = |task: &Task, locks: &Locks| assign_instances(task, COPY, locks, 0, Switch::Earliest).unwrap_err();
    let tasks = table_5_2();
    // The window of 40 ms meets both locks.
    assert_eq!(
        refused(&tasks[4], &locks(Density::Gb32, 0)),
        NoInstances::BothLocked(0, 0, 40 * MS)
    );
    // Windows of 16 ms fit the gaps of 15.6 ms never.
    assert!(matches!(
        refused(&task("t", 16 * MS, MS), &locks(Density::Gb64, 0)),
        NoInstances::NoSwitch(..)
    ));
    let st = task("st", 8 * MS, 8 * MS - 1);
    assert_eq!(
        refused(&st, &locks(Density::Gb32, 0)),
        NoInstances::CopyTooLong(8 * MS - 1 + COPY, 8 * MS)
    );
    let one = Locks::new(64, 0, 0, Vec::new()).unwrap();
    assert_eq!(refused(&st, &one), NoInstances::Colors(0));
    let top = TopLevel::new(
        [
            Server::new(4 * MS, 2 * MS).unwrap(),
            Server::new(4 * MS, 2 * MS).unwrap(),
        ],
        locks(Density::Gb32, 0),
    );
    let shared = [CopyTask {
        task: tasks[4].clone(),
        copy_cost: COPY,
    }];
    let verdict = copies_test(&top.unwrap(), [&[], &[]], &shared, Policy::Edf, Switch::Latest).unwrap();
    assert!(matches!(verdict, CopyVerdict::NoInstances(name, _) if name == "matmult"));
}

/// Small locks: color 1 from 0 on, color 0 from 24 on, tRET 48.
fn small(burst: Time) -> Locks {
    Locks::of_two_servers(48, burst, 1, 1).unwrap()
}

/// Whether color `c` is locked at `t`, from the definition.
fn locked(c: usize, t: Time, burst: Time) -> bool {
    let phase = [24, 0][c];
    (t + 48 - phase) % 48 < burst + 2
}

fn holds(table: &InstanceTable, task: &Task, burst: Time) {
    let clear = |k: u64, color: usize| {
        let release = task.phase + k * task.period;
        (release..release + task.deadline).all(|t| !locked(color, t, burst))
    };
    let count = table.jobs.len() as u64;
    assert_eq!(count * task.period % 48, 0);
    for k in 0..count {
        let (before, now) = (table.of_job(k + count - 1), table.of_job(k));
        assert!(clear(k, now.color), "job {k} meets its lock");
        assert_eq!(now.copies, before.color != now.color, "job {k}");
        assert!(
            !now.copies || clear(k, 0) && clear(k, 1),
            "the copy of job {k} meets a lock"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: proptest::test_runner::RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Every table holds; within the gap there is one, with at most two copies in a retention time (F11).
    #[test]
    fn tables_of_instances_hold(
        period in prop::sample::select(vec![4u64, 6, 8, 9, 12, 16, 24, 32]),
        phase in 0u64..50, less in 0u64..8, burst in 0u64..20, latest: bool,
    ) {
        let deadline = (period - less.min(period - 1)).max(1);
        let task = Task::new("t", phase, period, 1, deadline).unwrap();
        let switch = if latest { Switch::Latest } else { Switch::Earliest };
        let found = assign_instances(&task, 0, &small(burst), 0, switch);
        match &found {
            Ok(table) => holds(table, &task, burst),
            Err(NoInstances::BothLocked(_, from, to)) => {
                for color in 0..2 {
                    prop_assert!((*from..*to).any(|t| locked(color, t, burst)));
                }
            }
            Err(_) => {}
        }
        if switches_twice(&task, &small(burst)) {
            let table = found.unwrap();
            prop_assert!(table.switches() as Time <= 2 * (table.length / 48));
        }
    }

    /// The test of two servers against a simulation tick by tick: servers, locks and queues from their rules.
    #[test]
    fn the_test_is_exact(
        servers in (0usize..3, 1u64..8, 0usize..3, 1u64..8),
        own in ((1u64..4, 0u64..24), (1u64..4, 0u64..24)),
        copy in (1u64..4, 0u64..12, 0u64..2),
        burst in 0u64..10, fixed: bool,
    ) {
        const PERIODS: [Time; 3] = [6, 8, 12];
        let server = |p: usize, e: Time| (PERIODS[p], e.min(PERIODS[p]));
        let pair = [server(servers.0, servers.1), server(servers.2, servers.3)];
        let task = |name: &str, period: Time, (wcet, phase): (Time, Time)| {
            Task::new(name, phase, period, wcet, period).unwrap()
        };
        let workloads = [task("a", 24, own.0), task("b", 16, own.1)];
        let shared = CopyTask { task: task("c", 12, (copy.0, copy.1)), copy_cost: copy.2 };
        let policy = if fixed { Policy::FixedPriority(Order::DeadlineMonotonic) } else { Policy::Edf };
        let top = TopLevel::new(pair.map(|(p, e)| Server::new(p, e).unwrap()), small(burst)).unwrap();
        let [a, b] = &workloads;
        let verdict = copies_test(
            &top,
            [std::slice::from_ref(a), std::slice::from_ref(b)],
            std::slice::from_ref(&shared),
            policy,
            Switch::Earliest,
        )
        .unwrap();
        let table = match &verdict {
            CopyVerdict::NoInstances(..) => return Ok(()),
            CopyVerdict::Undecided => panic!("unsettled"),
            _ => assign_instances(&shared.task, copy.2, &small(burst), 0, Switch::Earliest).unwrap(),
        };
        let missed = ticks(pair, &workloads, &shared, &table, burst, fixed);
        prop_assert_eq!(matches!(verdict, CopyVerdict::Schedulable(_)), !missed);
    }
}

/// A job of the simulation by ticks: release, deadline, period for its rank, order, what it lacks.
type Tick = (Time, Time, Time, usize, Time);

fn ticks(
    servers: [(Time, Time); 2],
    own: &[Task; 2],
    shared: &CopyTask,
    table: &InstanceTable,
    burst: Time,
    fixed: bool,
) -> bool {
    let mut budgets = [0; 2];
    let mut queues: [Vec<Tick>; 2] = [Vec::new(), Vec::new()];
    for now in 0..1000 {
        for c in 0..2 {
            if now % servers[c].0 == 0 {
                budgets[c] = servers[c].1;
            }
            let task = &own[c];
            if now >= task.phase && (now - task.phase).is_multiple_of(task.period) {
                queues[c].push((now, now + task.deadline, task.period, 0, task.wcet));
            }
        }
        let task = &shared.task;
        if now >= task.phase && (now - task.phase).is_multiple_of(task.period) {
            let job = table.of_job((now - task.phase) / task.period);
            let lacks = task.wcet + if job.copies { shared.copy_cost } else { 0 };
            queues[job.color].push((now, now + task.deadline, task.period, 1, lacks));
        }
        if queues.iter().flatten().any(|job| job.1 <= now) {
            return true;
        }
        // Handlers: the first and the last tick of a window.
        let handler = (0..2).any(|c| {
            let since = (now + 48 - [24, 0][c]) % 48;
            since < 1 || (burst + 1..burst + 2).contains(&since)
        });
        let runs = (0..2).find(|&c| !handler && budgets[c] > 0 && !locked(c, now, burst));
        if let Some(c) = runs {
            budgets[c] -= 1;
            let key = |job: &Tick| {
                if fixed {
                    (job.2, job.3, job.0)
                } else {
                    (job.1, job.3, job.0)
                }
            };
            if let Some(i) = (0..queues[c].len()).min_by_key(|&i| key(&queues[c][i])) {
                queues[c][i].4 -= 1;
                if queues[c][i].4 == 0 {
                    queues[c].remove(i);
                }
            }
        }
    }
    false
}
