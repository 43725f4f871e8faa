// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco` does within the virtual machine: as its first process it starts the programs, each on its processor and in its
//! colors, all at the same time; in front of each it marks where the recording begins.

pub mod memguard;

use crate::failure::{Failure, Outcome, tell};
use fresco_dram::color::format_list;
use fresco_input::InputError;
use fresco_linux::sys::call_for_page_colors;
use fresco_linux::sys::guest::{mark_begin, mark_end, mount, now_ns, reset, seed};
use memguard::Memguard;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{WaitOptions, wait};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// Where fresco lies within the machine.
pub const FRESCO: &str = "/bin/fresco";
/// What is started, as JSON.
pub const PROGRAMS: &str = "/loop/programs.json";
/// Begins each line that is for the host.
pub const SAYS: &str = "fresco loop: ";
/// Those who are ready, and what lets them go.
const READY: &str = "/run/ready";
const GO: &str = "/run/go";
/// When programs began, in nanoseconds of the machine's clock.
const BEGAN: &str = "/run/began";
/// How late a program may begin that is to begin at a multiple of a time: the clock moves on by 10 us.
const LATE_NS: u64 = 15_000;
/// Control groups, version 2.
const GROUPS: &str = "/sys/fs/cgroup";
/// The kernel's page coloring.
const COLORING: &str = "/sys/kernel/mm/page_color";

/// What is started in the machine.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Programs {
    /// The kernel's map of colors, if any program has colors.
    pub map: Option<String>,
    /// It is told how long each program has taken.
    #[serde(default)]
    pub timed: bool,
    /// Programs begin at a multiple of so many nanoseconds of the machine's clock; 0: when all are ready.
    #[serde(default)]
    pub align_ns: u64,
    /// Budgets of bandwidth that the machine keeps.
    #[serde(default)]
    pub memguard: Option<Memguard>,
    /// The programs.
    pub programs: Vec<GuestProgram>,
}

/// One of them.
#[derive(Debug, Serialize, Deserialize)]
pub struct GuestProgram {
    /// The task's name.
    pub name: String,
    /// Its processor.
    pub cpu: u32,
    /// How it gets its colors; `None` for a program without.
    pub colors: Option<GuestColors>,
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// How a program gets its colors.
#[derive(Debug, Serialize, Deserialize)]
pub enum GuestColors {
    /// By `fresco run` with these options.
    Run(Vec<String>),
    /// As those of its control group.
    Cgroup(KernelColors),
    /// By calls of mmap before it begins, as a program for TintMalloc makes them.
    Calls(KernelColors),
}

/// Colors of the kernel's map.
#[derive(Debug, Serialize, Deserialize)]
pub struct KernelColors {
    /// Their numbers.
    pub colors: Vec<u32>,
    /// Whether it gets pages of no others.
    pub strict: bool,
}

/// `fresco loop-guest`: of the machine's first process without a name, of what stands before a program with its name and processor.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task
    name: Option<String>,
    /// Its processor
    cpu: Option<u32>,
    /// Colors of the kernel's map that it calls for
    #[arg(long, value_delimiter = ',')]
    colors: Vec<u32>,
    /// Pages of no other colors
    #[arg(long)]
    strict: bool,
    /// Write down when it begins
    #[arg(long)]
    timed: bool,
    /// Begin at a multiple of so many nanoseconds
    #[arg(long, default_value_t = 0)]
    align: u64,
    /// The program
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match (&args.name, args.cpu) {
        (Some(name), Some(cpu)) => become_program(name, cpu, args),
        _ if std::process::id() != 1 => Err(InputError::new(
            "fresco loop-guest",
            "found another process than the first one of a machine",
        )
        .allowed("the virtual machine of fresco loop")
        .help("use fresco loop")
        .into()),
        _ => {
            if let Err(error) = start_all() {
                tell(&format!("{SAYS}failed: {error}"));
            }
            tell(&format!("{SAYS}over"));
            Err(failed("reset", &reset().into()))
        }
    }
}

fn failed(what: &str, error: &io::Error) -> Failure {
    InputError::new(what, error.to_string()).into()
}

/// Waits for the others, marks, and becomes the program.
fn become_program(name: &str, cpu: u32, args: &Args) -> Outcome {
    let ready = || -> io::Result<()> {
        stay_on(cpu)?;
        call_for_page_colors(&args.colors, args.strict)?;
        fs::write(format!("{READY}/{name}"), "")?;
        // Opened once somebody opens it to write.
        fs::File::open(GO).map(drop)
    };
    ready().map_err(|error| failed(name, &error))?;
    let (program, arguments) = args
        .command
        .split_first()
        .ok_or_else(|| failed(name, &io::ErrorKind::InvalidInput.into()))?;
    let mut command = Command::new(program);
    command.args(arguments);
    let mut late = u64::MAX;
    // Who was interrupted waits for the next multiple.
    while late > LATE_NS {
        let begins = now_ns().next_multiple_of(args.align.max(1));
        if args.timed {
            let began = format!("{BEGAN}/{name}");
            fs::write(&began, begins.to_string()).map_err(|error| failed(&began, &error))?;
        }
        let mut now = now_ns();
        // Without PAUSE, which would take longer.
        while now < begins {
            now = now_ns();
        }
        late = match args.align {
            0 => 0,
            _ => now - begins,
        };
    }
    mark_begin();
    Err(failed(program, &command.exec()))
}

