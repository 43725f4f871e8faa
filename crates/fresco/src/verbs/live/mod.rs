// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the verbs for live processes share: the map and the colors that a command line names.

pub mod planned;

use crate::failure::Failure;
use crate::verbs::map::source::{Map, Source, SourceArgs};
use fresco_input::InputError;
use fresco_linux::colors::{AskedColors, ColorCounts, FrameColors, Request};
use fresco_linux::proc::{Asked, PROC, Process, hides_others, processes};
use fresco_linux::sys::capability;
use std::path::{Path, PathBuf};

/// What is said under every result: what these colors are, and are not.
pub const CAVEAT: &str = "Colors are those of the frame numbers of this kernel under the map that was named; in a virtual machine these are \
     not the frames of the hardware.";

/// The processes that may be looked at, with what they were asked to run with, and how many others there are.
#[derive(Debug)]
pub struct Seen {
    /// Those with a request.
    pub asked: Vec<(Process, Request)>,
    /// Those that may not be looked at.
    pub hidden: u64,
    /// The kernel does not even tell which processes of others there are.
    pub others_unknown: bool,
}

impl Seen {
    /// Looks at all.
    ///
    /// # Errors
    /// [`PROC`] cannot be read.
    pub fn now() -> Result<Self, InputError> {
        let mut seen = Self {
            asked: Vec::new(),
            hidden: 0,
            others_unknown: hides_others(Path::new(PROC)),
        };
        for process in processes(Path::new(PROC))? {
            match process.asked() {
                Asked::For(request) => seen.asked.push((process, *request)),
                Asked::Hidden => seen.hidden += 1,
                Asked::Nothing => {}
            }
        }
        Ok(seen)
    }

    /// What is to be said of those that may not be looked at.
    pub fn note(&self) -> Option<String> {
        let others = match (self.others_unknown, self.hidden) {
            (true, _) => "The kernel hides the processes of others (hidepid)".to_owned(),
            (false, 0) => return None,
            (false, 1) => "1 process may not be looked at".to_owned(),
            (false, count) => format!("{count} processes may not be looked at"),
        };
        Some(format!(
            "{others}: programs with colors may be among them. To see them, {}.",
            capability::help(capability::PTRACE)
        ))
    }
}

/// Options that name a map and colors of it.
#[derive(Debug, clap::Args)]
pub struct ColorArgs {
    /// A file of bank functions: map.txt, PALLOC masks or hexadecimal masks
    #[arg(long, value_name = "FILE", conflicts_with = "machine")]
    pub map: Option<PathBuf>,

    #[command(flatten)]
    pub source: SourceArgs,

    /// Bank colors and LLC colors, such as banks=0-3,8,llc=0-7; what is not named is not restricted
    #[arg(long, value_name = "COLORS")]
    pub colors: Option<String>,
}

impl ColorArgs {
    /// Returns true if a map has been named.
    pub fn names_a_map(&self) -> bool {
        self.map.is_some() || self.source.machine.is_some()
    }

    /// The first of these options that was given.
    pub fn given(&self) -> Option<&'static str> {
        let own = [("--map", self.map.is_some()), ("--colors", self.colors.is_some())];
        let given = own.into_iter().find(|(_, given)| *given).map(|(option, _)| option);
        given.or(self.source.given())
    }

    /// The map (the one last proved for this machine, if none is named), its colors, and those asked for: all, if none
    /// are named.
    pub fn load(&self) -> Result<(Source, FrameColors, AskedColors), Failure> {
        let source = self.source.load(self.map.as_deref())?;
        let page_bytes = fresco_linux::sys::page_bytes();
        if source.page_bytes != page_bytes {
            return Err(
                InputError::new("--page", format!("found pages of {} bytes", source.page_bytes))
                    .allowed(format!("{page_bytes}, the pages of this machine"))
                    .help(match self.source.has_page() {
                        true => format!("write --page {page_bytes}"),
                        false => format!("add --page {page_bytes}"),
                    })
                    .into(),
            );
        }
        let space = source.colors()?;
        let colors = match &source.map {
            Map::Machine(machine) => FrameColors::of_machine(&machine.memory.map, &space)?,
            Map::Banks(map, _) => FrameColors::of_bank_map(map, &space),
        };
        let counts = ColorCounts::of(&colors);
        let asked = match &self.colors {
            Some(text) => AskedColors::parse(text, counts)?,
            None => AskedColors::all(counts),
        };
        let any_pair = asked
            .banks
            .iter()
            .any(|&bank| asked.llc.iter().any(|&llc| space.pair_exists(bank, llc)));
        if !any_pair {
            // Address bits that banks and cache share make some pairs impossible (CON-5).
            return Err(
                InputError::new("--colors", format!("found {asked}, which no frame has"))
                    .allowed("bank and LLC colors that exist together")
                    .help("see `fresco map colors` for the pairs")
                    .into(),
            );
        }
        Ok((source, colors, asked))
    }
}
