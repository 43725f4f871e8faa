// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adaptive filter (BEN-9, by the function of Mälardalen's `lms`): predicts each sample of a noisy sine from those
//! before it and moves the coefficients against the error, in steps over the power of the signal. What can be predicted
//! is the sine, so the output is the signal with less noise.

mod signal;

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};

/// Step of the adaptation, per unit of signal power.
const STEP: f64 = 0.01;
/// Weight of the newest sample in the running power of the signal.
const FORGET: f64 = 0.1;
/// The running power before the first sample.
const POWER: f64 = 2.0;

/// Entry in the table of programs.
pub(crate) static LMS: ProgramKind = ProgramKind {
    name: Lms::NAME,
    doc: "LMS adaptive filter that takes noise from a sine (BEN-9)",
    parameters: &[
        &[
            Parameter {
                name: "samples",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 24,
                    default: 1 << 13,
                },
                doc: "samples of the signal and of the output, 8 bytes each",
            },
            Parameter {
                name: "taps",
                kind: Kind::Count {
                    min: 1,
                    max: 4096,
                    default: 21,
                },
                doc: "coefficients of the filter, and samples that it keeps, 8 bytes each",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        let config = LmsConfig {
            samples: values.number("samples"),
            taps: values.number("taps"),
            seed: setting.seed,
        };
        Ok(Box::new(Looped::new(Lms::new(&config), passes(values))))
    }),
};

/// Parameters of [`Lms`].
#[derive(Clone, Debug)]
pub(crate) struct LmsConfig {
    /// Length of the signal, from 1.
    pub samples: u64,
    /// Coefficients, from 1.
    pub taps: u64,
    /// Seed of the noise.
    pub seed: u64,
}

/// The loops of a pass: the first once, the others for each sample, each over the taps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Forget the coefficients and the samples of the pass before.
    Clear,
    /// Move the kept samples up by one; the sample before this one comes in.
    Shift,
    /// Coefficients times samples.
    Filter,
    /// Move the coefficients.
    Adapt,
}

/// The running program. A pass filters the signal once, from coefficients of zero.
pub(crate) struct Lms {
    signal: Traced<f64>,
    output: Traced<f64>,
    coefficients: Traced<f64>,
    kept: Traced<f64>,
    phase: Phase,
    /// The sample and the iteration of the running loop.
    sample: usize,
    i: usize,
    /// The output as far as it is summed up, the running power, the correction, and where it comes from; registers.
    sum: f64,
    power: f64,
    correction: f64,
    source: Source,
    passes: u64,
    /// What the output must be, from a plain computation.
    expected: Vec<f64>,
}

impl Lms {
    /// Sets up the signal.
    pub fn new(config: &LmsConfig) -> Self {
        let (samples, taps) = (config.samples as usize, config.taps as usize);
        let signal = signal::noisy_sine(samples, config.seed);
        let expected = expected(&signal, taps);
        let mut layout = Layout::new();
        Self {
            signal: layout.array(signal),
            output: layout.array(vec![0.0; samples]),
            coefficients: layout.array(vec![0.0; taps]),
            kept: layout.array(vec![0.0; taps]),
            phase: Phase::Clear,
            sample: 0,
            i: 0,
            sum: 0.0,
            power: POWER,
            correction: 0.0,
            source: Source::NONE,
            passes: 0,
            expected,
        }
    }

    fn shift(&mut self, recorder: &mut Recorder<'_>) {
        let place = self.kept.data.len() - 1 - self.i;
        let (value, source) = match (place, self.sample) {
            (0, 0) => (0.0, Source::NONE),
            (0, sample) => self.signal.get(sample - 1, Source::NONE, recorder),
            _ => self.kept.get(place - 1, Source::NONE, recorder),
        };
        self.kept.set(place, value, source, recorder);
    }

