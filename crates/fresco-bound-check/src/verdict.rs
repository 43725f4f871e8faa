// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a check ends with, and how a certificate's numbers are read.

use crate::nat::{Nat, n};
use serde_json::Value;
use std::fmt;

/// Why a certificate is not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It is no certificate: what is missing, or no number.
    Broken(String),
    /// The first fact that does not hold.
    Refused(Refused),
}

/// A fact that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Point and task.
    pub place: String,
    /// What it is about.
    pub term: String,
    /// What it is to be.
    pub formula: &'static str,
    /// What the certificate says.
    pub claimed: String,
    /// What was found.
    pub found: String,
}

impl Failure {
    pub(crate) fn broken(what: String) -> Self {
        Self::Broken(what)
    }

    pub(crate) fn at(self, outer: &str) -> Self {
        match self {
            Self::Refused(refused) => Self::Refused(Refused {
                place: format!("{outer}{}", refused.place),
                ..refused
            }),
            Self::Broken(what) => Self::Broken(format!("{outer}: {what}")),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(what) => f.write_str(what),
            Self::Refused(r) => write!(
                f,
                "{}: {}: found {}, claimed {} ({})",
                r.place, r.term, r.found, r.claimed, r.formula
            ),
        }
    }
}

impl std::error::Error for Failure {}

/// A fact that is not so.
pub(crate) fn refused<T>(
    term: &str,
    formula: &'static str,
    claimed: impl fmt::Display,
    found: impl fmt::Display,
) -> Result<T, Failure> {
    Err(Failure::Refused(Refused {
        place: String::new(),
        term: term.to_owned(),
        formula,
        claimed: claimed.to_string(),
        found: found.to_string(),
    }))
}

/// A bound may be larger than the formula has it, not less.
pub(crate) fn no_less(term: &str, formula: &'static str, claimed: Nat, least: Nat) -> Result<(), Failure> {
    match claimed >= least {
        true => Ok(()),
        false => refused(term, formula, claimed, format!("at least {least}")),
    }
}

/// What cannot be more than so much.
pub(crate) fn no_more(term: &str, formula: &'static str, claimed: Nat, most: Nat) -> Result<(), Failure> {
    match claimed <= most {
        true => Ok(()),
        false => refused(term, formula, claimed, format!("at most {most}")),
    }
}

pub(crate) fn named<'v>(of: &'v Value, name: &str) -> Result<&'v Value, Failure> {
    of.get(name)
        .ok_or_else(|| Failure::broken(format!("{name} is missing")))
}

pub(crate) fn number(of: &Value, name: &str) -> Result<Nat, Failure> {
    let found = named(of, name)?.as_u64();
    found
        .map(|number| n(number.into()))
        .ok_or_else(|| Failure::broken(format!("{name} is no natural number")))
}

pub(crate) fn text<'v>(of: &'v Value, name: &str) -> Result<&'v str, Failure> {
    let found = named(of, name)?.as_str();
    found.ok_or_else(|| Failure::broken(format!("{name} is no text")))
}

pub(crate) fn flag(of: &Value, name: &str) -> Result<bool, Failure> {
    let found = named(of, name)?.as_bool();
    found.ok_or_else(|| Failure::broken(format!("{name} is neither true nor false")))
}

pub(crate) fn list<'v>(of: &'v Value, name: &str) -> Result<&'v [Value], Failure> {
    let found = named(of, name)?.as_array();
    found
        .map(Vec::as_slice)
        .ok_or_else(|| Failure::broken(format!("{name} is no list")))
}
