// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that this machine has the memory that is asked for, and that the map is that of a machine of its size.

use super::plan::frames;
use fresco_input::{InputError, format_size};
use fresco_linux::backend::Backend;
use fresco_linux::colors::Request;
use fresco_linux::proc::PROC;
use fresco_linux::proc::{available_bytes, ram_ranges};
use std::path::Path;

/// Of this machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes that the map knows.
    pub inside: u64,
    /// All bytes.
    pub all: u64,
}

impl Room {
    /// What the map of the request knows of this machine's memory; `None` where the kernel does not tell where that lies.
    pub fn of(request: &Request) -> Option<Self> {
        let ranges = ram_ranges(Path::new(PROC))?;
        Some(Self {
            inside: request.colors.bytes_within(&ranges),
            all: ranges.iter().map(|range| range.end - range.start).sum(),
        })
    }

    /// Returns true if most of the memory lies outside the map: it may be the map of another machine.
    pub fn is_mostly_outside(self) -> bool {
        self.inside < self.all / 2
    }

    /// Returns true if so little lies inside that frames would be looked for in vain for seconds.
    pub fn is_hopeless(self) -> bool {
        self.inside < self.all / 10
    }

    /// The same in words.
    pub fn words(self, map: &str) -> String {
        let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64);
        format!(
            "{} of this machine's {} lie outside the map {map}, and frames there have no colors",
            gibibytes(self.all.saturating_sub(self.inside)),
            gibibytes(self.all),
        )
    }
}

/// What is to be told where most of the memory lies outside the map and frames are looked for: it may be the map of another machine.
pub fn attention(request: &Request, backend: Backend) -> Option<String> {
    let room = Room::of(request)
        .filter(|room| backend.provider().searches() && room.inside > 0 && room.is_mostly_outside())?;
    Some(room.words(&request.map))
}

/// Why frames would be looked for in vain: there are none of these colors, or hardly any, where the library looks.
pub fn refusal(request: &Request, backend: Backend) -> Option<String> {
    let hopeless = Room::of(request)
        .filter(|room| backend.provider().searches() && room.inside > 0 && room.is_hopeless())
        .filter(|_| request.search_bytes.is_none());
    match hopeless {
        Some(room) => Some(format!(
            "{}; to look for frames nevertheless, say how far: --search SIZE",
            room.words(&request.map)
        )),
        None if frames(request, 1) == Some(0) => Some(format!(
            "this machine's memory has no frame of the colors {}",
            request.asked
        )),
        None => None,
    }
}

/// Refuses a pool that cannot be filled.
pub fn check_pool(request: &Request) -> Result<(), InputError> {
    if request.pool_bytes == 0 {
        return Ok(());
    }
    let page_bytes = 1u64 << request.colors.page_bits();
    let colored = frames(request, u64::MAX).map(|frames| frames.saturating_mul(page_bytes));
    let refuse = |most: u64, of: &str| {
        Err(
            InputError::new("--pool", format!("found {}", format_size(request.pool_bytes)))
                .allowed(format!("at most {}, {of}", format_size(most >> 20 << 20)))
                .help("collect less before the start: the rest is searched for when it is needed"),
        )
    };
    match (colored, available_bytes(Path::new(PROC))) {
        (Some(colored), _) if request.pool_bytes > colored => {
            refuse(colored, "this machine's memory of the colors asked for")
        }
        (_, Some(available)) if request.pool_bytes > available => refuse(available, "the memory that is available"),
        _ => Ok(()),
    }
}
