// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long generators pause so that they and the chase move a wanted bandwidth.

use crate::Observer;
use crate::bench::Bench;
use crate::load::{Load, Point};
use fresco_input::InputError;

/// Instructions of the generator's loop besides the access and the pause.
const LOOP: f64 = 4.0;

impl Bench {
    /// The pause with which chase and generators together move about `gb_s` where a load takes `ns`.
    ///
    /// With `n` instructions from one access to the next a generator's access takes the time of these, and of a load what
    /// the window does not hide: it is full `window` instructions after the load. Where it holds several loads, they share that.
    pub fn pause_for(&self, gb_s: f64, reads: u32, ns: f64) -> u32 {
        let core = &self.machine.core;
        // A load moves a line, a store two: of `reads` accesses `100 - reads` are stores.
        let bytes_per_access = 100.0 / f64::from(reads) * f64::from(self.line());
        let loads = 2.0 - 100.0 / f64::from(reads);
        let chase = f64::from(self.line()) / ns.max(1.0);
        let wanted = (gb_s - chase).max(1e-3) / f64::from(self.machine.cores - 1);
        let time = bytes_per_access / wanted;
        let instruction = 1e3 / (f64::from(core.mhz) * f64::from(core.issue_width));
        let window = f64::from(core.window);
        let hidden = (ns - window * instruction).max(0.0);
        let takes = |n: f64| n * instruction + loads * hidden / (window / n).max(1.0);
        let instructions = last_of(0.0, 1e6, |n| takes(n) < time);
        (instructions - 1.0 - LOOP).round().clamp(0.0, 1e6) as u32
    }

    /// Loads that move about what is wanted: of each `(reads, gb_s, ns)` the traffic, and the latency that is expected there. What the
    /// generators themselves wait for is not known before: from a first run follows how long, from it and a second one how
    /// the time of an access grows with the pause. `None` if the observer has stopped it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn aim(
        &self,
        settings: &[String],
        wanted: &[(u32, f64, f64)],
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Load>>, InputError> {
        let run = |loads: &[Load]| {
            observer.planned(self.runs(loads.len()));
            self.run(settings, loads, observer)
        };
        let pause = |reads, gb_s, ns| Load::paused(reads, self.pause_for(gb_s, reads, ns));
        let guessed: Vec<Load> = wanted.iter().map(|&(reads, gb_s, ns)| pause(reads, gb_s, ns)).collect();
        let Some(first) = run(&guessed)? else {
            return Ok(None);
        };
        let corrected: Vec<Load> = std::iter::zip(wanted, &first)
            .map(|(&(reads, gb_s, _), point)| pause(reads, gb_s, self.waits_for(point)))
            .collect();
        let Some(second) = run(&corrected)? else {
            return Ok(None);
        };
        let between = std::iter::zip(wanted, std::iter::zip(first, second));
        let aimed =
            between.map(|(&(reads, gb_s, _), (one, other))| Load::paused(reads, between_two(gb_s, &one, &other)));
        Ok(Some(aimed.collect()))
    }

    /// How long a load takes with which [`pause_for`](Self::pause_for) finds the pause of a point for its traffic.
    fn waits_for(&self, point: &Point) -> f64 {
        last_of(point.ns / 4.0, 16.0 * point.ns, |ns| {
            self.pause_for(point.gb_s, point.reads, ns) > point.pause.unwrap_or(0)
        })
    }
}

/// The last number from `least` to `most` of which `holds` is true, where it is up to some number and no further.
fn last_of(mut least: f64, mut most: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..40 {
        let middle = f64::midpoint(least, most);
        match holds(middle) {
            true => least = middle,
            false => most = middle,
        }
    }
    least
}

/// The pause that moves `gb_s`, if the time for a line grows evenly with it as from one of two points to the other.
fn between_two(gb_s: f64, one: &Point, other: &Point) -> u32 {
    let pause = |point: &Point| f64::from(point.pause.unwrap_or(0));
    let time = |gb_s: f64| 1.0 / gb_s.max(1e-9);
    let grows = (time(other.gb_s) - time(one.gb_s)) / (pause(other) - pause(one));
    let nearer = match (one.gb_s - gb_s).abs() < (other.gb_s - gb_s).abs() {
        true => one,
        false => other,
    };
    // Two points at the same place, or in saturation, say nothing of what lies between.
    if !grows.is_finite() || grows <= 0.0 {
        return nearer.pause.unwrap_or(0);
    }
    let from = pause(nearer) + (time(gb_s) - time(nearer.gb_s)) / grows;
    from.round().clamp(0.0, 1e6) as u32
}
