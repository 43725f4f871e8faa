// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whoever waits for experiments: is told how far they are, and may end them early.

use crate::System;

/// Is told of work that takes long, and says when no more of it is to begin.
pub trait Observer: Sync {
    /// Work of `total` steps begins. What is returned is told of them, and is dropped when the work is over.
    fn begin(&self, what: &str, total: u64) -> Box<dyn Steps>;

    /// Returns true if nothing is to begin any more. Once true, it stays so.
    fn is_stopped(&self) -> bool;

    /// The claims of a system have been judged, while those of others may not have been.
    fn judged(&self, system: &System) {
        let _ = system;
    }
}

/// The steps of one piece of work, of which any thread tells.
pub trait Steps: Send + Sync {
    /// The next steps are of this.
    fn name(&self, what: &str);

    /// A step is over.
    fn step(&self);
}

/// Hears nothing and stops nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn begin(&self, _: &str, _: u64) -> Box<dyn Steps> {
        Box::new(Self)
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

impl Steps for Unobserved {
    fn name(&self, _: &str) {}

    fn step(&self) {}
}
