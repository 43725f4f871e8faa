// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told of a recording, on standard error: standard output is the program's.

use crate::failure::tell;
use crate::verbs::trace::words;
use fresco_record::{Ended, Recording};
use std::path::Path;

/// What was recorded, into `what`.
pub fn summary(what: &str, recording: &Recording) {
    tell(&format!("fresco record: {what}"));
    for line in words::lines(&recording.trailer, recording.bytes) {
        tell(&format!("  {line}"));
    }
    if recording.ended == Ended::Enough {
        tell("fresco record: as much is recorded as was asked for; the program was ended");
    }
}

/// What is not in the trace.
pub fn warnings(output: &Path, recording: &Recording) {
    let say = |text: String| tell(&format!("fresco record: {text}"));
    if recording.nothing {
        say(format!(
            "{} is not written: the program ended before the part that was to be recorded",
            output.display()
        ));
    }
    match recording.children {
        0 => {}
        1 => say("a process that the program made is not in the trace".into()),
        count => say(format!("{count} processes that the program made are not in the trace")),
    }
    if recording.executed {
        say("the program let another one take its place (exec): from there on nothing is in the trace".into());
    }
    match &recording.ended {
        Ended::Program(_) | Ended::Enough => {}
        Ended::Asked => say("stopped; what was recorded until then is whole".into()),
        Ended::Full(reason) => say(format!(
            "{}: nothing more can be written: {reason}; what was recorded until then is whole; the program was ended",
            output.display()
        )),
        Ended::Failed(reason) => say(format!(
            "{reason}; what was recorded until then is whole; the program was ended"
        )),
    }
}
