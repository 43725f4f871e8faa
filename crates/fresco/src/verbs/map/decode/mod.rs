// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map decode`: where addresses lie, and which address a place has.

mod addresses;
mod location;
mod places;

use super::source::SourceArgs;
use crate::failure::{Failure, Outcome, tell};
use crate::output;
use addresses::Asked;
use fresco_input::InputError;
use places::DecodeReport;
use std::path::Path;
use std::process::ExitCode;

/// Arguments of `fresco map decode`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "\
fresco map decode --machine NAME ADDRESS...
       fresco map decode --machine NAME --encode PLACE
       fresco map decode FILE ADDRESS...
       fresco map decode ADDRESS...",
    after_help = "\
An address is physical, in bytes, decimal or hexadecimal (0x…). - reads addresses from standard input, one per line; \
# starts a comment there. Without FILE and --machine the map is the one that was last proved for this machine. \
What is no address of its memory is told, the others are decoded, and the exit status is 2."
)]
pub struct Args {
    /// A file of bank functions (unless --machine is given, or the map of this machine is meant), then the addresses
    #[arg(value_name = "FILE|ADDRESS")]
    words: Vec<String>,

    #[command(flatten)]
    source: SourceArgs,

    /// The address of a place (repeatable), such as node=0,channel=1,bank=3,row=100; a field left out is 0
    #[arg(long, value_name = "PLACE", requires = "machine")]
    encode: Vec<String>,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Decodes and encodes.
pub fn run(args: &Args) -> Outcome {
    let (file, words) = match (&args.source.machine, args.words.split_first()) {
        (None, Some((file, words))) if !is_address(file) => (Some(Path::new(file)), words),
        _ => (None, args.words.as_slice()),
    };
    let source = args.source.load(file)?;
    let mut asked = addresses::read(words);
    for place in &args.encode {
        asked.push(location::encode(place, &source).map(|address| Asked {
            address,
            place: format!("--encode {place}"),
            line: None,
        }));
    }
    if asked.is_empty() {
        return Err(InputError::new("command line", "found no address")
            .allowed("addresses, - for standard input, or --encode PLACE")
            .help("name an address, such as 0x1f40")
            .into());
    }
    let (report, faults) = DecodeReport::new(&source, asked)?;
    if !report.is_empty() {
        output::print(args.json, "fresco-map-decode/1", &source.provenance(), &report, || {
            Ok(vec![report.table(&source)?])
        })?;
    }
    refused(faults)
}

/// Tells of the words that are no addresses.
fn refused(faults: Vec<InputError>) -> Outcome {
    let count = faults.len();
    let mut status = ExitCode::SUCCESS;
    for fault in faults.into_iter().take(MOST_TOLD) {
        status = Failure::from(fault).report();
    }
    if count > MOST_TOLD {
        tell(&format!("fresco: and {} more that are no addresses", count - MOST_TOLD));
    }
    Ok(status)
}

/// Words told of that are no addresses: a file of something else has thousands.
const MOST_TOLD: usize = 10;

/// Returns true if the first word is an address or `-`, and no file: the map is then the one last proved for this
/// machine.
fn is_address(word: &str) -> bool {
    (addresses::number(word).is_some() || word == "-") && !Path::new(word).exists()
}
