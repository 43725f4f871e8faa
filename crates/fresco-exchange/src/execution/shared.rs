// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slots that tasks share: those of servers, which are known beforehand as idling servers use their budgets up whether their tasks run or not;
//! those of colors under aligned refresh; and the time that locks leave, open to the colors that are not locked.

use super::Misfit;
use super::members::{self, Member};
use super::slots::{Slot, SlotTable};
use crate::windows::{Owner, frame};
use fresco_rt::Time;
use fresco_rt::time::lcm_all;
use fresco_rt::toplevel::{TopLevel, open_times, server_tables};
use fresco_scenario::Plan;
use fresco_scenario::plan::{CoreServers, LockTimes, Schedule};
use std::fmt::Display;

/// When tasks of a core may run, repeated after a length.
struct Core {
    length_ns: Time,
    /// In ascending order.
    open: Vec<Open>,
    /// Numbers and colors of its tasks.
    tasks: Vec<(usize, usize)>,
    /// Tasks of all colors take turns where more than one is open; else each color has slots for itself.
    is_one: bool,
}

/// A time in which tasks of these colors may run.
struct Open {
    start_ns: Time,
    end_ns: Time,
    colors: Vec<usize>,
}

/// The table of a plan by servers, slots of colors or locks.
pub(super) fn of(plan: &Plan) -> Result<SlotTable, Misfit> {
    let cores = match &plan.schedule {
        Schedule::Servers { locks, cores } => {
            let of_core = |core| of_servers(locks, core);
            cores.iter().map(of_core).collect::<Result<_, _>>()?
        }
        Schedule::Locked { locks } => of_locks(plan, locks)?,
        _ => of_colors(plan),
    };
    let frame_ns = lcm_all(cores.iter().map(|core: &Core| core.length_ns))
        .map_err(|_| unsound("servers of cores that repeat together after more than 2^64 ns"))?;
    let mut table = SlotTable {
        frame_ns,
        slots: Vec::new(),
        members: Vec::new(),
        order: members::order(plan),
    };
    for (number, core) in (0u32..).zip(&cores) {
        let members = core.members(plan, number)?;
        let slots = core.slots(number, &members);
        for turn in 0..frame_ns / core.length_ns.max(1) {
            let later = |slot: &Slot| Slot {
                start_ns: slot.start_ns + turn * core.length_ns,
                ..slot.clone()
            };
            table.slots.extend(slots.iter().map(later));
        }
        table.members.extend(members.into_iter().map(|(_, member)| member));
    }
    table.slots.sort_by_key(|slot| (slot.start_ns, slot.core));
    table.checked(plan.cores)
}

fn unsound(found: impl Display) -> Misfit {
    Misfit::new(
        found.to_string(),
        "a plan that is sound",
        "see what fresco check says of it",
    )
}

/// The slots of both servers of a core, by the table that its proof rests on (F26).
fn of_servers(locks: &LockTimes, core: &CoreServers) -> Result<Core, Misfit> {
    let locks = locks.locks().map_err(unsound)?;
    let in_order = (0..).zip(&core.servers).all(|(color, server)| server.color == color);
    let (true, [first, second]) = (in_order, &core.servers[..]) else {
        return Err(unsound("servers that are not one for each of two colors, in order"));
    };
    let servers = [first.server().map_err(unsound)?, second.server().map_err(unsound)?];
    let top = TopLevel::new(servers, locks).map_err(unsound)?;
    let (tables, _) = server_tables(&top).map_err(unsound)?;
    let slots = (0..).zip(&tables).flat_map(|(color, table)| {
        let spans = table.slots.slots().iter();
        spans.map(move |&(start_ns, end_ns)| Open {
            start_ns,
            end_ns,
            colors: vec![color],
        })
    });
    let mut open: Vec<Open> = slots.collect();
    open.sort_by_key(|open| open.start_ns);
    let of_server = |server: &fresco_scenario::plan::PlannedServer| {
        let color = server.color;
        server.tasks.iter().map(move |&task| (task, color)).collect::<Vec<_>>()
    };
    Ok(Core {
        length_ns: top.repeat().map_err(unsound)?,
        open,
        tasks: core.servers.iter().flat_map(of_server).collect(),
        is_one: false,
    })
}

