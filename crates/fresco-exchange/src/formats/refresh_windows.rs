// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan's refreshes as the schedule that the module of `kernel/refresh` issues on Linux.

use super::task_set::plan_of;
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::postponing::Refreshes;
use crate::subject::Subject;
use fresco_input::InputError;
use fresco_rt::Time;
use fresco_scenario::Plan;
use fresco_scenario::plan::{RefreshPlan, RefreshWindow};
use std::fmt::Write as _;

/// What `kernel/refresh/schedule.c` accepts: ranks, ...
const MOST_RANKS: Time = 16;
/// ... the period, ...
const PERIODS_NS: (Time, Time) = (1_000, 1_000_000_000);
/// ... how late a refresh may be, ...
const LATENESS_NS: (Time, Time) = (1, 1_000_000);
/// ... and refreshes of a rank in a period.
const MOST_REFRESHES: Time = 131_072;
/// REFab that refresh all rows, where they are not sent in a finer granularity.
const COMMANDS: Time = 8192;

/// `refresh-windows`.
pub struct RefreshWindows;

impl Format for RefreshWindows {
    fn name(&self) -> &'static str {
        "refresh-windows"
    }

    fn about(&self) -> &'static str {
        "Linux: when which rank is refreshed, for the module of kernel/refresh"
    }

    fn takes(&self) -> Takes {
        Takes::Schedule
    }

    fn comment(&self) -> Comment {
        Comment::Hash
    }

    fn leaves_out(&self) -> &'static str {
        "who runs when, handlers of locks, colors of pages"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let plan = plan_of(subject, self.name())?;
        let (period, windows) = match &plan.refresh {
            RefreshPlan::Windows { period_ns, windows } => (*period_ns, windows),
            RefreshPlan::Controller { policy } => {
                return Err(self
                    .refuse(
                        subject,
                        format!("refreshes that the controller sends by itself ({policy})"),
                    )
                    .allowed("refreshes in windows")
                    .help(PLAN));
            }
        };
        self.fits(subject, plan, period)?;
        for color in 0..plan.colors.len() {
            self.judge(subject, plan, period, color, &of_color(windows, color))?;
        }
        Ok(Draft {
            body: body(plan, period, windows),
            companion: None,
            losses: Vec::new(),
            notes: vec![
                "a refresh is one REF to all banks of a rank, in every channel; windows begin at multiples of the period on CLOCK_MONOTONIC".to_owned(),
            ],
        })
    }
}

/// What makes a plan whose windows are short.
const PLAN: &str =
    "plan by --method aligned, with within_postponing = true and a handler of some microseconds in [plan]";

/// The windows of a color, in their order.
fn of_color(windows: &[RefreshWindow], color: usize) -> Vec<RefreshWindow> {
    let mut own: Vec<RefreshWindow> = windows.iter().filter(|window| window.color == color).copied().collect();
    own.sort_by_key(|window| window.start_ns);
    own
}

impl RefreshWindows {
    fn refuse(&self, subject: &Subject, found: String) -> InputError {
        subject.error(self.name(), format!("found {found}"))
    }

