// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memories that must not be given a map, or none but their own.

use super::{Disturbance, Disturbed, Formula, Labels};
use crate::random::Draws;
use crate::verdict::Verdict;
use crate::wide::Basis;
use crate::{Detection, Method, Options, detect};

/// A kind of adversary. Everything else about it is drawn from a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Adversary {
    /// Noise, and no row conflict.
    Noise,
    /// Latencies that swing, and no row conflict.
    Drift,
    /// Lines of two latencies, whatever their partner, and no row conflict.
    LineBimodality,
    /// An XOR map behind 4 KiB frames that lie anywhere.
    SmallFrames,
    /// An XOR map behind 2 MiB frames that lie anywhere.
    HugeFrames,
    /// Three ways of pages, behind 2 MiB frames that lie anywhere.
    OddHugeFrames,
    /// An XOR map, and a share of the frames is not where it is said to be.
    WrongLabels,
    /// An XOR map whose frames move while it is looked for.
    Moving,
    /// Pages go round 23 or 25 banks.
    OddPeriod,
    /// Banks of lines are a hash that is no XOR of bits.
    Hash,
    /// An XOR map with noise, drift, slow lines, interrupts, caches: may be found, but not wrongly.
    Disturbed,
}

impl Adversary {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Noise,
        Self::Drift,
        Self::LineBimodality,
        Self::SmallFrames,
        Self::HugeFrames,
        Self::OddHugeFrames,
        Self::WrongLabels,
        Self::Moving,
        Self::OddPeriod,
        Self::Hash,
        Self::Disturbed,
    ];

    /// Returns true if this verdict is right; `true_map` says whether the map, if the verdict has one, is true.
    pub fn allows(self, verdict: Verdict, true_map: bool) -> bool {
        match self {
            // Without conflicts nothing may be seen at all.
            Self::Noise | Self::Drift | Self::LineBimodality => verdict == Verdict::NoSignal,
            _ => !verdict.has_map() || true_map,
        }
    }

    /// What the solver makes of this adversary, and whether the map that it gives is the true one.
    pub fn detection(self, seed: u64) -> (Detection, bool) {
        let (mut timer, truth) = self.timer(seed);
        let options = Options {
            seed,
            method: Method::Solver,
            all: false,
            seconds: f64::INFINITY,
        };
        let found = detect(&mut timer, options);
        let masks = found.solution.as_ref().and_then(|solution| solution.model.masks());
        let is_true = masks.is_some_and(|masks| truth.is(&masks));
        (found, is_true)
    }

    /// The timer of a seed, and the bank of each label when the detection is over.
    pub fn timer(self, seed: u64) -> (Disturbed<Formula>, Truth) {
        let draws = &mut Draws::new(seed ^ (self as u64) << 32);
        let bytes = 1u64 << (30 + draws.below(4));
        let functions = functions(draws, bytes);
        let (memory, bank): (Formula, Bank) = match self {
            Self::OddHugeFrames => (Formula::modulo_three(bytes), Bank::None),
            Self::OddPeriod => {
                let period = [23, 25][draws.below(2) as usize];
                let place = move |address: u64| ((address >> 12) % period, address >> 18);
                (Formula::from_zero(bytes, place), Bank::None)
            }
            Self::Hash => {
                let banks = 8 << draws.below(4);
                let place = move |address: u64| {
                    (
                        (address >> 13).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & (banks - 1),
                        address >> 13,
                    )
                };
                (Formula::from_zero(bytes, place), Bank::None)
            }
            Self::Noise | Self::Drift | Self::LineBimodality => {
                (Formula::xor(bytes, &functions).without_conflicts(), Bank::None)
            }
            _ => (Formula::xor(bytes, &functions), Bank::Xor(functions)),
        };
        let disturbance = self.disturbance(draws);
        let timer = Disturbed::new(memory, disturbance, seed);
        (
            timer,
            Truth {
                bank,
                true_bits: match disturbance.labels {
                    _ if disturbance.moves_after > 0.0 => 12,
                    Labels::True => 64,
                    Labels::Shuffled { block_bits } | Labels::Wrong { block_bits, .. } => block_bits,
                },
            },
        )
    }

    fn disturbance(self, draws: &mut Draws) -> Disturbance {
        let mut between = |low: f64, high: f64| low * (high / low).powf(draws.unit());
        let usual = Disturbance {
            noise: between(0.5, 6.0),
            interrupts: 0.002,
            interrupt: 3_000.0,
            step: 10.0,
            ..Disturbance::default()
        };
        match self {
            Self::Noise => Disturbance {
                noise: between(0.5, 60.0),
                interrupts: between(0.001, 0.3),
                ..usual
            },
            Self::Drift => Disturbance {
                drift: between(0.02, 0.6),
                drift_period: between(0.001, 100.0),
                ..usual
            },
            Self::LineBimodality => Disturbance {
                line_spread: between(5.0, 400.0),
                ..usual
            },
            Self::SmallFrames => Disturbance {
                labels: Labels::Shuffled { block_bits: 12 },
                ..usual
            },
            Self::HugeFrames | Self::OddHugeFrames => Disturbance {
                labels: Labels::Shuffled { block_bits: 21 },
                ..usual
            },
            Self::WrongLabels => Disturbance {
                labels: Labels::Wrong {
                    share: between(0.04, 0.9),
                    block_bits: if between(1.0, 2.0) > 1.4 { 12 } else { 21 },
                },
                ..usual
            },
            Self::Moving => Disturbance {
                moves_after: between(0.5, 25.0),
                ..usual
            },
            Self::OddPeriod | Self::Hash => usual,
            Self::Disturbed => Disturbance {
                noise: between(1.0, 30.0),
                interrupts: between(0.001, 0.2),
                drift: between(0.01, 0.2),
                drift_period: between(0.1, 100.0),
                line_spread: between(1.0, 60.0),
                prefetch: between(0.001, 0.2),
                ..usual
            },
        }
    }
}

/// Which lines truly share a bank.
pub struct Truth {
    bank: Bank,
    /// Address bits below this one are true of every label.
    true_bits: u32,
}

enum Bank {
    None,
    Xor(Vec<u64>),
}

impl Truth {
    /// Returns true if these functions tell the same banks apart as the memory does. Always false where the memory has
    /// no banks, or its functions read address bits that are not true of every label.
    pub fn is(&self, functions: &[u64]) -> bool {
        let wide = |functions: &[u64]| Basis::of(functions.iter().map(|f| u128::from(*f)));
        match &self.bank {
            Bank::Xor(own) if own.iter().all(|function| function.ilog2() < self.true_bits) => {
                let (found, own) = (wide(functions), wide(own));
                found.rank() == own.rank() && found.rows().iter().all(|row| own.reduce(*row) == 0)
            }
            _ => false,
        }
    }
}

/// Three to six independent functions of one to five bits above a line, below the top of the memory.
fn functions(draws: &mut Draws, bytes: u64) -> Vec<u64> {
    let wanted = 3 + draws.below(4) as usize;
    let top = u64::from(bytes.ilog2());
    let mut basis = Basis::default();
    let mut functions = Vec::new();
    while functions.len() < wanted {
        let bits = 1 + draws.below(5);
        let function = (0..bits).fold(0, |mask, _| mask | 1u64 << (6 + draws.below(top - 6)));
        if basis.insert(u128::from(function)) {
            functions.push(function);
        }
    }
    functions
}
