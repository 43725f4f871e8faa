// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of the order of use of a cache's ways, by any policy.

use super::lru::Lru;
use super::qlru::Qlru;
use super::srrip::Srrip;
use super::tree_plru::TreePlru;
use fresco_machine::Replacement;

/// A set of ways: bit n is way n.
pub(super) type Ways = u128;

/// The order of use.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Lru(Lru),
    TreePlru(TreePlru),
    Srrip(Srrip),
    Qlru(Qlru),
}

impl Order {
    /// No way of a set has been used.
    pub fn new(replacement: Replacement, sets: usize, ways: usize) -> Self {
        match replacement {
            Replacement::Lru => Self::Lru(Lru::new(sets, ways)),
            Replacement::TreePlru => Self::TreePlru(TreePlru::new(sets, ways)),
            Replacement::Srrip => Self::Srrip(Srrip::new(sets, ways)),
            Replacement::Drrip => Self::Srrip(Srrip::dueling(sets, ways)),
            Replacement::QlruH11M1R0U0 | Replacement::QlruH00M1R0U1 | Replacement::QlruH00M1R2U1 => {
                Self::Qlru(Qlru::new(replacement, sets, ways))
            }
        }
    }

    /// Returns true if using a way again that was used last changes nothing, its first use after it was filled included.
    pub fn forgets_repeats(replacement: Replacement) -> bool {
        matches!(replacement, Replacement::Lru | Replacement::TreePlru)
    }

    /// Notes a use of `way`.
    #[inline]
    pub fn touch(&mut self, set: usize, way: usize) {
        match self {
            Self::Lru(lru) => lru.touch(set, way),
            Self::TreePlru(plru) => plru.touch(set, way),
            Self::Srrip(srrip) => srrip.touch(set, way),
            Self::Qlru(qlru) => qlru.touch(set, way),
        }
    }

    /// Makes `way`, which holds nothing any more, a victim before all others that do.
    pub fn demote(&mut self, set: usize, way: usize) {
        match self {
            Self::Lru(lru) => lru.demote(set, way),
            Self::TreePlru(plru) => plru.demote(set, way),
            Self::Srrip(srrip) => srrip.demote(set, way),
            Self::Qlru(qlru) => qlru.demote(set, way),
        }
    }

    /// Chooses the way that the next line of a set goes to, one of those that are `empty` if there are any, and notes its use.
    #[inline]
    pub fn claim(&mut self, set: usize, empty: impl FnOnce(Side) -> Option<usize>) -> usize {
        match self {
            // Empty ways are never touched, and so are always the oldest.
            Self::Lru(lru) => lru.replace(set),
            Self::TreePlru(plru) => match empty(Side::First) {
                Some(way) => {
                    plru.touch(set, way);
                    way
                }
                None => plru.replace(set),
            },
            Self::Srrip(srrip) => match empty(Side::First) {
                Some(way) => {
                    srrip.fill(set, way);
                    way
                }
                None => srrip.replace(set, Ways::MAX),
            },
            Self::Qlru(qlru) => {
                let way = empty(qlru.side()).unwrap_or_else(|| qlru.oldest(set, Ways::MAX));
                qlru.fill(set, way);
                way
            }
        }
    }

    /// The same among the `allowed` ways, of which `empty` are those that hold nothing.
    pub fn claim_among(&mut self, set: usize, allowed: Ways, empty: Ways) -> usize {
        if let Self::Lru(lru) = self {
            return lru.replace_among(set, allowed);
        }
        let of_empty = |side| match (empty, side) {
            (0, _) => None,
            (empty, Side::First) => Some(empty.trailing_zeros() as usize),
            (empty, Side::Last) => Some(empty.ilog2() as usize),
        };
        match (&mut *self, of_empty(Side::First)) {
            (Self::TreePlru(plru), None) => plru.replace_among(set, allowed),
            (Self::Srrip(srrip), None) => srrip.replace(set, allowed),
            (Self::Qlru(qlru), None) => {
                let way = qlru.oldest(set, allowed);
                qlru.fill(set, way);
                way
            }
            _ => self.claim(set, of_empty),
        }
    }
}

/// Which of several empty ways is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    First,
    Last,
}
