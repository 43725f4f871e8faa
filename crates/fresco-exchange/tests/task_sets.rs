// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets, exported and imported again; known files of other tools.

use crate::support::{lossy, planned, subject, task, timed, write};
use fresco_exchange::{ExportOptions, ImportOptions, Imported, Importer, Task, Times, Unit, import};
use fresco_scenario::TaskSet;
use fresco_testing::Need;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;
use std::process::Command;

/// A task set whose times are whole numbers of `unit`.
fn random(random: &mut Pcg64, unit: Unit, with_phase: bool) -> Vec<Task> {
    let with_cores = random.random::<bool>();
    let mut draw = |name: String, core: Option<u32>| {
        let period = random.random_range(20..=1_000_000_000 / unit.ns());
        let deadline = if random.random() {
            period
        } else {
            random.random_range(1..=period)
        };
        let times = Times {
            period_ns: period * unit.ns(),
            deadline_ns: deadline * unit.ns(),
            wcet_ns: random.random_range(1..=(deadline / 4).max(1)) * unit.ns(),
            phase_ns: if with_phase {
                random.random_range(0..3 * period) * unit.ns()
            } else {
                0
            },
            ..Times::default()
        };
        Task {
            times: Some(times),
            core,
            ..task(&name)
        }
    };
    (0..12)
        .map(|number| {
            draw(
                format!("t{number}_{}", "x".repeat(number % 3)),
                with_cores.then_some(number as u32 % 4),
            )
        })
        .collect()
}

/// The JSON of an exported script.
fn json_of(script: &str) -> &str {
    let (_, rest) = script.split_once("json.loads(r\"\"\"").expect("JSON");
    rest.split_once("\"\"\")").expect("its end").0
}

fn same(imported: &Imported, tasks: &[Task], has_cores: bool) {
    assert_eq!(imported.tasks.len(), tasks.len());
    for (found, wanted) in imported.tasks.iter().zip(tasks) {
        assert_eq!((&found.name, Some(found.times)), (&wanted.name, wanted.times));
        if has_cores {
            assert_eq!(found.core, wanted.core, "{}", found.name);
        }
    }
}

#[test]
fn what_is_exported_is_imported_alike() {
    let runs: u64 = std::env::var("EXCHANGE_RUNS").map_or(50, |runs| runs.parse().expect("a number"));
    let mut source = Pcg64::seed_from_u64(5);
    for run in 0..runs {
        let unit = [Unit::Ns, Unit::Us, Unit::Ms][(run % 3) as usize];
        for (name, importer) in Importer::NAMES {
            // SchedCAT knows no phases.
            let mut tasks = random(&mut source, unit, name != "schedcat");
            if name == "cheddar" {
                // It has each task on a processor, and numbers them in the order of the file.
                (0..)
                    .zip(&mut tasks)
                    .for_each(|(number, task)| task.core = Some(number % 4));
            }
            let mut written = subject("zcu102", tasks);
            if name == "csv" {
                written
                    .tasks
                    .iter_mut()
                    .for_each(|task| task.memory_bytes = Some(source.random_range(1..1 << 28)));
            }
            let options = ExportOptions {
                unit: Some(unit),
                ..ExportOptions::default()
            };
            let text = write(&written, name, &options)
                .unwrap_or_else(|error| panic!("{error}"))
                .text;
            let text = if name == "pycpa" { json_of(&text) } else { &text };
            let read = |unit| import(importer, "f", text, &ImportOptions { unit });
            let imported = read(Some(unit)).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            same(&imported, &written.tasks, true);
            if name == "csv" {
                let bytes: Vec<_> = imported.tasks.iter().map(|task| task.memory_bytes).collect();
                assert_eq!(
                    bytes,
                    written.tasks.iter().map(|task| task.memory_bytes).collect::<Vec<_>>()
                );
                assert_eq!(read(None).expect("columns have units").tasks, imported.tasks);
            }
            // A planner reads the same times.
            let set = TaskSet::parse("t.toml", &imported.to_scenario(Some("zcu102")), Path::new(""), &[]);
            let set = set.unwrap_or_else(|error| panic!("{error}"));
            for (planned, wanted) in set.tasks.iter().zip(&written.tasks) {
                assert_eq!(planned.timing.as_ref().map(Times::of), wanted.times);
                assert_eq!(planned.core, wanted.core);
            }
        }
    }
}

