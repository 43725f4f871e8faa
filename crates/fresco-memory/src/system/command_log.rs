// SPDX-License-Identifier: MIT OR Apache-2.0
//! DRAM commands on their way to who asked for them.

use super::MemorySystem;
use crate::command::Command;

/// Takes the DRAM commands of all channels, in order of their cycles, within a cycle in order of the channels.
pub type CommandSink = Box<dyn FnMut(&Command)>;

/// Collects the commands of a run of all controllers, then passes them on in order.
pub(super) struct CommandLog {
    sink: CommandSink,
    only_refreshes: bool,
    commands: Vec<Command>,
}

impl CommandLog {
    pub fn new(sink: CommandSink, only_refreshes: bool) -> Self {
        Self {
            sink,
            only_refreshes,
            commands: Vec::new(),
        }
    }

    pub fn add(&mut self, command: &Command) {
        if !self.only_refreshes || command.kind.is_refresh() {
            self.commands.push(*command);
        }
    }

    /// Passes on what was collected.
    pub fn hand_out(&mut self) {
        self.commands.sort_by_key(|command| (command.cycle, command.channel));
        for command in self.commands.drain(..) {
            (self.sink)(&command);
        }
    }
}

impl MemorySystem {
    /// From now on every DRAM command also goes to `sink`.
    pub fn set_command_sink(&mut self, sink: CommandSink) {
        self.log = Some(CommandLog::new(sink, false));
    }

    /// As [`set_command_sink`](Self::set_command_sink), but only refreshes go to `sink`: a command in some thousands.
    pub fn set_refresh_sink(&mut self, sink: CommandSink) {
        self.log = Some(CommandLog::new(sink, true));
    }
}
