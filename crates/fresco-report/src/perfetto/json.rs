// SPDX-License-Identifier: MIT OR Apache-2.0
//! Single events as JSON, one per line.

use super::{Detail, Event, EventKind};
use crate::ReportError;
use serde_json::{Map, Value, json};

/// The numbers of a process and a thread in the file.
#[derive(Clone, Copy)]
pub(super) struct Ids {
    pub(super) pid: usize,
    pub(super) tid: usize,
}

/// A metadata event: `name` is `process_name`, `thread_sort_index` and the like, `key` and `value` its one argument.
pub(super) fn metadata(name: &str, ids: Ids, key: &str, value: Value) -> Value {
    json!({ "ph": "M", "name": name, "pid": ids.pid, "tid": ids.tid, "args": { key: value } })
}

/// One event. Its times are written digit by digit: as doubles they would lose nanoseconds.
pub(super) fn event(event: &Event, ids: Ids) -> Result<String, ReportError> {
    let (phase, mut arguments) = match event.kind {
        EventKind::Span { .. } => ("X", Map::new()),
        EventKind::Instant => ("i", Map::new()),
        EventKind::Counter { value } => ("C", Map::from_iter([("value".to_owned(), json!(value))])),
    };
    // Every argument of a counter would be a series of its track.
    if !matches!(event.kind, EventKind::Counter { .. }) {
        arguments.extend(event.details.iter().map(|(name, detail)| (name.clone(), value(detail))));
    }
    let name = text(&json!(event.name))?;
    let mut line = format!(
        "{{\"ph\":\"{phase}\",\"name\":{name},\"pid\":{},\"tid\":{},\"ts\":{}",
        ids.pid,
        ids.tid,
        microseconds(event.at_ns)
    );
    match event.kind {
        EventKind::Span { for_ns } => line.push_str(&format!(",\"dur\":{}", microseconds(for_ns))),
        // Scope: this thread.
        EventKind::Instant => line.push_str(",\"s\":\"t\""),
        EventKind::Counter { .. } => {}
    }
    if !arguments.is_empty() {
        line.push_str(&format!(",\"args\":{}", text(&Value::Object(arguments))?));
    }
    line.push('}');
    Ok(line)
}

/// `1234567` as `1234.567`.
fn microseconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

fn value(detail: &Detail) -> Value {
    match detail {
        Detail::Text(text) => json!(text),
        Detail::Integer(value) => json!(value),
        Detail::Number(value) => json!(value),
    }
}

/// `value` as compact JSON.
pub(super) fn text(value: &Value) -> Result<String, ReportError> {
    serde_json::to_string(value).map_err(|error| ReportError::Json(error.to_string()))
}
