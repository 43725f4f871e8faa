// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded beginning of a run as a trace for ui.perfetto.dev.

use super::Simulated;
use fresco_report::perfetto::{Event, Process, Thread, Trace};
use fresco_system::multitask::{Activity, Handler};

/// Picoseconds in a nanosecond.
const PS: u64 = 1000;

/// Cores with their tasks, handlers and owners; colors with their locks; channels with their ranks.
pub fn of(simulated: &Simulated) -> Trace {
    let result = &simulated.result;
    let timeline = &result.timeline;
    let span = |name: String, from_ps: u64, to_ps: u64| Event::span(name, from_ps / PS, (to_ps - from_ps) / PS);
    let mut processes = Vec::new();
    for core in &result.cores {
        let mut threads = Vec::new();
        for (number, task) in result.tasks.iter().enumerate() {
            let mut events = Vec::new();
            for run in timeline.runs.iter().filter(|run| run.core == core.core) {
                if let Activity::Run {
                    task: of,
                    job,
                    instance,
                } = run.activity
                    && of == number
                {
                    let event = span(format!("{} job {job}", task.name), run.start_ps, run.end_ps);
                    events.push(event.with("job", job as i64).with("instance", instance as i64));
                }
            }
            if task.core == core.core {
                let recorded = task.jobs.iter().filter(|job| job.release_ps < timeline.recorded_ps);
                for job in recorded {
                    events.push(Event::instant("release", job.release_ps / PS).with("job", job.job as i64));
                    if let Some(end) = job.end_ps {
                        events.push(Event::instant("end", end / PS).with("job", job.job as i64));
                    }
                    if let Some(deadline) = job.deadline_ps {
                        let missed = job.is_missed(result.horizon_ns * PS);
                        let name = if missed { "deadline missed" } else { "deadline" };
                        events.push(Event::instant(name, deadline / PS).with("job", job.job as i64));
                    }
                }
            }
            if !events.is_empty() {
                threads.push(Thread {
                    name: task.name.clone(),
                    events,
                });
            }
        }
        let of_core = timeline.runs.iter().filter(|run| run.core == core.core);
        let handlers = of_core.filter_map(|run| match run.activity {
            Activity::Handler(handler) => Some(span(handler_name(handler), run.start_ps, run.end_ps)),
            _ => None,
        });
        threads.push(Thread {
            name: "handlers".to_owned(),
            events: handlers.collect(),
        });
        let owners = timeline.owners.iter().filter(|owner| owner.core == core.core);
        threads.push(Thread {
            name: "time of".to_owned(),
            events: owners
                .map(|owner| span(format!("color {}", owner.color), owner.start_ps, owner.end_ps))
                .collect(),
        });
        processes.push(Process {
            name: format!("core {}", core.core),
            threads,
        });
    }
    let mut colors: Vec<usize> = timeline.locks.iter().map(|lock| lock.color).collect();
    colors.sort_unstable();
    colors.dedup();
    let locks = colors.into_iter().map(|color| Thread {
        name: format!("color {color}"),
        events: timeline
            .locks
            .iter()
            .filter(|lock| lock.color == color)
            .flat_map(|lock| {
                let locked = span(format!("color {color} locked"), lock.start_ps, lock.end_ps);
                let burst = span("burst".to_owned(), lock.burst_start_ps, lock.burst_end_ps);
                [locked, burst]
            })
            .collect(),
    });
    processes.push(Process {
        name: "locks".to_owned(),
        threads: locks.collect(),
    });
    let ranks = result.ranks.iter().map(|rank| Thread {
        name: format!("channel {} rank {}", rank.channel, rank.rank),
        events: timeline
            .refreshes
            .iter()
            .filter(|refresh| (refresh.channel, refresh.rank) == (rank.channel, rank.rank))
            .map(|refresh| {
                span("refresh".to_owned(), refresh.start_ps, refresh.end_ps).with("commands", refresh.commands as i64)
            })
            .collect(),
    });
    processes.push(Process {
        name: "refresh".to_owned(),
        threads: ranks.collect(),
    });
    Trace { processes }
}

fn handler_name(handler: Handler) -> String {
    match handler {
        Handler::Lock { color } => format!("lock color {color}"),
        Handler::Unlock { color } => format!("unlock color {color}"),
        Handler::Slot { color } => format!("slot of color {color}"),
    }
}
