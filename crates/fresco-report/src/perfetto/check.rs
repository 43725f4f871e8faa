// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the format asks of events: finite numbers, times that fit, spans that nest.

use super::{Detail, Event, EventKind, Thread};
use crate::ReportError;
use crate::error::finite;

/// Times are read as doubles of microseconds; up to here, about 52 days, nanoseconds survive that.
const LAST_NS: u64 = 1 << 52;

/// Numbers of the thread's events in the order of the file: by time, of those that begin together the longest first, then
/// as they came.
///
/// # Errors
/// A value is not finite, a time is too large, or two spans overlap and neither holds the other.
pub(super) fn in_order(thread: &Thread) -> Result<Vec<usize>, ReportError> {
    let events = &thread.events;
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|&index| (events[index].at_ns, std::cmp::Reverse(events[index].length())));
    let mut open: Vec<(&Event, u64)> = Vec::new();
    for &index in &order {
        let event = &events[index];
        values(event)?;
        let end = event.at_ns.checked_add(event.length()).filter(|end| *end <= LAST_NS);
        let Some(end) = end else {
            let why =
                format!("its end is later than {LAST_NS} ns, the last that the format can tell from its neighbours");
            return Err(wrong(thread, event, why));
        };
        if !matches!(event.kind, EventKind::Span { .. }) {
            continue;
        }
        open.retain(|(_, until)| *until > event.at_ns);
        if let Some((holder, until)) = open.last().filter(|(_, until)| *until < end) {
            let why = format!(
                "it lasts from {} to {end} ns and overlaps \"{}\", which began at {} ns and ends at {until} ns; put them on two threads",
                event.at_ns, holder.name, holder.at_ns
            );
            return Err(wrong(thread, event, why));
        }
        open.push((event, end));
    }
    Ok(order)
}

fn values(event: &Event) -> Result<(), ReportError> {
    if let EventKind::Counter { value } = event.kind {
        finite(&event.name, value)?;
    }
    for (name, detail) in &event.details {
        if let Detail::Number(value) = detail {
            finite(&format!("\"{name}\" of {}", event.name), *value)?;
        }
    }
    Ok(())
}

fn wrong(thread: &Thread, event: &Event, why: String) -> ReportError {
    ReportError::Inconsistent {
        what: format!("event \"{}\" of \"{}\"", event.name, thread.name),
        why,
    }
}
