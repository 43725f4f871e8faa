// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco balance`: control groups lend each other colors, by what they need (BPM-6 to 13).

mod decide;
mod scan;
mod show;

use crate::arguments::{choice, duration, integer};
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::output;
use crate::provenance;
use crate::stop::{STOPPED, Stop};
use decide::{Decision, Member, Rules, decide};
use fresco_dram::color::parse_list;
use fresco_input::InputError;
use fresco_linux::color_group::{self, ColorGroup, Need};
use scan::Scanner;
use serde::Serialize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of `fresco balance`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Needs a kernel with page coloring (docs/deploy.md), and groups with colors of their own (cpuset.colors). As BPM does, a group whose processes need more pages than its colors \
have borrows whole colors from the group that can spare most; where none can spare a color, two share one. Nothing is changed while each has enough. Pages in colors that \
a group loses are moved.
With --channels, groups that move much are given channels of their own (BPM+): that needs memguard (kernel/memguard) with `active` 1 and a folder for each group, which counts what it moves. \
It ends with Ctrl-C; groups keep the colors that they have then. If one cannot be given its colors, all get back what they had before the scan.
Exit status: 0 all groups have what they need, 1 one is short of memory (with --once and --dry-run), 2 wrong input, or the kernel refuses; 130 Ctrl-C.

Examples:
  fresco balance --dry-run rt.slice/control rt.slice/vision
  fresco balance --interval '30 s' --limit 256M rt.slice/control rt.slice/vision
  fresco balance --channels '0-7;8-15' a b c d")]
pub struct Args {
    /// Control groups of version 2 that lend to each other
    #[arg(value_name = "CGROUP", required = true)]
    groups: Vec<String>,

    /// Time between two scans
    #[arg(long, value_name = "TIME", default_value = "10 s", value_parser = interval)]
    interval: Duration,

    /// How the pages that a group needs are counted: areas (those of all anonymous areas of its processes, touched or not) or resident (those that it has)
    #[arg(long, value_name = "HOW", default_value = "areas", value_parser = choice("--need", &[("areas", Need::Areas), ("resident", Need::Resident)]))]
    need: Need,

    /// A group borrows once it lacks more than so many percent of what its colors have
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = integer("--margin", 0u64..=1000))]
    margin: u64,

    /// Move no more than so much memory in a scan, such as 256M, as far as lenders have any in the colors that they lend; the rest follows in later scans. One color always is lent
    #[arg(long, value_name = "SIZE")]
    limit: Option<String>,

    /// Colors of each channel, such as '0-7;8-15': channels are divided first
    #[arg(long, value_name = "COLORS;COLORS")]
    channels: Option<String>,

    /// Scan once, and end
    #[arg(long)]
    once: bool,

    /// Scan once, show what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Print JSON instead of tables, a line for each scan
    #[arg(long)]
    json: bool,
}

/// Schema of a line of `--json`.
const SCHEMA: &str = "fresco-balance/1";

/// A look at all groups, and what came of it.
#[derive(Debug, Serialize)]
pub struct Scan {
    /// Number of the scan, from 1.
    pub scan: u64,
    /// Pages of one color.
    pub color_pages: u64,
    /// What was seen of each group.
    pub groups: Vec<Member>,
    /// What follows.
    pub decision: Decision,
    /// Whether it was done.
    pub is_applied: bool,
}

fn interval(text: &str) -> Result<Duration, InputError> {
    const MS: u64 = 1_000_000_000;
    Ok(Duration::from_millis(
        duration("--interval", text, 100 * MS..=86_400_000 * MS)? / MS,
    ))
}

/// Scans until it is asked to end.
pub fn run(args: &Args) -> Outcome {
    let root = color_group::root();
    let groups = args.groups.iter().map(|name| ColorGroup::find(&root, name));
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    each_once(&groups)?;
    let scanner = Scanner::new(&root, groups, args.need)?;
    let limit = args.limit.as_deref();
    let limit = limit
        .map(|text| super::map::source::size("--limit", text, 1..=1 << 50))
        .transpose()?;
    let rules = Rules {
        color_pages: scanner.color_pages,
        margin_percent: args.margin,
        limit_pages: limit.map(|bytes| bytes / fresco_linux::sys::page_bytes()),
        channels: args.channels.as_deref().map(channels).transpose()?.unwrap_or_default(),
    };
    scanner.check_known("--channels", &rules.channels.concat())?;
    balance(args, scanner, &rules)
}

fn balance(args: &Args, mut scanner: Scanner, rules: &Rules) -> Outcome {
    let ends = args.once || args.dry_run;
    let stop = if ends { Stop::never() } else { Stop::on_any_end() };
    let provenance = provenance::of_this_run(None);
    if !rules.channels.is_empty() {
        scanner.count_bandwidth()?;
        // What groups move is known from the second scan on.
        if ends {
            scanner.scan()?;
            wait(args.interval, &stop);
        }
    }
    for scan in 1.. {
        let groups = scanner.scan()?;
        let decision = decide(&groups, rules);
        let changes = !decision.is_empty(&groups);
        if changes && !args.dry_run {
            scanner.give(&groups, &decision.colors)?;
        }
        let scan = Scan {
            scan,
            color_pages: rules.color_pages,
            groups,
            decision,
            is_applied: changes && !args.dry_run,
        };
        if args.json {
            output::write(show::line(SCHEMA, &provenance, &scan)?)?;
        } else if changes || ends || scan.scan == 1 {
            output::print(false, SCHEMA, &provenance, &scan, || show::tables(&scan))?;
        }
        if ends {
            return Ok(match scan.decision.short.is_empty() {
                true => ExitCode::SUCCESS,
                false => ExitCode::from(WANTING),
            });
        }
        if wait(args.interval, &stop) {
            break;
        }
    }
    tell("fresco: stopped: the groups keep the colors that they have now");
    Ok(ExitCode::from(STOPPED))
}

/// Waits until the next scan, or until it is asked to end: then returns true.
fn wait(interval: Duration, stop: &Stop) -> bool {
    let end = Instant::now() + interval;
    while !stop.is_asked() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(left.min(Duration::from_millis(100)));
    }
    true
}

/// The colors of each channel, none of them twice.
fn channels(text: &str) -> Result<Vec<Vec<u32>>, InputError> {
    let all = text
        .split(';')
        .map(|list| parse_list(list.trim(), 1 << 12, "--channels"));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let wrong = |found: String| {
        InputError::new("--channels", found)
            .allowed("colors of two channels or more, each color once, such as '0-7;8-15'")
            .help("`fresco map` names the colors of each channel")
    };
    if all.len() < 2 || all.iter().any(Vec::is_empty) {
        return Err(wrong(format!("found {text:?}")));
    }
    let mut seen: Vec<u32> = all.concat();
    seen.sort_unstable();
    match seen.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(wrong(format!("found color {} twice", pair[0]))),
        None => Ok(all),
    }
}

/// Checks that no group is named twice, or lies in another.
fn each_once(groups: &[ColorGroup]) -> Result<(), Failure> {
    for (number, one) in groups.iter().enumerate() {
        for other in &groups[number + 1..] {
            let is_in = |inner: &ColorGroup, outer: &ColorGroup| inner.name.starts_with(&format!("{}/", outer.name));
            if one.name == other.name || is_in(one, other) || is_in(other, one) {
                let found = format!("found {} and {}", one.name, other.name);
                return Err(InputError::new("CGROUP", found)
                    .allowed("groups each of which is named once, none within another")
                    .help("name the one or the other")
                    .into());
            }
        }
    }
    Ok(())
}
