// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded part of a run, of a scenario or of a plan, as a trace for ui.perfetto.dev.

use super::lanes::{GanttContent, PS, TaskLane};
use fresco_report::perfetto::{Event, Process, Thread};
use fresco_system::multitask::{Activity, Handler};

/// Cores with their tasks, handlers, stalls and owners; colors with their locks; channels with their ranks. The names of all
/// begin with `prefix`, which tells the runs of a trace apart.
pub fn of(content: &GanttContent<'_>, prefix: &str) -> Vec<Process> {
    let timeline = content.timeline;
    let mut processes = Vec::new();
    for &core in &content.cores {
        let tasks = content.tasks.iter().enumerate();
        let tasks = tasks.map(|(number, task)| thread(task.name, events_of(content, core, number, task)));
        let mut threads: Vec<Thread> = tasks.filter(|thread| !thread.events.is_empty()).collect();
        let of_core = timeline.runs.iter().filter(|run| run.core == core);
        let handlers = of_core.filter_map(|run| match run.activity {
            Activity::Handler(handler) => Some(span(handler_name(handler), run.start_ps, run.end_ps)),
            _ => None,
        });
        threads.push(thread("handlers", handlers.collect()));
        let stalls = timeline.stalls.iter().filter(|stall| stall.core == core);
        let stalls: Vec<Event> = stalls
            .map(|stall| span("stalled".to_owned(), stall.start_ps, stall.end_ps))
            .collect();
        if !stalls.is_empty() {
            threads.push(thread("stalled", stalls));
        }
        let owners = timeline.owners.iter().filter(|owner| owner.core == core);
        let owners = owners.map(|owner| span(format!("color {}", owner.color), owner.start_ps, owner.end_ps));
        threads.push(thread("time of", owners.collect()));
        processes.push(process(prefix, &format!("core {core}"), threads));
    }
    let mut colors: Vec<usize> = timeline.locks.iter().map(|lock| lock.color).collect();
    colors.sort_unstable();
    colors.dedup();
    let locks = colors.into_iter().map(|color| {
        let own = timeline.locks.iter().filter(|lock| lock.color == color);
        let events = own.flat_map(|lock| {
            let locked = span(format!("color {color} locked"), lock.start_ps, lock.end_ps);
            let burst = span("burst".to_owned(), lock.burst_start_ps, lock.burst_end_ps);
            [locked, burst]
        });
        thread(&format!("color {color}"), events.collect())
    });
    processes.push(process(prefix, "locks", locks.collect()));
    let ranks = content.ranks.iter().map(|rank| {
        let own = timeline.refreshes.iter();
        let own = own.filter(|refresh| (refresh.channel, refresh.rank) == (rank.channel, rank.rank));
        let events = own.map(|refresh| {
            span("refresh".to_owned(), refresh.start_ps, refresh.end_ps).with("commands", refresh.commands as i64)
        });
        thread(
            &format!("channel {} rank {}", rank.channel, rank.rank),
            events.collect(),
        )
    });
    processes.push(process(prefix, "refresh", ranks.collect()));
    processes
}

/// A task on a core: its spans, and the instants of its jobs on the core that it is pinned to.
fn events_of(content: &GanttContent<'_>, core: u32, number: usize, task: &TaskLane<'_>) -> Vec<Event> {
    let timeline = content.timeline;
    let mut events = Vec::new();
    for run in timeline.runs.iter().filter(|run| run.core == core) {
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
    if task.core != core {
        return events;
    }
    let recorded = task.jobs.iter().filter(|job| job.release_ps < timeline.recorded_ps);
    for job in recorded {
        let mut instant = |name, at_ps: u64| events.push(Event::instant(name, at_ps / PS).with("job", job.job as i64));
        instant("release", job.release_ps);
        if let Some(end) = job.end_ps {
            instant("end", end);
        }
        if let Some(deadline) = job.deadline_ps {
            let missed = job.is_missed(content.horizon_ps);
            instant(if missed { "deadline missed" } else { "deadline" }, deadline);
        }
    }
    events
}

fn span(name: String, from_ps: u64, to_ps: u64) -> Event {
    Event::span(name, from_ps / PS, (to_ps - from_ps) / PS)
}

fn thread(name: &str, events: Vec<Event>) -> Thread {
    Thread {
        name: name.to_owned(),
        events,
    }
}

fn process(prefix: &str, name: &str, threads: Vec<Thread>) -> Process {
    Process {
        name: format!("{prefix}{name}"),
        threads,
    }
}

fn handler_name(handler: Handler) -> String {
    match handler {
        Handler::Lock { color } => format!("lock color {color}"),
        Handler::Unlock { color } => format!("unlock color {color}"),
        Handler::Slot { color } => format!("slot of color {color}"),
    }
}
