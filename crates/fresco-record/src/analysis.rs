// SPDX-License-Identifier: MIT OR Apache-2.0
//! What all threads of the program share while they are followed.

use crate::blocks::Blocks;
use crate::decode::Architecture;
use crate::marks::Names;
use crate::memory::Memory;
use crate::output::{Message, Sender};
use crate::stream::Stream;
use crate::window::Window;
use fresco_load::trace::ftrace::MAX_THREADS;
use fresco_load::trace::ftrace::recorded::Kind;
use fresco_ring::event::{DEFINE, IMAGE, KIND, LOW, MAPS, SKIPPED};
use fresco_ring::{Host, Taken};
use std::collections::BTreeMap;

/// What is known of the program.
pub struct Shared {
    /// Of the program.
    pub architecture: Architecture,
    /// Its blocks.
    pub blocks: Blocks,
    /// Its memory.
    pub memory: Memory,
    /// What is to be recorded.
    pub window: Window,
    /// Regions that it marks.
    pub names: Names,
    /// Processes that it made.
    pub children: u64,
    /// Why it cannot go on.
    pub failure: Option<String>,
    /// Blocks of the trace that were sent.
    sent: usize,
    output: Sender,
    /// Path of the program.
    program: String,
    maps: Vec<u8>,
    /// Whether it is known where the program lies.
    pub placed: bool,
    stack: bool,
}

impl Shared {
    /// Of `program`, whose trace goes to `output`, with or without fetches.
    pub fn new(architecture: Architecture, program: String, fetches: bool, window: Window, output: Sender) -> Self {
        Self {
            architecture,
            blocks: Blocks::new(architecture, fetches),
            memory: Memory::default(),
            window,
            names: Names::default(),
            children: 0,
            failure: None,
            sent: 0,
            output,
            program,
            maps: Vec::new(),
            placed: false,
            stack: false,
        }
    }

    /// Remembers the first reason why it cannot go on.
    pub fn fail(&mut self, reason: String) {
        self.failure.get_or_insert(reason);
    }

    /// Hands something to the output.
    pub fn send(&mut self, message: Message) {
        if let Err(fault) = self.output.send(message) {
            self.fail(fault);
        }
    }

    /// Returns true if the output wants no more.
    pub fn has_enough(&self) -> bool {
        self.output.has_enough()
    }

    /// All is said.
    pub fn into_output(self) -> Sender {
        self.output
    }

    /// Hands on the blocks that the output does not know yet.
    pub fn send_blocks(&mut self) {
        let fresh = self.blocks.all()[self.sent..].to_vec();
        if !fresh.is_empty() {
            self.sent += fresh.len();
            self.send(Message::Blocks(fresh));
        }
    }

    /// Where the first access by the stack pointer is, there is the stack: nothing else says which of the mappings that the program begins
    /// with it is. For all runs, whether they are recorded or not: later on a stack pointer may point anywhere.
    #[inline]
    pub fn see_stack(&mut self, block: u64, events: &[u64]) {
        if !self.stack {
            self.find_stack(block, events);
        }
    }

    #[cold]
    fn find_stack(&mut self, block: u64, events: &[u64]) {
        let register = self.architecture.stack_pointer();
        let Some(event) = events.iter().find(|event| self.blocks.is_by(block, **event, register)) else {
            return;
        };
        self.stack = true;
        if let Some((begin, end, Kind::Mapping)) = self.memory.interval(event & LOW) {
            self.memory.insert(begin, end, Kind::Stack);
        }
    }

    /// Takes words of the stream of definitions, which are whole definitions.
    fn define(&mut self, words: &[u64]) {
        let mut rest = words;
        while let Some((first, more)) = rest.split_first() {
            let taken = match first & KIND {
                DEFINE => self.define_block(*first, more),
                MAPS => {
                    let bytes = (first & LOW) as usize;
                    let words = bytes.div_ceil(8).min(more.len());
                    let text = more[..words].iter().flat_map(|word| word.to_le_bytes()).take(bytes);
                    self.maps.extend(text);
                    words
                }
                IMAGE => {
                    self.window.placed(more.first().copied().unwrap_or(0));
                    3
                }
                SKIPPED => {
                    self.read_maps();
                    self.window.leave_out(first & LOW);
                    0
                }
                _ => {
                    self.fail(format!("a definition {first:#x} where none belongs"));
                    return;
                }
            };
            rest = &more[taken.min(more.len())..];
        }
    }

    /// The map of memory has come whole, before all else.
    fn read_maps(&mut self) {
        self.placed = true;
        if !self.maps.is_empty() {
            let maps = std::mem::take(&mut self.maps);
            self.memory.read_maps(&String::from_utf8_lossy(&maps), &self.program);
        }
    }

    /// The words after the first that a block takes.
    fn define_block(&mut self, first: u64, more: &[u64]) -> usize {
        self.read_maps();
        let count = (first >> 32 & 0xffff) as usize;
        let bytes: Vec<u8> = more
            .iter()
            .skip(1)
            .flat_map(|word| word.to_le_bytes())
            .take(count)
            .collect();
        let begin = 1 + count.div_ceil(8);
        let length = bytes.iter().map(|size| usize::from(*size)).sum::<usize>();
        let code = more.iter().skip(begin).flat_map(|word| word.to_le_bytes()).take(length);
        let code: Vec<u8> = code.collect();
        match more.first() {
            Some(address) if code.len() == length => self.blocks.define(*address, &bytes, &code),
            _ => self.fail("a definition of a block that is cut off".into()),
        }
        begin + length.div_ceil(8)
    }
}

/// Follows all threads.
pub struct Analysis {
    /// What they share.
    pub shared: Shared,
    streams: BTreeMap<u32, Stream>,
}

impl Analysis {
    /// Nothing was seen yet.
    pub fn new(shared: Shared) -> Self {
        Self {
            shared,
            streams: BTreeMap::new(),
        }
    }

    /// Takes words of a stream.
    pub fn take(&mut self, host: &mut Host, taken: Taken<'_>) {
        if taken.definitions {
            self.shared.define(taken.words);
            return;
        }
        if !self.streams.contains_key(&taken.stream) {
            // In the order in which they were made; the first stream is that of the definitions.
            let thread = taken.stream.saturating_sub(1);
            if thread >= u32::from(MAX_THREADS) {
                self.shared.fail(format!("more than {MAX_THREADS} threads"));
                return;
            }
            self.streams.insert(taken.stream, Stream::new(thread as u16));
        }
        let Some(stream) = self.streams.get_mut(&taken.stream) else {
            return;
        };
        let mut at = 0;
        while !stream.take(taken.words, &mut at, &mut self.shared) {
            // A block that was translated a moment ago.
            let before = at;
            host.take_definitions(|taken| self.shared.define(taken.words));
            let known = stream.take(taken.words, &mut at, &mut self.shared);
            if known {
                return;
            }
            if at == before {
                self.shared.fail("a block that was never defined".into());
                return;
            }
        }
    }

    /// Returns true if not even one block was translated.
    pub fn saw_nothing(&self) -> bool {
        !self.shared.placed
    }

    /// The program is over; true if it asked for another program in its place.
    pub fn finish(&mut self) -> bool {
        let mut executed = false;
        for stream in self.streams.values_mut() {
            stream.finish(&mut self.shared);
            executed |= stream.executed;
        }
        executed
    }
}
