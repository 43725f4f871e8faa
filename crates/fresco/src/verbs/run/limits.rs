// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits beside colors, or without: ways of the cache, bandwidth (FW-1), reservations of processors (MG-1).

use crate::arguments::choice;
use fresco_dram::color::parse_list;
use fresco_input::{Document, InputError};
use fresco_linux::regulator::{Places, Regulation, Regulator, RegulatorRefusal, Trees, Wishes, make};
use fresco_linux::resctrl::Limits;
use std::sync::LazyLock;

/// A mask has so many bits.
const MOST_WAYS: u32 = 32;

/// Least and most bandwidth, in bytes per second.
const BANDWIDTHS: std::ops::RangeInclusive<u64> = 1_000_000..=10_000_000_000_000;

/// Options that set limits.
#[derive(Debug, clap::Args)]
pub struct LimitArgs {
    /// Move no more between cache and memory than so much per second, such as 500M or '1.5 GB/s' (needs resctrl or the
    /// kernel module memguard)
    #[arg(long, value_name = "BANDWIDTH")]
    pub bandwidth: Option<String>,

    /// Reserve so much bandwidth of the processors of --cpus, an equal part of each, for whatever runs there (needs the
    /// kernel module memguard)
    #[arg(long, value_name = "BANDWIDTH")]
    pub reserve: Option<String>,

    /// What holds bandwidth: the processor's limits (resctrl), a kernel module that counts lines (memguard), or the
    /// first of these that can (auto)
    #[arg(long, default_value = "auto", value_parser = regulators())]
    pub regulator: Wanted,

    /// Fill these ways of the last-level cache only, such as 0-3 (needs resctrl)
    #[arg(long, value_name = "WAYS")]
    pub ways: Option<String>,
}

/// What is to hold bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The first that can.
    Auto,
    /// This one.
    Only(Regulator),
}

impl Wanted {
    /// The one that is wanted; `None` for the first that can.
    pub fn only(self) -> Option<Regulator> {
        match self {
            Self::Auto => None,
            Self::Only(regulator) => Some(regulator),
        }
    }
}

/// The argument of `--regulator`.
fn regulators() -> clap::builder::ValueParser {
    static CHOICES: LazyLock<Vec<(&str, Wanted)>> = LazyLock::new(|| {
        let only = Regulator::ALL.map(|regulator| (regulator.name(), Wanted::Only(regulator)));
        std::iter::once(("auto", Wanted::Auto)).chain(only).collect()
    });
    choice("--regulator", &CHOICES).into()
}

impl LimitArgs {
    /// What they ask for on these processors.
    pub fn wishes(&self, cpus: Option<&[u32]>) -> Result<Wishes, InputError> {
        let ways = self.ways.as_deref().map(|text| parse_list(text, MOST_WAYS, "--ways"));
        let read = |option, text: &Option<String>| text.as_deref().map(|text| bandwidth(option, text)).transpose();
        let wishes = Wishes {
            limits: Limits {
                ways: ways.transpose()?,
                bytes_per_s: read("--bandwidth", &self.bandwidth)?,
            },
            reserve: read("--reserve", &self.reserve)?,
            regulator: self.regulator.only(),
            cpus: cpus.map(<[u32]>::to_vec),
        };
        if wishes.reserve.is_some() && cpus.is_none() {
            return Err(InputError::new("--reserve", "found it without --cpus")
                .allowed("--reserve with --cpus: the bandwidth is divided evenly among these processors")
                .help("add --cpus, such as --cpus 2-3; for the program alone, wherever it runs, use --bandwidth"));
        }
        if wishes.reserve.is_some() && wishes.regulator == Some(Regulator::Resctrl) {
            return Err(InputError::new("--regulator", "found resctrl with --reserve")
                .allowed("memguard or auto with --reserve: resctrl has no reservations of processors")
                .help("leave out --regulator, or use --bandwidth"));
        }
        Ok(wishes)
    }

    /// The first of these options that was given, which say what a plan says.
    pub fn given(&self) -> Option<&'static str> {
        [
            ("--bandwidth", self.bandwidth.is_some()),
            ("--reserve", self.reserve.is_some()),
            ("--ways", self.ways.is_some()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }

    /// Refuses a regulator that nothing is asked of.
    pub fn check_regulator(&self) -> Result<(), InputError> {
        if self.regulator == Wanted::Auto || self.bandwidth.is_some() || self.reserve.is_some() {
            return Ok(());
        }
        Err(
            InputError::new("--regulator", "found it without --bandwidth and --reserve")
                .allowed("--regulator with one of these, or with a plan")
                .help("add --bandwidth, or leave out --regulator"),
        )
    }
}

/// Bytes per second; `500M` is 500 MB/s.
fn bandwidth(option: &'static str, text: &str) -> Result<u64, InputError> {
    let full = match text.trim_end().chars().last() {
        Some('K') => format!("{}kB/s", &text.trim_end()[..text.trim_end().len() - 1]),
        Some('M' | 'G') => format!("{}B/s", text.trim_end()),
        _ => text.to_owned(),
    };
    let mut document = Document::parse(option, "")?;
    let read = document
        .set_value("value", &full)
        .and_then(|()| document.root().item("value", "")?.bandwidth(BANDWIDTHS));
    // Without a unit nothing can be said about it but this.
    let is_nothing = text.contains('0') && !text.contains(|digit: char| ('1'..='9').contains(&digit));
    read.map_err(|error| {
        InputError::new(option, format!("found {text:?}"))
            .allowed("1 MB/s to 10000 GB/s, such as 500M or \"1.2 GB/s\"")
            .help(match is_nothing {
                true => "name at least 1M, or leave the option out: then nothing is limited".to_owned(),
                false => error.help.clone(),
            })
    })
}

/// Puts this process, and what it becomes, where these limits hold; all of that goes away after it. With a `name` it is told
/// then what was counted of it. What is returned keeps others from taking the place for a left-over, and is to be held until
/// the program is there.
pub fn enter(regulation: &Regulation, name: Option<String>) -> Result<Places, RegulatorRefusal> {
    let own = std::process::id();
    let names = name.map(|name| vec![format!("{name}[{own}]")]);
    let places = make(std::slice::from_ref(regulation), own, names.as_deref())?;
    for place in &places.all {
        if let Err(refusal) = place.enter(own) {
            places.remove();
            return Err(refusal);
        }
    }
    Ok(places)
}

/// What would be done, or why it cannot be; nothing is changed.
pub fn regulation(wishes: &Wishes, trees: &Trees) -> Result<Regulation, String> {
    Regulation::new(wishes, trees).map_err(|refusal| format!("{}: {refusal}", options(wishes)))
}

/// The options that stand for the wishes.
pub fn options(wishes: &Wishes) -> String {
    let options = [
        ("--ways", wishes.limits.ways.is_some()),
        ("--bandwidth", wishes.limits.bytes_per_s.is_some()),
        ("--reserve", wishes.reserve.is_some()),
    ];
    let given = options.into_iter().filter(|(_, given)| *given);
    given.map(|(option, _)| option).collect::<Vec<_>>().join(", ")
}
