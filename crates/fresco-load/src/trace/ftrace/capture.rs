// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes what a program does into a trace.

use super::{Record, TraceWriter, What};
use crate::{Batch, Event, Program};
use fresco_input::InputError;
use std::io::{self, Write};

/// Runs `program`, from where it stands, until it is over or has caused `limit` events, and appends all of them to
/// `trace` as `thread`. Returns the number of events.
///
/// # Errors
/// The trace cannot be written, the program fails (its error is the source of an [`io::ErrorKind::Other`]), or it is one of several threads
/// that are replayed together.
pub fn capture(
    program: &mut dyn Program,
    thread: u16,
    limit: u64,
    trace: &mut TraceWriter<impl Write>,
) -> io::Result<u64> {
    let (mut batch, mut events) = (Batch::new(), 0);
    while events < limit
        && program
            .next(&mut batch)
            .map_err(|error: InputError| io::Error::other(error))?
    {
        for event in batch.events() {
            if events == limit {
                break;
            }
            let Some(record) = record(event, thread) else {
                return Err(io::Error::other("this version of traces has no orders between threads"));
            };
            trace.push(&record)?;
            events += 1;
        }
        batch.clear();
    }
    Ok(events)
}

fn record(event: &Event, thread: u16) -> Option<Record> {
    Some(match *event {
        Event::Op(op) => {
            let what = What::Access {
                addr: op.addr.0,
                size: op.size,
                write: op.write,
                dep: op.dep,
            };
            Record {
                thread,
                gap: u64::from(op.gap),
                what,
            }
        }
        Event::Mark { marker, gap } => Record {
            thread,
            gap: u64::from(gap),
            what: What::Mark(marker),
        },
        Event::Order { .. } | Event::Fetch { .. } => return None,
    })
}
