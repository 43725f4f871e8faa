// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--backend`, and the options that choose one.

use crate::arguments::choice;
use clap::builder::ValueParser;
use fresco_input::InputError;
use fresco_linux::backend::{Backend, Wanted};
use fresco_linux::colors::Request;
use std::sync::LazyLock;

/// The argument of `--backend`.
pub fn wanted() -> ValueParser {
    choice("--backend", &CHOICES).into()
}

/// What may be asked for, by name.
static CHOICES: LazyLock<Vec<(&str, Wanted)>> = LazyLock::new(|| {
    let only = Backend::all().map(|backend| (backend.name(), Wanted::Only(backend)));
    std::iter::once(("auto", Wanted::Auto)).chain(only).collect()
});

/// The back end that is wanted for this request: what only one knows that looks for frames chooses that.
pub fn of(wanted: Wanted, request: &Request) -> Result<Wanted, InputError> {
    let Some(option) = of_a_search(request) else {
        return Ok(wanted);
    };
    match wanted {
        Wanted::Only(backend) if !backend.provider().searches() => Err(InputError::new(
            option,
            format!("found it with --backend {}", backend.name()),
        )
        .allowed("--backend stock: the kernel has no frames to look for, and counts in /sys/kernel/mm/page_color")
        .help(format!("leave out {option}"))),
        Wanted::Auto => {
            let searching = Backend::all().find(|backend| backend.provider().searches());
            Ok(searching.map_or(Wanted::Auto, Wanted::Only))
        }
        wanted => Ok(wanted),
    }
}

/// An option that is given and only means something to a back end that looks for frames.
fn of_a_search(request: &Request) -> Option<&'static str> {
    [
        ("--pool", request.pool_bytes > 0),
        ("--search", request.search_bytes.is_some()),
        ("--stats", request.stats),
    ]
    .into_iter()
    .find_map(|(option, given)| given.then_some(option))
}
