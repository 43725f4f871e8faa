// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a point of a scenario to what a virtual machine runs.

use super::guest::{GuestColors, GuestProgram, KernelColors, Programs};
use super::recordings::{ColorsBy, Ran};
use crate::failure::Failure;
use fresco_frames::Coloring;
use fresco_input::InputError;
use fresco_linux::backend::{KernelMap, map_for, translate};
use fresco_linux::colors::{AskedColors, ColorCounts, FrameColors};
use fresco_record::machine::MOST_MIB;
use fresco_record::{Architecture, Program};
use fresco_scenario::{Copy, Setup, error_at};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Where the machine's file lies in the virtual machine, if it is none of those that are built in.
pub const MACHINE: &str = "/loop/machine.toml";

/// What runs at a point.
pub struct Guest {
    /// What is started.
    pub programs: Programs,
    /// Processors of the virtual machine.
    pub cpus: u32,
    /// Files of this machine that the programs are.
    pub files: Vec<PathBuf>,
}

/// What a virtual machine with so many MiB runs for a point, which is `all`, the result of [`ran`].
///
/// # Errors
/// The scenario asks for what no virtual machine does; a program is not found.
pub fn guest(setup: &Setup, all: &BTreeMap<String, Ran>, memory_mib: u32, by: ColorsBy) -> Result<Guest, Failure> {
    check(setup, memory_mib)?;
    let palette = Palette::of(setup, memory_mib, all)?;
    let search = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/bin:/usr/bin"));
    let (mut programs, mut files) = (Vec::new(), Vec::new());
    for copy in &setup.copies {
        let task = &setup.tasks[copy.task];
        let (name, arguments) = task.command.split_first().ok_or_else(|| {
            error_at(&task.place, format!("found no command of {:?}", task.name))
                .allowed("a program of this machine with its arguments, such as command = [\"xz\", \"-9\", \"data\"]")
                .help("add a command; program is what fresco sim runs in its place")
        })?;
        let found = Program::find(OsStr::new(name), &search)
            .map_err(|failure| error_at(&task.place, format!("found command {name:?}: {}", failure.what)))?;
        if found.architecture != Architecture::X86 {
            return Err(error_at(
                &task.place,
                format!("found command {name:?}, a program for another architecture"),
            )
            .allowed("programs for x86-64")
            .help("record a program for aarch64 with fresco record")
            .into());
        }
        let path = found.path.to_string_lossy().into_owned();
        let before = found.before.iter().map(|word| word.to_string_lossy().into_owned());
        files.extend(
            found
                .before
                .iter()
                .map(PathBuf::from)
                .filter(|path| path.is_absolute() && path.is_file()),
        );
        files.push(found.path.clone());
        let ran = &all[&copy.name];
        let colors = ran.colors.as_deref().zip(palette.as_ref());
        let colors = colors.map(|(words, palette)| palette.given(setup, words, ran.strict, by));
        programs.push(GuestProgram {
            name: copy.name.clone(),
            cpu: copy.core,
            colors: colors.transpose()?,
            command: [path]
                .into_iter()
                .chain(before)
                .chain(arguments.iter().cloned())
                .collect(),
        });
    }
    Ok(Guest {
        cpus: setup.copies.iter().map(|copy| copy.core + 1).max().unwrap_or(1),
        programs: Programs {
            timed: false,
            align_ns: 0,
            memguard: None,
            map: palette.map(|palette| palette.map.to_string()),
            programs,
        },
        files,
    })
}

fn check(setup: &Setup, memory_mib: u32) -> Result<(), InputError> {
    let place = &setup.tasks[0].place;
    if let Some(task) = setup.tasks.iter().find(|task| task.timing.is_some()) {
        let error = error_at(&task.place, format!("found the periodic task {:?}", task.name));
        return Err(error
            .allowed("programs that have their processor alone from begin to end")
            .help("remove its period"));
    }
    let (whole, most) = (
        u64::from(memory_mib) << 20,
        setup.machine.memory.organisation.total_bytes(),
    );
    if whole > most {
        let found = format!(
            "found {memory_mib} MiB of memory for the virtual machine, and {} has {}",
            setup.machine.name,
            most >> 20
        );
        return Err(error_at(place, found)
            .allowed(format!("{} MiB at most", (most >> 20).min(MOST_MIB.into())))
            .help("set --memory"));
    }
    let starts_at_zero = |region: &fresco_dram::Region| region.base == 0 && region.size >= whole;
    if !setup.machine.memory.map.regions().iter().any(starts_at_zero) {
        let found = format!(
            "found {}, which has no memory in one piece from address 0 on",
            setup.machine.name
        );
        return Err(error_at(place, found)
            .allowed(format!("a machine whose first {memory_mib} MiB are memory"))
            .help("set a smaller --memory, or choose another machine"));
    }
    if !setup.agents.is_empty() || setup.rows.is_some() || setup.dynamic.is_some() {
        return Err(error_at(place, "found agents, rows or a dynamic policy")
            .allowed("tasks and their colors")
            .help("remove them; Linux in the virtual machine has nothing of the kind"));
    }
    Ok(())
}

