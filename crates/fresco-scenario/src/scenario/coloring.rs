// SPDX-License-Identifier: MIT OR Apache-2.0
//! The colors of a task: `banks`, `banks_each`, `llc`, `colors`.

use super::policy::Chosen;
use super::sharing::Sharing;
use fresco_dram::ColorSpace;
use fresco_frames::{ColorSet, Coloring, Policy};
use fresco_input::{InputError, Item, Table};

/// Reads the colors of a task with `copies` copies, as far as the policy knows them. A copy that waits for its share has
/// [`Coloring::Automatic`] until [`Sharing::share_out`].
pub(crate) fn read(
    table: &Table<'_>,
    space: &ColorSpace,
    chosen: &Chosen,
    copies: usize,
) -> Result<Vec<Coloring>, InputError> {
    let policy = &chosen.frames.policy;
    if *policy == Policy::Buddy {
        let Some(key) = ["banks", "banks_each", "llc", "colors"]
            .into_iter()
            .find(|key| table.has(key))
        else {
            return Ok(vec![Coloring::Off; copies]);
        };
        let error = table
            .error_at(key, "found colors under the policy \"buddy\"")
            .allowed("no colors");
        return Err(error.help("choose another policy.frames, such as \"palloc\" or \"camc\", or remove the colors"));
    }
    let banks = read_banks(table, space, copies)?;
    let llc = table
        .opt_item("llc")
        .map(|item| color_set(&item, "LLC", space.llc_colors()))
        .transpose()?;
    let is_camc = matches!(policy, Policy::Camc(_));
    let is_shared_out = chosen.sharing != Sharing::None;
    let count = if is_camc {
        table.opt_integer("colors", 0..=space.bank_colors())?
    } else if is_shared_out {
        // TINT-7: a task may do without.
        table.opt_integer("colors", 0..=0)?
    } else {
        None
    };
    if count.is_some() && banks.iter().any(Option::is_some) {
        let error = table.error_at("colors", "found both banks and colors");
        let allowed = "banks = \"0-3\" (these), or colors = 4 (so many of the allocator's choice)";
        return Err(error.allowed(allowed).help("remove one of the two"));
    }
    let coloring = |banks: Option<ColorSet>| match (banks, count) {
        (None, Some(0)) => Coloring::Off,
        // CAMC-6: one color by default.
        (None, count) if is_camc => Coloring::Automatic {
            colors: count.unwrap_or(1),
            llc: llc.clone(),
        },
        (None, _) if llc.is_none() && is_shared_out => Coloring::automatic(),
        (None, _) if llc.is_none() => Coloring::Off,
        (banks, _) => Coloring::Explicit {
            banks,
            llc: llc.clone(),
        },
    };
    Ok(banks.into_iter().map(coloring).collect())
}

/// `banks` for all copies, or `banks_each`: a list with the banks of each.
fn read_banks(table: &Table<'_>, space: &ColorSpace, copies: usize) -> Result<Vec<Option<ColorSet>>, InputError> {
    let set = |item: &Item<'_>| color_set(item, "bank", space.bank_colors());
    let all = table.opt_item("banks").map(|item| set(&item)).transpose()?;
    let Some(item) = table.opt_item("banks_each") else {
        return Ok(vec![all; copies]);
    };
    if all.is_some() {
        let error = item.error("found both banks and banks_each").allowed("one of the two");
        return Err(error.help("remove one of the two"));
    }
    let each = item.list()?;
    if each.len() != copies {
        let error = item.error(format!("found banks for {} copies", each.len()));
        return Err(error
            .allowed(format!("a list of {copies}: one for each core"))
            .help("name the banks of every copy"));
    }
    each.iter().map(|item| set(item).map(Some)).collect()
}

/// `3`, `"0-3,8"`, `[0, 8]`, or the bit pattern `"[00XX]"` of PALLOC (MAP-7, PAL-10).
fn color_set(item: &Item<'_>, kind: &str, colors: u32) -> Result<ColorSet, InputError> {
    let there_are = match colors {
        1 => format!("{kind} color 0 only: this machine has one"),
        _ => format!("{kind} colors 0 to {} of this machine, such as \"0-3,8\"", colors - 1),
    };
    let pattern = item
        .text_like(r"^\[[0-9A-Za-z]*\]$")
        .ok()
        .and_then(|text| text.strip_prefix('[')?.strip_suffix(']'));
    let Some(pattern) = pattern else {
        let numbers = item
            .numbers(0..=colors - 1)
            .map_err(|error| error.allowed(there_are.clone()))?;
        if numbers.is_empty() {
            let error = item.error("found no color").allowed(there_are);
            return Err(error.help("name a color, or remove the key for all of them"));
        }
        return Ok(numbers.into_iter().collect());
    };
    let bits = colors.trailing_zeros();
    let set = ColorSet::from_bit_pattern(pattern)
        .ok()
        .filter(|_| pattern.len() == bits as usize);
    set.filter(|_| colors.is_power_of_two()).ok_or_else(|| {
        let allowed = match colors.is_power_of_two() && bits > 0 {
            true => format!("a pattern of {bits} of the characters 0, 1 and X, or {there_are}"),
            false => there_are,
        };
        item.error(format!("found the pattern [{pattern}]"))
            .allowed(allowed)
            .help("one character per color bit")
    })
}
