// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco memory`: the memory core alone under an address trace.

mod report;
mod watch;

use crate::arguments::{choice, integer, key_value};
use crate::failure::{Outcome, WANTING, tell, tell_warning};
use crate::outputs::refuse_standard_output;
use crate::stop::{STOPPED, Stop};
use crate::{output, progress, provenance};
use fresco_dram::{Location, PhysAddr};
use fresco_input::{InputError, file_name, refuse_overwriting};
use fresco_load::trace::{Format, MemoryTrace};
use fresco_machine::{Machine, load_with};
use fresco_memory::checker::{Checker, Options};
use fresco_memory::{Access, Controller, Driver, TraceRequest};
use fresco_report::InputFile;
use report::MemoryReport;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use watch::Watch;

/// Arguments of `fresco memory`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Requests are sent in the order of the trace, in a cycle of the command clock at most as many as the machine has channels.
One that has to wait, for its cycle or for another to be done, holds those behind it.

Trace formats, found out by themselves, plain, gzip, zstd, xz or zip:
  Fresco       our own binary format (.ftrace)
  DRAMsim3     0xADDR READ|WRITE CYCLE
  Ramulator    0xADDR R|W, or LD|ST 0xADDR, or BUBBLES READ_ADDR [WRITE_BACK_ADDR]
  lackey       I|L|S|M ADDR,SIZE (valgrind)
  drmemtrace   what its tool view prints (DynamoRIO)
  ChampSim     64 bytes for each instruction

Example:
  fresco memory random.trace --machine ddr4-2400-bench --commands out.cmd --json")]
pub struct Args {
    /// The address trace; physical byte addresses
    trace: PathBuf,

    /// Built-in machine, or path of a machine file
    #[arg(long, value_name = "MACHINE")]
    machine: String,

    /// Override a key of the machine file (repeatable), e.g. memory.controller.page=closed
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,

    /// Requests outstanding at most
    #[arg(long, value_name = "N", default_value_t = 32, allow_negative_numbers = true, value_parser = integer("--outstanding", 1..=65536u32))]
    outstanding: u32,

    /// Format of the trace, instead of finding it out
    #[arg(long, value_name = "FORMAT", value_parser = choice("--format", &Format::ALL))]
    format: Option<Format>,

    /// Write every DRAM command issued: cycle command channel rank bankgroup bank row column
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,

    /// Check every command against the device's timing and refresh rules with the independent checker; a violation
    /// ends with status 1
    #[arg(long)]
    check: bool,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Drives the trace and shows what came of it.
pub fn run(args: &Args) -> Outcome {
    let machine = load_with(&args.machine, &args.set)?;
    tell_warning(&machine);
    if let Some(commands) = &args.commands {
        refuse_overwriting("--commands", commands, [args.trace.as_path(), Path::new(&args.machine)])?;
        refuse_standard_output("--commands", commands, args.json)?;
    }
    let trace = MemoryTrace::open(&args.trace, args.format)?;
    let mut watch = Watch::new(args.commands.as_deref(), args.check.then(|| checker(&machine)))?;
    let trace = RefCell::new(trace);
    let stop = Stop::on_any_end();
    let (mut driver, driven) = drive(&machine, &trace, args.outstanding as usize, &mut watch, &stop)?;
    let stopped = stop.is_asked();
    let digest = match stopped {
        // The rest of the trace is not read.
        true => "none, stopped".to_owned(),
        false => trace.borrow().digest()?,
    };
    let closed = watch.close();
    let gaps = trace.borrow().leaves_gaps_out();
    let verdict = watch.verdict(driven.end);
    let report = MemoryReport::new(
        &machine,
        (args.outstanding, gaps),
        &driven,
        (&watch, verdict.as_ref()),
        driver.controllers(),
    );

    let mut provenance = provenance::of_this_run(None);
    provenance.machine_files = vec![provenance::machine_file(&machine, &args.machine)];
    provenance.inputs = vec![InputFile::new(file_name(&args.trace), digest)];
    output::print(args.json, "fresco-memory/3", &provenance, &report, || {
        Ok(vec![report.table()?])
    })?;
    closed?;
    if gaps {
        tell(&format!(
            "fresco: instructions between the accesses of {} are left out: requests follow each other as fast as {} outstanding ones let them; \
             fresco sim replays them on a core",
            file_name(&args.trace),
            args.outstanding
        ));
    }
    let status = match stopped {
        true => {
            tell("fresco: stopped before the end of the trace");
            STOPPED
        }
        false => 0,
    };
    let Some(verdict) = verdict else {
        return Ok(ExitCode::from(status));
    };
    tell(&format!("checker: {verdict}"));
    Ok(match verdict.is_clean() {
        true => ExitCode::from(status),
        false => ExitCode::from(WANTING),
    })
}

fn checker(machine: &Machine) -> Checker {
    let memory = &machine.memory;
    let options = Options::of_policy(memory.controller.refresh);
    Checker::of(memory, options)
}

fn drive(
    machine: &Machine,
    trace: &RefCell<MemoryTrace>,
    outstanding: usize,
    watch: &mut Watch,
    stop: &Stop,
) -> Result<(Driver, fresco_memory::Driven), InputError> {
    let memory = &machine.memory;
    let controllers = (0..memory.organisation.nodes)
        .map(|node| Controller::new(&memory.controller, &memory.organisation, &memory.timing, node))
        .collect();
    let mut driver = Driver::new(controllers, outstanding);
    // An address names the line that holds it.
    let in_line = memory.timing.bytes_of_line(&memory.organisation) - 1;
    let bar = progress::counter("requests");
    let mut sent = 0u64;
    let requests = std::iter::from_fn(|| {
        if stop.is_asked() {
            return None;
        }
        let record = trace.borrow_mut().next_record().transpose()?;
        sent += 1;
        if sent.is_multiple_of(1 << 16) {
            bar.set_position(sent);
        }
        Some(record.map(|record| TraceRequest {
            cycle: record.arrival,
            address: record.addr.0 & !in_line,
            access: if record.write { Access::Write } else { Access::Read },
        }))
    });
    let place = |address: u64| -> Result<Location, InputError> {
        memory.map.decode(PhysAddr(address)).ok_or_else(|| {
            let error = trace.borrow().error_here(format!("found address {address:#x}"));
            error
                .in_field("address")
                .allowed(format!(
                    "the physical addresses of {}: {}",
                    machine.name,
                    ranges(machine)
                ))
                .help("choose a machine with more memory, or a trace of physical addresses")
        })
    };
    let driven = driver.run(requests, place, watch);
    bar.finish_and_clear();
    Ok((driver, driven?))
}

fn ranges(machine: &Machine) -> String {
    let regions = machine.memory.map.regions().iter();
    regions
        .map(|r| format!("{:#x} to {:#x}", r.base, r.end() - 1))
        .collect::<Vec<_>>()
        .join(", ")
}
