// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every plan that the planner makes passes the checker, which shares no code with it.

use fresco_plan::plan::Schedule;
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use std::path::Path;

fn load(file: &str, changes: &[&str]) -> TaskSet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks").join(file);
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    TaskSet::load(path, &changes).unwrap_or_else(|error| panic!("{error}"))
}

const DENSITIES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
const SHORT_HANDLERS: [&str; 3] = ["plan.lock=5 us", "plan.unlock=2 us", "plan.handler=5 us"];

/// Densities at which a method has a plan for a file; each plan is checked.
fn planned(file: &str, method: Method, changes: &[&str]) -> Vec<u32> {
    let mut set = load(file, changes);
    set.options.method = Some(method);
    let mut found = Vec::new();
    for density in DENSITIES {
        let at = set.at_density(density).unwrap();
        match plan(&at) {
            Ok(plan) => {
                verify(&plan, &at);
                found.push(density);
            }
            Err(refusal) => assert!(!refusal.reason.is_empty()),
        }
    }
    found
}

fn verify(plan: &Plan, set: &TaskSet) {
    let report = check(plan, &set.machine).unwrap_or_else(|violation| panic!("{}: {violation}", plan.method.name()));
    assert!(report.facts.len() >= 4, "{report:?}");
    let text = serde_json::to_string(plan).unwrap();
    let again: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!(again, *plan, "a plan survives its own format");
}

#[test]
fn table_5_2_by_default_at_every_density() {
    let set = load("table-5.2.toml", &SHORT_HANDLERS);
    for density in DENSITIES {
        let at = set.at_density(density).unwrap();
        let plan = plan(&at).unwrap_or_else(|refusal| panic!("{density} Gb: {refusal}"));
        assert_eq!(plan.method, Method::Aligned);
        verify(&plan, &at);
    }
}

#[test]
fn table_5_2_by_each_method() {
    let planned = |method| planned("table-5.2.toml", method, &SHORT_HANDLERS);
    assert_eq!(planned(Method::Aligned), DENSITIES);
    // Theory section 8: under auto-refresh the padded utilisation exceeds 1 from 16 Gb on; tRP + tRCD count here too.
    assert_eq!(planned(Method::AutoRefresh), [1, 2, 4, 8]);
    // Servers for sporadic tasks are found up to 8 Gb, for these phases up to 16 Gb, as far as flat EDF works.
    assert_eq!(planned(Method::Crs), [1, 2, 4, 8, 16]);
    assert_eq!(planned(Method::Flat), [1, 2, 4, 8, 16]);
}

#[test]
fn table_4_4_needs_no_copy_up_to_64_gb_in_burst_mode() {
    let set = load("table-4.4.toml", &SHORT_HANDLERS);
    let mut set = set;
    set.options.method = Some(Method::ColoredRefresh);
    for density in DENSITIES {
        let at = set.at_density(density).unwrap();
        let plan = plan(&at).unwrap_or_else(|refusal| panic!("{density} Gb: {refusal}"));
        verify(&plan, &at);
        let copied = plan.tasks.iter().filter(|task| task.instances.len() > 1).count();
        assert!(density > 32 || copied == 0, "{density} Gb: {copied} copies (E11)");
    }
}

#[test]
fn batch_tasks_share_fairly() {
    let set = load("batch.toml", &[]);
    let plan = plan(&set).unwrap();
    verify(&plan, &set);
    assert_eq!(plan.colors.len(), 16);
    // COD-11: 1:4 leaves six of eight banks of each rank to a task.
    assert!(plan.tasks.iter().all(|task| task.colors_of(0).len() == 12));
}

