// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map`: the address map of a machine or of a file; its functions, colors, places and row domains.

mod colors;
mod convert;
pub mod counts;
mod decode;
mod detect;
mod domains;
mod format;
pub mod functions;
pub mod proved;
mod show;
pub mod source;
mod verify;

use crate::failure::Outcome;
use clap::Subcommand;

/// Arguments of `fresco map`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A map is that of a machine (--machine), or a file of the functions that select banks, its format found out:
  map.txt   14 18         one function per line: the XOR of these address bits
  palloc    0x1e000       one function per bit of the mask, lines `xor 13 17` name a second bit
  hex       0x44000       one function per line, as a mask (a file of one mask is read as palloc)

Examples:
  fresco map convert --machine i7-860 --to map.txt > map.txt
  fresco map convert --machine i5-6200u --to dramsys > mapping.json
  fresco map colors map.txt --llc 6-18 --json
  fresco map colors --machine xeon-w3530 --pattern '[00XX]' --bits 20,19,13,12
  fresco map decode --machine opteron-6128 0x1f40 0x100001f40")]
pub struct Args {
    /// What to show of it.
    #[command(subcommand)]
    what: What,
}

/// What to show of a map.
#[derive(Debug, Subcommand)]
enum What {
    /// Its parity functions, by field; or the map in another format
    Show(show::Args),
    /// The same map in the format of another tool
    Convert(convert::Args),
    /// The colors it leaves to pages: how many, which banks each, which pairs with the cache exist
    Colors(colors::Args),
    /// Where addresses lie: node, channel, rank, bank, row, column, colors
    Decode(decode::Args),
    /// Parts of the memory so many rows apart that hammering one flips no bits of another
    Domains(domains::Args),
    /// Find the map of a memory by evidence: timing that has to predict, or nothing
    Detect(detect::Args),
    /// Ask timing whether a map is right: pairs that share a bank by it, and pairs that do not
    Verify(verify::Args),
}

/// Runs the verb.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::Show(args) => show::run(&args),
        What::Convert(args) => convert::run(&args),
        What::Colors(args) => colors::run(&args),
        What::Decode(args) => decode::run(&args),
        What::Domains(args) => domains::run(&args),
        What::Detect(args) => detect::run(&args),
        What::Verify(args) => verify::run(&args),
    }
}
