// SPDX-License-Identifier: MIT OR Apache-2.0
//! DRAM and controller of a machine as tables.

use super::tables::{nanoseconds, pairs};
use super::view::{ControllerView, DramView};
use fresco_dram::Prac;
use fresco_input::format_size;
use fresco_machine::{PagePolicy, Queues, Scheduler};
use fresco_report::number::fixed;
use fresco_report::{ReportError, Table};

/// Standard, organisation and what follows from them.
pub fn dram(view: &DramView) -> Result<Table, ReportError> {
    let org = &view.organisation;
    let mut rows = vec![
        ("capacity", format_size(view.capacity_bytes)),
        ("density of a device", format!("{} Gbit", view.density_gbit)),
        ("data rate", format!("{} MT/s", view.rate_mts)),
        (
            "command clock cycle",
            format!("{} ns", fixed(view.clock_ps / 1000.0, 4)),
        ),
        ("nodes", org.nodes.to_string()),
        ("channels of a node", org.channels.to_string()),
        ("ranks of a channel", org.ranks.to_string()),
        ("bank groups of a rank", org.bank_groups.to_string()),
        ("banks of a bank group", org.banks.to_string()),
        ("banks of the machine", org.banks_total().to_string()),
        ("rows of a bank", org.rows.to_string()),
        ("columns of a row", org.columns.to_string()),
        ("data bus of a channel", format!("{} bytes", org.bus_bytes)),
        ("row of a bank", format_size(view.row_bytes)),
        ("bank", format_size(view.bank_bytes)),
        (
            "peak bandwidth, all channels",
            format!("{} GB/s", fixed(view.peak_gb_per_s, 2)),
        ),
    ];
    if let Some(rfm) = view.rfm {
        let command = if rfm.same_bank { "RFMsb" } else { "RFMab" };
        let (raaimt, raammt, less) = (rfm.raaimt, rfm.raammt, rfm.per_refresh);
        let text = format!(
            "{command} after {raaimt} activations of a bank, none after {raammt} without; REF takes {less} off"
        );
        rows.push(("refresh management", text));
    }
    if let Some(Prac { threshold, level }) = view.prac {
        let text = format!("alert with {threshold} of a row, {level} RFMab of each rank answer it");
        rows.push(("activations counted by row", text));
    }
    pairs(format!("DRAM: {}", view.standard), &rows)
}

/// Policies and queues.
pub fn controller(view: &ControllerView) -> Result<Table, ReportError> {
    let scheduler = match view.scheduler {
        Scheduler::FrFcfs { hit_cap } => format!("FR-FCFS, at most {hit_cap} row hits overtake"),
        Scheduler::Fcfs => "FCFS".to_owned(),
    };
    let page = match view.page {
        PagePolicy::Open => "open".to_owned(),
        PagePolicy::Closed => "closed".to_owned(),
        PagePolicy::Adaptive { idle } => format!("adaptive: closed after {idle} idle cycles"),
    };
    let queues = match view.queues {
        Queues::Global { reads, writes } => format!("one per channel: {reads} reads, {writes} writes"),
        Queues::PerBank { reads_per_bank, writes } => {
            format!("per bank: {reads_per_bank} reads each, {writes} writes per channel")
        }
        Queues::FrontQueue {
            front,
            reads_per_bank,
            writes,
        } => format!(
            "a front queue of {front} requests feeds {reads_per_bank} reads per bank, {writes} writes per channel"
        ),
    };
    let refresh = view.refresh.description();
    pairs(
        "Controller",
        &[
            ("scheduler", scheduler),
            ("page", page),
            ("queues", queues),
            (
                "writes drained",
                format!(
                    "from {} in the buffer down to {}{}",
                    view.drain_high,
                    view.drain_low,
                    if view.drain_once {
                        ", one before each read at most"
                    } else {
                        ""
                    }
                ),
            ),
            ("refresh", refresh.to_owned()),
            ("fixed time added to a read", nanoseconds(view.frontend_ps)),
        ],
    )
}