#[test]
fn what_is_lost_is_told() {
    let with = |change: fn(&mut Times)| {
        let mut task = timed("a", 10_000_000, 1_000_000);
        change(task.times.as_mut().expect("times"));
        subject("ss-rtmc", vec![task])
    };
    let lost = |subject: &fresco_exchange::Subject, name: &str| {
        let error = write(subject, name, &ExportOptions::default()).expect_err(name);
        error.found.split_once(" say: ").expect("what is lost").1.to_owned()
    };
    assert_eq!(
        lost(&with(|times| times.phase_ns = 5_000), "schedcat"),
        "the phase of a"
    );
    assert_eq!(
        lost(&with(|times| times.jitter_ns = 5_000), "schedcat"),
        "the jitter of a"
    );
    assert_eq!(
        lost(&with(|times| times.min_distance_ns = 5_000), "cheddar"),
        "the minimum distance of a"
    );
    let odd = with(|times| times.wcet_ns = 1_000_001);
    assert_eq!(
        lost(&odd, "pycpa"),
        "the execution time of a, 1000001 ns, as a whole number of us"
    );
    let text = write(&odd, "schedcat", &crate::support::lossy())
        .expect("accepted")
        .text;
    assert!(
        text.contains("wcet=\"1001\"") && text.contains("<?fresco lost: "),
        "{text}"
    );
    let batch = subject("ss-rtmc", vec![timed("a", 10_000, 1_000), task("b")]);
    assert_eq!(lost(&batch, "csv"), "b, without a period");
    let number = subject("ss-rtmc", vec![timed("1e5", 10_000, 1_000)]);
    assert!(lost(&number, "schedcat").ends_with("of 1e5"));
    let free = subject("zcu102", vec![timed("a", 10_000, 1_000)]);
    let error = write(&free, "cheddar", &ExportOptions::default()).expect_err("no core");
    assert_eq!(error.found, "found no core of a");
}

