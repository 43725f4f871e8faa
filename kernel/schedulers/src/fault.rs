// SPDX-License-Identifier: GPL-2.0-only
//! What can go wrong, told by its place, what was found, what is allowed and the way out.

use std::fmt;

/// A fault that ends the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: a file, an option, a part of the kernel.
    pub place: String,
    /// What was found there.
    pub found: String,
    /// What may be there, or nothing.
    pub allowed: String,
    /// What to do about it.
    pub help: String,
    /// Exit status.
    pub status: u8,
}

/// What was written is wrong.
pub const INPUT: u8 = 2;
/// This machine, its kernel or who runs the program has not what is needed.
pub const HERE: u8 = 3;
/// The kernel has ended the scheduler.
pub const ENDED: u8 = 1;

impl Fault {
    /// Something wrong in what a user wrote.
    pub fn input(place: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(INPUT, place, found)
    }

    /// Something that this machine has not.
    pub fn here(place: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(HERE, place, found)
    }

    /// A fault with that exit status.
    pub fn new(status: u8, place: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            found: found.into(),
            allowed: String::new(),
            help: String::new(),
            status,
        }
    }

    /// What is allowed.
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = allowed.into();
        self
    }

    /// The way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.found)?;
        for (name, text) in [("allowed", &self.allowed), ("help", &self.help)] {
            if !text.is_empty() {
                write!(f, "\n  {name}: {text}")?;
            }
        }
        Ok(())
    }
}
