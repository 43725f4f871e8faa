// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refreshes in windows: what is exported, what the kernel module (`kernel/refresh/judge.c`) says of it, and what the standard's limits say,
//! command by command.

use crate::support::{lossy, planned, plans, write};
use fresco_exchange::{ExportOptions, Subject};
use fresco_scenario::Plan;
use fresco_scenario::plan::{RefreshPlan, RefreshWindow};
use fresco_testing::Need;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

const SHORT: &str = "name = \"windows\"\nmachine = \"gem5-2core\"\n\
    plan = { method = \"aligned\", within_postponing = true, handler = \"6 us\" }\n\
    [[task]]\nname = \"control\"\ncore = 0\nperiod = \"8 ms\"\nwcet = \"1 ms\"\nmemory = \"256 KiB\"\n";

/// Reads texts, each behind a line with its size, and prints a line for each: `ok`, or why it is refused.
const ASKS: &str = r#"
#include <stdlib.h>
#include "schedule.h"

int main(void)
{
	size_t size;

	while (scanf("%zu\n", &size) == 1) {
		char *text = malloc(size + 1);
		struct rfw_window *read = calloc(rfw_room(size), sizeof(*read)), *grouped = calloc(rfw_room(size), sizeof(*grouped));
		struct rfw_schedule schedule;
		struct rfw_refusal why;
		u64 *times;

		if (!text || !read || !grouped || fread(text, 1, size, stdin) != size)
			return 1;
		if (rfw_parse(text, size, read, grouped, &schedule, &why)) {
			puts(why.text);
		} else {
			times = calloc(rfw_most(&schedule) + 1, sizeof(*times));
			if (!times)
				return 1;
			puts(rfw_judge(&schedule, times, &why) ? why.text : "ok");
			free(times);
		}
		free(text);
		free(read);
		free(grouped);
	}
	return 0;
}
"#;

