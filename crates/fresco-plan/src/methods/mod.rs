// SPDX-License-Identifier: MIT OR Apache-2.0
//! One file per method: from a task set to the parts of a plan that are the method's own.

mod aligned;
mod auto_refresh;
mod burst;
mod codesign;
mod colored_refresh;
mod crs;
mod draft;
mod flat;
mod grouping;
mod locking;
mod partition;
mod prove;
mod words;

pub(crate) use draft::{Draft, PlanContext};

use crate::Method;
use crate::refusal::Refusal;

/// The parts of a plan by one method.
pub(crate) fn draft(method: Method, context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    if context.set.options.executive && method != Method::Crs {
        return Err(Refusal::form(format!(
            "{} has no servers to put an executive into; policy = \"executive\" is for crs",
            method.name()
        )));
    }
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
