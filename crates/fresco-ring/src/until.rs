// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the part of a program ends that is to be recorded: the program is ended there, and does nothing after it.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Where the part begins and ends, in whole blocks of instructions of all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// It begins with the first run of the block here, so far behind the begin of the program's code.
    pub from: Option<u64>,
    /// It ends before the first run of the block here after that.
    pub to: Option<u64>,
    /// Instructions that are left out, counted from there.
    pub skip: u64,
    /// Instructions of it after these.
    pub count: Option<u64>,
}

impl Part {
    /// Returns true if it ends before the program does.
    pub fn has_end(&self) -> bool {
        self.to.is_some() || self.count.is_some()
    }

    /// As arguments of the plugin, each after a comma.
    pub fn arguments(&self) -> String {
        let skip = (self.skip > 0).then_some(self.skip);
        let named = [
            ("from", self.from),
            ("to", self.to),
            ("skip", skip),
            ("count", self.count),
        ];
        let given = named.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        given.map(|(name, value)| format!(",{name}={value}")).collect()
    }

    /// Takes one of these arguments, without the comma; others are left alone.
    pub fn take(&mut self, argument: &str) {
        let Some((name, value)) = argument.split_once('=') else {
            return;
        };
        match (name, value.parse().ok()) {
            ("from", value) => self.from = value,
            ("to", value) => self.to = value,
            ("skip", value) => self.skip = value.unwrap_or(0),
            ("count", value) => self.count = value,
            _ => {}
        }
    }
}

/// How far the program is.
#[derive(Debug)]
pub struct Until {
    part: Part,
    begun: AtomicBool,
    skip: AtomicU64,
    left: AtomicU64,
    /// It never ends any more.
    off: AtomicBool,
}

impl Until {
    /// Nothing of the program has run.
    pub fn new(part: Part) -> Self {
        Self {
            part,
            begun: AtomicBool::new(part.from.is_none()),
            skip: AtomicU64::new(part.skip),
            left: AtomicU64::new(part.count.unwrap_or(u64::MAX)),
            off: AtomicBool::new(!part.has_end()),
        }
    }

    /// The part.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// So many instructions have run that were not told: they are of what is left out.
    pub fn leave_out(&self, instructions: u64) {
        self.skip.fetch_sub(instructions.min(self.skip.load(Relaxed)), Relaxed);
    }

    /// Nothing is to be ended any more: for a forked child.
    pub fn forget(&self) {
        self.off.store(true, Relaxed);
    }

    /// Returns true if nothing is left of the part: the program is to do no more.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.left.load(Relaxed) == 0 && self.begun.load(Relaxed) && !self.off.load(Relaxed)
    }

    /// Returns true if the program is to be ended before a block of so many instructions runs; otherwise they count. The block is that
    /// with which the part begins (`is_from`), or before which it ends (`is_to`).
    #[inline]
    pub fn ends_before(&self, instructions: u64, is_from: bool, is_to: bool) -> bool {
        if self.off.load(Relaxed) {
            return false;
        }
        if !self.begun.load(Relaxed) {
            if !is_from {
                return false;
            }
            self.begun.store(true, Relaxed);
        } else if is_to {
            return true;
        }
        if self.left.load(Relaxed) == 0 {
            return true;
        }
        let less = |value: u64| Some(value.saturating_sub(instructions));
        let place = match self.skip.load(Relaxed) {
            0 => &self.left,
            _ => &self.skip,
        };
        // Never fails: the function always gives a value.
        let _ = place.fetch_update(Relaxed, Relaxed, less);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the blocks, of ten instructions each, run before the end: in number `n`, `n % 4` is the place.
    fn run(part: Part, blocks: u64) -> u64 {
        let until = Until::new(part);
        let at = |block: u64| Some(block % 4);
        (0..blocks)
            .find(|block| until.ends_before(10, part.from == at(*block), part.to == at(*block)))
            .unwrap_or(blocks)
    }

    #[test]
    fn the_program_ends_where_the_part_does() {
        let count = |skip, count| Part {
            skip,
            count,
            ..Part::default()
        };
        assert_eq!(run(count(0, None), 100), 100);
        assert_eq!(run(count(0, Some(0)), 100), 0);
        assert_eq!(run(count(0, Some(1)), 100), 1);
        assert_eq!(run(count(0, Some(20)), 100), 2);
        // What is left out ends with a block, too.
        assert_eq!(run(count(11, Some(11)), 100), 4);
        let between = |from, to, count| Part {
            from,
            to,
            count,
            skip: 0,
        };
        assert_eq!(run(between(Some(1), Some(0), None), 100), 4);
        assert_eq!(run(between(None, Some(2), None), 100), 2);
        // Both the same: from one call to the next.
        assert_eq!(run(between(Some(1), Some(1), None), 100), 5);
        assert_eq!(run(between(Some(3), None, Some(15)), 100), 5);
        assert_eq!(run(between(Some(7), Some(1), None), 100), 100);
    }

    #[test]
    fn arguments_are_read_as_they_are_written() {
        let part = Part {
            from: Some(4096),
            to: None,
            skip: 7,
            count: Some(u64::MAX),
        };
        let text = part.arguments();
        assert_eq!(text, format!(",from=4096,skip=7,count={}", u64::MAX));
        let mut read = Part::default();
        text.split(',').for_each(|argument| read.take(argument));
        assert_eq!(read, part);
        assert_eq!(Part::default().arguments(), "");
    }

    #[test]
    fn a_child_goes_on() {
        let until = Until::new(Part {
            count: Some(10),
            ..Part::default()
        });
        assert!(!until.ends_before(10, false, false) && until.is_over());
        until.forget();
        assert!(!until.ends_before(10, false, false) && !until.is_over());
    }
}
