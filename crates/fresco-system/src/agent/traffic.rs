// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which lines a device moves, and in which direction, burst by burst.

use fresco_dram::PhysAddr;
use fresco_memory::Access;
use fresco_scenario::Pattern;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// The lines of a device, without end.
#[derive(Debug)]
pub(super) struct Traffic {
    /// Where the pages of its buffer lie, in their order.
    pages: Vec<PhysAddr>,
    page_bytes: u64,
    line_bytes: u64,
    /// Lines of the buffer.
    lines: u64,
    pattern: Pattern,
    write_percent: u32,
    /// Lines of a burst.
    burst: u64,
    random: Pcg64,
    /// Bursts begun.
    begun: u64,
    /// The first line of the burst, and of the pass if it has strides.
    first: u64,
    pass: u64,
    /// Lines of the burst that have been moved.
    moved: u64,
    access: Access,
}

impl Traffic {
    /// Of a device, its buffer and a seed.
    pub fn new(
        agent: &fresco_scenario::Agent,
        (pages, page_bytes): (Vec<PhysAddr>, u64),
        line_bytes: u64,
        seed: u64,
    ) -> Self {
        Self {
            lines: pages.len() as u64 * page_bytes / line_bytes,
            pages,
            page_bytes,
            line_bytes,
            pattern: agent.pattern,
            write_percent: agent.write_percent,
            burst: agent.burst.into(),
            random: Pcg64::seed_from_u64(seed),
            begun: 0,
            first: 0,
            pass: 0,
            moved: 0,
            access: Access::Read,
        }
    }

    /// The next line.
    pub fn next(&mut self) -> (PhysAddr, Access) {
        if self.moved == 0 {
            self.begin();
        }
        let offset = (self.first + self.moved) % self.lines * self.line_bytes;
        self.moved = (self.moved + 1) % self.burst;
        let page = self.pages[(offset / self.page_bytes) as usize];
        (PhysAddr(page.0 + offset % self.page_bytes), self.access)
    }

    /// A burst begins. Of any hundred bursts one after the other as many are written as `write_percent` says, spread evenly.
    fn begin(&mut self) {
        let written = |bursts: u64| u128::from(bursts) * u128::from(self.write_percent) / 100;
        self.access = match written(self.begun + 1) > written(self.begun) {
            true => Access::Write,
            false => Access::Read,
        };
        self.first = match self.pattern {
            _ if self.begun == 0 && self.pattern != Pattern::Random => 0,
            Pattern::Stream => (self.first + self.burst) % self.lines,
            Pattern::Random => self.random.random_range(0..self.lines / self.burst) * self.burst,
            Pattern::Stride(bytes) => self.stride(bytes / self.line_bytes),
        };
        self.begun += 1;
    }

    /// The next burst of a pass in strides, or the first of the next pass, which begins a burst later, up to where this one's second was.
    fn stride(&mut self, stride: u64) -> u64 {
        let next = self.first + stride;
        if next < self.lines {
            return next;
        }
        self.pass += self.burst;
        if self.pass >= stride {
            self.pass = 0;
        }
        self.pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_scenario::Agent;

    /// Two pages of 256 bytes, the second before the first in memory, lines of 64 bytes.
    fn traffic(pattern: Pattern, burst: u32, write_percent: u32) -> Traffic {
        let agent = Agent {
            pattern,
            burst,
            write_percent,
            ..Agent::new("dma", 512)
        };
        Traffic::new(&agent, (vec![PhysAddr(0x400), PhysAddr(0)], 256), 64, 1)
    }

    fn lines(traffic: &mut Traffic, count: usize) -> Vec<u64> {
        (0..count).map(|_| traffic.next().0.0).collect()
    }

    #[test]
    fn a_stream_goes_through_the_pages_in_their_order() {
        let all = [0x400, 0x440, 0x480, 0x4c0, 0, 0x40, 0x80, 0xc0, 0x400];
        assert_eq!(lines(&mut traffic(Pattern::Stream, 1, 0), 9), all);
        // Bursts that do not divide the buffer go over its end.
        assert_eq!(lines(&mut traffic(Pattern::Stream, 3, 0), 9), all);
    }

    #[test]
    fn strides_come_to_all_bursts_pass_by_pass() {
        let mut traffic = traffic(Pattern::Stride(256), 2, 0);
        assert_eq!(lines(&mut traffic, 4), [0x400, 0x440, 0, 0x40]);
        assert_eq!(lines(&mut traffic, 4), [0x480, 0x4c0, 0x80, 0xc0]);
        assert_eq!(lines(&mut traffic, 1), [0x400]);
    }

    #[test]
    fn random_bursts_are_aligned_and_come_to_all_places() {
        let mut traffic = traffic(Pattern::Random, 2, 0);
        let mut seen = [false; 4];
        for _ in 0..100 {
            let pair = lines(&mut traffic, 2);
            assert!(pair[0].is_multiple_of(128) && pair[1] == pair[0] + 64, "{pair:x?}");
            seen[(pair[0] % 0x400 / 128) as usize + usize::from(pair[0] < 0x400) * 2] = true;
        }
        assert_eq!(seen, [true; 4]);
    }

    #[test]
    fn the_share_of_writes_is_exact_and_even() {
        let mut traffic = traffic(Pattern::Stream, 2, 25);
        let writes: Vec<bool> = (0..16).map(|_| traffic.next().1 == Access::Write).collect();
        let expected = [[false; 6].as_slice(), &[true; 2], &[false; 6], &[true; 2]].concat();
        assert_eq!(writes, expected);
    }
}
