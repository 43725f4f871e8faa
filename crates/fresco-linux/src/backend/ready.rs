// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether this kernel can give a program the colors asked for, and which of its own these are.

use super::{KernelMap, Mixed, Tree, translate};
use crate::colors::{AskedColors, FrameColors, Request, WhenFull};
use crate::proc::{node_ranges, ram_ranges};
use crate::sys::{count_page_colors, set_page_colors};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities};
use std::fmt;
use std::ops::Range;
use std::path::Path;

/// Functions that a kernel takes as it is configured by default (`CONFIG_PAGE_COLOR_BITS`).
const USUAL_FUNCTIONS: usize = 8;
/// Memory where the kernel does not tell what there is: 4 TiB.
const ANY_MEMORY: Range<u64> = 0..1 << 42;

/// Why the kernel cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelRefusal {
    /// It has no page coloring.
    Absent,
    /// Its map may not be read, or its colors not be had.
    NotRoot,
    /// It has no map, or is switched off; the commands that set the map.
    Off(Option<String>),
    /// What its file says is no map.
    Strange(String),
    /// Its map mixes what is asked for with other memory: its map, how, and the commands that set a better one.
    Other(String, Mixed, Option<String>),
    /// No frame of this memory has these colors.
    NoFrame(String),
    /// Its `prctl` says something else than its files.
    Prctl(Errno),
    /// Threads are to have colors of their own.
    Threads,
}

impl fmt::Display for KernelRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let help = |f: &mut fmt::Formatter<'_>, commands: &Option<String>| match commands {
            Some(commands) => write!(f, "; as root{commands}"),
            None => {
                f.write_str("; it takes no map that tells these colors apart (one list of functions, 4 MiB blocks)")
            }
        };
        match self {
            Self::Absent => f.write_str("this kernel has no page coloring (kernel/README.md has the patches)"),
            Self::NotRoot => f.write_str("the kernel's page coloring needs root, or CAP_SYS_NICE and a readable map"),
            Self::Off(commands) => {
                f.write_str("the kernel's page coloring is switched off")?;
                help(f, commands)
            }
            Self::Strange(text) => write!(f, "the kernel's page coloring has a map that is none: {text:?}"),
            Self::Other(map, mixed, commands) => {
                write!(f, "the kernel's map is {map}, and {mixed}")?;
                help(f, commands)
            }
            Self::NoFrame(asked) => write!(f, "this machine's memory has no frame of the colors {asked}"),
            Self::Prctl(error) => write!(f, "prctl(PR_PAGE_COLOR): {error}"),
            Self::Threads => f.write_str(
                "--thread-colors is of the stock back end; under the kernel's threads choose themselves: prctl(PR_PAGE_COLOR)",
            ),
        }
    }
}

/// Colors of the kernel for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelColors {
    /// By number, ascending.
    pub colors: Vec<u32>,
    /// How many numbers there are.
    pub of: usize,
    bitmap: Vec<u64>,
    strict: bool,
}

impl KernelColors {
    fn new(colors: Vec<u32>, of: usize, strict: bool) -> Self {
        let mut bitmap = vec![0u64; of.div_ceil(64)];
        for &color in &colors {
            bitmap[color as usize / 64] |= 1 << (color % 64);
        }
        Self {
            colors,
            of,
            bitmap,
            strict,
        }
    }

    /// Gives them to the calling thread and all that it starts. Allocates nothing.
    ///
    /// # Errors
    /// As of `prctl`: EPERM without CAP_SYS_NICE, EOPNOTSUPP if it has been switched off meanwhile.
    pub fn take(&self) -> Result<(), Errno> {
        set_page_colors(&self.bitmap, self.strict)
    }
}

/// The memory that a program with this request can have, in bytes of physical addresses.
pub fn memory_of(request: &Request, proc: &Path) -> Vec<Range<u64>> {
    let Some(memory) = ram_ranges(proc) else {
        return vec![ANY_MEMORY];
    };
    let Some(nodes) = request.nodes.as_ref().and_then(|nodes| node_ranges(proc, nodes)) else {
        return memory;
    };
    let common = |range: &Range<u64>| {
        let nodes = nodes
            .iter()
            .map(|node| range.start.max(node.start)..range.end.min(node.end));
        nodes.filter(|range| range.start < range.end).collect::<Vec<_>>()
    };
    memory.iter().flat_map(common).collect()
}

/// The colors of this kernel that the request names.
///
/// # Errors
/// [`KernelRefusal`], without changing anything.
pub fn ready(tree: Option<&Tree>, request: &Request, memory: &[Range<u64>]) -> Result<KernelColors, KernelRefusal> {
    let tree = tree.ok_or(KernelRefusal::Absent)?;
    if !request.thread_colors.is_empty() {
        return Err(KernelRefusal::Threads);
    }
    let own = capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective);
    let text = tree.map().map_err(|_| KernelRefusal::NotRoot)?;
    if !own.contains(CapabilitySet::SYS_NICE) {
        return Err(KernelRefusal::NotRoot);
    }
    let commands = || suggest(tree, &request.colors, &request.asked, memory);
    if !tree.is_on() || text.is_empty() {
        // The map may be the right one already.
        let right = KernelMap::parse(&text).filter(|map| translated(map, request, memory).is_ok());
        return Err(KernelRefusal::Off(match right {
            Some(_) => Some(format!(": echo 1 > {}", tree.path("enabled").display())),
            None => commands(),
        }));
    }
    let map = KernelMap::parse(&text).ok_or_else(|| KernelRefusal::Strange(text.clone()))?;
    let colors = translated(&map, request, memory).map_err(|mixed| KernelRefusal::Other(text, mixed, commands()))?;
    if colors.is_empty() {
        return Err(KernelRefusal::NoFrame(request.asked.to_string()));
    }
    match count_page_colors() {
        Ok(count) if count == map.colors() => {}
        Ok(_) => return Err(KernelRefusal::Prctl(Errno::RANGE)),
        Err(error) => return Err(KernelRefusal::Prctl(error)),
    }
    let strict = request.when_full == WhenFull::Strict;
    Ok(KernelColors::new(colors, map.colors(), strict))
}

