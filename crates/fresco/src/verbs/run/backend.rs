// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--backend`, and the options that choose one.

use crate::arguments::choice;
use clap::builder::ValueParser;
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

/// An option that is given and only means something to a back end that looks for frames.
pub fn of_a_search(request: &Request) -> Option<&'static str> {
    [
        ("--pool", request.pool_bytes > 0),
        ("--search", request.search_bytes.is_some()),
        ("--stats", request.stats),
    ]
    .into_iter()
    .find_map(|(option, given)| given.then_some(option))
}
