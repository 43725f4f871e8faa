// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running one point.

use crate::address::{Input, Inputs};
use crate::point::Subject;
use crate::{Point, Sweep};
use crate::{planned, rows};
use fresco_input::{InputError, Kind};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What came of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What it read; empty if it failed before that was known.
    pub inputs: Vec<Input>,
    /// Its rows, packed; or why there are none.
    pub result: Result<Vec<u8>, PointFailure>,
}

/// Why a point has no rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointFailure {
    /// Exit status that `fresco sim` would have had, or 1 if there can be no plan: 1, 2, 3, 4, or 70 for a fault of Fresco itself.
    pub status: u8,
    /// What was found, what is allowed, and the way out.
    pub message: String,
    /// It failed as its scenario was read: that is tried again each time, as it takes no time and other files may be in place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
}

impl PointFailure {
    pub(crate) fn of(error: &InputError, unread: bool) -> Self {
        Self {
            status: error.kind.status(),
            message: error.to_string(),
            unread,
        }
    }
}

impl Sweep {
    /// Runs a point on the calling thread; `None` if it is given up. That it fails is a result, too.
    pub fn run(&self, point: &Point, inputs: &Inputs, is_given_up: &(dyn Fn() -> bool + Sync)) -> Option<Outcome> {
        // A fault in one point does not cost the others.
        let made = catch_unwind(AssertUnwindSafe(|| self.made(point, inputs, is_given_up)));
        made.unwrap_or_else(|panic| {
            Some(Outcome {
                inputs: Vec::new(),
                result: Err(PointFailure {
                    status: Kind::Internal.status(),
                    message: format!("a fault of Fresco: {}", words(&*panic)),
                    unread: false,
                }),
            })
        })
    }

    fn made(&self, point: &Point, inputs: &Inputs, is_given_up: &(dyn Fn() -> bool + Sync)) -> Option<Outcome> {
        let read = self
            .subject(point)
            .and_then(|subject| Ok((inputs.of(subject.reads()?)?, subject)));
        let (inputs, subject) = match read {
            Ok(read) => read,
            Err(error) => {
                return Some(Outcome {
                    inputs: Vec::new(),
                    result: Err(match self.is_planned(point) {
                        true => planned::unread(&error),
                        false => PointFailure::of(&error, true),
                    }),
                });
            }
        };
        let result = match &subject {
            Subject::Scenario(scenario) => {
                fresco_system::run_here(scenario, &|| is_given_up()).map_err(|error| PointFailure::of(&error, false))
            }
            Subject::Planned(set, run) => planned::run(set, *run, is_given_up),
        };
        let result = match result {
            Ok(None) => return None,
            Ok(Some(result)) => {
                let tables = fresco_tidy::scenarios(std::slice::from_ref(&result));
                tables.map(|tables| rows::pack(&tables, &self.spec.tables))
            }
            .map_err(|error| PointFailure {
                status: Kind::Internal.status(),
                message: error.to_string(),
                unread: false,
            }),
            Err(failure) => Err(failure),
        };
        Some(Outcome { inputs, result })
    }
}

/// What a panic says.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it says nothing of itself")
}