#[test]
fn jitter_and_distance_reach_the_formats_that_have_them() {
    let mut late = timed("a", 10_000_000, 1_000_000);
    let times = late.times.as_mut().expect("times");
    (times.arrival_jitter_ns, times.min_distance_ns) = (3_000_000, 500_000);
    let written = subject("ss-rtmc", vec![late]);
    let script = write(&written, "pycpa", &ExportOptions::default())
        .expect("it has both")
        .text;
    let json: serde_json::Value = serde_json::from_str(json_of(&script)).expect("JSON");
    let task = &json["tasks"][0];
    assert_eq!(
        (&task["P"], &task["J"], &task["dmin"]),
        (&10_000.into(), &3_000.into(), &500.into())
    );
    let mut without = subject("ss-rtmc", written.tasks.clone());
    let times = without.tasks[0].times.as_mut().expect("times");
    (times.jitter_ns, times.arrival_jitter_ns, times.min_distance_ns) = (3_000_000, 0, 0);
    let model = write(&without, "cheddar", &ExportOptions::default())
        .expect("it has jitter")
        .text;
    assert!(model.contains("<jitter>3000</jitter>"), "{model}");
    let options = ImportOptions { unit: Some(Unit::Us) };
    let back = |importer, file: &str, text: &str| {
        let found = import(importer, file, text, &options).unwrap_or_else(|error| panic!("{error}"));
        (found.tasks[0].times, found.to_scenario(Some("ss-rtmc")))
    };
    let (times, text) = back(Importer::Pycpa, "f.json", json_of(&script));
    assert_eq!((times.arrival_jitter_ns, times.min_distance_ns), (3_000_000, 500_000));
    assert!(
        text.contains("arrival_jitter = \"3 ms\"\nmin_distance = \"500 us\""),
        "{text}"
    );
    let (times, text) = back(Importer::Cheddar, "f.xml", &model);
    assert_eq!((times.jitter_ns, times.arrival_jitter_ns), (3_000_000, 0));
    assert!(text.contains("\njitter = \"3 ms\""), "{text}");
    // A scenario reads all of it, and CSV carries it.
    let all = "name,period_us,wcet_us,jitter_us,arrival_jitter_us,min_distance_us,critical_section_us,cache_reload_us\na,10000,1000,200,30000,2000,50,20\n";
    let (times, text) = back(Importer::Csv, "f.csv", all);
    let set =
        fresco_scenario::TaskSet::parse("f.toml", &text, "".as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let task = &set.timing()[0];
    assert_eq!(Times::of(task), times);
    assert_eq!(
        (task.release_jitter, task.critical_section, task.cache_reload),
        (200_000, 50_000, 20_000)
    );
    let mut row = timed("a", 10_000_000, 1_000_000);
    row.times = Some(times);
    let csv = write(
        &subject("ss-rtmc", vec![row]),
        "csv",
        &ExportOptions {
            unit: Some(Unit::Us),
            ..Default::default()
        },
    )
    .expect("all of it");
    assert_eq!(back(Importer::Csv, "g.csv", &csv.text).0, times);
}

/// Python 3 takes the script, and prints its tasks; without pyCPA that is all that can be asked of it.
#[test]
fn a_script_for_pycpa_is_python() {
    let directory = tempfile::tempdir().expect("a directory");
    let written = subject(
        "ss-rtmc",
        vec![timed("a", 10_000_000, 1_000_000), timed("b", 20_000_000, 2_000_000)],
    );
    let script = write(&written, "pycpa", &ExportOptions::default()).expect("tasks").text;
    let path = directory.path().join("system.py");
    std::fs::write(&path, &script).expect("writable");
    let Ok(done) = Command::new("python3").arg(&path).arg("--json").output() else {
        fresco_testing::skip(Need::Python, "there is no python3");
        return;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let printed = String::from_utf8(done.stdout).expect("UTF-8");
    let imported = import(Importer::Pycpa, "f", &printed, &ImportOptions::default()).expect("a set");
    same(&imported, &written.tasks, false);
    assert_eq!(imported.notes.len(), 1);
    // The calls that it makes of pyCPA, on stand-ins that record them.
    let stand_in = "\
import runpy, sys, types
calls = []
class Any:
    def __init__(self, *args, **kwargs): self.__dict__.update(kwargs); self.args = args
    def bind_resource(self, r): return r
    def bind_task(self, t): calls.append(t); return t
    def add_wcrt_constraint(self, t, d): assert t.deadline == d
pycpa = types.ModuleType('pycpa')
pycpa.model = types.SimpleNamespace(System=lambda name: types.SimpleNamespace(bind_resource=lambda r: r, constraints=Any()),
    Resource=Any, Task=Any, PJdEventModel=Any)
pycpa.schedulers = types.SimpleNamespace(EDFPScheduler=Any, SPPScheduler=Any)
sys.modules['pycpa'] = pycpa
runpy.run_path(sys.argv[1])['system']()
print([(t.args[0], t.wcet, t.in_event_model.P, t.in_event_model.J) for t in calls])
";
    let done = Command::new("python3")
        .args(["-c", stand_in])
        .arg(&path)
        .output()
        .expect("it ran before");
    assert_eq!(
        String::from_utf8_lossy(&done.stdout).trim(),
        "[('a', 1000, 10000, 0), ('b', 2000, 20000, 0)]"
    );
}

#[test]
fn high_mode_is_a_loss_of_schedules_and_task_sets() {
    let subject = planned(
        "plan = { method = \"auto-refresh\", policy = \"dm\" }\n\
         [[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\ncriticality = \"high\"\nwcet_high = \"2 ms\"\n\
         [[task]]\nname = \"b\"\nperiod = \"9 ms\"\nwcet = \"1 ms\"\n",
    );
    for name in ["cheddar", "csv", "schedcat", "pycpa"] {
        let told = |found: &str| assert!(found.contains("high mode, in which a go on"), "{name}: {found}");
        told(
            &write(&subject, name, &ExportOptions::default())
                .expect_err("a loss")
                .to_string(),
        );
        let written = write(&subject, name, &lossy()).unwrap_or_else(|error| panic!("{name}: {error}"));
        told(&written.losses.join("; "));
        told(&written.text);
    }
}
