// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco memory`: the memory core alone under an address trace.

use crate::failure::Outcome;
use crate::latencies::Latencies;
use crate::{progress, provenance};
use fresco_dram::{CommandKind, Cycle, Location, PhysAddr};
use fresco_input::InputError;
use fresco_load::trace::{Format, MemoryTrace};
use fresco_machine::{Machine, load_with};
use fresco_memory::controller::ChannelStats;
use fresco_memory::{Access, Command, Completion, Controller, Driver, Observer, TraceRequest, Wait};
use fresco_report::{Cell, Column, Document, Table};
use serde::Serialize;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco memory`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Trace formats, found out by themselves, gzip or zstd compressed or not:
  Fresco       our own binary format (.ftrace)
  DRAMsim3     0xADDR READ|WRITE CYCLE
  Ramulator    0xADDR R|W, or LD|ST 0xADDR, or BUBBLES READ_ADDR [WRITE_BACK_ADDR]

Example:
  fresco memory random.trace --machine ddr4-2400-bench --commands out.cmd --json")]
pub struct Args {
    /// The address trace; physical byte addresses
    trace: PathBuf,

    /// Built-in machine, or path of a machine file
    #[arg(long, value_name = "NAME")]
    machine: String,

    /// Override a key of the machine file (repeatable), e.g. memory.controller.page=closed
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,

    /// Requests outstanding at most
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=65536))]
    outstanding: u32,

    /// Format of the trace, instead of finding it out
    #[arg(long, value_name = "FORMAT", value_parser = format_of)]
    format: Option<Format>,

    /// Write every DRAM command issued: cycle command channel rank bankgroup bank row column
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// `KEY=VALUE` of a `--set`.
pub fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("no \"=\"; write KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn format_of(text: &str) -> Result<Format, String> {
    let found = Format::ALL.iter().find(|(name, _)| *name == text);
    found.map(|&(_, format)| format).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|&(name, _)| name).collect();
        format!("choose one of {}", names.join(", "))
    })
}

/// Drives the trace and shows what came of it.
pub fn run(args: &Args) -> Outcome {
    let machine = load_with(&args.machine, &args.set)?;
    let trace = MemoryTrace::open(&args.trace, args.format)?;
    let mut watch = Watch::new(args.commands.as_deref())?;
    let (mut driver, driven) = drive(&machine, trace, args.outstanding as usize, &mut watch)?;
    watch.close()?;
    let report = Report::new(&machine, args, &driven, &watch, driver.controllers());

    let mut provenance = provenance::of_this_run(0);
    provenance.machine_files = vec![provenance::machine_file(&machine)];
    provenance.inputs = vec![provenance::input_file(&args.trace)];
    let mut out = std::io::stdout().lock();
    if args.json {
        out.write_all(
            &Document {
                schema: "fresco-memory/1",
                provenance: &provenance,
                data: &report,
            }
            .to_bytes()?,
        )?;
    } else {
        out.write_all(
            report
                .table()?
                .to_text_with(crate::terminal_width(), &provenance)
                .as_bytes(),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn drive(
    machine: &Machine,
    trace: MemoryTrace,
    outstanding: usize,
    watch: &mut Watch,
) -> Result<(Driver, fresco_memory::Driven), InputError> {
    let memory = &machine.memory;
    let controllers = (0..memory.organisation.nodes)
        .map(|node| Controller::new(&memory.controller, &memory.organisation, &memory.timing, node))
        .collect();
    let mut driver = Driver::new(controllers, outstanding);
    // The trace hands out requests and, if the memory has no such address, the place of the last one.
    let trace = RefCell::new(trace);
    let bar = progress::counter("requests");
    let mut sent = 0u64;
    let requests = std::iter::from_fn(|| {
        let record = trace.borrow_mut().next_record().transpose()?;
        sent += 1;
        if sent.is_multiple_of(1 << 16) {
            bar.set_position(sent);
        }
        Some(record.map(|record| TraceRequest {
            cycle: record.arrival,
            address: record.addr.0,
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
                .cure("choose a machine with more memory, or a trace of physical addresses")
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

/// Counts completions; writes commands.
struct Watch {
    reads: Latencies,
    writes: Latencies,
    wait: Wait,
    commands: Option<CommandFile>,
}

/// A command trace in the making: written beside its place, and put there when it is whole.
struct CommandFile {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    error: Option<std::io::Error>,
}

impl Watch {
    fn new(commands: Option<&Path>) -> Result<Self, InputError> {
        let commands = commands.map(CommandFile::create).transpose()?;
        Ok(Self {
            reads: Latencies::default(),
            writes: Latencies::default(),
            wait: Wait::default(),
            commands,
        })
    }

    fn close(&mut self) -> Result<(), InputError> {
        self.commands.take().map_or(Ok(()), CommandFile::finish)
    }
}

impl Observer for Watch {
    fn completed(&mut self, completion: &Completion) {
        let latency = completion.done - completion.arrived;
        match completion.access {
            Access::Write => self.writes.record(latency),
            Access::Read => {
                self.reads.record(latency);
                self.wait.queue += completion.wait.queue;
                self.wait.bank += completion.wait.bank;
                self.wait.bus += completion.wait.bus;
                self.wait.refresh += completion.wait.refresh;
                self.wait.service += completion.wait.service;
            }
        }
    }

    fn command(&mut self, command: &Command) {
        if let Some(commands) = &mut self.commands
            && commands.error.is_none()
        {
            commands.error = writeln!(commands.file, "{command}").err();
        }
    }
}

impl CommandFile {
    fn create(path: &Path) -> Result<Self, InputError> {
        // A pipe or device is written as it comes.
        let partial = if path.exists() && !path.is_file() {
            path.to_owned()
        } else {
            path.with_added_extension("part")
        };
        let file = File::create(&partial).map_err(|error| unwritable(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            partial,
            file: BufWriter::new(file),
            error: None,
        })
    }

    fn finish(mut self) -> Result<(), InputError> {
        let flushed = self.error.take().map_or_else(|| self.file.flush(), Err);
        let moved = flushed.and_then(|()| match self.partial == self.path {
            true => Ok(()),
            false => std::fs::rename(&self.partial, &self.path),
        });
        moved.map_err(|error| unwritable(&self.path, &error))
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> InputError {
    InputError::new(path.display().to_string(), format!("cannot be written: {error}"))
        .in_field("--commands")
        .allowed("a file in a directory that exists and may be written")
        .cure("name another file")
}

/// Everything `fresco memory` reports. Latencies and waits in controller cycles unless named otherwise.
#[derive(Debug, Serialize)]
struct Report {
    machine: String,
    standard: String,
    clock_ps: f64,
    outstanding: u32,
    requests: u64,
    cycles: Cycle,
    time_ns: f64,
    bandwidth_gb_per_s: f64,
    bus_utilisation: f64,
    reads: Side,
    writes: Side,
    /// Mean parts of a read's latency, in cycles.
    read_wait: MeanWait,
    row_hits: u64,
    row_misses: u64,
    row_conflicts: u64,
    forwarded: u64,
    commands: Vec<(&'static str, u64)>,
}

/// One direction.
#[derive(Debug, Serialize)]
struct Side {
    count: u64,
    mean: f64,
    stddev: f64,
    p50: Cycle,
    p99: Cycle,
    p99_9: Cycle,
    max: Cycle,
}

#[derive(Debug, Serialize)]
struct MeanWait {
    queue: f64,
    bank: f64,
    bus: f64,
    refresh: f64,
    service: f64,
}

impl Side {
    fn of(latencies: &Latencies) -> Self {
        Self {
            count: latencies.count(),
            mean: latencies.mean(),
            stddev: latencies.stddev(),
            p50: latencies.quantile(500),
            p99: latencies.quantile(990),
            p99_9: latencies.quantile(999),
            max: latencies.max(),
        }
    }
}

impl Report {
    fn new(
        machine: &Machine,
        args: &Args,
        driven: &fresco_memory::Driven,
        watch: &Watch,
        controllers: &mut [Controller],
    ) -> Self {
        let stats: Vec<ChannelStats> = controllers.iter_mut().flat_map(Controller::stats).collect();
        let sum = |part: fn(&ChannelStats) -> u64| stats.iter().map(part).sum::<u64>();
        let clock = machine.memory.timing.clock;
        let time_ns = driven.end as f64 * 2000.0 / f64::from(clock.rate_mts());
        let org = &machine.memory.organisation;
        let burst_bytes = machine.memory.timing.burst_length * u64::from(org.bus_bytes);
        let moved = (sum(|s| s.reads) + sum(|s| s.writes)) * burst_bytes;
        let reads = watch.reads.count().max(1) as f64;
        let wait = &watch.wait;
        Self {
            machine: machine.name.clone(),
            standard: machine.memory.timing.standard.clone(),
            clock_ps: 2_000_000.0 / f64::from(clock.rate_mts()),
            outstanding: args.outstanding,
            requests: driven.requests,
            cycles: driven.end,
            time_ns,
            bandwidth_gb_per_s: if driven.end == 0 { 0.0 } else { moved as f64 / time_ns },
            bus_utilisation: if driven.end == 0 {
                0.0
            } else {
                sum(|s| s.data_cycles) as f64 / (driven.end as f64 * stats.len() as f64)
            },
            reads: Side::of(&watch.reads),
            writes: Side::of(&watch.writes),
            read_wait: MeanWait {
                queue: wait.queue as f64 / reads,
                bank: wait.bank as f64 / reads,
                bus: wait.bus as f64 / reads,
                refresh: wait.refresh as f64 / reads,
                service: wait.service as f64 / reads,
            },
            row_hits: sum(|s| s.row_hits),
            row_misses: sum(|s| s.row_misses),
            row_conflicts: sum(|s| s.row_conflicts),
            forwarded: sum(|s| s.forwarded),
            commands: CommandKind::ALL
                .iter()
                .map(|&kind| (kind.name(), stats.iter().map(|s| s.command(kind)).sum()))
                .filter(|&(_, count)| count > 0)
                .collect(),
        }
    }

    fn table(&self) -> Result<Table, fresco_report::ReportError> {
        let title = format!("{} ({}), {} requests", self.machine, self.standard, self.requests);
        let mut table = Table::new(
            title,
            vec![
                Column::text("quantity"),
                Column::number("value", "", 3),
                Column::text("unit"),
            ],
        );
        let mut row = |name: &str, value: Cell, unit: &str| table.push(vec![name.into(), value, unit.into()]);
        row("time", Cell::Count(self.cycles), "cycles")?;
        row("time", Cell::Number(self.time_ns / 1000.0), "us")?;
        row("bandwidth", Cell::Number(self.bandwidth_gb_per_s), "GB/s")?;
        row("data bus busy", Cell::Number(100.0 * self.bus_utilisation), "%")?;
        for (name, side) in [("read", &self.reads), ("write", &self.writes)] {
            if side.count == 0 {
                continue;
            }
            row(&format!("{name}s"), Cell::Count(side.count), "")?;
            row(&format!("{name} latency, mean"), Cell::Number(side.mean), "cycles")?;
            row(
                &format!("{name} latency, standard deviation"),
                Cell::Number(side.stddev),
                "cycles",
            )?;
            for (quantile, value) in [
                ("median", side.p50),
                ("p99", side.p99),
                ("p99.9", side.p99_9),
                ("maximum", side.max),
            ] {
                row(&format!("{name} latency, {quantile}"), Cell::Count(value), "cycles")?;
            }
        }
        let parts = &self.read_wait;
        for (part, value) in [
            ("own service", parts.service),
            ("bank", parts.bank),
            ("rank and bus", parts.bus),
            ("refresh", parts.refresh),
            ("queue", parts.queue),
        ] {
            row(&format!("mean read time: {part}"), Cell::Number(value), "cycles")?;
        }
        row("row hits", Cell::Count(self.row_hits), "")?;
        row("row misses", Cell::Count(self.row_misses), "")?;
        row("row conflicts", Cell::Count(self.row_conflicts), "")?;
        if self.forwarded > 0 {
            row("reads served by the write buffer", Cell::Count(self.forwarded), "")?;
        }
        for (name, count) in &self.commands {
            row(&format!("command {name}"), Cell::Count(*count), "")?;
        }
        Ok(table)
    }
}
