// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario's numbers say, in sentences that are made from these numbers.

use super::subject::{PARTS, Subject, measured, task_name};
use super::sweep::{CORUNNERS, Sweep};
use super::words;
use fresco_report::number::fixed;
use fresco_system::results::PointResult;

/// A slowdown from which on it is worth saying where the time went.
const NOTABLE: f64 = 1.1;

/// The sentences, the most important first.
pub fn sentences(sweep: &Sweep<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    for task in measured(sweep.result) {
        match slowdowns(sweep, &task) {
            Some(sentence) => sentences.push(sentence),
            None => sentences.extend(latencies(sweep, &task)),
        }
    }
    sentences.extend(measured(sweep.result).first().and_then(|task| cause(sweep, task)));
    sentences
}

/// `With three co-runners, T takes 2.87 times as long as alone under samebank, and 1.01 times under diffbank.`, or
/// `Relative to single_run, T takes 5.04 times as long under same_bank.`
fn slowdowns(sweep: &Sweep<'_>, task: &str) -> Option<String> {
    let mut base: Option<Vec<String>> = None;
    let mut said: Vec<String> = Vec::new();
    for compared in 0..sweep.count(sweep.compared) {
        let mut range: Option<(f64, f64)> = None;
        for panel in sweep.panels() {
            let point = sweep.point(&panel, compared, sweep.most());
            let slowdown = Subject::at(point, task).and_then(|subject| subject.slowdown());
            let Some(slowdown) = slowdown else { continue };
            base = base.or_else(|| baseline(sweep, point));
            let (low, high) = range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
            range = Some((low.min(slowdown.mean), high.max(slowdown.mean)));
        }
        let Some((low, high)) = range else { continue };
        let as_long = match (said.is_empty(), &base) {
            (true, Some(base)) if base.is_empty() => " as long as alone",
            (true, _) => " as long",
            (false, _) => "",
        };
        said.push(format!(
            "{} times{as_long}{}",
            words::factors(low, high),
            under(sweep, compared)
        ));
    }
    let (base, with) = (base?, with(sweep));
    let relative = match (base.is_empty(), with.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!("Relative to {}, ", words::list(&base)),
        (false, false) => format!("relative to {}, ", words::list(&base)),
    };
    Some(format!(
        "{with}{relative}{} takes {}.",
        named(sweep, task),
        words::list(&said)
    ))
}

/// `With three co-runners, ` of a sweep over them; nothing if there is no horizontal axis.
fn with(sweep: &Sweep<'_>) -> String {
    let Some(axis) = sweep.across else { return String::new() };
    let value = sweep.value(Some(axis), sweep.most());
    match sweep.result.axes[axis].name.as_str() {
        CORUNNERS if value == "1" => "With one co-runner, ".to_owned(),
        CORUNNERS => format!("With {} co-runners, ", words::count(value)),
        name => format!("With {}, ", setting(name, value)),
    }
}

/// ` under samebank`, ` with node 1`; nothing if nothing is compared.
fn under(sweep: &Sweep<'_>, compared: usize) -> String {
    let Some(axis) = sweep.compared else {
        return String::new();
    };
    let (name, value) = (&sweep.result.axes[axis].name, sweep.value(sweep.compared, compared));
    let word = if name.contains('.') { "with" } else { "under" };
    format!(" {word} {}", setting(name, value))
}

/// A value of an axis: `samebank`, `node 1`, `3 co-runners`.
fn setting(name: &str, value: &str) -> String {
    match name.rsplit_once('.') {
        Some((_, key)) => format!("{key} {value}"),
        None if name == CORUNNERS => format!("{value} co-runners"),
        None => value.to_owned(),
    }
}

