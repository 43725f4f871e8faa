// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a detection is kept: bank functions that hold for all of this machine's memory.

use fresco_detect::{Detection, LINE_BITS};
use fresco_dram::AddressMap;
use fresco_dram::gf2::bits_of;
use fresco_dram::map::BankMap;
use fresco_linux::probe::ProvedMap;
use fresco_linux::probe::firmware::Identity;
use fresco_linux::proc::ram_ranges;
use fresco_report::Provenance;
use std::ops::Range;
use std::path::Path;

/// A map that timing found, ready to be kept.
///
/// # Errors
/// Why it is not kept: it cannot be said in functions and one offset, or it is not known for all of the memory.
pub fn found_by_timing(found: &Detection, provenance: &Provenance) -> Result<ProvedMap, String> {
    let Some(solution) = found.solution.as_ref().filter(|_| found.verdict.has_map()) else {
        return Err(format!("the verdict is {}", found.verdict));
    };
    let masks = solution
        .model
        .masks()
        .ok_or("bank functions alone do not say an odd interleave")?;
    let ram = ram_ranges(Path::new("/proc")).ok_or("the kernel does not tell where memory lies")?;
    let open = varying(&ram) & solution.fixed as u64;
    if open != 0 {
        let bits: Vec<String> = bits_of(open).map(|bit| bit.to_string()).collect();
        return Err(format!(
            "bits {} of the addresses did not vary in what was probed: try again with more --memory",
            bits.join(", ")
        ));
    }
    let mut offsets = solution.model.form.spans.iter().map(|span| span.offset);
    let offset = offsets.next().unwrap_or(0);
    if offsets.any(|other| other != offset) || !solution.alias_offsets.is_empty() {
        return Err(
            "what is subtracted from addresses is not the same, or not certain, for all of the memory".to_owned(),
        );
    }
    proved(masks, offset, &found.verdict.to_string(), provenance)
}

/// A map that registers of this machine describe, ready to be kept.
///
/// # Errors
/// Why it is not kept: nodes or offsets differ by range.
pub fn read_from_registers(map: &AddressMap, provenance: &Provenance) -> Result<ProvedMap, String> {
    let regions = map.regions();
    let first = &regions[0];
    let alike = regions
        .iter()
        .all(|region| region.offset == first.offset && region.functions == first.functions);
    if !alike || (map.organisation().nodes > 1 && first.node.is_some()) {
        return Err("bank functions alone do not say nodes or offsets that differ by range".to_owned());
    }
    let masks = first.functions.selectors().map(|(_, mask)| mask).collect();
    proved(masks, first.offset, "registers", provenance)
}

fn proved(masks: Vec<u64>, offset: u64, proof: &str, provenance: &Provenance) -> Result<ProvedMap, String> {
    let map = BankMap::new(masks, offset).map_err(|error| error.to_string())?;
    let machine = Identity::read(Path::new("/"));
    Ok(ProvedMap::new(
        &map,
        proof,
        &provenance.tool_line(),
        &provenance.command,
        machine,
    ))
}

/// Address bits above a line that are both 0 and 1 somewhere in `ram`.
fn varying(ram: &[Range<u64>]) -> u64 {
    let (low, high) = ram.iter().fold((u64::MAX, 0), |(low, high), range| {
        (low.min(range.start), high.max(range.end.saturating_sub(1)))
    });
    let reach = 64 - (low.min(high) ^ high).leading_zeros();
    (u64::MAX >> (64 - reach.clamp(1, 64))) >> LINE_BITS << LINE_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn bits_below_the_highest_difference_vary() {
        assert_eq!(varying(&[0..1 << 30]), (1 << 30) - 64);
        assert_eq!(varying(&[1 << 20..1 << 30, 1 << 32..3 << 31]), (1 << 33) - 64);
    }

    #[test]
    fn registers_of_nodes_by_range_are_not_kept() {
        let by_range = fresco_machine::builtin("opteron-6128").expect("a built-in machine");
        let one = fresco_machine::builtin("xeon-w3530").expect("a built-in machine");
        let provenance = Provenance::new("0", "fresco map detect", None);
        assert!(read_from_registers(&by_range.memory.map, &provenance).is_err());
        let kept = read_from_registers(&one.memory.map, &provenance).expect("one node");
        assert_eq!(kept.map("m").expect("a map").functions().len(), 4);
    }
}
