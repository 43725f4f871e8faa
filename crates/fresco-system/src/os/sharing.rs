// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads and stores of a process whose private caches are coherent with those of other cores.

use super::process::Process;
use crate::core::{Lookup, MicroOp, Step, Victims};
use fresco_dram::PhysAddr;
use fresco_load::Op;
use fresco_memory::PrivateOutcome;

impl Process {
    /// Executes the next event, a load or store.
    pub(super) fn execute_coherently(&mut self, op: &Op, addr: PhysAddr, gap: u32) -> Step {
        self.operations += 1;
        self.next += 1;
        let line = PhysAddr(addr.0 >> self.line_bits << self.line_bits);
        Step::Op(self.access_coherently(line, op.write, op.dep, gap))
    }

    /// Looks a line up in the private caches, as [`access`](Self::access).
    pub(super) fn access_coherently(&mut self, line: PhysAddr, write: bool, dep: u32, gap: u32) -> MicroOp {
        let (outcome, out, asks) = self.caches.access_coherent(line, write);
        let mut victims = Victims::default();
        out.as_slice().iter().for_each(|victim| victims.push(*victim));
        let lookup = match outcome {
            PrivateOutcome::Miss => Lookup::Miss,
            PrivateOutcome::Hit { level, watched, .. } => {
                let slots = self.hit_slots[usize::from(level) - 1];
                let watched = watched.map(|watched| watched.first_use);
                match watched {
                    _ if asks => Lookup::Upgrade { slots, watched },
                    None => Lookup::Hit { slots },
                    Some(first_use) => Lookup::Watched { slots, first_use },
                }
            }
        };
        MicroOp {
            gap,
            dep,
            write,
            line,
            lookup,
            victims,
        }
    }
}
