// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the axes do to what was measured: for figures, and to rank the axes.

use crate::design;
use crate::rows::Block;
use crate::sweep::Column;
use crate::{Point, Sweep};
use fresco_report::dataset::Value;
use fresco_tidy::Tables;
use serde::Serialize;
use std::collections::BTreeMap;

/// The metrics that are looked at, in the order in which a report shows them.
pub const SHOWN: [&str; 6] = [
    "slowdown",
    "read_latency_mean",
    "run_time",
    "response_max",
    "deadline_misses",
    "bandwidth",
];
/// Most responses: of so many there is room in memory for a million points.
const MOST: usize = 24;
/// Equal parts into which the points are put by an axis of more different numbers than these.
pub const BINS: usize = 12;
/// Points that such a part has at least.
const OF_BIN: usize = 4;

/// Something measured of a task, at each point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Response {
    /// Place of the metric among those shown.
    #[serde(skip)]
    order: usize,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Name of the task.
    pub task: String,
    /// The value of each axis of the scenario's own sweep.
    pub within: Vec<String>,
}

impl Response {
    /// In words: `slowdown of victim (corunners 3)`.
    pub fn words(&self) -> String {
        match self.within.is_empty() {
            true => format!("{} of {}", self.metric.replace('_', " "), self.task),
            false => format!(
                "{} of {} ({})",
                self.metric.replace('_', " "),
                self.task,
                self.within.join(", ")
            ),
        }
    }
}

/// The responses of a sweep: of each point the mean of its repetitions.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// By response: numbers of points, ascending, and values.
    responses: BTreeMap<Response, Vec<(u32, f64)>>,
    inner: Vec<String>,
}

/// Where a response is smallest and largest: number of the point, and the value there.
#[derive(Clone, Copy, Debug)]
pub struct Extremes<'e> {
    /// What was measured.
    pub response: &'e Response,
    /// Where it is smallest.
    pub least: (u32, f64),
    /// Where it is largest.
    pub most: (u32, f64),
}

/// What an axis does to a response.
#[derive(Clone, Debug, Serialize)]
pub struct Effect {
    /// The response.
    pub response: Response,
    /// The axis.
    pub axis: String,
    /// Share of the variance between points that the axis accounts for by itself: variance of the means of its values over that of
    /// all points, from 0 to 1. Of an estimate what chance accounts for is taken off.
    pub share: f64,
    /// `None` if the share is exact, of these points. Else it is an estimate, from so many samples if the axis is sampled, or points if it is not.
    pub estimated_from: Option<usize>,
    /// Of each value or bin of the axis.
    pub values: Vec<AtValue>,
}

/// A response at a value of an axis, or in a bin of its numbers, whatever the other axes are.
#[derive(Clone, Debug, Serialize)]
pub struct AtValue {
    /// The value; of a bin its mean.
    pub value: String,
    /// Points.
    pub points: usize,
    /// Smallest, quartiles and largest.
    pub quartiles: [f64; 5],
    /// Mean.
    pub mean: f64,
}

impl Effects {
    /// None yet, of this sweep.
    pub fn of(sweep: &Sweep) -> Self {
        Self {
            inner: sweep.inner.iter().map(|axis| axis.name.clone()).collect(),
            ..Self::default()
        }
    }

