// SPDX-License-Identifier: MIT OR Apache-2.0
//! `memory.density`: what one device holds, which decides tRFC, and whether the organisation is made of such devices.

use fresco_dram::Organisation;
use fresco_dram::density::DENSITIES_GBIT;
use fresco_input::{InputError, Table};

/// Data widths of devices, in bits (JESD79, JESD209: x4, x8, x16, x32).
const WIDTHS: [u32; 4] = [4, 8, 16, 32];
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
        .text()?
        .trim()
        .strip_suffix("Gb")
        .and_then(|number| number.trim().parse().ok());
    let found = || explain(item.error(format!("found {}", item.describe())));
    number.filter(|gbit| DENSITIES_GBIT.contains(gbit)).ok_or_else(found)
}

/// A rank is made of devices side by side, each with all banks, rows and columns of the rank and a part of the bus: so
/// the density is banks * rows * columns * width. Where devices have several channels (LPDDR4) or sub-channels (DDR5),
/// density and width are those of the part that serves one of them.
///
/// Not asked for where `density_scales_refresh_only` is set: to see what tRFC alone does, the density is varied and the
/// organisation kept (REF-17).
pub(super) fn check(memory: &Table<'_>, density_gbit: u32, org: &Organisation) -> Result<(), InputError> {
    if memory.opt_boolean(REFRESH_ONLY)?.unwrap_or(false) {
        return Ok(());
    }
    let (banks, rows, columns) = (org.bank_groups * org.banks, org.rows, org.columns);
    let cells = [banks, rows, columns].into_iter().map(u128::from).product::<u128>();
    let bus_bits = org.bus_bytes * 8;
    let widths = || WIDTHS.into_iter().filter(|width| *width <= bus_bits);
    if widths().any(|width| cells * u128::from(width) == u128::from(density_gbit) << 30) {
        return Ok(());
    }
    let choices: Vec<String> = widths()
        .map(|width| format!("{} (x{width})", bits(cells * u128::from(width))))
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
