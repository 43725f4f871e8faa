// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which back end serves programs: the one asked for, or the first that can.

use super::{Backend, Prepared, Unable};
use crate::colors::Request;
use crate::launch::Means;

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The first that can.
    Auto,
    /// This one.
    Only(Backend),
}

/// The back end of one or several programs, and why it is not one that comes before it.
#[derive(Debug)]
pub struct Chosen {
    /// The back end.
    pub backend: Backend,
    prepared: Result<Box<dyn Prepared>, Unable>,
    /// Those that cannot, and were tried before.
    passed_over: Vec<(Backend, Unable)>,
}

impl Chosen {
    /// Probes; changes nothing.
    pub fn new<'r>(wanted: Wanted, requests: impl Iterator<Item = &'r Request>) -> Self {
        let requests: Vec<&Request> = requests.collect();
        let probe = |backend: Backend| backend.provider().probe(&requests);
        let mut passed_over = Vec::new();
        if wanted == Wanted::Auto {
            for backend in Backend::all() {
                match probe(backend) {
                    Ok(prepared) => {
                        return Self {
                            backend,
                            prepared: Ok(prepared),
                            passed_over,
                        };
                    }
                    Err(unable) => passed_over.push((backend, unable)),
                }
            }
        }
        let last = passed_over.pop();
        let (backend, prepared) = match (wanted, last) {
            (Wanted::Only(backend), _) => (backend, probe(backend)),
            (Wanted::Auto, Some((backend, unable))) => (backend, Err(unable)),
            (Wanted::Auto, None) => unreachable!("there are back ends"),
        };
        Self {
            backend,
            prepared,
            passed_over,
        }
    }

    /// The means for the program with this number.
    ///
    /// # Errors
    /// Why there are none.
    pub fn means(&self, number: usize) -> Result<Box<dyn Means>, String> {
        match &self.prepared {
            Ok(prepared) => prepared.means(number),
            Err(unable) => Err(unable.reason.clone()),
        }
    }

    /// Why programs cannot be colored here.
    pub fn missing(&self) -> Option<String> {
        self.prepared.as_ref().err().map(|unable| unable.reason.clone())
    }

    /// Why there are no means for a program although programs can be colored here.
    pub fn without_means(&self) -> Option<String> {
        self.prepared.as_ref().ok()?.means(0).err()
    }

    /// Why a back end that is there is passed over.
    pub fn passed_over(&self) -> Option<&str> {
        let there = self.passed_over.iter().find(|(_, unable)| !unable.is_absent);
        there.map(|(_, unable)| unable.reason.as_str())
    }

    /// The back end in words, for the program with this number.
    pub fn words(&self, number: usize) -> String {
        let provider = self.backend.provider();
        let more = self
            .prepared
            .as_ref()
            .map_or_else(|_| String::new(), |prepared| prepared.words(number));
        let mut words = format!("{}: {}{more}", provider.name(), provider.what());
        for (backend, unable) in self.passed_over.iter().filter(|(_, unable)| !unable.is_absent) {
            words += &format!("; not the {}'s coloring: {}", backend.name(), unable.reason);
        }
        words
    }
}
