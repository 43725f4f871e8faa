// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong files and options of `fresco export` and `fresco sched import`.

use crate::bad_input::case::Case;
use crate::common::files::TASKS;

/// Two tasks in parts of a ZCU102's cache.
const PARTS: &str = "\
name = \"parts\"
machine = \"zcu102\"
policy.frames = \"palloc\"
[[task]]
name = \"control\"
program = \"latency\"
core = 0
llc = \"0-3\"
[[task]]
name = \"video\"
program = \"bandwidth\"
core = 1
llc = \"4-13\"
";

fn export(name: &'static str, content: impl Into<String>, more: &[&'static str]) -> Case {
    let arguments = [&["export", "t.toml"], more].concat();
    Case::new(name, &arguments).file("t.toml", content.into())
}

fn import(name: &'static str, content: &'static str, more: &[&'static str]) -> Case {
    let arguments = [&["sched", "import", "in", "--out", "out.toml"], more].concat();
    Case::new(name, &arguments).file("in", content)
}

pub fn cases() -> Vec<Case> {
    let mut cases = exports();
    cases.extend(imports());
    cases
}

fn exports() -> Vec<Case> {
    let edited = |from: &str, to: &str| crate::bad_input::case::edited(PARTS, from, to);
    vec![
        export("an unknown format", PARTS, &["--to", "xne"]).told("--to: "),
        export("no format", PARTS, &[]).usage("--to <FORMAT>"),
        export("tables to standard output", TASKS, &["--to", "c-table"]).told("--to c-table: "),
        export(
            "an export over its scenario",
            PARTS,
            &["--to", "xen", "--out", "t.toml"],
        )
        .told("t.toml: --out: "),
        export(
            "a header over the scenario",
            TASKS,
            &["--to", "c-table", "--out", "directory/../t.toml"],
        )
        .told("directory/../t.toml: --out: "),
        export("an unknown unit", TASKS, &["--to", "csv", "--unit", "h"]).told("--unit: "),
        export("a unit of colors", PARTS, &["--to", "xen", "--unit", "us"]).told("--unit: "),
        export(
            "an unknown supplement",
            TASKS,
            &["--to", "arinc653", "--supplement", "5"],
        )
        .told("--supplement: "),
        export(
            "colors of banks in Xen",
            edited("llc = \"0-3\"", "banks = \"0\""),
            &["--to", "xen"],
        )
        .told("t.toml: --to xen: "),
        export("no color for Xen", edited("4-13", "4-15"), &["--to", "xen"]).told("t.toml: --to xen: "),
        export(
            "no colors",
            edited("llc = \"0-3\"\n", "").replace("llc = \"4-13\"\n", ""),
            &["--to", "bao"],
        )
        .told("t.toml: --to bao: "),
        export(
            "colors that are chosen in a run",
            edited("palloc", "camc"),
            &["--to", "palloc", "--set", "task.control.colors=2"],
        )
        .told("t.toml: task.control: "),
        export(
            "a sweep",
            format!("{PARTS}[sweep]\ntask.control.core = [0, 2]\n"),
            &["--to", "cgroup"],
        )
        .told("t.toml: sweep: "),
        export(
            "a machine without colors",
            edited("zcu102", "xeon-5218"),
            &["--to", "palloc", "--set", "task.control.banks=\"0\""],
        )
        .told("t.toml: --to palloc: "),
        export("no ways", PARTS, &["--to", "resctrl"]).told("t.toml: --to resctrl: "),
        export("no period", PARTS, &["--to", "schedcat"]).told("t.toml: --to schedcat: "),
        export(
            "servers without windows",
            TASKS,
            &["--to", "arinc653", "--set", "plan.method=crs"],
        )
        .told("t.toml: --to arinc653: "),
        export("a core that there is not", TASKS, &["--to", "arinc653", "--core", "1"]).told("t.toml: --to arinc653: "),
        export("slots for SCHED_DEADLINE", TASKS, &["--to", "sched-deadline"]).told("t.toml: --to sched-deadline: "),
        export(
            "a period that is none of SchedCAT's",
            TASKS,
            &["--to", "schedcat", "--unit", "s"],
        )
        .told("t.toml: --to schedcat: "),
    ]
}

fn imports() -> Vec<Case> {
    const CAT: [&str; 2] = ["--from", "schedcat"];
    vec![
        import("an unknown tool", "", &["--from", "mast"]).told("--from: "),
        import("no XML", "period,wcet\n", &CAT).told_at("in", "period"),
        import("an entity", "<!DOCTYPE t [\n<!ENTITY a \"b\">]>\n<taskset/>", &CAT).told_at("in", "<!DOCTYPE"),
        import("another document", "\n<html/>", &CAT).told_at("in", "<html/>"),
        import(
            "a negative period",
            "<taskset>\n<task period=\"-1\" wcet=\"1\"/></taskset>",
            &CAT,
        )
        .told_at("in", "<task "),
        import(
            "no number",
            "<taskset>\n<task period=\"nan\" wcet=\"1\"/></taskset>",
            &CAT,
        )
        .told_at("in", "<task "),
        import(
            "a late deadline",
            "<taskset>\n<task period=\"4\" wcet=\"1\" deadline=\"5\"/></taskset>",
            &CAT,
        )
        .told_at("in", "<task "),
        import(
            "a resource",
            "<taskset><task period=\"4\" wcet=\"1\">\n<resources><requirement/></resources></task></taskset>",
            &CAT,
        )
        .told_at("in", "<resources>"),
        import(
            "more than the cores have",
            "<taskset><task period=\"4\" wcet=\"3\"/><task period=\"4\" wcet=\"3\"/></taskset>",
            &CAT,
        )
        .told("in: "),
        import(
            "a core that there is not",
            "<taskset><task period=\"4\" wcet=\"1\" partition=\"7\"/></taskset>",
            &CAT,
        )
        .told("in: "),
        import(
            "no such machine",
            "<taskset><task period=\"4\" wcet=\"1\"/></taskset>",
            &["--from", "schedcat", "--machine", "vax"],
        )
        .told("in: machine: "),
        import("a model without a unit", "<cheddar/>", &["--from", "cheddar"]).told("in: "),
        import(
            "precedence",
            "<cheddar>\n<dependencies><dependency/></dependencies></cheddar>",
            &["--from", "cheddar", "--unit", "ms"],
        )
        .told_at("in", "<dependencies>"),
        import(
            "an unknown column",
            "name,perod_us,wcet_us\na,1,1\n",
            &["--from", "csv"],
        )
        .told_at("in", "name"),
        import(
            "a unit of nothing",
            "name,period,wcet_us\na,5 weeks,1\n",
            &["--from", "csv"],
        )
        .told_at("in", "a,5"),
        import(
            "arrival jitter",
            "name,P,J,dmin,wcet\na,9,9001,0,1\n",
            &["--from", "pycpa", "--unit", "us"],
        )
        .told_at("in", "a,9"),
        import(
            "jitter in JSON",
            "{\"tasks\": [{\"name\": \"a\", \"P\": 9, \"J\": 9001, \"wcet\": 1}]}",
            &["--from", "pycpa", "--unit", "us"],
        )
        .told("in: tasks[0].J: "),
    ]
}
