// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bounds and algorithms of chapter 5 as they are printed, to reproduce what the papers claim.
//!
//! Nothing here proves a schedule. What is unsound is listed in [`FORMULAS`] with its erratum; the sound counterparts are in
//! [`budget`](crate::budget), [`edf`](crate::edf), [`fixed_priority`](crate::fixed_priority), [`toplevel`](crate::toplevel)
//! and [`search`](crate::search).

mod accept;
mod algorithm7;
mod algorithm8;
mod bounds;
mod response;

pub use accept::{PublishedVerdict, accepts_as_published};
pub use algorithm7::{Algorithm7, Algorithm7Error, algorithm7};
pub use algorithm8::refresh_overhead;
pub use bounds::{Rounding, capacity_bound, dedicated_responses, responses_by_ltbf, within_utilization_bound};
pub use response::{auto_refresh_response_times, response_times, within_total_utilization};

use serde::Serialize;

/// A printed formula and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Formula {
    /// What it is.
    pub name: &'static str,
    /// Where it is printed.
    pub place: &'static str,
    /// The erratum.
    pub erratum: &'static str,
    /// Whether a set it accepts may still miss a deadline.
    pub unsound: bool,
    /// What is wrong, or why it holds.
    pub why: &'static str,
}

/// Every printed formula of this module.
pub const FORMULAS: [Formula; 10] = [
    Formula {
        name: "EDF utilization bound",
        place: "5.3.7",
        erratum: "E28, E29",
        unsound: false,
        why: "holds for deadlines equal to periods, but the published servers violate it",
    },
    Formula {
        name: "RM utilization bound",
        place: "5.3.7",
        erratum: "E23",
        unsound: true,
        why: "ln 2 - (p-e)/p' is not ln(2 - 2(p-e)/p'); sets within it miss deadlines",
    },
    Formula {
        name: "RM response time",
        place: "5.3.7",
        erratum: "E22",
        unsound: true,
        why: "floors miss the job released first; overloaded sets respond in time",
    },
    Formula {
        name: "service time of a response (ltbf)",
        place: "5.3.7",
        erratum: "E22",
        unsound: true,
        why: "jobs that arrive while the response is stretched are not counted",
    },
    Formula {
        name: "RM periodic capacity bound",
        place: "5.3.7",
        erratum: "E24",
        unsound: true,
        why: "uses the response on a dedicated processor instead of the demand at a scheduling point",
    },
    Formula {
        name: "consumption by execution with the periodic resource model",
        place: "5.3.5, 5.3.7",
        erratum: "E21",
        unsound: true,
        why: "deferrable servers can delay each other beyond what the model assumes",
    },
    Formula {
        name: "server response times with epsilon",
        place: "5.3.8",
        erratum: "E25",
        unsound: true,
        why: "floors, and a lock delays its server even while the other one hides it",
    },
    Formula {
        name: "server response times under auto-refresh",
        place: "5.3.8",
        erratum: "E26",
        unsound: true,
        why: "floors miss the first refresh and the first job; the row opens after tRP + tRCD",
    },
    Formula {
        name: "Algorithm 7",
        place: "5.3.8",
        erratum: "E27",
        unsound: true,
        why: "costs are never reset, a miss ends the inner loop alone, and only budgets are returned",
    },
    Formula {
        name: "Algorithm 8",
        place: "5.3.8",
        erratum: "E27",
        unsound: true,
        why: "returns at the first match; strict bounds never match if the period divides the retention time",
    },
];
