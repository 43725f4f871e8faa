// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[l1]`, `[l1i]`, `[l2]` and `[llc]`, each optional, and what they must agree on.

use super::core::latency;
use super::counted;
use super::notation::functions;
use crate::{CacheConfig, CoreConfig, Inclusion, LlcConfig, Replacement};
use fresco_dram::gf2;
use fresco_input::{InputError, Item, Table, format_duration, format_size};

/// 128 B to 512 MiB.
const SIZE: std::ops::RangeInclusive<u64> = 128..=512 << 20;
/// Cache lines of all caches together: 2^24, 1 GiB of 64-byte lines; bounds what a simulation allocates.
const MOST_LINES: u64 = 1 << 24;

/// The caches of a machine.
pub(super) struct Caches {
    pub l1: Option<CacheConfig>,
    pub l1i: Option<CacheConfig>,
    pub l2: Option<CacheConfig>,
    pub llc: Option<LlcConfig>,
}

pub(super) fn read(root: &Table<'_>, core: &CoreConfig, cores: u32) -> Result<Caches, InputError> {
    let private = |key: &str| -> Result<Option<CacheConfig>, InputError> {
        let Some(table) = root.opt_table(key)? else {
            return Ok(None);
        };
        let cache = cache(&table, Some(core), 1)?;
        table.finish()?;
        Ok(Some(cache))
    };
    let l1 = private("l1")?;
    let l1i = root.opt_table("l1i")?.map(code).transpose()?;
    let l2 = private("l2")?;
    let llc = root
        .opt_table("llc")?
        .map(|table| llc(table, core, cores))
        .transpose()?;

    let levels = [
        ("l1i", l1i.as_ref()),
        ("l1", l1.as_ref()),
        ("l2", l2.as_ref()),
        ("llc", llc.as_ref().map(|llc| &llc.cache)),
    ];
    let present: Vec<(&str, &CacheConfig)> = levels
        .iter()
        .filter_map(|(key, cache)| Some((*key, (*cache)?)))
        .collect();
    for pair in present.windows(2) {
        let ((upper_key, upper), (key, lower)) = (pair[0], pair[1]);
        let table = root.table(key)?;
        if lower.line != upper.line {
            let found = format!("found lines of {} bytes, but {} in {upper_key}", lower.line, upper.line);
            return Err(table
                .error_at("line", found)
                .allowed("the same line size in all caches")
                .help("make them equal"));
        }
        if lower.latency < upper.latency {
            let found = format!(
                "found {}, less than the {} of {upper_key}",
                format_duration(lower.latency),
                format_duration(upper.latency)
            );
            let error = table
                .error_at("latency", found)
                .allowed("at least the latency of the cache above");
            return Err(error.help("count each latency from the access of the core, not from the miss above"));
        }
    }
    if llc.as_ref().is_some_and(|llc| llc.inclusion == Inclusion::Exclusive) && l1.is_none() && l2.is_none() {
        let error = root
            .table("llc")?
            .error_at("inclusion", "found exclusive, but neither l1 nor l2");
        return Err(error
            .allowed("exclusive with a private cache: only what leaves one comes into it")
            .help("add [l1] or [l2], or write \"non-inclusive\""));
    }
    let lines = |cache: &CacheConfig| cache.size / u64::from(cache.line);
    let private_lines = l1.as_ref().map_or(0, lines) + l1i.as_ref().map_or(0, lines) + l2.as_ref().map_or(0, lines);
    let shared = llc
        .as_ref()
        .map_or(0, |llc| lines(&llc.cache) * u64::from(cores / llc.cores_per_cache));
    if private_lines * u64::from(cores) + shared > MOST_LINES {
        let found = format!(
            "found caches of {} lines together",
            private_lines * u64::from(cores) + shared
        );
        return Err(root
            .error(found)
            .allowed(format!("at most {MOST_LINES}"))
            .help("write smaller caches or fewer cores"));
    }
    Ok(Caches { l1, l1i, l2, llc })
}

/// An instruction cache. It has no latency: fetch is pipelined, so that a hit costs nothing.
fn code(table: Table<'_>) -> Result<CacheConfig, InputError> {
    if table.opt_item("latency").is_some() {
        return Err(table
            .error_at("latency", "found the latency of an instruction cache")
            .allowed("none: fetch is pipelined, a hit costs nothing")
            .help("remove it"));
    }
    let cache = cache(&table, None, 1)?;
    table.finish()?;
    Ok(cache)
}

