// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data bus passes from one rank to another.

use super::{HERE, OTHER_RANK, START, Scene, read, write};
use fresco_dram::CommandKind::{Rd, Wr};
use fresco_dram::Timing;
use fresco_memory::checker::Constraint;

pub fn scenes(t: &Timing) -> Vec<Scene> {
    let open = [HERE, OTHER_RANK];
    let (read_here, write_here) = (read(START, HERE, 1), write(START, HERE, 1));
    // A write of another rank holds a read back only if the read's latency does not cover it.
    let rtrs = t
        .rtrs
        .max((t.cl + t.column_slots + 1).saturating_sub(t.cwl + t.burst()));
    let rule = Constraint::Rtrs;
    vec![
        Scene::new(rule, Rd, Rd, &open, &[read_here, read(START, OTHER_RANK, 1)], |t| {
            t.burst() + t.rtrs
        }),
        Scene::new(rule, Wr, Wr, &open, &[write_here, write(START, OTHER_RANK, 1)], |t| {
            t.burst() + t.rtrs
        }),
        Scene::new(
            rule,
            Rd,
            Wr,
            &open,
            &[read_here, write(START + 1, OTHER_RANK, 1)],
            |t| t.cl + t.burst() + t.rtrs - t.cwl,
        ),
        Scene::new(
            rule,
            Wr,
            Rd,
            &open,
            &[write_here, read(START + 1, OTHER_RANK, 1)],
            |t| t.cwl + t.burst() + t.rtrs - t.cl,
        )
        .with(&[("rtrs", rtrs)]),
    ]
}
