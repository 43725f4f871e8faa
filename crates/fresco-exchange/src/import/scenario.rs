// SPDX-License-Identifier: MIT OR Apache-2.0
//! A task set as the text of a scenario.

use super::Imported;
use fresco_input::{format_duration, quoted};
use fresco_rt::Time;
use std::fmt::Write as _;

impl Imported {
    /// A scenario with these tasks, as TOML, on a machine by name or path; without one, on that of a scenario that names none.
    pub fn to_scenario(&self, machine: Option<&str>) -> String {
        let mut text = String::new();
        if let Some(name) = &self.name {
            _ = writeln!(text, "name = {}", quoted(name));
        }
        if let Some(machine) = machine {
            _ = writeln!(text, "machine = {}", quoted(machine));
        }
        for task in &self.tasks {
            _ = writeln!(text, "\n[[task]]\nname = {}", quoted(&task.name));
            let times = &task.times;
            let mut time = |key: &str, ns: Time| {
                _ = writeln!(text, "{key} = {}", quoted(&format_duration(ns.saturating_mul(1000))));
            };
            time("period", times.period_ns);
            time("wcet", times.wcet_ns);
            if times.deadline_ns != times.period_ns {
                time("deadline", times.deadline_ns);
            }
            if times.phase_ns > 0 {
                time("phase", times.phase_ns);
            }
            let seldom = [
                ("jitter", times.jitter_ns),
                ("arrival_jitter", times.arrival_jitter_ns),
                ("min_distance", times.min_distance_ns),
                ("critical_section", times.critical_section_ns),
                ("cache_reload", times.cache_reload_ns),
            ];
            seldom
                .into_iter()
                .filter(|(_, ns)| *ns > 0)
                .for_each(|(key, ns)| time(key, ns));
            if let Some(core) = task.core {
                _ = writeln!(text, "core = {core}");
            }
            if let Some(bytes) = task.memory_bytes {
                _ = writeln!(text, "memory = \"{bytes} B\"");
            }
        }
        text
    }
}
