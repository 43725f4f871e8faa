// SPDX-License-Identifier: GPL-2.0-only
//! Runs the refresh-aware scheduler until it is told to stop, and says what it decided.

use crate::fault::Fault;
use crate::here::{self, Owner};
use crate::load;
use crate::turns::{MOST_BANKS, Turns};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{MapCore, MapFlags, MapHandle, RingBufferBuilder};
use serde::Serialize;
use std::cell::RefCell;
use std::io::Write;
use std::mem::{MaybeUninit, offset_of, size_of};
use std::time::{Duration, Instant};

// Written by libbpf-cargo of the scheduler's object.
#[allow(unsafe_code, missing_docs, clippy::all)]
mod bpf {
    include!(concat!(env!("OUT_DIR"), "/refresh.rs"));
}

const NAME: &str = "fresco_refresh";
const FETCH: Duration = Duration::from_millis(100);
const AT_ONCE: usize = 1 << 14;

/// How to run it.
pub struct Options {
    /// For how long; until a signal if `None`.
    pub length: Option<Duration>,
    /// When it is the turn of bank 0: at multiples of all turns and so much more of CLOCK_MONOTONIC.
    pub phase_ns: u64,
    /// A line of JSON for each decision goes there.
    pub records: Option<Box<dyn Write>>,
    /// All that the kernel says is shown.
    pub verbose: bool,
}

/// Who could run, in the order of virtual time.
#[derive(Serialize)]
struct Candidate {
    pid: i32,
    virtual_time_ns: u64,
    share_ppm: u32,
}

/// A decision as a line of JSON.
#[derive(Serialize)]
struct Line {
    at_ns: u64,
    cpu: u32,
    bank: u32,
    eta: u32,
    best_effort: bool,
    candidates: Vec<Candidate>,
    chosen: u32,
}

impl Line {
    /// Of the bytes that the kernel wrote; `None` if they are too few.
    fn read(bytes: &[u8], turns: &Turns) -> Option<Self> {
        use bpf::types::decision;
        let four = |place: usize| Some(u32::from_ne_bytes(*bytes.get(place..)?.first_chunk()?));
        let eight = |place: usize| Some(u64::from_ne_bytes(*bytes.get(place..)?.first_chunk()?));
        let candidate = |n: usize| {
            Some(Candidate {
                pid: four(offset_of!(decision, pid) + 4 * n)? as i32,
                virtual_time_ns: eight(offset_of!(decision, vtime) + 8 * n)?,
                share_ppm: four(offset_of!(decision, ppm) + 4 * n)?,
            })
        };
        let seen = four(offset_of!(decision, seen))?.min(turns.eta);
        Some(Self {
            at_ns: eight(offset_of!(decision, at))?,
            cpu: four(offset_of!(decision, cpu))?,
            bank: four(offset_of!(decision, bank))?,
            eta: turns.eta,
            best_effort: turns.best_effort,
            candidates: (0..seen as usize).map(candidate).collect::<Option<_>>()?,
            chosen: four(offset_of!(decision, chosen))?,
        })
    }
}

/// What was decided.
#[derive(Default, Serialize)]
pub struct Report {
    schema: &'static str,
    decisions: u64,
    /// In which another than the first was chosen, as it has no page in the bank.
    passed_over: u64,
    /// In which each had pages in the bank.
    nobody_free: u64,
    lost: u64,
    /// How long tasks ran, and how long of it with pages in the bank whose turn it was.
    ran_ns: u64,
    ran_with_pages_ns: u64,
}

