// SPDX-License-Identifier: MIT OR Apache-2.0
//! CAMC's algorithms as they are printed, slips included (CON-6). Nothing but the tests that show the slips uses them.

use super::AllocContext;
use super::search::{Turn, take};
use crate::{MAX_ORDER, Work};
use fresco_dram::FrameNumber;

/// Algorithm 1 as printed: for each order the lists are asked, and if they have nothing one block is sorted into them,
/// whereupon the loop goes on to the next order. At most one block per order is sorted, and the lists are not asked
/// again after the last one.
pub(super) fn select_page(context: &mut AllocContext<'_>, work: &mut Work) -> Option<u32> {
    let keys = &mut context.task.keys;
    for order in 0..=MAX_ORDER {
        for place in 0..keys.search.len() {
            if let Some(frame) = take(context.pool, keys, place, Turn::RoundRobin, work) {
                return Some(frame);
            }
        }
        for place in 0..keys.search.len() {
            context.pool.sort_block(keys.search[place].zone, order, keys, work);
        }
    }
    None
}

/// Algorithm 2 as printed: what is appended to the color lists for a block of `order` at `page`. The loop runs from 0 to
/// 2^(order−1) inclusive and appends the same page each time, so of 2^order frames it keeps one and loses the others.
/// The pool does what the prose says instead: every frame once.
pub fn printed_create_color_list(order: u32, page: FrameNumber) -> Vec<FrameNumber> {
    // 2^(order-1) for order 0 is a half; the loop then still runs for i = 0.
    let last = (1u32 << order) / 2;
    (0..=last).map(|_| page).collect()
}
