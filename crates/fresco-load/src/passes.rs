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
        self.started().for_each(|marker| recorder.mark(marker));
    }

    /// Call at the end of each pass.
    pub fn finish(&mut self, recorder: &mut Recorder<'_>) {
        self.finished().for_each(|marker| recorder.mark(marker));
    }

    /// The marks at the start of a pass.
    pub fn started(&self) -> impl Iterator<Item = Marker> + use<> {
        (self.done == self.warmup).then_some(Marker::Begin).into_iter()
    }

    /// Counts a pass that has ended. The marks at its end.
    pub fn finished(&mut self) -> impl Iterator<Item = Marker> + use<> {
        self.done += 1;
        let pass = (self.done > self.warmup).then_some(Marker::Pass);
        let end = self.over().then_some(Marker::End);
        pass.into_iter().chain(end)
    }

    /// Returns true if all passes have been made.
    pub fn over(&self) -> bool {
        self.measured > 0 && self.done == self.warmup.saturating_add(self.measured)
    }
}
