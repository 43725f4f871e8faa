// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines at equal distances.

use super::{Access, Recent};
use fresco_machine::Stride;

/// How far accesses to a region are from each other.
///
/// Processors tell the accesses of a loop apart by the address of the instruction. Programs here have no such addresses; accesses are told apart
/// by the region they go to.
#[derive(Clone, Debug)]
pub(super) struct Strides {
    regions: Recent<Distance>,
    degree: i32,
}

#[derive(Clone, Copy, Debug)]
struct Distance {
    last: i32,
    /// Lines from the access before the last to the last; 0 if there was one access only.
    stride: i32,
}

impl Strides {
    pub fn new(config: &Stride) -> Self {
        Self {
            regions: Recent::new(config.regions),
            degree: config.degree as i32,
        }
    }

    /// From the third access on that is as far from the one before as that was from its own, what follows at this distance is wanted.
    pub fn learn(&mut self, access: &Access, want: &mut impl FnMut(i32)) {
        let number = access.number;
        let new = || Distance {
            last: number,
            stride: 0,
        };
        let Some(distance) = self.regions.of(access.region, new) else {
            return;
        };
        let stride = number - distance.last;
        if stride == 0 {
            return;
        }
        let is_the_same = stride == distance.stride;
        *distance = Distance { last: number, stride };
        if is_the_same {
            let ahead = (1..=self.degree).map(|ahead| number + ahead * stride);
            ahead
                .take_while(|number| (0..access.lines).contains(number))
                .for_each(want);
        }
    }
}