/// What a point's slowdown is relative to, as far as it differs from the point; nothing for the task alone.
fn baseline(sweep: &Sweep<'_>, point: &PointResult) -> Option<Vec<String>> {
    let base = &sweep.result.points[point.baseline?];
    let axes = sweep.result.axes.iter().map(|axis| axis.name.as_str());
    let changed = axes
        .zip(&base.values)
        .zip(&point.values)
        .filter(|((_, base), value)| base != value);
    let changed = changed.filter(|((name, base), _)| *name != CORUNNERS || *base != "0");
    Some(changed.map(|((name, base), _)| setting(name, base)).collect())
}

/// `foreground (latency on core 0)`; programs that the sweep varies are left out.
fn named(sweep: &Sweep<'_>, task: &str) -> String {
    let runs = sweep.result.points.iter().flat_map(|point| point.runs.first());
    let mut copies: Vec<(&str, u32)> = Vec::new();
    for copy in runs
        .flat_map(|run| &run.tasks)
        .filter(|copy| task_name(&copy.name) == task)
    {
        if !copies.contains(&(copy.program.as_str(), copy.core)) {
            copies.push((&copy.program, copy.core));
        }
    }
    match copies.as_slice() {
        [(program, core)] => format!("{task} ({program} on core {core})"),
        [(program, first), .., (_, last)] if copies.iter().all(|copy| copy.0 == *program) => {
            format!("{task} ({program} on cores {first} to {last})")
        }
        _ => task.to_owned(),
    }
}

/// `Under buddy a read of T takes 61 ns on average, and 99 of 100 at most 90 ns.`
fn latencies(sweep: &Sweep<'_>, task: &str) -> Vec<String> {
    let of = |compared: usize| {
        let panel = sweep.panels().into_iter().next().unwrap_or_default();
        let subject = Subject::at(sweep.point(&panel, compared, sweep.most()), task)?;
        let worst = subject
            .each_reads()
            .map(|reads| reads.latency.p99_ns)
            .fold(0.0, f64::max);
        let mean = subject.read_ns()?.mean;
        let under = under(sweep, compared);
        Some(format!(
            "{} ns{under} (99 % within {} ns)",
            fixed(mean, 1),
            fixed(worst, 1)
        ))
    };
    let parts: Vec<String> = (0..sweep.count(sweep.compared)).filter_map(of).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let named = named(sweep, task);
    vec![format!(
        "{}a memory read of {named} takes {} on average.",
        with(sweep),
        words::list(&parts)
    )]
}

/// Of the point that suffers most: which part of a read's time grew most.
fn cause(sweep: &Sweep<'_>, task: &str) -> Option<String> {
    let points = sweep.result.points.iter();
    let slowed = points.filter_map(|point| {
        let subject = Subject::at(point, task)?;
        Some((subject.slowdown()?.mean, point, subject))
    });
    let (slowdown, point, subject) = slowed.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let base = Subject::at(&sweep.result.points[point.baseline?], task)?;
    let (now, before) = (subject.read_ns()?.mean, base.read_ns()?.mean);
    let grown = now - before;
    if slowdown < NOTABLE || grown <= 0.0 {
        return None;
    }
    let (anatomy, anatomy_before) = (subject.anatomy(), base.anatomy());
    let grew = |part: fn(&_) -> f64| part(&anatomy) - part(&anatomy_before);
    let (_, waited_for, part) = PARTS.into_iter().max_by(|a, b| grew(a.2).total_cmp(&grew(b.2)))?;
    let values: Vec<String> = std::iter::zip(&sweep.result.axes, &point.values)
        .map(|(axis, value)| {
            if axis.name == CORUNNERS {
                format!("{value} co-runners")
            } else {
                value.clone()
            }
        })
        .collect();
    let share = (100.0 * grew(part) / grown).min(100.0);
    let longer = format!(
        "Worst is {}: a read takes {} ns instead of {} ns",
        words::list(&values),
        fixed(now, 1),
        fixed(before, 1)
    );
    Some(format!(
        "{longer}, and {} % of the difference is time for {waited_for}.",
        fixed(share, 0)
    ))
}
