// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an operating system that plans its refreshes has to do with the memory: lay the plan down, clean caches before a
//! rank is refreshed, and see who met a refresh nevertheless.

use super::MemorySystem;
use super::sample::DelayedWrite;
use crate::controller::refresh::{Lateness, RefreshEngine};
use crate::request::Access;
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::Inclusion;

/// What is noted of writes.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Dirty lines that left the caches for memory: when, and whose access displaced them.
    pub sent: Vec<(Ps, u32, PhysAddr)>,
    pub delayed: Vec<DelayedWrite>,
}

impl MemorySystem {
    /// Puts another refresh scheme in place of the machine's: `engine` is asked for one for every channel of every node.
    /// Before the first run.
    pub fn set_refresh(&mut self, engine: impl Fn() -> Box<dyn RefreshEngine>) {
        for controller in &mut self.controllers {
            let channels = controller.channels();
            controller.set_refresh((0..channels).map(|_| engine()).collect());
        }
        self.find_next();
    }

    /// How well the plan was kept by each channel, of all nodes one after the other.
    pub fn refresh_lateness(&self) -> Vec<Lateness> {
        self.controllers.iter().flat_map(|c| c.refresh_lateness()).collect()
    }

    /// From the time run to on, controllers write dirty lines as soon as they come, or when it suits them.
    pub fn set_eager_writes(&mut self, eager: bool) {
        // A controller in which nothing happens is run no further than its last event: not before now may it hurry.
        self.settle();
        self.controllers.iter_mut().for_each(|c| c.set_eager_writes(eager));
        self.find_next();
    }

    /// An operating system writes dirty lines back at time `at`: those `above` from the private caches of `core`, then those that are `wanted` from its
    /// last-level cache; they stay where they are, clean (RLIM-7). All go at once, and so do lines of the core that waited for an entry of
    /// its write-back buffer. Returns how many of the last-level cache; none where there is no such cache.
    pub fn clean(&mut self, at: Ps, core: u32, above: &[PhysAddr], wanted: impl Fn(PhysAddr) -> bool) -> u64 {
        debug_assert!(at >= self.now, "time {at} has been run, it is {}", self.now);
        for line in self.write_backs.let_go(core) {
            self.send(at, core, line, Access::Write, 0);
        }
        self.write_backs.at_once = true;
        // They stay where they are: an exclusive cache does not take them.
        let exclusive = self.inclusion == Inclusion::Exclusive;
        for line in above {
            match exclusive {
                true => self.write_through(at, core, core, *line),
                false => self.write_back(at, core, *line),
            }
        }
        let mut lines = Vec::new();
        if let Some(cache) = self.caches.get_mut((core / self.cores_per_cache) as usize) {
            cache.clean(&wanted, &mut lines);
        }
        lines.sort_unstable();
        for line in &lines {
            self.send_write(at, core, *line);
        }
        self.write_backs.at_once = false;
        lines.len() as u64
    }

    /// From now on notes writes for [`take_sent`](Self::take_sent) and [`take_delayed`](Self::take_delayed).
    pub fn watch_writes(&mut self) {
        self.watch = Some(Watch::default());
    }

    /// Dirty lines that left the caches for memory since this was asked last, in order: when, and the core whose access displaced
    /// them.
    pub fn take_sent(&mut self, out: &mut Vec<(Ps, u32, PhysAddr)>) {
        if let Some(watch) = &mut self.watch {
            out.append(&mut watch.sent);
        }
    }

    /// Writes that met a refresh and were written since this was asked last.
    pub fn take_delayed(&mut self, out: &mut Vec<DelayedWrite>) {
        if let Some(watch) = &mut self.watch {
            out.append(&mut watch.delayed);
        }
    }
}
