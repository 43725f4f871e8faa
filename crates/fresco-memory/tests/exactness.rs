// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jumping from event to event does what stepping through every cycle does: the same commands in the same cycles, the
//! same completions with the same waits. And the timing checker finds nothing in any of it.
//!
//! Traffic reads and writes on two ranks, in bursts and with lulls, with and without locality; every queue structure
//! meets every scheduler, page policy and refresh policy, on every standard, with one and two channels.

use crate::support::script::{drive, run};
use crate::support::traffic::Traffic;
use crate::support::{devices, variety};
use fresco_dram::{Organisation, Timing};
use fresco_machine::ControllerConfig;
use fresco_memory::{Command, Completion, Controller, Driver, Observer, Sink, Stepping, TraceRequest};
use std::convert::Infallible;

const REQUESTS: usize = 400;

/// The first commands that differ, for people.
fn difference<T: PartialEq + std::fmt::Debug>(jumping: &[T], stepping: &[T]) -> Option<String> {
    let at = (0..jumping.len().max(stepping.len())).find(|&i| jumping.get(i) != stepping.get(i))?;
    Some(format!(
        "number {at}: {:?}, step by step {:?}",
        jumping.get(at),
        stepping.get(at)
    ))
}

fn check(name: &str, config: &ControllerConfig, org: &Organisation, timing: &Timing, seed: u64) -> usize {
    let go = |stepping| {
        let mut traffic = Traffic::new(seed, org, timing);
        run(config, org, timing, stepping, (0..REQUESTS).map(|_| traffic.draw()))
    };
    let (jumping, end) = go(Stepping::Events);
    check_apart(config, org, timing, seed, &jumping.commands, &jumping.completions);
    let (stepping, _) = go(Stepping::EveryCycle);
    let commands = difference(&jumping.commands, &stepping.commands);
    assert_eq!(commands, None, "{name}, seed {seed}, {config:?}");
    let completions = difference(&jumping.completions, &stepping.completions);
    assert_eq!(completions, None, "{name}, seed {seed}, {config:?}");
    assert_eq!(jumping.completions.len(), REQUESTS, "{name}, seed {seed}, {config:?}");
    let issued = jumping.commands.len();
    let report = jumping.verdict(end);
    assert!(report.is_clean(), "{name}, seed {seed}, {config:?}: {report}");
    assert_eq!(
        report.retention.postponements, 0,
        "{name}, seed {seed}, {config:?}: {report}"
    );
    issued
}

/// A sink that lets each channel go by itself.
#[derive(Default)]
struct Apart {
    commands: Vec<Command>,
    completions: Vec<Completion>,
}

impl Sink for Apart {
    const NEVER_STOPS: bool = true;

    fn completed(&mut self, completion: &Completion) {
        self.completions.push(*completion);
    }

    fn command(&mut self, command: &Command) {
        self.commands.push(*command);
    }
}

/// Channels that go by themselves do what they do in step with each other; only the order in which that is told differs.
fn check_apart(
    config: &ControllerConfig,
    org: &Organisation,
    timing: &Timing,
    seed: u64,
    commands: &[Command],
    completions: &[Completion],
) {
    let mut traffic = Traffic::new(seed, org, timing);
    let requests = (0..REQUESTS).map(|_| traffic.draw());
    let (mut apart, _) = drive(
        Controller::new(config, org, timing, 0),
        Apart::default(),
        timing,
        requests,
    );
    apart.commands.sort_by_key(|command| (command.cycle, command.channel));
    assert_eq!(difference(&apart.commands, commands), None, "seed {seed}, {config:?}");
    let by_request = |completion: &Completion| (completion.id, completion.done);
    let mut together = completions.to_vec();
    together.sort_by_key(by_request);
    apart.completions.sort_by_key(by_request);
    assert_eq!(
        difference(&apart.completions, &together),
        None,
        "seed {seed}, {config:?}"
    );
}

/// All policies, one and two channels. Refreshes are short and so close that they come in the middle of everything.
fn standard(name: &str) {
    let timing = devices::timing(name, &[("rfc_ab", 80), ("refi", 400)]);
    let mut seed = 0;
    for channels in [1, 2] {
        let org = Organisation {
            channels,
            ..devices::organisation(name)
        };
        let mut issued = 0;
        for config in variety::configurations(u64::from(channels)) {
            issued += check(name, &config, &org, &timing, seed);
            seed += 1;
        }
        assert!(issued > 54 * REQUESTS, "{name}: the traffic reaches the DRAM");
    }
}

macro_rules! standards {
    ($($test:ident $name:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            standard($name);
        })*

        #[test]
        fn no_standard_is_forgotten() {
            assert_eq!(fresco_dram::standards::names().collect::<Vec<_>>(), [$($name),*]);
        }
    };
}