/// What locks leave to each core: from one change of who may run to the next.
fn of_locks(plan: &Plan, locks: &LockTimes) -> Result<Vec<Core>, Misfit> {
    let open = open_times(&locks.locks().map_err(unsound)?);
    let mut cuts: Vec<Time> = open.iter().flatten().flat_map(|&(start, end)| [start, end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let between = |pair: &[Time]| Open {
        start_ns: pair[0],
        end_ns: pair[1],
        colors: (0..open.len())
            .filter(|&color| {
                open[color]
                    .iter()
                    .any(|&(start, end)| start <= pair[0] && pair[0] < end)
            })
            .collect(),
    };
    let timed = || plan.tasks.iter().enumerate().filter(|(_, task)| task.period_ns > 0);
    let of_core = |number: u32| Core {
        length_ns: locks.period_ns,
        open: cuts.windows(2).map(between).collect(),
        tasks: timed()
            .filter(|(_, task)| task.core == Some(number))
            .map(|(number, task)| (number, task.colors_of(0).first().copied().unwrap_or(0)))
            .collect(),
        is_one: true,
    };
    Ok((0..plan.cores).map(of_core).collect())
}

/// The slots of colors under aligned refresh.
fn of_colors(plan: &Plan) -> Vec<Core> {
    let (Some(frame), Schedule::Slots { cores, .. }) = (frame(plan), &plan.schedule) else {
        return Vec::new();
    };
    let of_core = |(number, slots): (u32, &fresco_scenario::plan::CoreSlots)| {
        let own = frame.windows.iter().filter(|window| window.core == number);
        let open = own.filter_map(|window| match window.owner {
            Owner::Color(color) => Some(Open {
                start_ns: window.start_ns,
                end_ns: window.start_ns + window.length_ns,
                colors: vec![color],
            }),
            Owner::Job { .. } => None,
        });
        let of_color =
            |(color, tasks): (usize, &Vec<usize>)| tasks.iter().map(|&task| (task, color)).collect::<Vec<_>>();
        Core {
            length_ns: frame.length_ns,
            open: open.collect(),
            tasks: slots.tasks.iter().enumerate().flat_map(of_color).collect(),
            is_one: false,
        }
    };
    (0..).zip(cores).map(of_core).collect()
}

/// A task of a core, and its color.
type Colored = (usize, Member);

impl Core {
    /// Its tasks with a period.
    fn members(&self, plan: &Plan, number: u32) -> Result<Vec<Colored>, Misfit> {
        let is_timed = |task: usize| plan.tasks.get(task).is_some_and(|task| task.period_ns > 0);
        let mut tasks: Vec<(usize, usize)> = self.tasks.iter().copied().filter(|(task, _)| is_timed(*task)).collect();
        tasks.sort_unstable();
        tasks.dedup_by_key(|(task, _)| *task);
        let color_of = |task: usize| {
            tasks
                .iter()
                .find(|(other, _)| *other == task)
                .map_or(0, |(_, color)| *color)
        };
        let name = |color: usize| {
            let own: Vec<usize> = tasks
                .iter()
                .filter(|(_, other)| self.is_one || *other == color)
                .map(|(task, _)| *task)
                .collect();
            let mut name = match (&own[..], self.is_one) {
                // Slots of a task alone are called as it is.
                (&[task], _) => return plan.tasks[task].name.clone(),
                (_, true) => format!("core{number}"),
                (_, false) => format!("core{number}-color{color}"),
            };
            while plan.tasks.iter().any(|task| task.name == name) {
                name.push('+');
            }
            name
        };
        let numbers: Vec<usize> = tasks.iter().map(|(task, _)| *task).collect();
        let members = members::of_core(plan, &numbers, |task| {
            let color = color_of(task);
            (name(color), if self.is_one { color as u32 } else { 0 })
        })?;
        let colors = tasks.iter().map(|(_, color)| *color);
        Ok(colors.zip(members).collect())
    }

    /// Its slots: times in which one of its tasks may run at least.
    fn slots(&self, number: u32, members: &[Colored]) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        for open in &self.open {
            let is_open = |member: &&Colored| open.colors.contains(&member.0);
            let Some((_, first)) = members.iter().find(is_open) else {
                continue;
            };
            let mut shut: Vec<u32> = members
                .iter()
                .filter(|member| self.is_one && !is_open(member))
                .map(|(_, member)| member.color)
                .collect();
            shut.sort_unstable();
            shut.dedup();
            let length_ns = open.end_ns - open.start_ns;
            match slots.last_mut() {
                Some(last)
                    if last.start_ns + last.length_ns == open.start_ns
                        && (&last.task, &last.shut) == (&first.slots, &shut) =>
                {
                    last.length_ns += length_ns;
                }
                _ => slots.push(Slot {
                    core: number,
                    start_ns: open.start_ns,
                    length_ns,
                    task: first.slots.clone(),
                    ends: false,
                    shut,
                }),
            }
        }
        slots
    }
}
