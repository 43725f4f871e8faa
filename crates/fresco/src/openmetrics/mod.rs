// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a verb sees of live processes as OpenMetrics text, for Prometheus and its node exporter. All metrics are gauges, so that readers of the
//! older text format take them too.

mod place;

pub use place::{Place, Target, target};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

/// A metric: what is measured, and its unit, which ends its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    stem: &'static str,
    unit: Option<&'static str>,
    help: &'static str,
}

impl Metric {
    const fn new(stem: &'static str, unit: Option<&'static str>, help: &'static str) -> Self {
        Self { stem, unit, help }
    }

    /// The name as it is scraped.
    #[cfg(test)]
    pub fn name(&self) -> String {
        self.unit
            .map_or(self.stem.to_owned(), |unit| format!("{}_{unit}", self.stem))
    }
}

/// Pages in memory of a process, covered by its back end.
pub const COVERED: Metric = Metric::new(
    "fresco_process_covered",
    Some("pages"),
    "Pages in memory that the back end of the process covers",
);
/// Share of them in the colors asked for.
pub const INSIDE: Metric = Metric::new(
    "fresco_process_inside",
    Some("ratio"),
    "Share of the covered pages that have the colors asked for",
);
/// A process with what it asked for.
pub const COLORING: Metric = Metric::new(
    "fresco_process_coloring",
    None,
    "1 for each process that was started with colors: its map, colors, back end and state",
);
/// Processes that may not be looked at.
pub const HIDDEN: Metric = Metric::new("fresco_hidden_processes", None, "Processes that may not be looked at");
/// Pages by where they are.
pub const VERIFIED: Metric = Metric::new(
    "fresco_verified",
    Some("pages"),
    "Pages judged, by where they are: inside the colors asked for, outside, off the map, swapped",
);
/// Share inside.
pub const VERIFIED_INSIDE: Metric = Metric::new(
    "fresco_verified_inside",
    Some("ratio"),
    "Share of the pages judged that have the colors asked for",
);
/// By color.
pub const VERIFIED_COLOR: Metric = Metric::new("fresco_verified_color", Some("pages"), "Pages judged, by color");
/// The verdict.
pub const HOLDS: Metric = Metric::new(
    "fresco_verified_holds",
    None,
    "1 if colors, limits, processors and schedule are as requested, 0 if not",
);
/// Bandwidth.
pub const BANDWIDTH: Metric = Metric::new(
    "fresco_verified_bandwidth",
    Some("bytes_per_second"),
    "Limit of bandwidth, requested and applied",
);
/// Processes of a task.
pub const RUNNING: Metric = Metric::new(
    "fresco_task_running",
    Some("processes"),
    "Live processes of a task of the plan",
);

/// All metrics.
#[cfg(test)]
pub const ALL: [Metric; 10] = [
    COVERED,
    INSIDE,
    COLORING,
    HIDDEN,
    VERIFIED,
    VERIFIED_INSIDE,
    VERIFIED_COLOR,
    HOLDS,
    BANDWIDTH,
    RUNNING,
];

/// Labels of a sample; names of `None` are left out.
pub type Labels = Vec<(&'static str, String)>;

/// The samples of one look, in order.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<(Metric, Vec<(Labels, f64)>)>);

impl Samples {
    /// Adds a sample; those of one metric are kept together.
    pub fn add(&mut self, metric: Metric, labels: Labels, value: f64) {
        match self.0.iter_mut().find(|(known, _)| *known == metric) {
            Some((_, samples)) => samples.push((labels, value)),
            None => self.0.push((metric, vec![(labels, value)])),
        }
    }

    /// OpenMetrics text, with its end.
    pub fn text(&self) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.clone()));
        let mut text = String::new();
        encode(&mut text, &registry).expect("writing to a String cannot fail");
        text
    }
}

impl Collector for Samples {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        for (metric, samples) in &self.0 {
            let unit = metric.unit.map(|unit| Unit::Other(unit.to_owned()));
            let mut described =
                encoder.encode_descriptor(metric.stem, metric.help, unit.as_ref(), MetricType::Gauge)?;
            for (labels, value) in samples {
                ConstGauge::new(*value).encode(described.encode_family(labels)?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn text_as_the_standard_has_it() {
        let mut samples = Samples::default();
        let of = |program: &str| vec![("pid", "7".to_owned()), ("program", program.to_owned())];
        samples.add(VERIFIED_INSIDE, of("a\"b\\c\nd"), 0.25);
        samples.add(HIDDEN, Vec::new(), 3.0);
        samples.add(VERIFIED_INSIDE, of("e"), 1.0);
        let expected = "\
# HELP fresco_verified_inside_ratio Share of the pages judged that have the colors asked for
# TYPE fresco_verified_inside_ratio gauge
# UNIT fresco_verified_inside_ratio ratio
fresco_verified_inside_ratio{pid=\"7\",program=\"a\\\"b\\\\c\\nd\"} 0.25
fresco_verified_inside_ratio{pid=\"7\",program=\"e\"} 1.0
# HELP fresco_hidden_processes Processes that may not be looked at
# TYPE fresco_hidden_processes gauge
fresco_hidden_processes 3.0
# EOF
";
        assert_eq!(samples.text(), expected);
        assert_eq!(Samples::default().text(), "# EOF\n");
    }

    /// Names of metrics in a text.
    fn named(text: &str) -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words
            .filter(|word| word.starts_with("fresco_"))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn page_and_dashboard_name_the_metrics_that_there_are() {
        let all: BTreeSet<String> = ALL.iter().map(Metric::name).collect();
        let page = include_str!("../../../../docs/run.md");
        let (_, table) = page.split_once("| metric |").expect("the page has the table");
        assert_eq!(named(table.split("\n\n").next().expect("a table ends")), all);
        let dashboard = include_str!("../../../../packaging/grafana/fresco.json");
        let dashboard: serde_json::Value = serde_json::from_str(dashboard).expect("JSON");
        let mut used = BTreeSet::new();
        queries(&dashboard, &mut used);
        assert_eq!(used.difference(&all).collect::<Vec<_>>(), Vec::<&String>::new());
        assert!(used.len() >= 8, "{used:?}");
    }

    /// Metrics in all queries: of panels, and of variables.
    fn queries(value: &serde_json::Value, into: &mut BTreeSet<String>) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    if let ("expr" | "query" | "definition", Some(text)) = (key.as_str(), value.as_str()) {
                        into.extend(named(text));
                    }
                    queries(value, into);
                }
            }
            serde_json::Value::Array(all) => all.iter().for_each(|value| queries(value, into)),
            _ => {}
        }
    }
}
