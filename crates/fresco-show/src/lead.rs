// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario's numbers say, in sentences that are made from these numbers.

use super::subject::{Subject, measured, task_name};
use super::sweep::{CORUNNERS, Sweep};
use super::{budgets, plan, schedule, tail, why, words};
use fresco_report::number::fixed;
use fresco_system::results::PointResult;

/// The most important: how much slower, and how long the slowest reads take.
pub fn short(sweep: &Sweep<'_>) -> String {
    let first = of_tasks(sweep).into_iter().next();
    plan::sentence(sweep.result)
        .into_iter()
        .chain(first)
        .chain(tail::sentence(sweep))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The sentences, the most important first.
pub fn sentences(sweep: &Sweep<'_>) -> Vec<String> {
    let mut sentences = Vec::from_iter(plan::sentence(sweep.result));
    sentences.extend(schedule::ties(sweep.result));
    sentences.extend(of_tasks(sweep));
    sentences.extend(tail::sentence(sweep));
    sentences.extend(super::teams::given_up(sweep.result));
    if let Some(sentence) = budgets::too_short(sweep.result) {
        // What is left of the begin is no reason of what comes after it.
        sentences.push(sentence);
        return sentences;
    }
    sentences.extend(why::faster(sweep));
    sentences.extend(measured(sweep.result).first().and_then(|task| why::slower(sweep, task)));
    sentences
}

/// For each task how much slower it became; how long its reads take if it is compared with nothing.
fn of_tasks(sweep: &Sweep<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    for task in measured(sweep.result) {
        match slowdowns(sweep, &task) {
            Some(sentence) => sentences.push(sentence),
            None => sentences.extend(latencies(sweep, &task)),
        }
    }
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
    let subject = match (base.is_empty(), with.is_empty()) {
        // A sentence does not begin with a name that is written in lower case.
        (true, true) => format!("Task {}", named(sweep, task)),
        _ => named(sweep, task),
    };
    let relative = match (base.is_empty(), with.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!("Relative to {}, ", words::list(&base)),
        (false, false) => format!("relative to {}, ", words::list(&base)),
    };
    Some(format!("{with}{relative}{subject} takes {}.", words::list(&said)))
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
pub fn under(sweep: &Sweep<'_>, compared: usize) -> String {
    let Some(axis) = sweep.compared else {
        return String::new();
    };
    let (name, value) = (&sweep.result.axes[axis].name, sweep.value(sweep.compared, compared));
    let word = if name.contains('.') { "with" } else { "under" };
    format!(" {word} {}", setting(name, value))
}

/// A value of an axis: `samebank`, `node 1`, `3 co-runners`.
pub fn setting(name: &str, value: &str) -> String {
    match name.rsplit_once('.') {
        Some((_, key)) => format!("{key} {value}"),
        None if name == CORUNNERS && value == "1" => "1 co-runner".to_owned(),
        None if name == CORUNNERS => format!("{value} co-runners"),
        None => value.to_owned(),
    }
}

/// What a point's slowdown is relative to, as far as it differs from the point; nothing for the task alone.
pub fn baseline(sweep: &Sweep<'_>, point: &PointResult) -> Option<Vec<String>> {
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

/// `A memory read of T takes 61.0 ns under buddy and 58.2 ns under palloc on average.`
fn latencies(sweep: &Sweep<'_>, task: &str) -> Vec<String> {
    let of = |compared: usize| {
        let panel = sweep.panels().into_iter().next().unwrap_or_default();
        let subject = Subject::at(sweep.point(&panel, compared, sweep.most()), task)?;
        let mean = subject.read_ns()?.mean;
        Some(format!("{} ns{}", fixed(mean, 1), under(sweep, compared)))
    };
    let parts: Vec<String> = (0..sweep.count(sweep.compared)).filter_map(of).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let (with, named) = (with(sweep), named(sweep, task));
    let article = if with.is_empty() { "A" } else { "a" };
    vec![format!(
        "{with}{article} memory read of {named} takes {} on average.",
        words::list(&parts)
    )]
}

/// The values of a point: `samebank`, `3 co-runners`.
pub fn settings(sweep: &Sweep<'_>, point: &PointResult) -> Vec<String> {
    let values = std::iter::zip(&sweep.result.axes, &point.values);
    values.map(|(axis, value)| setting(&axis.name, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::short_run;
    use super::*;

    #[test]
    fn what_is_compared_with_no_run_alone_begins_with_its_base() {
        let result = short_run("camc-fig2.4", &["sweep.program=[\"is\"]"]);
        let text = sentences(&Sweep::new(&result)).join(" ");
        assert!(text.starts_with(|first: char| first.is_ascii_uppercase()), "{text}");
        assert!(
            !text.contains(". a ") && text.contains("The longest read takes "),
            "{text}"
        );
    }
}
