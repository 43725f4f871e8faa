// SPDX-License-Identifier: MIT OR Apache-2.0
//! Channels: each thread is confined to one, and with BPM+ to banks of its own within it (BPM-5).

use super::deal::run;
use super::{Share, ShareError, Shared, Taken, or_how_many};
use crate::ColorSet;
use fresco_dram::ColorSpace;

/// The bank colors of each of `threads` threads. `of_channel` are the bank colors of each channel that is used
/// ([`ColorSpace::select_field`]); thread `i` has channel `i` modulo their number. With `private_banks` (BPM+) the
/// threads of a channel divide its banks, of every node an equal part; without (channel-only partitioning, BPM-14) they share them all.
///
/// # Errors
/// [`ShareError`] where a channel has fewer bank colors than threads, with `private_banks`.
pub fn channels(
    space: &ColorSpace,
    threads: usize,
    of_channel: &[Vec<u32>],
    private_banks: bool,
    taken: &Taken,
) -> Result<Vec<Share>, ShareError> {
    let threads: Vec<()> = vec![(); threads];
    or_how_many(&threads, |threads| {
        let mut shares = vec![Share::default(); threads.len()];
        for (channel, colors) in of_channel.iter().enumerate() {
            let here: Vec<usize> = (channel..threads.len()).step_by(of_channel.len()).collect();
            let free: Vec<u32> = colors
                .iter()
                .copied()
                .filter(|&bank| !taken.banks.contains(bank))
                .collect();
            let nodes: ColorSet = free.iter().map(|&bank| space.node_of_color(bank)).collect();
            if !private_banks {
                here.iter()
                    .for_each(|&thread| shares[thread].banks = Some(colors.iter().copied().collect()));
                continue;
            }
            if free.is_empty() && !here.is_empty() {
                return Err(Shared::Banks {
                    node: None,
                    colors: 0,
                    wanting: here.len(),
                });
            }
            for node in nodes.iter() {
                let of_node: Vec<u32> = free
                    .iter()
                    .copied()
                    .filter(|&bank| space.node_of_color(bank) == node)
                    .collect();
                if of_node.len() < here.len() {
                    let (colors, wanting) = (of_node.len(), here.len());
                    return Err(Shared::Banks {
                        node: Some(node),
                        colors,
                        wanting,
                    });
                }
                for (part, &thread) in here.iter().enumerate() {
                    let banks = shares[thread].banks.get_or_insert_with(ColorSet::new);
                    run(&of_node, part, here.len())
                        .iter()
                        .for_each(|&bank| _ = banks.insert(bank));
                }
            }
        }
        Ok(shares)
    })
}
