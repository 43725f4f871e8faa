// SPDX-License-Identifier: MIT OR Apache-2.0
//! One thread of the program: from its words to runs of blocks.

use crate::analysis::Shared;
use crate::calls::{Made, Pending};
use crate::marks::{Done, Marks, Names, Part};
use crate::output::Message;
use fresco_load::trace::ftrace::recorded::{Block, Encoder, Kind, Special};
use fresco_ring::event::{AFTER, BEGIN, BLOCK, END, KIND, LONGEST, LOW, ORDER, RETURN, SYSCALL};

/// The state of a thread.
pub struct Stream {
    /// Its number in the trace.
    pub thread: u16,
    encoder: Encoder,
    /// Words whose event is not complete yet.
    carry: Vec<u64>,
    addresses: Vec<u64>,
    call: Pending,
    /// Orders that come before the next run.
    orders: Vec<Special>,
    /// The thread asked for another program in place of this one, and nothing came after that.
    pub executed: bool,
    /// Regions that it marks.
    marks: Marks,
    /// What of it is recorded.
    done: Done,
    /// Pages touched since the last chunk, with what they are for.
    pages: Vec<(u64, Kind)>,
}

/// The order that a word says, before access `at` of a run.
fn order(word: u64, at: u16) -> Special {
    let (object, ticket) = ((word >> 32 & 0xffff) as u16, word as u32);
    match word & AFTER {
        0 => Special::Order { at, object, ticket },
        _ => Special::After { at, object, ticket },
    }
}

impl Stream {
    /// A thread that has done nothing yet.
    pub fn new(thread: u16) -> Self {
        Self {
            thread,
            encoder: Encoder::new(thread),
            carry: Vec::new(),
            addresses: Vec::new(),
            call: Pending::default(),
            orders: Vec::new(),
            executed: false,
            marks: Marks::default(),
            done: Done::default(),
            pages: Vec::new(),
        }
    }

    /// Takes words. Returns false if they mention a block that is not known yet: the definitions must be read and the words from
    /// `at` on given again.
    pub fn take(&mut self, words: &[u64], at: &mut usize, shared: &mut Shared) -> bool {
        while *at < words.len() {
            let rest = &words[*at..];
            if !self.carry.is_empty() {
                let (taken, known) = self.complete(rest, shared);
                *at += taken;
                if !known {
                    return false;
                }
                continue;
            }
            let word = rest[0];
            if word & KIND == BLOCK {
                // Accesses and orders are less than BLOCK.
                let length = rest[1..].iter().position(|word| *word >= BLOCK);
                let Some(length) = length else {
                    self.carry.extend_from_slice(rest);
                    *at = words.len();
                    break;
                };
                if !shared.blocks.knows(word & LOW) {
                    return false;
                }
                self.run(word & LOW, &rest[1..=length], shared);
                *at += length + 1;
            } else {
                // What a system call makes of the memory comes after what is there at the begin.
                if word & KIND == RETURN && !shared.placed {
                    return false;
                }
                let length = length(word);
                if rest.len() < length {
                    self.carry.extend_from_slice(rest);
                    *at = words.len();
                    break;
                }
                self.event(&rest[..length], shared);
                *at += length;
            }
        }
        true
    }

    /// Completes an event that began in words taken before; how many words of `rest` it takes, and whether its block is known.
    fn complete(&mut self, rest: &[u64], shared: &mut Shared) -> (usize, bool) {
        let first = self.carry[0];
        if first & KIND != BLOCK {
            let taken = length(first).saturating_sub(self.carry.len()).min(rest.len());
            self.carry.extend_from_slice(&rest[..taken]);
            if self.carry.len() >= length(first) {
                let words = std::mem::take(&mut self.carry);
                self.event(&words, shared);
            }
            return (taken, true);
        }
        if !shared.blocks.knows(first & LOW) {
            return (0, false);
        }
        let length = rest.iter().position(|word| *word >= BLOCK);
        self.carry.extend_from_slice(&rest[..length.unwrap_or(rest.len())]);
        if length.is_some() {
            self.finish_run(shared);
        }
        (length.unwrap_or(rest.len()), true)
    }

    /// The run that is not known to be complete is.
    fn finish_run(&mut self, shared: &mut Shared) {
        let mut words = std::mem::take(&mut self.carry);
        if let [first, events @ ..] = &words[..]
            && first & KIND == BLOCK
            && shared.blocks.knows(first & LOW)
        {
            self.run(first & LOW, events, shared);
        }
        words.clear();
        self.carry = words;
    }

