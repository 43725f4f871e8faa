// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core's windows as an ARINC 653 module schedule.
//!
//! The standard (ARINC Specification 653 Part 1) is sold; names, units and nesting are those that public tools of it have. Supplement 2:
//! `Module_Schedule`, `Partition_Schedule`, `Window_Schedule`, seconds as decimals (OpenAADL/ocarina, back ends for VxWorks 653 and POK).
//! Supplement 3 and later: `PartitionDefinition`, `PartitionPeriodicity`, `PartitionTimeWindow` with `PartitionNameRef`, `Offset`,
//! `Duration` and `PeriodicProcessingStart`, whole nanoseconds (OpenAADL/ocarina, back end for Deos).

use super::task_set::{plan_of, xml_text};
use crate::export::{Draft, ExportOptions, Format, Supplement, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use crate::windows::{Frame, Owner, Window, frame, kind};
use fresco_input::InputError;
use fresco_rt::Time;
use fresco_scenario::Plan;
use std::fmt::Write as _;

/// `arinc653`.
pub struct Arinc653;

/// A partition with its windows.
struct Partition {
    name: String,
    period_ns: Time,
    duration_ns: Time,
    owner: Key,
}

/// Whose windows are those of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Task(usize),
    Color(usize),
}

impl Key {
    fn of(window: &Window) -> Self {
        match window.owner {
            Owner::Job { task, .. } => Self::Task(task),
            Owner::Color(color) => Self::Color(color),
        }
    }
}

/// Whether a partition's period begins with a window.
fn begins(window: &Window) -> bool {
    match window.owner {
        Owner::Job { is_first, .. } => is_first,
        Owner::Color(_) => true,
    }
}

impl Format for Arinc653 {
    fn name(&self) -> &'static str {
        "arinc653"
    }

    fn about(&self) -> &'static str {
        "ARINC 653 Part 1: partitions and time windows of a core, for plans by table or slots"
    }

    fn takes(&self) -> Takes {
        Takes::Schedule
    }

    fn comment(&self) -> Comment {
        Comment::Xml
    }

    fn leaves_out(&self) -> &'static str {
        "what is refreshed when, handlers of locks, colors, budgets; memory, ports and health monitoring of partitions"
    }

    fn draft(&self, subject: &Subject, options: &ExportOptions) -> Result<Draft, InputError> {
        let plan = plan_of(subject, self.name())?;
        let Some(all) = frame(plan) else {
            return Err(subject
                .error(
                    self.name(),
                    format!("found a schedule that is {}", kind(&plan.schedule)),
                )
                .allowed("one with windows that repeat: a table or slots")
                .help("plan by --method colored-refresh or aligned"));
        };
        let core = self.core(subject, plan, options.core)?;
        let windows: Vec<Window> = all
            .windows
            .iter()
            .filter(|window| window.core == core)
            .copied()
            .collect();
        let partitions = partitions(plan, &all, core, &windows);
        if partitions.is_empty() {
            return Err(subject
                .error(self.name(), format!("found no window on core {core}"))
                .allowed("a core on which tasks run")
                .help("choose another --core"));
        }
        let mut losses = Vec::new();
        if plan.tasks.iter().any(|task| task.instances.len() > 1) {
            losses.push("which instance of its memory a job runs on".to_owned());
        }
        let without = plan.tasks.iter().filter(|task| task.period_ns == 0);
        let without: Vec<&str> = without.map(|task| task.name.as_str()).collect();
        if !without.is_empty() {
            losses.push(format!("{}, without a period, behind the others", without.join(", ")));
        }
        let body = match options.supplement {
            Supplement::Two => two(subject, &partitions, &all, &windows),
            Supplement::Three => three(subject, &partitions, &all, &windows),
        };
        let mut notes = vec![match options.supplement {
            Supplement::Two => "names and units of Supplement 2: seconds".to_owned(),
            Supplement::Three => "names and units of Supplement 3: nanoseconds".to_owned(),
        }];
        notes.push(format!("core {core} of {}", plan.cores));
        for (partition, color) in partitions.iter().filter_map(|partition| match partition.owner {
            Key::Color(color) => Some((partition, color)),
            Key::Task(_) => None,
        }) {
            let of_color = |task: &&fresco_scenario::plan::PlannedTask| {
                task.core == Some(core) && task.colors_of(0).contains(&color)
            };
            let names: Vec<&str> = plan
                .tasks
                .iter()
                .filter(of_color)
                .map(|task| task.name.as_str())
                .collect();
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            notes.push(format!("tasks of partition {}: {names}", partition.name));
        }
        Ok(Draft {
            body,
            losses,
            notes,
            companion: None,
        })
    }
}

