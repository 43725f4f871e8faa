// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who waits for a verb that makes many runs.

use crate::stop::Stop;
use fresco_system::Observer;
use indicatif::ProgressBar;

/// The user, who sees a bar and may press Ctrl-C.
pub struct User {
    pub bar: ProgressBar,
    pub stop: Stop,
}

impl Observer for User {
    fn planned(&self, runs: u64) {
        self.bar.inc_length(runs);
    }

    fn done(&self) {
        self.bar.inc(1);
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }
}
