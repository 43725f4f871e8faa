// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prices of European options by the formula of Black and Scholes, as a stand-in for blackscholes (BEN-8): six arrays
//! are read in order and one is written, much arithmetic for each option, nothing shared.

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, settings, team};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Instructions of [`price`]: a square root, a logarithm and three exponentials of about 40 each, two polynomials, the
/// rest.
const ARITHMETIC: u32 = 250;
/// Options that [`TeamKernel::verify`] looks at, about.
const CHECKED: usize = 4096;

/// Entry in the table of programs.
pub(crate) static BLACKSCHOLES: ProgramKind = ProgramKind {
    name: BlackScholes::NAME,
    doc: "team: prices of European options (BEN-8)",
    parameters: &[
        &[Parameter {
            name: "options",
            kind: Kind::Count {
                min: 1,
                max: 1 << 26,
                default: 1 << 19,
            },
            doc: "options, 49 bytes each",
        }],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, setting, threads| {
        let kernel = BlackScholes::new(values.number("options") as usize, threads as usize, setting.seed);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// An option on a stock without dividends.
#[derive(Clone, Copy, Debug)]
struct Contract {
    spot: f64,
    strike: f64,
    /// Interest per year, continuous.
    rate: f64,
    /// Volatility per year.
    volatility: f64,
    /// Years.
    time: f64,
    put: bool,
}

/// The formula, with the distribution function `normal`.
fn price(contract: &Contract, normal: fn(f64) -> f64) -> f64 {
    let Contract {
        spot,
        strike,
        rate,
        volatility,
        time,
        put,
    } = *contract;
    let deviation = volatility * time.sqrt();
    let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * time) / deviation;
    let d2 = d1 - deviation;
    let discounted = strike * (-rate * time).exp();
    if put {
        discounted * normal(-d2) - spot * normal(-d1)
    } else {
        spot * normal(d1) - discounted * normal(d2)
    }
}

/// The normal distribution function to 7.5 · 10⁻⁸ (Abramowitz and Stegun 26.2.17).
fn normal(x: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let terms = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let polynomial = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * k);
    let tail = density(x) * polynomial;
    if x < 0.0 { tail } else { 1.0 - tail }
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

/// The same by its series: Φ(x) = 1/2 + φ(x) · (x + x³/3 + x⁵/(3·5) + …).
fn normal_series(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x < 0.0 { 0.0 } else { 1.0 };
    }
    let (mut sum, mut term, mut odd) = (0.0, x, 1.0);
    while sum + term != sum {
        sum += term;
        odd += 2.0;
        term *= x * x / odd;
    }
    0.5 + density(x) * sum
}

/// The running program.
struct BlackScholes {
    threads: usize,
    /// Spot, strike, rate, volatility, time.
    numbers: [Traced<f64>; 5],
    put: Traced<bool>,
    /// NaN until it has been worked out.
    prices: Traced<f64>,
    within_pass: bool,
}

impl BlackScholes {
    fn new(options: usize, threads: usize, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut layout = Layout::new();
        let ranges = [20.0..120.0, 20.0..120.0, 0.01..0.1, 0.1..0.6, 0.1..2.0];
        let numbers =
            ranges.map(|range| layout.array((0..options).map(|_| random.random_range(range.clone())).collect()));
        Self {
            threads,
            numbers,
            put: layout.array((0..options).map(|_| random.random()).collect()),
            prices: layout.array(vec![f64::NAN; options]),
            within_pass: false,
        }
    }

    fn contract(&self, option: usize) -> Contract {
        let [spot, strike, rate, volatility, time] = self.numbers.each_ref().map(|array| array.data[option]);
        Contract {
            spot,
            strike,
            rate,
            volatility,
            time,
            put: self.put.data[option],
        }
    }
}

impl TeamKernel for BlackScholes {
    const NAME: &'static str = "blackscholes";

    fn areas(&self) -> Vec<Area> {
        let names = ["spot", "strike", "rate", "volatility", "time"];
        let numbers = self.numbers.iter().zip(names).map(|(array, name)| array.area(name));
        numbers
            .chain([self.put.area("put"), self.prices.area("prices")])
            .collect()
    }

    fn fills(&self) -> Vec<Fill> {
        let bounds = bounds(self.prices.data.len(), self.threads);
        let numbers = self.numbers.iter().map(|array| array.fill(&bounds, 1));
        numbers
            .chain([self.put.fill(&bounds, 1), self.prices.fill(&bounds, 1)])
            .collect()
    }

    fn advance(&mut self) -> Option<Section> {
        self.within_pass = !self.within_pass;
        self.within_pass.then_some(Section::Parallel(self.prices.data.len()))
    }

    fn step(&mut self, _: usize, option: usize, recorder: &mut Recorder<'_>) -> bool {
        for array in &self.numbers {
            array.get(option, Source::NONE, recorder);
        }
        let (_, last) = self.put.get(option, Source::NONE, recorder);
        recorder.work(ARITHMETIC);
        let price = price(&self.contract(option), normal);
        self.prices.set(option, price, last, recorder);
        recorder.work(LOOP);
        true
    }

    /// Prices by the series, within the error of the polynomial; about 4096 of them, evenly spread.
    fn verify(&self) -> Result<(), String> {
        let options = self.prices.data.len();
        let wrong = |&option: &usize| {
            let contract = self.contract(option);
            let found = self.prices.data[option];
            let allowed = 1e-7 * (contract.spot + contract.strike);
            !found.is_nan() && (found - price(&contract, normal_series)).abs() > allowed
        };
        match (0..options).step_by(options.div_ceil(CHECKED)).find(wrong) {
            Some(option) => Err(format!("option {option} is not worth {}", self.prices.data[option])),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::testing::run_kernel;

    #[test]
    fn prices_of_the_textbook() {
        // Hull, Options, Futures, and Other Derivatives, chapter on the model: 42, 40, 10 %, 20 %, half a year.
        let call = Contract {
            spot: 42.0,
            strike: 40.0,
            rate: 0.1,
            volatility: 0.2,
            time: 0.5,
            put: false,
        };
        let put = Contract { put: true, ..call };
        for distribution in [normal, normal_series] {
            assert!((price(&call, distribution) - 4.76).abs() < 0.005);
            assert!((price(&put, distribution) - 0.81).abs() < 0.005);
        }
        // Call and put of the same terms differ by spot less discounted strike.
        let parity = price(&call, normal) - price(&put, normal) - (42.0 - 40.0 * (-0.05f64).exp());
        assert!(parity.abs() < 1e-5);
    }

    #[test]
    fn distribution_at_known_points() {
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746),
            (-1.96, 0.024_997_895),
            (3.0, 0.998_650_102),
        ] {
            assert!((normal(x) - expected).abs() < 1e-7 && (normal_series(x) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn every_option_is_priced_and_a_wrong_price_is_found() {
        let mut kernel = run_kernel(BlackScholes::new(1000, 3, 1), 3, 1);
        assert!(kernel.prices.data.iter().all(|price| *price > -1e-5 && *price < 120.0));
        kernel.prices.data[17] += 0.01;
        assert!(kernel.verify().unwrap_err().starts_with("option 17 is not worth"));
    }
}
