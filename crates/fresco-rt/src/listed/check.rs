// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a server's executive in the plainest way: every job gets its time, inside its window and inside the server's slots.

use std::collections::BTreeMap;
use std::fmt;

use super::ServerExecutive;
use crate::supply::{SlotTable, Supply};
use crate::task::Task;
use crate::time::Time;

/// The first fact that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongExecutive {
    /// The turn is 0, or no multiple of a period or of the server's table.
    Length,
    /// This slot is empty, begins before the one ahead ends, leaves the turn, or names no job.
    Slot(usize),
    /// In this slot the server does not run.
    Outside(usize),
    /// This slot is outside its job's window.
    Window(usize),
    /// The job of this task gets so much, which is not its execution time.
    Time(usize, u64, Time),
}

impl fmt::Display for WrongExecutive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrongExecutive::Length => f.write_str("the turn is no multiple of all periods"),
            WrongExecutive::Slot(i) => write!(f, "slot {i} is empty, out of order, beyond the turn, or of no job"),
            WrongExecutive::Outside(i) => write!(f, "in slot {i} the server does not run"),
            WrongExecutive::Window(i) => write!(f, "slot {i} is outside the window of its job"),
            WrongExecutive::Time(task, job, time) => write!(f, "job {job} of task {task} gets {time}"),
        }
    }
}

impl std::error::Error for WrongExecutive {}

impl ServerExecutive {
    /// Checks the table against the tasks and the slots of their server.
    ///
    /// # Errors
    /// The first fact that does not hold.
    pub fn check(&self, tasks: &[Task], table: &SlotTable) -> Result<(), WrongExecutive> {
        let turn = self.length;
        let repeats = |period: Time| turn != 0 && turn.is_multiple_of(period);
        if !tasks.iter().all(|task| repeats(task.period)) || !repeats(table.period()) {
            return Err(WrongExecutive::Length);
        }
        let mut got: BTreeMap<(usize, u64), Time> = BTreeMap::new();
        let mut free = 0;
        for (i, slot) in self.slots.iter().enumerate() {
            let task = tasks.get(slot.task).filter(|task| slot.job < turn / task.period);
            let task = task.filter(|_| free <= slot.start && slot.start < slot.end && slot.end <= turn);
            let task = task.ok_or(WrongExecutive::Slot(i))?;
            free = slot.end;
            let length = slot.end - slot.start;
            let supplied = table.delivered(slot.end).ok().zip(table.delivered(slot.start).ok());
            if supplied.is_none_or(|(after, before)| after - before != length) {
                return Err(WrongExecutive::Outside(i));
            }
            let release = (u128::from(task.phase) + u128::from(slot.job) * u128::from(task.period)) % u128::from(turn);
            let since = (u128::from(slot.start) + u128::from(turn) - release) % u128::from(turn);
            if since + u128::from(length) > u128::from(task.deadline) {
                return Err(WrongExecutive::Window(i));
            }
            *got.entry((slot.task, slot.job)).or_default() += length;
        }
        for (number, task) in tasks.iter().enumerate() {
            for job in 0..turn / task.period {
                let time = got.get(&(number, job)).copied().unwrap_or(0);
                if time != task.wcet {
                    return Err(WrongExecutive::Time(number, job, time));
                }
            }
        }
        Ok(())
    }
}
