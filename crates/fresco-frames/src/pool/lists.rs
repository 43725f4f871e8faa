// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doubly linked lists threaded through the table: every block of the machine is on exactly one of them, and its entry
//! names that list. That is the whole proof of conservation: a frame cannot be on two lists, and what is on none is
//! lost and found by [`crate::Frames::check`].

use super::layout::{Class, Layout};
use super::table::{LOOSE, NONE, Table};

/// Ends, length and meaning of one list.
#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
    len: u32,
    order: u8,
    class: Class,
    /// Group of buddy lists of one zone and order.
    group: Option<usize>,
}

/// All lists. Insertion, removal and counting are O(1).
pub(crate) struct Lists {
    /// Entries of the blocks.
    pub(crate) table: Table,
    lists: Vec<List>,
    /// Frames by [`Class`].
    frames: [u64; Class::COUNT],
    /// Blocks by group of buddy lists.
    groups: Vec<u32>,
}

impl Lists {
    /// As many empty lists as `layout` has for `slots` owners.
    pub(crate) fn new(table: Table, layout: &Layout, slots: u32) -> Self {
        let mut lists = Self {
            table,
            lists: Vec::new(),
            frames: [0; Class::COUNT],
            groups: vec![0; layout.groups()],
        };
        lists.grow(layout, slots);
        lists
    }

    /// Adds the lists of owners up to slot `slots - 1`.
    pub(crate) fn grow(&mut self, layout: &Layout, slots: u32) {
        for id in self.lists.len() as u32..layout.lists(slots) {
            let (class, order) = layout.class(id);
            self.lists.push(List {
                head: NONE,
                tail: NONE,
                len: 0,
                order,
                class,
                group: layout.group(id),
            });
        }
    }

    /// Number of blocks on a list.
    pub(crate) fn len(&self, list: u32) -> u32 {
        self.lists[list as usize].len
    }

    /// Frames in all lists of a class.
    pub(crate) fn frames(&self, class: Class) -> u64 {
        self.frames[class as usize]
    }

    /// Blocks on the buddy lists of a group.
    pub(crate) fn in_group(&self, group: usize) -> u32 {
        self.groups[group]
    }

    /// The list on which `frame` heads a block, or [`NONE`].
    pub(crate) fn list_of(&self, frame: u32) -> u32 {
        self.table.get(frame).list
    }

    /// The last block of a list.
    pub(crate) fn last(&self, list: u32) -> Option<u32> {
        Some(self.lists[list as usize].tail).filter(|&tail| tail != NONE)
    }

    /// Puts a loose block in front of all others.
    pub(crate) fn push_front(&mut self, list: u32, frame: u32) {
        let next = self.lists[list as usize].head;
        self.link(list, frame, NONE, next);
    }

    /// Puts a loose block behind all others.
    pub(crate) fn push_back(&mut self, list: u32, frame: u32) {
        let prev = self.lists[list as usize].tail;
        self.link(list, frame, prev, NONE);
    }

    fn link(&mut self, list: u32, frame: u32, prev: u32, next: u32) {
        let entry = self.table.get_mut(frame);
        debug_assert_eq!(*entry, LOOSE, "frame {frame:#x} is on a list already");
        (entry.prev, entry.next, entry.list) = (prev, next, list);
        self.set_next(list, prev, frame);
        self.set_prev(list, next, frame);
        let ends = &mut self.lists[list as usize];
        ends.len += 1;
        self.frames[ends.class as usize] += 1 << ends.order;
        if let Some(group) = ends.group {
            self.groups[group] += 1;
        }
    }

    /// Takes a block off whatever list it is on; it must be on one.
    pub(crate) fn remove(&mut self, frame: u32) {
        let entry = std::mem::replace(self.table.get_mut(frame), LOOSE);
        self.set_next(entry.list, entry.prev, entry.next);
        self.set_prev(entry.list, entry.next, entry.prev);
        let ends = &mut self.lists[entry.list as usize];
        ends.len -= 1;
        self.frames[ends.class as usize] -= 1 << ends.order;
        if let Some(group) = ends.group {
            self.groups[group] -= 1;
        }
    }

    fn set_next(&mut self, list: u32, of: u32, to: u32) {
        match of {
            NONE => self.lists[list as usize].head = to,
            _ => self.table.get_mut(of).next = to,
        }
    }

    fn set_prev(&mut self, list: u32, of: u32, to: u32) {
        match of {
            NONE => self.lists[list as usize].tail = to,
            _ => self.table.get_mut(of).prev = to,
        }
    }

    /// Takes the first block.
    pub(crate) fn pop_front(&mut self, list: u32) -> Option<u32> {
        let head = self.lists[list as usize].head;
        (head != NONE).then(|| {
            self.remove(head);
            head
        })
    }

    /// The blocks of a list from front to back.
    pub(crate) fn iter(&self, list: u32) -> impl Iterator<Item = u32> + '_ {
        let step = |frame: u32| Some(frame).filter(|&f| f != NONE);
        std::iter::successors(step(self.lists[list as usize].head), move |&f| {
            step(self.table.get(f).next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> Lists {
        let mut table = Table::new(0, 1024);
        table.open(0);
        Lists::new(table, &Layout::new(1, 4, 1), 1)
    }

    #[test]
    fn blocks_leave_from_front_back_and_middle() {
        let mut lists = lists();
        for frame in [1, 2, 3] {
            lists.push_back(0, frame);
        }
        lists.push_front(0, 4);
        assert_eq!(lists.iter(0).collect::<Vec<_>>(), [4, 1, 2, 3]);
        lists.remove(2);
        assert_eq!(lists.pop_front(0), Some(4));
        assert_eq!((lists.last(0), lists.len(0)), (Some(3), 2));
        lists.remove(3);
        assert_eq!(lists.iter(0).collect::<Vec<_>>(), [1]);
        assert_eq!(
            (lists.pop_front(0), lists.pop_front(0), lists.last(0)),
            (Some(1), None, None)
        );
    }

    #[test]
    fn frames_are_counted_by_the_size_of_the_blocks() {
        let mut lists = lists();
        let layout = Layout::new(1, 4, 1);
        lists.push_front(layout.free(0, 3, 0), 8);
        lists.push_front(layout.color(2), 5);
        assert_eq!((lists.frames(Class::Free), lists.frames(Class::Colored)), (8, 1));
        lists.remove(8);
        assert_eq!(lists.frames(Class::Free), 0);
    }
}
