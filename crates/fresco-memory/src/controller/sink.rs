// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a controller's results go.

use crate::{Command, Completion};
use fresco_dram::{Cycle, NEVER};

/// Receives what a controller does, in the order in which it does it.
pub trait Sink {
    /// [`horizon`](Self::horizon) is always [`NEVER`]: channels need not keep step with each other.
    const NEVER_STOPS: bool = false;

    /// A request's fate is known. This is told when its column command is issued, so `completion.done` lies in the
    /// future by the data latency (reads), or is the cycle of acceptance (writes). Within a channel, completions of
    /// one direction come in the order of `done`; forwarded reads may be told before older ones.
    fn completed(&mut self, completion: &Completion);

    /// Nothing after this cycle shall happen now; asked anew after each event. For callers that must see a completion
    /// before they can say what arrives next.
    fn horizon(&self) -> Cycle {
        NEVER
    }

    /// A write of `source` to the line at address `line`, whose column command is issued at `now`, was in the controller
    /// while its bank was refreshed, for so many cycles.
    fn write_met_refresh(&mut self, _now: Cycle, _line: u64, _source: u16, _cycles: Cycle) {}

    /// Returns true if [`command`](Self::command) is to be called.
    #[inline]
    fn wants_commands(&self) -> bool {
        true
    }

    /// A command was issued.
    fn command(&mut self, _command: &Command) {}
}
