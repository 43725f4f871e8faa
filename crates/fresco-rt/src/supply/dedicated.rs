// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole processor, all the time.

use super::{Ratio, Supply, narrow};
use crate::time::Time;

/// A processor of one's own: `sbf(t) = t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dedicated;

impl Supply for Dedicated {
    fn sbf(&self, t: Time) -> Time {
        t
    }

    fn tbf(&self, demand: u128) -> Option<Time> {
        narrow(demand)
    }

    fn rate(&self) -> Ratio {
        Ratio::ONE
    }

    fn sigma(&self) -> Time {
        0
    }

    fn period(&self) -> Time {
        1
    }
}
