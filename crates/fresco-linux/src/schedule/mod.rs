// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who runs when: what tasks of a plan are told, and whether it is so.

mod entry;
mod ext;
mod groups;
mod scheduler;

pub use entry::{Entry, probe};
pub use ext::Ext;
pub use groups::{Groups, TaskGroup};
pub use scheduler::{LastWords, NotReady, Ready, Scheduler, end_scheduler, find_scheduler};

use crate::sys::{Policy, policy_of};
use serde::{Deserialize, Serialize};

/// What a task was started with, as its process keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Asked {
    /// SCHED_FIFO.
    Fifo {
        /// From 1 to 99.
        priority: u32,
    },
    /// SCHED_DEADLINE.
    Deadline {
        /// In ns, as the others.
        runtime_ns: u64,
        /// From the begin of a period.
        deadline_ns: u64,
        /// Of two activations.
        period_ns: u64,
    },
    /// Slots of a table.
    Table {
        /// Path of the cgroup that the table knows it by.
        cgroup: String,
    },
}

impl Asked {
    /// What the kernel is told of a thread; `None` of slots, of which the scheduler is told.
    pub fn policy(&self) -> Option<Policy> {
        match *self {
            Self::Fifo { priority } => Some(Policy::Fifo(priority)),
            Self::Deadline {
                runtime_ns,
                deadline_ns,
                period_ns,
            } => Some(Policy::Deadline {
                runtime_ns,
                deadline_ns,
                period_ns,
            }),
            Self::Table { .. } => None,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match (self.policy(), self) {
            (None, Self::Table { cgroup }) => format!("slots of a table, as cgroup {cgroup}"),
            (policy, _) => policy.map_or_else(String::new, Policy::words),
        }
    }

    /// A thread of the process that is scheduled otherwise. What a thread with a deadline starts has none, so that only the first one has.
    fn unlike(&self, pid: u32) -> Option<(u32, Policy)> {
        let Self::Fifo { .. } = self else { return None };
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten();
        let mut numbers = threads.filter_map(|thread| thread.file_name().to_str()?.parse::<u32>().ok());
        numbers.find_map(|thread| {
            // One that ends meanwhile is not there any more.
            let policy = policy_of(thread).ok()?;
            (Some(policy) != self.policy()).then_some((thread, policy))
        })
    }

    /// What holds for a process now, in words, and whether that is what was asked. Slots hold while the scheduler is loaded and the process
    /// is in its cgroup or below it.
    pub fn held(asked: Option<&Self>, ext: &Ext, pid: u32) -> (String, bool) {
        let applied = policy_of(pid);
        let own = applied.map_or_else(|error| format!("not known: {error}"), Policy::words);
        let Some(asked) = asked else {
            return (own, true);
        };
        let Self::Table { cgroup } = asked else {
            return match (applied.ok() == asked.policy(), asked.unlike(pid)) {
                (true, Some((thread, policy))) => (format!("{own}, its thread {thread} {}", policy.words()), false),
                (holds, _) => (own, holds),
            };
        };
        let loaded = ext.loaded();
        let is_inside = groups::path_of(pid).is_some_and(|path| {
            let below = path.strip_prefix(cgroup.as_str());
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        });
        let is_fair = matches!(applied, Ok(Policy::Fair(_)));
        match loaded {
            Some(name) if name == ext::TABLE && is_inside && is_fair => (asked.words(), true),
            Some(name) if name == ext::TABLE && is_fair => (format!("{own}, outside of the cgroup {cgroup}"), false),
            Some(name) if name != ext::TABLE => (format!("{own}, by the scheduler {name}"), false),
            Some(_) => (format!("{own}, which runs before the table"), false),
            None => (
                format!("{own}, by Linux's own scheduler: fresco_table is not loaded"),
                false,
            ),
        }
    }
}
