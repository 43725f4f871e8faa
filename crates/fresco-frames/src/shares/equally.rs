// SPDX-License-Identifier: MIT OR Apache-2.0
//! Equal shares for all threads, blind to nodes (BPM-4, BPM-14, TINT-17).

use super::classes::classes;
use super::deal::run;
use super::{Share, ShareError, Shared, Taken, banks_of_node, llc_colors, or_how_many};
use crate::ColorSet;
use fresco_dram::ColorSpace;

/// What is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divide {
    /// Bank colors: BPM.
    Banks,
    /// Bank colors and LLC colors: BPM as it is compared with TintMalloc (TINT-17).
    BanksAndLlc,
    /// LLC colors: cache-only partitioning (BPM-14).
    Llc,
}

/// The colors of each of `threads` threads. A bank color of one node stands for its likes on all others, so that every
/// thread has frames on every node: 32 colors are 8 each for four threads, 4 each for eight.
///
/// # Errors
/// [`ShareError`] where there are fewer colors than threads.
pub fn equal(space: &ColorSpace, threads: usize, divide: Divide, taken: &Taken) -> Result<Vec<Share>, ShareError> {
    let threads: Vec<()> = vec![(); threads];
    or_how_many(&threads, |threads| shares(space, threads.len(), divide, taken))
}

fn shares(space: &ColorSpace, threads: usize, divide: Divide, taken: &Taken) -> Result<Vec<Share>, Shared> {
    let mut shares = vec![Share::default(); threads];
    match divide {
        Divide::Banks => {
            let nodes = nodes(space).map(|node| banks_of_node(space, node, taken));
            for of_node in nodes {
                enough_banks(of_node.len(), threads)?;
                for (thread, share) in shares.iter_mut().enumerate() {
                    add(&mut share.banks, run(&of_node, thread, threads));
                }
            }
        }
        Divide::Llc => {
            let colors = llc_colors(space, taken);
            enough_llc(colors.len(), threads)?;
            for (thread, share) in shares.iter_mut().enumerate() {
                add(&mut share.llc, run(&colors, thread, threads));
            }
        }
        Divide::BanksAndLlc => both(space, &mut shares, taken)?,
    }
    Ok(shares)
}

/// The classes of every node by turns; threads that have a class in common divide it. LLC colors are divided once: where
/// nodes have other classes, a later one cannot give away what an earlier one has given.
fn both(space: &ColorSpace, shares: &mut [Share], taken: &Taken) -> Result<(), Shared> {
    let threads = shares.len();
    let mut given = taken.clone();
    for (round, node) in nodes(space).enumerate() {
        let llc = llc_colors(space, taken);
        let classes = classes(space, &banks_of_node(space, node, taken), &llc);
        let numbers: Vec<usize> = (0..classes.len()).collect();
        for (number, class) in classes.iter().enumerate() {
            let has = |thread: &usize| match threads <= classes.len() {
                true => run(&numbers, *thread, threads).contains(&number),
                false => *thread * classes.len() / threads == number,
            };
            let having: Vec<usize> = (0..threads).filter(has).collect();
            enough_banks(class.banks.len(), having.len())?;
            for (part, &thread) in having.iter().enumerate() {
                add(&mut shares[thread].banks, run(&class.banks, part, having.len()));
            }
            let free: Vec<u32> = class
                .llc
                .iter()
                .copied()
                .filter(|&llc| !given.llc.contains(llc))
                .collect();
            if round == 0 {
                enough_llc(free.len(), having.len())?;
            }
            for (part, &thread) in having.iter().enumerate() {
                add(&mut shares[thread].llc, run(&free, part, having.len()));
            }
            free.into_iter().for_each(|llc| _ = given.llc.insert(llc));
        }
        enough_banks(classes.len(), usize::from(threads > 0))?;
    }
    Ok(())
}

fn nodes(space: &ColorSpace) -> impl Iterator<Item = u32> + '_ {
    let last = (0..space.bank_colors()).map(|bank| space.node_of_color(bank)).max();
    let is_there = |node: &u32| (0..space.bank_colors()).any(|bank| space.node_of_color(bank) == *node);
    (0..=last.unwrap_or(0)).filter(is_there)
}

fn add(to: &mut Option<ColorSet>, colors: &[u32]) {
    let set = to.get_or_insert_with(ColorSet::new);
    colors.iter().for_each(|&color| _ = set.insert(color));
}

fn enough_banks(colors: usize, wanting: usize) -> Result<(), Shared> {
    if colors >= wanting {
        Ok(())
    } else {
        Err(Shared::Banks {
            node: None,
            colors,
            wanting,
        })
    }
}

fn enough_llc(colors: usize, wanting: usize) -> Result<(), Shared> {
    if colors >= wanting {
        Ok(())
    } else {
        Err(Shared::Llc {
            cache: None,
            colors,
            wanting,
        })
    }
}
