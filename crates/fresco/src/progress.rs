// SPDX-License-Identifier: MIT OR Apache-2.0
//! A progress bar on standard error; where that is no terminal, its line once a minute.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Returns true if bars are drawn, not logged.
pub fn is_drawn() -> bool {
    io::stderr().is_terminal()
}

/// A bar of `total` steps named `what`.
pub fn bar(total: u64, what: &str) -> ProgressBar {
    let target = if is_drawn() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::term_like(Box::new(Log::new()))
    };
    let bar = ProgressBar::with_draw_target(Some(total), target);
    // What is left is guessed from the last steps: drawn it is corrected at once, in a log it would stay.
    let style = ProgressStyle::with_template(match is_drawn() {
        true => "{msg} [{bar:32}] {pos}/{len} {elapsed} (about {eta} left)",
        false => "{msg} {pos}/{len} {elapsed}",
    });
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

/// A spinner that tells how long it has taken, for work that does not tell how far it is.
pub fn waiting(what: &str) -> ProgressBar {
    let bar = bar(0, what);
    bar.set_style(ProgressStyle::with_template("{msg} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// From one line of a log to the next.
const LOGGED_EVERY: Duration = Duration::from_secs(60);

/// Standard error that is no terminal: lines are appended, and nothing is drawn over.
#[derive(Debug)]
struct Log {
    /// The last line, or the begin.
    last: Mutex<Instant>,
}

impl Log {
    fn new() -> Self {
        Self {
            last: Mutex::new(Instant::now()),
        }
    }
}

impl TermLike for Log {
    fn width(&self) -> u16 {
        100
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let mut last = self.last.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let line = text.trim();
        if line.is_empty() || last.elapsed() < LOGGED_EVERY {
            return Ok(());
        }
        *last = Instant::now();
        writeln!(io::stderr(), "{line}")
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.write_str(line)
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}