    /// Takes in the observations of a point; points come in ascending order.
    pub(crate) fn observe(&mut self, point: &Point, blocks: &[Block]) {
        let mut sums: BTreeMap<Response, (f64, u32)> = BTreeMap::new();
        for block in blocks {
            let inner = block.shared.iter().skip(Tables::BEFORE_AXES).take(self.inner.len());
            let within: Vec<String> = std::iter::zip(&self.inner, inner)
                .map(|(name, value)| format!("{name} {}", words(value)))
                .collect();
            for row in block.values.chunks(6) {
                let [
                    Value::Text(task),
                    kind,
                    _,
                    Value::Text(metric),
                    Value::Text(unit),
                    Value::Number(value),
                ] = row
                else {
                    continue;
                };
                let Some(order) = SHOWN.iter().position(|shown| **shown == **metric) else {
                    continue;
                };
                if *kind != Value::from("task") {
                    continue;
                }
                let response = Response {
                    order,
                    metric: metric.to_string(),
                    unit: unit.to_string(),
                    task: task.to_string(),
                    within: within.clone(),
                };
                let sum = sums.entry(response).or_default();
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
        for (response, (sum, count)) in sums {
            if self.responses.len() >= MOST && !self.responses.contains_key(&response) {
                // The ones that come last in the order have to go.
                match self
                    .responses
                    .last_key_value()
                    .is_some_and(|(last, _)| *last > response)
                {
                    true => _ = self.responses.pop_last(),
                    false => continue,
                }
            }
            let values = self.responses.entry(response).or_default();
            values.push((point.number, sum / f64::from(count)));
        }
    }

    /// The effect of each axis on each response that is not the same at all points, in the order of responses and axes.
    pub fn all(&self, sweep: &Sweep) -> Vec<Effect> {
        let mut effects = Vec::new();
        let places: Vec<Places> = sweep
            .columns
            .iter()
            .map(|column| places(&sweep.written(column)))
            .collect();
        for (response, values) in &self.responses {
            let first = values.first().map_or(0.0, |(_, value)| *value);
            if values.iter().all(|(_, value)| *value == first) {
                continue;
            }
            for (number, column) in sweep.columns.iter().enumerate() {
                let at: Vec<(String, f64)> = values
                    .iter()
                    .filter_map(|(point, value)| Some((sweep.point(*point).values[number].clone()?, *value)))
                    .collect();
                // Seeds are samples of all that chance can do.
                let is_exact = column.key != "seed" && design::is_balanced(sweep, number, values);
                let mut found = effect(response, column, &places[number], &at, is_exact);
                if let Some(Effect {
                    estimated_from: Some(from),
                    ..
                }) = &mut found
                {
                    *from = design::draws(sweep, number, values).unwrap_or(*from);
                }
                effects.extend(found);
            }
        }
        effects
    }

    /// Of each response that was measured, the points at which it is smallest and largest, with their values.
    pub fn extremes(&self) -> Vec<Extremes<'_>> {
        let of = |(response, values)| {
            let values: &Vec<(u32, f64)> = values;
            let least = values.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
            // Of equal ones the first.
            let most = values
                .iter()
                .copied()
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
            Some(Extremes { response, least, most })
        };
        self.responses.iter().filter_map(of).collect()
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Integer(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Place of each value of an axis of names: that in the file.
type Places = BTreeMap<String, u64>;

/// Values by value of an axis, or by bins of its numbers; `None` if it has but one, or so many that nothing is known of the rest.
fn effect(
    response: &Response,
    column: &Column,
    places: &Places,
    at: &[(String, f64)],
    is_exact: bool,
) -> Option<Effect> {
    let is_number = column.kind.is_number() && column.key != "seed";
    let mut groups: BTreeMap<(u64, String), Vec<f64>> = BTreeMap::new();
    let number = |text: &String| text.parse::<f64>().unwrap_or(0.0);
    for (text, value) in at {
        // Numbers ascend, whatever their order in the file: they stand on an axis.
        let order = match column.kind.is_number() {
            true => ordered(number(text)),
            false => places.get(text).copied().unwrap_or(u64::MAX),
        };
        groups.entry((order, text.clone())).or_default().push(*value);
    }
    let most = match is_exact {
        true => BINS,
        false => BINS.min(at.len() / OF_BIN),
    };
    let is_binned = is_number && groups.len() > most;
    let groups: Vec<(String, Vec<f64>)> = match is_binned {
        false => groups.into_iter().map(|((_, text), values)| (text, values)).collect(),
        true => {
            let mut sorted: Vec<(f64, f64)> = at.iter().map(|(text, value)| (number(text), *value)).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let bin = |bin: usize| {
                let part = &sorted[bin * sorted.len() / most..(bin + 1) * sorted.len() / most];
                let mean = part.iter().map(|(x, _)| x).sum::<f64>() / part.len() as f64;
                (format!("{mean:.4}"), part.iter().map(|(_, value)| *value).collect())
            };
            (0..most).map(bin).collect()
        }
    };
    let is_estimate = !is_exact || is_binned;
    if groups.len() < 2 || is_estimate && groups.len() == at.len() {
        return None;
    }
    let all = at.len() as f64;
    let mean = at.iter().map(|(_, value)| value).sum::<f64>() / all;
    let total: f64 = at.iter().map(|(_, value)| (value - mean).powi(2)).sum();
    let between = |values: &Vec<f64>| {
        let own = values.iter().sum::<f64>() / values.len() as f64;
        values.len() as f64 * (own - mean).powi(2)
    };
    let eta: f64 = groups.iter().map(|(_, values)| between(values)).sum::<f64>() / total;
    // Kelley's epsilon squared.
    let share = match is_estimate {
        true => 1.0 - (1.0 - eta) * (all - 1.0) / (all - groups.len() as f64),
        false => eta,
    };
    let values = groups.into_iter().filter_map(|(value, values)| {
        let stats = fresco_report::plot::BoxStats::of_samples("", &values)?;
        Some(AtValue {
            value,
            points: values.len(),
            quartiles: [stats.min, stats.q1, stats.median, stats.q3, stats.max],
            mean: stats.mean?,
        })
    });
    Some(Effect {
        response: response.clone(),
        axis: column.key.clone(),
        share: share.clamp(0.0, 1.0),
        estimated_from: is_estimate.then_some(at.len()),
        values: values.collect(),
    })
}

/// Where each value stands first.
fn places(written: &[String]) -> Places {
    let mut places = Places::new();
    for (place, value) in written.iter().enumerate() {
        places.entry(value.clone()).or_insert(place as u64);
    }
    places
}

/// Bits that are in the order of the numbers.
fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}

#[cfg(test)]
mod tests;
