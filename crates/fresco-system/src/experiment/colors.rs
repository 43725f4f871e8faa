// SPDX-License-Identifier: MIT OR Apache-2.0
//! From ranks to the bank colors of page frames.

use fresco_dram::ColorSpace;
use fresco_frames::ColorSet;
use fresco_input::InputError;
use fresco_machine::Machine;

/// The color space of a machine.
pub(crate) fn space(machine: &Machine) -> Result<ColorSpace, InputError> {
    machine.colors().map_err(|error| {
        InputError::new(machine.name.clone(), format!("found a machine without colors: {error}"))
            .help("choose a machine whose banks lie above the page offset")
    })
}

/// The bank colors whose banks all lie in `ranks`, a bit per rank of a channel: what a task may have whose color is
/// these ranks. Empty if rank bits lie inside a page.
///
/// # Errors
/// The machine has no colors.
pub fn colors_of_ranks(machine: &Machine, ranks: u64) -> Result<ColorSet, InputError> {
    let space = space(machine)?;
    let organisation = &machine.memory.organisation;
    let inside = |bank: &u32| {
        let rank = bank / organisation.banks_per_rank() % organisation.ranks;
        ranks >> rank & 1 == 1
    };
    let mut colors = ColorSet::new();
    for color in 0..space.bank_colors() {
        let banks = space.banks(color);
        if !banks.is_empty() && banks.iter().all(inside) {
            colors.insert(color);
        }
    }
    Ok(colors)
}