#[test]
fn several_cores() {
    for method in [
        Method::Aligned,
        Method::Crs,
        Method::Flat,
        Method::ColoredRefresh,
        Method::AutoRefresh,
    ] {
        let text = r#"
            machine = "gem5-2core"
            memory.refresh_table = "colored-refresh"
            memory.density = 8
            memory.density_scales_refresh_only = true
            plan.lock = "8 us"
            plan.unlock = "2 us"
            plan.handler = "8 us"
            task = [
                { name = "a", period = "20 ms", wcet = "6 ms" }, { name = "b", period = "40 ms", wcet = "10 ms" },
                { name = "c", period = "32 ms", wcet = "8 ms" }, { name = "d", period = "80 ms", wcet = "30 ms" },
                { name = "e", period = "64 ms", wcet = "12 ms" }, { name = "f", period = "20 ms", wcet = "4 ms" },
            ]
        "#;
        let mut set = TaskSet::parse("t.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
        set.options.method = Some(method);
        let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
        assert_eq!(plan.cores, 2);
        verify(&plan, &set);
        assert!(plan.tasks.iter().any(|task| task.core == Some(1)));
    }
}

/// A task whose period is shorter than a lock: no partition works, an instance in each color does (CRS-11).
#[test]
fn a_short_task_gets_an_instance_in_each_color() {
    let text = r#"
        machine = "ss-rtmc"
        memory = { density = 16, density_scales_refresh_only = true }
        plan = { method = "crs", lock = "5 us", unlock = "2 us" }
        task = [
            { name = "short", period = "4 ms", wcet = "1 ms", memory = "1 MiB", global = "4 KiB" },
            { name = "long", period = "32 ms", wcet = "8 ms", memory = "1 MiB" },
        ]
    "#;
    let load = |set: &[String]| TaskSet::parse("t.toml", text, Path::new(""), set).unwrap_or_else(|e| panic!("{e}"));
    let set = load(&[]);
    let found = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    verify(&found, &set);
    let short = &found.tasks[0];
    assert_eq!((short.instances.len(), short.instance_of_job.len()), (2, 16));
    let switches = (0..16)
        .filter(|&k| short.instance_of_job[k] != short.instance_of_job[(k + 15) % 16])
        .count();
    assert_eq!(switches, 2, "two copies per retention time (F11)");
    let without = plan(&load(&["plan.instances=1".to_owned()])).expect_err("no copies, no servers");
    assert!(without.reason.contains("short"), "{without}");
    // A job that uses the locked instance is found, whatever the planner says.
    let mut spoilt = found.clone();
    spoilt.tasks[0].instance_of_job.rotate_left(8);
    assert!(check(&spoilt, &set.machine).is_err());
}

/// A job that is released late in the turn of its server goes on in the next, of which the whole table has several.
#[test]
fn executives_whose_jobs_last_into_the_next_turn() {
    let text = r#"
        memory.density = 4
        memory.density_scales_refresh_only = true
        plan = { method = "crs", policy = "executive", lock = "5 us", unlock = "2 us" }
        task = [
            { name = "a", period = "16 ms", wcet = "5 ms", phase = "12 ms", color = 0 },
            { name = "b", period = "20 ms", wcet = "2 ms", phase = "19 ms", color = 1 },
        ]
    "#;
    let set = TaskSet::parse("t.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let plan = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    verify(&plan, &set);
    let Schedule::Table { table, .. } = &plan.schedule else {
        panic!("executives are a table");
    };
    // The turns of the servers are 64 and 320 ms. Job 3 of `a` comes at 60 ms and is not over at 64 ms, nor is job 19 at 320 ms.
    assert_eq!(table.length, 320_000_000);
    let of_job = |job| table.slots.iter().filter(move |slot| (slot.task, slot.job) == (0, job));
    assert!(of_job(3).any(|slot| (64_000_000..76_000_000).contains(&slot.start)));
    assert!(of_job(19).any(|slot| slot.start < 12_000_000));
}

/// A proof that names a task without a period is refused for that, not because there is no such task.
#[test]
fn no_proof_speaks_of_a_task_without_a_period() {
    let text = r#"
        task = [{ name = "a", period = "8 ms", wcet = "1 ms" }, { name = "behind" }]
    "#;
    let set = TaskSet::parse("t.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut plan = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    plan.proofs[0].tasks.push(1);
    let objection = check(&plan, &set.machine).expect_err("nothing is promised to it");
    assert!(objection.to_string().contains("behind has no period"), "{objection}");
}

/// Servers may run cyclic executives (CRS-8): all of them together are one table.
#[test]
fn executives_inside_servers() {
    let mut set = load(
        "table-5.2.toml",
        &["plan.lock=5 us", "plan.unlock=2 us", "plan.policy=executive"],
    );
    set.options.method = Some(Method::Crs);
    for density in [1, 8] {
        let at = set.at_density(density).unwrap();
        let found = plan(&at).unwrap_or_else(|refusal| panic!("{density} Gb: {refusal}"));
        verify(&found, &at);
        assert!(matches!(found.schedule, fresco_plan::plan::Schedule::Table { .. }));
    }
    set.options.method = Some(Method::Flat);
    assert!(plan(&set).is_err(), "nothing but crs has servers");
}

/// Tasks without a period beside periodic ones: the periodic ones have the plan that they have alone, under every method that is no
/// table, and the others a place in their colors.
#[test]
fn tasks_without_a_period_run_behind_the_others() {
    let periodic = r#"
        machine = "gem5-2core"
        [[task]]
        name = "a"
        period = "8 ms"
        wcet = "1 ms"
        core = 0
        [[task]]
        name = "b"
        period = "32 ms"
        wcet = "2 ms"
        core = 1
    "#;
    let behind = "[[task]]\nname = \"c\"\ncore = 1\nmemory = \"2 MiB\"\n";
    let load = |text: &str, method: Method| {
        let set = TaskSet::parse(
            "t.toml",
            text,
            Path::new(""),
            &[format!("plan.method={}", method.name())],
        );
        set.unwrap_or_else(|error| panic!("{error}"))
    };
    for method in [
        Method::AutoRefresh,
        Method::Burst,
        Method::Crs,
        Method::Aligned,
        Method::Flat,
    ] {
        let alone = plan(&load(periodic, method)).unwrap_or_else(|refusal| panic!("{refusal}"));
        // Wherever it stands in the file.
        for text in [
            format!("{periodic}{behind}"),
            periodic.replacen("[[task]]", &format!("{behind}[[task]]"), 1),
        ] {
            let set = load(&text, method);
            let found = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
            verify(&found, &set);
            assert_eq!(found.tasks[..2], alone.tasks[..], "{}", method.name());
            assert_eq!((&found.proofs, &found.refresh), (&alone.proofs, &alone.refresh));
            let last = &found.tasks[2];
            assert_eq!((last.period_ns, last.core, last.response_bound_ns), (0, Some(1), None));
            assert!(
                found.reasons.last().is_some_and(|reason| reason.ends_with(": c")),
                "{:?}",
                found.reasons
            );
            // What it has not got cannot be promised to it, nor its place left out.
            let mut spoilt = found.clone();
            spoilt.tasks[2].wcet_ns = 1;
            assert!(check(&spoilt, &set.machine).is_err());
            spoilt.clone_from(&found);
            match &mut spoilt.schedule {
                Schedule::Servers { cores, .. } => cores[1]
                    .servers
                    .iter_mut()
                    .for_each(|server| server.tasks.retain(|&task| task != 2)),
                Schedule::Slots { cores, .. } => cores[1]
                    .tasks
                    .iter_mut()
                    .for_each(|tasks| tasks.retain(|&task| task != 2)),
                _ => spoilt.tasks[2].core = Some(7),
            }
            assert!(check(&spoilt, &set.machine).is_err(), "{}", method.name());
        }
    }
    // Both in the color that holds one of them.
    let bytes = plan(&load(periodic, Method::Aligned)).expect("as above").colors[0].bytes;
    let large = |name: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\ncore = 1\ncolor = 0\nmemory = {}\n",
            bytes * 3 / 5
        )
    };
    assert!(plan(&load(&format!("{periodic}{}", large("c")), Method::Aligned)).is_ok());
    let both = format!("{periodic}{}{}", large("c"), large("d"));
    let refusal = plan(&load(&both, Method::Aligned)).expect_err("too large");
    assert!(refusal.reason.contains("bytes in color 0, and"), "{refusal}");
}
