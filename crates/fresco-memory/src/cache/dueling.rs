// SPDX-License-Identifier: MIT OR Apache-2.0
//! Set dueling: some sets of a cache try one of two policies each, and the others do as those that miss less.

/// The duel of DRRIP, between SRRIP and BRRIP (Jaleel, Theobald, Steely, Emer, ISCA 2010): 32 sets of each, a selector of ten bits, and BRRIP brings one line in 32 in
/// as SRRIP does. Which sets they are is the complement-select policy of Qureshi and others (Adaptive Insertion Policies for High Performance Caching,
/// ISCA 2007): of constituency n, a 32nd of the cache, the set n in the one direction and in the other; where a constituency has more sets, they are spread over it, so that
/// pages of all colors take part.
#[derive(Clone, Debug)]
pub(super) struct Dueling {
    /// Sets of a constituency; 0 where there are too few to duel.
    size: usize,
    constituencies: usize,
    /// Misses of the sets with SRRIP less those of the sets with BRRIP, within ten bits.
    selector: u16,
    /// Lines that BRRIP has brought in.
    fills: u32,
}

/// Whose way a line comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Insertion {
    /// As one that will be used again late.
    Long,
    /// As one that will not be used again.
    Distant,
}

/// Sets that try a policy, of each.
const LEADERS: usize = 32;
/// The selector has ten bits; from here on the others do as BRRIP.
const MIDDLE: u16 = 512;
/// One of so many lines comes in as with SRRIP.
const SELDOM: u32 = 32;

impl Dueling {
    /// Of a cache of so many sets. With fewer than 64 sets there are fewer leaders; a single set has SRRIP.
    pub fn new(sets: usize) -> Self {
        let constituencies = LEADERS.min(sets / 2);
        Self {
            size: sets.checked_div(constituencies).unwrap_or(0),
            constituencies,
            selector: MIDDLE - 1,
            fills: 0,
        }
    }

    /// A line comes into a set.
    pub fn fill(&mut self, set: usize) -> Insertion {
        let is_bimodal = match self.leads(set) {
            Some(true) => {
                self.selector = self.selector.saturating_sub(1);
                true
            }
            Some(false) => {
                self.selector = (self.selector + 1).min(2 * MIDDLE - 1);
                false
            }
            None => self.selector >= MIDDLE,
        };
        if !is_bimodal {
            return Insertion::Long;
        }
        self.fills = (self.fills + 1) % SELDOM;
        match self.fills {
            0 => Insertion::Long,
            _ => Insertion::Distant,
        }
    }

    /// Which policy a set tries: SRRIP (false) or BRRIP (true).
    fn leads(&self, set: usize) -> Option<bool> {
        let constituency = set.checked_div(self.size)?;
        if constituency >= self.constituencies {
            return None;
        }
        let place = constituency * (self.size / self.constituencies).max(1) % self.size;
        let (of_first, at) = (place, set % self.size);
        match at {
            at if at == of_first => Some(false),
            at if at == self.size - 1 - place => Some(true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaders_are_those_of_complement_select() {
        // 1024 sets: bits 9 to 5 equal bits 4 to 0, or are their complement.
        let dueling = Dueling::new(1024);
        for set in 0..1024 {
            let (high, low) = (set >> 5, set & 31);
            let leads = if high == low {
                Some(false)
            } else if high == 31 - low {
                Some(true)
            } else {
                None
            };
            assert_eq!(dueling.leads(set), leads, "{set}");
        }
    }

    #[test]
    fn there_are_as_many_leaders_of_each() {
        for (sets, leaders) in [(1, 0), (2, 1), (6, 3), (64, 32), (8192, 32), (2048 * 56, 32)] {
            let dueling = Dueling::new(sets);
            let count = |policy| (0..sets).filter(|set| dueling.leads(*set) == Some(policy)).count();
            assert_eq!((count(false), count(true)), (leaders, leaders), "{sets} sets");
        }
    }

    #[test]
    fn the_others_follow_who_misses_less() {
        let mut dueling = Dueling::new(1024);
        // Set 1 leads nobody; 0 tries SRRIP, 31 BRRIP.
        assert_eq!(dueling.fill(1), Insertion::Long);
        assert_eq!(dueling.fill(0), Insertion::Long);
        // One miss more of SRRIP: BRRIP, of which one line in 32 comes in as one that will be used.
        let fills: Vec<Insertion> = (0..64).map(|_| dueling.fill(1)).collect();
        let long: Vec<usize> = (0..64).filter(|at| fills[*at] == Insertion::Long).collect();
        assert_eq!(long, [31, 63]);
        assert_eq!(dueling.fill(31), Insertion::Distant);
        assert_eq!(dueling.fill(1), Insertion::Long);
        // It ends at ten bits.
        (0..5000).for_each(|_| _ = dueling.fill(0));
        assert_eq!(dueling.selector, 1023);
        (0..5000).for_each(|_| _ = dueling.fill(31));
        assert_eq!(dueling.selector, 0);
    }
}