    /// What the module and the registers of controllers are for.
    fn fits(&self, subject: &Subject, plan: &Plan, period: Time) -> Result<(), InputError> {
        let memory = &plan.memory;
        let standard = memory.standard.to_ascii_lowercase();
        if !(standard.starts_with("ddr3") || standard.starts_with("ddr4")) || memory.commands != COMMANDS {
            return Err(self
                .refuse(
                    subject,
                    format!("{} with {} refreshes of all rows", memory.standard, memory.commands),
                )
                .allowed(format!(
                    "DDR3, and DDR4 with {COMMANDS} (1x): the module knows their limits alone"
                )));
        }
        if let Some(color) = plan.colors.iter().find(|color| color.bank.is_some()) {
            return Err(self
                .refuse(
                    subject,
                    format!("a color that is bank {} of its ranks", color.bank.unwrap_or(0)),
                )
                .allowed("colors of whole ranks: controllers take a request for a rank")
                .help(PLAN));
        }
        let within = |what: &str, value: Time, (least, most): (Time, Time)| match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(self
                .refuse(subject, format!("{what} of {value}"))
                .allowed(format!("{least} to {most}: what the module accepts"))),
        };
        if plan.refresh_jitter_ns == 0 {
            return Err(self
                .refuse(subject, "refreshes that may not begin late".to_owned())
                .allowed("refresh_jitter of some microseconds: timers of Linux are late")
                .help("leave refresh_jitter out of [plan], or say how late refreshes may be"));
        }
        within("a refresh_jitter in ns", plan.refresh_jitter_ns, LATENESS_NS)?;
        within("a number of ranks", memory.ranks.into(), (1, MOST_RANKS))?;
        within("a period in ns", period, PERIODS_NS)
    }

    /// Refuses windows of a color that a rank does not stand.
    fn judge(
        &self,
        subject: &Subject,
        plan: &Plan,
        period: Time,
        color: usize,
        own: &[RefreshWindow],
    ) -> Result<(), InputError> {
        let memory = &plan.memory;
        let count = own
            .iter()
            .fold(0, |sum: Time, window| sum.saturating_add(window.commands));
        let refuse = |found: String| self.refuse(subject, format!("{found} (color {color})")).help(PLAN);
        if count == 0 || count > MOST_REFRESHES || own.iter().any(|window| window.commands == 0) {
            return Err(refuse(format!("{count} refreshes of a rank in a period"))
                .allowed(format!("1 to {MOST_REFRESHES}, and one in each window")));
        }
        let end = |window: &RefreshWindow| {
            window
                .start_ns
                .saturating_add(window.commands.saturating_mul(memory.trfc_ns))
        };
        let begins = own.iter().skip(1).map(|window| window.start_ns);
        let begins = begins.chain([own[0].start_ns.saturating_add(period)]);
        if let Some((window, _)) = own
            .iter()
            .zip(begins)
            .find(|(window, next)| end(window) > *next || window.start_ns >= period)
        {
            return Err(refuse(format!(
                "a window at {} ns that ends at {} ns",
                window.start_ns,
                end(window)
            ))
            .allowed(format!(
                "one that begins within the period, {period} ns, and ends before the next one"
            )));
        }
        let at = own
            .iter()
            .flat_map(|window| (0..window.commands).map(move |k| window.start_ns + k * memory.trfc_ns));
        let refreshes = Refreshes {
            period,
            at: at.collect(),
            lateness: plan.refresh_jitter_ns,
            retention: memory.retention_ns,
            commands: memory.commands,
        };
        match refreshes.exceeds() {
            None => Ok(()),
            Some(found) => Err(refuse(found).allowed(
                "what the standard lets a controller postpone: 8 refreshes of a rank, so 9 tREFI between two, 16 within 2 tREFI, each row within the retention time",
            )),
        }
    }
}

/// The schedule, a line for each window of a rank.
fn body(plan: &Plan, period: Time, windows: &[RefreshWindow]) -> String {
    let memory = &plan.memory;
    let mut text = format!(
        "format fresco-refresh-windows/1\nranks {}\nretention_ns {}\nrefreshes {}\ntrfc_ns {}\nperiod_ns {period}\nlateness_ns {}\n",
        memory.ranks, memory.retention_ns, memory.commands, memory.trfc_ns, plan.refresh_jitter_ns
    );
    let mut rows: Vec<(Time, u32, Time)> = windows
        .iter()
        .filter_map(|window| Some((window, plan.colors.get(window.color)?)))
        .flat_map(|(window, color)| color.ranks.iter().map(|&rank| (window.start_ns, rank, window.commands)))
        .collect();
    rows.sort_unstable();
    for (start, rank, commands) in rows {
        _ = writeln!(text, "window {rank} {start} {commands}");
    }
    text.push_str("end\n");
    text
}
