// SPDX-License-Identifier: MIT OR Apache-2.0
//! What refresh commands wait for, and what waits for them.

use super::{HERE, SAME_GROUP, START, Scene, read};
use fresco_dram::CommandKind::{self, Act, Pre, PreAll, RdA, RefAb, RefAb4, RefPb, RefSb, RfmAb, RfmSb};
use fresco_dram::{Cycle, Organisation, Timing};
use fresco_machine::PagePolicy;
use fresco_memory::checker::Constraint;
use fresco_memory::controller::refresh::Refresh;

pub fn scenes(org: &Organisation, t: &Timing) -> Vec<Scene> {
    let all = u64::MAX >> (64 - org.banks_per_rank());
    let refresh = |kind, banks, cycles| Refresh {
        rank: 0,
        kind,
        banks,
        cycles,
    };
    let rank = refresh(RefAb, all, t.rfc_ab);
    let after = [read(START + 1, HERE, 2)];
    let mut scenes = vec![
        Scene::new(Constraint::RpAb, PreAll, RefAb, &[HERE], &[], |t| t.rp_ab).refreshes(&[(START, rank)]),
        Scene::new(Constraint::RfcAb, RefAb, Act, &[], &after, |t| t.rfc_ab).refreshes(&[(START, rank)]),
        Scene::new(Constraint::RfcAb, RefAb, RefAb, &[], &[], |t| t.rfc_ab).refreshes(&[(START, rank), (START, rank)]),
        closed_just_before(rank, t),
        closed_by_read(rank, t),
    ];
    let groups = 0..org.bank_groups;
    let number = |bank: u32| {
        groups
            .clone()
            .fold(0, |banks, group| banks | 1u64 << (group * org.banks + bank))
    };
    if t.rfc_ab4 > 0 {
        let quarter = refresh(RefAb4, all, t.rfc_ab4);
        let rule = Constraint::RfcAb4;
        scenes.extend([
            Scene::new(rule, RefAb4, Act, &[], &after, |t| t.rfc_ab4).refreshes(&[(START, quarter)]),
            Scene::new(rule, RefAb4, RefAb4, &[], &[], |t| t.rfc_ab4).refreshes(&[(START, quarter), (START, quarter)]),
        ]);
    }
    if t.rfc_pb > 0 {
        let one = |bank: u64| refresh(RefPb, 1 << bank, t.rfc_pb);
        scenes.extend(of_banks(Constraint::RfcPb, RefPb, [one(0), one(1)], rank, |t| t.rfc_pb));
    }
    if t.rfc_sb > 0 {
        let same = |bank| refresh(RefSb, number(bank), t.rfc_sb);
        scenes.extend(of_banks(Constraint::RfcSb, RefSb, [same(0), same(1)], rank, |t| {
            t.rfc_sb
        }));
    }
    if !t.management.is_off() {
        let all = refresh(RfmAb, all, t.management.rfm_ab);
        let same = |kind, bank, cycles| refresh(kind, number(bank), cycles);
        let [first, second] = [0, 1].map(|bank| same(RfmSb, bank, t.management.rfm_sb));
        let others = [0, 1].map(|bank| same(RefSb, bank, t.rfc_sb));
        scenes.extend(management([rank, all], [first, second], others));
    }
    scenes
}

