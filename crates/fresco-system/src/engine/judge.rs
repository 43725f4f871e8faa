// SPDX-License-Identifier: MIT OR Apache-2.0
//! The independent checker over a run's DRAM commands.

use fresco_dram::{Clock, Ps};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_memory::MemorySystem;
use fresco_memory::checker::{Checker, Options};
use std::cell::RefCell;
use std::rc::Rc;

/// Watches the commands of one run.
pub(super) struct Judge {
    checker: Rc<RefCell<Checker>>,
    clock: Clock,
}

impl Judge {
    /// Lets the checker see every command of `memory`.
    pub fn watch(machine: &Machine, memory: &mut MemorySystem) -> Self {
        let options = Options::of_policy(machine.memory.controller.refresh);
        let checker = Checker::new(&machine.memory.organisation, &machine.memory.timing, options);
        let checker = Rc::new(RefCell::new(checker));
        let observer = Rc::clone(&checker);
        memory.set_command_sink(Box::new(move |command| observer.borrow_mut().observe(&command.into())));
        Self {
            checker,
            clock: machine.memory.timing.clock,
        }
    }

    /// The number of commands judged.
    ///
    /// # Errors
    /// A command came too early, or a row was not refreshed in time.
    pub fn finish(self, at: Ps) -> Result<u64, InputError> {
        let checker = Rc::into_inner(self.checker).expect("the memory is gone").into_inner();
        let report = checker.finish(self.clock.cycle_at_or_after(at));
        if report.is_clean() {
            return Ok(report.commands_total());
        }
        let found = format!("found DRAM commands that no device allows: {report}");
        Err(InputError::new("the checker of DRAM commands", found).cure("a fault of the simulator: please report it"))
    }
}
