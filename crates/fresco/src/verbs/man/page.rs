// SPDX-License-Identifier: MIT OR Apache-2.0
//! One manual page: what clap_mangen makes of a command, but for the synopsis, which has the values of options, and for what the help
//! ends with, whose examples are printed as they stand.

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use std::io;

/// The page of `command`, which is built.
///
/// # Errors
/// None in practice: it is written to memory.
pub fn page(command: &Command) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone())
        .source(format!("fresco {}", env!("CARGO_PKG_VERSION")))
        .manual("Fresco");
    let mut roff = Vec::new();
    man.render_title(&mut roff)?;
    man.render_name_section(&mut roff)?;
    synopsis(command).to_writer(&mut roff)?;
    man.render_description_section(&mut roff)?;
    man.render_options_section(&mut roff)?;
    if command.get_subcommands().any(|verb| !verb.is_hide_set()) {
        man.render_subcommands_section(&mut roff)?;
    }
    if let Some(text) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        after_help(&text.to_string()).to_writer(&mut roff)?;
    }
    if command.get_version().is_some() {
        man.render_version_section(&mut roff)?;
    }
    Ok(ascii(&String::from_utf8_lossy(&roff)).into_bytes())
}

/// Characters beyond ASCII by their numbers: groff alone takes a page to be in Latin-1.
fn ascii(roff: &str) -> String {
    let mut page = String::with_capacity(roff.len());
    for c in roff.chars() {
        match c.is_ascii() {
            true => page.push(c),
            false => page.push_str(&format!("\\[u{:04X}]", u32::from(c))),
        }
    }
    page
}

fn synopsis(command: &Command) -> Roff {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut line = vec![bold(name)];
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let (needed, free): (Vec<_>, Vec<_>) = shown()
        .filter(|arg| !arg.is_positional())
        .partition(|arg| arg.is_required_set());
    for arg in needed.into_iter().chain(free) {
        line.push(roman(" "));
        optional(&mut line, arg, option(arg));
    }
    for arg in shown().filter(|arg| arg.is_positional()) {
        line.push(roman(" "));
        let dashes = arg.is_last_set().then(|| bold("-- "));
        optional(
            &mut line,
            arg,
            dashes.into_iter().chain([italic(values(arg))]).collect(),
        );
    }
    if command.get_subcommands().any(|verb| !verb.is_hide_set()) {
        line.push(roman(" "));
        line.push(italic("COMMAND"));
    }
    let mut roff = Roff::new();
    // Neither justified nor hyphenated: a name is not to be taken for two.
    roff.control("SH", ["SYNOPSIS"]).control("ad", ["l"]).control("nh", []);
    roff.text(line).control("hy", []).control("ad", []);
    roff
}

/// An argument as it is written, in brackets unless it has to be there, with dots if it may be there more than once.
fn optional(line: &mut Vec<Inline>, arg: &Arg, written: Vec<Inline>) {
    let free = !arg.is_required_set();
    line.extend(free.then(|| roman("[")));
    line.extend(written);
    line.extend(free.then(|| roman("]")));
    let many = match arg.is_positional() {
        true => arg.get_num_args().is_some_and(|range| range.max_values() > 1),
        false => {
            matches!(arg.get_action(), ArgAction::Append | ArgAction::Count) && arg.get_value_delimiter().is_none()
        }
    };
    line.extend(many.then(|| roman("...")));
}

/// Names of an option, and its value.
fn option(arg: &Arg) -> Vec<Inline> {
    let names = [
        arg.get_short().map(|short| format!("-{short}")),
        arg.get_long().map(|long| format!("--{long}")),
    ];
    let mut parts = Vec::new();
    for name in names.into_iter().flatten() {
        if !parts.is_empty() {
            parts.push(roman("|"));
        }
        parts.push(bold(name));
    }
    let Some(range) = arg.get_num_args().filter(|range| range.takes_values()) else {
        return parts;
    };
    let (before, after) = match (range.min_values() == 0, arg.is_require_equals_set()) {
        (true, true) => ("[=", "]"),
        (true, false) => (" [", "]"),
        (false, true) => ("=", ""),
        (false, false) => (" ", ""),
    };
    parts.extend([roman(before), italic(values(arg)), roman(after)]);
    parts
}

