// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every metric of the table of observations, once: its name, its unit, what it is measured of and what it means. The table in
//! `docs/file-formats.md` says the same (a test compares them).

// The names here are those in the tables.
#![allow(non_upper_case_globals)]

/// What something is measured of; how it is called in the column `subject`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A task's copy, by name.
    Task,
    /// A device that is no core, by name.
    Agent,
    /// A bank color of the frames of a task, by number.
    Bank,
    /// A core, by number.
    Core,
    /// A memory controller, by its node.
    Controller,
    /// A channel, numbered through the nodes.
    Channel,
    /// A rank, as `CHANNEL.RANK`.
    Rank,
    /// A promise of a plan, in words.
    Promise,
    /// The run itself, by the name of its scenario or plan.
    Run,
}

impl Subject {
    /// Its name in the column `subject_kind`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Agent => "agent",
            Self::Bank => "bank",
            Self::Core => "core",
            Self::Controller => "controller",
            Self::Channel => "channel",
            Self::Rank => "rank",
            Self::Promise => "promise",
            Self::Run => "run",
        }
    }
}

/// Something that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Name.
    pub name: &'static str,
    /// Unit: `count` of things, `ratio` of two numbers of one unit, else a unit of its own.
    pub unit: &'static str,
    /// What it is measured of.
    pub of: &'static [Subject],
    /// In words.
    pub meaning: &'static str,
}

macro_rules! metrics {
    ($($name:ident $unit:literal [$($of:ident)+] $meaning:literal;)+) => {
        $(
            #[doc = $meaning]
            pub const $name: Metric = Metric {
                name: stringify!($name),
                unit: $unit,
                of: &[$(Subject::$of),+],
                meaning: $meaning,
            };
        )+
        /// All of them.
        pub const ALL: &[Metric] = &[$($name),+];
    };
}

