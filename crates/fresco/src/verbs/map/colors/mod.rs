// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map colors`: what pages of a map can be told apart by.

mod listing;
mod proof;

use super::source::{Map, Source, SourceArgs};
use crate::failure::{Outcome, WANTING};
use crate::output;
use fresco_dram::ColorSpace;
use fresco_dram::color::{BitPattern, parse_list};
use fresco_input::InputError;
use listing::ColorsReport;
use proof::Proof;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco map colors`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit status: 1 if colors to be proven disjoint (--disjoint) share a bank.")]
#[command(group(clap::ArgGroup::new("selection").args(["banks", "disjoint", "pattern"])))]
pub struct Args {
    /// A file of bank functions: map.txt, PALLOC masks or hexadecimal masks; without it and --machine, the map
    /// last proved for this machine
    #[arg(conflicts_with = "machine")]
    file: Option<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,

    /// Only these bank colors, such as 0-3,8, and where each of their banks is
    #[arg(long, value_name = "COLORS")]
    banks: Option<String>,

    /// Prove that two bank colors (or lists of them) share no bank, or name the banks they share
    #[arg(long, num_args = 1..=2, value_names = ["A", "B"])]
    disjoint: Option<Vec<String>>,

    /// Only the colors of a PALLOC bitmap such as `[00XX]`; --bits says over which address bits
    #[arg(long, value_name = "PATTERN", requires = "bits")]
    pattern: Option<String>,

    /// The address bits of --pattern in its order, such as 20,19,13,12
    #[arg(long, value_name = "BITS", requires = "pattern")]
    bits: Option<String>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Counts, names and lists the colors.
pub fn run(args: &Args) -> Outcome {
    let source = args.source.load(args.file.as_deref())?;
    let space = source.colors()?;
    let proof = match args.disjoint.as_deref() {
        Some([a, b]) => Some(Proof::new(
            &space,
            &existing(&space, a, "--disjoint")?,
            &existing(&space, b, "--disjoint")?,
        )),
        Some(given) => {
            return Err(
                InputError::new("--disjoint", format!("found {} alone", given.join(" ")))
                    .allowed("two bank colors, or two lists of them")
                    .help("name the other one too, as in --disjoint 0-3 4-7")
                    .into(),
            );
        }
        None => None,
    };
    let selected = selection(args, &space)?;
    let organisation = match &source.map {
        Map::Machine(machine) => Some(machine.memory.map.organisation()),
        Map::Banks(..) => None,
    };
    let places = organisation.filter(|_| args.banks.is_some());
    let held = proof.as_ref().is_none_or(|proof| proof.holds());
    let report = ColorsReport::new(&source, &space, selected.as_deref(), places, proof);
    output::print(args.json, "fresco-map-colors/1", &source.provenance(), &report, || {
        report.tables(&title(&source))
    })?;
    Ok(if held {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(WANTING)
    })
}

fn title(source: &Source) -> String {
    let page = fresco_input::format_size(source.page_bytes);
    format!("Colors of pages of {page}: {}", source.name)
}

/// The colors asked for; `None` for all.
fn selection(args: &Args, space: &ColorSpace) -> Result<Option<Vec<u32>>, InputError> {
    if let Some(list) = &args.banks {
        return existing(space, list, "--banks").map(Some);
    }
    let (Some(pattern), Some(bits)) = (&args.pattern, &args.bits) else {
        return Ok(None);
    };
    let pattern = BitPattern::parse(pattern, &bit_list(bits)?, "--pattern")?;
    let colors = pattern.colors(space).map_err(|error| error.into_input("--pattern"))?;
    Ok(Some(colors))
}

fn existing(space: &ColorSpace, list: &str, option: &str) -> Result<Vec<u32>, InputError> {
    parse_list(list, space.bank_colors(), option)
}

/// Bit numbers in any order, separated by commas; the pattern's reader checks that they exist.
fn bit_list(text: &str) -> Result<Vec<u32>, InputError> {
    let number = |word: &str| match word.parse::<u32>() {
        Ok(bit) if word.bytes().all(|byte| byte.is_ascii_digit()) => Ok(bit),
        _ => Err(InputError::new("--bits", format!("found {word:?}"))
            .allowed("address bits 0 to 63, separated by commas")
            .help("write the bits in the order of the pattern, as in 20,19,13,12")),
    };
    text.split(',').map(number).collect()
}
