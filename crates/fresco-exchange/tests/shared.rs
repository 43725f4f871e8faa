// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slots that tasks share: by hand, and as the exact simulation has them.

use crate::support::{lossy, planned, plans, write};
use fresco_exchange::Subject;
use fresco_exchange::execution::{Execution, Executor, Order, SlotTable, execution};
use fresco_machine::builtin;
use fresco_rt::Time;
use fresco_rt::policy::Policy;
use fresco_rt::simulation::{Activity, Dispatch, Job, Processor};
use fresco_scenario::Plan;
use fresco_scenario::plan::{CoreServers, PlannedServer, PlannedTask, Schedule};
use std::path::Path;

/// A burst of 8192 commands of 350 ns is 2.8672 ms; a lock window, with 160 us before and after it, is 3.1872 ms.
const HEAD: &str = "machine = \"ss-rtmc\"\nmemory = { density = 8, density_scales_refresh_only = true }\n";

fn plan(settings: &str, tasks: &[(&str, &str)]) -> Plan {
    let plan = "refresh_jitter = \"0 ns\", lock = \"160 us\", unlock = \"160 us\"";
    let row = |(name, rest): &(&str, &str)| format!("[[task]]\nname = \"{name}\"\nmemory = \"64 KiB\"\n{rest}\n");
    let rows: String = tasks.iter().map(row).collect();
    let (settings, tables) = settings.split_once('\n').unwrap_or((settings, ""));
    planned(&format!("{HEAD}plan = {{ {plan}, {settings} }}\n{tables}\n{rows}"))
        .plan
        .expect("a plan")
}

fn table(plan: &Plan) -> Result<SlotTable, String> {
    match execution(plan, Executor::Table) {
        Ok(Execution::Table(table)) => Ok(table),
        Ok(_) => unreachable!("a table is asked for"),
        Err(misfit) => Err(format!(
            "{}; allowed: {}; {}",
            misfit.found, misfit.allowed, misfit.help
        )),
    }
}

/// In units of 100 ns: start, end, name, colors that are shut out.
fn slots(table: &SlotTable) -> Vec<(Time, Time, &str, &[u32])> {
    table
        .slots
        .iter()
        .map(|slot| {
            let end = slot.start_ns + slot.length_ns;
            assert!(slot.start_ns % 100 == 0 && end % 100 == 0 && slot.core == 0 && !slot.ends);
            (slot.start_ns / 100, end / 100, slot.task.as_str(), &slot.shut[..])
        })
        .collect()
}

const THREE: [(&str, &str); 3] = [
    ("a", "period = \"16 ms\"\nwcet = \"1 ms\"\ncolor = 0\ncore = 0"),
    (
        "b",
        "period = \"32 ms\"\nwcet = \"1 ms\"\ndeadline = \"16 ms\"\nphase = \"4 ms\"\ncolor = 0\ncore = 0",
    ),
    ("c", "period = \"32 ms\"\nwcet = \"2 ms\"\ncolor = 1\ncore = 0"),
];

/// Color 1 is locked at 0, color 0 at 32 ms. The server of color 0 has 4 ms in each 16 and goes first, that of color 1 has 6 ms.
#[test]
fn servers_by_hand() {
    let given = "method = \"crs\"\n[[server]]\nperiod = \"16 ms\"\nbudget = \"4 ms\"\n[[server]]\nperiod = \"16 ms\"\nbudget = \"6 ms\"";
    let plan = plan(given, &THREE);
    let table = table(&plan).expect("a table");
    let (two, one) = ("core0-color0", "c");
    let none: &[u32] = &[];
    let wanted = [
        // 2.8672 ms until the unlock task, 1.1328 ms after it; then the other one, which had to wait for the lock.
        (1_600, 30_272, two, none),
        (31_872, 43_200, two, none),
        (43_200, 103_200, one, none),
        (160_000, 200_000, two, none),
        (200_000, 260_000, one, none),
        // In the lock of color 0 the other server runs, though it comes second (CRS-10), and goes on with what it has left.
        (321_600, 350_272, one, none),
        (351_872, 391_872, two, none),
        (391_872, 423_200, one, none),
        (480_000, 520_000, two, none),
        (520_000, 580_000, one, none),
    ];
    assert_eq!((table.frame_ns, slots(&table)), (64_000_000, wanted.to_vec()));
    assert_eq!(
        (table.order, table.owners(), table.tasks()),
        (Order::Deadline, vec![two, one], vec!["a", "b", "c"])
    );
    let of = |number: usize| {
        let member = &table.members[number];
        (member.slots.as_str(), member.rank, member.color, member.times(2))
    };
    // Of equal deadlines a's go first, as its period is shorter.
    assert_eq!(of(0), (two, 0, 0, (32_000_000, 48_000_000)));
    assert_eq!(of(1), (two, 1, 0, (68_000_000, 84_000_000)));
    assert_eq!(of(2), (one, 2, 0, (64_000_000, 96_000_000)));
}

