// SPDX-License-Identifier: MIT OR Apache-2.0
//! The printed formulas, and what is wrong with each.

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
pub const FORMULAS: [Formula; 13] = [
    EDF_UTILIZATION,
    EDF_CAPACITY,
    RM_UTILIZATION,
    RM_RESPONSE,
    SERVICE_TIME,
    RM_CAPACITY,
    DEFERRABLE,
    SERVER_RESPONSE,
    AUTO_REFRESH,
    ALGORITHM_7,
    ALGORITHM_8,
    TOTAL_UTILIZATION,
    ALGORITHM_6,
];

/// The utilisation bound of EDF.
pub(super) const EDF_UTILIZATION: Formula = Formula {
    name: "EDF utilization bound",
    place: "5.3.7",
    erratum: "E28, E29",
    unsound: false,
    why: "holds for deadlines equal to periods, but the published servers violate it",
};

/// The capacity bound of EDF.
pub(super) const EDF_CAPACITY: Formula = Formula {
    name: "EDF periodic capacity bound",
    place: "5.3.7",
    erratum: "E24, E29",
    unsound: false,
    why: "holds with the maximum over all deadlines, which is not printed; the published servers violate it",
};

/// The utilisation bound of rate-monotonic priorities.
pub(super) const RM_UTILIZATION: Formula = Formula {
    name: "RM utilization bound",
    place: "5.3.7",
    erratum: "E23",
    unsound: true,
    why: "ln 2 - (p-e)/p' is not ln(2 - 2(p-e)/p'); sets within it miss deadlines",
};

/// Response times on a dedicated processor.
pub(super) const RM_RESPONSE: Formula = Formula {
    name: "RM response time",
    place: "5.3.7",
    erratum: "E22",
    unsound: true,
    why: "floors miss the job released first; overloaded sets respond in time",
};

/// Response times stretched to a server.
pub(super) const SERVICE_TIME: Formula = Formula {
    name: "service time of a response (ltbf)",
    place: "5.3.7",
    erratum: "E22",
    unsound: true,
    why: "jobs that arrive while the response is stretched are not counted",
};

/// The capacity bound of rate-monotonic priorities.
pub(super) const RM_CAPACITY: Formula = Formula {
    name: "RM periodic capacity bound",
    place: "5.3.7",
    erratum: "E24",
    unsound: true,
    why: "uses the response on a dedicated processor instead of the demand at a scheduling point",
};

/// Servers that keep their budget, analysed as periodic resources.
pub(super) const DEFERRABLE: Formula = Formula {
    name: "consumption by execution with the periodic resource model",
    place: "5.3.5, 5.3.7",
    erratum: "E21",
    unsound: true,
    why: "deferrable servers can delay each other beyond what the model assumes",
};

/// Response times of the servers.
pub(super) const SERVER_RESPONSE: Formula = Formula {
    name: "server response times with epsilon",
    place: "5.3.8",
    erratum: "E25",
    unsound: true,
    why: "floors, and a lock delays its server even while the other one hides it",
};

/// Response times of the servers under auto-refresh.
pub(super) const AUTO_REFRESH: Formula = Formula {
    name: "server response times under auto-refresh",
    place: "5.3.8",
    erratum: "E26",
    unsound: true,
    why: "floors miss the first refresh and the first job; the row opens after tRP + tRCD",
};

/// The search for servers.
pub(super) const ALGORITHM_7: Formula = Formula {
    name: "Algorithm 7",
    place: "5.3.8",
    erratum: "E27",
    unsound: true,
    why: "costs are never reset, a miss ends the inner loop alone, and only budgets are returned",
};

/// The overhead of refresh.
pub(super) const ALGORITHM_8: Formula = Formula {
    name: "Algorithm 8",
    place: "5.3.8",
    erratum: "E27",
    unsound: true,
    why: "returns at the first match; strict bounds never match if the period divides the retention time",
};

/// Condition (2).
pub(super) const TOTAL_UTILIZATION: Formula = Formula {
    name: "condition (2)",
    place: "5.3.8",
    erratum: "E29",
    unsound: true,
    why: "necessary only: servers within it may miss their budgets",
};

/// The fusion of frames.
pub(super) const ALGORITHM_6: Formula = Formula {
    name: "Algorithm 6",
    place: "4.3.3",
    erratum: "E8",
    unsound: true,
    why: "skips the frame of one rank, does not ask whether f' divides tRET, holds a burst or serves the tasks",
};
