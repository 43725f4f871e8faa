// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded beginning of a run as spans of time.

use super::tables::Tables;
use fresco_report::ReportError;
use fresco_report::dataset::Value;
use fresco_system::multitask::{Activity, Handler, Timeline};

/// Adds the spans of a timeline; `tasks` are the names of the tasks by number.
pub(super) fn spans(tables: &mut Tables, timeline: &Timeline, tasks: &[&str]) -> Result<(), ReportError> {
    let none = || Value::Missing;
    let of_core = |kind: &'static str, core: u32, color: Option<usize>| {
        [
            Value::Name(kind),
            core.into(),
            none(),
            none(),
            color.into(),
            none(),
            none(),
            none(),
        ]
    };
    let names: Vec<Value> = tasks.iter().map(|name| Value::from(*name)).collect();
    for run in &timeline.runs {
        let span = match run.activity {
            Activity::Run { task, job, .. } => {
                let name = names.get(task).cloned().unwrap_or_default();
                [
                    Value::Name("run"),
                    run.core.into(),
                    name,
                    job.into(),
                    none(),
                    none(),
                    none(),
                    none(),
                ]
            }
            Activity::Handler(Handler::Lock { color }) => of_core("lock handler", run.core, Some(color)),
            Activity::Handler(Handler::Unlock { color }) => of_core("unlock handler", run.core, Some(color)),
            Activity::Handler(Handler::Slot { color }) => of_core("slot handler", run.core, Some(color)),
            Activity::Idle => continue,
        };
        tables.span(span, run.start_ps, run.end_ps)?;
    }
    for owner in &timeline.owners {
        let span = of_core("owner", owner.core, Some(owner.color));
        tables.span(span, owner.start_ps, owner.end_ps)?;
    }
    for stall in &timeline.stalls {
        tables.span(of_core("stall", stall.core, None), stall.start_ps, stall.end_ps)?;
    }
    for lock in &timeline.locks {
        let times = [
            ("lock", lock.start_ps, lock.end_ps),
            ("burst", lock.burst_start_ps, lock.burst_end_ps),
        ];
        for (kind, start, end) in times {
            let span = [
                Value::Name(kind),
                none(),
                none(),
                none(),
                lock.color.into(),
                none(),
                none(),
                none(),
            ];
            tables.span(span, start, end)?;
        }
    }
    for refresh in &timeline.refreshes {
        let span = [
            Value::Name("refresh"),
            none(),
            none(),
            none(),
            none(),
            refresh.channel.into(),
            refresh.rank.into(),
            refresh.commands.into(),
        ];
        tables.span(span, refresh.start_ps, refresh.end_ps)?;
    }
    Ok(())
}
