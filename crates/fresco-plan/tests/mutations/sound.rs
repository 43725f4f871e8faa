// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound plans to be spoilt, and what the checker has to say of the spoilt ones.

use fresco_machine::Machine;
use fresco_plan::check::{CheckReport, Objection};
use fresco_plan::plan::Schedule;
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use std::path::Path;

/// Two tasks on the machine of the refresh chapters.
const TWO: &str = r#"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "5 us"
    plan.unlock = "2 us"
    plan.refresh_jitter = "0 ns"
    plan.handler = "5 us"
    task = [
        { name = "a", period = "8 ms", wcet = "1 ms" },
        { name = "b", period = "32 ms", wcet = "9 ms", deadline = "30 ms", memory = "256 KiB" },
    ]
"#;

/// Four tasks on two cores.
const FOUR: &str = r#"
    machine = "gem5-2core"
    memory.refresh_table = "colored-refresh"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "8 us"
    plan.unlock = "2 us"
    plan.refresh_jitter = "0 ns"
    plan.handler = "8 us"
    task = [
        { name = "a", period = "20 ms", wcet = "6 ms", core = 0 }, { name = "b", period = "40 ms", wcet = "10 ms", core = 0 },
        { name = "c", period = "32 ms", wcet = "8 ms", core = 1 }, { name = "d", period = "80 ms", wcet = "30 ms", core = 1 },
    ]
"#;

/// A task that runs for so long that each of its jobs meets the refresh of one color.
const COPIES: &str = r#"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "5 us"
    plan.unlock = "2 us"
    plan.refresh_jitter = "0 ns"
    task = [{ name = "a", period = "8 ms", wcet = "6 ms", global = "4 KiB" }]
"#;

/// A task with a period so short that no color suits it, beside one that can wait; in servers.
const COPIES_IN_SERVERS: &str = r#"
    memory.density = 16
    memory.density_scales_refresh_only = true
    plan.lock = "5 us"
    plan.unlock = "2 us"
    plan.refresh_jitter = "0 ns"
    task = [
        { name = "short", period = "4 ms", wcet = "1 ms", memory = "1 MiB", global = "4 KiB" },
        { name = "long", period = "32 ms", wcet = "8 ms", memory = "1 MiB" },
    ]
"#;

/// A plan that passes the checker, with its machine.
pub struct Sound {
    pub plan: Plan,
    machine: Machine,
}

impl Sound {
    /// The plan of a text.
    pub fn of(text: &str, method: Method, changes: &[&str]) -> Self {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        let read = TaskSet::parse("t.toml", text, Path::new(""), &changes);
        let mut set = read.unwrap_or_else(|error| panic!("{error}"));
        set.options.method = Some(method);
        let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
        let sound = Self {
            plan,
            machine: set.machine,
        };
        check(&sound.plan, &sound.machine).unwrap_or_else(|violation| panic!("{}: {violation}", method.name()));
        sound
    }

    /// Two tasks on one core.
    pub fn two(method: Method) -> Self {
        Self::of(TWO, method, &[])
    }

    /// Two tasks, by fixed priorities.
    pub fn two_by_priority(method: Method) -> Self {
        Self::of(TWO, method, &["plan.policy=dm"])
    }

    /// Four tasks on two cores.
    pub fn four(method: Method) -> Self {
        Self::of(FOUR, method, &[])
    }

    /// The same under budgets of bandwidth: each core has half of r_min.
    pub fn four_with_budgets(method: Method) -> Self {
        Self::of(&format!("{FOUR}\nbandwidth.period = \"1 ms\"\n"), method, &[])
    }

    /// Eight batch tasks under the co-design.
    pub fn batch() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks/batch.toml");
        let text = std::fs::read_to_string(path).expect("is there");
        Self::of(&text, Method::Codesign, &[])
    }

    /// A table with a task of two instances.
    pub fn copies() -> Self {
        let sound = Self::of(COPIES, Method::ColoredRefresh, &[]);
        assert_eq!(sound.plan.tasks[0].instances.len(), 2);
        sound
    }

    /// Servers with a task that has an instance in each (CRS-11).
    pub fn copies_in_servers() -> Self {
        let sound = Self::of(COPIES_IN_SERVERS, Method::Crs, &[]);
        assert_eq!(sound.plan.tasks[0].instance_of_job.len(), 16);
        sound
    }

    /// Two servers that run executives: one table (CRS-8).
    pub fn executives() -> Self {
        let sound = Self::of(TWO, Method::Crs, &["plan.policy=executive"]);
        assert!(matches!(sound.plan.schedule, Schedule::Table { .. }));
        sound
    }

    /// What the checker says of another plan for the machine.
    pub fn check(&self, plan: &Plan) -> Result<CheckReport, Objection> {
        check(plan, &self.machine)
    }

    /// What it says of the plan for another machine.
    pub fn check_on(&self, change: impl FnOnce(&mut Machine)) -> Result<CheckReport, Objection> {
        let mut machine = self.machine.clone();
        change(&mut machine);
        check(&self.plan, &machine)
    }

    /// Makes a copy too long to be looked at: the checker has to say so of `place`, with the `limit`, and neither pass nor refuse it.
    #[track_caller]
    pub fn unverifiable(&self, lengthen: impl FnOnce(&mut Plan), place: &str, limit: &str) {
        let mut plan = self.plan.clone();
        lengthen(&mut plan);
        let found = check(&plan, &self.machine);
        let Err(Objection::Unverifiable(report)) = found else {
            panic!("wanted no verdict on {place}, found {found:?}");
        };
        let [part] = report.unverified.as_slice() else {
            panic!("one part is too long, found {report:?}");
        };
        assert!(
            part.place == place && part.limit.contains(limit),
            "wanted {place}: …{limit}…\nfound {part}"
        );
        assert!(!report.facts.is_empty() && !report.facts.iter().any(|fact| fact.contains("proof of every deadline")));
    }

    /// Spoils a copy of the plan; the checker has to refuse it at `place` (its beginning) for a reason that contains `fact`.
    #[track_caller]
    pub fn refused(&self, spoil: impl FnOnce(&mut Plan), place: &str, fact: &str) {
        let mut plan = self.plan.clone();
        spoil(&mut plan);
        assert_ne!(plan, self.plan, "nothing is changed");
        match check(&plan, &self.machine) {
            Ok(report) => panic!("passes, though {place} is wrong ({fact}): {report:?}"),
            Err(Objection::Unverifiable(report)) => panic!("cannot be verified: {report:?}"),
            Err(Objection::Violated(violation)) => {
                let named = violation.place.starts_with(place) && violation.fact.contains(fact);
                assert!(named, "wanted {place}: …{fact}…\nfound {violation}");
            }
        }
    }
}
