// SPDX-License-Identifier: MIT OR Apache-2.0
//! The detection: stage by stage, each with a check that can fail, to a verdict.

use crate::benefit;
use crate::classes::{self, Classes};
use crate::detection::{Contrasts, Detection, Options};
use crate::evidence::{Evidence, Stage};
use crate::gather;
use crate::governor::Governor;
use crate::method::{self, Method};
use crate::model::Model;
use crate::names;
use crate::offset;
use crate::probe::Probe;
use crate::queues;
use crate::refresh;
use crate::shape;
use crate::shape_odd;
use crate::solve::{self, SPARE, Solution};
use crate::stats::{Proportion, auc, correlation, median, quantile};
use crate::timer::{Stream, Timer};
use crate::verdict::Verdict;
use crate::verify;

/// Time after which everything is asked again, in nanoseconds.
const LATER_NS: f64 = 30e9;
/// Lines whose refreshes are looked for, until one shows a period.
const REFRESH_LINES: usize = 4;
/// Pairs that are measured again.
const REPEATED: usize = 60;

/// Detects the map of a timer's memory. Never answers with a map that has not predicted pairs on fresh pages twice.
pub fn detect(timer: &mut dyn Timer, options: Options) -> Detection {
    detect_until(timer, options, &|| false)
}

/// As [`detect`], but ends early, with the evidence that there is, once `stop` says so. A map has predicted what it has to
/// all the same, or there is none.
pub fn detect_until(timer: &mut dyn Timer, options: Options, stop: &dyn Fn() -> bool) -> Detection {
    let mut governor = Governor::new(timer);
    governor.limit(options.seconds);
    governor.stop_when(stop);
    governor.begins(Stage::Timer);
    let mut probe = Probe::new(governor, options.seed);
    let mut found = Detection {
        verdict: Verdict::NoSignal,
        evidence: Evidence::default(),
        contrasts: None,
        solution: None,
        predictions: Vec::new(),
        conflicts: None,
        shape: None,
        no_shape: None,
        refresh: None,
        queues: None,
        benefit: None,
        names: None,
        alone: false,
        stopped: false,
        cost: probe.governor.cost(),
    };
    found.verdict = stages(&mut probe, &mut found, options);
    if let Some(seconds) = probe.governor.cut_short().filter(|_| !found.verdict.has_map()) {
        note_end_of_time(seconds, &mut found.evidence, options.seconds);
    }
    found.cost = probe.governor.cost();
    found.stopped = probe.governor.is_stopped();
    if found.stopped && !found.verdict.has_map() {
        let seconds = found.cost.seconds;
        let what = "seconds until somebody stopped it";
        let stage = found.evidence.checks.last().map_or(Stage::Timer, |check| check.stage);
        let asked = "as long as it takes".to_owned();
        found.evidence.push(stage, what, seconds, None, 1, asked, false);
    }
    found
}

/// Says that the time to look for conflicts ran out before the first check that failed.
fn note_end_of_time(seconds: f64, evidence: &mut Evidence, most: f64) {
    let place = evidence.checks.iter().position(|check| !check.passed);
    let stage = place.map_or(Stage::Timer, |place| evidence.checks[place].stage);
    let asked = format!("at most {most}");
    evidence.push(
        stage,
        "seconds of looking for row conflicts",
        seconds,
        None,
        1,
        asked,
        false,
    );
    if let (Some(place), Some(check)) = (place, evidence.checks.pop()) {
        evidence.checks.insert(place, check);
    }
}

