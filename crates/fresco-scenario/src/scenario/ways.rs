// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ways` of a task: the ways of the last-level cache that its lines come into.

use fresco_dram::color::format_list;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;

/// As Linux' resctrl has it, a mask has a way at least, and only where the processor says so (`sparse_masks`) ways that are no neighbors.
pub(super) fn read(table: &Table<'_>, machine: &Machine) -> Result<Option<u128>, InputError> {
    if !table.has("ways") {
        return Ok(None);
    }
    let Some(llc) = &machine.llc else {
        return Err(table
            .error_at("ways", "found ways, but the machine has no last-level cache")
            .allowed("ways of a last-level cache")
            .help("remove them, or choose a machine with [llc]"));
    };
    let last = llc.cache.ways - 1;
    let ways = table.opt_numbers("ways", 0..=last)?.unwrap_or_default();
    let mask = ways.iter().fold(0u128, |mask, way| mask | 1 << way);
    let is_run = mask != 0 && (mask >> mask.trailing_zeros()).wrapping_add(1).is_power_of_two();
    if mask == 0 || !is_run && mask != u128::MAX && !llc.sparse_masks {
        let found = match mask {
            0 => "found no way".to_owned(),
            _ => format!("found ways {}, with others between them", format_list(&ways)),
        };
        let allowed = format!("some of the ways 0 to {last}, all neighbors: masks of the processor are of one piece");
        return Err(table
            .error_at("ways", found)
            .allowed(allowed)
            .help("name neighbors, such as \"0-3\", or set llc.sparse_masks = true if the processor takes others"));
    }
    Ok(Some(mask))
}
