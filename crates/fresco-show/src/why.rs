// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a task is slower than what it is compared with, or faster, in a sentence.

use super::lead::{baseline, settings};
use super::subject::{PARTS, Subject, measured};
use super::sweep::Sweep;
use super::words;
use fresco_report::number::fixed;
use fresco_system::results::{PointResult, TaskResult};

/// A slowdown from which on it is worth saying where the time went.
const NOTABLE: f64 = 1.1;

/// Slowdowns below this are shown as below 1.
const FASTER: f64 = 0.995;

/// Of the point that suffers most: which part of a read's time grew most.
pub fn slower(sweep: &Sweep<'_>, task: &str) -> Option<String> {
    let points = sweep.result.points.iter();
    let slowed = points.filter_map(|point| {
        let subject = Subject::at(point, task)?;
        Some((subject.slowdown()?.mean, point, subject))
    });
    let (slowdown, point, subject) = slowed.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let base = Subject::at(&sweep.result.points[point.baseline?], task)?;
    // A task that stands still for want of budget is slow however fast its reads are.
    let stalled = |task: &TaskResult| task.regulation.as_ref().map_or(0.0, |core| core.stalled_share);
    let stalled = subject.spread(stalled).mean;
    if slowdown >= NOTABLE && stalled > (1.0 - 1.0 / slowdown) / 2.0 {
        return Some(format!(
            "The largest slowdown of {task}, {}, is that at {}: its core stands still for {} % of the time, its budget of \
             bandwidth used up.",
            fixed(slowdown, 2),
            words::list(&settings(sweep, point)),
            fixed(100.0 * stalled, 0)
        ));
    }
    let (now, before) = (subject.read_ns()?.mean, base.read_ns()?.mean);
    let grown = now - before;
    if slowdown < NOTABLE || grown <= 0.0 {
        return None;
    }
    let (anatomy, anatomy_before) = (subject.anatomy(), base.anatomy());
    let grew = |part: fn(&_) -> f64| part(&anatomy) - part(&anatomy_before);
    let (_, waited_for, part) = PARTS.into_iter().max_by(|a, b| grew(a.2).total_cmp(&grew(b.2)))?;
    let share = (100.0 * grew(part) / grown).min(100.0);
    let longer = format!(
        "The largest slowdown of {task}, {}, is that at {}: a read takes {} ns on average instead of {} ns",
        fixed(slowdown, 2),
        words::list(&settings(sweep, point)),
        fixed(now, 1),
        fixed(before, 1)
    );
    Some(format!(
        "{longer}, and {} % of the difference is time for {waited_for}.",
        fixed(share, 0)
    ))
}

/// Where a task beside others was faster than alone: that this is so, and what can be behind it.
pub fn faster(sweep: &Sweep<'_>) -> Option<String> {
    let mut least: Option<(f64, &PointResult, String)> = None;
    for task in measured(sweep.result) {
        for point in &sweep.result.points {
            let slowdown = Subject::at(point, &task).and_then(|subject| subject.slowdown());
            let alone = baseline(sweep, point).is_some_and(|base| base.is_empty());
            let Some(slowdown) = slowdown.filter(|slowdown| alone && slowdown.mean < FASTER) else {
                continue;
            };
            if least.as_ref().is_none_or(|(least, ..)| slowdown.mean < *least) {
                least = Some((slowdown.mean, point, task.clone()));
            }
        }
    }
    let (slowdown, point, task) = least?;
    let dirty = Subject::at(point, &task)?.spread(|task| task.write_backs as f64).max > 0.0;
    let example = if dirty {
        ", for example by evicting its dirty lines before it has to"
    } else {
        ""
    };
    Some(format!(
        "A slowdown below 1 ({} for {task} at {}) means that the others made it faster{example}.",
        fixed(slowdown, 2),
        words::list(&settings(sweep, point))
    ))
}

#[cfg(test)]
mod tests {
    use super::super::lead::sentences;
    use super::super::testing::short_run;
    use super::*;
    use fresco_system::results::ScenarioResult;

    #[test]
    fn a_slowdown_below_one_is_explained() {
        let mut result = short_run("palloc-fig4", &["sweep.corunners=[0, 1]"]);
        let text = |result: &ScenarioResult| sentences(&Sweep::new(result)).join(" ");
        let set = |result: &mut ScenarioResult, slowdown: f64| {
            for point in &mut result.points {
                for spread in point.tasks.iter_mut().filter_map(|task| task.slowdown.as_mut()) {
                    spread.mean = slowdown;
                }
            }
        };
        set(&mut result, 0.996);
        assert!(
            !text(&result).contains("below 1"),
            "it is shown as 1.00: {}",
            text(&result)
        );
        set(&mut result, 0.93);
        let reader = "A slowdown below 1 (0.93 for foreground at samebank and 1 co-runner) means that the others made it faster.";
        assert!(text(&result).contains(reader), "{}", text(&result));
        // Of a task that writes.
        for task in result
            .points
            .iter_mut()
            .flat_map(|point| &mut point.runs)
            .flat_map(|run| &mut run.tasks)
        {
            task.write_backs = 7;
        }
        assert!(text(&result).contains("faster, for example by evicting its dirty lines before it has to."));
    }
}
