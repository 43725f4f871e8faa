// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the judge reads of a plan's JSON, by docs/file-formats.md alone.

use serde::Deserialize;
use serde_json::Value;

/// Nanoseconds.
pub type Ns = u64;

/// Longer times are not executed: sums of them stay in range.
const LONGEST: u64 = 1 << 50;

#[derive(Clone, Debug, Deserialize)]
pub struct Plan {
    pub memory: Memory,
    pub policy: Value,
    pub cores: u64,
    #[serde(default)]
    pub refresh_jitter_ns: Ns,
    #[serde(default)]
    pub context_switch_ns: Ns,
    pub colors: Vec<Color>,
    pub tasks: Vec<Task>,
    pub schedule: Schedule,
    pub refresh: Refresh,
    pub proofs: Vec<Proof>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Memory {
    pub ranks: u32,
    pub page_bytes: u64,
    pub retention_ns: Ns,
    pub commands: u64,
    pub trfc_ns: Ns,
    pub close_ps: u64,
    pub open_row_ps: u64,
    pub open_rows: u64,
    pub page_rows: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Color {
    pub ranks: Vec<u32>,
    pub bank_colors: String,
    pub bytes: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Task {
    pub name: String,
    pub phase_ns: Ns,
    pub period_ns: Ns,
    pub wcet_ns: Ns,
    pub deadline_ns: Ns,
    pub memory_bytes: u64,
    pub global_bytes: u64,
    pub core: Option<usize>,
    pub instances: Vec<Vec<u64>>,
    pub instance_of_job: Vec<usize>,
    pub response_bound_ns: Option<Ns>,
    pub copy_ns: Option<Ns>,
    #[serde(default)]
    pub jitter_ns: Ns,
    #[serde(default)]
    pub arrival_jitter_ns: Ns,
    #[serde(default)]
    pub min_distance_ns: Ns,
    #[serde(default)]
    pub cache_reload_ns: Ns,
    pub work: Value,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Schedule {
    Priorities,
    Locked {
        locks: Locks,
    },
    Servers {
        locks: Locks,
        cores: Vec<Servers>,
    },
    Slots {
        period_ns: Ns,
        handler_ns: Ns,
        cores: Vec<Border>,
    },
    Table {
        table: Table,
        lock_ns: Ns,
    },
    Fair {},
}

#[derive(Clone, Debug, Deserialize)]
pub struct Locks {
    pub period_ns: Ns,
    pub lock_ns: Ns,
    pub unlock_ns: Ns,
    pub phase_ns: Vec<Ns>,
    pub burst_ns: Vec<Ns>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Servers {
    pub servers: Vec<Server>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Server {
    pub color: usize,
    pub period_ns: Ns,
    pub budget_ns: Ns,
    pub tasks: Vec<usize>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Border {
    pub border_ns: Ns,
    pub tasks: Vec<Vec<usize>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Table {
    pub length: Ns,
    pub slots: Vec<Slot>,
    pub bursts: Vec<Burst>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Slot {
    pub core: usize,
    pub start: Ns,
    pub length: Ns,
    pub task: usize,
    pub job: u64,
    pub instance: usize,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Burst {
    pub color: usize,
    pub start: Ns,
    pub length: Ns,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Refresh {
    Controller {},
    Windows { period_ns: Ns, windows: Vec<Window> },
}

#[derive(Clone, Debug, Deserialize)]
pub struct Window {
    pub color: usize,
    pub start_ns: Ns,
    pub commands: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Proof {
    pub tasks: Vec<usize>,
    pub evidence: Evidence,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Evidence {
    pub kind: String,
}

/// Which ready job goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Edf,
    Rate,
    Deadline,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// What nobody could execute: fields that are missing, numbers of things that there are none of, schedules that are none.
    pub fn read(json: &Value) -> Result<Self, String> {
        let plan = Self::deserialize(json).map_err(|error| error.to_string())?;
        plan.sane()?;
        Ok(plan)
    }

    pub fn order(&self) -> Result<Order, String> {
        match (
            self.policy.as_str(),
            self.policy.get("FixedPriority").and_then(Value::as_str),
        ) {
            (Some("Edf"), _) => Ok(Order::Edf),
            (_, Some("RateMonotonic")) => Ok(Order::Rate),
            (_, Some("DeadlineMonotonic")) => Ok(Order::Deadline),
            _ => Err(format!("no policy: {}", self.policy)),
        }
    }

    /// Returns true if jobs come and are ready as planned, and switches cost nothing.
    pub fn is_plain(&self) -> bool {
        let plain = |task: &Task| task.jitter_ns.max(task.arrival_jitter_ns).max(task.cache_reload_ns) == 0;
        self.context_switch_ns == 0 && self.tasks.iter().all(plain)
    }

    /// When the first window after the switch from ordinary refresh begins that refreshes what window `number` does.
    pub fn first_window(&self, number: usize) -> Ns {
        let Refresh::Windows { windows, .. } = &self.refresh else {
            return 0;
        };
        let same = windows.iter().filter(|window| window.color == windows[number].color);
        same.map(|window| window.start_ns).min().unwrap_or(0)
    }

    /// Whether jobs of a task may come at any time a period apart: `None` if nothing is promised to it.
    pub fn sporadic(&self, task: usize) -> Option<bool> {
        let own = self.proofs.iter().find(|proof| proof.tasks.contains(&task))?;
        Some(matches!(own.evidence.kind.as_str(), "demand" | "responses"))
    }

    fn sane(&self) -> Result<(), String> {
        let fits = |time: Ns| (time <= LONGEST).then_some(()).ok_or(format!("{time} ns"));
        let known = |fact: bool, what: &str| fact.then_some(()).ok_or(what.to_owned());
        self.order()?;
        let colors = self.colors.len();
        known(
            colors <= 32 && self.memory.ranks <= 64 && (1..=1024).contains(&self.cores),
            "too many colors, ranks or cores",
        )?;
        known(
            self.colors
                .iter()
                .flat_map(|color| &color.ranks)
                .all(|&rank| rank < self.memory.ranks),
            "no such rank",
        )?;
        fits(self.refresh_jitter_ns)?;
        for task in &self.tasks {
            for time in [
                task.phase_ns,
                task.period_ns,
                task.wcet_ns,
                task.deadline_ns,
                task.copy_ns.unwrap_or(0),
            ] {
                fits(time)?;
            }
            known(task.core.is_none_or(|core| (core as u64) < self.cores), "no such core")?;
            known(
                task.instances.iter().all(|bytes| bytes.len() == colors),
                "memory in other colors",
            )?;
            known(
                task.instance_of_job
                    .iter()
                    .all(|&instance| instance < task.instances.len()),
                "no such instance",
            )?;
            if task.period_ns > 0 {
                known(task.wcet_ns > 0 && task.deadline_ns > 0, "a job without time")?;
            }
        }
        if let Refresh::Windows { period_ns, windows } = &self.refresh {
            known(*period_ns > 0, "windows without a period")?;
            fits(*period_ns)?;
            for window in windows {
                known(window.color < colors, "a window of no color")?;
                known(window.start_ns < *period_ns, "a window after the period")?;
                known(
                    window.commands.saturating_mul(self.memory.trfc_ns) <= *period_ns,
                    "a window longer than the period",
                )?;
            }
        }
        match &self.schedule {
            Schedule::Priorities | Schedule::Fair {} => Ok(()),
            Schedule::Locked { locks } => self.sane_locks(locks),
            Schedule::Servers { locks, cores } => {
                self.sane_locks(locks)?;
                known(cores.len() as u64 == self.cores, "servers of other cores")?;
                for server in cores.iter().flat_map(|core| &core.servers) {
                    known(server.color < colors && server.period_ns > 0, "no server")?;
                    known(server.budget_ns <= server.period_ns, "a budget beyond the period")?;
                    fits(server.period_ns)?;
                    known(server.tasks.iter().all(|&task| task < self.tasks.len()), "no such task")?;
                }
                Ok(())
            }
            Schedule::Slots {
                period_ns,
                handler_ns,
                cores,
            } => {
                known(
                    *period_ns > 0 && colors == 2 && cores.len() as u64 == self.cores,
                    "no slots",
                )?;
                fits(*period_ns)?;
                let inside = |core: &Border| {
                    *handler_ns <= core.border_ns
                        && core.border_ns.saturating_add(*handler_ns) <= *period_ns
                        && core.tasks.len() == 2
                };
                known(cores.iter().all(inside), "slots outside the frame")?;
                let all = cores.iter().flat_map(|core| &core.tasks).flatten();
                known(all.into_iter().all(|&task| task < self.tasks.len()), "no such task")
            }
            Schedule::Table { table, .. } => {
                known(table.length > 0, "a table without length")?;
                fits(table.length)?;
                for slot in &table.slots {
                    known(
                        (slot.core as u64) < self.cores && slot.task < self.tasks.len(),
                        "no such core or task",
                    )?;
                    let task = &self.tasks[slot.task];
                    known(
                        slot.instance < task.instances.len() && task.period_ns > 0,
                        "no such instance",
                    )?;
                    known(slot.job < table.length / task.period_ns, "no such job")?;
                    known(
                        slot.start.saturating_add(slot.length) <= table.length,
                        "a slot beyond the table",
                    )?;
                }
                let inside = |burst: &Burst| burst.start.saturating_add(burst.length) <= table.length;
                known(table.bursts.iter().all(inside), "a burst beyond the table")
            }
        }
    }

    fn sane_locks(&self, locks: &Locks) -> Result<(), String> {
        let colors = self.colors.len();
        if locks.phase_ns.len() != colors
            || locks.burst_ns.len() != colors
            || locks.period_ns == 0
            || locks.period_ns > LONGEST
        {
            return Err("locks of other colors".to_owned());
        }
        let window = |(&phase, &burst): (&Ns, &Ns)| {
            let parts = [phase, locks.lock_ns, burst, locks.unlock_ns].map(u128::from);
            parts.iter().sum::<u128>() <= u128::from(locks.period_ns)
        };
        match locks.phase_ns.iter().zip(&locks.burst_ns).all(window) {
            true => Ok(()),
            false => Err("a lock window beyond its period".to_owned()),
        }
    }
}
