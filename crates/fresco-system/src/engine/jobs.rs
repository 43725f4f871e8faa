// SPDX-License-Identifier: MIT OR Apache-2.0
//! A task of a run: its process, its memories, its jobs.

use super::copy;
use super::counting::Before;
use super::cpu::Counters;
use super::team::Waits;
use crate::experiment::{JobRecord, Met, PageFaults, ReadyJob, TaskSpec};
use crate::os::pages::PageTable;
use crate::os::process::Process;
use crate::results::{Chain, MayBeRead, ReadRecorder, Reordered};
use fresco_dram::{Ps, VirtAddr};
use fresco_frames::TaskId;
use fresco_memory::Sample;

/// A task.
pub(super) struct TaskState {
    pub process: Process,
    /// The core that the process is on.
    pub core: Option<usize>,
    /// Page tables of the memories; that of the memory in use is with the process.
    pub memories: Vec<PageTable>,
    /// Number of each memory with the allocator.
    pub memory_ids: Vec<TaskId>,
    /// The memory in use.
    pub instance: usize,
    /// Lines of the data that jobs hand on.
    pub global_lines: Vec<VirtAddr>,
    /// The program has marked a pass since it began.
    pub marked: bool,
    pub passes: u64,
    pub jobs: Vec<JobRecord>,
    /// The first job that has not ended.
    pub oldest: usize,
    pub recorder: ReadRecorder,
    /// Of the oldest job.
    pub chain: Chain,
    /// Of the oldest job, if anybody wants to know.
    pub reordered: Option<Reordered>,
    /// Reads are recorded.
    pub is_recording: bool,
    pub met: Met,
    /// The same before all ranks are refreshed by plan.
    pub met_at_start: Met,
    pub copies: u64,
    pub copied_bytes: u64,
    /// Up to when it left a core last.
    pub counted: Counters,
    /// Time it had a core.
    pub executing: Ps,
    /// Dirty lines that left the last cache meanwhile.
    pub write_backs: u64,
    /// What of these and of its operations is not counted.
    pub before: Before,
    /// Within the run.
    pub faults: PageFaults,
    /// Instructions executed when the program began last.
    pub began_at_instruction: u64,
    /// It is a thread that waits for the others of its program.
    pub waits_for_others: bool,
    pub met_others: Waits,
}

impl TaskState {
    /// A job is released that is due at `due`, [`Ps::MAX`] for never; a dispatcher may have an earlier deadline.
    pub fn released(&mut self, job: &ReadyJob, due: Ps) {
        self.jobs.push(JobRecord {
            job: job.job,
            instance: job.instance,
            release_ps: job.release,
            start_ps: None,
            end_ps: None,
            deadline_ps: (due < Ps::MAX).then_some(due),
            abandoned_ps: None,
            execution_ps: 0,
            preemptions: 0,
            copied_bytes: 0,
            reads: 0,
            in_memory_ps: 0,
            in_memory_min_ps: 0,
            chain: 0,
            may_be_read: MayBeRead::default(),
            met_refresh_reads: 0,
            refresh_wait_ps: 0,
        });
    }

    /// The job comes on a core. If that is its begin, it takes this memory.
    pub fn begin(&mut self, job: &ReadyJob, instance: usize, now: Ps) -> Option<usize> {
        let record = &mut self.jobs[self.oldest];
        debug_assert_eq!(record.job, job.job);
        if record.start_ps.is_some() {
            return None;
        }
        record.start_ps = Some(now);
        self.chain = Chain::default();
        if let Some(reordered) = &mut self.reordered {
            *reordered = Reordered::default();
        }
        record.instance = instance;
        Some(instance)
    }

    /// The process goes on in another memory; what the job before handed on is copied there first (CR-10).
    pub fn change_instance(&mut self, instance: usize, spec: &TaskSpec, line: u64) {
        let before = std::mem::replace(&mut self.instance, instance);
        if before == instance {
            return;
        }
        // The table in use changes places with that of the memory it leaves.
        let mut pages = std::mem::replace(&mut self.memories[instance], PageTable::new(&[], 1 << 12));
        self.process.swap_pages(&mut pages);
        self.memories[before] = pages;
        if spec.global_bytes == 0 || self.oldest == 0 {
            return;
        }
        let lines = copy::to_copy(&self.global_lines, &mut self.memories[before]);
        if lines.is_empty() {
            return;
        }
        let bytes = (lines.len() as u64 * line).min(spec.global_bytes);
        self.process.copy(lines);
        self.copies += 1;
        self.copied_bytes += bytes;
        self.jobs[self.oldest].copied_bytes = bytes;
    }

    /// The oldest job had a core for so long.
    pub fn executed(&mut self, time: Ps) {
        self.jobs[self.oldest].execution_ps += time;
    }

    pub fn preempted(&mut self) {
        self.jobs[self.oldest].preemptions += 1;
    }

    /// Jobs that have not ended do so no more. The oldest stays the oldest: it may still be on a core, until that has stopped it.
    pub fn abandoned(&mut self, at: Ps) {
        let pending = self.jobs[self.oldest..].iter_mut();
        pending.for_each(|job| job.abandoned_ps = Some(at));
    }

    /// The oldest job has ended.
    pub fn ended(&mut self, at: Ps) {
        let job = &mut self.jobs[self.oldest];
        job.end_ps = Some(at);
        if let Some(reordered) = &self.reordered {
            job.may_be_read = reordered.total();
        }
        self.oldest += 1;
    }

    /// The last-level cache has had a line for it; one that it `may_be_read` if its accesses had come in another order.
    pub fn hit(&mut self, sent: Ps, at: Ps, may_be_read: bool) {
        if !self.is_recording {
            return;
        }
        self.recorder.record_hit(sent, at, may_be_read);
        if let Some(reordered) = &mut self.reordered {
            reordered.hit(sent, at, may_be_read);
        }
    }

    /// Data of one of its reads have arrived at `at`.
    pub fn read(&mut self, at: Ps, sample: &Sample, at_start: bool) {
        if !self.is_recording {
            return;
        }
        self.recorder.record(at, sample);
        // A job leaves its core when all its reads have arrived.
        if let Some(job) = self.jobs.get_mut(self.oldest) {
            job.reads += u64::from(sample.merged == 0);
            job.in_memory_ps += sample.in_memory;
            self.chain.record(at, sample);
            job.in_memory_min_ps = self.chain.shortest_ps.unwrap_or(0);
            job.chain = self.chain.reads;
            if let Some(reordered) = &mut self.reordered {
                reordered.record(at - sample.latency, at, sample.merged == 0);
            }
        }
        if sample.refresh > 0 {
            let met = self.met(at_start);
            met.reads += 1;
            met.read_wait_ps += sample.refresh;
            met.longest_read_wait_ps = met.longest_read_wait_ps.max(sample.refresh);
            let job = &mut self.jobs[self.oldest];
            job.met_refresh_reads += 1;
            job.refresh_wait_ps += sample.refresh;
        }
    }

    /// Where accesses that met a refresh are counted.
    pub fn met(&mut self, at_start: bool) -> &mut Met {
        if at_start {
            &mut self.met_at_start
        } else {
            &mut self.met
        }
    }
}
