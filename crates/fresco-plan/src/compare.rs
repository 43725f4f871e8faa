// SPDX-License-Identifier: MIT OR Apache-2.0
//! All methods side by side for one task set, over densities.

use crate::Method;
use crate::choose::plan_watched;
use crate::plan::Plan;
use crate::refusal::{Kind, Refusal};
use crate::watch::Watch;
use fresco_input::InputError;
use fresco_scenario::TaskSet;

/// One method at one density.
#[derive(Clone, Debug)]
pub struct Row {
    /// Density, in Gbit.
    pub density_gbit: u32,
    /// The method.
    pub method: Method,
    /// Its plan, or why there is none.
    pub outcome: Result<Plan, Refusal>,
}

/// All methods at all densities.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// By density, then by method in the order of [`Method::of_refresh`].
    pub rows: Vec<Row>,
}

/// Plans by every method at every density; `done` is called after each. What is left of a limit goes to those whose part of it was over. Of those whose time is over, or that have not begun when the user
/// asks for an end, the rows say that they are not decided.
///
/// # Errors
/// A density of which the machine's refresh table knows no tRFC.
pub fn compare(
    set: &TaskSet,
    densities: &[u32],
    watch: Watch<'_>,
    mut done: impl FnMut(),
) -> Result<Comparison, InputError> {
    let mut rows = Vec::new();
    let all = densities.len() * Method::of_refresh().count();
    for &density_gbit in densities {
        let mut at = set.at_density(density_gbit)?;
        for method in Method::of_refresh() {
            at.options.method = Some(method);
            rows.push(Row {
                density_gbit,
                method,
                outcome: plan_watched(&at, watch.share(all - rows.len())),
            });
            done();
        }
    }
    // What the time was over for may have what the others have left of it.
    while watch.has_time_left() {
        let is_open = |row: &&mut Row| matches!(&row.outcome, Err(refusal) if refusal.kind == Kind::Stopped);
        let mut open: Vec<&mut Row> = rows.iter_mut().filter(is_open).collect();
        let all = open.len();
        if all == 0 {
            break;
        }
        for (tried, row) in open.iter_mut().enumerate() {
            let mut at = set.at_density(row.density_gbit)?;
            at.options.method = Some(row.method);
            row.outcome = plan_watched(&at, watch.share(all - tried));
        }
    }
    Ok(Comparison { rows })
}
