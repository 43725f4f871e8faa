// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map convert`: a map in another format, for another tool.

use super::format::MapFormat;
use super::show;
use super::source::{Map, Source, SourceArgs};
use crate::arguments::integer;
use crate::failure::Outcome;
use clap::ValueEnum;
use fresco_dram::map::text::simulators::{self, NotExpressible};
use fresco_input::InputError;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco map convert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of bank functions: map.txt, PALLOC masks or hexadecimal masks; without it and --machine, the map
    /// last proved for this machine
    #[arg(conflicts_with = "machine")]
    file: Option<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,

    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    to: Option<Target>,

    /// Only the functions that pages can choose, as page-coloring kernels want them; of bank functions
    #[arg(long)]
    usable: bool,

    /// The functions of this node, where nodes are fixed by address range; of bank functions
    #[arg(long, value_name = "NODE", allow_negative_numbers = true, value_parser = integer("--node", 0..=63u32))]
    node: Option<u32>,
}

/// A format that maps are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// One function per line, as decimal address bits: what drama-pp writes, PALLOC and IsolBench read
    #[value(name = "map.txt")]
    MapTxt,
    /// PALLOC's mask of address bits, then `xor BIT BIT` lines
    Palloc,
    /// One hexadecimal mask per line, as row-hammer tools keep them
    Hex,
    /// The addressmapping of DRAMSys 5, in JSON; of a machine's whole map
    Dramsys,
    /// A mapping file of Ramulator 1 (`--mapping`); of a machine's whole map
    Ramulator,
}

/// Writes the map.
pub fn run(args: &Args) -> Outcome {
    let Some(to) = args.to else {
        let names: Vec<String> = Target::value_variants()
            .iter()
            .filter_map(|target| Some(target.to_possible_value()?.get_name().to_owned()))
            .collect();
        return Err(InputError::new("--to", "found no format to write")
            .allowed(names.join(", "))
            .help("name one, as in --to palloc; `fresco map show` shows a map without writing it")
            .into());
    };
    let source = args.source.load(args.file.as_deref())?;
    let of_banks = |format| show::in_format(&source, format, args.usable, args.node);
    let text = match to {
        Target::MapTxt => of_banks(MapFormat::MapTxt)?,
        Target::Palloc => of_banks(MapFormat::Palloc)?,
        Target::Hex => of_banks(MapFormat::Hex)?,
        Target::Dramsys | Target::Ramulator => for_simulator(args, to, &source)?,
    };
    crate::output::write(text)?;
    Ok(ExitCode::SUCCESS)
}

