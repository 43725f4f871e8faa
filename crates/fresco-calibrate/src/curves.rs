// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measured curves: the latency of dependent loads beside traffic of a share of reads, from idle to saturation.

use fresco_input::{InputError, closest};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One pause between the accesses of the generators.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Traffic of the DRAM, reads and writes, in 10^9 bytes per second.
    pub gb_s: f64,
    /// Latency of a dependent load, in nanoseconds.
    pub ns: f64,
}

/// The curve of one share of reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// Reads in a hundred lines of traffic.
    pub reads: u32,
    /// At least two, by bandwidth, then by latency.
    pub points: Vec<Measured>,
}

impl Curve {
    /// Latency at the least traffic, in nanoseconds.
    pub fn unloaded(&self) -> f64 {
        self.points[0].ns
    }

    /// Most traffic, in 10^9 bytes per second.
    pub fn highest(&self) -> f64 {
        self.points[self.points.len() - 1].gb_s
    }

    /// Latency at a traffic, on the straight line between the two points beside it; below the first point that of the
    /// first. `None` beyond the last.
    pub fn at(&self, gb_s: f64) -> Option<f64> {
        let above = self.points.iter().position(|point| point.gb_s >= gb_s)?;
        let right = self.points[above];
        let Some(left) = above.checked_sub(1).map(|left| self.points[left]) else {
            return Some(right.ns);
        };
        let part = (gb_s - left.gb_s) / (right.gb_s - left.gb_s);
        Some(left.ns + part * (right.ns - left.ns))
    }
}

/// All curves of one system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curves {
    /// Name of the system in the file.
    pub system: String,
    /// Fingerprint of the file.
    pub digest: String,
    /// By share of reads, highest first.
    pub curves: Vec<Curve>,
    /// Shares below 50 %, which need stores that do not fetch their line: the generators of the model make none.
    pub left_out: Vec<u32>,
}

/// The columns of a file.
const COLUMNS: [&str; 4] = ["system", "read_percent", "bandwidth_gb_s", "latency_ns"];

/// Shares that a generator can make whose stores fetch the line that they write.
const LEAST_READS: u32 = 50;

impl Curves {
    /// Reads the curves of `system`: a CSV file with a line of titles and the columns `system`, `read_percent`,
    /// `bandwidth_gb_s` and `latency_ns`, a line for each pause. `file` is the name that errors give.
    ///
    /// # Errors
    /// Another line of titles, a value that is no number or out of range, no such system, a share with a single point.
    pub fn parse(file: &str, text: &str, system: &str) -> Result<Self, InputError> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let fault = |error: csv::Error| {
            let line = error.position().map_or(1, |at| at.line() as u32);
            let found = format!("found no row of {} columns", COLUMNS.len());
            InputError::new(file, found)
                .at_line(line)
                .allowed(COLUMNS.join(","))
                .help("correct the row")
        };
        if reader.headers().map_err(fault)?.iter().ne(COLUMNS) {
            let error = InputError::new(file, "found other titles of columns").at_line(1);
            return Err(error
                .allowed(COLUMNS.join(","))
                .help("write these titles in the first line"));
        }
        let mut shares: BTreeMap<u32, Vec<Measured>> = BTreeMap::new();
        let mut systems = BTreeSet::new();
        for record in reader.records() {
            let record = record.map_err(fault)?;
            let line = record.position().map_or(1, |at| at.line() as u32);
            let number = |column: usize, most: f64| {
                let text = record.get(column).unwrap_or_default();
                let value = text.parse::<f64>().ok().filter(|value| (0.0..=most).contains(value));
                value.ok_or_else(|| {
                    InputError::new(file, format!("found {text:?}"))
                        .at_line(line)
                        .in_field(COLUMNS[column])
                        .allowed(format!("a number from 0 to {most}"))
                        .help("correct it")
                })
            };
            systems.insert(record.get(0).unwrap_or_default().to_owned());
            let (reads, gb_s, ns) = (number(1, 100.0)?, number(2, 1e6)?, number(3, 1e6)?);
            if record.get(0) == Some(system) {
                shares
                    .entry(reads.round() as u32)
                    .or_default()
                    .push(Measured { gb_s, ns });
            }
        }
        if shares.is_empty() {
            let help = match closest(system, systems.iter().map(String::as_str)) {
                Some(near) => format!("did you mean --system {near}?"),
                None => "name one of these with --system".to_owned(),
            };
            let known: Vec<&str> = systems.iter().map(String::as_str).collect();
            let error = InputError::new(file, format!("found no curve of {system:?}"));
            return Err(error.allowed(known.join(", ")).help(help));
        }
        let left_out = shares.keys().copied().filter(|reads| *reads < LEAST_READS).collect();
        let mut curves = Vec::new();
        for (reads, points) in shares.into_iter().rev().filter(|(reads, _)| *reads >= LEAST_READS) {
            curves.push(curve(file, system, reads, points)?);
        }
        if curves.is_empty() {
            let error = InputError::new(
                file,
                format!("found only shares of reads below {LEAST_READS} % of {system}"),
            );
            return Err(error
                .allowed("50 to 100")
                .help("the generators of the model fetch every line that they write"));
        }
        Ok(Self {
            system: system.to_owned(),
            digest: fresco_machine::digest(text, &[]),
            curves,
            left_out,
        })
    }
}

