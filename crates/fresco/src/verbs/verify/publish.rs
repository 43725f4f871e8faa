// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco verify --openmetrics`: what each look found, for Prometheus.

use super::Args;
use crate::failure::Failure;
use crate::openmetrics::{Labels, Place, Samples};
use crate::stop::Stop;
use fresco_input::InputError;
use std::convert::Infallible;
use std::time::Duration;

/// Where looks are published; nowhere if nobody asked.
pub struct Published(Option<(Place, Stop)>);

impl Published {
    /// Opens what `--openmetrics` names.
    ///
    /// # Errors
    /// It cannot be opened; a socket without `--watch`.
    pub fn open(args: &Args) -> Result<Self, InputError> {
        let Some(target) = &args.openmetrics else {
            return Ok(Self(None));
        };
        if target.is_socket() && args.watch.is_none() {
            return Err(
                InputError::new("--openmetrics", "found a socket, and one look to be told")
                    .allowed("a socket with --watch, or a file")
                    .help("add --watch 15"),
            );
        }
        Ok(Self(Some((target.open()?, Stop::on_any_end()))))
    }

    /// Puts a look into the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, look: impl FnOnce() -> Samples) -> Result<(), Failure> {
        match &self.0 {
            Some((place, _)) => Ok(place.put(&look().text())?),
            None => Ok(()),
        }
    }

    /// Waits so many seconds, answering who asks by the last look. Returns true if an end was asked for meanwhile.
    pub fn wait(&self, seconds: u32, look: impl Fn() -> Samples) -> bool {
        let length = Duration::from_secs(seconds.into());
        let Some((place, stop)) = &self.0 else {
            std::thread::sleep(length);
            return false;
        };
        let told = || Ok::<_, Infallible>(look().text());
        let Ok(()) = place.wait(Some(length), stop, told);
        stop.is_asked()
    }
}

/// What names a process; `task` of a plan's.
pub fn process(task: Option<&str>, pid: u32, program: &str) -> Labels {
    let mut labels = vec![("pid", pid.to_string()), ("program", program.to_owned())];
    labels.extend(task.map(|task| ("task", task.to_owned())));
    labels
}

/// The labels with one more.
pub fn and(mut labels: Labels, name: &'static str, value: impl Into<String>) -> Labels {
    labels.push((name, value.into()));
    labels
}
