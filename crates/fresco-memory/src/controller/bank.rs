// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the controller knows of one bank.

use super::pool::{List, NIL};
use fresco_dram::{Cycle, NEVER};
use std::collections::VecDeque;

/// State of one bank and the requests for it.
#[derive(Debug)]
pub(super) struct Bank {
    /// The open row.
    pub row: Option<u32>,
    /// The request whose PRE or ACT was issued last and which has not had its column command; [`NIL`] if none.
    pub begun: u32,
    /// Row hits that have overtaken an older request since the row was opened.
    pub overtakes: u32,
    /// Admitted reads.
    pub reads: List,
    /// Admitted writes.
    pub writes: List,
    /// Reads that wait for a place in this bank's queue (per-bank queues only).
    pub backlog: VecDeque<u32>,
    /// Last cycle of a command for a request.
    pub last_access: Cycle,
    /// Since when a refresh has kept requests away; [`NEVER`] while none does.
    pub refresh_from: Cycle,
    /// The interval that the last issued refresh took away, from becoming due to its end.
    pub refreshed: (Cycle, Cycle),
}

impl Bank {
    pub(super) fn new() -> Self {
        Self {
            row: None,
            begun: NIL,
            overtakes: 0,
            reads: List::default(),
            writes: List::default(),
            backlog: VecDeque::new(),
            last_access: 0,
            refresh_from: NEVER,
            refreshed: (0, 0),
        }
    }

    /// A refresh, or the bank by itself, closes the row.
    pub(super) fn close(&mut self) {
        self.row = None;
        self.begun = NIL;
    }
}
