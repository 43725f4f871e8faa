// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches threads that are replayed together, and knows nothing of how they are made to wait: no access leaves a core before
//! all that its thread came after has been passed. In debug builds alone.

use fresco_dram::Ps;
use fresco_load::Order;
use std::collections::HashMap;

/// What has happened in this pass over the data.
#[derive(Debug, Default)]
pub(super) struct Witness {
    /// When each place of each object was passed.
    passed: HashMap<(u16, u32), Ps>,
    /// By member: where it has come to and not gone on from.
    at: HashMap<usize, Order>,
    /// By member: orders since its last access that left the core.
    behind: HashMap<usize, Vec<Order>>,
    /// Up to which place of each object all were passed when that was looked at last, and when the latest of them was.
    looked_at: HashMap<u16, (u32, Ps)>,
}

impl Witness {
    /// A thread comes to an order.
    pub fn comes(&mut self, member: usize, order: Order) {
        let before = self.at.insert(member, order);
        assert_eq!(before, None, "thread {member} came to {order:?} while it waited");
    }

    /// It goes on.
    pub fn goes_on(&mut self, member: usize, at: Ps) {
        let Some(order) = self.at.remove(&member) else { return };
        if order.is_own {
            self.passed.entry((order.object, order.place)).or_insert(at);
        }
        self.behind.entry(member).or_default().push(order);
    }

    /// It goes on although it should not: nothing that it waited for will ever come.
    pub fn gives_up(&mut self, member: usize) {
        if let Some(order) = self.at.remove(&member).filter(|order| order.is_own) {
            self.passed.insert((order.object, order.place), 0);
        }
    }

    /// It reads or writes memory at `at`.
    pub fn accesses(&mut self, member: usize, at: Ps) {
        if let Some(order) = self.at.get(&member) {
            panic!("thread {member} accessed memory at {at} ps while it waited at {order:?}");
        }
        let Some(behind) = self.behind.get_mut(&member) else {
            return;
        };
        for order in behind.drain(..) {
            let (place, latest) = self.looked_at.entry(order.object).or_default();
            while *place < order.place {
                let passed = self.passed.get(&(order.object, *place));
                let passed = passed.unwrap_or_else(|| {
                    panic!(
                        "thread {member} accessed memory at {at} ps after {order:?}, and place {place} was not passed"
                    )
                });
                *latest = (*latest).max(*passed);
                *place += 1;
            }
            assert!(
                *latest <= at || *place > order.place,
                "thread {member} accessed memory at {at} ps, and what it came after was passed at {latest} ps"
            );
        }
    }

    /// The next pass over the data begins.
    pub fn begins_anew(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn order(place: u32, is_own: bool) -> Order {
        Order {
            object: 5,
            place,
            is_own,
        }
    }

    fn waker_and_waiter() -> Witness {
        let mut witness = Witness::default();
        witness.comes(0, order(0, true));
        witness.comes(1, order(1, false));
        witness
    }

    #[test]
    fn a_thread_that_goes_on_after_the_other_is_right() {
        let mut witness = waker_and_waiter();
        witness.goes_on(0, 10);
        witness.goes_on(1, 10);
        witness.accesses(1, 10);
        witness.accesses(0, 11);
    }

    #[test]
    #[should_panic(expected = "place 0 was not passed")]
    fn one_that_does_not_wait_is_found() {
        let mut witness = waker_and_waiter();
        witness.goes_on(1, 5);
        witness.accesses(1, 6);
    }

    #[test]
    #[should_panic(expected = "was passed at 10 ps")]
    fn one_that_is_too_early_is_found() {
        let mut witness = waker_and_waiter();
        witness.goes_on(0, 10);
        witness.goes_on(1, 10);
        witness.accesses(1, 9);
    }

    #[test]
    #[should_panic(expected = "while it waited")]
    fn one_that_accesses_while_it_waits_is_found() {
        waker_and_waiter().accesses(1, 5);
    }
}