/// What a point runs, as recordings are told apart.
///
/// # Errors
/// Colors that nobody knows before programs run.
pub fn ran(setup: &Setup) -> Result<BTreeMap<String, Ran>, InputError> {
    let of = |copy: &Copy| {
        let task = &setup.tasks[copy.task];
        let ran = Ran {
            cpu: copy.core,
            colors: colors(&copy.coloring).map_err(|what| error_at(&task.place, what))?,
            strict: setup.frames.policy.is_strict(),
            command: task.command.clone(),
        };
        Ok((copy.name.clone(), ran))
    };
    setup.copies.iter().map(of).collect()
}

/// Colors as `fresco run` has them; none of a task without colors.
fn colors(coloring: &Coloring) -> Result<Option<String>, String> {
    match coloring {
        Coloring::Off => Ok(None),
        Coloring::Explicit { banks, llc } => {
            let banks = banks.iter().map(|banks| format!("banks={banks}"));
            let llc = llc.iter().map(|llc| format!("llc={llc}"));
            Ok(Some(banks.chain(llc).collect::<Vec<_>>().join(",")))
        }
        Coloring::Automatic { .. } => Err("found colors that the policy would choose while programs run".to_owned()),
    }
}

/// The machine's colors, and those of the kernel.
struct Palette {
    colors: FrameColors,
    memory: Range<u64>,
    map: KernelMap,
}

impl Palette {
    /// The kernel's map that tells the machine's colors apart; `None` if nobody has colors.
    fn of(setup: &Setup, memory_mib: u32, all: &BTreeMap<String, Ran>) -> Result<Option<Self>, InputError> {
        let colors = FrameColors::of_machine(&setup.machine.memory.map, &setup.space)?;
        let memory = 0..u64::from(memory_mib) << 20;
        let counts = ColorCounts::of(&colors);
        let asked: Vec<AskedColors> = all
            .values()
            .filter_map(|ran| ran.colors.as_deref())
            .map(|words| AskedColors::parse(words, counts))
            .collect::<Result<_, _>>()?;
        if asked.is_empty() {
            return Ok(None);
        }
        match map_for(&colors, &asked, std::slice::from_ref(&memory)) {
            Some(map) => Ok(Some(Self { colors, memory, map })),
            None => Err(cannot_tell(setup)),
        }
    }

    /// How a program gets these colors.
    fn given(&self, setup: &Setup, words: &str, strict: bool, by: ColorsBy) -> Result<GuestColors, InputError> {
        if by == ColorsBy::Run {
            let machine = setup.machine_used();
            let machine = machine.path.map_or(machine.name, |_| MACHINE.to_owned());
            let options = ["--machine", &machine, "--backend", "kernel", "--colors", words];
            let strict = strict.then_some("--strict");
            return Ok(GuestColors::Run(
                options.into_iter().chain(strict).map(str::to_owned).collect(),
            ));
        }
        let asked = AskedColors::parse(words, ColorCounts::of(&self.colors))?;
        let colors = translate(&self.map, &self.colors, &asked, std::slice::from_ref(&self.memory))
            .map_err(|_| cannot_tell(setup))?;
        let colors = KernelColors { colors, strict };
        Ok(match by {
            ColorsBy::Cgroup => GuestColors::Cgroup(colors),
            ColorsBy::Run | ColorsBy::Calls => GuestColors::Calls(colors),
        })
    }
}

fn cannot_tell(setup: &Setup) -> InputError {
    let found = format!(
        "found {}, whose colors the kernel's page coloring cannot tell apart",
        setup.machine.name
    );
    error_at(&setup.tasks[0].place, found).allowed("colors that up to eight functions of address bits tell apart")
}

/// The file of the machine, unless it is built in.
pub fn machine_file(setup: &Setup) -> Option<PathBuf> {
    setup.machine_used().path.map(|path| Path::new(&path).to_owned())
}