#[test]
fn locks_by_hand() {
    let plan_of_flat = plan("method = \"flat\"", &THREE);
    let flat = table(&plan_of_flat).expect("a table");
    let all: Vec<u32> = flat.members.iter().map(|member| member.color).collect();
    assert_eq!((all, flat.owners()), (vec![0, 0, 1], vec!["core0"]));
    let wanted: [(Time, Time, &str, &[u32]); 4] = [
        (1_600, 30_272, "core0", &[1]),
        (31_872, 320_000, "core0", &[]),
        (321_600, 350_272, "core0", &[0]),
        (351_872, 640_000, "core0", &[]),
    ];
    assert_eq!(slots(&flat), wanted);
    let text = flat.to_toml(|_| None);
    assert!(text.contains("order = \"deadline\""), "{text}");
    assert!(
        text.contains(
            "{ core = 0, start_ns = 160000, length_ns = 2867200, task = \"core0\", ends = false, shut = [1] }"
        ),
        "{text}"
    );
    assert!(text.contains("{ name = \"c\", slots = \"core0\", rank = 2, period_ns = 32000000, deadline_ns = 32000000, phase_ns = 0, color = 1 }"), "{text}");
    // The scheduler's own tests read the file.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/schedulers/tests/shared.toml");
    let read = std::fs::read_to_string(file).expect("it is there");
    assert!(read.ends_with(&text), "{text}");
    // The exporter writes the same.
    let subject = Subject::of_plan("plan.json", plan_of_flat, builtin("ss-rtmc").expect("built in")).expect("a plan");
    let exported = write(&subject, "sched-ext", &lossy()).expect("a table").text;
    assert!(exported.ends_with(&text), "{exported}");
    // All ranks at once: nothing runs in the burst.
    let plain: Vec<(&str, String)> = THREE
        .iter()
        .map(|(name, rest)| (*name, rest.replace("color = 0", "").replace("color = 1", "")))
        .collect();
    let plain: Vec<(&str, &str)> = plain.iter().map(|(name, rest)| (*name, rest.as_str())).collect();
    let burst = plan("method = \"burst\", policy = \"rm\"", &plain);
    let burst = table(&burst).expect("a table");
    assert_eq!(
        (slots(&burst), burst.order),
        (vec![(31_872, 640_000, "core0", &[][..])], Order::Rank)
    );
    // A task alone: its slots have its name, and are none where its color is locked.
    let alone = plan("method = \"flat\"", &THREE[2..]);
    let alone = table(&alone).expect("a table");
    assert_eq!(
        slots(&alone),
        [
            (31_872, 320_000, "c", &[][..]),
            (321_600, 350_272, "c", &[]),
            (351_872, 640_000, "c", &[])
        ]
    );
}

/// When tasks of a color may run on a core, as the exact simulation decides it where each color always has a job: joined times.
fn simulated(plan: &Plan, core: usize, length: Time) -> Vec<(Time, Time, Vec<usize>)> {
    let (locks, dispatch) = match &plan.schedule {
        Schedule::Servers { locks, cores } => {
            let CoreServers { servers } = &cores[core];
            let servers: Result<Vec<_>, _> = servers.iter().map(PlannedServer::server).collect();
            (locks, Dispatch::Idling(servers.expect("servers")))
        }
        Schedule::Locked { locks } => (locks, Dispatch::Flat),
        _ => unreachable!("servers or locks"),
    };
    let colors = locks.phase_ns.len();
    let is_flat = matches!(dispatch, Dispatch::Flat);
    let mut processor = Processor::new(colors, dispatch, Some(locks.locks().expect("locks")));
    for color in 0..colors {
        processor.release(color, Job::new(Policy::Edf, color, (color, 0), (0, 1), Time::MAX));
    }
    let (mut now, mut found) = (0, Vec::<(Time, Time, Vec<usize>)>::new());
    while now < length {
        processor.replenish(now, &mut ());
        let decision = processor.decide(now);
        let until = decision.until.min(length);
        let open = match decision.activity {
            Activity::Run { .. } if is_flat => (0..colors).filter(|&color| !processor.locked()[color]).collect(),
            Activity::Run { color, .. } => vec![color],
            _ => Vec::new(),
        };
        processor.advance(&decision, until - now);
        match found.last_mut() {
            _ if open.is_empty() => {}
            Some(last) if last.1 == now && last.2 == open => last.1 = until,
            _ => found.push((now, until, open)),
        }
        now = until;
    }
    found
}