fn translated(map: &KernelMap, request: &Request, memory: &[Range<u64>]) -> Result<Vec<u32>, Mixed> {
    translate(map, &request.colors, &request.asked, memory)
}

/// A map that tells these colors apart, if the kernel takes one: all that there are, if it has place for them, so that programs with other
/// colors find theirs in it; else what one of the programs restricts, if it does for all of them.
pub fn map_for(colors: &FrameColors, asked: &[AskedColors], memory: &[Range<u64>]) -> Option<KernelMap> {
    let all = KernelMap::of(colors, None, memory).filter(|map| map.functions.len() <= USUAL_FUNCTIONS);
    let of_each = asked.iter().map(|asked| KernelMap::of(colors, Some(asked), memory));
    let tells = |map: &KernelMap, asked| translate(map, colors, asked, memory).is_ok();
    let fits = |map: &KernelMap| asked.iter().all(|asked| tells(map, asked));
    [all].into_iter().chain(of_each).flatten().find(fits)
}

/// The commands that give the kernel the map of [`map_for`].
pub fn suggest(tree: &Tree, colors: &FrameColors, asked: &AskedColors, memory: &[Range<u64>]) -> Option<String> {
    let map = map_for(colors, std::slice::from_ref(asked), memory)?;
    let path = |file: &str| tree.path(file).display().to_string();
    let off = match tree.is_on() {
        true => format!(", when no task has colors: echo 0 > {}; ", path("enabled")),
        false => ": ".to_owned(),
    };
    Some(format!(
        "{off}echo {map} > {}; echo 1 > {}",
        path("map"),
        path("enabled")
    ))
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;
    use crate::colors::ColorCounts;
    use fresco_dram::ColorSpace;
    use fresco_dram::map::BankMap;
    use std::fs;

    const MEMORY: [Range<u64>; 1] = [0x10_0000..0x8000_0000];

    fn request() -> Request {
        let map = BankMap::new(vec![1 << 14 | 1 << 18, 1 << 15 | 1 << 19], 0).expect("a map");
        let space = ColorSpace::of_bank_map(&map, &[], 12).expect("colors");
        let colors = FrameColors::of_bank_map(&map, &space);
        let asked = AskedColors::parse("banks=1", ColorCounts::of(&colors)).expect("colors");
        Request::new("map".to_owned(), colors, asked)
    }

    /// A folder of plain files.
    fn refused(name: &str, map: &str, enabled: &str, request: &Request) -> String {
        let root = std::env::temp_dir().join(format!("fresco-backend-{}-{name}", std::process::id()));
        fs::create_dir_all(&root).expect("writable");
        fs::write(root.join("map"), map).expect("writable");
        fs::write(root.join("enabled"), enabled).expect("writable");
        let tree = Tree::at(&root).expect("it is there");
        let refusal = ready(Some(&tree), request, &MEMORY).expect_err("this kernel does not know it");
        fs::remove_dir_all(&root).expect("ours");
        refusal.to_string().replace(&root.display().to_string(), "DIR")
    }

    #[test]
    fn a_kernel_without_page_coloring_is_refused() {
        assert_eq!(Tree::at(Path::new("/nowhere")), None);
        assert_eq!(ready(None, &request(), &MEMORY), Err(KernelRefusal::Absent));
    }

    #[test]
    fn each_state_is_told_with_its_cure() {
        if !capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_NICE)) {
            return fresco_testing::skip(fresco_testing::Need::Root, "CAP_SYS_NICE is not there");
        }
        let set = "echo 0x44000,0x88000 > DIR/map; echo 1 > DIR/enabled";
        let off = "the kernel's page coloring is switched off; as root: ";
        assert_eq!(refused("none", "\n", "0\n", &request()), format!("{off}{set}"));
        assert_eq!(refused("wrong", "0x4000\n", "0\n", &request()), format!("{off}{set}"));
        let on = format!("{off}echo 1 > DIR/enabled");
        assert_eq!(refused("off", "0x88000,0x44000\n", "0\n", &request()), on);
        let told = refused("other", "0x44000\n", "1\n", &request());
        let begin =
            "the kernel's map is 0x44000, and its color 1 has frames that were asked for and frames that were not";
        assert!(told.starts_with(begin), "{told}");
        let end = format!("as root, when no task has colors: echo 0 > DIR/enabled; {set}");
        assert!(told.ends_with(&end), "{told}");
        assert!(refused("strange", "blue\n", "1\n", &request()).contains("is none: \"blue\""));
        // The files say yes; the kernel itself, asked last, does not know the call or is switched off.
        assert!(refused("right", "0x44000,0x88000\n", "1\n", &request()).starts_with("prctl(PR_PAGE_COLOR): "));
        let mut threads = request();
        threads.thread_colors = vec![threads.asked.clone()];
        assert!(refused("threads", "0x44000,0x88000\n", "1\n", &threads).starts_with("--thread-colors"));
    }

    #[test]
    fn the_bitmap_has_a_bit_per_color() {
        let colors = KernelColors::new(vec![0, 63, 64, 200], 256, true);
        assert_eq!(colors.bitmap, [1 | 1 << 63, 1, 0, 1 << 8]);
        assert_eq!(KernelColors::new(vec![1], 2, false).bitmap, [2]);
    }
}