    /// The output is summed up: store it, and work out the correction.
    fn respond(&mut self, recorder: &mut Recorder<'_>) {
        self.output.set(self.sample, self.sum, self.source, recorder);
        let (wanted, _) = self.signal.get(self.sample, Source::NONE, recorder);
        let (newest, source) = self.kept.get(0, Source::NONE, recorder);
        self.power = FORGET * (newest * newest) + (1.0 - FORGET) * self.power;
        self.correction = STEP * (wanted - self.sum) / self.power;
        self.source = source;
        recorder.work(7); // four for the power, subtract, multiply, divide
    }

    fn adapt(&mut self, recorder: &mut Recorder<'_>) {
        let (value, _) = self.kept.get(self.i, Source::NONE, recorder);
        let (coefficient, source) = self.coefficients.get(self.i, Source::NONE, recorder);
        let moved = coefficient + self.correction * value;
        recorder.work(2); // multiply, add
        self.coefficients.set(self.i, moved, source.and(self.source), recorder);
    }
}

/// The output by its definition: no kept samples, the window is a piece of the signal. Every sum is in the same order,
/// hence equal to the last bit.
fn expected(signal: &[f64], taps: usize) -> Vec<f64> {
    let (mut coefficients, mut power) = (vec![0.0; taps], POWER);
    let respond = |(n, &wanted): (usize, &f64)| {
        let before = |lag: usize| n.checked_sub(lag + 1).map_or(0.0, |place| signal[place]);
        let output = (0..taps).fold(0.0, |sum, lag| sum + coefficients[lag] * before(lag));
        power = FORGET * (before(0) * before(0)) + (1.0 - FORGET) * power;
        let correction = STEP * (wanted - output) / power;
        for (lag, coefficient) in coefficients.iter_mut().enumerate() {
            *coefficient += correction * before(lag);
        }
        output
    };
    signal.iter().enumerate().map(respond).collect()
}

impl Kernel for Lms {
    const NAME: &'static str = "lms";

    fn areas(&self) -> Vec<Area> {
        vec![
            self.signal.area("signal"),
            self.output.area("output"),
            self.coefficients.area("coefficients"),
            self.kept.area("kept"),
        ]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        match self.phase {
            Phase::Clear => {
                self.coefficients.set(self.i, 0.0, Source::NONE, recorder);
                self.kept.set(self.i, 0.0, Source::NONE, recorder);
            }
            Phase::Shift => self.shift(recorder),
            Phase::Filter => {
                let (coefficient, _) = self.coefficients.get(self.i, Source::NONE, recorder);
                let (value, source) = self.kept.get(self.i, Source::NONE, recorder);
                (self.sum, self.source) = (self.sum + coefficient * value, source);
                recorder.work(2); // multiply, add
            }
            Phase::Adapt => self.adapt(recorder),
        }
        recorder.work(LOOP);
        self.i += 1;
        if self.i < self.kept.data.len() {
            return false;
        }
        self.i = 0;
        self.phase = match self.phase {
            Phase::Clear => Phase::Shift,
            Phase::Shift => Phase::Filter,
            Phase::Filter => {
                self.respond(recorder);
                Phase::Adapt
            }
            Phase::Adapt => {
                recorder.work(LOOP);
                (self.sample, self.sum) = (self.sample + 1, 0.0);
                Phase::Shift
            }
        };
        if self.sample < self.signal.data.len() {
            return false;
        }
        (self.phase, self.sample, self.power) = (Phase::Clear, 0, POWER);
        self.passes += 1;
        true
    }

    /// The output so far, to the last bit.
    fn verify(&self) -> Result<(), String> {
        let stored = match self.passes {
            0 => self.sample + usize::from(self.phase == Phase::Adapt),
            _ => self.expected.len(),
        };
        match (0..stored).find(|&n| self.output.data[n].to_bits() != self.expected[n].to_bits()) {
            Some(n) => Err(format!(
                "output {n} is {}, not {}",
                self.output.data[n], self.expected[n]
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
