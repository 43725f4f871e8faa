// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map domains`: parts of the memory whose rows are so far apart that hammering rows of one flips no bits of another.

mod report;

use super::source::{Map, SourceArgs, size};
use crate::arguments::integer;
use crate::failure::Outcome;
use crate::output;
use fresco_dram::color::parse_list;
use fresco_dram::domains::{DomainRequest, MOST_BLAST, Remaps, RowDomains, USUAL_BLAST, USUAL_BYTES};
use fresco_dram::standards;
use fresco_input::{InputError, format_size};
use fresco_machine::Machine;
use report::DomainsReport;
use std::process::ExitCode;

/// Arguments of `fresco map domains`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Needs a map with rows, which is that of a machine. What lies in the guards, and behind the last domain, is to be left unused.

Examples:
  fresco map domains --machine i5-6200u --size 64MiB
  fresco map domains --machine i5-6200u --size 64MiB --page 2MiB --domain 0,1
  fresco map domains --machine epyc-7742 --size 8GiB --blast 2 --mirrored --inverted --list")]
pub struct Args {
    #[command(flatten)]
    source: SourceArgs,

    /// Bytes of each domain with its guards; rounded up to whole rows of all banks
    #[arg(long, value_name = "SIZE", default_value_t = format_size(USUAL_BYTES))]
    size: String,

    /// Rows at this distance or less from one that is hammered may lose bits. 4 is the farthest that DDR5's directed
    /// refresh (DRFM) reaches
    #[arg(long, value_name = "ROWS", default_value_t = USUAL_BLAST, allow_negative_numbers = true, value_parser = integer("--blast", 1..=MOST_BLAST))]
    blast: u32,

    /// Modules mirror addresses in their odd ranks, as DDR4's do that have devices on both sides
    #[arg(long)]
    mirrored: bool,

    /// Modules invert addresses on one side, as registered ones of DDR4 do
    #[arg(long)]
    inverted: bool,

    /// Devices may put rows in any order within aligned blocks of so many
    #[arg(long, value_name = "ROWS", default_value = "1", allow_negative_numbers = true, value_parser = integer("--blocks", 1..=1u32 << 20))]
    blocks: u32,

    /// List the domains
    #[arg(long)]
    list: bool,

    /// The physical addresses of these domains, such as 0-3,8
    #[arg(long, value_name = "DOMAINS")]
    domain: Option<String>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Divides the memory and shows the parts.
pub fn run(args: &Args) -> Outcome {
    let source = args.source.load(None)?;
    let Map::Machine(machine) = &source.map else {
        return Err(
            InputError::new(source.name.clone(), "found functions of banks alone, not of rows")
                .allowed("the map of a machine")
                .help("name one with --machine")
                .into(),
        );
    };
    let domain_bytes = size("--size", &args.size, 1..=1 << 50)?;
    let request = DomainRequest {
        page_bytes: source.page_bytes,
        domain_bytes,
        blast: args.blast,
        remaps: remaps(args, machine)?,
    };
    let domains = RowDomains::new(&machine.memory.map, request)
        .map_err(|error| error.into_input(&source.name, |key| format!("--{key}")))?;
    let all = domains.parts().len() as u32 * domains.domains_each();
    let wanted = match &args.domain {
        Some(list) => parse_list(list, all, "--domain")?,
        None => Vec::new(),
    };
    let report = DomainsReport::new(source.view(), &domains, &wanted);
    output::print(args.json, "fresco-map-domains/1", &source.provenance(), &report, || {
        report.tables(&source.name, args.list)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What may change the order of rows.
fn remaps(args: &Args, machine: &Machine) -> Result<Remaps, InputError> {
    let standard = &machine.memory.timing.standard;
    let known = standards::generation(standard).is_ok_and(Remaps::known_of);
    let given = [("--mirrored", args.mirrored), ("--inverted", args.inverted)];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| *given && !known) {
        return Err(InputError::new(option, format!("found it for {standard}"))
            .allowed("it with DDR4, whose order of address bits on modules is known here")
            .help("leave it out; --blocks covers rows that move within blocks"));
    }
    if !args.blocks.is_power_of_two() || args.blocks > machine.memory.organisation.rows {
        return Err(InputError::new("--blocks", format!("found {}", args.blocks))
            .allowed(format!(
                "a power of two up to {}, the rows of a bank",
                machine.memory.organisation.rows
            ))
            .help("round it up to one"));
    }
    Ok(Remaps {
        mirrored: args.mirrored,
        inverted: args.inverted,
        block: args.blocks,
    })
}
