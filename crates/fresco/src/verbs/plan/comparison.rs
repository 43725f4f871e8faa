// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco plan --compare`: all methods side by side.

use fresco_plan::plan::Schedule;
use fresco_plan::refusal::Kind;
use fresco_plan::{Method, Plan, TaskSet};
use fresco_show::plan::tables::time;

use fresco_report::{Cell, Column, ReportError, Table, Tone};
use serde::Serialize;

/// What `--compare --json` prints: schema `fresco-plan-comparison/1`.
#[derive(Serialize)]
pub struct Comparison {
    /// Name of the task set.
    name: String,
    /// Σ e/p.
    utilization: f64,
    /// In the order asked for, in Gbit.
    densities_gbit: Vec<u32>,
    /// By density, then by method.
    rows: Vec<Row>,
}

/// One method at one density.
#[derive(Serialize)]
struct Row {
    density_gbit: u32,
    method: Method,
    /// Whether there is a plan.
    planned: bool,
    /// False if a search gave up, or nobody waited for the verdict any more.
    decided: bool,
    /// False if nobody waited for it.
    #[serde(skip)]
    made: bool,
    /// Whether its proof holds for sporadic arrivals, too.
    sporadic: bool,
    /// The schedule, or the reason why there is none.
    words: String,
}

impl Comparison {
    /// From the plans and refusals.
    pub fn new(set: &TaskSet, densities: &[u32], found: &fresco_plan::Comparison) -> Self {
        let row = |row: &fresco_plan::Row| Row {
            density_gbit: row.density_gbit,
            method: row.method,
            planned: row.outcome.is_ok(),
            decided: !matches!(&row.outcome, Err(refusal) if refusal.is_open()),
            made: !matches!(&row.outcome, Err(refusal) if refusal.kind == Kind::Stopped),
            sporadic: row.outcome.as_ref().is_ok_and(sporadic),
            words: match &row.outcome {
                Ok(plan) => words(plan),
                Err(refusal) => refusal.reason.clone(),
            },
        };
        Self {
            name: set.name.clone(),
            utilization: set
                .timing()
                .iter()
                .map(|task| task.wcet as f64 / task.period as f64)
                .sum(),
            densities_gbit: densities.to_vec(),
            rows: found.rows.iter().map(row).collect(),
        }
    }

    /// Returns true if there is any plan.
    pub fn any(&self) -> bool {
        self.rows.iter().any(|row| row.planned)
    }

    /// How many rows somebody waited for.
    pub fn made(&self) -> usize {
        self.rows.iter().filter(|row| row.made).count()
    }

    /// A table of methods by densities, and what stands behind each cell.
    pub fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let title = format!(
            "{}: utilisation {:.4}; plans by method and density",
            self.name, self.utilization
        );
        let mut columns = vec![Column::text("method")];
        columns.extend(
            self.densities_gbit
                .iter()
                .map(|gbit| Column::text(format!("{gbit} Gb"))),
        );
        let mut table = Table::new(title, columns);
        for method in Method::of_refresh() {
            let mut cells: Vec<Cell> = vec![method.name().into()];
            let of_method = self.rows.iter().filter(|row| row.method == method);
            cells.extend(of_method.map(|row| match (row.planned, row.sporadic) {
                (true, true) => Cell::Text("yes".to_owned(), Tone::Good),
                (true, false) => Cell::Text("phases".to_owned(), Tone::Good),
                (false, _) if !row.decided => Cell::Text("?".to_owned(), Tone::Plain),
                (false, _) => Cell::Text("no".to_owned(), Tone::Bad),
            }));
            table.push(cells)?;
        }
        let columns = ["method", "densities", "schedule, or why there is none"].map(Column::text);
        let open = match self.rows.iter().all(|row| row.decided) {
            true => "",
            false => "; ?: not decided",
        };
        let mut reasons = Table::new(
            format!(
                "yes: also for sporadic arrivals; phases: for the phases of the file, or by a table; no: see below{open}"
            ),
            columns.to_vec(),
        );
        for method in Method::of_refresh() {
            let mut said: Vec<(&str, Vec<u32>)> = Vec::new();
            for row in self.rows.iter().filter(|row| row.method == method) {
                match said.last_mut() {
                    Some((words, densities)) if *words == row.words => densities.push(row.density_gbit),
                    _ => said.push((&row.words, vec![row.density_gbit])),
                }
            }
            for (words, densities) in said {
                let densities: Vec<String> = densities.iter().map(u32::to_string).collect();
                reasons.push(vec![
                    method.name().into(),
                    format!("{} Gb", densities.join(", ")).into(),
                    words.into(),
                ])?;
            }
        }
        Ok(vec![table, reasons])
    }
}

/// Whether all proofs hold for sporadic arrivals.
fn sporadic(plan: &Plan) -> bool {
    !plan.proofs.is_empty() && plan.proofs.iter().all(|proof| proof.evidence.is_sporadic())
}

/// A schedule in a few words.
fn words(plan: &Plan) -> String {
    match &plan.schedule {
        Schedule::Priorities => "priorities".to_owned(),
        Schedule::Locked { locks } => {
            let longest = locks.burst_ns.iter().max().copied().unwrap_or(0);
            format!(
                "priorities beside locks of {}",
                time(longest + locks.lock_ns + locks.unlock_ns)
            )
        }
        Schedule::Servers { cores, .. } => {
            let server =
                |s: &fresco_plan::plan::PlannedServer| format!("{} in {}", time(s.budget_ns), time(s.period_ns));
            let of_core = |core: &fresco_plan::plan::CoreServers| {
                core.servers.iter().map(server).collect::<Vec<_>>().join(" and ")
            };
            format!("servers {}", cores.iter().map(of_core).collect::<Vec<_>>().join("; "))
        }
        Schedule::Slots { period_ns, cores, .. } => {
            let borders: Vec<String> = cores.iter().map(|core| time(core.border_ns)).collect();
            format!("frames of {}, borders at {}", time(*period_ns), borders.join(", "))
        }
        Schedule::Table { table, .. } => {
            let copied = plan.tasks.iter().filter(|task| task.instances.len() > 1).count();
            format!(
                "a table of {}, {} colors, {copied} copy tasks",
                time(table.length),
                plan.colors.len()
            )
        }
        Schedule::Fair { slice_ns, .. } => format!("fair slices of {}, no guarantee", time(*slice_ns)),
    }
}
