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
mod prove;
mod words;

pub(crate) use draft::{Draft, Ground};

use crate::method::Method;
use crate::refusal::Refusal;

/// The parts of a plan by one method.
pub(crate) fn draft(method: Method, ground: &Ground<'_>) -> Result<Draft, Refusal> {
    if ground.set.options.executive && method != Method::Crs {
        return Err(Refusal::form(format!(
            "{} has no servers to put an executive into; policy = \"executive\" is for crs",
            method.name()
        )));
    }
    match method {
        Method::AutoRefresh => auto_refresh::draft(ground),
        Method::Burst => burst::draft(ground),
        Method::ColoredRefresh => colored_refresh::draft(ground),
        Method::Crs => crs::draft(ground),
        Method::Aligned => aligned::draft(ground),
        Method::Flat => flat::draft(ground),
        Method::Codesign => codesign::draft(ground),
    }
}
