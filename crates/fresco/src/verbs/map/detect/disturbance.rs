// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that disturb a simulated memory as a real machine would.

use fresco_detect::synthetic::{Disturbance, Labels};
use fresco_input::InputError;

/// Disturbances of the simulated memory.
#[derive(Debug, clap::Args)]
pub struct DisturbanceArgs {
    /// Deviation of the time of a load, in nanoseconds [default: 3]
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    noise: Option<f64>,

    /// Steps of the timer, in nanoseconds [default: 10]
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    tick: Option<f64>,

    /// Share of runs that an interrupt of 3 us falls into [default: 0.002]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    interrupts: Option<f64>,

    /// Share by which all latencies swing, with a period of seven seconds [default: 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    drift: Option<f64>,

    /// Share of runs that find one of their lines in a cache [default: 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    prefetch: Option<f64>,

    /// Half of all lines are slower by this much, whatever their bank, in nanoseconds [default: 0]
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    line_spread: Option<f64>,

    /// How far addresses are true: `true`, `shuffled-4K` or `shuffled-2M` (frames lie anywhere), or the share of 4 KiB
    /// frames that are not where they are said to be [default: true]
    #[arg(long, value_name = "LABELS")]
    labels: Option<String>,
}

impl DisturbanceArgs {
    /// Has any been given?
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

    /// The disturbances, checked.
    pub fn read(&self) -> Result<Disturbance, InputError> {
        Ok(Disturbance {
            noise: within("--noise", self.noise.unwrap_or(3.0), 1e6)?,
            interrupts: within("--interrupts", self.interrupts.unwrap_or(0.002), 1.0)?,
            interrupt: 3_000.0,
            step: within("--tick", self.tick.unwrap_or(10.0), 1e6)?,
            drift: within("--drift", self.drift.unwrap_or(0.0), 0.9)?,
            drift_period: 7.0,
            line_spread: within("--line-spread", self.line_spread.unwrap_or(0.0), 1e6)?,
            prefetch: within("--prefetch", self.prefetch.unwrap_or(0.0), 1.0)?,
            labels: self.labels()?,
            moves_after: 0.0,
        })
    }

    fn labels(&self) -> Result<Labels, InputError> {
        match self.labels.as_deref().unwrap_or("true") {
            "true" => Ok(Labels::True),
            "shuffled-4K" => Ok(Labels::Shuffled { block_bits: 12 }),
            "shuffled-2M" => Ok(Labels::Shuffled { block_bits: 21 }),
            other => match other.parse::<f64>() {
                Ok(share) if (0.0..=1.0).contains(&share) => Ok(Labels::Wrong { share, block_bits: 12 }),
                _ => Err(InputError::new("--labels", format!("found {other:?}"))
                    .allowed("true, shuffled-4K, shuffled-2M, or a share from 0 to 1")
                    .cure("choose one of these")),
            },
        }
    }
}

/// A number from 0 to `most`.
fn within(option: &'static str, value: f64, most: f64) -> Result<f64, InputError> {
    match (0.0..=most).contains(&value) {
        true => Ok(value),
        false => Err(InputError::new(option, format!("found {value}"))
            .allowed(format!("a number from 0 to {most}"))
            .cure("choose one in this range")),
    }
}
