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
    let raaimt = table.integer("raaimt", 16..=80)?;
    let raammt = table.integer("raammt", 96..=480)?;
    let fine = mode != FineRefresh::X1;
    if !Rfm::is_coded(raaimt, raammt, fine) {
        let error = table.error_at("raammt", format!("found raaimt = {raaimt} with raammt = {raammt}"));
        return Err(error
            .allowed(match fine {
                false => "raaimt of 32, 40, 48, 56, 64, 72, 80 with 3, 4, 5 or 6 times as many",
                true => "with this fine_refresh raaimt of 16, 20, 24, 28, 32, 36, 40 with 6, 8, 10 or 12 times as many",
            })
            .help("write what mode register 58 of the devices says, both in activations"));
    }
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
