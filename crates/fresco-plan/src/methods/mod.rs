// SPDX-License-Identifier: MIT OR Apache-2.0
//! One file per method: from a task set to the parts of a plan that are the method's own.

mod aligned;
mod aligned_modes;
mod auto_refresh;
mod burst;
mod codesign;
mod colored_refresh;
mod criticality;
mod crs;
mod draft;
mod flat;
mod global;
mod grouping;
mod locking;
mod partition;
mod prove;
mod repeat;
mod slices;
mod words;

pub(crate) use draft::{Draft, PlanContext};

use crate::Method;
use crate::plan::Draining;
use crate::refusal::Refusal;
use fresco_scenario::BurstLength;

/// The parts of a plan by one method.
pub(crate) fn draft(method: Method, context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    if context.set.options.executive && method != Method::Crs {
        return Err(Refusal::form(format!(
            "{} has no servers to put an executive into; policy = \"executive\" is for crs",
            method.name()
        )));
    }
    criticality::allowed(method, context)?;
    global::applicable(method, context)?;
    long_enough(method, context)?;
    match method {
        Method::AutoRefresh => auto_refresh::draft(context),
        Method::Burst => burst::draft(context),
        Method::ColoredRefresh => colored_refresh::draft(context),
        Method::Crs => crs::draft(context),
        Method::Aligned => aligned::draft(context),
        Method::Flat => flat::draft(context),
        Method::Codesign => codesign::draft(context),
        Method::Partition => partition::draft(context),
    }
}

/// Refuses handlers too short for what is under way when a color is locked. The published burst is for comparison with numbers that count
/// handlers as they were published; it loses rows in any case, and `fresco check` refuses it (E1).
fn long_enough(method: Method, context: &PlanContext<'_>) -> Result<(), Refusal> {
    let options = &context.set.options;
    let (key, handler) = match method {
        Method::Aligned => ("plan.handler", options.handler_ns),
        Method::Burst | Method::ColoredRefresh | Method::Crs | Method::Flat => ("plan.lock", options.lock_ns),
        Method::AutoRefresh | Method::Codesign | Method::Partition => return Ok(()),
    };
    let draining = Draining::of(&context.set.machine, options.cores);
    let switch = options.context_switch_ns;
    let enough = handler
        .checked_sub(switch)
        .and_then(|left| draining.lines_in(left))
        .is_some();
    if enough || options.burst == BurstLength::AsPublished {
        return Ok(());
    }
    let under_way = if switch > 0 {
        "reads, writes and a switch"
    } else {
        "reads and writes"
    };
    Err(Refusal::form(format!(
        "{key} is {}, and {under_way} under way when a color is locked take up to {}; raise it, or omit it",
        words::time(handler),
        words::time(draining.requests_ns.saturating_add(switch))
    )))
}
