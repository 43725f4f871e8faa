// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits beside colors: ways of the cache, bandwidth (FW-1).

use fresco_dram::color::parse_list;
use fresco_input::{Document, InputError};
use fresco_linux::launch;
use fresco_linux::resctrl::{Class, Limits, Lock, ResctrlRefusal, Tree, keep, tidy};

/// A mask has so many bits.
const MOST_WAYS: u32 = 32;

/// Least and most bandwidth, in bytes per second.
const BANDWIDTHS: std::ops::RangeInclusive<u64> = 1_000_000..=10_000_000_000_000;

/// Options that set limits.
#[derive(Debug, clap::Args)]
pub struct LimitArgs {
    /// Move no more between cache and memory than so much per second, such as 500M or '1.5 GB/s' (needs resctrl)
    #[arg(long, value_name = "BANDWIDTH")]
    pub bandwidth: Option<String>,

    /// Fill these ways of the last-level cache only, such as 0-3 (needs resctrl)
    #[arg(long, value_name = "WAYS")]
    pub ways: Option<String>,
}

impl LimitArgs {
    /// The limits they name.
    pub fn limits(&self) -> Result<Limits, InputError> {
        let ways = self.ways.as_deref().map(|text| parse_list(text, MOST_WAYS, "--ways"));
        Ok(Limits {
            ways: ways.transpose()?,
            bytes_per_s: self.bandwidth.as_deref().map(bandwidth).transpose()?,
        })
    }
}

/// Bytes per second; `500M` is 500 MB/s.
fn bandwidth(text: &str) -> Result<u64, InputError> {
    let full = match text.trim_end().chars().last() {
        Some('K') => format!("{}kB/s", &text.trim_end()[..text.trim_end().len() - 1]),
        Some('M' | 'G') => format!("{}B/s", text.trim_end()),
        _ => text.to_owned(),
    };
    let mut document = Document::parse("--bandwidth", "")?;
    let read = document
        .set_value("value", &full)
        .and_then(|()| document.root().item("value", "")?.bandwidth(BANDWIDTHS));
    // Without a unit nothing can be said about it but this.
    let is_nothing = text.contains('0') && !text.contains(|digit: char| ('1'..='9').contains(&digit));
    read.map_err(|error| {
        InputError::new("--bandwidth", format!("found {text:?}"))
            .allowed("1 MB/s to 10000 GB/s, such as 500M or \"1.2 GB/s\"")
            .help(match is_nothing {
                true => "name at least 1M, or leave the option out: then nothing is limited".to_owned(),
                false => error.help.clone(),
            })
    })
}

/// Puts this process, and what it becomes, into a class with these limits, which goes away after it. Gives the lock that
/// keeps others from taking the class for a left-over; it is to be held until the program is there.
pub fn enter(limits: &Limits, cpus: Option<&[u32]>) -> Result<Option<Lock>, ResctrlRefusal> {
    if limits.is_none() {
        return Ok(None);
    }
    let tree = Tree::find()?;
    let online = launch::online_cpus();
    let own = std::process::id();
    let lock = Lock::take(&tree)?;
    tidy(&lock, &tree);
    let class = Class::make(&lock, &tree, limits, &own.to_string(), cpus.unwrap_or(&online))?;
    let kept = keep(&tree, std::slice::from_ref(&class), own);
    let entered = match kept {
        Ok(()) => class.enter(own),
        Err(error) => Err(ResctrlRefusal::Denied("starting its keeper", error.to_string())),
    };
    if entered.is_err() {
        class.remove();
    }
    entered.map(|()| Some(lock))
}

/// Why these limits cannot be had here; nothing is changed.
pub fn missing(limits: &Limits) -> Option<String> {
    if limits.is_none() {
        return None;
    }
    let able = |tree: Tree| {
        let abilities = fresco_linux::resctrl::Abilities::of(&tree, std::path::Path::new(fresco_linux::proc::PROC));
        let system = std::path::Path::new("/sys/devices/system/cpu");
        abilities.lines(limits, &launch::online_cpus(), system)
    };
    let refusal = Tree::find().and_then(able).err()?;
    Some(format!("{}: {refusal}", options(limits)))
}

/// The options that stand for the limits.
pub fn options(limits: &Limits) -> &'static str {
    match (&limits.ways, limits.bytes_per_s) {
        (Some(_), Some(_)) => "--ways, --bandwidth",
        (Some(_), None) => "--ways",
        _ => "--bandwidth",
    }
}
