// SPDX-License-Identifier: MIT OR Apache-2.0
//! This machine's memory as a timer.

use crate::failure::tell;
use crate::progress;
use crate::stop::Stop;
use fresco_detect::evidence::{Evidence, Stage};
use fresco_detect::{Load, Stream, Timer};
use fresco_linux::probe::firmware::Identity;
use fresco_linux::probe::{Conditions, ProbeRefusal, Timed, Walk};
use indicatif::ProgressBar;
use serde::Serialize;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The root of the tree in which the kernel tells about the machine.
pub const PROC: &str = "/proc";
/// Least memory that is probed: lines of one bank lie in many rows only where candidates lie far apart.
pub(super) const LEAST_BYTES: u64 = 256 << 20;
/// Memory that is probed unless asked for otherwise, if half of what is available is more.
const USUAL_BYTES: u64 = 4 << 30;
/// A second, in nanoseconds.
const SECOND_NS: f64 = 1e9;
/// How often the bar on a terminal moves.
const TICK: Duration = Duration::from_millis(250);

/// This machine, timed; tells on standard error how far it is.
pub struct Live {
    timed: Timed,
    regions: Vec<Range<u64>>,
    bar: ProgressBar,
    before: Conditions,
    stop: Stop,
}

/// What a live detection was made with.
#[derive(Clone, Debug, Serialize)]
pub struct LiveView {
    /// What else went on.
    pub conditions: Conditions,
    /// The processor that measured.
    pub cpu: u32,
    /// Nanoseconds of a tick of its counter.
    pub tick_ns: f64,
    /// Bytes that were probed.
    pub bytes: u64,
    /// Ranges of frames that they lie in.
    pub ranges: u64,
    /// Pages whose frame was another one at the end; `null` if that cannot be seen any more.
    pub moved_pages: Option<u64>,
    /// What firmware and kernel say of the machine, by source: memory modules among them.
    pub machine: Identity,
}

impl LiveView {
    /// For people.
    pub fn rows(&self) -> Vec<(&str, String)> {
        let Conditions {
            virtual_machine,
            load_average,
            stolen,
            ..
        } = &self.conditions;
        let kind = if *virtual_machine { ", in a virtual machine" } else { "" };
        let number =
            |value: Option<f64>, digits| value.map_or("unknown".to_owned(), |value| format!("{value:.digits$}"));
        let mut rows = vec![
            (
                "probed",
                format!(
                    "{} MiB in {} ranges of frames, by processor {}{kind}",
                    self.bytes >> 20,
                    self.ranges,
                    self.cpu
                ),
            ),
            (
                "conditions",
                format!(
                    "load average {}, {} % of the time stolen, ticks of {:.3} ns",
                    number(*load_average, 2),
                    number(stolen.map(|share| 100.0 * share), 2),
                    self.tick_ns
                ),
            ),
        ];
        let modules = self.machine.lines().filter(|(source, _)| source.starts_with("memory"));
        rows.extend(modules.map(|(source, line)| (source, line.to_owned())));
        rows
    }
}

/// This machine, with so much memory to probe; else why it cannot be timed.
pub fn begin(asked: Option<u64>) -> Result<Live, String> {
    let bytes = bytes_to_probe(asked)?;
    Live::begin(bytes).map_err(|refusal| refusal.to_string())
}

/// Exit status where this machine, or this process, lacks what timing takes.
const UNABLE: u8 = 125;

/// Says why this machine cannot be timed; the exit status.
pub fn unable(what: &str, reason: &str) -> ExitCode {
    tell(&format!("fresco map {what}: this machine cannot be timed: {reason}"));
    ExitCode::from(UNABLE)
}

/// What the machine is called in results.
pub fn name(view: &LiveView) -> String {
    match view.conditions.processor.as_str() {
        "" => "this machine".to_owned(),
        processor => format!("this machine, {processor}"),
    }
}

