// SPDX-License-Identifier: MIT OR Apache-2.0
//! The queue in front of all channels and banks of a controller (SIM-8, SIM-9): first in, first out, one request a
//! cycle.

use super::Arrival;
use super::channel::Channel;
use fresco_dram::{Cycle, NEVER};
use fresco_machine::Queues;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Front {
    capacity: usize,
    queue: VecDeque<Arrival>,
    /// Arrived, but the front queue was full.
    outside: VecDeque<Arrival>,
    /// One request leaves per cycle: not before this one.
    next_move: Cycle,
}

impl Front {
    /// Of the queue structures that have one.
    pub(super) fn new(queues: Queues) -> Option<Self> {
        let Queues::FrontQueue { front, .. } = queues else {
            return None;
        };
        Some(Self {
            capacity: front as usize,
            queue: VecDeque::new(),
            outside: VecDeque::new(),
            next_move: 0,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len() + self.outside.len()
    }

    /// Returns true if nothing waits in it.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns true if there is a place behind so many others that arrive.
    pub(super) fn has_places(&self, arriving: usize) -> bool {
        self.len() + arriving < self.capacity
    }

    /// A request arrives in cycle `now`. Returns true if it goes on into its channel at once: nobody waits, and there is room.
    #[inline]
    pub(super) fn passes(&mut self, now: Cycle, arrival: Arrival, channels: &[Channel]) -> bool {
        debug_assert!(!self.queue.is_empty() || self.outside.is_empty());
        let passes = self.queue.is_empty()
            && now >= self.next_move
            && channels[arrival.channel as usize].has_room_for(arrival.entry);
        if passes {
            self.next_move = now + 1;
        }
        passes
    }

    pub(super) fn arrive(&mut self, arrival: Arrival) {
        if self.queue.len() < self.capacity {
            self.queue.push_back(arrival);
        } else {
            self.outside.push_back(arrival);
        }
    }

    /// The request at the head, if the queue it goes into has room.
    #[inline]
    fn head(&self, channels: &[Channel]) -> Option<Arrival> {
        let head = *self.queue.front()?;
        channels[head.channel as usize].has_room_for(head.entry).then_some(head)
    }

    /// The request that goes on into its channel in cycle `now`, if any.
    // Always: for each request.
    #[inline(always)]
    pub(super) fn leave(&mut self, now: Cycle, channels: &[Channel]) -> Option<Arrival> {
        if now < self.next_move {
            return None;
        }
        let head = self.head(channels)?;
        self.queue.pop_front();
        self.next_move = now + 1;
        self.queue.extend(self.outside.pop_front());
        Some(head)
    }

    /// When the next request leaves if nothing else happens before. A head whose queue is full leaves in the cycle of
    /// the column command that makes room.
    #[inline]
    pub(super) fn next_move(&self, channels: &[Channel]) -> Cycle {
        self.head(channels).map_or(NEVER, |_| self.next_move)
    }
}
