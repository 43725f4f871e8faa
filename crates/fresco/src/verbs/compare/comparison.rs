// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came of a comparison: verdicts on all that both sides have.

use super::samples::{Measured, Samples};
use super::sides::Side;
use super::welch::{self, Difference};
use fresco_sweep::SHOWN;
use serde::Serialize;

/// What came of a comparison.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The first side.
    pub before: Side,
    /// What is compared with it.
    pub after: Side,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// How many rows have which verdict.
    pub counts: Counts,
    /// What both have.
    pub rows: Vec<Row>,
    /// What the first alone has.
    pub only_before: Vec<Measured>,
    /// What the second alone has.
    pub only_after: Vec<Measured>,
}

/// How many rows have which verdict.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// No value differs: both have the same values, as often each, or one and the same, however often.
    pub same: usize,
    /// Means differ by more than the spread explains.
    pub changed: usize,
    /// Means differ, and the spread may explain it.
    pub within_spread: usize,
    /// Means differ, and one side has a single value, so that there is no spread.
    pub unknown_spread: usize,
    /// The first alone has it.
    pub only_before: usize,
    /// The second alone has it.
    pub only_after: usize,
}

/// What is said of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No value differs.
    Same,
    /// More than the spread.
    Changed,
    /// Not more.
    WithinSpread,
    /// There is no spread.
    UnknownSpread,
}

/// Something that both have measured.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What.
    #[serde(flatten)]
    pub of: Measured,
    /// Mean of the first, and number of its values.
    pub before: f64,
    /// Number of values.
    pub before_values: usize,
    /// Mean of the second.
    pub after: f64,
    /// Number of values.
    pub after_values: usize,
    /// Difference of the means over the first; `None` if that is 0.
    pub relative: Option<f64>,
    /// The difference with its interval; `None` without spread.
    pub difference: Option<Difference>,
    /// What is said of it.
    pub verdict: Verdict,
}

fn mean(values: &[f64]) -> f64 {
    match values.iter().all(|value| *value == values[0]) {
        true => values[0],
        false => values.iter().sum::<f64>() / values.len() as f64,
    }
}

impl Comparison {
    /// Compares what two sides have measured.
    pub fn of([before, after]: [Side; 2], [first, second]: &[Samples; 2], confidence: f64) -> Self {
        let (mut counts, rows) = judged(first, second, confidence);
        let (only_before, only_after) = (missing(first, second), missing(second, first));
        (counts.only_before, counts.only_after) = (only_before.len(), only_after.len());
        Self {
            before,
            after,
            confidence,
            counts,
            rows,
            only_before,
            only_after,
        }
    }

    /// What is shown: what has changed for certain, or with `all` whatever has; the metrics that are looked at first come first, and of each the
    /// largest relative change.
    pub fn shown(&self, all: bool) -> Vec<&Row> {
        let is_shown = |row: &&Row| row.verdict == Verdict::Changed || (all && row.verdict != Verdict::Same);
        let mut rows: Vec<&Row> = self.rows.iter().filter(is_shown).collect();
        let size = |row: &Row| row.relative.map_or(f64::INFINITY, f64::abs);
        rows.sort_by(|a, b| {
            let places = place(&a.of.metric).cmp(&place(&b.of.metric));
            places.then(size(b).total_cmp(&size(a)))
        });
        rows
    }
}

/// Place of a metric among those that a report of a sweep shows; behind all of them for others.
fn place(metric: &str) -> usize {
    SHOWN.iter().position(|shown| *shown == metric).unwrap_or(SHOWN.len())
}

/// What one side has and the other has not.
fn missing(here: &Samples, there: &Samples) -> Vec<Measured> {
    here.keys().filter(|of| !there.contains_key(of)).cloned().collect()
}

