// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a plan, to be changed.

use fresco_plan::Plan;
use fresco_plan::plan::{CoreServers, CoreSlots, Evidence, LockTimes, RefreshPlan, RefreshWindow, Schedule};
use fresco_rt::certificate::{EdfCertificate, ResponseCertificate};
use fresco_rt::executive::Table;

pub fn windows(plan: &mut Plan) -> &mut Vec<RefreshWindow> {
    match &mut plan.refresh {
        RefreshPlan::Windows { windows, .. } => windows,
        other => panic!("no windows: {other:?}"),
    }
}

/// The window of a color.
pub fn window(plan: &mut Plan, color: usize) -> &mut RefreshWindow {
    let window = windows(plan).iter_mut().find(|window| window.color == color);
    window.expect("each color has one")
}

pub fn locks(plan: &mut Plan) -> &mut LockTimes {
    match &mut plan.schedule {
        Schedule::Locked { locks } | Schedule::Servers { locks, .. } => locks,
        other => panic!("no locks: {other:?}"),
    }
}

pub fn servers(plan: &mut Plan) -> &mut Vec<CoreServers> {
    match &mut plan.schedule {
        Schedule::Servers { cores, .. } => cores,
        other => panic!("no servers: {other:?}"),
    }
}

pub fn slots(plan: &mut Plan) -> &mut Vec<CoreSlots> {
    match &mut plan.schedule {
        Schedule::Slots { cores, .. } => cores,
        other => panic!("no slots: {other:?}"),
    }
}

pub fn table(plan: &mut Plan) -> &mut Table {
    match &mut plan.schedule {
        Schedule::Table { table, .. } => table,
        other => panic!("no table: {other:?}"),
    }
}

pub fn demand(plan: &mut Plan, proof: usize) -> &mut EdfCertificate {
    match &mut plan.proofs[proof].evidence {
        Evidence::Demand(certificate) => certificate,
        other => panic!("no demand: {other:?}"),
    }
}

pub fn responses(plan: &mut Plan, proof: usize) -> &mut ResponseCertificate {
    match &mut plan.proofs[proof].evidence {
        Evidence::Responses(certificate) => certificate,
        other => panic!("no responses: {other:?}"),
    }
}
