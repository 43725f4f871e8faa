// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the simulator asks of a program.

use crate::Batch;
use crate::trace::ftrace::Addresses;
use fresco_dram::{PhysAddr, VirtAddr};
use fresco_input::InputError;

/// A piece of a program's virtual address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// What lies there (`list`, `a`, `keys`).
    pub name: String,
    /// First byte; aligned to 4 KiB.
    pub base: VirtAddr,
    /// Length in bytes.
    pub bytes: u64,
}

/// A program that runs in resumable chunks: each call to [`Program::next`] does a part of the work on the program's
/// own data and reports every load and store of that data. Registers (loop counters, accumulators) and the
/// instructions themselves cause no events. Setting up the data is not part of the execution, as the originals do not
/// time it either; the simulator touches the pages of [`Program::footprint`] if it wants them mapped beforehand. Of a
/// team it is, if asked for: who stores first decides where a page lies (TINT-19).
pub trait Program: Send {
    /// Name in the table of programs.
    fn name(&self) -> &str;

    /// The areas that the program touches, disjoint and in ascending order. Every operation lies in one of them, unless it
    /// [grows](Self::grows).
    fn footprint(&self) -> Vec<Area>;

    /// Returns true if nobody knows beforehand where it touches memory: then its areas are where it does, besides those of its footprint.
    fn grows(&self) -> bool {
        false
    }

    /// What its addresses are; `None` if it does not know, as some traces do not say.
    fn addresses(&self) -> Option<Addresses> {
        Some(Addresses::Virtual)
    }

    /// Cycles in a thousand instructions in which its core goes on with none, for reasons that its events do not show: dependences among
    /// registers, branches taken wrongly, units that are busy. If omitted 0: instructions without memory access take a slot each.
    fn stalls(&self) -> u32 {
        0
    }

    /// From now on the page of its areas that begins at `page` lies in the frame that begins at `frame`. Only a program that chooses lines by
    /// where they lie heeds it, as one does that asks the operating system for its page table.
    fn placed(&mut self, _page: VirtAddr, _frame: PhysAddr) {}

    /// Runs on, and appends what happened to `out`: about [`Batch::CAPACITY`] events. `Ok(false)`, with nothing
    /// appended, when the program is over (and ever after).
    ///
    /// # Errors
    /// Only a program that replays a trace fails: when the file can no longer be read or is damaged.
    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError>;

    /// Checks the program's own result as far as it has come; `Err` says what is wrong.
    ///
    /// # Errors
    /// A result that the program's definition does not allow: the simulator would have shown memory accesses of a
    /// computation that did not take place.
    fn verify(&self) -> Result<(), String>;
}

impl<P: Program + ?Sized> Program for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn footprint(&self) -> Vec<Area> {
        (**self).footprint()
    }

    fn grows(&self) -> bool {
        (**self).grows()
    }

    fn addresses(&self) -> Option<Addresses> {
        (**self).addresses()
    }

    fn stalls(&self) -> u32 {
        (**self).stalls()
    }

    fn placed(&mut self, page: VirtAddr, frame: PhysAddr) {
        (**self).placed(page, frame);
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        (**self).next(out)
    }

    fn verify(&self) -> Result<(), String> {
        (**self).verify()
    }
}
