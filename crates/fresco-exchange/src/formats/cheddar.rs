// SPDX-License-Identifier: MIT OR Apache-2.0
//! Models of Cheddar.
//!
//! Cheddar 3's own XML, as its generated `xml_root_string` writes it and programs that make such files have it: `core_units`, `processors`,
//! `address_spaces`, `tasks`; of a task `cpu_name`, `capacity`, `deadline`, `start_time`, `period`, `jitter`. Numbers are of no unit.

use super::task_set::{BESIDES, lost, names_of, rows, unit, xml_text};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use fresco_input::InputError;
use fresco_rt::policy::{Order, Policy};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// `cheddar`.
pub struct Cheddar;

impl Format for Cheddar {
    fn name(&self) -> &'static str {
        "cheddar"
    }

    fn about(&self) -> &'static str {
        "Cheddar 3 XML: cores, processors, address spaces and periodic tasks"
    }

    fn takes(&self) -> Takes {
        Takes::Tasks
    }

    fn comment(&self) -> Comment {
        Comment::Xml
    }

    fn leaves_out(&self) -> &'static str {
        "colors, budgets, schedules, sizes of memory"
    }

    fn draft(&self, subject: &Subject, options: &ExportOptions) -> Result<Draft, InputError> {
        let unit = unit(options);
        let mut losses = Vec::new();
        let rows = rows(subject, self.name(), unit, &mut losses)?;
        // Of these it has the release jitter, which is the first.
        losses.extend(lost(&rows, &BESIDES[1..]));
        let cores: BTreeSet<u32> = rows.iter().map(|row| row.task.core.unwrap_or(0)).collect();
        if subject.machine.cores > 1
            && let Some(names) = names_of(&rows, |row| row.task.core.is_none())
        {
            return Err(subject
                .error(self.name(), format!("found no core of {names}"))
                .allowed("a core for each task: Cheddar has each on a processor")
                .help("give the tasks cores, or export a plan, which may have chosen them"));
        }
        let protocol = match subject.policy {
            Policy::Edf => "EARLIEST_DEADLINE_FIRST_PROTOCOL",
            Policy::FixedPriority(Order::RateMonotonic) => "RATE_MONOTONIC_PROTOCOL",
            Policy::FixedPriority(Order::DeadlineMonotonic) => "DEADLINE_MONOTONIC_PROTOCOL",
        };
        let mut body = String::from("<cheddar>\n <core_units>\n");
        for core in &cores {
            _ = write!(
                body,
                "  <core_unit id=\"core_{core}\">\n   <object_type>CORE_OBJECT_TYPE</object_type>\n   <name>core{core}</name>\n{}   <speed>1.00000</speed>\n  </core_unit>\n",
                scheduling(protocol)
            );
        }
        body.push_str(" </core_units>\n <processors>\n");
        for core in &cores {
            _ = write!(
                body,
                "  <mono_core_processor id=\"cpu_{core}\">\n   <object_type>PROCESSOR_OBJECT_TYPE</object_type>\n   <name>cpu{core}</name>\n   <processor_type>MONOCORE_TYPE</processor_type>\n   <migration_type>NO_MIGRATION_TYPE</migration_type>\n   <core ref=\"core_{core}\">\n   </core>\n  </mono_core_processor>\n"
            );
        }
        body.push_str(" </processors>\n <address_spaces>\n");
        for core in &cores {
            _ = write!(
                body,
                "  <address_space id=\"space_{core}\">\n   <object_type>ADDRESS_SPACE_OBJECT_TYPE</object_type>\n   <name>space{core}</name>\n   <cpu_name>cpu{core}</cpu_name>\n   <text_memory_size>0</text_memory_size>\n   <stack_memory_size>0</stack_memory_size>\n   <data_memory_size>0</data_memory_size>\n   <heap_memory_size>0</heap_memory_size>\n{}  </address_space>\n",
                scheduling("NO_SCHEDULING_PROTOCOL")
            );
        }
        body.push_str(" </address_spaces>\n <tasks>\n");
        for (number, row) in rows.iter().enumerate() {
            let core = row.task.core.unwrap_or(0);
            let times = &row.times;
            _ = write!(
                body,
                "  <periodic_task id=\"task_{number}\">\n   <object_type>TASK_OBJECT_TYPE</object_type>\n   <name>{}</name>\n   <task_type>PERIODIC_TYPE</task_type>\n   <cpu_name>cpu{core}</cpu_name>\n   <address_space_name>space{core}</address_space_name>\n   <capacity>{}</capacity>\n   <deadline>{}</deadline>\n   <start_time>{}</start_time>\n   <priority>1</priority>\n   <blocking_time>0</blocking_time>\n   <policy>SCHED_FIFO</policy>\n   <text_memory_size>0</text_memory_size>\n   <stack_memory_size>0</stack_memory_size>\n   <criticality>0</criticality>\n   <context_switch_overhead>0</context_switch_overhead>\n   <period>{}</period>\n   <jitter>{}</jitter>\n   <every>0</every>\n  </periodic_task>\n",
                xml_text(&row.task.name),
                times.wcet_ns,
                times.deadline_ns,
                times.phase_ns,
                times.period_ns,
                times.jitter_ns
            );
        }
        body.push_str(" </tasks>\n</cheddar>\n");
        Ok(Draft {
            body,
            losses,
            notes: vec![
                format!("times are {}", unit.name()),
                "a processor for each core, cpuN for core N".to_owned(),
            ],
            companion: None,
        })
    }
}

/// Who runs on a core or in an address space.
fn scheduling(protocol: &str) -> String {
    format!(
        "   <scheduling>\n    <scheduling_parameters>\n     <scheduler_type>{protocol}</scheduler_type>\n     <quantum>0</quantum>\n     <preemptive_type>PREEMPTIVE</preemptive_type>\n     <capacity>0</capacity>\n     <period>0</period>\n     <priority>0</priority>\n     <start_time>0</start_time>\n    </scheduling_parameters>\n   </scheduling>\n"
    )
}
