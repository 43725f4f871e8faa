// SPDX-License-Identifier: MIT OR Apache-2.0
//! Re-reference interval prediction.

use super::dueling::{Dueling, Insertion};
use super::order::Ways;

/// SRRIP with hit priority and two bits for each way (Jaleel, Theobald, Steely, Emer: High Performance Cache Replacement Using
/// Re-Reference Interval Prediction, ISCA 2010): a prediction of how long it will be until a line is used again. A line comes in with a
/// long one, a use makes it the nearest, and the first way with the most distant one is replaced; while there is none, all grow.
///
/// So lines that are used once pass by those that are used again, as they do not in LRU.
///
/// DRRIP, of the same paper, is the same but for lines that come in: whether most of these have the most distant prediction (BRRIP) is decided by a [duel](Dueling).
#[derive(Clone, Debug)]
pub(super) struct Srrip {
    ways: usize,
    /// `[set * ways + way]`
    predictions: Vec<u8>,
    dueling: Option<Dueling>,
}

/// Used again at once.
const NEAR: u8 = 0;
/// Of a line that comes in.
const LONG: u8 = 2;
/// The most distant, of two bits.
const DISTANT: u8 = 3;

impl Srrip {
    /// All ways are empty.
    pub fn new(sets: usize, ways: usize) -> Self {
        Self {
            ways,
            predictions: vec![DISTANT; sets * ways],
            dueling: None,
        }
    }

    /// The same for DRRIP.
    pub fn dueling(sets: usize, ways: usize) -> Self {
        Self {
            dueling: Some(Dueling::new(sets)),
            ..Self::new(sets, ways)
        }
    }

    /// The prediction of a line that comes in.
    fn insertion(&mut self, set: usize) -> u8 {
        match self.dueling.as_mut().map(|dueling| dueling.fill(set)) {
            None | Some(Insertion::Long) => LONG,
            Some(Insertion::Distant) => DISTANT,
        }
    }

    /// Notes a use of `way`.
    #[inline]
    pub fn touch(&mut self, set: usize, way: usize) {
        self.of(set)[way] = NEAR;
    }

    /// Chooses the way for a line that comes in among those allowed, and notes that it does. No way is empty: one that is
    /// is [filled](Self::fill). Ways that are not allowed do not grow.
    #[inline]
    pub fn replace(&mut self, set: usize, allowed: Ways) -> usize {
        let insertion = self.insertion(set);
        let ways = self.of(set);
        let way = match allowed {
            Ways::MAX => {
                let most = *ways.iter().max().expect("a set has ways");
                let way = ways.iter().position(|way| *way == most);
                ways.iter_mut().for_each(|way| *way += DISTANT - most);
                way
            }
            _ => {
                let is_allowed = |way: &usize| allowed >> way & 1 == 1;
                let all = 0..ways.len();
                let most = all.clone().filter(is_allowed).map(|way| ways[way]).max();
                let most = most.expect("some way is allowed");
                let way = all.clone().filter(is_allowed).find(|way| ways[*way] == most);
                all.filter(is_allowed).for_each(|way| ways[way] += DISTANT - most);
                way
            }
        };
        let way = way.expect("one is the most");
        ways[way] = insertion;
        way
    }

    /// Notes that a line comes into an empty way.
    #[inline]
    pub fn fill(&mut self, set: usize, way: usize) {
        self.of(set)[way] = self.insertion(set);
    }

    /// Makes `way` a victim before all that are not as distant.
    pub fn demote(&mut self, set: usize, way: usize) {
        self.of(set)[way] = DISTANT;
    }

    #[inline]
    fn of(&mut self, set: usize) -> &mut [u8] {
        &mut self.predictions[set * self.ways..][..self.ways]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four ways of one set, and the lines in them.
    struct Set {
        srrip: Srrip,
        lines: [&'static str; 4],
    }

    impl Set {
        /// Returns true if the line was there.
        fn access(&mut self, line: &'static str) -> bool {
            if let Some(way) = self.lines.iter().position(|other| *other == line) {
                self.srrip.touch(0, way);
                return true;
            }
            let empty = self.lines.iter().position(|other| other.is_empty());
            let way = match empty {
                Some(way) => {
                    self.srrip.fill(0, way);
                    way
                }
                None => self.srrip.replace(0, Ways::MAX),
            };
            self.lines[way] = line;
            false
        }
    }

    /// A mixed pattern as the paper's: a1 a2 a2 a1, a scan of b1 to b4, and a1 a2 again, which LRU would have lost.
    #[test]
    fn a_scan_passes_lines_that_were_used_twice() {
        let mut set = Set {
            srrip: Srrip::new(1, 4),
            lines: [""; 4],
        };
        let accesses = [
            ("a1", false, [2, 3, 3, 3]),
            ("a2", false, [2, 2, 3, 3]),
            ("a2", true, [2, 0, 3, 3]),
            ("a1", true, [0, 0, 3, 3]),
            ("b1", false, [0, 0, 2, 3]),
            ("b2", false, [0, 0, 2, 2]),
            // None is distant: all grow by one, and the first that is then goes.
            ("b3", false, [1, 1, 2, 3]),
            ("b4", false, [1, 1, 2, 2]),
            ("a1", true, [0, 1, 2, 2]),
            ("a2", true, [0, 0, 2, 2]),
        ];
        for (line, hit, predictions) in accesses {
            assert_eq!(set.access(line), hit, "{line}");
            assert_eq!(set.srrip.predictions, predictions, "{line}");
        }
        assert_eq!(set.lines, ["a1", "a2", "b3", "b4"]);
        set.srrip.demote(0, 1);
        assert_eq!(
            set.srrip.replace(0, 0b1101),
            2,
            "way 1 is more distant, and not allowed"
        );
        assert_eq!(set.srrip.predictions, [1, 3, 2, 3], "nor does it grow");
        assert_eq!(set.srrip.replace(0, Ways::MAX), 1);
    }
}
