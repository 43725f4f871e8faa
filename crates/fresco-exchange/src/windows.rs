// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan's schedule as windows of time that repeat, where it is one.

use fresco_rt::Time;
use fresco_scenario::Plan;
use fresco_scenario::plan::Schedule;

/// Windows that repeat after `length_ns`, by start and core.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    /// Length of a turn.
    pub length_ns: Time,
    /// The windows.
    pub windows: Vec<Window>,
}

/// Time of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Start within the turn.
    pub start_ns: Time,
    /// Length.
    pub length_ns: Time,
    /// The core.
    pub core: u32,
    /// Whose it is.
    pub owner: Owner,
}

/// Whose a window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A job of a task.
    Job {
        /// Number of the task.
        task: usize,
        /// Number of the job within the turn.
        job: u64,
        /// Instance of the task that runs.
        instance: usize,
        /// No window before it has time for this job.
        is_first: bool,
    },
    /// The tasks of a color, in the order of the policy.
    Color(usize),
}

/// The windows of a table or of slots; `None` for schedules that are decided while tasks run.
pub fn frame(plan: &Plan) -> Option<Frame> {
    match &plan.schedule {
        Schedule::Table { table, .. } => {
            let mut slots = table.slots.clone();
            slots.sort_by_key(|slot| (slot.start, slot.core));
            let mut begun = std::collections::BTreeSet::new();
            let windows = slots.iter().map(|slot| Window {
                start_ns: slot.start,
                length_ns: slot.length,
                core: slot.core as u32,
                owner: Owner::Job {
                    task: slot.task,
                    job: slot.job,
                    instance: slot.instance,
                    is_first: begun.insert((slot.task, slot.job)),
                },
            });
            Some(Frame {
                length_ns: table.length,
                windows: windows.collect(),
            })
        }
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => {
            let of_core = |(core, slots): (u32, &fresco_scenario::plan::CoreSlots)| {
                let ends = [(0, slots.border_ns), (slots.border_ns, *period_ns)];
                ends.into_iter().enumerate().filter_map(move |(color, (start, end))| {
                    let start = start.checked_add(*handler_ns)?;
                    let length_ns = end.checked_sub(start).filter(|length| *length > 0)?;
                    Some(Window {
                        start_ns: start,
                        length_ns,
                        core,
                        owner: Owner::Color(color),
                    })
                })
            };
            let mut windows: Vec<Window> = (0..).zip(cores).flat_map(of_core).collect();
            windows.sort_by_key(|window| (window.start_ns, window.core));
            Some(Frame {
                length_ns: *period_ns,
                windows,
            })
        }
        Schedule::Priorities | Schedule::Locked { .. } | Schedule::Servers { .. } | Schedule::Fair { .. } => None,
    }
}

/// What a schedule is, in words.
pub fn kind(schedule: &Schedule) -> &'static str {
    match schedule {
        Schedule::Priorities => "the first ready task by the policy",
        Schedule::Locked { .. } => "the first ready task whose color is not locked",
        Schedule::Servers { .. } => "servers",
        Schedule::Slots { .. } => "slots",
        Schedule::Table { .. } => "a table",
        Schedule::Fair { .. } => "fair shares of time slices",
    }
}
