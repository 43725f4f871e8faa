// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be fitted: keys of a machine that nobody publishes, each with the values that are tried.
//!
//! What is known of a machine, JEDEC's timing, ranks, the depth of read queues above all, is in no list: other values of these
//! reach a measured maximum, too, for the wrong reason.

use crate::limit::Limit;
use crate::under_way::UnderWay;
use fresco_machine::{Machine, Queues};
use serde::Serialize;

/// A key of a machine and its value, as `--set` takes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Dotted key.
    pub key: &'static str,
    /// TOML.
    pub value: String,
}

impl Setting {
    /// `key` set to a value that TOML writes so.
    pub fn new(key: &'static str, value: impl ToString) -> Self {
        Self {
            key,
            value: value.to_string(),
        }
    }
}

/// As `--set` takes them.
pub fn as_texts(settings: &[Setting]) -> Vec<String> {
    settings
        .iter()
        .map(|one| format!("{}={}", one.key, one.value))
        .collect()
}

/// A part of a machine that may be fitted, with what is tried in place of the machine's own.
#[derive(Clone, Debug, Serialize)]
pub struct Knob {
    /// What it is, in a few words.
    pub name: &'static str,
    /// Why it may be fitted, and within which bounds.
    pub why: &'static str,
    /// Each a value for one key or several that belong together.
    pub candidates: Vec<Vec<Setting>>,
    /// Only points at up to half of the measured maximum decide.
    pub of_the_slope: bool,
}

/// Idle times after which a controller may close a row, in cycles of the command clock: from about a row cycle to some
/// microseconds' tenth.
const PAGE_IDLE: [u32; 4] = [50, 100, 200, 400];

/// Misses in flight beside the number that is published, which counts buffers of one level: the next may have three times as many.
const IN_FLIGHT: [f64; 5] = [0.5, 1.0, 1.5, 2.0, 3.0];

/// The same beside a limit before the controllers, which leaves them little to decide. Fewer than published are a limit themselves.
const LIMITED: [f64; 2] = [1.0, 2.0];

/// Drains of the write buffer, as shares of it: where one begins and where it ends.
const DRAINS: [(f64, f64); 5] = [
    (0.75, 0.25),
    (0.625, 0.375),
    (0.875, 0.125),
    (0.875, 0.5),
    (0.875, 0.75),
];

/// The knobs in the order in which they are fitted, the fixed latency left aside. `limit` is what the measured maxima lie on, if there is
/// such a limit; `under_way` bounds those of lines under way, which are tried if the machine has them.
pub(crate) fn all(machine: &Machine, limit: Option<Limit>, under_way: Option<UnderWay>) -> Vec<Knob> {
    vec![page(), in_flight(machine, limit, under_way), drains(machine)]
}

fn page() -> Knob {
    const KEY: &str = "memory.controller.page";
    let mut candidates = vec![
        vec![Setting::new(KEY, "\"open\"")],
        vec![Setting::new(KEY, "\"closed\"")],
    ];
    candidates.extend(PAGE_IDLE.map(|idle| {
        vec![
            Setting::new(KEY, "\"adaptive\""),
            Setting::new("memory.controller.page_idle", idle),
        ]
    }));
    Knob {
        name: "when rows are closed",
        why: "no vendor publishes it; from the latency at up to half of the maximum",
        candidates,
        of_the_slope: true,
    }
}

fn in_flight(machine: &Machine, limit: Option<Limit>, under_way: Option<UnderWay>) -> Knob {
    let own = f64::from(machine.core.mshrs * machine.core.threads);
    let misses = |factor: f64| vec![Setting::new("core.mshrs", (own * factor).round().clamp(1.0, 256.0))];
    let limit = limit.map(|limit| limit.settings(machine.memory.organisation.nodes));
    let lines = under_way.map_or_else(Vec::new, |lines| lines.candidates(machine));
    let (name, why) = match lines.is_empty() {
        true => (
            "misses in flight of a core, and traffic of a node",
            "published are the buffers of one level, half to three times as many; and, where the measured maxima lie on one, a limit of the \
             node; from what happens near the maximum",
        ),
        false => (
            "misses in flight of a core, traffic of a node, and lines under way",
            "published are the buffers of one level, half to three times as many; where the measured maxima lie on one, a limit of the node; \
             and limits of the lines under way that the machine has, between what the maxima take alone and what they take with what waits; \
             from what happens near the maximum",
        ),
    };
    let limits = limit.into_iter().chain(lines.into_iter().map(|one| vec![one]));
    let limited = limits.flat_map(|limit| {
        LIMITED
            .into_iter()
            .map(move |factor| [misses(factor), limit.clone()].concat())
    });
    Knob {
        name,
        why,
        candidates: IN_FLIGHT.map(misses).into_iter().chain(limited).collect(),
        of_the_slope: false,
    }
}

fn drains(machine: &Machine) -> Knob {
    let (Queues::Global { writes, .. } | Queues::PerBank { writes, .. } | Queues::FrontQueue { writes, .. }) =
        machine.memory.controller.queues;
    let writes = f64::from(writes);
    let marks = DRAINS.map(|(high, low)| {
        let high = (writes * high).round().max(1.0);
        let low = (writes * low).round().min(high - 1.0);
        vec![
            Setting::new("memory.controller.drain_high", high),
            Setting::new("memory.controller.drain_low", low),
        ]
    });
    Knob {
        name: "when writes are drained",
        why: "no vendor publishes it; from how the maximum depends on the share of reads",
        candidates: marks.to_vec(),
        of_the_slope: false,
    }
}
