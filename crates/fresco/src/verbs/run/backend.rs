// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which back end gives the frames: the kernel's page coloring where it is there and fits, else the library.

use super::plan;
use crate::arguments::choice;
use crate::verbs::live::PROC;
use clap::builder::ValueParser;
use fresco_linux::backend::{Backend, KernelColors, Refusal, Tree, memory_of, ready};
use fresco_linux::colors::Request;
use fresco_linux::launch::{self, Means};
use std::path::Path;

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The kernel if it can, else the library.
    Auto,
    Only(Backend),
}

/// The argument of `--backend`.
pub fn wanted() -> ValueParser {
    choice(
        "--backend",
        &[
            ("auto", Wanted::Auto),
            ("kernel", Wanted::Only(Backend::Kernel)),
            ("stock", Wanted::Only(Backend::Stock)),
        ],
    )
    .into()
}

/// The back end of one or several programs, and why it is not the kernel.
#[derive(Debug)]
pub struct Chosen {
    /// The back end.
    pub backend: Backend,
    /// The kernel's colors for each of the programs, if they are to be had.
    kernel: Result<Vec<KernelColors>, Refusal>,
}

impl Chosen {
    /// Probes; changes nothing.
    pub fn new<'r>(wanted: Wanted, requests: impl Iterator<Item = &'r Request>) -> Self {
        if wanted == Wanted::Only(Backend::Stock) {
            return Self {
                backend: Backend::Stock,
                kernel: Err(Refusal::Absent),
            };
        }
        let tree = Tree::find();
        let of = |request: &Request| ready(tree.as_ref(), request, &memory_of(request, Path::new(PROC)));
        let kernel: Result<Vec<_>, _> = requests.map(of).collect();
        let backend = match (wanted, &kernel) {
            (Wanted::Only(backend), _) => backend,
            (Wanted::Auto, Ok(_)) => Backend::Kernel,
            (Wanted::Auto, Err(_)) => Backend::Stock,
        };
        Self { backend, kernel }
    }

    /// The means for the program with this number, or why there are none.
    pub fn means(&self, number: usize) -> Result<Means, String> {
        match (self.backend, &self.kernel) {
            (Backend::Stock, _) => {
                let library =
                    plan::preload().map_err(|reason| format!("no library can be put before programs: {reason}"))?;
                Ok(Means::Library(library))
            }
            (Backend::Kernel, Ok(colors)) => Ok(Means::Kernel(colors[number].clone())),
            (Backend::Kernel, Err(refusal)) => Err(refusal.to_string()),
        }
    }

    /// Why the program cannot be colored here.
    pub fn missing(&self) -> Option<String> {
        match self.backend {
            Backend::Stock => launch::probe().err().map(|refusal| refusal.to_string()),
            Backend::Kernel => self.kernel.as_ref().err().map(ToString::to_string),
        }
    }

    /// Why the library, where it gives the frames, cannot be had.
    pub fn without_library(&self) -> Option<String> {
        let reason = (self.backend == Backend::Stock).then(plan::preload)?.err()?;
        Some(format!("no library can be put before programs: {reason}"))
    }

    /// Why a kernel that knows page coloring is passed over; nothing to tell where it knows none.
    pub fn passed_over(&self) -> Option<&Refusal> {
        let refusal = self.kernel.as_ref().err()?;
        (self.backend == Backend::Stock && *refusal != Refusal::Absent).then_some(refusal)
    }

    /// The back end in words, for the program with this number.
    pub fn words(&self, number: usize) -> String {
        match (self.backend, &self.kernel) {
            (Backend::Stock, _) => match self.passed_over() {
                Some(refusal) => format!("stock: this kernel as it is; not the kernel's coloring: {refusal}"),
                None => "stock: this kernel as it is".to_owned(),
            },
            (Backend::Kernel, Ok(colors)) => {
                let colors = &colors[number];
                let list = fresco_dram::color::format_list(&colors.colors);
                format!("kernel: its page coloring, colors {list} of {}", colors.of)
            }
            (Backend::Kernel, Err(_)) => "kernel: its page coloring".to_owned(),
        }
    }
}

/// Options that only the library knows.
pub fn of_the_library(request: &Request) -> Option<&'static str> {
    [
        ("--pool", request.pool_bytes > 0),
        ("--search", request.search_bytes.is_some()),
        ("--stats", request.stats),
    ]
    .into_iter()
    .find_map(|(option, given)| given.then_some(option))
}