metrics! {
    // Tasks.
    run_time "ns" [Task] "length of the measured phase; of periodic tasks and of tasks of plans: time they had a core";
    instructions "count" [Task] "instructions executed";
    operations "count" [Task] "loads and stores";
    instructions_per_cycle "ratio" [Task] "instructions executed per core cycle";
    slowdown "ratio" [Task] "`instructions_per_cycle` at the baseline over that here, of the same repetition";
    access_time "ns" [Task] "run time per load or store";
    passes "count" [Task] "whole passes over its data";
    pass_time_mean "ns" [Task] "mean time of these passes";
    pass_time_max "ns" [Task] "longest of them";
    bandwidth "bytes/s" [Task Agent Controller Channel] "lines read and written, see `bandwidth_bytes_per_s` of each";
    write_backs "count" [Task] "dirty lines that left the last cache for memory";
    remote_reads "count" [Task Agent] "reads of another node than the core's";
    joined_reads "count" [Task Agent] "reads of a line that was under way already";
    refreshed_reads "count" [Task Agent] "reads, of those whose latency is told, that waited for a refresh";
    read_latency_mean "ns" [Task Agent] "latency of the reads that missed all caches, from the access to the data at the core: mean";
    read_latency_stddev "ns" [Task Agent] "standard deviation of it";
    read_latency_min "ns" [Task Agent] "smallest";
    read_latency_p50 "ns" [Task Agent] "median";
    read_latency_p90 "ns" [Task Agent] "90th percentile";
    read_latency_p99 "ns" [Task Agent] "99th percentile";
    read_latency_p99_9 "ns" [Task Agent] "99.9th percentile";
    read_latency_max "ns" [Task Agent] "largest";
    read_path "ns" [Task Agent] "mean part of a read's latency: caches, to the controller and back";
    read_remote "ns" [Task Agent] "between nodes";
    read_queue "ns" [Task Agent] "in queues, though bank and bus were free";
    read_bank "ns" [Task Agent] "for its bank";
    read_bus "ns" [Task Agent] "for data bus, rank or bank group";
    read_refresh "ns" [Task Agent] "for a refresh";
    read_service "ns" [Task Agent] "its own commands and data";
    read_joined "ns" [Task Agent] "for a line that was under way";
    l1_hits "count" [Task] "demand accesses that found their line in level 1";
    l1_misses "count" [Task] "those that did not";
    fetches "count" [Task] "lines of code fetched, of programs that name them";
    l1i_hits "count" [Task] "of these, found in the instruction cache of level 1";
    l1i_misses "count" [Task] "those that were not";
    l2_hits "count" [Task] "the same of level 2";
    l2_misses "count" [Task] "those that did not";
    llc_hits "count" [Task] "the same of the last level";
    llc_misses "count" [Task] "those that did not";
    llc_evictions "count" [Task] "its lines that had to leave the last level";
    llc_evictions_by_others "count" [Task] "those that made room for another task";
    llc_blocked_reads "count" [Task] "its reads that waited while all miss registers of the last level were taken, where these are bounded";
    llc_blocked_time "ns" [Task] "for how long they waited, all together";
    llc_invalidated "count" [Task] "its lines that left the private levels because an inclusive last level displaced them";
    prefetches_issued "count" [Task] "lines that its core brought into a private cache before they were asked for, where it has prefetchers";
    prefetches_from_memory "count" [Task] "those that the last level did not have";
    prefetches_useful "count" [Task] "those that were used";
    prefetches_late "count" [Task] "those that were on their way at their first use";
    prefetches_useless "count" [Task] "those that left without having been used";
    prefetches_dropped "count" [Task] "lines that prefetchers wanted, and no miss register was free for";
    tlb_lookups "count" [Task] "loads and stores whose page its core's TLBs were asked for, where it has any";
    tlb_misses "count" [Task] "those that the first level did not have";
    page_walks "count" [Task] "those that no level had";
    page_walk_time "ns" [Task] "mean time of a walk";
    page_walk_wait "ns" [Task] "mean time for which a walk waited for those before it";
    table_reads_private "count" [Task] "entries of page tables that walks found in a private cache";
    table_reads_llc "count" [Task] "entries found in the last level";
    table_reads_memory "count" [Task] "entries found in memory";
    page_tables "count" [Task] "tables of its memory at the end of the run";
    coherence_transfers "count" [Task] "its lines that came from the private caches of another core, or from another last-level cache, where caches are coherent";
    coherence_upgrades "count" [Task] "stores to lines that it shared with others, which had to be asked for";
    coherence_invalidations "count" [Task] "copies that it lost because others stored";
    coherence_write_backs "count" [Task] "its dirty lines that were written to the last level or to memory because others read them";
    page_faults "count" [Task] "page faults of the whole run";
    page_faults_measured "count" [Task] "those within the measured phase";
    page_fault_time "ns" [Task] "time of a whole page fault, per page";
    allocation_time "ns" [Task] "time in the allocator, per page";
    allocation_time_max "ns" [Task] "the longest";
    remote_pages "count" [Task] "frames of another node than the home node";
    spilled_pages "count" [Task] "frames outside the task's colors";
    recolored_pages "count" [Task] "pages that moved because the task's colors changed";
    pages "count" [Bank] "frames of the task in a bank color at the end of the run";
    idle_time "ns" [Task Core] "of a thread: time it waited for the others; of a core: time without anything to run";
    serial_wait_time "ns" [Task] "time in which the master thread executed serial sections";
    busy_time "ns" [Task Core] "time in which the thread executed; of a core: in which a job was really on it";
    parallel_sections "count" [Task] "parallel sections of the program";
    // Their jobs.
    jobs "count" [Task] "jobs released after the warm-up whose deadline lies within the run";
    jobs_completed "count" [Task] "those that ended";
    deadline_misses "count" [Task] "those that ended after their deadline, or not at all";
    response_min "ns" [Task] "from release to end of a job: smallest";
    response_mean "ns" [Task] "mean";
    response_p99 "ns" [Task] "99th percentile";
    response_max "ns" [Task] "largest";
    response_jitter "ns" [Task] "largest less smallest";
    start_jitter "ns" [Task] "largest less smallest time from release to start";
    execution_min "ns" [Task] "time that a job had the core: smallest";
    execution_mean "ns" [Task] "mean";
    execution_max "ns" [Task] "largest";
    copies "count" [Task] "jobs that began with a copy";
    copied_bytes "bytes" [Task] "bytes copied";
    met_refresh_reads "count" [Task Agent] "reads that waited for a refresh";
    met_refresh_read_wait "ns" [Task Agent] "how long, in sum";
    met_refresh_read_wait_max "ns" [Task Agent] "longest wait of a read";
    jobs_met_refresh "count" [Task] "jobs of which a read waited for a refresh, those of the warm-up too";
    met_refresh_job_wait_max "ns" [Task] "longest wait of the reads of one job for refreshes, in sum";
    met_refresh_writes "count" [Task] "write-backs that were in a write buffer while their bank was refreshed";
    met_refresh_at_start "count" [Task] "accesses of both kinds before all ranks were refreshed by plan";
    // Devices.
    rate_asked "bytes/s" [Agent] "what the device was to move while it was active, if it had a rate";
    lines_deferred "count" [Agent] "lines that it sent later than they were due, as it had as many under way as it may";
    deferred_max "ns" [Agent] "how much later, at most";
    // Cores.
    task_time "ns" [Core] "time that jobs had the core";
    handler_time "ns" [Core] "time that handlers had it";
    context_switches "count" [Core] "switches to another task than the one before";
    preemptions "count" [Core] "jobs that were stopped before their end";
    drain_time_max "ns" [Core] "longest time from a decision to stop a job until its accesses had ended";
    lines_cleaned "count" [Core] "dirty lines that handlers wrote back when they locked a color";
    handlers_missed "count" [Core] "handlers that were over before the job before them had let its accesses end";
    writes_into_windows "count" [Core] "dirty lines that left its caches for a rank in its refresh window";
    budget_reserved "bytes/s" [Core] "reservation of bandwidth";
    budget_guaranteed "bytes/s" [Core] "what the core can rely on";
    budget_achieved "bytes/s" [Core] "what it moved";
    budget_periods "count" [Core] "periods";
    budget_lines_used "count" [Core] "lines used in them";
    budget_exhausted "count" [Core] "periods in which the budget was used up and no more was found";
    budget_donated "count" [Core] "lines given away";
    budget_reclaimed "count" [Core] "lines taken back";
    budget_extra "count" [Core] "lines taken beyond the reservation";
    budget_shared "count" [Core] "lines got by weight when all budgets were used up";
    budget_errors "count" [Core] "periods in which it had donated and could not get its reservation back";
    budget_overshoot "count" [Core] "most lines over the budget in a period";
    stalled_time "ns" [Core] "time for which it was stalled";
    // Memory.
    window "ns" [Controller] "time that the counts of the controller and its channels are of";
    reads "count" [Task Agent Controller Channel] "of a task: reads that missed all caches; of an agent: all; else: reads that the DRAM served";
    writes "count" [Agent Controller Channel] "writes that the DRAM served; of an agent: that controllers have taken";
    peak_bandwidth "bytes/s" [Controller] "what the data buses could carry";
    bus_utilization "ratio" [Controller Channel] "share of the time in which the data bus carried data";
    active_share "ratio" [Channel] "time with an open row, mean of its ranks, as a share of the time";
    read_queue_mean "count" [Controller] "reads waiting per channel: mean over time";
    read_queue_max "count" [Controller] "most";
    write_queue_mean "count" [Controller] "writes buffered per channel: mean over time";
    write_queue_max "count" [Controller] "most";
    row_hits "count" [Task Agent Controller] "requests (of a task: reads) that found their row open";
    row_misses "count" [Task Agent Controller] "bank closed";
    row_conflicts "count" [Task Agent Controller] "another row open";
    row_forwarded "count" [Task Agent Controller] "served from the write buffer";
    activations "count" [Controller] "row activations";
    refreshes "count" [Controller Rank] "refresh commands of all kinds";
    energy_activate "pJ" [Controller] "activations with their precharges";
    energy_read "pJ" [Controller] "reads";
    energy_write "pJ" [Controller] "writes";
    energy_refresh "pJ" [Controller] "refreshes";
    energy_active_standby "pJ" [Controller] "standby with an open row";
    energy_precharge_standby "pJ" [Controller] "standby with all rows closed";
    energy "pJ" [Controller] "all of it";
    power "W" [Controller] "mean power";
    refresh_gap_max "ns" [Rank] "longest time without a refresh command";
    refresh_windows "count" [Channel] "refresh windows begun, its ranks added up";
    refresh_windows_late "count" [Channel] "those that began late";
    refresh_window_delay "ns" [Channel] "by how much, in sum";
    refresh_window_delay_max "ns" [Channel] "by how much at most";
    // The run.
    measured_time "ns" [Run] "from when all measured tasks had warmed up to the end; of a plan: the whole run";
    commands_checked "count" [Run] "DRAM commands that the independent checker judged";
    violations "count" [Run] "those that came too early or to a bank in the wrong state";
    late_rows "count" [Run] "rows that were not refreshed in time";
    kept "ratio" [Promise] "1 if the promise held in the run, else 0";
}
