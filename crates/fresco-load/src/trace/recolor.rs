// SPDX-License-Identifier: MIT OR Apache-2.0
//! Moves the pages of an address trace to memory of a color (SIM-3), for traces whose addresses are physical.

use fresco_dram::{FrameNumber, PhysAddr};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Where the pages of one task's trace go. The trace is read twice: first [`Recoloring::survey`] notes the pages that
/// have the color already, for they stay; then [`Recoloring::rewrite`] moves the others, each as a whole, to frames of
/// its own, so that accesses to one page remain accesses to one page.
#[derive(Debug)]
pub struct Recoloring<C, F> {
    conforms: C,
    free: F,
    /// Frames that are in use: those that stay, and those given out.
    taken: BTreeSet<FrameNumber>,
    moved: BTreeMap<FrameNumber, FrameNumber>,
}

impl<C, F> Recoloring<C, F>
where
    C: Fn(FrameNumber) -> bool,
    F: FnMut() -> Option<FrameNumber>,
{
    /// `conforms` says whether a frame has the color; `free` gives the next free frame of the color, `None` when there
    /// is none left. A frame that is already in use is passed over.
    pub fn new(conforms: C, free: F) -> Self {
        Self {
            conforms,
            free,
            taken: BTreeSet::new(),
            moved: BTreeMap::new(),
        }
    }

    /// Notes an address of the trace.
    pub fn survey(&mut self, addr: PhysAddr) {
        let frame = FrameNumber(addr.0 / PAGE);
        if (self.conforms)(frame) {
            self.taken.insert(frame);
        }
    }

    /// The address that takes the place of `addr`; `None` when no frame of the color is left.
    pub fn rewrite(&mut self, addr: PhysAddr) -> Option<PhysAddr> {
        let frame = FrameNumber(addr.0 / PAGE);
        if (self.conforms)(frame) {
            return Some(addr);
        }
        let to = match self.moved.get(&frame) {
            Some(to) => *to,
            None => {
                let to = loop {
                    let candidate = (self.free)()?;
                    debug_assert!((self.conforms)(candidate), "{candidate} is not of the color");
                    if self.taken.insert(candidate) {
                        break candidate;
                    }
                };
                self.moved.insert(frame, to);
                to
            }
        };
        Some(PhysAddr(to.0 * PAGE + addr.0 % PAGE))
    }

    /// Pages moved so far.
    pub fn moved(&self) -> usize {
        self.moved.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Color 2 of four, in the two lowest bits of the frame number; frames below `end`.
    fn recoloring(end: u64) -> Recoloring<impl Fn(FrameNumber) -> bool, impl FnMut() -> Option<FrameNumber>> {
        let mut frames = (0..end).filter(|frame| frame % 4 == 2).map(FrameNumber);
        Recoloring::new(|frame| frame.0 % 4 == 2, move || frames.next())
    }

    #[test]
    fn pages_of_the_color_stay_and_others_move_as_a_whole() {
        let mut recoloring = recoloring(64);
        let trace = [0x3010, 0x2fff, 0x0008, 0x3ff8, 0x6000].map(PhysAddr);
        trace.iter().for_each(|&addr| recoloring.survey(addr));
        let rewritten = trace.map(|addr| recoloring.rewrite(addr).expect("there are frames"));
        // Frames 2 and 6 are the trace's own, the first free ones are 10 and 14.
        assert_eq!(rewritten, [0xa010, 0x2fff, 0xe008, 0xaff8, 0x6000].map(PhysAddr));
        assert_eq!(recoloring.moved(), 2);
    }

    #[test]
    fn a_color_may_run_out() {
        let mut recoloring = recoloring(8);
        assert!(recoloring.rewrite(PhysAddr(0x1000)).is_some() && recoloring.rewrite(PhysAddr(0x3000)).is_some());
        assert_eq!(recoloring.rewrite(PhysAddr(0x4000)), None);
        assert!(
            recoloring.rewrite(PhysAddr(0x1008)).is_some(),
            "a page that has moved stays where it is"
        );
    }

    proptest! {
        #![proptest_config(crate::testing::cases(64))]

        #[test]
        fn different_pages_stay_different(pages in proptest::collection::vec(0u64..64, 1..200)) {
            let mut recoloring = recoloring(4096);
            let trace: Vec<PhysAddr> = pages.iter().enumerate().map(|(i, page)| PhysAddr(page * PAGE + i as u64)).collect();
            trace.iter().for_each(|&addr| recoloring.survey(addr));
            let rewritten: Vec<PhysAddr> = trace.iter().map(|&addr| recoloring.rewrite(addr).expect("frames")).collect();
            for (a, x) in trace.iter().zip(&rewritten) {
                prop_assert!(x.0 / PAGE % 4 == 2 && x.0 % PAGE == a.0 % PAGE);
                for (b, y) in trace.iter().zip(&rewritten) {
                    prop_assert_eq!(a.0 / PAGE == b.0 / PAGE, x.0 / PAGE == y.0 / PAGE);
                }
            }
        }
    }
}
