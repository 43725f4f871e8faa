// SPDX-License-Identifier: MIT OR Apache-2.0
//! What PRE waits for, and what waits for PRE.

use super::{HERE, SAME_GROUP, START, Scene, read, write};
use fresco_dram::CommandKind::{Act, Pre, Rd, RdA, Wr, WrA};
use fresco_dram::Timing;
use fresco_machine::PagePolicy;
use fresco_memory::checker::Constraint;

pub fn scenes(t: &Timing) -> Vec<Scene> {
    let (hit, conflict) = (read(START, HERE, 1), read(START, HERE, 2));
    let written = [write(START, HERE, 1), write(START, HERE, 2)];
    let conflicts = [conflict, read(START, SAME_GROUP, 2)];
    // After an automatic precharge; tRC is long over when it begins.
    let closed = |access: fn(u64, super::Place, u32) -> super::Wanted| [access(START, HERE, 1), access(START, HERE, 2)];
    let early = [("ras", t.rcd), ("rc", t.rcd + t.rp)];
    vec![
        Scene::new(Constraint::Rp, Pre, Act, &[HERE], &[conflict], |t| t.rp),
        Scene::new(Constraint::Rtp, Rd, Pre, &[HERE], &[hit, conflict], |t| t.rtp),
        Scene::new(Constraint::Wr, Wr, Pre, &[HERE], &written, |t| t.cwl + t.burst() + t.wr),
        Scene::new(Constraint::Ppd, Pre, Pre, &[HERE, SAME_GROUP], &conflicts, |t| t.ppd)
            .with(&[("ppd", t.ppd.max(t.pre_slots + 1))]),
        Scene::new(Constraint::Rp, RdA, Act, &[], &closed(read), |t| t.rtp + t.rp)
            .page(PagePolicy::Closed)
            .with(&early)
            .later(1),
        Scene::new(Constraint::Rp, WrA, Act, &[], &closed(write), |t| {
            t.cwl + t.burst() + t.wr + t.rp
        })
        .page(PagePolicy::Closed)
        .with(&early)
        .later(1),
    ]
}
