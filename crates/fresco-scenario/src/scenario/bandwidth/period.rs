// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `[bandwidth]` says of a period, in a run and in a plan: its length, its interrupts, what is counted in it.

use fresco_dram::Ps;
use fresco_input::{InputError, Table, format_duration};
use fresco_machine::Machine;
use std::ops::RangeInclusive;

/// Shortest and longest period: 10 us, 1 s.
pub(crate) const PERIODS: RangeInclusive<Ps> = 10_000_000..=1_000_000_000_000;
/// Period if nothing is said: that of the slides, 1 ms.
const PERIOD: Ps = 1_000_000_000;
/// What an interrupt takes if nothing is said, in cycles: about a microsecond.
const INTERRUPT: u64 = 2_000;
/// Most bytes per second that can be reserved: a hundred times what a controller of today serves.
pub(crate) const MOST: u64 = 10_000_000_000_000;

/// The period of budgets.
pub(crate) struct Period {
    /// Its length in picoseconds.
    pub length: Ps,
    /// Cycles of the core that an interrupt takes.
    pub interrupt_cycles: u64,
    /// Lines written back are counted, not only those fetched.
    pub count_write_backs: bool,
}

impl Period {
    /// Reads the keys of `[bandwidth]`; the caller finishes the table.
    ///
    /// # Errors
    /// Values out of range, or interrupts that leave a core no time.
    pub(crate) fn read(table: &Table<'_>, machine: &Machine) -> Result<Self, InputError> {
        let period = Self {
            length: table.opt_duration("period", PERIODS)?.unwrap_or(PERIOD),
            interrupt_cycles: table.opt_integer("interrupt", 0..=1_000_000u64)?.unwrap_or(INTERRUPT),
            count_write_backs: table.opt_boolean("count_write_backs")?.unwrap_or(false),
        };
        // A period has the timer's interrupt and, where the budget is used up, another one: a core could never go on.
        let interrupt = (period.interrupt_cycles * 1_000_000).div_ceil(u64::from(machine.core.mhz));
        if 2 * interrupt <= period.length {
            return Ok(period);
        }
        let found = format!(
            "found interrupts of {} in periods of {}",
            format_duration(interrupt),
            format_duration(period.length)
        );
        let key = if table.has("interrupt") { "interrupt" } else { "period" };
        Err(table
            .error_at(key, found)
            .allowed("two interrupts in a period: the timer's and that of a budget that is used up")
            .help("lengthen bandwidth.period, or shorten bandwidth.interrupt"))
    }
}
