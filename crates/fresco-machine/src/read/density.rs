// SPDX-License-Identifier: MIT OR Apache-2.0
//! `memory.density`: what one device holds, which decides tRFC, and whether the organisation is made of such devices, and of which width.

use fresco_dram::Organisation;
use fresco_dram::density::DENSITIES_GBIT;
use fresco_dram::standards;
use fresco_input::{InputError, Table};

/// The key that lets the density stand beside an organisation of another size.
const REFRESH_ONLY: &str = "density_scales_refresh_only";

/// Density of one device in Gbit: an integer or a text such as `"4 Gb"`.
pub(super) fn read(memory: &Table<'_>) -> Result<u32, InputError> {
    let allowed = format!(
        "{} to {} Gbit, for example \"4 Gb\"",
        DENSITIES_GBIT.start(),
        DENSITIES_GBIT.end()
    );
    let explain = |error: InputError| {
        error
            .allowed(allowed.clone())
            .help("write the density of one device in Gbit")
    };
    let item = memory.item("density", &allowed)?;
    if !item.is_text() {
        return item.integer(DENSITIES_GBIT).map_err(explain);
    }
    let number = item
        .text_like(r"^\s*[0-9]+\s*Gb\s*$")?
        .trim()
        .strip_suffix("Gb")
        .and_then(|number| number.trim().parse().ok());
    let found = || explain(item.error(format!("found {}", item.describe())));
    number.filter(|gbit| DENSITIES_GBIT.contains(gbit)).ok_or_else(found)
}

/// Data width of the devices in bits, one of those of which the timing is `known`, with their bank groups: it decides how many rows may
/// be opened, and when.
///
/// A rank is made of devices side by side, each with all banks, rows and columns of the rank and a part of the bus: so
/// the density is banks * rows * columns * width. Where devices have several channels (LPDDR4) or sub-channels (DDR5),
/// density and width are those of the part that serves one of them.
///
/// Not asked for where `density_scales_refresh_only` is set: to see what tRFC alone does, the density is varied and the
/// organisation kept (REF-17). The width is then that of the standard's usual device.
pub(super) fn width(
    memory: &Table<'_>,
    (density_gbit, known): (u32, &[(u32, u32)]),
    org: &Organisation,
) -> Result<Option<u32>, InputError> {
    if memory.opt_boolean(REFRESH_ONLY)?.unwrap_or(false) {
        return Ok(None);
    }
    let (banks, rows, columns) = (org.bank_groups * org.banks, org.rows, org.columns);
    let cells = [banks, rows, columns].into_iter().map(u128::from).product::<u128>();
    let bus_bits = org.bus_bytes * 8;
    let widths = || known.iter().filter(|(width, _)| *width <= bus_bits);
    if widths().next().is_none() {
        let error = memory
            .table("organisation")?
            .error_at("bus_bytes", format!("found a bus of {bus_bits} bits"));
        let narrowest = known.iter().map(|(width, _)| width).min().copied().unwrap_or(8);
        return Err(error
            .allowed(format!(
                "{narrowest} bits or more, the width of the narrowest device of the standard"
            ))
            .help("correct bus_bytes, or choose another standard"));
    }
    let of_density = |width: u32| cells * u128::from(width) == u128::from(density_gbit) << 30;
    if let Some((width, groups)) = widths().find(|(width, _)| of_density(*width)) {
        return check_groups(memory, (*width, *groups), org).map(|()| Some(*width));
    }
    let choices: Vec<String> = widths()
        .map(|(width, _)| format!("{} (x{width})", bits(cells * u128::from(*width))))
        .collect();
    let found = format!("found {density_gbit} Gb for {banks} banks of {rows} rows of {columns} columns");
    let help = format!(
        "correct the density, or rows, columns or banks of [memory.organisation]; to scale tRFC alone, set \
         memory.{REFRESH_ONLY} = true"
    );
    Err(memory
        .error_at("density", found)
        .allowed(format!(
            "banks * rows * columns * width of a device: {}",
            choices.join(", ")
        ))
        .help(help))
}

/// Devices of each width have as many bank groups as the standard says.
fn check_groups(memory: &Table<'_>, (width, groups): (u32, u32), org: &Organisation) -> Result<(), InputError> {
    if org.bank_groups == groups {
        return Ok(());
    }
    let organisation = memory.table("organisation")?;
    let plural = if org.bank_groups == 1 { "" } else { "s" };
    let found = format!("found {} bank group{plural} of x{width} devices", org.bank_groups);
    let given = organisation.has("bank_groups");
    let key = if given { "bank_groups" } else { "banks" };
    let allowed = format!("bank_groups = {groups}");
    let help = "the width follows from density = banks * rows * columns * width, with the banks of all groups: correct bank_groups or one of these; to scale tRFC alone, set \
                memory.density_scales_refresh_only = true";
    Err(organisation.error_at(key, found).allowed(allowed).help(help))
}

/// A grade of one mode of its devices has the banks of that mode, also where the density scales refresh alone.
pub(super) fn check_banks(memory: &Table<'_>, standard: &str, org: &Organisation) -> Result<(), InputError> {
    let banks = org.banks_per_rank();
    match standards::banks_of_mode(standard) {
        Ok(Some(of_mode)) if of_mode != banks => {
            let error = memory
                .table("organisation")?
                .error_at("banks", format!("found {banks} banks in a rank, those of all groups"));
            Err(error
                .allowed(format!("{of_mode}, the banks of the mode that {standard} is the timing of"))
                .help(
                    "a pseudo-channel of HBM2 or HBM3 has 4 groups of 4 banks; LPDDR5 with 4 groups of 4 banks is lpddr5-6400 or lpddr5x-8533, with 8 banks lpddr5-6400-8b; 16 banks without groups, \
                     for up to 3200 MT/s, have no data",
                ))
        }
        _ => Ok(()),
    }
}

/// A number of bits, a power of two, as data sheets write it.
fn bits(bits: u128) -> String {
    let unit = [(30, "Gb"), (20, "Mb"), (10, "Kb")]
        .into_iter()
        .find(|(power, _)| bits >> power > 0);
    unit.map_or_else(
        || format!("{bits} b"),
        |(power, name)| format!("{} {name}", bits >> power),
    )
}