/// The whole map, as another simulator reads it.
fn for_simulator(args: &Args, to: Target, source: &Source) -> Result<String, InputError> {
    let (field, is_dramsys) = match to {
        Target::Dramsys => ("--to dramsys", true),
        _ => ("--to ramulator", false),
    };
    let refuse = |found: String| InputError::new(source.name.clone(), found).in_field(field);
    if args.usable || args.node.is_some() {
        return Err(InputError::new(field, "found --usable or --node")
            .allowed("these with bank functions: --to map.txt, palloc, hex")
            .help("leave them out"));
    }
    let Map::Machine(machine) = &source.map else {
        return Err(refuse("found bank functions alone".to_owned())
            .allowed("a map with rows and columns, as machines have")
            .help("name a machine or its file with --machine"));
    };
    let (map, timing) = (&machine.memory.map, &machine.memory.timing);
    let line = timing.bytes_of_line(&machine.memory.organisation);
    let text = match is_dramsys {
        true => simulators::dramsys(map),
        false => simulators::ramulator(map, line),
    };
    text.map_err(|error| {
        refuse(format!("found {error}"))
            .allowed("maps of one node, whose functions read physical addresses as they are")
            .help(match error {
                NotExpressible::Nodes => "describe one node in a machine file of its own: that simulator has no nodes",
                NotExpressible::Dealt(_) => {
                    "use the machine file itself: that simulator divides addresses by no odd number"
                }
                NotExpressible::Offset => "describe the memory without its hole in a machine file of its own",
                NotExpressible::WithinLine(..) => "write --to dramsys, which knows bits within a line",
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_dram::map::Field;
    use fresco_dram::{AddressMap, PhysAddr};
    use fresco_machine::{builtin, builtin_names};
    use serde_json::Value;

    const FIELDS: [(Field, &str, &str); 6] = [
        (Field::Channel, "CHANNEL_BIT", "Ch"),
        (Field::Rank, "RANK_BIT", "Ra"),
        (Field::BankGroup, "BANKGROUP_BIT", "Bg"),
        (Field::Bank, "BANK_BIT", "Ba"),
        (Field::Row, "ROW_BIT", "Ro"),
        (Field::Column, "COLUMN_BIT", "Co"),
    ];

    fn parity(address: u64, bits: &[u64]) -> u32 {
        bits.iter().fold(0, |sum, bit| sum ^ (address >> bit & 1) as u32)
    }

    /// What DRAMSys makes of an address: the sum of the bits of a field, each an address bit or the XOR of some.
    fn in_dramsys(mapping: &Value, name: &str, address: u64) -> u32 {
        let bits = mapping["addressmapping"][name]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let bit = |entry: &Value| match entry.as_array() {
            Some(list) => parity(address, &list.iter().filter_map(Value::as_u64).collect::<Vec<_>>()),
            None => parity(address, &[entry.as_u64().expect("a bit")]),
        };
        bits.iter().enumerate().map(|(place, entry)| bit(entry) << place).sum()
    }

    /// What Ramulator makes of an address, without the bits within a line.
    fn in_ramulator(text: &str, name: &str, line: u64) -> u32 {
        let of_level = text.lines().filter_map(|line| line.strip_prefix(name)?.split_once('='));
        of_level
            .map(|(place, bits)| {
                let bits: Vec<u64> = bits.split_whitespace().map(|bit| bit.parse().expect("a bit")).collect();
                parity(line, &bits) << place.trim().parse::<u32>().expect("a place")
            })
            .sum()
    }

    fn addresses(map: &AddressMap) -> impl Iterator<Item = u64> {
        let capacity = map.capacity();
        // Weyl sequence of the golden ratio.
        (0..2_000u64).map(move |n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % capacity)
    }

    #[test]
    fn other_simulators_decode_as_we_do() {
        let (mut dramsys, mut ramulator) = (0, 0);
        for name in builtin_names() {
            let machine = builtin(name).expect("shipped");
            let (map, organisation) = (&machine.memory.map, &machine.memory.organisation);
            let line = machine.memory.timing.bytes_of_line(organisation);
            if let Ok(text) = simulators::dramsys(map) {
                dramsys += 1;
                let mapping: Value = serde_json::from_str(&text).expect("JSON");
                for address in addresses(map) {
                    let place = map.decode(PhysAddr(address)).expect("in memory");
                    for (field, level, _) in FIELDS {
                        assert_eq!(
                            in_dramsys(&mapping, level, address),
                            field.of(&place),
                            "{name}: {field} of {address:#x}"
                        );
                    }
                }
            }
            if let Ok(text) = simulators::ramulator(map, line) {
                ramulator += 1;
                for address in addresses(map) {
                    let place = map.decode(PhysAddr(address)).expect("in memory");
                    for (field, _, level) in FIELDS {
                        let expected = match field {
                            // Counted in lines, of one burst or several.
                            Field::Column => place.column / (line as u32 / organisation.bus_bytes),
                            _ => field.of(&place),
                        };
                        assert_eq!(
                            in_ramulator(&text, level, address / line),
                            expected,
                            "{name}: {field} of {address:#x}"
                        );
                    }
                }
            }
        }
        assert!(
            dramsys >= 5 && ramulator >= 5,
            "{dramsys} and {ramulator} machines were said"
        );
    }
}