/// Runs it.
///
/// # Errors
/// The kernel does not take the scheduler, or has ended it.
pub fn balance(turns: &Turns, owners: &[Owner], mut options: Options) -> Result<Report, Fault> {
    let (possible, online) = here::cpus()?;
    let stop = load::stop()?;
    load::listen();
    let refused = |why: libbpf_rs::Error| load::refused(NAME, &why, options.verbose);
    let mut room = MaybeUninit::uninit();
    let mut open = bpf::RefreshSkelBuilder::default().open(&mut room).map_err(refused)?;
    if let Some(constants) = open.maps.rodata_data.as_deref_mut() {
        constants.turn_ns = turns.turn_ns;
        constants.phase_ns = options.phase_ns % (turns.turn_ns * u64::from(turns.banks));
        constants.banks = turns.banks;
        constants.eta = turns.eta;
        constants.best_effort = turns.best_effort;
        constants.cpus = possible;
        constants.has_processes = owners.iter().any(|owner| matches!(owner, Owner::Process(_)));
        constants.has_groups = owners.iter().any(|owner| matches!(owner, Owner::Group(_)));
    }
    open.struct_ops.refresh_ops_mut().flags = load::flags(&load::FLAGS);
    let mut skel = open.load().map_err(refused)?;
    for (number, (owner, shares)) in (0u32..).zip(owners.iter().zip(&turns.shares)) {
        let mut bytes = [0; 4 * MOST_BANKS];
        for (place, share) in bytes.chunks_exact_mut(4).zip(shares) {
            place.copy_from_slice(&share.to_ne_bytes());
        }
        load::name(&skel.maps.processes, &skel.maps.groups, owner, number).map_err(refused)?;
        skel.maps
            .shares
            .update(&number.to_ne_bytes(), &bytes, MapFlags::ANY)
            .map_err(refused)?;
    }
    let link = skel.maps.refresh_ops.attach_struct_ops().map_err(refused)?;
    let variables = MapHandle::try_from(&skel.maps.bss).map_err(refused)?;
    load::on_each(&skel.progs.start, &online)?;
    eprintln!(
        "fresco-scheduler: {NAME} gives {} banks turns of {} ns",
        turns.banks, turns.turn_ns
    );
    let report = RefCell::new(Report {
        schema: "fresco-scheduler-refresh/1",
        ..Report::default()
    });
    let failed = RefCell::new(None);
    let out = RefCell::new(options.records.as_mut());
    let mut ring = RingBufferBuilder::new();
    ring.add(&skel.maps.decisions, |bytes| {
        let Some(line) = Line::read(bytes, turns) else { return 0 };
        let mut report = report.borrow_mut();
        report.decisions += 1;
        let is_free = line.candidates.iter().any(|candidate| candidate.share_ppm == 0);
        report.nobody_free += u64::from(!is_free);
        report.passed_over += u64::from(is_free && line.chosen > 0);
        if let Some(out) = &mut *out.borrow_mut()
            && let Err(why) = serde_json::to_writer(&mut *out, &line)
                .map_err(Into::into)
                .and_then(|()| writeln!(out))
        {
            failed.borrow_mut().get_or_insert(why);
        }
        0
    })
    .map_err(refused)?;
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
        load::told(&variables, &places)
    };
    while !load::is_over(&stop) && told().ended.is_none() {
        let left = options
            .length
            .map_or(FETCH, |length| length.saturating_sub(begun.elapsed()));
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(FETCH));
        ring.consume_raw_n(AT_ONCE);
        // Whoever reads the records has those of up to now.
        if let Some(Err(why)) = out.borrow_mut().as_mut().map(|out| out.flush()) {
            failed.borrow_mut().get_or_insert(why);
        }
    }
    if let Some(why) = told().ended {
        return Err(load::ended(NAME, &why));
    }
    if let Some(state) = skel.maps.bss_data.as_deref_mut() {
        state.over = true;
    }
    drop(link);
    ring.consume().map_err(refused)?;
    drop(ring);
    // What is left in the writer's own buffer may be what no longer fits.
    let flushed = options.records.as_mut().map(|out| out.flush());
    if let Some(why) = failed.into_inner().or(flushed.and_then(Result::err)) {
        return Err(Fault::input("--records", format!("cannot be written: {why}")));
    }
    let mut report = report.into_inner();
    report.lost = told().lost;
    for cpu in 0..possible {
        let state = skel
            .maps
            .states
            .lookup(&cpu.to_ne_bytes(), MapFlags::ANY)
            .map_err(refused)?
            .unwrap_or_default();
        let at = |place: usize| {
            state
                .get(place..)
                .and_then(|bytes| bytes.first_chunk())
                .map_or(0, |bytes| u64::from_ne_bytes(*bytes))
        };
        report.ran_ns += at(offset_of!(bpf::types::cpu, ran));
        report.ran_with_pages_ns += at(offset_of!(bpf::types::cpu, ran_vetoed));
    }
    Ok(report)
}

const _: () = assert!(size_of::<bpf::types::shares>() == 4 * MOST_BANKS);
