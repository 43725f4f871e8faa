// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel module (`kernel/memguard/manager.c`) decides as the model's [`Manager`] does.
//!
//! It is compiled for this machine, and both are asked the same: periods that begin, lines that are used, budgets that are used up.

use fresco_system::bandwidth::{Decision, Kind, Manager, Prediction, Reservation, Settings, Share};
use fresco_testing::Need;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Reads what happens, a line each, and prints what follows. A period begins on all members in their order.
const ASKS: &str = r#"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "manager.h"
#define N SCNu64

static struct mg_manager m;
static uint64_t used[16], period;

int main(void)
{
	char what[16];
	uint64_t a, b;
	unsigned i, soft, share, average, reclaim, weight;

	if (scanf("settings %u %" N " %" N " %u %u %u\n", &m.count, &m.next.guaranteed, &m.next.chunk, &share, &average, &reclaim) != 6)
		return 1;
	m.next.share = share;
	m.next.prediction = average;
	m.next.reclaim = reclaim;
	m.settings = m.next;
	m.budgets = calloc(m.count, sizeof(*m.budgets));
	for (i = 0; i < m.count; i++) {
		if (scanf("core %" N " %u %u\n", &a, &soft, &weight) != 3)
			return 1;
		m.budgets[i].next = (struct mg_reservation) { a, weight, soft, true };
		mg_join(&m, i);
	}
	for (i = 0, period = 1; i < m.count; i++)
		mg_begin(&m, i, period, 0);
	while (scanf("%15s", what) == 1) {
		if (!strcmp(what, "begin")) {
			period++;
			for (i = 0; i < m.count; i++, used[i - 1] = 0)
				mg_begin(&m, i, period, used[i]);
		} else if (!strcmp(what, "used") && scanf("%u %" N, &i, &b) == 2) {
			used[i] += b;
			/* The counter interrupts who has nothing left. */
			if (used[i] >= m.budgets[i].given && !mg_is_open(&m, i))
				printf("%d ", mg_exhausted(&m, i, used[i]));
			else
				printf("- ");
		}
		printf("%" PRIu64 ":", m.pool);
		for (i = 0; i < m.count; i++)
			printf(" %" PRIu64 "%s", m.budgets[i].given, m.budgets[i].stalled ? "!" : "");
		printf(" %d\n", m.open);
	}
	for (i = 0; i < m.count; i++) {
		struct mg_counts *c = &m.budgets[i].counts;

		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       c->periods, c->used, c->exhausted, c->donated, c->reclaimed, c->extra, c->shared, c->errors, c->overshoot);
	}
	return 0;
}
"#;

#[derive(Clone, Debug)]
enum Event {
    Begin,
    Used(usize, u64),
}

fn compiled(directory: &Path) -> bool {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/memguard");
    std::fs::write(directory.join("asks.c"), ASKS).expect("it is written");
    let done = Command::new("cc")
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o", "asks", "asks.c"])
        .arg(sources.join("manager.c"))
        .arg("-I")
        .arg(&sources)
        .current_dir(directory)
        .output();
    let Ok(done) = done else {
        fresco_testing::skip(Need::Compiler, "there is no cc");
        return false;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    true
}

fn by_kernel(program: &Path, settings: &Settings, events: &[Event]) -> String {
    let share = match settings.share {
        Share::None => 0,
        Share::BestEffort => 1,
        Share::Weights => 2,
    };
    let mut asked = format!(
        "settings {} {} {} {share} {} {}\n",
        settings.reservations.len(),
        settings.total,
        settings.chunk,
        u8::from(settings.prediction == Prediction::Average),
        u8::from(settings.reclaim)
    );
    for one in &settings.reservations {
        let soft = u8::from(one.kind == Kind::Soft);
        writeln!(asked, "core {} {soft} {}", one.lines, one.weight).expect("a string");
    }
    for event in events {
        match event {
            Event::Begin => asked.push_str("begin\n"),
            Event::Used(core, lines) => writeln!(asked, "used {core} {lines}").expect("a string"),
        }
    }
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let mut said = String::new();
    let mut output = child.stdout.take().expect("it is piped");
    output.read_to_string(&mut said).expect("text");
    writer.join().expect("no panic").expect("it reads all");
    assert!(child.wait().expect("it ends").success());
    said
}

fn by_model(settings: &Settings, events: &[Event]) -> String {
    let mut manager = Manager::new(settings.clone());
    let mut said = String::new();
    for event in events {
        match *event {
            Event::Begin => manager.begin_period(),
            Event::Used(core, lines) => {
                let decided = match manager.used(core, lines) {
                    false => "- ",
                    true => match manager.exhausted(core) {
                        Decision::GoOn => "0 ",
                        Decision::Stall => "1 ",
                        Decision::AllGoOn => "2 ",
                    },
                };
                said.push_str(decided);
            }
        }
        write!(said, "{}:", manager.pool()).expect("a string");
        for (core, given) in manager.given().iter().enumerate() {
            let stalled = if manager.is_stalled(core) { "!" } else { "" };
            write!(said, " {given}{stalled}").expect("a string");
        }
        writeln!(said, " {}", u8::from(manager.beyond().is_none())).expect("a string");
    }
    for core in 0..settings.reservations.len() {
        let c = manager.counts(core);
        writeln!(
            said,
            "{} {} {} {} {} {} {} {} {}",
            c.periods, c.used, c.exhausted, c.donated, c.reclaimed, c.extra, c.shared, c.errors, c.overshoot
        )
        .expect("a string");
    }
    said
}

fn settings() -> impl Strategy<Value = Settings> {
    let reservation = (1u64..60, any::<bool>(), 1u32..9).prop_map(|(lines, soft, weight)| Reservation {
        lines,
        kind: if soft { Kind::Soft } else { Kind::Hard },
        weight,
    });
    let share = prop_oneof![Just(Share::None), Just(Share::BestEffort), Just(Share::Weights)];
    let all = proptest::collection::vec(reservation, 1..6);
    (all, 0u64..80, any::<bool>(), any::<bool>(), share, 1u64..20).prop_map(
        |(reservations, free, reclaim, average, share, chunk)| Settings {
            total: reservations.iter().map(|one| one.lines).sum::<u64>() + free,
            reservations,
            reclaim,
            prediction: if average { Prediction::Average } else { Prediction::Last },
            share,
            chunk,
        },
    )
}

fn events(cores: usize) -> impl Strategy<Value = Vec<Event>> {
    let used = (0..cores, prop_oneof![4 => 1u64..8, 1 => 8u64..80]).prop_map(|(core, lines)| Event::Used(core, lines));
    proptest::collection::vec(prop_oneof![1 => Just(Event::Begin), 9 => used], 1..200)
}

#[test]
fn decisions_are_those_of_the_model() {
    let directory = tempfile::tempdir().expect("a folder");
    if !compiled(directory.path()) {
        return;
    }
    let program = directory.path().join("asks");
    let cases = std::env::var("MANAGERS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(200);
    let mut runner = TestRunner::new_with_rng(
        Config {
            cases,
            failure_persistence: None,
            ..Config::default()
        },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let drawn = settings().prop_flat_map(|settings| {
        let cores = settings.reservations.len();
        (Just(settings), events(cores))
    });
    let result = runner.run(&drawn, |(settings, events)| {
        prop_assert_eq!(by_kernel(&program, &settings, &events), by_model(&settings, &events));
        Ok(())
    });
    result.expect("both decide alike");
}