impl Arinc653 {
    /// The core that is exported.
    fn core(&self, subject: &Subject, plan: &Plan, asked: Option<u32>) -> Result<u32, InputError> {
        match asked {
            Some(core) if core < plan.cores => Ok(core),
            None if plan.cores == 1 => Ok(0),
            _ => Err(subject
                .error(
                    self.name(),
                    match asked {
                        Some(core) => format!("found core {core} of {}", plan.cores),
                        None => format!("found a plan for {} cores", plan.cores),
                    },
                )
                .allowed(format!(
                    "one core, 0 to {}: a module schedule is of one",
                    plan.cores.saturating_sub(1)
                ))
                .help("choose one with --core, and write a file for each")),
        }
    }
}

/// The partitions of a core, in the order of their first window.
fn partitions(plan: &Plan, frame: &Frame, core: u32, windows: &[Window]) -> Vec<Partition> {
    let mut partitions: Vec<Partition> = Vec::new();
    for window in windows {
        let owner = Key::of(window);
        if partitions.iter().any(|partition| partition.owner == owner) {
            continue;
        }
        partitions.push(match owner {
            Key::Task(number) => {
                let task = plan.tasks.get(number);
                Partition {
                    name: task.map_or_else(|| format!("task{number}"), |task| task.name.clone()),
                    period_ns: task.map_or(frame.length_ns, |task| task.period_ns),
                    duration_ns: task.map_or(window.length_ns, |task| task.wcet_ns),
                    owner,
                }
            }
            Key::Color(color) => Partition {
                name: format!("core{core}-color{color}"),
                period_ns: frame.length_ns,
                duration_ns: window.length_ns,
                owner,
            },
        });
    }
    partitions
}

/// Supplement 2.
fn two(subject: &Subject, partitions: &[Partition], frame: &Frame, windows: &[Window]) -> String {
    let mut text = format!("<ARINC_653_Module ModuleName=\"{}\">\n", xml_text(&subject.name));
    for (number, partition) in (1..).zip(partitions) {
        _ = writeln!(
            text,
            "  <Partition PartitionIdentifier=\"{number}\" PartitionName=\"{}\"/>",
            xml_text(&partition.name)
        );
    }
    _ = writeln!(
        text,
        "  <Module_Schedule MajorFrameSeconds=\"{}\">",
        seconds(frame.length_ns)
    );
    for (number, partition) in (1..).zip(partitions) {
        _ = writeln!(
            text,
            "    <Partition_Schedule PartitionIdentifier=\"{number}\" PartitionName=\"{}\" PeriodSeconds=\"{}\" PeriodDurationSeconds=\"{}\">",
            xml_text(&partition.name),
            seconds(partition.period_ns),
            seconds(partition.duration_ns)
        );
        for (identifier, window) in (1..).zip(windows) {
            if Key::of(window) == partition.owner {
                _ = writeln!(
                    text,
                    "      <Window_Schedule WindowIdentifier=\"{identifier}\" WindowStartSeconds=\"{}\" WindowDurationSeconds=\"{}\" PartitionPeriodStart=\"{}\"/>",
                    seconds(window.start_ns),
                    seconds(window.length_ns),
                    begins(window)
                );
            }
        }
        text.push_str("    </Partition_Schedule>\n");
    }
    text.push_str("  </Module_Schedule>\n</ARINC_653_Module>\n");
    text
}

/// Supplement 3.
fn three(subject: &Subject, partitions: &[Partition], frame: &Frame, windows: &[Window]) -> String {
    let mut text = format!("<MODULE Name=\"{}\">\n  <Partitions>\n", xml_text(&subject.name));
    for (number, partition) in (1..).zip(partitions) {
        _ = writeln!(
            text,
            "    <Partition>\n      <PartitionDefinition Name=\"{}\" Identifier=\"{number}\"/>\n      <PartitionPeriodicity Period=\"{}\" Duration=\"{}\"/>\n    </Partition>",
            xml_text(&partition.name),
            partition.period_ns,
            partition.duration_ns
        );
    }
    _ = writeln!(
        text,
        "  </Partitions>\n  <Schedules ScheduleIdentifier=\"1\" InitialModuleSchedule=\"true\" MajorFrameDuration=\"{}\">",
        frame.length_ns
    );
    for window in windows {
        let name = partitions.iter().find(|partition| partition.owner == Key::of(window));
        _ = writeln!(
            text,
            "    <PartitionTimeWindow PartitionNameRef=\"{}\" Offset=\"{}\" Duration=\"{}\" PeriodicProcessingStart=\"{}\"/>",
            xml_text(name.map_or("", |partition| &partition.name)),
            window.start_ns,
            window.length_ns,
            begins(window)
        );
    }
    text.push_str("  </Schedules>\n</MODULE>\n");
    text
}

/// Nanoseconds as seconds, with all nine decimals.
fn seconds(ns: Time) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}
