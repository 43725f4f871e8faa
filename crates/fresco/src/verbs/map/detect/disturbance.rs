// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that disturb a simulated memory as a real machine would.

use crate::arguments::number;
use fresco_detect::synthetic::{Disturbance, Labels};
use fresco_input::InputError;

/// Disturbances of the simulated memory.
#[derive(Debug, clap::Args)]
pub struct DisturbanceArgs {
    /// Deviation of the time of a load, in nanoseconds [default: 3]
    #[arg(long, value_name = "NS", allow_negative_numbers = true, value_parser = number("--noise", 0.0..=1e6, "2.5"))]
    noise: Option<f64>,

    /// Steps of the timer, in nanoseconds [default: 10]
    #[arg(long, value_name = "NS", allow_negative_numbers = true, value_parser = number("--tick", 0.0..=1e6, "2.5"))]
    tick: Option<f64>,

    /// Share of runs that an interrupt of 3 us falls into [default: 0.002]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = number("--interrupts", 0.0..=1.0, "0.01"))]
    interrupts: Option<f64>,

    /// Share by which all latencies swing, with a period of seven seconds [default: 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = number("--drift", 0.0..=0.9, "0.1"))]
    drift: Option<f64>,

    /// Share of runs that find one of their lines in a cache [default: 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = number("--prefetch", 0.0..=1.0, "0.01"))]
    prefetch: Option<f64>,

    /// Half of all lines are slower by this much, whatever their bank, in nanoseconds [default: 0]
    #[arg(long, value_name = "NS", allow_negative_numbers = true, value_parser = number("--line-spread", 0.0..=1e6, "2.5"))]
    line_spread: Option<f64>,

    /// How far addresses are true: `true`, `shuffled-4K` or `shuffled-2M` (frames lie anywhere), or the share of 4 KiB
    /// frames that are not where they are said to be [default: true]
    #[arg(long, value_name = "LABELS", allow_negative_numbers = true, value_parser = labels)]
    labels: Option<Labels>,
}

impl DisturbanceArgs {
    /// Returns true if any disturbance has been given.
    pub fn is_given(&self) -> bool {
        let numbers = [
            self.noise,
            self.tick,
            self.interrupts,
            self.drift,
            self.prefetch,
            self.line_spread,
        ];
        self.labels.is_some() || numbers.iter().any(Option::is_some)
    }

    /// The disturbances.
    pub fn read(&self) -> Disturbance {
        let quiet = Disturbance::of_a_quiet_machine();
        Disturbance {
            noise: self.noise.unwrap_or(quiet.noise),
            interrupts: self.interrupts.unwrap_or(quiet.interrupts),
            interrupt: quiet.interrupt,
            step: self.tick.unwrap_or(quiet.step),
            drift: self.drift.unwrap_or(0.0),
            drift_period: 7.0,
            line_spread: self.line_spread.unwrap_or(0.0),
            prefetch: self.prefetch.unwrap_or(0.0),
            labels: self.labels.unwrap_or(Labels::True),
            moves_after: 0.0,
        }
    }
}

fn labels(word: &str) -> Result<Labels, InputError> {
    match word {
        "true" => Ok(Labels::True),
        "shuffled-4K" => Ok(Labels::Shuffled { block_bits: 12 }),
        "shuffled-2M" => Ok(Labels::Shuffled { block_bits: 21 }),
        other => match other.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => Ok(Labels::Wrong { share, block_bits: 12 }),
            _ => Err(InputError::new("--labels", format!("found {other:?}"))
                .allowed("true, shuffled-4K, shuffled-2M, or a share from 0 to 1")
                .help("choose one of these")),
        },
    }
}
