// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole numbers that functions take: those that do not fit are refused by the name of the argument.

use crate::errors::fault;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use std::ops::RangeInclusive;

/// A whole number that was given.
pub enum Whole {
    /// One of 64 bits.
    Fits(u64),
    /// Another one, as Python prints it: negative, or larger.
    Not(String),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    #[inline]
    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match given.extract::<u64>() {
            Ok(number) => Ok(Self::Fits(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => Ok(Self::Not(given.to_string())),
            Err(error) => Err(error),
        }
    }
}

impl Whole {
    /// The number, if it is one of these; `name` is the argument.
    #[inline]
    pub fn within(self, name: &str, allowed: RangeInclusive<u64>) -> PyResult<u64> {
        match self {
            Self::Fits(number) if allowed.contains(&number) => Ok(number),
            other => Err(other.refused(name, &allowed)),
        }
    }

    /// The same for 32 bits.
    pub fn narrow(self, name: &str, allowed: RangeInclusive<u32>) -> PyResult<u32> {
        let last = *allowed.end();
        let number = self.within(name, u64::from(*allowed.start())..=u64::from(last))?;
        Ok(u32::try_from(number).unwrap_or(last))
    }

    #[cold]
    fn refused(self, name: &str, allowed: &RangeInclusive<u64>) -> PyErr {
        let found = match self {
            Self::Fits(number) => number.to_string(),
            Self::Not(text) => text,
        };
        let last = match *allowed.end() {
            u64::MAX => "2^64 - 1".to_owned(),
            last => last.to_string(),
        };
        let allowed = format!("an integer from {} to {last}", allowed.start());
        fault(name, format!("found {found}"), allowed, "")
    }
}