fn stages(probe: &mut Probe<'_>, found: &mut Detection, options: Options) -> Verdict {
    if !timer_works(probe, &mut found.evidence) {
        return Verdict::NoSignal;
    }
    probe.governor.begins(Stage::Conflict);
    let Some(mut classes) = classes::find(probe, &mut found.evidence) else {
        return Verdict::NoSignal;
    };
    found.contrasts = Some(Contrasts {
        random: classes.random.clone(),
        within: classes.within.clone(),
        across: classes.across.clone(),
        threshold: classes.threshold,
    });
    probe.governor.begins(Stage::Repeat);
    if let Some(verdict) = repeats(probe, &classes, &mut found.evidence) {
        return verdict;
    }
    if probe.governor.is_stopped() {
        return Verdict::SignalOnly;
    }
    probe.governor.begins(Stage::Functions);
    let ranges = probe.governor.ranges().to_vec();
    gather::collect(probe, &mut classes, solve::features(&ranges, None) + 2 * SPARE);
    let rate = gather::conflict_rate(&classes);
    found.conflicts = Some(rate);
    if probe.governor.is_stopped() {
        return Verdict::SignalOnly;
    }
    let solution = match options.method {
        Method::Solver => solve(probe, &mut classes, &rate),
        method => method::bitwise(method, probe, &gather::pairs(&classes)),
    };
    let model = solution.model.clone();
    let is_solved = functions_are_enough(&solution, &rate, &mut found.evidence);
    let fixed = solution.fixed;
    found.solution = Some(solution);
    if !is_solved {
        return Verdict::SignalOnly;
    }
    if let Some(verdict) = predicts(probe, &classes, &model, found) {
        return verdict;
    }
    match model.form.odd {
        _ if probe.governor.is_stopped() => {}
        None => found.shape = shape::find(probe, &model, fixed, classes.threshold),
        Some(_) => match shape_odd::find(probe, &model, fixed, classes.threshold) {
            Ok(shape) => found.shape = Some(shape),
            Err(reason) => found.no_shape = Some(reason),
        },
    }
    // What is left describes the map, which is proved.
    if !options.all || probe.governor.is_stopped() {
        return Verdict::Map;
    }
    let verdict = describe(probe, found, &model);
    if !probe.governor.is_stopped() {
        probe.governor.begins(Stage::Names);
        found.names = Some(names::find(probe, &model, found.shape.as_ref(), found.refresh.as_ref()));
    }
    verdict
}

/// When lines are refreshed, what queues there are, and what a map gains; nothing to gain is a verdict.
fn describe(probe: &mut Probe<'_>, found: &mut Detection, model: &Model) -> Verdict {
    probe.governor.begins(Stage::Benefit);
    found.refresh = (0..REFRESH_LINES).find_map(|_| {
        let line = probe.line();
        refresh::find(&mut probe.governor, line)
    });
    found.alone = !has_company(probe);
    if found.alone {
        return Verdict::Map;
    }
    found.queues = queues::find(probe, model);
    let benefit = benefit::measure(probe, model);
    let nothing = benefit.is_nothing();
    if let Some(pages) = benefit.pages {
        let interval = Some((pages.low, pages.high));
        let asked = format!("interval not all below {}", 1.0 + benefit::LEAST_GAIN);
        let what = "latency beside programs on the same page color, over other colors";
        found
            .evidence
            .push(Stage::Benefit, what, pages.value, interval, pages.n, asked, !nothing);
    } else {
        let what = "pages with banks of their own";
        found.evidence.at_least(Stage::Benefit, what, 0.0, 1, 1.0);
    }
    found.benefit = Some(benefit);
    if nothing { Verdict::NoBenefit } else { Verdict::Map }
}

/// Returns true if a walk can be timed beside another one, which takes a second processor.
fn has_company(probe: &mut Probe<'_>) -> bool {
    let lines = [probe.line(), probe.line()];
    let walk = |line| Stream {
        lines: std::slice::from_ref(line),
        outstanding: 1,
    };
    let both = [walk(&lines[0]), walk(&lines[1])];
    probe.governor.streams(&both, 64).is_finite()
}

/// The plain solution, or one with an odd interleave where the plain one does not explain the classes.
fn solve(probe: &mut Probe<'_>, classes: &mut Classes, rate: &Proportion) -> Solution {
    let ranges = probe.governor.ranges().to_vec();
    let regions = probe.governor.regions();
    let pairs = gather::pairs(classes);
    let plain = solve::plain(&ranges, &regions, &pairs, &mut probe.draws);
    let plain = offset::settle(probe, plain, &pairs, classes.threshold);
    if banks_fit(&plain.model, rate) && is_explained(&plain) {
        return plain;
    }
    let guess = solve::odd(&ranges, &regions, &gather::pairs(classes), &mut probe.draws);
    let Some(odd) = guess.and_then(|guess| guess.model.form.odd) else {
        return plain;
    };
    gather::collect(probe, classes, solve::features(&ranges, Some(odd)) + 2 * SPARE);
    solve::odd(&ranges, &regions, &gather::pairs(classes), &mut probe.draws).unwrap_or(plain)
}

/// Notes whether time passes and a load takes at least the deviation of its time; returns true if so.
pub(crate) fn timer_works(probe: &mut Probe<'_>, evidence: &mut Evidence) -> bool {
    let line = probe.line();
    let before = probe.governor.now();
    let times: Vec<f64> = (0..64).map(|_| probe.quick(line, line)).collect();
    let passed = probe.governor.now() - before;
    let usual = median(&times);
    let usable = times.iter().all(|time| time.is_finite()) && passed > 0.0;
    let ratio = if usable {
        // Of the middle two thirds: an interrupt is no fault of the timer.
        usual / ((quantile(&times, 0.84) - quantile(&times, 0.16)) / 2.0).max(1e-9)
    } else {
        f64::NAN
    };
    evidence.at_least(
        Stage::Timer,
        "time of a load over its deviation",
        ratio.min(1e6),
        64,
        1.0,
    )
}