/// RFMab and RFMsb beside the refreshes of the same banks, and what follows.
fn management([rank, all]: [Refresh; 2], [first, second]: [Refresh; 2], others: [Refresh; 2]) -> Vec<Scene> {
    let (here, other) = (read(START + 1, HERE, 2), read(START + 1, SAME_GROUP, 2));
    let two = |rule, [a, b]: [Refresh; 2], distance| {
        Scene::new(rule, a.kind, b.kind, &[], &[], distance).refreshes(&[(START, a), (START, b)])
    };
    let of_all: fn(&Timing) -> Cycle = |t| t.management.rfm_ab;
    let of_same: fn(&Timing) -> Cycle = |t| t.management.rfm_sb;
    let act_other = Scene::new(Constraint::RefreshToAct, RfmSb, Act, &[], &[other], |t| {
        t.refresh_to_act_other
    });
    let before = Scene::new(Constraint::RrdL, Act, RfmSb, &[], &[read(START, SAME_GROUP, 2)], |t| {
        t.rrd_l
    });
    vec![
        Scene::new(Constraint::RfmAb, RfmAb, Act, &[], &[here], of_all).refreshes(&[(START, all)]),
        two(Constraint::RfmAb, [all, all], of_all),
        two(Constraint::RfmAb, [all, rank], of_all),
        two(Constraint::RfcAb, [rank, all], |t| t.rfc_ab),
        Scene::new(Constraint::RfmSb, RfmSb, Act, &[], &[here], of_same).refreshes(&[(START, first)]),
        two(Constraint::RfmSb, [first, first], of_same),
        two(Constraint::RfmSb, [first, rank], of_same),
        two(Constraint::RfmSb, [first, others[0]], of_same),
        two(Constraint::RfcSb, [others[0], first], |t| t.rfc_sb),
        two(Constraint::RefreshToRefresh, [first, second], of_same),
        two(Constraint::RefreshToRefresh, [first, others[1]], of_same),
        act_other.refreshes(&[(START, first)]),
        before.refreshes(&[(START + 2, first)]),
    ]
}

/// A bank closed by the page policy shortly before its refresh is due.
fn closed_just_before(rank: Refresh, t: &Timing) -> Scene {
    let idle = 500;
    let (access, read_at) = (read(START, HERE, 1), START + 1 + t.rcd);
    let due = read_at + idle + 2;
    Scene::new(Constraint::Rp, Pre, RefAb, &[], &[access], |t| t.rp)
        .page(PagePolicy::Adaptive { idle })
        .refreshes(&[(due, rank)])
}

/// A bank that closes itself after a read while its refresh is due.
fn closed_by_read(rank: Refresh, t: &Timing) -> Scene {
    let read_at = START + 1 + t.rcd;
    Scene::new(Constraint::Rp, RdA, RefAb, &[], &[read(START, HERE, 1)], |t| {
        t.rtp + t.rp
    })
    .page(PagePolicy::Closed)
    .refreshes(&[(read_at + 1, rank)])
    .with(&[("ras", t.rcd), ("rc", t.rcd + t.rp)])
}

/// REFpb or REFsb of the first banks, then what follows for them and for others.
fn of_banks(
    own: Constraint,
    kind: CommandKind,
    [first, second]: [Refresh; 2],
    rank: Refresh,
    cycles: fn(&Timing) -> Cycle,
) -> Vec<Scene> {
    let (here, other) = (read(START + 1, HERE, 2), read(START + 1, SAME_GROUP, 2));
    let rule = Constraint::RefreshToAct;
    let act_other = Scene::new(rule, kind, Act, &[], &[other], |t| t.refresh_to_act_other);
    let next =
        |later, second| Scene::new(own, kind, later, &[], &[], cycles).refreshes(&[(START, first), (START, second)]);
    // An ACT of another bank just before the refresh is due.
    let before = Scene::new(Constraint::RrdL, Act, kind, &[], &[read(START, SAME_GROUP, 2)], |t| {
        t.act_delay + t.rrd_l
    });
    let rule = Constraint::RefreshToRefresh;
    let other_refresh = Scene::new(rule, kind, kind, &[], &[], |t| t.refresh_to_refresh_other);
    vec![
        Scene::new(own, kind, Act, &[], &[here], cycles).refreshes(&[(START, first)]),
        next(kind, first),
        next(RefAb, rank),
        act_other.refreshes(&[(START, first)]),
        other_refresh
            .refreshes(&[(START, first), (START, second)])
            .with(&[("refresh_to_refresh_other", 100)]),
        before.refreshes(&[(START + 2, first)]),
    ]
}