    #[inline]
    fn run(&mut self, number: u64, events: &[u64], shared: &mut Shared) {
        shared.see_stack(number, events);
        let translation = shared.blocks.translation(number);
        if !shared.window.takes(translation.instructions(), translation.address) {
            self.leave_out(events);
            return;
        }
        // Letters of marks matter after the head of one alone.
        let marks = match translation.has_head || self.marks.is_within_name() {
            true => translation.marks.clone(),
            false => Vec::new(),
        };
        let Some((variant, block)) = shared.blocks.run(number, events, &mut self.addresses) else {
            shared.fail("more blocks than a trace can hold: the program makes code all the time".into());
            return;
        };
        if !(variant.orders.is_empty() && self.orders.is_empty() && marks.is_empty()) {
            let orders = variant.orders.iter();
            let orders = orders.map(|(event, at)| order(events[usize::from(*event)], *at));
            self.specials(orders, marks, block, &mut shared.names);
        }
        self.done.instructions += u64::from(block.instructions);
        self.done.accesses += block.sites.len() as u64;
        self.encoder.run(variant.block, block, &self.addresses);
        if self.encoder.is_full() {
            self.chunk(shared);
        }
    }

    /// What comes within the next run, of `block`: its orders and those before it, and regions that begin and end in it.
    #[cold]
    fn specials(
        &mut self,
        orders: impl Iterator<Item = Special>,
        marks: Vec<(u16, Part)>,
        block: &Block,
        names: &mut Names,
    ) {
        self.orders.extend(orders);
        if !marks.is_empty() {
            for (place, part) in marks {
                let at = block.sites.partition_point(|site| site.instruction < place) as u16;
                let now = Done {
                    instructions: self.done.instructions + u64::from(place),
                    accesses: self.done.accesses + u64::from(at),
                };
                if let Some((region, enters)) = self.marks.take(part, now, names) {
                    self.orders.push(Special::Mark { at, region, enters });
                }
            }
            self.orders.sort_by_key(Special::at);
        }
        for special in self.orders.drain(..) {
            self.encoder.special(special);
        }
    }

    /// A run is not recorded. Nobody waits for what is in it, but what follows still comes after what it waited for.
    #[cold]
    fn leave_out(&mut self, events: &[u64]) {
        let orders = events.iter().filter(|event| **event & KIND == ORDER);
        self.orders.extend(orders.map(|event| order(*event, 0)));
        if !matches!(self.orders.last(), Some(Special::Order { .. })) {
            return;
        }
        let mut latest: Vec<Special> = Vec::new();
        for special in self.orders.drain(..).rev() {
            let (Special::Order { object, ticket, .. } | Special::After { object, ticket, .. }) = special else {
                continue;
            };
            let is_known = |other: &Special| matches!(other, Special::After { object: known, .. } if *known == object);
            if !latest.iter().any(is_known) {
                latest.push(Special::After { at: 0, object, ticket });
            }
        }
        self.orders = latest;
    }

    fn event(&mut self, words: &[u64], shared: &mut Shared) {
        let value = words[0] & LOW;
        match words[0] & KIND {
            ORDER => self.orders.push(order(words[0], 0)),
            SYSCALL => {
                let arguments = words[1..7].try_into().unwrap_or_default();
                self.call = Pending::new(value, arguments);
                self.executed = self.call.executes(shared.architecture);
            }
            RETURN => {
                self.executed = false;
                // Pages touched until now are what they were until now.
                self.note_pages(shared);
                let made = self.call.over(shared.architecture, words[1], &mut shared.memory);
                shared.children += u64::from(made == Made::Child);
            }
            BEGIN | END => {}
            _ => shared.fail(format!("a word {:#x} where none belongs", words[0])),
        }
    }

    fn note_pages(&mut self, shared: &Shared) {
        // The emulator has code in pages that nobody may execute: they look like data.
        let code = self.encoder.fresh_code_pages();
        let kind = |page| match shared.memory.kind(page << 12) {
            Kind::Data if code.contains(&page) => (page, Kind::Text),
            kind => (page, kind),
        };
        self.pages.extend(self.encoder.fresh_pages().map(kind));
    }

    fn chunk(&mut self, shared: &mut Shared) {
        self.note_pages(shared);
        if !self.encoder.is_empty() {
            shared.send_blocks();
            let pages = std::mem::take(&mut self.pages);
            shared.send(Message::Chunk(self.encoder.take(), pages));
        }
    }

    /// All that the thread did is known.
    pub fn finish(&mut self, shared: &mut Shared) {
        self.finish_run(shared);
        // The end of a thread, which others wait for.
        if self.done.instructions > 0 {
            for special in self.orders.drain(..) {
                self.encoder.special(special);
            }
        }
        self.chunk(shared);
        self.marks.finish(self.thread, self.done, &mut shared.names);
        shared.send(Message::Over(self.thread));
    }
}

/// Words of an event that is no run.
fn length(word: u64) -> usize {
    match word & KIND {
        SYSCALL => LONGEST - 1,
        RETURN => 2,
        _ => 1,
    }
}
