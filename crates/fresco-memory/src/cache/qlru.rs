// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quad-age LRU.

use super::order::{Side, Ways};
use fresco_machine::Replacement;

/// An age of two bits for each way, as in the second and third levels of Intel's processors. The variants, and their names, are those of Abel and
/// Reineke (nanoBench: A Low-Overhead Tool for Running Microbenchmarks on x86 Systems, ISPASS 2020): `Hxy`, a hit makes age 3 to x, age 2 to y, and less to
/// 0; `M1`, a line comes in with age 1; the first way of age 3 is replaced, and of empty ways `R0` fills the first, `R2` the last; where no way has age 3 after
/// an access, all ages grow until one has, with `U1` all but that of the way accessed.
#[derive(Clone, Debug)]
pub(super) struct Qlru {
    ways: usize,
    /// `[set * ways + way]`
    ages: Vec<u8>,
    /// By age: that after a hit.
    hit: [u8; 4],
    side: Side,
    /// The way accessed does not grow older.
    spares: bool,
}

/// Of a line that comes in.
const NEW: u8 = 1;
/// Of a victim, and of empty ways.
const OLDEST: u8 = 3;

impl Qlru {
    /// All ways are empty.
    pub fn new(replacement: Replacement, sets: usize, ways: usize) -> Self {
        let (hit, side, spares) = match replacement {
            Replacement::QlruH00M1R0U1 => ([0, 0, 0, 0], Side::First, true),
            Replacement::QlruH00M1R2U1 => ([0, 0, 0, 0], Side::Last, true),
            _ => ([0, 0, 1, 1], Side::First, false),
        };
        Self {
            ways,
            ages: vec![OLDEST; sets * ways],
            hit,
            side,
            spares,
        }
    }

    /// Which of several empty ways is filled.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Notes a use of `way`.
    pub fn touch(&mut self, set: usize, way: usize) {
        let hit = self.hit;
        let age = &mut self.of(set)[way];
        *age = hit[usize::from(*age)];
        self.grow(set, way);
    }

    /// The way to be replaced among those allowed.
    pub fn oldest(&mut self, set: usize, allowed: Ways) -> usize {
        let ages = self.of(set).iter().enumerate();
        let ages = ages.filter(|(way, _)| allowed >> way & 1 == 1);
        // Of equal ones the first.
        let oldest = ages.rev().max_by_key(|(_, age)| **age);
        oldest.expect("some way is allowed").0
    }

    /// Notes that a line comes into `way`.
    pub fn fill(&mut self, set: usize, way: usize) {
        self.of(set)[way] = NEW;
        self.grow(set, way);
    }

    /// Makes `way` one of the oldest.
    pub fn demote(&mut self, set: usize, way: usize) {
        self.of(set)[way] = OLDEST;
    }

    /// After an access to `way`.
    fn grow(&mut self, set: usize, way: usize) {
        let spares = self.spares;
        let ages = self.of(set);
        let grows = |other: &usize| !(spares && *other == way);
        let most = (0..ages.len()).filter(grows).map(|way| ages[way]).max();
        let by = OLDEST - most.unwrap_or(OLDEST);
        if by > 0 {
            (0..ages.len()).filter(grows).for_each(|way| ages[way] += by);
        }
    }

    fn of(&mut self, set: usize) -> &mut [u8] {
        &mut self.ages[set * self.ways..][..self.ways]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ages of four ways after each access: fills of the ways in turn, then these.
    fn ages(replacement: Replacement, hits: &[usize]) -> Vec<Vec<u8>> {
        let mut qlru = Qlru::new(replacement, 1, 4);
        let fills = match qlru.side() {
            Side::First => [0, 1, 2, 3],
            Side::Last => [3, 2, 1, 0],
        };
        let mut seen = Vec::new();
        for way in fills {
            qlru.fill(0, way);
            seen.push(qlru.ages.clone());
        }
        for way in hits {
            qlru.touch(0, *way);
            seen.push(qlru.ages.clone());
        }
        seen
    }

    #[test]
    fn ages_of_the_third_level_by_hand() {
        let seen = ages(Replacement::QlruH11M1R0U0, &[1, 1, 2, 0, 3]);
        let by_hand = [
            [1, 3, 3, 3],
            [1, 1, 3, 3],
            [1, 1, 1, 3],
            // All are new: all grow by two.
            [3, 3, 3, 3],
            // A first hit makes an oldest one new, a second one the youngest.
            [3, 1, 3, 3],
            [3, 0, 3, 3],
            [3, 0, 1, 3],
            [1, 0, 1, 3],
            // None is oldest any more: all grow by two, the way accessed as well.
            [3, 2, 3, 3],
        ];
        assert_eq!(seen, by_hand);
    }

    #[test]
    fn ages_of_the_second_level_by_hand() {
        let by_hand = [
            [3, 3, 3, 1],
            [3, 3, 1, 1],
            [3, 1, 1, 1],
            [1, 3, 3, 3],
            [1, 0, 3, 3],
            [1, 0, 0, 3],
            [3, 2, 2, 0],
        ];
        assert_eq!(ages(Replacement::QlruH00M1R2U1, &[1, 2, 3]), by_hand);
    }

    #[test]
    fn the_first_of_the_oldest_goes() {
        let mut qlru = Qlru::new(Replacement::QlruH11M1R0U0, 1, 4);
        (0..4).for_each(|way| qlru.fill(0, way));
        qlru.touch(0, 0);
        assert_eq!(qlru.oldest(0, Ways::MAX), 1);
        assert_eq!(qlru.oldest(0, 0b1100), 2);
        assert_eq!(qlru.oldest(0, 0b0001), 0);
        // One way is its own and only victim.
        let mut one = Qlru::new(Replacement::QlruH00M1R0U1, 1, 1);
        one.fill(0, 0);
        assert_eq!(one.oldest(0, Ways::MAX), 0);
    }
}
