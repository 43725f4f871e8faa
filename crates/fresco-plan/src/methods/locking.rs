// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lock windows, and the refresh commands in them.

use super::PlanContext;
use crate::plan::{LockTimes, RefreshPlan, RefreshWindow};
use crate::refusal::Refusal;
use fresco_rt::Time;
use fresco_rt::toplevel::{ColorLock, Locks};
use fresco_scenario::BurstLength;

/// Commands that LPDDR2 allows in any [`LPDDR2_WINDOW`] times tRFC (tREFBW).
const LPDDR2_COMMANDS: Time = 8;
const LPDDR2_WINDOW: Time = 32;

/// Locks of colors at these phases, each as long as a burst.
///
/// # Errors
/// Windows that overlap, or leave the retention time.
pub(super) fn locks(context: &PlanContext<'_>, phases: &[Time]) -> Result<Locks, Refusal> {
    let options = &context.set.options;
    let (_, burst) = context.burst();
    let burst = burst + options.refresh_jitter_ns;
    let colors = phases.iter().map(|&phase| ColorLock { phase, burst }).collect();
    Locks::new(context.memory.retention_ns, options.lock_ns, options.unlock_ns, colors).map_err(|error| {
        Refusal::load(format!(
            "{error}: a burst takes {} with {} Gb devices, and lock and unlock {}",
            super::words::time(burst),
            context.memory.density_gbit,
            super::words::time(options.lock_ns + options.unlock_ns)
        ))
    })
}

/// Locks as a plan has them.
pub(super) fn planned(locks: &Locks) -> LockTimes {
    LockTimes {
        period_ns: locks.retention(),
        lock_ns: locks.lock_cost(),
        unlock_ns: locks.unlock_cost(),
        phase_ns: locks.colors().iter().map(|lock| lock.phase).collect(),
        burst_ns: locks.colors().iter().map(|lock| lock.burst).collect(),
    }
}

/// The refresh commands of lock windows: each burst begins when its lock task has run (F16).
pub(super) fn windows(context: &PlanContext<'_>, phases: &[Time]) -> RefreshPlan {
    let (commands, _) = context.burst();
    let (lock, trfc) = (context.set.options.lock_ns, context.memory.trfc_ns);
    let mut windows = Vec::new();
    for (color, &phase) in phases.iter().enumerate() {
        let start = phase + lock;
        match context.set.options.burst {
            BurstLength::Standard | BurstLength::AsPublished => windows.push(RefreshWindow {
                color,
                start_ns: start,
                commands,
            }),
            BurstLength::Lpddr2 => windows.extend((0..commands.div_ceil(LPDDR2_COMMANDS)).map(|k| RefreshWindow {
                color,
                start_ns: start + k * LPDDR2_WINDOW * trfc,
                commands: LPDDR2_COMMANDS.min(commands - k * LPDDR2_COMMANDS),
            })),
        }
    }
    RefreshPlan::Windows {
        period_ns: context.memory.retention_ns,
        windows,
    }
}

/// What a plan says about its bursts, in words.
pub(super) fn about_burst(context: &PlanContext<'_>) -> String {
    let (commands, burst) = context.burst();
    let memory = &context.memory;
    let reading = match context.set.options.burst {
        BurstLength::Standard => "all that each rank needs".to_owned(),
        BurstLength::AsPublished => format!(
            "a {}th of what each rank needs, as published: rows are lost, `fresco check` refuses the plan (E1)",
            memory.ranks
        ),
        BurstLength::Lpddr2 => "8 in any 32 tRFC, as LPDDR2 demands".to_owned(),
    };
    format!(
        "a burst is {commands} commands of {} ns, {reading}: {}",
        memory.trfc_ns,
        super::words::time(burst)
    )
}