/// Names of the values of an argument.
fn values(arg: &Arg) -> String {
    match arg.get_value_names() {
        Some(names) => names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" "),
        None => arg.get_id().as_str().to_uppercase(),
    }
}

/// What the help ends with, by sections: exit status, examples, and notes.
fn after_help(text: &str) -> Roff {
    let mut roff = Roff::new();
    let (mut section, mut verbatim, mut gap) = ("", false, false);
    for line in text.lines() {
        let indented = line.starts_with("  ");
        if verbatim && !indented {
            roff.control("EE", []);
            (verbatim, gap) = (false, true);
        }
        let (title, rest) = match line {
            "" => {
                gap = true;
                continue;
            }
            "Example:" | "Examples:" => ("EXAMPLES", ""),
            _ if line.starts_with("Exit status") => ("EXIT STATUS", line.strip_prefix("Exit status: ").unwrap_or(line)),
            // What stands on its own after examples or an exit status is neither.
            _ if section.is_empty() || gap && !indented => ("NOTES", line),
            _ => (section, line),
        };
        if title != section {
            roff.control("SH", [title]);
            section = title;
        } else if gap || indented && !verbatim {
            roff.control("PP", []);
        }
        gap = false;
        if indented && !verbatim {
            roff.control("EX", []);
            verbatim = true;
        }
        if !rest.is_empty() {
            roff.text([roman(rest.strip_prefix("  ").unwrap_or(rest))]);
        }
    }
    if verbatim {
        roff.control("EE", []);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_numbers_that_groff_reads() {
        assert_eq!(ascii(".B a\\-b\n1–32 µs"), ".B a\\-b\n1\\[u2013]32 \\[u00B5]s");
    }

    #[test]
    fn examples_and_tables_stand_as_they_are_written() {
        let text = "Two formats:\n  one    what\n  other  that\n\nWords.\nExit status: 0 all\nis well, 1 not.\n\nMore.\n\nExample:\n  fresco sim first";
        let expected = ".SH NOTES\nTwo formats:\n.PP\n.EX\none    what\nother  that\n.EE\n.PP\nWords.\n.SH \"EXIT STATUS\"\n0 all\n\
                        is well, 1 not.\n.SH NOTES\nMore.\n.SH EXAMPLES\n.PP\n.EX\nfresco sim first\n.EE\n";
        assert_eq!(after_help(text).render(), Roff::new().render() + expected);
    }

    #[test]
    fn a_synopsis_has_values_and_says_what_may_be_left_out() {
        let command = Command::new("x")
            .arg(Arg::new("machine").long("machine").value_name("NAME").required(true))
            .arg(Arg::new("json").long("json").short('j').action(ArgAction::SetTrue))
            .arg(Arg::new("set").long("set").value_name("K=V").action(ArgAction::Append))
            .arg(
                Arg::new("stats")
                    .long("stats")
                    .value_name("WHAT")
                    .num_args(0..=1)
                    .require_equals(true),
            )
            .arg(Arg::new("file").value_name("FILE").required(true).num_args(1..))
            .arg(Arg::new("words").value_name("WORD").last(true).num_args(0..));
        let mut command = command.disable_help_flag(true);
        command.build();
        let text = synopsis(&command)
            .to_roff()
            .replace("\\fB", "")
            .replace("\\fI", "")
            .replace("\\fR", "")
            .replace("\\-", "-");
        assert!(
            text.contains("\nx --machine NAME [-j|--json] [--set K=V]... [--stats[=WHAT]] FILE... [-- WORD]...\n"),
            "{text}"
        );
    }
}