/// What both sides have, and verdicts on it.
fn judged(before: &Samples, after: &Samples, confidence: f64) -> (Counts, Vec<Row>) {
    let mut counts = Counts::default();
    let both = before.iter().filter_map(|(of, a)| Some((of, a, after.get(of)?)));
    let mut rows: Vec<Row> = both
        .map(|(of, a, b)| {
            let (before, after) = (mean(a), mean(b));
            let difference = welch::difference(a, b, confidence);
            let sorted = |values: &[f64]| {
                let mut values = values.to_vec();
                values.sort_by(f64::total_cmp);
                values
            };
            // One value that never varies is the same in however many runs.
            let is_constant = a.iter().chain(b).all(|value| *value == a[0]);
            let verdict = match (is_constant || sorted(a) == sorted(b), before == after, &difference) {
                (true, ..) => Verdict::Same,
                (_, false, None) => Verdict::UnknownSpread,
                _ => Verdict::WithinSpread,
            };
            Row {
                of: of.clone(),
                before,
                before_values: a.len(),
                after,
                after_values: b.len(),
                relative: (before != 0.0).then(|| (after - before) / before.abs()),
                difference,
                verdict,
            }
        })
        .collect();
    // All that were compared, also what is the same: which ones differ is known by the values alone.
    let (tested, p): (Vec<usize>, Vec<f64>) = (0..rows.len())
        .filter_map(|row| match rows[row].verdict {
            Verdict::Same => Some((row, 1.0)),
            _ => Some((row, rows[row].difference?.p)),
        })
        .unzip();
    for (row, is_found) in tested.into_iter().zip(welch::discoveries(&p, 1.0 - confidence)) {
        if is_found {
            rows[row].verdict = Verdict::Changed;
        }
    }
    for row in &rows {
        match row.verdict {
            Verdict::Same => counts.same += 1,
            Verdict::Changed => counts.changed += 1,
            Verdict::WithinSpread => counts.within_spread += 1,
            Verdict::UnknownSpread => counts.unknown_spread += 1,
        }
    }
    (counts, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(all: &[(&str, &[f64])]) -> Samples {
        let of = |metric: &str| Measured {
            scenario: "s".to_owned(),
            axes: Vec::new(),
            metric: metric.to_owned(),
            unit: "ns".to_owned(),
            subject_kind: "task".to_owned(),
            subject: "t".to_owned(),
            task: Some("t".to_owned()),
        };
        all.iter()
            .map(|(metric, values)| (of(metric), values.to_vec()))
            .collect()
    }

    #[test]
    fn verdicts_by_hand() {
        let before = samples(&[
            ("same", &[1.0, 2.0]),
            ("noise", &[10.0, 12.0, 11.0]),
            ("slower", &[10.0, 10.1, 9.9]),
            ("exact", &[5.0, 5.0]),
            ("single", &[1.0]),
            ("constant", &[3.0, 3.0]),
            ("twice", &[1.0, 2.0]),
            ("gone", &[1.0]),
        ]);
        let after = samples(&[
            ("same", &[2.0, 1.0]),
            ("noise", &[11.0, 13.0, 10.5]),
            ("slower", &[20.0, 20.1, 19.9]),
            ("exact", &[6.0, 6.0]),
            ("single", &[2.0]),
            ("constant", &[3.0, 3.0, 3.0]),
            ("twice", &[1.0, 2.0, 1.0, 2.0]),
            ("new", &[1.0]),
        ]);
        let found = Comparison::of([Side::default(), Side::default()], &[before, after], 0.95);
        let verdict = |metric: &str| {
            found
                .rows
                .iter()
                .find(|row| row.of.metric == metric)
                .map(|row| row.verdict)
        };
        assert_eq!(verdict("same"), Some(Verdict::Same));
        assert_eq!(verdict("constant"), Some(Verdict::Same));
        assert_eq!(verdict("twice"), Some(Verdict::WithinSpread));
        assert_eq!(verdict("noise"), Some(Verdict::WithinSpread));
        assert_eq!(verdict("slower"), Some(Verdict::Changed));
        assert_eq!(verdict("exact"), Some(Verdict::Changed));
        assert_eq!(verdict("single"), Some(Verdict::UnknownSpread));
        assert_eq!((found.counts.only_before, found.counts.only_after), (1, 1));
        assert_eq!(
            (&*found.only_before[0].metric, &*found.only_after[0].metric),
            ("gone", "new")
        );
        let shown: Vec<&str> = found.shown(false).iter().map(|row| row.of.metric.as_str()).collect();
        assert_eq!(shown, ["slower", "exact"]);
        assert_eq!(found.shown(true).len(), 5);
    }
}
