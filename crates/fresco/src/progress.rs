// SPDX-License-Identifier: MIT OR Apache-2.0
//! A progress bar on standard error; none where that is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar of `total` steps named `what`.
pub fn bar(total: u64, what: &str) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(total), target);
    let style = ProgressStyle::with_template("{msg} [{bar:32}] {pos}/{len} {elapsed} (about {eta} left)");
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> "),
    );
    bar.set_message(what.to_owned());
    bar
}

/// A spinner that counts, for work whose length is not known.
pub fn counter(what: &str) -> ProgressBar {
    let bar = bar(0, what);
    bar.set_style(
        ProgressStyle::with_template("{msg} {human_pos} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}
