// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often a program goes over its data, and the marks that say where it stands.

use crate::Marker;
use crate::recorder::Recorder;

/// Unmeasured passes, then measured ones.
#[derive(Clone, Debug)]
pub(crate) struct Passes {
    warmup: u64,
    measured: u64,
    done: u64,
}

impl Passes {
    /// `warmup` passes before [`Marker::Begin`], then `measured` ones; 0 measured passes mean without end.
    pub fn new(warmup: u64, measured: u64) -> Self {
        Self {
            warmup,
            measured,
            done: 0,
        }
    }

    /// Call at the start of each pass.
    pub fn start(&self, recorder: &mut Recorder<'_>) {
        if self.done == self.warmup {
            recorder.mark(Marker::Begin);
        }
    }

    /// Call at the end of each pass.
    pub fn finish(&mut self, recorder: &mut Recorder<'_>) {
        self.done += 1;
        if self.done > self.warmup {
            recorder.mark(Marker::Pass);
        }
        if self.over() {
            recorder.mark(Marker::End);
        }
    }

    /// Have all passes been made?
    pub fn over(&self) -> bool {
        self.measured > 0 && self.done == self.warmup.saturating_add(self.measured)
    }
}