fn stay_on(cpu: u32) -> io::Result<()> {
    let mut cpus = CpuSet::new();
    cpus.set(cpu as usize);
    Ok(sched_setaffinity(None, &cpus)?)
}

fn start_all() -> io::Result<ExitCode> {
    for (kind, place) in [(c"proc", c"/proc"), (c"sysfs", c"/sys"), (c"devtmpfs", c"/dev")] {
        mount(kind, place)?;
    }
    seed()?;
    fs::create_dir(READY)?;
    mknodat(CWD, GO, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    let Programs {
        map,
        timed,
        align_ns,
        memguard,
        programs,
    } = serde_json::from_slice(&fs::read(PROGRAMS)?)?;
    if timed {
        fs::create_dir(BEGAN)?;
    }
    if let Some(map) = map {
        if !Path::new(COLORING).exists() {
            return Err(io::Error::other(
                "this kernel has no page coloring (kernel/README.md has the patches)",
            ));
        }
        for (file, text) in [("map", map.as_str()), ("enabled", "1")] {
            let refused = |error| io::Error::other(format!("{COLORING}/{file} takes no {text}: {error}"));
            fs::write(format!("{COLORING}/{file}"), text).map_err(refused)?;
        }
    }
    let is_grouped = |program: &GuestProgram| matches!(program.colors, Some(GuestColors::Cgroup(_)));
    if programs.iter().any(is_grouped) {
        mount(c"cgroup2", c"/sys/fs/cgroup")?;
        fs::write(format!("{GROUPS}/cgroup.subtree_control"), "+cpuset")?;
    }
    let mut running = BTreeMap::new();
    for program in &programs {
        let child = start(program, timed, align_ns)?;
        if let Some(GuestColors::Cgroup(colors)) = &program.colors {
            join(child, &program.name, colors)?;
        }
        running.insert(child, program);
    }
    let is_ready = |program: &GuestProgram| Path::new(READY).join(&program.name).exists();
    while !programs.iter().all(is_ready) {
        if let Some((child, status)) = wait(WaitOptions::NOHANG)? {
            let name = running
                .get(&child.as_raw_nonzero().get())
                .map_or("", |program| &program.name);
            return Err(io::Error::other(format!(
                "{name} ended before it began: {}",
                words(status)
            )));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // All have come to the point at which they wait.
    std::thread::sleep(Duration::from_millis(100));
    tell(&format!("{SAYS}begin"));
    if let Some(memguard) = &memguard {
        memguard.begin()?;
    }
    let _go = fs::File::options().write(true).open(GO)?;
    while !running.is_empty() {
        let Some((child, status)) = wait(WaitOptions::empty())? else {
            break;
        };
        let ended = timed.then(now_ns);
        if let Some(program) = running.remove(&child.as_raw_nonzero().get()) {
            stay_on(program.cpu)?;
            mark_end();
            tell(&format!("{SAYS}{} ended: {}", program.name, words(status)));
            if let Some(memguard) = &memguard {
                memguard.tell()?;
            }
            if let Some(ended) = ended {
                let began = fs::read_to_string(format!("{BEGAN}/{}", program.name))?;
                let taken = began.parse::<u64>().map_or(0, |began| ended.saturating_sub(began));
                tell(&format!("{SAYS}{} took: {taken} ns", program.name));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Puts a process into a control group of its own with these colors.
fn join(child: i32, name: &str, wanted: &KernelColors) -> io::Result<()> {
    let group = format!("{GROUPS}/{name}");
    fs::create_dir(&group)?;
    for (file, text) in [
        ("cpuset.colors", format_list(&wanted.colors)),
        ("cpuset.colors.strict", u8::from(wanted.strict).to_string()),
        ("cgroup.procs", child.to_string()),
    ] {
        let refused = |error| io::Error::other(format!("{group}/{file} takes no {text}: {error}"));
        fs::write(format!("{group}/{file}"), &text).map_err(refused)?;
    }
    Ok(())
}

fn start(program: &GuestProgram, timed: bool, align_ns: u64) -> io::Result<i32> {
    let mut words: Vec<&str> = Vec::new();
    if let Some(GuestColors::Run(options)) = &program.colors {
        words.extend([FRESCO, "run"]);
        words.extend(options.iter().map(String::as_str));
        words.push("--");
    }
    let cpu = program.cpu.to_string();
    words.extend([FRESCO, "loop-guest", &program.name, &cpu]);
    let called = match &program.colors {
        Some(GuestColors::Calls(colors)) => {
            let list: Vec<String> = colors.colors.iter().map(u32::to_string).collect();
            Some((list.join(","), colors.strict))
        }
        _ => None,
    };
    if let Some((list, strict)) = &called {
        words.extend(["--colors", list]);
        words.extend(strict.then_some("--strict"));
    }
    words.extend(timed.then_some("--timed"));
    let align = align_ns.to_string();
    if align_ns > 0 {
        words.extend(["--align", &align]);
    }
    words.push("--");
    words.extend(program.command.iter().map(String::as_str));
    let child = Command::new(words[0])
        .args(&words[1..])
        .env("PATH", "/bin:/usr/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    Ok(child.id() as i32)
}

fn words(status: rustix::process::WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(status), _) => format!("status {status}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "stopped".to_owned(),
    }
}
