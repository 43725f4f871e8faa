// SPDX-License-Identifier: MIT OR Apache-2.0
//! The example of the BPM paper's appendix: latencies of an i3-2100T with 2 GB, bits 3 to 28 of its addresses.

use std::collections::BTreeMap;

/// The time of an access in nanoseconds, by the mask of bits in which two lines differ that are accessed in turn: each bit alone, each with
/// row bit 21, and each pair of bits 13 to 20 with it.
pub fn appendix() -> BTreeMap<u64, f64> {
    let mut times = BTreeMap::new();
    let ones: [(u32, u32, f64); 15] = [
        (3, 5, 69.),
        (6, 6, 71.),
        (7, 7, 70.),
        (8, 9, 69.),
        (10, 10, 71.),
        (11, 11, 69.),
        (12, 12, 71.),
        (13, 13, 83.),
        (14, 14, 84.),
        (15, 15, 90.),
        (16, 17, 83.),
        (18, 18, 84.),
        (19, 19, 90.),
        (20, 20, 84.),
        (21, 28, 98.),
    ];
    for (from, to, ns) in ones {
        times.extend((from..=to).map(|bit| (1 << bit, ns)));
    }
    let row = 1 << 21;
    let twos = [
        (3, 12, 98.),
        (13, 13, 83.),
        (14, 14, 84.),
        (15, 15, 90.),
        (16, 18, 84.),
        (19, 19, 90.),
        (20, 20, 84.),
    ];
    for (from, to, ns) in twos {
        times.extend((from..=to).map(|bit| (1 << bit | row, ns)));
    }
    let threes: [(u32, [f64; 7]); 7] = [
        (13, [84., 90., 84., 98., 84., 90., 84.]),
        (14, [92., 83., 83., 98., 92., 83., 0.]),
        (15, [92., 92., 92., 98., 92., 0., 0.]),
        (16, [83., 84., 92., 98., 0., 0., 0.]),
        (17, [84., 93., 83., 0., 0., 0., 0.]),
        (18, [93., 83., 0., 0., 0., 0., 0.]),
        (19, [93., 0., 0., 0., 0., 0., 0.]),
    ];
    for (u, latencies) in threes {
        for (v, ns) in (u + 1..=20).zip(latencies) {
            times.insert(1 << u | 1 << v | row, ns);
        }
    }
    times
}
