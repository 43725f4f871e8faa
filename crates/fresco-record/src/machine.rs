// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records the processors of a virtual machine: what each loads and stores, by physical address, kernel and all.
//!
//! QEMU emulates the whole machine, with the plugin in it. One thread executes all processors in turn, and time is counted in
//! instructions, so that two recordings of the same are the same. A trace for each processor goes to a file of its own (`writers`). What
//! loads need is found out here: `code` knows the blocks, `values` follows the registers of each processor through them.

use crate::record::{PATIENCE, end, plugin_argument, shared_memory, unable};
use crate::{Failure, Why};
pub use closed::ClosedMachine;
pub use feed::Feed;
use fresco_ring::Host;
pub use fresco_ring::physical::Settings;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use writers::Writers;

/// The emulator of machines.
pub const EMULATOR: &str = "qemu-system-x86_64";

/// Most memory of a machine, in MiB: up to here QEMU's machine has it in one piece from address 0 on, and tells its plugin addresses as the
/// processors have them.
pub const MOST_MIB: u32 = 2048;

/// A machine to be recorded.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The emulator: [`EMULATOR`], or another one of the kind.
    pub emulator: PathBuf,
    /// The plugin's file.
    pub plugin: PathBuf,
    /// A kernel for x86-64.
    pub kernel: PathBuf,
    /// Its first file system.
    pub initramfs: PathBuf,
    /// What the kernel is told besides.
    pub append: String,
    /// Memory in MiB, at most [`MOST_MIB`].
    pub memory_mib: u32,
    /// Processors.
    pub cpus: u32,
    /// Where its console goes.
    pub console: PathBuf,
    /// What is recorded of each processor that a program marks.
    pub settings: Settings,
    /// The tool and its version, for the traces.
    pub tool: String,
}

/// A processor to be recorded.
#[derive(Clone, Debug)]
pub struct Processor {
    /// Its number.
    pub number: u32,
    /// What it runs, for the trace.
    pub program: String,
    /// Its trace.
    pub trace: PathBuf,
}

/// What was recorded of a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Instructions.
    pub instructions: u64,
    /// Loads and stores that are in the trace.
    pub accesses: u64,
}

/// How a recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineEnded {
    /// All processors that are waited for are recorded.
    Enough,
    /// The machine was switched off, or QEMU has failed, before.
    Early,
    /// It was stopped.
    Asked,
}

fn output(path: &Path, error: &io::Error) -> Failure {
    Failure {
        why: Why::Output,
        what: format!("{}: {error}", path.display()),
    }
}

/// Boots the machine and records these processors until all are recorded. `progress` is told the instructions recorded so far.
///
/// # Errors
/// QEMU cannot be started; a trace cannot be written.
pub fn record_machine(
    machine: &Machine,
    processors: &[Processor],
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> Result<(Vec<Recorded>, MachineEnded), Failure> {
    let mut writers = Writers::new(processors, &machine.tool)?;
    let mut host = shared_memory()?;
    let mut child = start(machine, &host, None)?;
    let ended = follow(&mut child, &mut host, &mut writers, progress, stop)
        .map_err(|error| unable(format!("{}: {error}", machine.emulator.display())))?;
    host.take_rest(|_, taken| writers.take(taken));
    Ok((writers.finish()?, ended))
}

fn start(machine: &Machine, host: &Host, feed: Option<&Feed>) -> Result<Child, Failure> {
    // Where the model keeps the time, instructions do not count it. The counter of time stamps would be the host's, so that there is none, and a
    // processor that sleeps would not be there when the model wants more of it.
    // Each processor has a thread of its own then, which the plugin lets run in turn.
    let (processor, accelerator, time, idle): (_, _, &[&str], _) = match machine.settings.window {
        0 => (
            "max,rdrand=off,rdseed=off",
            "tcg,thread=single",
            &["-icount", "shift=1,sleep=off"],
            "",
        ),
        _ => (
            "max,rdrand=off,rdseed=off,tsc=off",
            "tcg,thread=multi",
            &[],
            "idle=poll ",
        ),
    };
    let settings = Settings {
        // The device's memory lies beyond.
        below: feed.map_or(0, |_| u64::from(machine.memory_mib) << 20),
        ..machine.settings
    };
    let mut command = Command::new(&machine.emulator);
    command
        .args(["-machine", "q35", "-cpu", processor, "-accel", accelerator])
        .args(time)
        .args(["-rtc", "base=2026-01-01,clock=vm", "-seed", "0"])
        .args(["-display", "none", "-nodefaults", "-no-reboot", "-m"])
        .arg(format!("{}M", machine.memory_mib))
        .arg("-smp")
        .arg(machine.cpus.to_string())
        .arg("-serial")
        .arg(format!("file:{}", machine.console.display()))
        .arg("-kernel")
        .arg(&machine.kernel)
        .arg("-initrd")
        .arg(&machine.initramfs)
        .arg("-append")
        .arg(format!(
            "console=ttyS0 panic=-1 no_timer_check nokaslr norandmaps {idle}{}",
            machine.append
        ))
        .arg("-plugin")
        .arg(plugin_argument(&machine.plugin, host, &settings.arguments()))
        .args(feed.map(|feed| feed.device(machine.memory_mib)).into_iter().flatten())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => unable(format!(
            "{} is not installed: `apt-get install qemu-system-x86` on Debian and alike",
            machine.emulator.display()
        )),
        _ => unable(format!("{} cannot be started: {error}", machine.emulator.display())),
    })
}

fn follow(
    child: &mut Child,
    host: &mut Host,
    writers: &mut Writers<'_>,
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> io::Result<MachineEnded> {
    let mut told = Instant::now();
    loop {
        let seen = host.filled();
        let taken = host.take_full(|_, taken| writers.take(taken));
        if told.elapsed() > PATIENCE * 5 {
            progress(writers.instructions());
            told = Instant::now();
        }
        let ended = match (host.has_enough(), stop()) {
            (true, _) => Some(MachineEnded::Enough),
            (_, true) => Some(MachineEnded::Asked),
            _ if writers.has_failed() => Some(MachineEnded::Early),
            _ => None,
        };
        if let Some(ended) = ended {
            while host.take_full(|_, taken| writers.take(taken)) > 0 {}
            host.close();
            end(child, Duration::ZERO)?;
            return Ok(ended);
        }
        if taken > 0 {
            continue;
        }
        if child.try_wait()?.is_some() {
            return Ok(match host.has_enough() {
                true => MachineEnded::Enough,
                false => MachineEnded::Early,
            });
        }
        host.wait(seen, PATIENCE);
    }
}

mod closed;
mod code;
mod feed;
mod streams;
mod values;
mod writers;
