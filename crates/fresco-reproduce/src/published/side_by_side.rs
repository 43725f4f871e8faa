// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every printed formula says of two servers, beside what holds.

use serde::Serialize;

use super::accept::{PublishedVerdict, accepts_as_published};
use super::{Formula, rows};
use fresco_rt::policy::Policy;
use fresco_rt::task::Task;
use fresco_rt::time::Time;
use fresco_rt::toplevel::{Acceptance, TopLevel, TopLevelError, accepts};

/// What a row is about; servers count from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The whole.
    System,
    /// One server.
    Server(usize),
    /// A task; holds its server and its name.
    Task(usize, String),
}

/// A time, or a share of the processor in millionths (rounded down).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// A time, in the unit of the tasks.
    Time(Time),
    /// Millionths of the processor; bounds may be below 0.
    Millionths(i64),
}

/// What one printed formula says about one subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The formula, with its erratum.
    pub formula: Formula,
    /// What it is applied to.
    pub of: Subject,
    /// What the printed value is of.
    pub quantity: &'static str,
    /// The printed value; none where the formula gives none.
    pub printed: Option<Amount>,
    /// What it is compared with, if with anything.
    pub limit: Option<Amount>,
    /// Whether the formula accepts; none where it only computes.
    pub accepts: Option<bool>,
    /// The value that holds; none where there is none.
    pub exact: Option<Amount>,
    /// Whether what holds accepts.
    pub exact_accepts: Option<bool>,
}

/// What the printed algorithms need besides servers and tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// K: ranks of the memory (Algorithm 6).
    pub ranks: usize,
    /// Grid of frames of Algorithm 6, at least 1.
    pub frame_step: Time,
    /// Grid of periods and budgets of Algorithm 7, at least 1.
    pub server_step: Time,
    /// Most candidates of Algorithm 7; beyond, it gives no value.
    pub candidates: u64,
    /// Interval and stall (tRFC + tRP + tRAS) of auto-refresh, for the response times under it.
    pub auto_refresh: Option<(Time, Time)>,
}

impl Settings {
    /// Eight ranks, frames on a grid of 1/64 and servers on one of 1/16 of the retention time, no auto-refresh.
    pub fn of(top: &TopLevel) -> Self {
        let retention = top.locks().retention();
        Settings {
            ranks: 8,
            frame_step: (retention / 64).max(1),
            server_step: (retention / 16).max(1),
            candidates: 5_000,
            auto_refresh: None,
        }
    }
}

/// All printed verdicts and, beside each, what holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SideBySide {
    /// The printed conditions together.
    pub published: PublishedVerdict,
    /// The sound tests.
    pub sound: Acceptance,
    /// Formula by formula: bounds, condition (2), response times, Algorithms 6 to 8.
    pub rows: Vec<Row>,
}

/// Applies every printed formula to two servers (CRS-12 to CRS-15) and puts what holds beside it; `workloads[c]` runs in server
/// `c`. Nothing printed proves a schedule: each row names its erratum.
///
/// # Errors
/// [`TopLevel::repeat`], [`edf_test`](fresco_rt::edf::edf_test).
pub fn side_by_side(
    top: &TopLevel,
    workloads: [&[Task]; 2],
    policy: Policy,
    settings: &Settings,
) -> Result<SideBySide, TopLevelError> {
    let mut rows = Vec::new();
    rows::bounds(top, workloads, policy, &mut rows)?;
    rows::servers(top, settings, &mut rows)?;
    rows::algorithms(top, workloads, policy, settings, &mut rows)?;
    Ok(SideBySide {
        published: accepts_as_published(top, workloads, policy)?,
        sound: accepts(top, workloads, policy)?,
        rows,
    })
}