/// What the module says of texts; `None` without a compiler. Sanitizers see what it reads and adds up.
fn by_module(texts: &[String]) -> Option<Vec<String>> {
    let directory = tempfile::tempdir().expect("a directory");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/refresh");
    std::fs::write(directory.path().join("asks.c"), ASKS).expect("it is written");
    let done = Command::new("cc")
        .args([
            "-O1",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover",
        ])
        .args(["-o", "asks", "asks.c"])
        .args([sources.join("schedule.c"), sources.join("judge.c")])
        .arg("-I")
        .arg(&sources)
        .current_dir(directory.path())
        .output();
    let Ok(done) = done else {
        fresco_testing::skip(Need::Compiler, "there is no cc");
        return None;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut child = Command::new(directory.path().join("asks"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let all: String = texts.iter().map(|text| format!("{}\n{text}", text.len())).collect();
    let writer = std::thread::spawn(move || input.write_all(all.as_bytes()));
    let mut said = String::new();
    child
        .stdout
        .take()
        .expect("a pipe")
        .read_to_string(&mut said)
        .expect("text");
    writer.join().expect("no panic").expect("it reads all");
    assert!(child.wait().expect("it ends").success());
    let said: Vec<String> = said.lines().map(str::to_owned).collect();
    assert_eq!(said.len(), texts.len());
    Some(said)
}

/// The schedule of a plan, written here once more.
fn text_of(plan: &Plan) -> String {
    let RefreshPlan::Windows { period_ns, windows } = &plan.refresh else {
        panic!("windows")
    };
    let memory = &plan.memory;
    let mut text = String::from("format fresco-refresh-windows/1\n");
    for (key, value) in [
        ("ranks", u64::from(memory.ranks)),
        ("retention_ns", memory.retention_ns),
        ("refreshes", memory.commands),
        ("trfc_ns", memory.trfc_ns),
        ("period_ns", *period_ns),
        ("lateness_ns", plan.refresh_jitter_ns),
    ] {
        writeln!(text, "{key} {value}").expect("a string");
    }
    let mut rows = Vec::new();
    for window in windows {
        for &rank in &plan.colors[window.color].ranks {
            rows.push((window.start_ns, rank, window.commands));
        }
    }
    rows.sort_unstable();
    for (start, rank, commands) in rows {
        writeln!(text, "window {rank} {start} {commands}").expect("a string");
    }
    text + "end\n"
}

/// Without the head.
fn body(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .fold(String::new(), |all, line| all + line + "\n")
}

#[test]
fn a_plan_within_the_limits_is_what_the_module_takes() {
    let subject = planned(SHORT);
    let plan = subject.plan.as_ref().expect("a plan");
    let text = write(&subject, "refresh-windows", &ExportOptions::default())
        .expect("within the limits")
        .text;
    assert_eq!(body(&text), text_of(plan));
    // What the guest of scripts/kernel-test loads.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/test/refresh_windows.txt");
    if std::env::var_os("FRESCO_BLESS").is_some() {
        let head = "# SPDX-License-Identifier: GPL-2.0-only\n# Compared with what `fresco export --to refresh-windows` writes, and loaded in the test of kernel/refresh.\n";
        std::fs::write(&file, format!("{head}{}", body(&text))).expect("written");
    }
    assert_eq!(body(&std::fs::read_to_string(file).expect("it is there")), body(&text));
    if let Some(said) = by_module(&[text]) {
        assert_eq!(said, ["ok"]);
    }
}

#[test]
fn what_is_refused_says_why() {
    let told = |subject: &Subject| {
        let error = write(subject, "refresh-windows", &lossy()).expect_err("it is refused");
        error.found.clone()
    };
    let mut controller = 0;
    for (plan, machine) in plans() {
        let windows = matches!(plan.refresh, RefreshPlan::Windows { .. });
        let found = told(&Subject::of_plan("plan.json", plan, machine).expect("a plan"));
        controller += usize::from(!windows);
        match windows {
            true => assert!(
                [
                    "a refresh_jitter",
                    "between two refreshes",
                    "not begin late",
                    "bank",
                    "waits for",
                    "fewer than"
                ]
                .iter()
                .any(|words| found.contains(words)),
                "{found}"
            ),
            false => assert!(
                found.starts_with("found refreshes that the controller sends by itself"),
                "{found}"
            ),
        }
    }
    let auto = SHORT
        .replace("aligned", "auto-refresh")
        .replace(", within_postponing = true", "");
    assert!(
        told(&planned(&auto)).starts_with("found refreshes that the controller sends by itself"),
        "{controller}"
    );
    let long = SHORT.replace(", within_postponing = true", "");
    assert!(
        told(&planned(&long)).contains("between two refreshes of a rank"),
        "{}",
        told(&planned(&long))
    );
    let change = |edit: &dyn Fn(&mut Plan)| {
        let mut subject = planned(SHORT);
        edit(subject.plan.as_mut().expect("a plan"));
        told(&subject)
    };
    assert_eq!(
        change(&|plan| plan.refresh_jitter_ns = 0),
        "found refreshes that may not begin late"
    );
    assert_eq!(
        change(&|plan| plan.refresh_jitter_ns = 1_000_001),
        "found a refresh_jitter in ns of 1000001"
    );
    assert_eq!(change(&|plan| plan.memory.ranks = 17), "found a number of ranks of 17");
    assert_eq!(
        change(&|plan| plan.colors[1].bank = Some(3)),
        "found a color that is bank 3 of its ranks"
    );
    assert_eq!(
        change(&|plan| plan.memory.commands = 16384),
        "found ddr3-1600 with 16384 refreshes of all rows"
    );
    assert_eq!(
        change(&|plan| plan.memory.standard = "lpddr4-3200".to_owned()),
        "found lpddr4-3200 with 8192 refreshes of all rows"
    );
    let windows = |edit: fn(&mut Vec<RefreshWindow>)| {
        change(&move |plan| match &mut plan.refresh {
            RefreshPlan::Windows { windows, .. } => edit(windows),
            RefreshPlan::Controller { .. } => panic!("windows"),
        })
    };
    assert_eq!(
        windows(|all| all.retain(|window| window.color == 0)),
        "found 0 refreshes of a rank in a period (color 1)"
    );
    assert!(windows(|all| all[0].commands = 0).starts_with("found 0 refreshes"));
    assert!(windows(|all| all[0].start_ns = 70_000).starts_with("found a window at 70000 ns that ends"));
    assert!(windows(|all| all.push(all[0])).starts_with("found a window at 6000 ns that ends at 11300 ns"));
    assert!(windows(|all| all[0].commands = 8).contains("refreshes of a rank in 64000 ns, fewer than 8192"));
    assert!(windows(|all| all[0].commands = 40).contains("more than 16 refreshes of a rank within 2 tREFI"));
}

/// The limits, of every two refreshes of a rank, as far as the retention time goes: `true` if none is exceeded.
fn by_definition(plan: &Plan, color: usize) -> bool {
    let RefreshPlan::Windows { period_ns, windows } = &plan.refresh else {
        panic!("windows")
    };
    let (memory, period) = (&plan.memory, u128::from(*period_ns));
    let mut turn: Vec<(u128, u128)> = windows
        .iter()
        .filter(|window| window.color == color)
        .map(|window| (window.start_ns.into(), window.commands.into()))
        .collect();
    turn.sort_unstable();
    let trfc = u128::from(memory.trfc_ns);
    let mut times = Vec::new();
    let all = memory.commands as usize + 40;
    for number in 0.. {
        for &(start, commands) in &turn {
            times.extend((0..commands).map(|k| number * period + start + k * trfc));
        }
        if times.len() > 2 * all {
            break;
        }
    }
    let each: usize = turn.iter().map(|&(_, commands)| commands as usize).sum();
    let (retention, needed, late) = (
        u128::from(memory.retention_ns),
        u128::from(memory.commands),
        u128::from(plan.refresh_jitter_ns),
    );
    if times.windows(2).any(|pair| pair[1] < pair[0] + trfc) {
        return false;
    }
    (0..each).all(|i| {
        (i + 1..i + all).all(|j| {
            let (wait, apart) = ((times[j] - times[i] + late) * needed, (j - i) as u128);
            // No more than 8 are postponed, whatever moment one begins to count at.
            wait <= (apart + 8) * retention
                // A row comes again with the refresh that is so many further on.
                && (j - i != memory.commands as usize || times[j] - times[i] + late <= retention)
                // 17 take more than 2 tREFI, even if the first is late.
                && (j - i != 16 || (times[j] - times[i]) * needed >= 2 * retention + late * needed)
        })
    })
}

#[test]
fn export_module_and_definition_agree() {
    let subject = planned(SHORT);
    let mut random = Pcg64::seed_from_u64(21);
    let mut subjects = Vec::new();
    for _ in 0..300 {
        let plan = subject.plan.clone().expect("a plan");
        let mut changed = Subject::of_plan("plan.json", plan, subject.machine.clone()).expect("a plan");
        let plan = changed.plan.as_mut().expect("a plan");
        let period_ns = random.random_range(20_000..200_000);
        let mut windows = Vec::new();
        for color in 0..2 {
            let mut left = period_ns * random.random_range(100..150) / 781_250 + 1;
            let mut start_ns = random.random_range(0..10_000);
            while left > 0 {
                let commands = left.min(random.random_range(1..12));
                windows.push(RefreshWindow {
                    color,
                    start_ns,
                    commands,
                });
                left -= commands;
                start_ns += commands * plan.memory.trfc_ns + random.random_range(0..70_000);
            }
        }
        plan.refresh_jitter_ns = random.random_range(1..20_000);
        plan.refresh = RefreshPlan::Windows { period_ns, windows };
        subjects.push(changed);
    }
    let texts: Vec<String> = subjects
        .iter()
        .map(|subject| text_of(subject.plan.as_ref().expect("a plan")))
        .collect();
    let said = by_module(&texts);
    let mut accepted = 0;
    for (number, subject) in subjects.iter().enumerate() {
        let exported = write(subject, "refresh-windows", &ExportOptions::default());
        let plan = subject.plan.as_ref().expect("a plan");
        let within = by_definition(plan, 0) && by_definition(plan, 1) && text_is_within(plan);
        assert_eq!(
            exported.is_ok(),
            within,
            "{number}: {:?}\n{}",
            exported.err(),
            texts[number]
        );
        if let Some(said) = &said {
            assert_eq!(
                said[number] == "ok",
                within,
                "{number}: {}\n{}",
                said[number],
                texts[number]
            );
        }
        accepted += usize::from(within);
    }
    assert!((30..270).contains(&accepted), "{accepted} of 300");
}

/// Each window begins within the period.
fn text_is_within(plan: &Plan) -> bool {
    match &plan.refresh {
        RefreshPlan::Windows { period_ns, windows } => windows.iter().all(|window| window.start_ns < *period_ns),
        RefreshPlan::Controller { .. } => false,
    }
}

#[test]
fn spoilt_texts_are_refused_in_a_sentence() {
    let text = text_of(planned(SHORT).plan.as_ref().expect("a plan"));
    let mut random = Pcg64::seed_from_u64(22);
    let mut texts = vec![
        text.clone(),
        String::new(),
        "\0".to_owned(),
        "end\n".to_owned(),
        text.replace('\n', "\r\n"),
    ];
    for _ in 0..500 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..bytes.len());
            match random.random_range(0..3) {
                0 => bytes[at] = b"0918 \n#-xw\0"[random.random_range(0..11)],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b'0' + random.random_range(0..10)),
            }
        }
        texts.push(String::from_utf8(bytes).expect("ASCII"));
    }
    texts.push(text.replace("ranks 2", &format!("ranks {}2", "0".repeat(60))));
    texts.push(text.replace("period_ns 64000", &format!("period_ns {}", "9".repeat(60))));
    let Some(said) = by_module(&texts) else { return };
    assert_eq!(said[0], "ok");
    for (said, text) in said.iter().zip(&texts) {
        assert!(
            said == "ok" || said.contains("allowed: ") || said.contains("no last line 'end'"),
            "{said}\n{text}"
        );
    }
    assert!(said.iter().filter(|said| *said != "ok").count() > 300);
    assert_eq!(said[texts.len() - 2], "ok");
    assert!(
        said[texts.len() - 1].starts_with("line 6: period_ns: found '9999"),
        "{}",
        said[texts.len() - 1]
    );
}
