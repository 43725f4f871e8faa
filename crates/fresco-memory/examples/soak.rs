// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random traffic of every character on every standard and policy, every command judged by the timing checker:
//! 10^8 commands for each standard unless told otherwise. Rows must be refreshed in time where refresh is on. Seeds are
//! fixed, so a violation comes again.
//!
//! Besides the standards: DDR5 with refresh management (`ddr5-4800+rfm`), with activation counting (`ddr5-4800+prac`), and with both.
//!
//! Usage: soak [COMMANDS [STANDARD...]]
//! Exit status: 0 nothing found, 1 violations, 2 wrong usage.

#[path = "../tests/support/mod.rs"]
mod support;

use fresco_dram::{CommandKind, Cycle, Organisation, Prac, Rfm, Timing, standards};
use fresco_machine::{ControllerConfig, RefreshPolicy};
use fresco_memory::checker::{Checker, CheckerReport, Options};
use fresco_memory::{Command, Completion, Controller, Sink};
use std::process::ExitCode;
use std::time::Instant;
use support::traffic::Traffic;
use support::{devices, variety};

/// Commands of one run, and of each line of progress: on most standards longer than the refresh window.
const RUN: u64 = 2_500_000;
/// A request that is not done after so many refresh intervals is lost.
const PATIENCE: Cycle = 1000;

/// What devices of DDR5 may ask for besides refresh, after the name of the standard; so little that random traffic brings it.
const MANAGED: [(&str, Option<Rfm>, Option<Prac>); 3] = [
    ("+rfm", Some(RFM), None),
    ("+prac", None, Some(PRAC)),
    (
        "+rfm+prac",
        Some(Rfm { same_bank: true, ..RFM }),
        Some(Prac { level: 4, ..PRAC }),
    ),
];
const RFM: Rfm = Rfm {
    raaimt: 16,
    raammt: 48,
    per_refresh: 8,
    same_bank: false,
};
const PRAC: Prac = Prac {
    threshold: 32,
    level: 1,
};

/// All that is soaked.
fn names() -> Vec<String> {
    let standards = || standards::names().map(str::to_owned);
    let ddr5 = standards().filter(|name| name.starts_with("ddr5"));
    standards()
        .chain(ddr5.flat_map(|name| MANAGED.map(|(suffix, ..)| format!("{name}{suffix}"))))
        .collect()
}

/// Puts every command before the checker and counts what is done.
struct Judge {
    checker: Checker,
    commands: u64,
    done: u64,
}

impl Sink for Judge {
    fn completed(&mut self, _completion: &Completion) {
        self.done += 1;
    }

    fn command(&mut self, command: &Command) {
        self.commands += 1;
        self.checker.observe(&command.into());
    }
}

/// One controller under traffic until it has issued `commands`.
fn run(config: &ControllerConfig, org: &Organisation, timing: &Timing, seed: u64, commands: u64) -> CheckerReport {
    let retention = config.refresh != RefreshPolicy::None;
    let options = Options {
        retention,
        keep: 5,
        ..Options::default()
    };
    let mut judge = Judge {
        checker: Checker::new(org, timing, options),
        commands: 0,
        done: 0,
    };
    let mut controller = Controller::new(config, org, timing, 0);
    let mut traffic = Traffic::new(seed, org, timing);
    let (mut now, mut sent) = (0, 0);
    while judge.commands < commands {
        let (at, request) = traffic.draw();
        if at > now {
            controller.run_until(at - 1, &mut judge);
            now = at;
        }
        // Traffic comes faster than some of these controllers can be; let them catch up.
        while controller.outstanding() > 10_000 {
            now = now.max(controller.next_event()) + 1;
            controller.run_until(now - 1, &mut judge);
        }
        controller.submit(now, request);
        sent += 1;
    }
    controller.set_eager_writes(true);
    let patience = now + PATIENCE * timing.refi;
    while controller.outstanding() > 0 && now < patience {
        now = controller.next_event();
        controller.run_until(now, &mut judge);
    }
    assert_eq!(judge.done, sent, "{config:?}, seed {seed}: requests are lost");
    judge.checker.finish(now)
}

/// Runs of one standard, policies and sizes changing from one to the next, until all `commands` are checked; returns the
/// number of commands and of findings.
fn soak(name: &str, commands: u64) -> (u64, u64) {
    let (mut checked, mut found) = (0, 0);
    let start = Instant::now();
    // Each standard begins elsewhere in the list of policies and takes every fifth, so that a part of it is a mixture.
    let first = 13 * names().iter().position(|known| known == name).unwrap_or(0);
    let standard = name.split('+').next().unwrap_or(name);
    let managed = MANAGED
        .iter()
        .find(|(suffix, ..)| name == format!("{standard}{suffix}"));
    let (rfm, prac) = managed.map_or((None, None), |&(_, rfm, prac)| (rfm, prac));
    for number in 0.. {
        if checked >= commands {
            break;
        }
        let policies: Vec<ControllerConfig> = variety::configurations(number / 54).collect();
        let config = &policies[(first + 5 * number as usize) % policies.len()];
        let org = Organisation {
            channels: 1 + number as u32 % 2,
            ..devices::organisation(standard)
        };
        let timing = devices::managed(standard, &[], rfm, prac);
        let report = run(config, &org, &timing, number, RUN.min(commands - checked));
        checked += report.commands_total();
        if !report.is_clean() || report.retention.postponements > 0 {
            found += report.violations_total().max(1);
            println!("{name}, seed {number}, {config:?}:\n{report}");
        }
        let count = |kind| report.commands.get(&kind).copied().unwrap_or(0);
        let refreshes = count(CommandKind::RefAb);
        let rfms = match count(CommandKind::RfmAb) + count(CommandKind::RfmSb) {
            0 => String::new(),
            rfms => format!(", {rfms} RFM"),
        };
        println!(
            "{name:12} {:6.1} M commands, {found} violations, {:.1} M commands/s; this run {:.1} M cycles, {refreshes} refreshes{rfms}",
            checked as f64 / 1e6,
            checked as f64 / start.elapsed().as_secs_f64() / 1e6,
            report.end as f64 / 1e6,
        );
    }
    (checked, found)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let commands = match arguments.next().map(|word| word.replace('_', "").parse()) {
        None => 100_000_000,
        Some(Ok(commands)) => commands,
        Some(Err(_)) => {
            eprintln!("usage: soak [COMMANDS [STANDARD...]]");
            return ExitCode::from(2);
        }
    };
    let wanted: Vec<String> = arguments.collect();
    let known = names();
    if let Some(unknown) = wanted.iter().find(|name| !known.contains(name)) {
        eprintln!("soak: no standard {unknown}; known: {}", known.join(", "));
        return ExitCode::from(2);
    }
    let names = known.iter().filter(|name| wanted.is_empty() || wanted.contains(name));
    let (mut checked, mut found) = (0, 0);
    for name in names {
        let (c, f) = soak(name, commands);
        (checked, found) = (checked + c, found + f);
    }
    println!("{checked} commands checked, {found} violations");
    ExitCode::from(u8::from(found > 0))
}