/// How much higher than at more traffic a latency may be by noise.
const NOISE: f64 = 1.1;

/// A curve of points in order. Where more pressure brings less traffic, curves bend back: of two branches the lower one is
/// kept, so that no traffic has two latencies.
fn curve(file: &str, system: &str, reads: u32, mut points: Vec<Measured>) -> Result<Curve, InputError> {
    points.sort_by(|a, b| a.gb_s.total_cmp(&b.gb_s).then(a.ns.total_cmp(&b.ns)));
    points.dedup_by(|later, first| later.gb_s <= first.gb_s);
    let mut least = f64::INFINITY;
    points.reverse();
    points.retain(|point| {
        let is_kept = point.ns <= NOISE * least;
        least = least.min(point.ns);
        is_kept
    });
    points.reverse();
    if points.len() < 2 {
        let error = InputError::new(file, format!("found a single point of {system} at {reads} % reads"));
        return Err(error
            .allowed("two or more, from idle to saturation")
            .help("measure more pauses"));
    }
    Ok(Curve { reads, points })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "system,read_percent,bandwidth_gb_s,latency_ns\n\
        # two shares, one of which no generator of ours makes\n\
        a,100,10,100\na,100,30,140\na,100,20,110\na,40,10,100\na,40,20,100\nb,100,1,1\n";

    #[test]
    fn latency_lies_on_straight_lines_between_points() {
        let curves = Curves::parse("a.csv", TEXT, "a").expect("is valid");
        assert_eq!((curves.curves.len(), curves.left_out.as_slice()), (1, [40].as_slice()));
        let curve = &curves.curves[0];
        assert_eq!((curve.reads, curve.unloaded(), curve.highest()), (100, 100.0, 30.0));
        // Below the first point nothing is known to be faster; beyond the last there is nothing.
        let at = [0.0, 10.0, 15.0, 25.0, 30.0, 30.1].map(|gb_s| curve.at(gb_s));
        assert_eq!(
            at,
            [Some(100.0), Some(100.0), Some(105.0), Some(125.0), Some(140.0), None]
        );
    }

    #[test]
    fn of_a_curve_that_bends_back_the_lower_branch_is_kept() {
        let text =
            "system,read_percent,bandwidth_gb_s,latency_ns\na,100,10,100\na,100,30,140\na,100,28,300\na,100,20,110\n";
        let curves = Curves::parse("a.csv", text, "a").expect("is valid");
        assert_eq!(curves.curves[0].points.len(), 3);
        assert_eq!(curves.curves[0].at(25.0), Some(125.0));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let error = |text: &str, system: &str| Curves::parse("a.csv", text, system).expect_err("is wrong");
        let unknown = error(TEXT, "c");
        assert!(unknown.found.contains("no curve of \"c\""), "{unknown}");
        let single = error(TEXT, "b");
        assert!(single.found.contains("a single point"), "{single}");
        let number = error(&TEXT.replace("a,100,30,140", "a,100,thirty,140"), "a");
        assert_eq!(
            (number.line, number.field.as_str()),
            (Some(4), "bandwidth_gb_s"),
            "{number}"
        );
        let nan = error(&TEXT.replace("a,100,30,140", "a,100,NaN,140"), "a");
        assert_eq!(nan.line, Some(4), "{nan}");
        let short = error(&TEXT.replace("a,100,30,140", "a,100"), "a");
        assert_eq!(short.line, Some(4), "{short}");
        let titles = error("system,reads\n", "a");
        assert_eq!(titles.line, Some(1), "{titles}");
    }
}
