// SPDX-License-Identifier: MIT OR Apache-2.0
//! A user's own timing values, and what can be wrong with them.

use crate::{Cycle, Timing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Parameter name (as the field of [`Timing`]) to value in cycles, replacing the standard's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimingOverrides(pub BTreeMap<String, Cycle>);

impl TimingOverrides {
    /// The user's value of a parameter.
    pub fn get(&self, parameter: &str) -> Option<Cycle> {
        self.0.get(parameter).copied()
    }

    pub(super) fn check_names(&self) -> Result<(), TimingError> {
        match self.0.keys().find(|name| !Timing::PARAMETERS.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(TimingError::new(
                name.clone(),
                format!("unknown timing parameter `{name}`"),
                Timing::PARAMETERS.join(", "),
            )),
        }
    }
}

impl<S: Into<String>, const N: usize> From<[(S, Cycle); N]> for TimingOverrides {
    fn from(pairs: [(S, Cycle); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

/// Wrong timing data: where, what was found, what is allowed. The reader of the user's file adds file and line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimingError {
    /// The parameter, or `standard`, `density_gbit`, `refresh`.
    pub field: String,
    /// What is wrong.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

impl TimingError {
    pub(super) fn new(field: impl Into<String>, found: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            found: found.into(),
            allowed: allowed.into(),
        }
    }
}

impl fmt::Display for TimingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (allowed: {})", self.field, self.found, self.allowed)
    }
}

impl std::error::Error for TimingError {}
