// SPDX-License-Identifier: GPL-2.0-only
//! Runs a table until it is told to stop, and says what has become of its slots.

use crate::fault::Fault;
use crate::here::{self, Owner};
use crate::jobs::{Job, JobLine};
use crate::load;
use crate::records::{Collected, Line, Record, Spread, Summary};
use crate::table::{NOBODY, Segment, Table};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{MapCore, MapFlags, MapHandle, RingBufferBuilder};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::cell::RefCell;
use std::io::Write;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::time::{Duration, Instant};

// Written by libbpf-cargo of the scheduler's object.
#[allow(unsafe_code, missing_docs, clippy::all)]
mod bpf {
    include!(concat!(env!("OUT_DIR"), "/table.rs"));
}

const NAME: &str = "fresco_table";
/// How often records are fetched. The reader is in no table, and runs in what is free.
const FETCH: Duration = Duration::from_millis(100);
/// Records that are fetched then.
const AT_ONCE: usize = 1 << 14;
/// As table.bpf.c has it.
const LAST: u32 = 1;
/// As order.h has it: of color 0, in a segment's flags.
const SHUT: u32 = 0x100;
const _: () = assert!(size_of::<bpf::types::record>() == Record::BYTES && size_of::<bpf::types::job>() == Job::BYTES);

/// How to run a table.
pub struct Options {
    /// Name of the file.
    pub place: String,
    /// For how long; until a signal if `None`.
    pub length: Option<Duration>,
    /// Frames begin at multiples of their length and so much more of CLOCK_MONOTONIC.
    pub phase_ns: u64,
    /// A line of JSON for each slot goes there.
    pub records: Option<Box<dyn Write>>,
    /// All that the kernel says is shown.
    pub verbose: bool,
}

/// What was done.
#[derive(Serialize)]
pub struct Report {
    schema: &'static str,
    frame_ns: u64,
    phase_ns: u64,
    /// Frames of which slots have ended.
    frames: u64,
    /// Records of slots and jobs that did not fit into the rings.
    lost: u64,
    /// From begins of slots until the timer's function ran.
    timer: Spread,
    tasks: Vec<Summary>,
}

/// Runs a table.
///
/// # Errors
/// The machine has too few CPUs, the kernel does not take the scheduler, or has ended it.
pub fn execute(table: &Table, owners: &[Owner], mut options: Options) -> Result<Report, Fault> {
    let (possible, online) = here::cpus()?;
    let used: Vec<u32> = (0..)
        .zip(&table.cores)
        .filter(|(_, core)| core.iter().any(|s| s.owner != NOBODY))
        .map(|(cpu, _)| cpu)
        .collect();
    if let Some(cpu) = used.iter().find(|cpu| !online.contains(cpu)) {
        return Err(
            Fault::input(format!("{}: slot", options.place), format!("found core {cpu}"))
                .allowed(format!("a CPU that is there: {online:?}"))
                .help("plan for the cores of this machine"),
        );
    }
    let phase_ns = options.phase_ns % table.frame_ns;
    let clock = clock_gettime(ClockId::Monotonic);
    if (clock.tv_sec as u64) * 1_000_000_000 < table.frame_ns {
        return Err(Fault::here("the machine's clock", "it has not run for the length of a frame yet").help("wait"));
    }
    let stop = load::stop()?;
    load::listen();
    let refused = |why: libbpf_rs::Error| load::refused(NAME, &why, options.verbose);
    let mut room = MaybeUninit::uninit();
    let mut open = bpf::TableSkelBuilder::default().open(&mut room).map_err(refused)?;
    let segments = table.cores.iter().map(Vec::len).sum::<usize>() as u32 + 1;
    if let Some(constants) = open.maps.rodata_data.as_deref_mut() {
        constants.frame_ns = table.frame_ns;
        constants.phase_ns = phase_ns;
        constants.cpus = possible;
        constants.owners = table.owners.len() as u32;
        constants.shares = table.members.iter().any(|member| member.order.is_some());
        constants.has_processes = owners.iter().any(|owner| matches!(owner, Owner::Process(_)));
        constants.has_groups = owners.iter().any(|owner| matches!(owner, Owner::Group(_)));
    }
    open.struct_ops.table_ops_mut().flags = load::flags(&load::FLAGS);
    open.maps.segments.set_max_entries(segments).map_err(refused)?;
    let mut skel = open.load().map_err(refused)?;
    fill(&skel, table, owners, possible).map_err(refused)?;
    let link = skel.maps.table_ops.attach_struct_ops().map_err(refused)?;
    let told_by = MapHandle::try_from(&skel.maps.bss).map_err(refused)?;
    load::on_each(&skel.progs.start, &used)?;
    eprintln!(
        "fresco-scheduler: {NAME} runs {} slots on {} CPUs in frames of {} ns",
        table
            .cores
            .iter()
            .flatten()
            .filter(|segment| segment.owner != NOBODY)
            .count(),
        used.len(),
        table.frame_ns
    );
    let collected = RefCell::new(Collected::default());
    let failed = RefCell::new(None);
    let out = RefCell::new(options.records.as_mut());
    // What is written, `text` makes, if there is a file for it.
    let write = |text: &dyn Fn() -> serde_json::Result<String>| {
        let mut out = out.borrow_mut();
        let Some(out) = out.as_mut() else { return };
        if let Err(why) = text().map_err(Into::into).and_then(|text| writeln!(out, "{text}")) {
            failed.borrow_mut().get_or_insert(why);
        }
    };
    let mut ring = RingBufferBuilder::new();
    ring.add(&skel.maps.records, |bytes| {
        let Some(record) = Record::read(bytes) else { return 0 };
        write(&|| serde_json::to_string(&Line::of(&record, table)));
        collected.borrow_mut().add(record);
        0
    })
    .map_err(refused)?;
    let job_ended = |bytes: &[u8]| {
        if let Some(line) = Job::read(bytes).as_ref().and_then(|job| JobLine::of(job, table)) {
            write(&|| serde_json::to_string(&line));
        }
        0
    };
    ring.add(&skel.maps.jobs, job_ended).map_err(refused)?;
    let ring = ring.build().map_err(refused)?;
    let begun = Instant::now();
    let told = || {
        use bpf::types::bss;
        let places = load::Places {
            ended: offset_of!(bss, ended),
            reason: offset_of!(bss, ended_reason),
            message: offset_of!(bss, ended_message),
            lost: offset_of!(bss, lost),
        };
        load::told(&told_by, &places)
    };
    while !load::is_over(&stop) && told().ended.is_none() {
        let left = options
            .length
            .map_or(FETCH, |length| length.saturating_sub(begun.elapsed()));
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(FETCH));
        // Not all that there are: with too little of a CPU that would go on as long as more come.
        ring.consume_raw_n(AT_ONCE);
    }
    if let Some(why) = told().ended {
        return Err(load::ended(NAME, &why));
    }
    // From now on nothing is recorded: what is left in the ring has an end.
    if let Some(state) = skel.maps.bss_data.as_deref_mut() {
        state.over = true;
    }
    drop(link);
    ring.consume().map_err(refused)?;
    drop(ring);
    // Jobs that have not ended.
    for thread in skel.maps.open_jobs.keys() {
        if let Ok(Some(bytes)) = skel.maps.open_jobs.lookup(&thread, MapFlags::ANY) {
            job_ended(&bytes);
        }
    }
    let lost = told().lost + skel.maps.bss_data.as_deref().map_or(0, |state| state.lost_jobs);
    // What is left in the writer's own buffer may be what no longer fits.
    let flushed = options.records.as_mut().map(|out| out.flush());
    if let Some(why) = failed.into_inner().or(flushed.and_then(Result::err)) {
        return Err(Fault::input("--records", format!("cannot be written: {why}")));
    }
    let collected = collected.into_inner();
    Ok(Report {
        schema: "fresco-scheduler-table/1",
        frame_ns: table.frame_ns,
        phase_ns,
        frames: collected.frames(table),
        lost,
        timer: collected.timer(),
        tasks: collected.tasks(table),
    })
}

