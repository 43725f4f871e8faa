// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timelines for ui.perfetto.dev and chrome://tracing, as JSON of the Trace Event Format (Google, "Trace Event Format").
//!
//! Times are nanoseconds here and microseconds with three decimals in the file, as the format wants; the page shows
//! nanoseconds. Numbers of processes and threads are given in the order of the model, so that the same model gives the same
//! bytes. Written by hand: a dozen kinds of lines of JSON are all of the format, and libraries for Perfetto write its other one, protobuf.

mod check;
mod json;
mod write;

pub use write::write_trace;

/// Everything that happened, by process and thread. What these are is up to the caller: a core and its tasks, a channel
/// and its banks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// From the top down.
    pub processes: Vec<Process>,
}

/// A group of timelines with a heading of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// Heading.
    pub name: String,
    /// From the top down.
    pub threads: Vec<Thread>,
}

/// One timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// Name at its left.
    pub name: String,
    /// In any order. Of two spans that overlap, one must hold the other: the format has no other overlaps.
    pub events: Vec<Event>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What the page writes on it; for counters the name of the track.
    pub name: String,
    /// When it happened, or began, in nanoseconds.
    pub at_ns: u64,
    /// What kind of event it is.
    pub kind: EventKind,
    /// Names and values the page shows when the event is selected.
    pub details: Vec<(String, Detail)>,
}

/// What kind of event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// Lasts some nanoseconds (`ph` X).
    Span {
        /// How long.
        for_ns: u64,
    },
    /// An instant (`ph` i) of its thread.
    Instant,
    /// The value of a counter from now on (`ph` C). Counters of one name in one process are one track; finite.
    Counter {
        /// The value.
        value: f64,
    },
}

/// A value among the details of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// Text.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A number; finite.
    Number(f64),
}

impl Event {
    /// A span from `from_ns` for `for_ns` nanoseconds.
    pub fn span(name: impl Into<String>, from_ns: u64, for_ns: u64) -> Self {
        Self::of(name, from_ns, EventKind::Span { for_ns })
    }

    /// An instant.
    pub fn instant(name: impl Into<String>, at_ns: u64) -> Self {
        Self::of(name, at_ns, EventKind::Instant)
    }

    /// A counter's value from `at_ns` on.
    pub fn counter(name: impl Into<String>, at_ns: u64, value: f64) -> Self {
        Self::of(name, at_ns, EventKind::Counter { value })
    }

    /// The same event with one more detail.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Detail>) -> Self {
        self.details.push((name.into(), value.into()));
        self
    }

    fn of(name: impl Into<String>, at_ns: u64, kind: EventKind) -> Self {
        Self {
            name: name.into(),
            at_ns,
            kind,
            details: Vec::new(),
        }
    }

    /// Length in nanoseconds; instants and counters have none.
    fn length(&self) -> u64 {
        match self.kind {
            EventKind::Span { for_ns } => for_ns,
            EventKind::Instant | EventKind::Counter { .. } => 0,
        }
    }
}

impl From<&str> for Detail {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Detail {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Detail {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}
