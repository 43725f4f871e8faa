// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ACT waits for, and what waits for ACT.

use super::{HERE, OTHER_GROUP, SAME_GROUP, START, Scene, read};
use fresco_dram::CommandKind::{Act, Pre, Rd};
use fresco_dram::{Organisation, Timing};
use fresco_memory::checker::Constraint;

pub fn scenes(org: &Organisation, t: &Timing) -> Vec<Scene> {
    let here = read(START, HERE, 2);
    let conflict = [here, read(START, HERE, 3)];
    // No column command comes between five ACTs, whatever they wait for.
    let faw = t.faw.max(4 * t.rrd_l + 1);
    let rcd = t.rcd.max(faw + 10);
    let late_columns = [
        ("rcd", rcd),
        ("ras", t.ras.max(rcd)),
        ("rc", t.rc.max(t.ras.max(rcd) + t.rp)),
    ];
    let banks = |i: u32| (0, i % org.bank_groups, i / org.bank_groups);
    let five: Vec<_> = (0..5).map(|i| read(START, banks(i), 2)).collect();
    // The bank could be precharged and activated again sooner.
    let ras = t.ras.max(t.rcd + t.rtp + 1);
    let mut scenes = vec![
        Scene::new(Constraint::Rcd, Act, Rd, &[], &[here], |t| t.rcd),
        Scene::new(Constraint::Ras, Act, Pre, &[], &conflict, |t| t.ras)
            .with(&[("ras", ras), ("rc", t.rc.max(ras + t.rp))]),
        Scene::new(Constraint::Rc, Act, Act, &[], &conflict, |t| t.rc).with(&[("rc", ras + t.rcd + t.rtp + t.rp + 1)]),
        Scene::new(
            Constraint::RrdL,
            Act,
            Act,
            &[],
            &[here, read(START, SAME_GROUP, 2)],
            |t| t.rrd_l,
        )
        .with(&late_columns),
        Scene::new(Constraint::Faw, Act, Act, &[], &five, |t| t.faw)
            .with(&[("faw", faw)])
            .with(&late_columns)
            .later(4),
    ];
    if org.bank_groups > 1 {
        let both = [here, read(START, OTHER_GROUP, 2)];
        scenes.push(Scene::new(Constraint::RrdS, Act, Act, &[], &both, |t| t.rrd_s).with(&late_columns));
    }
    scenes
}
