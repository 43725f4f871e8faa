// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that disturb a simulated memory as a real machine would.

use fresco_detect::synthetic::{Disturbance, Labels};
use fresco_input::InputError;

/// Disturbances of the simulated memory.
#[derive(Debug, clap::Args)]
pub struct DisturbanceArgs {
    /// Deviation of the time of a load, in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = 3.0, allow_negative_numbers = true)]
    noise: f64,

    /// Steps of the timer, in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = 10.0, allow_negative_numbers = true)]
    tick: f64,

    /// Share of runs that an interrupt of 3 us falls into
    #[arg(long, value_name = "SHARE", default_value_t = 0.002, allow_negative_numbers = true)]
    interrupts: f64,

    /// Share by which all latencies swing, with a period of seven seconds
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    drift: f64,

    /// Share of runs that find one of their lines in a cache
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    prefetch: f64,

    /// Half of all lines are slower by this much, whatever their bank, in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = 0.0, allow_negative_numbers = true)]
    line_spread: f64,

    /// How far addresses are true: `true`, `shuffled-4K` or `shuffled-2M` (frames lie anywhere), or the share of 4 KiB
    /// frames that are not where they are said to be
    #[arg(long, value_name = "LABELS", default_value = "true")]
    labels: String,
}

impl DisturbanceArgs {
    /// The disturbances, checked.
    pub fn read(&self) -> Result<Disturbance, InputError> {
        Ok(Disturbance {
            noise: within("--noise", self.noise, 1e6)?,
            interrupts: within("--interrupts", self.interrupts, 1.0)?,
            interrupt: 3_000.0,
            step: within("--tick", self.tick, 1e6)?,
            drift: within("--drift", self.drift, 0.9)?,
            drift_period: 7.0,
            line_spread: within("--line-spread", self.line_spread, 1e6)?,
            prefetch: within("--prefetch", self.prefetch, 1.0)?,
            labels: self.labels()?,
            moves_after: 0.0,
        })
    }

    fn labels(&self) -> Result<Labels, InputError> {
        match self.labels.as_str() {
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
