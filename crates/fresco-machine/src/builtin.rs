// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machines that come with the program, and finding a machine by name or by path.

use crate::Machine;
use fresco_input::{InputError, closest, file_name, is_standard_input, read_file};

macro_rules! machines {
    ($($name:literal),* $(,)?) => {
        /// Name and text of each built-in machine.
        const MACHINES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../machines/", $name, ".toml")))),*];
    };
}

machines![
    "opteron-6128",
    "opteron-6128-interleaved",
    "xeon-w3530",
    "p4080",
    "i7-860",
    "i7-860-channels",
    "core2-q8400",
    "ss-rtmc",
    "gem5-2core",
    "ddr4-2400-bench",
    "xeon-e3-1220v5",
    "i5-6200u",
    "raspberry-pi-4",
    "jetson-nano",
    "epyc-7742",
    "xeon-8460y",
    "xeon-5218",
    "grace-72",
    "xeon-max-9480",
    "i7-8700",
    "ryzen-3600",
    "raspberry-pi-5",
    "zcu102",
    "imx8m-mini",
    "jetson-orin",
];

/// The names of the built-in machines.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    MACHINES.iter().map(|(name, _)| *name)
}

/// The file of a built-in machine, as `fresco machine show` prints it and as a start for one's own.
///
/// # Errors
/// No machine has this name; the error lists the known ones.
pub fn builtin_text(name: &str) -> Result<&'static str, InputError> {
    MACHINES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
        .ok_or_else(|| {
            let names: Vec<&str> = builtin_names().collect();
            let help = match closest(name, builtin_names()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => "choose one of these, or give the path of a machine file (with a \"/\" or ending in .toml)"
                    .to_owned(),
            };
            InputError::new(format!("machine {name}"), "found no built-in machine of this name")
                .allowed(names.join(", "))
                .help(help)
        })
}

/// A built-in machine.
///
/// # Errors
/// No machine has this name; the error lists the known ones.
pub fn builtin(name: &str) -> Result<Machine, InputError> {
    builtin_with(name, &[])
}

fn builtin_with(name: &str, overrides: &[(String, String)]) -> Result<Machine, InputError> {
    let file = format!("built-in machine {name}");
    Machine::parse(&file, builtin_text(name)?, overrides).map_err(|error| match error.file == file {
        // A user cannot edit this file: what an override lacks is added by another one.
        true => {
            let help = format!("add --set {}=…, or correct the other overrides", error.field);
            error.help(help)
        }
        false => error,
    })
}

/// A machine by the name of a built-in one, or by the path of a file. A path has a `/` or ends in `.toml`; `-` is
/// standard input. What has several lines is the machine itself, see [`written_out`].
///
/// # Errors
/// No such machine or file, or a file that is no valid machine.
pub fn load(name_or_path: &str) -> Result<Machine, InputError> {
    load_with(name_or_path, &[])
}

/// Returns true if [`load`] takes this for the path of a file.
pub fn is_path(name_or_path: &str) -> bool {
    !is_text(name_or_path)
        && (name_or_path.contains('/') || name_or_path.ends_with(".toml") || is_standard_input(name_or_path))
}

/// Returns true if [`load`] takes this for a machine that is written out: it has several lines.
pub fn is_text(name_or_path: &str) -> bool {
    name_or_path.contains('\n')
}

/// Begins a line of a machine that is written out and says what is changed in it.
const CHANGE: &str = "--set ";

/// A machine as one text that [`load`] makes the same of wherever it is: lines `--set key=value` of what is changed, and then `text`, the
/// content of a machine file or the name of a built-in machine. Values are in one line.
pub fn written_out(text: &str, changes: &[(String, String)]) -> String {
    let lines = changes.iter().map(|(key, value)| format!("{CHANGE}{key}={value}\n"));
    lines.chain([text.to_owned()]).collect()
}

/// As [`load`], with values in place of the file's; see [`Machine::parse`].
///
/// # Errors
/// No such machine or file, or, with the overrides, no valid machine.
pub fn load_with(name_or_path: &str, overrides: &[(String, String)]) -> Result<Machine, InputError> {
    if is_text(name_or_path) {
        load_text(name_or_path, overrides)
    } else if is_path(name_or_path) {
        Machine::parse(&file_name(name_or_path), &read_file(name_or_path)?, overrides)
    } else {
        builtin_with(name_or_path, overrides)
    }
}

fn load_text(text: &str, overrides: &[(String, String)]) -> Result<Machine, InputError> {
    let mut rest = text;
    let mut changes = Vec::new();
    while let Some((line, below)) = rest.strip_prefix(CHANGE).and_then(|line| line.split_once('\n')) {
        let Some((key, value)) = line.split_once('=') else {
            return Err(
                InputError::new("machine", format!("found the line {:?}", format!("{CHANGE}{line}")))
                    .allowed("--set key=value before the text of the machine")
                    .help("write the key, an equals sign and the value"),
            );
        };
        changes.push((key.trim().to_owned(), value.trim().to_owned()));
        rest = below;
    }
    changes.extend_from_slice(overrides);
    match is_text(rest) {
        true => Machine::parse("the machine's text", rest, &changes),
        false => builtin_with(rest, &changes),
    }
}
