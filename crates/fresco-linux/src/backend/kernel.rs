// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's page coloring: it chooses the frames of a thread and of all that this starts.

use super::{Backend, KernelColors, KernelRefusal, Prepared, Provider, Tree, Unable, memory_of, ready};
use crate::census::{Census, Tally};
use crate::colors::Request;
use crate::launch::{Means, without_library};
use crate::proc::{Kind, PROC, Process, keep_open};
use crate::sys::{before_exec, clear_page_colors};
use std::path::Path;
use std::process::Command;

pub(super) struct Kernel;

impl Provider for Kernel {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn what(&self) -> &'static str {
        "its page coloring"
    }

    fn covered(&self) -> &'static str {
        "heap, stacks, data, bss, anonymous and shared memory, copies on write, files that it reads first; \
         of all that it starts, also static and set-user-ID programs"
    }

    fn not_covered(&self) -> &'static str {
        "text, libraries and files that are in the page cache already, memory shared with processes without \
         colors, hugetlb pages, what the kernel keeps for itself (page tables, buffers)"
    }

    fn when_full(&self) -> &'static str {
        "the program is killed, and nothing else"
    }

    fn searches(&self) -> bool {
        false
    }

    fn needs_loader(&self) -> bool {
        false
    }

    fn covers(&self, kind: Kind) -> bool {
        kind.is_anonymous()
    }

    fn judged(&self, census: &Census) -> (Tally, &'static str) {
        let words = "all anonymous memory, which the kernel covers: heap, stack, data, copies";
        (census.tally(|kind| self.covers(kind)), words)
    }

    fn state(&self, _: &Process, census: Option<&Census>) -> &'static str {
        match census {
            None => "cannot be seen",
            Some(_) => "covered by the kernel",
        }
    }

    fn probe(&self, requests: &[&Request]) -> Result<Box<dyn Prepared>, Unable> {
        let tree = Tree::find();
        let of = |request: &&Request| ready(tree.as_ref(), request, &memory_of(request, Path::new(PROC)));
        let colors: Result<Vec<KernelColors>, KernelRefusal> = requests.iter().map(of).collect();
        match colors {
            Ok(colors) => Ok(Box::new(Coloring { colors })),
            Err(refusal) => Err(Unable {
                reason: refusal.to_string(),
                is_absent: refusal == KernelRefusal::Absent,
            }),
        }
    }
}

/// The colors of the kernel for each request.
#[derive(Debug)]
struct Coloring {
    colors: Vec<KernelColors>,
}

impl Prepared for Coloring {
    fn means(&self, number: usize) -> Result<Box<dyn Means>, String> {
        Ok(Box::new(self.colors[number].clone()))
    }

    fn words(&self, number: usize) -> String {
        let colors = &self.colors[number];
        let list = fresco_dram::color::format_list(&colors.colors);
        format!(", colors {list} of {}", colors.of)
    }
}

impl Means for KernelColors {
    fn backend(&self) -> Backend {
        Backend::Kernel
    }

    fn apply(&self, command: &mut Command, request: &str) {
        // The library of another request would place frames as well.
        match std::env::var_os("LD_PRELOAD").and_then(|value| without_library(&value)) {
            Some(value) => command.env("LD_PRELOAD", value),
            None => command.env_remove("LD_PRELOAD"),
        };
        let colors = self.clone();
        let text = request.as_bytes().to_vec();
        before_exec(command, move || {
            // Without it the environment is all there is.
            let _ = keep_open(&text);
            colors.take()
        });
    }
}

/// Takes colors that the kernel gave away from the calling thread: those of whoever started it. Kernels without page
/// coloring have nothing to take.
pub fn release() {
    let _ = clear_page_colors();
}
