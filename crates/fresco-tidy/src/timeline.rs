// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded part of a run as spans of time.

use crate::tables::{SpanOf, Tables};
use fresco_report::ReportError;
use fresco_report::dataset::Value;
use fresco_system::experiment::{Activity, Handler, Timeline};

/// Adds the spans of a timeline; `tasks` are the names of the tasks by number.
pub(super) fn spans(tables: &mut Tables, timeline: &Timeline, tasks: &[&str]) -> Result<(), ReportError> {
    let names: Vec<Value> = tasks.iter().map(|name| Value::from(*name)).collect();
    let name = |task: usize| names.get(task).cloned().unwrap_or_default();
    let handler = |kind, core: u32, color: usize| SpanOf {
        core: core.into(),
        color: color.into(),
        ..SpanOf::new(kind)
    };
    for run in &timeline.runs {
        let span = match run.activity {
            Activity::Run { task, job, .. } => SpanOf {
                core: run.core.into(),
                task: name(task),
                job: job.into(),
                ..SpanOf::new("run")
            },
            Activity::Handler(Handler::Lock { color }) => handler("lock handler", run.core, color),
            Activity::Handler(Handler::Unlock { color }) => handler("unlock handler", run.core, color),
            Activity::Handler(Handler::Slot { color }) => handler("slot handler", run.core, color),
            Activity::Idle => continue,
        };
        tables.span(span, run.start_ps, run.end_ps)?;
    }
    for owner in &timeline.owners {
        tables.span(handler("owner", owner.core, owner.color), owner.start_ps, owner.end_ps)?;
    }
    for stall in &timeline.stalls {
        let span = SpanOf {
            core: stall.core.into(),
            ..SpanOf::new("stall")
        };
        tables.span(span, stall.start_ps, stall.end_ps)?;
    }
    for fault in &timeline.faults {
        let span = SpanOf {
            core: fault.core.into(),
            task: name(fault.task),
            to_color: fault.bank_color.into(),
            pages: 1u64.into(),
            ..SpanOf::new("page fault")
        };
        tables.span(span, fault.start_ps, fault.end_ps)?;
    }
    for moved in &timeline.moves {
        let span = SpanOf {
            task: name(moved.task),
            from_color: moved.from_color.into(),
            to_color: moved.to_color.into(),
            pages: moved.pages.into(),
            ..SpanOf::new("move")
        };
        tables.span(span, moved.at_ps, moved.at_ps)?;
    }
    for shootdown in &timeline.shootdowns {
        let span = SpanOf {
            core: shootdown.core.into(),
            task: name(shootdown.task),
            ..SpanOf::new("shootdown")
        };
        tables.span(span, shootdown.start_ps, shootdown.end_ps)?;
    }
    for pass in &timeline.passes {
        let span = SpanOf {
            task: name(pass.task),
            ..SpanOf::new("pass")
        };
        tables.span(span, pass.at_ps, pass.at_ps)?;
    }
    if let Some(mode) = timeline.mode {
        tables.span(SpanOf::new("mode change"), mode.changes_ps, mode.begins_ps)?;
    }
    for lock in &timeline.locks {
        let times = [
            ("lock", lock.start_ps, lock.end_ps),
            ("burst", lock.burst_start_ps, lock.burst_end_ps),
        ];
        for (kind, start, end) in times {
            let span = SpanOf {
                color: lock.color.into(),
                ..SpanOf::new(kind)
            };
            tables.span(span, start, end)?;
        }
    }
    for refresh in &timeline.refreshes {
        let span = SpanOf {
            channel: refresh.channel.into(),
            rank: refresh.rank.into(),
            commands: refresh.commands.into(),
            ..SpanOf::new("refresh")
        };
        tables.span(span, refresh.start_ps, refresh.end_ps)?;
    }
    Ok(())
}
