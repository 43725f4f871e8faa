// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library, on any kernel: it is put before the program, and chooses frames by trying.

use super::kernel::release;
use super::{Backend, Prepared, Provider, Unable};
use crate::census::{Census, Tally};
use crate::colors::Request;
use crate::launch::{LIBRARY_NAME, Means, check_library, find_library, preload_value, probe};
use crate::proc::{Kind, Process};
use rustix::thread::disable_transparent_huge_pages;
use std::ffi::{OsStr, OsString};
use std::process::Command;

pub(super) struct Stock;

impl Provider for Stock {
    fn name(&self) -> &'static str {
        "stock"
    }

    fn what(&self) -> &'static str {
        "this kernel as it is"
    }

    fn covered(&self) -> &'static str {
        "heap (malloc and its family) and private anonymous mappings, of children too once they allocate"
    }

    fn not_covered(&self) -> &'static str {
        "program text, data, libraries, stacks, files, shared memory; pages copied after a fork, for some seconds"
    }

    fn when_full(&self) -> &'static str {
        "allocations fail"
    }

    fn searches(&self) -> bool {
        true
    }

    fn needs_loader(&self) -> bool {
        true
    }

    fn covers(&self, kind: Kind) -> bool {
        kind == Kind::Covered
    }

    fn judged(&self, census: &Census) -> (Tally, &'static str) {
        let covered = || census.tally(|kind| self.covers(kind));
        if census.is_collecting() {
            let words = "nothing yet: the pool is being collected, the program has not begun";
            return (covered(), words);
        }
        match census.has_covered() {
            true => {
                let words = "memory that the stock back end covers: heap and anonymous mappings";
                (covered(), words)
            }
            // Of a process that nothing covers, what a kernel would cover is of interest.
            false => {
                let words = "all anonymous memory: none of it is covered by a back end";
                (census.tally(Kind::is_anonymous), words)
            }
        }
    }

    fn state(&self, process: &Process, census: Option<&Census>) -> &'static str {
        match census {
            _ if !process.has_library() => "library not loaded",
            None => "cannot be seen",
            Some(census) if census.is_collecting() => "collecting its pool",
            Some(census) if !census.has_covered() => "not covered yet",
            Some(_) => "covered",
        }
    }

    fn probe(&self, _: &[&Request]) -> Result<Box<dyn Prepared>, Unable> {
        probe().map_err(|refusal| Unable {
            reason: refusal.to_string(),
            is_absent: false,
        })?;
        Ok(Box::new(Placing))
    }
}

/// Frames can be placed.
#[derive(Debug)]
struct Placing;

impl Prepared for Placing {
    fn means(&self, _: usize) -> Result<Box<dyn Means>, String> {
        let preload = preload().map_err(|reason| format!("no library can be put before programs: {reason}"))?;
        Ok(Box::new(Library { preload }))
    }

    fn words(&self, _: usize) -> String {
        String::new()
    }
}

/// The value of `LD_PRELOAD`, or why there is none.
fn preload() -> Result<OsString, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let library = find_library(&own).map_err(|places| {
        let places: Vec<String> = places.iter().map(|path| path.display().to_string()).collect();
        format!(
            "{LIBRARY_NAME} is neither {}; `make build` builds it",
            places.join(" nor ")
        )
    })?;
    check_library(&library)?;
    // Libraries that are put before programs already stay.
    let others = std::env::var_os("LD_PRELOAD").filter(|others| others != OsStr::new(""));
    preload_value(&library, others.as_deref()).ok_or_else(|| {
        format!(
            "{} has a blank or colon in its path, which the loader cannot be told",
            library.display()
        )
    })
}

/// The library, put before a program.
#[derive(Debug)]
struct Library {
    preload: OsString,
}

impl Means for Library {
    fn backend(&self) -> Backend {
        Backend::Stock
    }

    fn apply(&self, command: &mut Command, _: &str) {
        // For this process and what it starts. A kernel without the switch has no huge pages either.
        let _ = disable_transparent_huge_pages(true);
        release();
        command.env("LD_PRELOAD", &self.preload);
    }
}
