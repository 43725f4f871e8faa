// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ascending and descending lines.

use super::{Access, Recent};
use fresco_machine::Stream;

/// The streams that a core reads, one in each region.
///
/// A stream has a direction once three accesses went the same way. From then on each access that goes on in it lets up to `degree` lines be
/// fetched, until they are `distance` lines ahead (Srinath, Mutlu, Kim, Patt: Feedback Directed Prefetching, HPCA 2007, which says what the two
/// mean). A core that reorders its accesses swaps neighbors: one behind the others changes nothing, a second one gives the direction up.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    regions: Recent<OneWay>,
    degree: i32,
    distance: i32,
}

#[derive(Clone, Copy, Debug)]
struct OneWay {
    /// The furthest access in its direction.
    front: i32,
    /// 1 or -1; 0 after the first access.
    way: i32,
    /// Accesses that went this way, less those that did not; up to [`SURE`].
    sure: u32,
    /// The furthest line that was wanted.
    wanted: i32,
}

/// Two steps in one direction make a stream.
const SURE: u32 = 2;

impl Streams {
    pub fn new(config: &Stream) -> Self {
        Self {
            regions: Recent::new(config.streams),
            degree: config.degree as i32,
            distance: config.distance as i32,
        }
    }

    pub fn learn(&mut self, access: &Access, want: &mut impl FnMut(i32)) {
        let number = access.number;
        let new = || OneWay {
            front: number,
            way: 0,
            sure: 0,
            wanted: number,
        };
        let Some(stream) = self.regions.of(access.region, new) else {
            return;
        };
        let way = (number - stream.front).signum();
        if way == 0 {
            return;
        }
        if way != stream.way {
            if stream.sure > 1 {
                stream.sure -= 1;
            } else {
                *stream = OneWay {
                    front: number,
                    way,
                    sure: 1,
                    wanted: number,
                };
            }
            return;
        }
        (stream.front, stream.sure) = (number, SURE.min(stream.sure + 1));
        if stream.sure < SURE {
            return;
        }
        // What the accesses have reached themselves is not wanted any more.
        if (number - stream.wanted) * way > 0 {
            stream.wanted = number;
        }
        for _ in 0..self.degree {
            let next = stream.wanted + way;
            if (next - number) * way > self.distance || !(0..access.lines).contains(&next) {
                break;
            }
            stream.wanted = next;
            want(next);
        }
    }
}