/// Memory to probe: what was asked for, or half of what is available, up to 4 GiB.
fn bytes_to_probe(asked: Option<u64>) -> Result<u64, String> {
    let available = fresco_linux::proc::available_bytes(Path::new(PROC)).unwrap_or(0);
    let bytes = asked.unwrap_or_else(|| (available / 2).min(USUAL_BYTES)) & !((2 << 20) - 1);
    match bytes {
        _ if bytes < LEAST_BYTES => Err(format!(
            "found {} MiB to probe; it takes at least {} MiB, of {} MiB available",
            bytes >> 20,
            LEAST_BYTES >> 20,
            available >> 20
        )),
        _ if bytes > most_bytes(available) => Err(format!(
            "{} MiB are more than nine tenths of the {} MiB that are available",
            bytes >> 20,
            available >> 20
        )),
        _ => Ok(bytes),
    }
}

/// The most of what is available that may be probed.
pub(super) fn most_bytes(available: u64) -> u64 {
    available / 10 * 9
}

impl Live {
    /// Takes the memory and the processor.
    fn begin(bytes: u64) -> Result<Self, ProbeRefusal> {
        let bar = progress::counter("timing: finding frames");
        bar.enable_steady_tick(TICK);
        let before = Conditions::read(Path::new(PROC));
        let timed = Timed::begin(bytes)?;
        bar.disable_steady_tick();
        Ok(Self {
            regions: timed.held().regions().to_vec(),
            timed,
            bar,
            before,
            stop: Stop::never(),
        })
    }

    /// Cuts long waits short once somebody wants an end.
    pub fn stop_when(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// What was measured with, and whether all pages stayed where they were. If they did not, or if something is `claimed`
    /// that rests on it, that becomes evidence.
    pub fn finish(self, evidence: &mut Evidence, claimed: bool) -> (LiveView, bool) {
        self.bar.finish_and_clear();
        let moved_pages = self.timed.held().moved().ok();
        let asked = "at most 0".to_owned();
        let count = moved_pages.map_or(f64::NAN, |count| count as f64);
        let pages = self.timed.held().bytes() / fresco_linux::sys::page_bytes();
        let what = "pages whose frame moved meanwhile";
        let stayed = moved_pages == Some(0);
        if !stayed || claimed {
            evidence.push(Stage::Stability, what, count, None, pages, asked, stayed);
        }
        let view = LiveView {
            conditions: Conditions::read(Path::new(PROC)).since(&self.before),
            cpu: self.timed.cpu(),
            tick_ns: self.timed.counter().tick_ns,
            bytes: self.timed.held().bytes(),
            ranges: self.timed.ranges().len() as u64,
            moved_pages,
            machine: Identity::read(Path::new("/")),
        };
        (view, stayed)
    }

    fn count(&self, accesses: u32) {
        self.bar.inc(u64::from(accesses));
    }
}

impl Timer for Live {
    fn ranges(&self) -> &[Range<u64>] {
        self.timed.ranges()
    }

    fn regions(&self) -> Vec<Range<u64>> {
        self.regions.clone()
    }

    fn begins(&mut self, stage: Stage) {
        let seconds = self.timed.now() / 1e9;
        if !progress::is_drawn() {
            tell(&format!("timing: {stage} ({seconds:.0} s)"));
        }
        self.bar.set_message(format!("timing: {stage}, accesses"));
    }

    fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
        self.count(2 * rounds);
        self.timed.pair(a, b, rounds)
    }

    fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
        self.count(accesses);
        let walks: Vec<Walk<'_>> = streams
            .iter()
            .map(|stream| Walk {
                lines: stream.lines,
                outstanding: stream.outstanding,
            })
            .collect();
        self.timed.streams(&walks, accesses)
    }

    fn series(&mut self, line: u64, accesses: u32) -> Vec<Load> {
        self.count(accesses);
        let loads = self.timed.series(line, accesses).into_iter();
        loads.map(|(at, took)| Load { at, took }).collect()
    }

    fn wait(&mut self, nanoseconds: f64) {
        let mut left = nanoseconds;
        // Pauses for the sake of the memory are shorter than a second, and whole.
        while left > SECOND_NS && !self.stop.is_asked() {
            self.timed.wait(SECOND_NS);
            left -= SECOND_NS;
        }
        self.timed.wait(left.min(SECOND_NS));
    }

    fn now(&self) -> f64 {
        self.timed.now()
    }
}
