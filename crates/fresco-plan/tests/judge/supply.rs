// SPDX-License-Identifier: MIT OR Apache-2.0
//! The least time that a core gives to a color within any interval of a length: to recompute what certificates say.

use super::bit;
use super::conduct::Conduct;
use super::gate::Gate;
use super::plan::{Ns, Plan, Schedule};
use serde_json::Value;

pub enum Supply {
    /// A refresh each `retention / commands` takes so much.
    Refreshed { retention: Ns, commands: u64, stall: Ns },
    /// Spans in a turn, and its length.
    Spans(Vec<(Ns, Ns)>, Ns),
}

impl Supply {
    /// Of the core and color that a proof names; `None` where nothing is to be found in reasonable time.
    pub fn of(plan: &Plan, proof: &Value) -> Option<Self> {
        let core = proof["core"].as_u64().filter(|&core| core < plan.cores)? as usize;
        let gcd = |mut a: Ns, mut b: Ns| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let length = match &plan.schedule {
            Schedule::Priorities => {
                return Some(Self::Refreshed {
                    retention: plan.memory.retention_ns,
                    commands: plan.memory.commands,
                    stall: super::gate::stall(plan, core),
                });
            }
            Schedule::Locked { locks } => locks.period_ns,
            Schedule::Servers { locks, cores } => {
                let periods = cores[core].servers.iter().map(|server| server.period_ns);
                periods.fold(locks.period_ns, |turn, period| turn / gcd(turn, period) * period)
            }
            Schedule::Slots { period_ns, .. } => *period_ns,
            _ => return None,
        };
        let color = proof["color"].as_u64().unwrap_or(0) as usize;
        let mut gate = Gate::of(plan, &Conduct::PLANNED, core)?;
        let mut spans: Vec<(Ns, Ns)> = Vec::new();
        loop {
            let grant = gate.step();
            if grant.start >= length || spans.len() > 1 << 16 {
                break;
            }
            if grant.colors & bit(color) != 0 && grant.start < grant.end {
                match spans.last_mut() {
                    Some(last) if last.1 == grant.start => last.1 = grant.end,
                    _ => spans.push((grant.start, grant.end)),
                }
            }
        }
        Some(Self::Spans(spans, length))
    }

    /// What an interval of length `t` has at least.
    pub fn least(&self, t: Ns) -> Ns {
        match self {
            Self::Refreshed {
                retention,
                commands,
                stall,
            } => {
                let (r, c) = (u128::from(*retention), u128::from(*commands));
                let whole = u128::from(t) * c / r;
                let begun = (u128::from(t) * c % r).div_ceil(c).min(u128::from(*stall));
                (u128::from(t) - (whole * u128::from(*stall) + begun).min(u128::from(t))) as Ns
            }
            Self::Spans(spans, length) => {
                // The worst interval begins where a span ends.
                let until = |at: Ns| {
                    let turns = at / length;
                    let all: Ns = spans.iter().map(|span| span.1 - span.0).sum();
                    let within = at % length;
                    turns * all
                        + spans
                            .iter()
                            .map(|span| span.1.min(within).saturating_sub(span.0))
                            .sum::<Ns>()
                };
                let begins = spans.iter().map(|span| span.1);
                begins.map(|begin| until(begin + t) - until(begin)).min().unwrap_or(0)
            }
        }
    }

    /// Of each ns so much is given in the long run.
    pub fn rate(&self) -> f64 {
        match self {
            Self::Refreshed {
                retention,
                commands,
                stall,
            } => 1.0 - (*commands * *stall) as f64 / *retention as f64,
            Self::Spans(spans, length) => spans.iter().map(|span| span.1 - span.0).sum::<Ns>() as f64 / *length as f64,
        }
    }

    /// By how much what is given stays behind that, at most.
    pub fn lag(&self) -> f64 {
        let rate = self.rate();
        match self {
            // The checker counts a stall at the full rate, and one for rounding: a horizon above that is what it asks for.
            Self::Refreshed { stall, .. } => *stall as f64 + 1.0,
            Self::Spans(spans, _) => {
                // What lags behind at an instant repeats: the most at a span's start, less the least at one's end.
                let mut given = 0;
                let (mut most, mut least) = (0.0f64, f64::INFINITY);
                for span in spans {
                    most = most.max(rate * span.0 as f64 - given as f64);
                    given += span.1 - span.0;
                    least = least.min(rate * span.1 as f64 - given as f64);
                }
                // The first start of the next turn.
                most = most.max(spans.first().map_or(0.0, |span| rate * span.0 as f64));
                most - least
            }
        }
    }
}