#[test]
fn slots_are_those_of_the_simulation() {
    // Handlers of 400 us leave enough free, in whatever is planned here.
    let rows = |periods: &[u32]| {
        let row = |(number, period): (usize, &u32)| {
            format!(
                "[[task]]\nname = \"t{number}\"\nperiod = \"{period} ms\"\nwcet = \"{} us\"\nmemory = \"64 KiB\"\n",
                period * 60
            )
        };
        periods.iter().enumerate().map(row).collect::<String>()
    };
    let (mut servers, mut locked) = (0, 0);
    for density in [2, 8] {
        for periods in [&[8, 16, 32, 64][..], &[10, 20, 40, 80], &[5, 16, 64]] {
            for method in ["crs", "flat", "burst"] {
                let text = format!(
                    "machine = \"ss-rtmc\"\nmemory = {{ density = {density}, density_scales_refresh_only = true }}\n\
                     plan = {{ method = \"{method}\", lock = \"400 us\", unlock = \"400 us\" }}\n{}",
                    rows(periods)
                );
                let plan = planned(&text).plan.expect("a plan");
                let table = table(&plan).unwrap_or_else(|told| panic!("{method} {density} {periods:?}: {told}"));
                let found = simulated(&plan, 0, table.frame_ns);
                let times = |all: &[(Time, Time, Vec<usize>)]| {
                    all.iter().map(|(start, end, _)| (*start, *end)).collect::<Vec<_>>()
                };
                let own: Vec<(Time, Time)> = table
                    .slots
                    .iter()
                    .map(|slot| (slot.start_ns, slot.start_ns + slot.length_ns))
                    .collect();
                assert_eq!(own, times(&found), "{method} {density} {periods:?}");
                for (slot, (_, _, open)) in table.slots.iter().zip(&found) {
                    // Whoever has such slots, and is not shut out, has memory in an open color; nobody else has.
                    for member in &table.members {
                        let task = plan
                            .tasks
                            .iter()
                            .find(|task| task.name == member.task)
                            .expect("of the plan");
                        let runs = member.slots == slot.task && !slot.shut.contains(&member.color);
                        assert_eq!(
                            runs,
                            task.colors_of(0).iter().all(|color| open.contains(color)),
                            "{method}: {slot:?} {member:?}"
                        );
                    }
                }
                servers += u32::from(method == "crs");
                locked += u32::from(method != "crs");
            }
        }
    }
    assert_eq!((servers, locked), (6, 12));
}

#[test]
fn what_cannot_be_told_apart_is_refused() {
    let rows = [
        ("a", "period = \"16 ms\"\nwcet = \"1 ms\"\ncore = 0"),
        ("b", "period = \"32 ms\"\nwcet = \"1 ms\"\ncore = 0"),
    ];
    let good = plan("method = \"burst\"", &rows);
    let of = |change: &dyn Fn(&mut PlannedTask)| {
        let mut plan = good.clone();
        change(&mut plan.tasks[0]);
        table(&plan)
    };
    assert!(of(&|_| {}).is_ok());
    type Change = fn(&mut PlannedTask);
    let changes: [(Change, &str); 4] = [
        (
            |task| task.deadline_ns = 20_000_000,
            "times of task a that make no task",
        ),
        (
            |task| task.arrival_jitter_ns = 1_000_000,
            "task a, whose jobs arrive up to 1000000 ns late; allowed: arrivals at multiples",
        ),
        (
            |task| task.core = None,
            "task a, whose jobs run on any core; allowed: tasks that are bound",
        ),
        (|task| task.wcet_ns = 0, "times of task a that make no task"),
    ];
    for (change, told) in changes {
        let found = of(&change).expect_err(told);
        assert!(found.starts_with(told), "{found}");
    }
    let copies = plans()
        .into_iter()
        .filter(|(plan, _)| matches!(plan.schedule, Schedule::Servers { .. }))
        .filter(|(plan, _)| plan.tasks.iter().any(|task| task.instances.len() > 1));
    let mut count = 0;
    for (plan, _) in copies {
        count += 1;
        let told = table(&plan).expect_err("copies");
        assert!(
            told.contains("which has an instance in each of 2 colors; allowed: tasks with one instance"),
            "{told}"
        );
    }
    assert!(count > 0);
}
