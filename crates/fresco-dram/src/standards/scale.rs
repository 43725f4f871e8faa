// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same device with a slower or faster array of cells.

use super::{TimingError, validate};
use crate::Timing;

/// The parameters that [`with_latencies_scaled`] changes: what the array of cells and its amplifiers take.
pub const LATENCIES: [&str; 14] = [
    "cl", "cwl", "rcd", "rp", "rp_ab", "ras", "rc", "rrd_s", "rrd_l", "faw", "wtr_s", "wtr_l", "rtp", "wr",
];

/// Returns a timing whose latencies are `percent` of these, rounded to cycles away from 100 %, so that each of more than a cycle changes.
///
/// Latencies are the parameters in [`LATENCIES`]. The
/// clock, bursts and what else the bus takes stay, and so does refresh, which has parameters of its own (density, table).
///
/// # Errors
/// A latency that no device has ([`timing_with`](super::timing_with)).
pub fn with_latencies_scaled(timing: &Timing, percent: u32) -> Result<Timing, TimingError> {
    let mut scaled = timing.clone();
    for (_, latency) in scaled.values_mut().filter(|(name, _)| LATENCIES.contains(name)) {
        let hundredths = *latency * u64::from(percent);
        *latency = match percent {
            0..100 => (hundredths / 100).max(1),
            _ => hundredths.div_ceil(100),
        };
    }
    // A sum of two that were rounded.
    scaled.rc = scaled.rc.max(scaled.ras + scaled.rp);
    validate::validate(&scaled)?;
    Ok(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standards::{names, timing};

    #[test]
    fn ddr3_1333_with_a_tenth_more() {
        let slow = with_latencies_scaled(&timing("ddr3-1333", 2).expect("built in"), 110).expect("sound");
        // 9-9-9-24 at 667 MHz; 33 for tRC, which is tRAS + tRP before and after.
        assert_eq!((slow.cl, slow.rcd, slow.rp, slow.ras, slow.rc), (10, 10, 10, 27, 37));
    }

    #[test]
    fn every_standard_stays_sound_and_refresh_and_bus_as_they_are() {
        for name in names() {
            let plain = timing(name, 8).expect("built in");
            assert_eq!(with_latencies_scaled(&plain, 100).expect("sound"), plain, "{name}");
            for percent in [50, 90, 110, 200] {
                let scaled = with_latencies_scaled(&plain, percent).expect(name);
                let kept = |timing: &Timing| {
                    (
                        timing.clock,
                        timing.burst_length,
                        timing.ccd_l,
                        timing.rfc_ab,
                        timing.refi,
                    )
                };
                assert_eq!(kept(&scaled), kept(&plain), "{name}");
                let changed = scaled
                    .values()
                    .zip(plain.values())
                    .filter(|(now, before)| now != before);
                let changed: Vec<&str> = changed.map(|((parameter, _), _)| parameter).collect();
                assert!(
                    changed.iter().all(|parameter| LATENCIES.contains(parameter)),
                    "{name}: {changed:?}"
                );
                for (cycles, before) in [
                    (scaled.rcd, plain.rcd),
                    (scaled.rrd_s, plain.rrd_s),
                    (scaled.wr, plain.wr),
                ] {
                    let off = (100 * cycles).abs_diff(u64::from(percent) * before);
                    assert!(
                        off < 100 && (cycles > before) == (percent > 100),
                        "{name}: {cycles} of {before} at {percent} %"
                    );
                    assert_ne!(cycles, before, "{name} at {percent} %");
                }
            }
        }
    }
}