fn llc(table: Table<'_>, core: &CoreConfig, cores: u32) -> Result<LlcConfig, InputError> {
    let slice_functions = table
        .opt_item("slices")
        .map(|item| functions(&item))
        .transpose()?
        .unwrap_or_default();
    if slice_functions.len() > 6 {
        let found = format!("found {}", counted(slice_functions.len(), "function"));
        return Err(table
            .error_at("slices", found)
            .allowed("at most 6 functions, 64 slices")
            .help("remove some"));
    }
    let hashed_slices = table.opt_integer("hashed_slices", 2..=256u32)?;
    if hashed_slices.is_some() && !slice_functions.is_empty() {
        return Err(table
            .error_at("hashed_slices", "found both slices and hashed_slices")
            .allowed("functions that choose a slice, or so many slices that a hash chooses")
            .help("remove one of the two"));
    }
    let slices = hashed_slices.map_or(1 << slice_functions.len(), u64::from);
    let cores_per_cache = table.item("cores_per_cache", &format!("an integer from 1 to {cores}"))?;
    let per_cache = cores_per_cache.integer(1..=cores)?;
    if !cores.is_multiple_of(per_cache) {
        let error = cores_per_cache.error(format!("found {per_cache}, which does not divide the {cores} cores"));
        return Err(error
            .allowed("a divisor of the number of cores")
            .help("give every cache the same number of cores"));
    }
    let llc = LlcConfig {
        cache: cache(&table, Some(core), slices)?,
        cores_per_cache: per_cache,
        slice_functions,
        hashed_slices,
        mshrs: table.opt_integer("mshrs", 1..=1024)?,
        inclusion: table
            .opt_choice("inclusion", &Inclusion::ALL.map(|kind| (kind.name(), kind)))?
            .unwrap_or_default(),
        sparse_masks: table.opt_boolean("sparse_masks")?.unwrap_or(false),
    };
    check_slices(&table, &llc)?;
    table.finish()?;
    Ok(llc)
}

/// A line lies in one slice, and every set of every slice is used.
fn check_slices(table: &Table<'_>, llc: &LlcConfig) -> Result<(), InputError> {
    let line_bits = llc.cache.line.trailing_zeros();
    if let Some(mask) = llc
        .slice_functions
        .iter()
        .find(|mask| **mask & ((1 << line_bits) - 1) != 0)
    {
        let found = format!("found a function that reads bit {}", mask.trailing_zeros());
        let error = table.error_at("slices", found);
        return Err(error
            .allowed(format!("bits from {line_bits} up: a line lies in one slice"))
            .help("remove the low bit"));
    }
    let functions = llc.set_functions();
    if (gf2::rank(&functions) as usize) < functions.len() {
        let top = line_bits + llc.sets_per_slice().trailing_zeros() - 1;
        let error = table.error_at("slices", "found functions that leave some sets unused");
        return Err(error
            .allowed(format!(
                "functions independent of each other and of the index bits {line_bits} to {top}"
            ))
            .help("give each a bit above the index; caches interleaved by index bits are one cache of more sets"));
    }
    Ok(())
}

/// A cache of which every one of `slices` equal parts has a power of two of sets; with a latency, in cycles of `core`, if there is one.
fn cache(table: &Table<'_>, core: Option<&CoreConfig>, slices: u64) -> Result<CacheConfig, InputError> {
    let size_item = table.item("size", "a size, such as \"32 KiB\"")?;
    let size = size_item.size(SIZE)?;
    let ways_item = table.item("ways", "an integer from 1 to 128")?;
    let ways: u32 = ways_item.integer(1..=128)?;
    let line = table.power_of_two("line", 16..=1024)?;
    let latency = match core {
        Some(core) => latency(
            &table.item(
                "latency",
                "a duration such as \"1.5 ns\", or core cycles such as \"4 cycles\"",
            )?,
            core,
        )?,
        None => 0,
    };
    let replacement = table.choice("replacement", &Replacement::NAMES)?;
    check_sets(&size_item, size, u64::from(ways) * u64::from(line) * slices)?;
    if replacement == Replacement::TreePlru && !ways.is_power_of_two() {
        let error = table.error_at("replacement", format!("found tree-plru with {ways} ways"));
        let error = error.allowed("tree-plru with a power of two of ways, or another policy");
        return Err(error.help(format!("write \"lru\", or correct {}", ways_item.path())));
    }
    Ok(CacheConfig {
        size,
        ways,
        line,
        latency,
        replacement,
    })
}

/// `size` must be `set_bytes` (one set of every slice) times a power of two.
fn check_sets(item: &Item<'_>, size: u64, set_bytes: u64) -> Result<(), InputError> {
    if size.is_multiple_of(set_bytes) && (size / set_bytes).is_power_of_two() {
        return Ok(());
    }
    let below = set_bytes << (size / set_bytes).max(1).ilog2();
    let sets = match size % set_bytes {
        0 => format!("found {} sets", size / set_bytes),
        _ => format!("found {}, which is no whole number of sets", format_size(size)),
    };
    Err(item
        .error(sets)
        .allowed("size / (ways * line * slices) = a power of two")
        .help(format!(
            "write {} or {}, or correct ways, line or slices",
            format_size(below),
            format_size(2 * below)
        )))
}
