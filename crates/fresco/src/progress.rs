// SPDX-License-Identifier: MIT OR Apache-2.0
//! A progress bar on standard error; where that is no terminal, its line once a minute.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};
use std::fmt;
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

/// A counter of instructions beside a program that may write to the terminal itself: then, and where there is no terminal, a line once a
/// minute; none at all unless `wanted`.
pub fn beside_a_program(what: &str, wanted: bool) -> ProgressBar {
    let alone = is_drawn() && !io::stdout().is_terminal();
    let target = match (wanted, alone) {
        (false, _) => ProgressDrawTarget::hidden(),
        (true, true) => ProgressDrawTarget::stderr(),
        (true, false) => ProgressDrawTarget::term_like(Box::new(Log::new())),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template("{msg}: {human_pos} instructions in {elapsed}, {speed}");
    let speed = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{} a second", HumanCount(state.per_sec() as u64));
    };
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key("speed", speed),
    );
    bar.set_message(what.to_owned());
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
