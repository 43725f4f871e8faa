// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[memory.rfm]` and `[memory.prac]`: what devices of DDR5 ask for where rows are opened often.

use fresco_dram::standards::{Device, FineRefresh};
use fresco_dram::{Prac, Rfm, Timing};
use fresco_input::{InputError, Table};

/// Refresh management of devices that are refreshed in this mode, if the file has the table.
pub(super) fn rfm(memory: &Table<'_>, mode: FineRefresh) -> Result<Option<Rfm>, InputError> {
    let Some(table) = memory.opt_table("rfm")? else {
        return Ok(None);
    };
    // Both are known from here on: neither is the other misspelt.
    let _ = ["raaimt", "raammt"].map(|key| table.opt_item(key));
    let fine = mode != FineRefresh::X1;
    let in_mode = if fine {
        "with this fine_refresh"
    } else {
        "without fine_refresh"
    };
    let raaimt = one_of(&table, "raaimt", &Rfm::thresholds(fine), in_mode)?;
    let with = format!("{in_mode} and with raaimt = {raaimt}");
    let raammt = one_of(&table, "raammt", &Rfm::maxima(raaimt, fine), &with)?;
    let half = table
        .opt_choice("per_refresh", &[("raaimt", false), ("half", true)])?
        .unwrap_or(false);
    let same_bank = table
        .opt_choice("command", &[("all-bank", false), ("same-bank", true)])?
        .unwrap_or(false);
    table.finish()?;
    Ok(Some(Rfm {
        raaimt,
        raammt,
        per_refresh: if half { raaimt / 2 } else { raaimt },
        same_bank,
    }))
}

/// A number of activations that mode register 58 has a code for: one of `codes`, those `with` the keys before.
fn one_of(table: &Table<'_>, key: &str, codes: &[u32], with: &str) -> Result<u32, InputError> {
    let listed: Vec<String> = codes.iter().map(u32::to_string).collect();
    let allowed = format!("{with} one of {}, in activations", listed.join(", "));
    let item = table.item(key, &allowed)?;
    let found = item
        .integer(0..=u32::MAX)
        .map_err(|error| error.allowed(allowed.clone()))?;
    if codes.contains(&found) {
        return Ok(found);
    }
    let error = item.error(format!("found {found}")).allowed(allowed);
    Err(error.help("write what mode register 58 of the devices says"))
}

/// Refuses an RFMsb of devices that have no such command.
pub(super) fn check(memory: &Table<'_>, device: &Device, timing: &Timing) -> Result<(), InputError> {
    match &device.rfm {
        Some(rfm) if rfm.same_bank && timing.rfc_sb == 0 => {
            let table = memory.table("rfm")?;
            let error = table.error_at(
                "command",
                "found same-bank, with memory.timing.rfc_sb = 0: no such command",
            );
            Err(error
                .allowed("all-bank, or a time of the command in memory.timing.rfc_sb")
                .help("write command = \"all-bank\", or correct rfc_sb"))
        }
        _ => Ok(()),
    }
}

/// Per-row activation counting, if the file has the table.
pub(super) fn prac(memory: &Table<'_>) -> Result<Option<Prac>, InputError> {
    let Some(table) = memory.opt_table("prac")? else {
        return Ok(None);
    };
    let threshold = table.integer("threshold", 1..=1 << 20)?;
    let allowed = "1, 2 or 4";
    let item = table.item("level", allowed)?;
    let level = item.integer(1..=4).map_err(|error| error.allowed(allowed))?;
    if !Prac::LEVELS.contains(&level) {
        let error = item.error(format!("found {level}"));
        return Err(error
            .allowed(allowed)
            .help("write how many RFMab answer an alert, as the devices' mode registers have it"));
    }
    table.finish()?;
    Ok(Some(Prac { threshold, level }))
}
