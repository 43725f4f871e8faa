// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many lines may be under way before the controllers, as far as measured curves leave that open.

use crate::Curve;
use crate::knobs::Setting;
use fresco_machine::Machine;

pub(crate) const NODE_IN_FLIGHT: &str = "fabric.node.in_flight";
pub(crate) const CLUSTER_IN_FLIGHT: &str = "fabric.cluster.in_flight";

/// Numbers that are tried from the least to the most, each by the same factor above the one before.
const STEPS: u32 = 7;

/// Lines of the whole machine that are under way at the measured maxima, by Little's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnderWay {
    /// With fewer a maximum is out of reach: none of its reads takes less than one of an open row alone, written lines perhaps hardly any time.
    least: f64,
    /// With more nothing waits: at no maximum are there so many, those included that wait.
    most: f64,
}

impl UnderWay {
    /// Bounds from curves of a machine; `None` without curves. Of the chase's latency a stream's read saves the activation of its row, and
    /// no limit counts what private caches take before the lookup in the last level.
    pub fn of_machine(curves: &[&Curve], machine: &Machine) -> Option<Self> {
        let private = machine.l2.as_ref().or(machine.l1.as_ref());
        let (timing, organisation) = (&machine.memory.timing, &machine.memory.organisation);
        let saved = private.map_or(0, |cache| cache.latency) + timing.clock.to_ps(timing.rp + timing.rcd);
        Self::of(curves, timing.bytes_of_line(organisation) as f64, saved as f64 / 1000.0)
    }

    /// Bounds from curves whose DRAM moves lines of so many bytes. `saved` nanoseconds of the latency without traffic a read of an open
    /// row does not take, or no limit counts them. `None` without curves.
    fn of(curves: &[&Curve], line_bytes: f64, saved: f64) -> Option<Self> {
        // 10^9 bytes per second times nanoseconds are bytes.
        let lines = |curve: &Curve, ns: f64| curve.highest() * ns / line_bytes;
        let least = |curve: &&Curve| f64::from(curve.reads) / 100.0 * lines(curve, (curve.unloaded() - saved).max(0.0));
        let most = |curve: &&Curve| lines(curve, curve.points[curve.points.len() - 1].ns);
        let highest = |of: &dyn Fn(&&Curve) -> f64| curves.iter().map(of).fold(0.0, f64::max);
        let bounds = Self {
            least: highest(&least).max(1.0),
            most: highest(&most),
        };
        (bounds.most > 0.0).then_some(bounds)
    }

    /// What is tried: of each limit that the machine has. Traffic is spread evenly over nodes and over clusters.
    pub fn candidates(&self, machine: &Machine) -> Vec<Setting> {
        let cluster = machine.llc.as_ref().map_or(1, |llc| llc.cores_per_cache);
        let limits = [
            (
                NODE_IN_FLIGHT,
                machine.fabric.node.in_flight,
                machine.memory.organisation.nodes,
            ),
            (
                CLUSTER_IN_FLIGHT,
                machine.fabric.cluster.in_flight,
                machine.cores / cluster,
            ),
        ];
        let has = limits.into_iter().filter(|(_, own, _)| own.is_some());
        has.flat_map(|(key, _, parts)| {
            let mut lines: Vec<u64> = self.steps(parts);
            lines.dedup();
            lines.into_iter().map(move |lines| Setting::new(key, lines))
        })
        .collect()
    }

    /// From the least to the most of one of so many parts.
    fn steps(&self, parts: u32) -> Vec<u64> {
        let factor = (self.most / self.least).max(1.0).powf(1.0 / f64::from(STEPS - 1));
        let lines = |step: u32| self.least * factor.powi(step as i32) / f64::from(parts.max(1));
        (0..STEPS).map(|step| lines(step).round().max(1.0) as u64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measured;

    fn curve(reads: u32, points: [(f64, f64); 2]) -> Curve {
        Curve {
            reads,
            points: points.map(|(gb_s, ns)| Measured { gb_s, ns }).to_vec(),
        }
    }

    fn lines(settings: &[Setting], key: &str) -> Vec<String> {
        let of_key = settings.iter().filter(|one| one.key == key);
        of_key.map(|one| one.value.clone()).collect()
    }

    #[test]
    fn bounds_are_those_of_littles_law() {
        let curves = [
            curve(100, [(1.0, 90.0), (64.0, 640.0)]),
            curve(50, [(1.0, 90.0), (96.0, 320.0)]),
        ];
        let all: Vec<&Curve> = curves.iter().collect();
        // 64 bytes each nanosecond are a line: 80 of them in 80 ns, of the other curve 1.5 × 80 / 2; 640 with what waits, of the other 480.
        let bounds = UnderWay::of(&all, 64.0, 10.0);
        assert_eq!(
            bounds,
            Some(UnderWay {
                least: 80.0,
                most: 640.0
            })
        );
        assert_eq!(UnderWay::of(&[], 64.0, 10.0), None);
        let bounds = bounds.expect("there are curves");
        // A factor of 8 in six steps of the square root of 2.
        assert_eq!(bounds.steps(1), [80, 113, 160, 226, 320, 453, 640]);
        assert_eq!(bounds.steps(4), [20, 28, 40, 57, 80, 113, 160]);
    }

    #[test]
    fn only_limits_of_the_machine_are_tried() {
        let machine = |keys: &[(&str, &str)]| {
            let keys: Vec<_> = keys
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect();
            fresco_machine::load_with("jetson-orin", &keys).expect("a machine")
        };
        let bounds = UnderWay {
            least: 80.0,
            most: 640.0,
        };
        assert!(bounds.candidates(&machine(&[])).is_empty());
        let both = machine(&[(NODE_IN_FLIGHT, "300"), (CLUSTER_IN_FLIGHT, "100")]);
        let found = bounds.candidates(&both);
        assert_eq!(
            lines(&found, NODE_IN_FLIGHT),
            ["80", "113", "160", "226", "320", "453", "640"]
        );
        // Three clusters.
        assert_eq!(
            lines(&found, CLUSTER_IN_FLIGHT),
            ["27", "38", "53", "75", "107", "151", "213"]
        );
        let one = bounds.candidates(&machine(&[(CLUSTER_IN_FLIGHT, "100")]));
        assert_eq!((one.len(), one[0].key), (7, CLUSTER_IN_FLIGHT));
    }
}