/// Writes the table into the maps of the programs.
fn fill(skel: &bpf::TableSkel<'_>, table: &Table, owners: &[Owner], possible: u32) -> Result<(), libbpf_rs::Error> {
    let update = |map: &dyn MapCore, key: &[u8], value: &[u8]| map.update(key, value, MapFlags::ANY);
    let segment = |at: u32, segment: &Segment| {
        let last = if segment.ends { LAST } else { 0 };
        let flags = last | (segment.shut * SHUT);
        let bytes = [
            &segment.begin_ns.to_ne_bytes()[..],
            &segment.owner.to_ne_bytes(),
            &u32::to_ne_bytes(flags),
        ]
        .concat();
        update(&skel.maps.segments, &at.to_ne_bytes(), &bytes)
    };
    // The first one is that of all CPUs without slots.
    segment(
        0,
        &Segment {
            begin_ns: 0,
            owner: NOBODY,
            ends: false,
            shut: 0,
        },
    )?;
    let mut next: u32 = 1;
    let mut homes = vec![Vec::new(); table.owners.len()];
    for cpu in 0..possible {
        let core = table.cores.get(cpu as usize).map_or(&[][..], Vec::as_slice);
        let (first, count) = if core.is_empty() {
            (0, 1)
        } else {
            (next, core.len() as u32)
        };
        update(&skel.maps.states, &cpu.to_ne_bytes(), &state(first, count))?;
        for of_core in core {
            segment(next, of_core)?;
            next += 1;
            if let Some(homes) = homes.get_mut(of_core.owner as usize)
                && !homes.contains(&cpu)
            {
                homes.push(cpu);
            }
        }
    }
    for (number, homes) in (0u32..).zip(&homes) {
        let home = match homes[..] {
            [home] => home,
            _ => NOBODY,
        };
        update(&skel.maps.homes, &number.to_ne_bytes(), &home.to_ne_bytes())?;
        let reach = homes.iter().fold(0u64, |reach, cpu| reach | 1 << cpu);
        update(&skel.maps.reaches, &number.to_ne_bytes(), &reach.to_ne_bytes())?;
    }
    for (number, (member, owner)) in (0u32..).zip(table.members.iter().zip(owners)) {
        update(&skel.maps.members, &number.to_ne_bytes(), &member.bytes())?;
        load::name(&skel.maps.processes, &skel.maps.groups, owner, number)?;
    }
    Ok(())
}

/// `struct cpu` before it has turned to a segment.
fn state(first: u32, count: u32) -> Vec<u8> {
    use bpf::types::{cpu, record};
    let mut bytes = vec![0; size_of::<cpu>()];
    for (place, number) in [
        (offset_of!(cpu, first), first),
        (offset_of!(cpu, count), count),
        (offset_of!(cpu, runs), NOBODY),
        (offset_of!(cpu, now) + offset_of!(record, owner), NOBODY),
    ] {
        bytes[place..place + 4].copy_from_slice(&number.to_ne_bytes());
    }
    bytes
}
