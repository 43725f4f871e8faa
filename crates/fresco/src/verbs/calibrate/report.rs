// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a calibration found, as JSON shows it, and the machine file that has it.

use fresco_calibrate::{Bench, Comparison, Curve, Curves, Errors, Fitted, Limits, Turn};
use fresco_input::{InputError, quoted, read_file};
use serde::Serialize;
use std::fmt::Write;

/// A machine beside measured curves.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Name of the machine.
    pub machine: String,
    pub curves: CurvesUsed,
    /// Values that were fitted, and how.
    pub fitted: Fitted,
    /// Values that the machine had before, by key of `fitted`; `None` where it had none.
    pub before: Vec<Option<String>>,
    /// It was stopped before all was done.
    pub stopped: bool,
    /// What counts as close, in percent.
    pub limits: Limits,
    /// The model beside the measured curve of each share of reads; empty where it was stopped.
    pub shares: Vec<Share>,
    /// Each share of reads as the model has it that was fitted to the others; empty unless that is asked for.
    pub turns: Vec<Turn>,
}

/// What was fitted, and what came of it.
pub struct Found {
    pub stopped: bool,
    pub fitted: Fitted,
    /// Empty where it was stopped.
    pub compared: Vec<Comparison>,
    /// Empty where it was stopped, or not asked for.
    pub turns: Vec<Turn>,
}

/// The measured curves.
#[derive(Debug, Serialize)]
pub struct CurvesUsed {
    /// File.
    pub file: String,
    /// System in it.
    pub system: String,
    /// Fingerprint of the file.
    pub digest: String,
    /// Shares of reads below 50 %, which the model's generators do not make.
    pub left_out: Vec<u32>,
}

/// One share of reads.
#[derive(Debug, Serialize)]
pub struct Share {
    /// Reads in a hundred lines of traffic.
    pub reads: u32,
    /// Its curve was used for fitting.
    pub fitted: bool,
    /// Every error is within its limit.
    pub is_close: bool,
    /// The DRAM served the share of reads that was asked for.
    pub is_dirty_enough: bool,
    /// Measured and model.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl Report {
    /// Of a machine and what came of comparing it; `used` are the curves that were fitted to.
    pub fn new(bench: &Bench, file: &str, curves: &Curves, used: &[&Curve], found: Found) -> Self {
        let limits = Limits::default();
        let fitted = found.fitted;
        let shares = found.compared.into_iter().map(|comparison| Share {
            reads: comparison.measured.reads,
            fitted: used.iter().any(|curve| curve.reads == comparison.measured.reads),
            is_close: comparison.errors.are_within(&limits),
            is_dirty_enough: comparison.is_dirty_enough(),
            comparison,
        });
        Self {
            stopped: found.stopped,
            machine: bench.machine.name.clone(),
            limits,
            shares: shares.collect(),
            turns: found.turns,
            before: fitted.settings.iter().map(|one| bench.value_of(one.key)).collect(),
            fitted,
            curves: CurvesUsed {
                file: file.to_owned(),
                system: curves.system.clone(),
                digest: curves.digest.clone(),
                left_out: curves.left_out.clone(),
            },
        }
    }

    /// Text of the machine's file with a section `[calibration]` in place of any that it has.
    ///
    /// # Errors
    /// The file cannot be read any more, or its section is not the last.
    pub fn machine_file(&self, given: &str) -> Result<String, InputError> {
        let text = match crate::scenarios::is_path(given) {
            true => read_file(given)?,
            false => fresco_machine::builtin_text(given)?.to_owned(),
        };
        let own = match text.find("\n[calibration]") {
            Some(begin) => {
                let later = text[begin + 1..].lines().find(|line| {
                    let line = line.trim_start();
                    line.starts_with('[') && !line.starts_with("[calibration")
                });
                if let Some(later) = later {
                    let error = InputError::new(given, format!("found {} behind [calibration]", later.trim()));
                    return Err(error
                        .in_field("calibration")
                        .allowed("[calibration] as the last section")
                        .help("move it to the end of the file"));
                }
                &text[..begin]
            }
            None => &text,
        };
        Ok(format!("{}\n\n{}", own.trim_end(), self.section()))
    }

    /// The section `[calibration]`.
    fn section(&self) -> String {
        let held: Vec<String> = self
            .shares
            .iter()
            .filter(|share| !share.fitted)
            .map(|share| share.reads.to_string())
            .collect();
        let mut text = format!(
            "[calibration]\ndata = {}\ndigest = {}\nheld_out = [{}]\nresiduals = [\n",
            quoted(&format!("{} of {}", self.curves.system, self.curves.file)),
            quoted(&self.curves.digest),
            held.join(", ")
        );
        let of_shares = self.shares.iter().map(|share| (share.reads, "", &share.comparison));
        let of_turns = self
            .turns
            .iter()
            .map(|turn| (turn.reads, ", held out", &turn.comparison));
        for (reads, how, comparison) in of_shares.chain(of_turns) {
            let line = residual(&format!("{reads} % reads{how}"), &comparison.errors);
            let _ = writeln!(text, "    {},", quoted(&line));
        }
        text.push_str("]\n\n[calibration.fitted]\n");
        for setting in &self.fitted.settings {
            let _ = writeln!(text, "{} = {}", setting.key, setting.value);
        }
        text
    }
}

/// Errors in a line.
fn residual(of: &str, errors: &Errors) -> String {
    let loaded = |error: Option<f64>| error.map_or_else(|| "not reached".into(), |error| format!("{error:+.1} %"));
    format!(
        "{of}: unloaded {:+.1} %, highest {:+.1} %, latency at half of it {}, at 80 % {}",
        errors.unloaded,
        errors.highest,
        loaded(errors.at_half),
        loaded(errors.at_80)
    )
}
