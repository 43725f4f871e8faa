// SPDX-License-Identifier: MIT OR Apache-2.0
//! Column commands of one rank, and the command bus.

use super::{HERE, OTHER_GROUP, Place, SAME_GROUP, START, Scene, read, write};
use fresco_dram::CommandKind::{Act, Pre, Rd, Wr};
use fresco_dram::{Cycle, Organisation, Timing};
use fresco_memory::checker::Constraint;

pub fn scenes(org: &Organisation, t: &Timing) -> Vec<Scene> {
    let mut scenes = pairs(
        t,
        SAME_GROUP,
        [Constraint::CcdL, Constraint::CcdLWr, Constraint::WtrL],
        L,
    );
    if org.bank_groups > 1 {
        let constraints = [Constraint::CcdS, Constraint::CcdS, Constraint::WtrS];
        scenes.extend(pairs(t, OTHER_GROUP, constraints, S));
    }
    let open = [HERE, SAME_GROUP];
    let read_then_write = [read(START, HERE, 1), write(START + 1, SAME_GROUP, 1)];
    let rtw = |t: &Timing| t.cl + t.burst() + t.rtw_gap - t.cwl;
    scenes.push(Scene::new(Constraint::Rtw, Rd, Wr, &open, &read_then_write, rtw));
    scenes.extend(if t.column_bus { row_bus() } else { command_bus() });
    scenes
}

/// Distances of RD to RD, WR to WR, WR to RD.
type Distances = [fn(&Timing) -> Cycle; 3];
const L: Distances = [|t| t.ccd_l, |t| t.ccd_l_wr, |t| t.cwl + t.burst() + t.wtr_l];
const S: Distances = [|t| t.ccd_s, |t| t.ccd_s, |t| t.cwl + t.burst() + t.wtr_s];

fn pairs(t: &Timing, other: Place, constraints: [Constraint; 3], distances: Distances) -> Vec<Scene> {
    let open = [HERE, other];
    // Longer than a burst, or the data bus would bind too.
    let short = t.ccd_s.max(t.burst() + 1);
    let long = t.ccd_l.max(short + 1);
    let ccd = [
        ("ccd_s", short),
        ("ccd_l", long),
        ("ccd_l_wr", t.ccd_l_wr.max(long + 1)),
    ];
    let reads = [read(START, HERE, 1), read(START, other, 1)];
    let writes = [write(START, HERE, 1), write(START, other, 1)];
    let write_then_read = [write(START, HERE, 1), read(START + 1, other, 1)];
    vec![
        Scene::new(constraints[0], Rd, Rd, &open, &reads, distances[0]).with(&ccd),
        Scene::new(constraints[1], Wr, Wr, &open, &writes, distances[1]).with(&ccd),
        Scene::new(constraints[2], Wr, Rd, &open, &write_then_read, distances[2]),
    ]
}

/// A command that could be issued in the next cycle, but for the slots of the one before.
fn command_bus() -> Vec<Scene> {
    let bus = Constraint::CommandBus;
    let hit = |at| read(at, HERE, 1);
    let miss = |at| read(at, SAME_GROUP, 2);
    let conflict = |at| read(at, SAME_GROUP, 3);
    vec![
        Scene::new(bus, Act, Rd, &[HERE], &[miss(START), hit(START + 1)], |t| t.act_slots),
        Scene::new(bus, Rd, Act, &[HERE], &[hit(START), miss(START + 1)], |t| {
            t.column_slots
        }),
        Scene::new(
            bus,
            Pre,
            Rd,
            &[HERE, SAME_GROUP],
            &[conflict(START), hit(START + 1)],
            |t| t.pre_slots,
        ),
    ]
}

/// The same among commands of rows, which have a bus of their own.
fn row_bus() -> Vec<Scene> {
    let (miss, conflict) = (|at| read(at, SAME_GROUP, 2), |at| read(at, HERE, 3));
    let bus = Constraint::CommandBus;
    vec![
        Scene::new(bus, Act, Pre, &[HERE], &[miss(START), conflict(START + 1)], |t| {
            t.act_slots
        }),
        Scene::new(bus, Pre, Act, &[HERE], &[conflict(START), miss(START + 1)], |t| {
            t.pre_slots
        }),
    ]
}