/// Checks that the same pairs are slow again with their lines swapped, at once and later. Otherwise returns the
/// verdict.
fn repeats(probe: &mut Probe<'_>, classes: &Classes, evidence: &mut Evidence) -> Option<Verdict> {
    let pairs: Vec<_> = classes.pairs.iter().take(2 * REPEATED).copied().collect();
    for (what, wait, verdict) in [
        (
            "correlation of contrasts, lines swapped, at once",
            0.0,
            Verdict::NoSignal,
        ),
        (
            "correlation of contrasts, lines swapped, half a minute later",
            LATER_NS,
            Verdict::Unstable,
        ),
    ] {
        probe.governor.wait(wait);
        // A wait that was cut short is not "later".
        if probe.governor.is_stopped() {
            return Some(Verdict::SignalOnly);
        }
        let again: Vec<(f64, f64)> = pairs
            .iter()
            .map(|(a, b, first)| (*first, probe.contrast(*b, *a)))
            .collect();
        let slow = |limit: bool| -> Vec<f64> {
            let chosen = again.iter().filter(|(first, _)| (*first > classes.threshold) == limit);
            chosen.map(|(_, second)| *second).collect()
        };
        let n = again.len() as u64;
        let passed = evidence.at_least(Stage::Repeat, what, correlation(&again), n, 0.9)
            & evidence.at_least(
                Stage::Repeat,
                "area under the curve of the same pairs",
                auc(&slow(true), &slow(false)),
                n,
                0.98,
            );
        if !passed {
            return Some(verdict);
        }
    }
    None
}

/// Returns true if the number of banks agrees with the share of conflicts, as far as their count can tell. A function
/// too few or too many halves or doubles the number. Where there are many banks and few conflicts, this alone decides
/// nothing; the predictions do.
fn banks_fit(model: &Model, rate: &Proportion) -> bool {
    let (low, high) = (rate.low * model.banks(), rate.high * model.banks());
    low < f64::sqrt(2.0) && high > f64::sqrt(0.5)
}

fn is_explained(solution: &Solution) -> bool {
    solution.explained as f64 >= solve::LEAST_EXPLAINED * solution.pairs as f64
}

/// Notes whether the functions explain the classes, and whether they make as many banks as the conflicts imply; returns
/// true if both hold.
fn functions_are_enough(solution: &Solution, rate: &Proportion, evidence: &mut Evidence) -> bool {
    let stage = Stage::Functions;
    let explained = Proportion::new(solution.explained, solution.pairs);
    let kinds = solution.model.functions.len() + usize::from(solution.model.form.odd.is_some());
    let banks = solution.model.banks();
    evidence.at_least(
        stage,
        "pairs of a class that functions explain",
        explained.value(),
        explained.n,
        solve::LEAST_EXPLAINED,
    ) & evidence.at_least(stage, "functions", kinds as f64, solution.pairs, 1.0)
        & evidence.push(
            stage,
            "banks of the functions, over banks by the share of conflicts",
            banks * rate.value(),
            Some((banks * rate.low, banks * rate.high)),
            rate.n,
            "interval meets 0.71 to 1.41".to_owned(),
            banks_fit(&solution.model, rate),
        )
}

/// Checks predictions on fresh pages, at once and again later. If one fails, returns the verdict.
fn predicts(probe: &mut Probe<'_>, classes: &Classes, model: &Model, found: &mut Detection) -> Option<Verdict> {
    let lines = classes.screens.iter().flat_map(|screen| {
        let suspects = screen.suspects.iter().map(|suspect| suspect.line);
        suspects.chain([screen.base])
    });
    let used = verify::pages(lines);
    for (stage, share, verdict) in [
        (Stage::Prediction, 1.0, Verdict::SignalOnly),
        (Stage::Stability, 0.5, Verdict::Unstable),
    ] {
        probe.governor.begins(stage);
        if stage == Stage::Stability {
            probe.governor.wait(LATER_NS);
        }
        // Pairs that were not asked about, or too soon, have not come true.
        if probe.governor.is_stopped() {
            return Some(Verdict::SignalOnly);
        }
        let Some(pairs) = verify::choose(probe, model, &used, share) else {
            found.evidence.at_least(stage, "pairs to predict", 0.0, 0, 1.0);
            return Some(verdict);
        };
        let outcome = verify::measure(probe, &pairs, classes.threshold);
        let enough = outcome.note(stage, &mut found.evidence);
        found.predictions.push(outcome);
        if !enough {
            return Some(verdict);
        }
    }
    None
}
