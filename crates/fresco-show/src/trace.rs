// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded part of a run, of a scenario or of a plan, as a trace for ui.perfetto.dev: all that its Gantt chart has, and how
//! often jobs met refreshes.

use super::lanes::{GanttContent, PS, TaskLane};
use fresco_report::perfetto::{Event, Process, Thread};
use fresco_system::experiment::{Activity, Handler, JobRecord};

/// Cores with their tasks, page faults, handlers, stalls and owners; colors with their locks; channels with their ranks. The names of all
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
        threads.push(thread("page faults", faults(content, core)));
        threads.push(thread("pages move", moves(content, core)));
        let stalls = timeline.stalls.iter().filter(|stall| stall.core == core);
        let stalls = stalls.map(|stall| span("stalled".to_owned(), stall.start_ps, stall.end_ps));
        threads.push(thread("stalled", stalls.collect()));
        let owners = timeline.owners.iter().filter(|owner| owner.core == core);
        let owners = owners.map(|owner| span(format!("color {}", owner.color), owner.start_ps, owner.end_ps));
        threads.push(thread("time of", owners.collect()));
        processes.push(process(prefix, &format!("core {core}"), threads));
    }
    processes.push(process(prefix, "mode", mode(content)));
    processes.extend(end_of(content).map(|end| process(prefix, "end of the record", vec![end])));
    processes.push(process(prefix, "locks", locks(content)));
    processes.push(process(prefix, "refresh", refreshes(content)));
    processes
        .iter_mut()
        .for_each(|process| process.threads.retain(|thread| !thread.events.is_empty()));
    processes.retain(|process| !process.threads.is_empty());
    processes
}

/// Low and high mode, and the time between, in which schedule and refresh are still those of low mode.
fn mode(content: &GanttContent<'_>) -> Vec<Thread> {
    let Some(parts) = content.mode() else { return Vec::new() };
    let parts = parts.into_iter().filter(|(_, from, to)| from < to);
    let events = parts.map(|(name, from, to)| span(name.to_owned(), from, to));
    vec![thread("mode", events.collect())]
}

/// The mark where the record ends before the run does: what is empty beyond it is not idle.
fn end_of(content: &GanttContent<'_>) -> Option<Thread> {
    let end = content.recorded_to_ps();
    let mark = Event::instant(NO_MORE, end / PS)
        .with("run_ends_at_ms", content.horizon_ps as f64 / (1_000_000 * PS) as f64)
        .with("to_record_more", "fresco sim --timeline TIME");
    (end < content.horizon_ps).then(|| thread(NO_MORE, vec![mark]))
}

/// What the end of the record is called.
const NO_MORE: &str = "nothing is recorded beyond";

/// Page faults of a core, with the bank color of the frame.
fn faults(content: &GanttContent<'_>, core: u32) -> Vec<Event> {
    let own = content.timeline.faults.iter().filter(|fault| fault.core == core);
    let event = own.map(|fault| {
        let event = span("page fault".to_owned(), fault.start_ps, fault.end_ps);
        colored(
            event.with("task", name_of(content, fault.task)),
            "bank_color",
            fault.bank_color,
        )
    });
    event.collect()
}

/// Pages of the tasks of a core that go to other colors, and for how long it stands still for that.
fn moves(content: &GanttContent<'_>, core: u32) -> Vec<Event> {
    let timeline = content.timeline;
    let is_here = |task: usize| content.tasks.get(task).is_some_and(|task| task.core == core);
    let moves = timeline.moves.iter().filter(|one| is_here(one.task)).map(|one| {
        let event = Event::instant("pages move", one.at_ps / PS)
            .with("task", name_of(content, one.task))
            .with("pages", one.pages as i64);
        colored(colored(event, "from_color", one.from_color), "to_color", one.to_color)
    });
    let shootdowns = timeline.shootdowns.iter().filter(|one| one.core == core);
    let shootdowns = shootdowns.map(|one| {
        let event = span("shootdown".to_owned(), one.start_ps, one.end_ps);
        event.with("task", name_of(content, one.task))
    });
    moves.chain(shootdowns).collect()
}

fn name_of<'c>(content: &'c GanttContent<'_>, task: usize) -> &'c str {
    content.tasks.get(task).map_or("", |task| task.name)
}

fn colored(event: Event, name: &str, color: Option<u32>) -> Event {
    match color {
        Some(color) => event.with(name, i64::from(color)),
        None => event,
    }
}

/// Lock windows, a thread for each color.
fn locks(content: &GanttContent<'_>) -> Vec<Thread> {
    let timeline = content.timeline;
    let mut colors: Vec<usize> = timeline.locks.iter().map(|lock| lock.color).collect();
    colors.sort_unstable();
    colors.dedup();
    let of_color = |color| {
        let own = timeline.locks.iter().filter(|lock| lock.color == color);
        let events = own.flat_map(|lock| {
            let locked = span(format!("color {color} locked"), lock.start_ps, lock.end_ps);
            let burst = span("burst".to_owned(), lock.burst_start_ps, lock.burst_end_ps);
            [locked, burst]
        });
        thread(&format!("color {color}"), events.collect())
    };
    colors.into_iter().map(of_color).collect()
}

/// Refreshes, a thread for each rank.
fn refreshes(content: &GanttContent<'_>) -> Vec<Thread> {
    let ranks = content.ranks.iter().map(|rank| {
        let own = content.timeline.refreshes.iter();
        let own = own.filter(|refresh| (refresh.channel, refresh.rank) == (rank.channel, rank.rank));
        let events = own.map(|refresh| {
            span("refresh".to_owned(), refresh.start_ps, refresh.end_ps).with("commands", refresh.commands as i64)
        });
        thread(
            &format!("channel {} rank {}", rank.channel, rank.rank),
            events.collect(),
        )
    });
    ranks.collect()
}

/// A task on a core: its spans, and the instants of its jobs and passes on the core that it is pinned to.
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
            // A task without jobs has none to name.
            let event = match task.jobs.get(job as usize) {
                Some(record) => with_refresh(
                    span(format!("{} job {job}", task.name), run.start_ps, run.end_ps).with("job", job as i64),
                    record,
                ),
                None => span(task.name.to_owned(), run.start_ps, run.end_ps),
            };
            events.push(event.with("instance", instance as i64));
        }
    }
    if task.core != core {
        return events;
    }
    let passes = timeline.passes.iter().filter(|pass| pass.task == number);
    events.extend(passes.map(|pass| Event::instant("pass", pass.at_ps / PS)));
    let recorded = task.jobs.iter().filter(|job| job.release_ps < timeline.recorded_ps);
    for job in recorded {
        if let Some(end) = job.end_ps {
            let event = Event::instant("end", end / PS).with("job", job.job as i64);
            events.push(with_refresh(event, job));
        }
        let mut instant = |name, at_ps: u64| events.push(Event::instant(name, at_ps / PS).with("job", job.job as i64));
        instant("release", job.release_ps);
        if let Some(abandoned) = job.abandoned_ps {
            instant("abandoned", abandoned);
        }
        if let Some(deadline) = job.deadline_ps.filter(|_| !job.is_abandoned()) {
            let missed = job.is_missed(content.horizon_ps);
            instant(if missed { "deadline missed" } else { "deadline" }, deadline);
        }
    }
    events
}

/// How many reads of a job waited for refreshes, all its spans together, and for how long in sum.
fn with_refresh(event: Event, job: &JobRecord) -> Event {
    event
        .with("met_refresh_reads", job.met_refresh_reads as i64)
        .with("refresh_wait_ns", job.refresh_wait_ps as f64 / PS as f64)
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
