// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recording without a file: what the program does goes to a simulation, for which it waits.

use crate::Failure;
use crate::output::{Message, Sender};
use crate::record::{self, Ended, Options};
use fresco_load::trace::ftrace::recorded::{Counts, Fed, Feeder};
use std::collections::BTreeMap;

/// A simulation that is fed.
pub struct Simulated {
    feeder: Feeder,
    threads: BTreeMap<u16, Counts>,
    enough: bool,
}

impl Simulated {
    /// Hands on what it needs. What pages are for, regions and the end it does not: that is said when the feeder is dropped.
    pub fn take(&mut self, message: Message) {
        let part = match message {
            Message::Blocks(blocks) => Fed::Blocks(blocks),
            Message::Chunk(chunk, _) => {
                self.threads.entry(chunk.thread).or_default().add(&chunk.counts);
                Fed::Chunk(chunk)
            }
            Message::Over(_) | Message::End(..) => return,
        };
        self.enough |= !self.feeder.feed(part);
    }

    /// Returns true if it wants no more.
    pub fn has_enough(&self) -> bool {
        self.enough
    }
}

/// What a program did that was simulated while it ran.
#[derive(Debug)]
pub struct LiveRecording {
    /// How it ended.
    pub ended: Ended,
    /// What its threads did, by number, and was told of.
    pub threads: BTreeMap<u16, Counts>,
    /// Processes that it made, which nothing is told of.
    pub children: u64,
    /// It asked for another program in its place, of which nothing is told.
    pub executed: bool,
    /// What was to be recorded never began.
    pub nothing: bool,
}

/// Runs a program, and tells `feeder` what it does; the program waits where that is behind. It is ended when `feeder` wants no more.
/// `progress` and `stop` as with [`record`](crate::record).
///
/// # Errors
/// The program could not be started. What is wrong later on stands in [`Ended`].
pub fn record_live(
    options: &Options,
    feeder: Feeder,
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> Result<LiveRecording, Failure> {
    let simulated = Simulated {
        feeder,
        threads: BTreeMap::new(),
        enough: false,
    };
    let followed = record::run(
        options,
        record::shared_memory()?,
        Sender::Simulation(simulated),
        progress,
        stop,
    )?;
    let threads = match followed.output {
        Sender::Simulation(simulated) => simulated.threads,
        Sender::File(_) => BTreeMap::new(),
    };
    Ok(LiveRecording {
        ended: followed.ended,
        threads,
        children: followed.children,
        executed: followed.executed,
        nothing: followed.nothing,
    })
}
