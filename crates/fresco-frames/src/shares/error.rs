// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why colors cannot be shared out.

use std::fmt;

/// Threads would have to share what each was to have alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareError {
    /// Threads that want colors.
    pub threads: usize,
    /// So many of them, the first ones, could have them.
    pub fit: usize,
    /// What overlaps.
    pub shared: Shared,
}

/// What there is too little of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shared {
    /// Bank colors of a node.
    Banks {
        /// The node; `None` for the whole machine.
        node: Option<u32>,
        /// Colors that are there.
        colors: usize,
        /// Threads, or groups of threads, that want at least one each.
        wanting: usize,
    },
    /// LLC colors.
    Llc {
        /// Number of the cache; `None` for all caches together.
        cache: Option<u32>,
        /// Colors that are there.
        colors: usize,
        /// Threads, or groups of threads, that want at least one each.
        wanting: usize,
    },
    /// A thread's bank colors and LLC colors exist, but no frame has one of each (CON-5).
    Pairs {
        /// The thread, from 0.
        thread: usize,
        /// Its bank colors.
        banks: String,
        /// Its LLC colors.
        llc: String,
    },
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Banks { node, colors, wanting } => {
                let of = node.map_or_else(String::new, |node| format!(" of node {node}"));
                write!(
                    f,
                    "{wanting} threads or groups would share the {colors} free bank colors{of}"
                )
            }
            Self::Llc { cache, colors, wanting } => {
                let of = cache.map_or_else(String::new, |cache| format!(" of cache {cache}"));
                write!(
                    f,
                    "{wanting} threads or groups would share the {colors} free LLC colors{of}"
                )
            }
            Self::Pairs { thread, banks, llc } => write!(
                f,
                "what is left for thread {thread}, bank colors {banks} and LLC colors {llc}, overlaps in address bits and \
                 has no frame in common"
            ),
        }
    }
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, fit, shared } = self;
        write!(
            f,
            "no colors of their own for {threads} threads: {shared}; {fit} would fit"
        )
    }
}

impl std::error::Error for ShareError {}
