// SPDX-License-Identifier: MIT OR Apache-2.0
//! What gives programs frames of their colors: a library on any kernel, or a kernel with page coloring (`kernel/`). Each is a
//! [`Provider`] in a file of its own; [`Backend`] is the table of them.

mod choose;
mod kernel;
mod map;
mod ready;
mod stock;
mod translate;
mod tree;

pub use choose::{Chosen, Wanted};
pub use kernel::release;
pub use map::{KernelMap, MapRange};
pub use ready::{KernelColors, KernelRefusal, map_for, memory_of, ready, suggest};
pub use translate::{Mixed, translate};
pub use tree::{ENVIRONMENT, Tree};

use crate::census::{Census, Tally};
use crate::colors::Request;
use crate::launch::Means;
use crate::proc::{Kind, Process};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A back end, by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// A library put before the program, on this kernel as it is.
    #[default]
    Stock,
    /// The kernel's page coloring, by `prctl`.
    Kernel,
}

impl Backend {
    /// Each with what it does, in the order in which they are tried if none is asked for. The last is taken where none can.
    const ALL: [(Self, &'static dyn Provider); 2] = [(Self::Kernel, &kernel::Kernel), (Self::Stock, &stock::Stock)];

    /// All back ends, in the order in which they are tried.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().map(|(backend, _)| backend)
    }

    /// What it does.
    pub fn provider(self) -> &'static dyn Provider {
        let own = Self::ALL.into_iter().find(|(backend, _)| *backend == self);
        own.expect("every back end is in the table").1
    }

    /// As options and reports call it.
    pub fn name(self) -> &'static str {
        self.provider().name()
    }

    /// Returns true for the one that needs not be named in a request.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What a back end does, and what it says of itself.
pub trait Provider: Sync {
    /// As options and reports call it.
    fn name(&self) -> &'static str;

    /// What it is, after its name.
    fn what(&self) -> &'static str;

    /// The parts of an address space that it covers.
    fn covered(&self) -> &'static str;

    /// Those that it does not.
    fn not_covered(&self) -> &'static str;

    /// What becomes of a strict program that asks for more memory than its colors have.
    fn when_full(&self) -> &'static str;

    /// Returns true if it looks for frames by trying: then a program may say how far, and what is collected in advance.
    fn searches(&self) -> bool;

    /// Returns true if the loader of a program has to take part, which not every program has.
    fn needs_loader(&self) -> bool;

    /// Returns true if it chooses the frames of such mappings.
    fn covers(&self, kind: Kind) -> bool;

    /// The pages of a process that have to have its colors, and which these are, in words.
    fn judged(&self, census: &Census) -> (Tally, &'static str);

    /// How far it is with a process; `None` for a census where the process may not be read.
    fn state(&self, process: &Process, census: Option<&Census>) -> &'static str;

    /// Finds out whether it can serve all requests on this machine. Changes nothing.
    ///
    /// # Errors
    /// Why it cannot.
    fn probe(&self, requests: &[&Request]) -> Result<Box<dyn Prepared>, Unable>;
}

/// A back end that can serve some requests, numbered from 0.
pub trait Prepared: fmt::Debug {
    /// How a program gets its colors.
    ///
    /// # Errors
    /// What is missing after all.
    fn means(&self, number: usize) -> Result<Box<dyn Means>, String>;

    /// What a program gets, beside what the provider is; empty if there is nothing to say.
    fn words(&self, number: usize) -> String;
}

/// Why a back end cannot serve requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unable {
    /// In words.
    pub reason: String,
    /// There is nothing of the kind on this machine, so that it is no surprise.
    pub is_absent: bool,
}