standards! {
    ddr2_800 "ddr2-800",
    ddr3_800 "ddr3-800",
    ddr3_1066 "ddr3-1066",
    ddr3_1333 "ddr3-1333",
    ddr3_1600 "ddr3-1600",
    ddr3_1866 "ddr3-1866",
    ddr3_2133 "ddr3-2133",
    ddr4_2133 "ddr4-2133",
    ddr4_2400 "ddr4-2400",
    ddr4_2666 "ddr4-2666",
    ddr4_2933 "ddr4-2933",
    ddr4_3200 "ddr4-3200",
    ddr5_4800 "ddr5-4800",
    ddr5_5600 "ddr5-5600",
    ddr5_6400 "ddr5-6400",
    lpddr3_1600 "lpddr3-1600",
    lpddr3_1866 "lpddr3-1866",
    lpddr4_3200 "lpddr4-3200",
    lpddr4x_4266 "lpddr4x-4266",
    lpddr5_6400 "lpddr5-6400",
    lpddr5_6400_8b "lpddr5-6400-8b",
    lpddr5x_8533 "lpddr5x-8533",
    hbm2_2000 "hbm2-2000",
    hbm2e_3200 "hbm2e-3200",
    hbm3_6400 "hbm3-6400",
}

#[derive(Default)]
struct Seen {
    commands: Vec<Command>,
    completions: Vec<Completion>,
}

impl Observer for Seen {
    fn completed(&mut self, completion: &Completion) {
        self.completions.push(*completion);
    }

    fn command(&mut self, command: &Command) {
        self.commands.push(*command);
    }
}

/// A trace with a bound on outstanding requests, which sends the next request when one is done.
#[test]
fn driven_traces() {
    let name = "ddr4-3200";
    let timing = devices::timing(name, &[]);
    let timing = devices::timing(name, &[("refi", timing.rfc_ab + 500)]);
    for channels in [1, 2] {
        let org = Organisation {
            channels,
            ..devices::organisation(name)
        };
        for (seed, config) in (0..).zip(variety::configurations(5)) {
            let mut traffic = Traffic::new(seed, &org, &timing);
            let requests: Vec<_> = (0..REQUESTS).map(|_| traffic.draw()).collect();
            let go = |stepping| {
                let mut controller = Controller::new(&config, &org, &timing, 0);
                controller.set_stepping(stepping);
                let trace = requests.iter().enumerate().map(|(i, (at, request))| {
                    Ok(TraceRequest {
                        cycle: at / 2,
                        address: i as u64,
                        access: request.access,
                    })
                });
                let place = |i: u64| Ok(requests[i as usize].1.location);
                let mut seen = Seen::default();
                let Ok(driven) = Driver::new(vec![controller], 12).run::<Infallible>(trace, place, &mut seen);
                (driven, seen)
            };
            let (jumping, stepping) = (go(Stepping::Events), go(Stepping::EveryCycle));
            assert_eq!(jumping.0, stepping.0, "{config:?}");
            assert_eq!(
                difference(&jumping.1.commands, &stepping.1.commands),
                None,
                "{config:?}"
            );
            assert_eq!(
                difference(&jumping.1.completions, &stepping.1.completions),
                None,
                "{config:?}"
            );
        }
    }
}

/// Idle times far beyond what 16-bit distances hold, with refresh and adaptive precharges in between.
#[test]
fn long_idle_times() {
    let name = "ddr4-2400";
    let (org, timing) = (devices::organisation(name), devices::timing(name, &[]));
    for config in variety::configurations(3).step_by(5) {
        let go = |stepping| {
            let mut traffic = Traffic::new(9, &org, &timing);
            let requests = (0..16).map(|i| {
                let (_, request) = traffic.draw();
                (i / 2 * 41_000 + i % 2, request)
            });
            run(&config, &org, &timing, stepping, requests).0
        };
        let (jumping, stepping) = (go(Stepping::Events), go(Stepping::EveryCycle));
        assert_eq!(difference(&jumping.commands, &stepping.commands), None, "{config:?}");
        assert_eq!(
            difference(&jumping.completions, &stepping.completions),
            None,
            "{config:?}"
        );
    }
}

/// The longest distances that timing files may give.
#[test]
fn extreme_distances() {
    let shared = [
        "rrd_s", "rrd_l", "ccd_s", "ccd_l", "ccd_l_wr", "wtr_s", "wtr_l", "faw", "rtrs", "rtw_gap",
    ];
    let long: Vec<(&str, u64)> = shared.into_iter().map(|name| (name, 2000)).collect();
    let own = [("ras", 40_000), ("rc", 90_000), ("rp", 50_000), ("rcd", 30_000)];
    let (org, name) = (devices::organisation("ddr4-2400"), "ddr4-2400");
    for replaced in [&long[..], &own[..]] {
        let timing = devices::timing(name, replaced);
        for config in variety::configurations(4).take(18).step_by(5) {
            let mut traffic = Traffic::new(1, &org, &timing);
            let requests = (0..100).map(|_| traffic.draw());
            let (record, end) = run(&config, &org, &timing, Stepping::Events, requests);
            assert_eq!(record.completions.len(), 100);
            let report = record.verdict(end);
            assert!(report.is_clean(), "{config:?}: {report}");
        }
    }
}
