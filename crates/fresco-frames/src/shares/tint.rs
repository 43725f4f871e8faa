// SPDX-License-Identifier: MIT OR Apache-2.0
//! TintMalloc's configurations (TINT-13): banks of the own node (TINT-16), LLC colors, each private or shared by a group.

use super::classes::{Class, classes};
use super::deal::{distinct, run, woven};
use super::{Seat, Share, ShareError, Shared, Taken, banks_of_node, llc_colors, or_how_many};
use crate::ColorSet;
use fresco_dram::ColorSpace;

/// What threads have of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// MEM: banks; all LLC colors are everybody's.
    Mem,
    /// LLC: LLC colors; all banks are everybody's.
    Llc,
    /// MEM+LLC: both.
    MemLlc,
    /// MEM+LLC(part): banks; LLC colors by group.
    MemLlcPart,
    /// LLC+MEM(part): LLC colors; banks by group.
    LlcMemPart,
}

/// A configuration of TintMalloc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tint {
    /// What is private.
    pub variant: Variant,
    /// Groups that neighbouring threads form in the `part` variants: 4 in the source, whatever the number of threads (TINT-14).
    pub groups: u32,
    /// LLC colors are disjoint only among threads of one cache, so that threads on different caches may have the same
    /// ones. The source divides them among all threads (TINT-14), although its machine has two caches.
    pub by_cache: bool,
}

impl Tint {
    /// A variant as the source has it: four groups, LLC colors disjoint among all threads.
    pub fn published(variant: Variant) -> Self {
        Self {
            variant,
            groups: 4,
            by_cache: false,
        }
    }
}

/// The colors of each thread, in order. Threads that have colors by name are not among them; theirs are `taken`.
///
/// # Errors
/// [`ShareError`] where two threads would have to share what is to be private, or where a thread would have no frame.
pub fn tintmalloc(space: &ColorSpace, seats: &[Seat], tint: Tint, taken: &Taken) -> Result<Vec<Share>, ShareError> {
    or_how_many(seats, |seats| shares(space, seats, tint, taken))
}

fn shares(space: &ColorSpace, seats: &[Seat], tint: Tint, taken: &Taken) -> Result<Vec<Share>, Shared> {
    let threads: Vec<usize> = (0..seats.len()).collect();
    let count = (tint.groups as usize).clamp(1, seats.len().max(1));
    let groups: Vec<usize> = threads.iter().map(|thread| thread * count / seats.len()).collect();
    let banks = |parties: &[usize]| deal_banks(space, seats, parties, taken).map(some);
    let llc = |parties: &[usize]| deal_llc(space, seats, parties, tint, taken).map(some);
    let none = || vec![None; seats.len()];
    let (banks, llc) = match tint.variant {
        Variant::Mem => (banks(&threads)?, none()),
        Variant::Llc => (none(), llc(&threads)?),
        Variant::MemLlc => {
            let (banks, llc) = deal_both(space, seats, tint, taken)?;
            (some(banks), some(llc))
        }
        Variant::MemLlcPart => (banks(&threads)?, llc(&groups)?),
        Variant::LlcMemPart => (banks(&groups)?, llc(&threads)?),
    };
    let shares: Vec<Share> = std::iter::zip(banks, llc)
        .map(|(banks, llc)| Share { banks, llc })
        .collect();
    match shares.iter().position(|share| share.pairs(space) == 0) {
        None => Ok(shares),
        Some(thread) => {
            let words = |set: &Option<ColorSet>| set.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string);
            Err(Shared::Pairs {
                thread,
                banks: words(&shares[thread].banks),
                llc: words(&shares[thread].llc),
            })
        }
    }
}

fn some(sets: Vec<ColorSet>) -> Vec<Option<ColorSet>> {
    sets.into_iter().map(Some).collect()
}

/// The classes of a node.
fn of_node(space: &ColorSpace, node: u32, taken: &Taken) -> Vec<Class> {
    classes(space, &banks_of_node(space, node, taken), &llc_colors(space, taken))
}

/// Each party of a node an equal part of its banks, of every class some, so that all LLC colors can be used.
fn deal_banks(space: &ColorSpace, seats: &[Seat], parties: &[usize], taken: &Taken) -> Result<Vec<ColorSet>, Shared> {
    let mut sets = vec![ColorSet::new(); seats.len()];
    for node in distinct(seats.iter().map(|seat| seat.node)) {
        let here = |thread: &usize| seats[*thread].node == node;
        let threads: Vec<usize> = (0..seats.len()).filter(here).collect();
        let order = distinct(threads.iter().map(|&thread| parties[thread]));
        let by_class: Vec<Vec<u32>> = of_node(space, node, taken)
            .into_iter()
            .map(|class| class.banks)
            .collect();
        let banks = woven(&by_class);
        if banks.len() < order.len() {
            let (colors, wanting) = (banks.len(), order.len());
            return Err(Shared::Banks {
                node: Some(node),
                colors,
                wanting,
            });
        }
        for thread in threads {
            let place = order.iter().position(|&party| party == parties[thread]).unwrap_or(0);
            sets[thread] = run(&banks, place, order.len()).iter().copied().collect();
        }
    }
    Ok(sets)
}

/// The threads among which LLC colors are disjoint: all, or those of one cache.
fn scopes(seats: &[Seat], tint: Tint) -> Vec<(Option<u32>, Vec<usize>)> {
    if !tint.by_cache {
        return vec![(None, (0..seats.len()).collect())];
    }
    let of_cache = |cache: u32| {
        (0..seats.len())
            .filter(|&thread| seats[thread].cache == cache)
            .collect()
    };
    let caches = distinct(seats.iter().map(|seat| seat.cache));
    caches.into_iter().map(|cache| (Some(cache), of_cache(cache))).collect()
}

/// Each party of a scope an equal part of the LLC colors, of every class some.
fn deal_llc(
    space: &ColorSpace,
    seats: &[Seat],
    parties: &[usize],
    tint: Tint,
    taken: &Taken,
) -> Result<Vec<ColorSet>, Shared> {
    let mut sets = vec![ColorSet::new(); seats.len()];
    for (cache, threads) in scopes(seats, tint) {
        let order = distinct(threads.iter().map(|&thread| parties[thread]));
        let node = threads.first().map_or(0, |&thread| seats[thread].node);
        let by_class: Vec<Vec<u32>> = of_node(space, node, taken).into_iter().map(|class| class.llc).collect();
        let colors = woven(&by_class);
        if colors.len() < order.len() {
            let (colors, wanting) = (colors.len(), order.len());
            return Err(Shared::Llc { cache, colors, wanting });
        }
        for thread in threads {
            let place = order.iter().position(|&party| party == parties[thread]).unwrap_or(0);
            sets[thread] = run(&colors, place, order.len()).iter().copied().collect();
        }
    }
    Ok(sets)
}

/// Private banks and private LLC colors. The threads of a node have its classes by turns, so that what one has of banks
/// goes with what it has of the cache; threads that have a class in common divide it. Where the cache has colors enough,
/// threads are first set apart in stripes of neighbouring banks: one channel or rank serves one of them, and its bus need
/// not turn from rank to rank at every other burst.
fn deal_both(
    space: &ColorSpace,
    seats: &[Seat],
    tint: Tint,
    taken: &Taken,
) -> Result<(Vec<ColorSet>, Vec<ColorSet>), Shared> {
    let mut banks = vec![Vec::new(); seats.len()];
    // What each thread has classes for.
    let mut fitting: Vec<Vec<u32>> = vec![Vec::new(); seats.len()];
    let rivals = scopes(seats, tint).iter().map(|(_, threads)| threads.len()).max();
    let llc_each = llc_colors(space, taken).len() / rivals.unwrap_or(1).max(1);
    for node in distinct(seats.iter().map(|seat| seat.node)) {
        let threads: Vec<usize> = (0..seats.len()).filter(|&thread| seats[thread].node == node).collect();
        let classes = of_node(space, node, taken);
        let count = threads.len();
        if classes.is_empty() {
            return Err(Shared::Banks {
                node: Some(node),
                colors: 0,
                wanting: count,
            });
        }
        let stripes = stripes(&classes, count, llc_each);
        for (stripe, here) in threads.chunks(count / stripes).enumerate() {
            for (number, class) in classes.iter().enumerate() {
                let of_stripe = run(&class.banks, stripe, stripes);
                let having = having(here.len(), classes.len(), number);
                if of_stripe.len() < having.len() {
                    let (colors, wanting) = (of_stripe.len(), having.len());
                    return Err(Shared::Banks {
                        node: Some(node),
                        colors,
                        wanting,
                    });
                }
                for (part, place) in having.iter().enumerate() {
                    banks[here[*place]].extend(run(of_stripe, part, having.len()));
                    fitting[here[*place]].extend(&class.llc);
                }
            }
        }
    }
    let mut llc = vec![ColorSet::new(); seats.len()];
    for (cache, threads) in scopes(seats, tint) {
        let candidates = |color: u32| {
            threads
                .iter()
                .copied()
                .filter(|&thread| fitting[thread].contains(&color))
                .collect()
        };
        let colors = llc_colors(space, taken);
        let by_color: Vec<Vec<usize>> = colors.iter().map(|&color| candidates(color)).collect();
        for set in distinct(by_color.iter()) {
            let is_theirs = |color: &u32| {
                let place = colors.iter().position(|other| other == color);
                place.is_some_and(|place| by_color[place] == *set)
            };
            // Of each class some: every bank then has a color that goes with it.
            let node = set.first().map_or(0, |&thread| seats[thread].node);
            let by_class: Vec<Vec<u32>> = of_node(space, node, taken)
                .into_iter()
                .map(|class| class.llc.into_iter().filter(is_theirs).collect())
                .collect();
            let alike = woven(&by_class);
            // Those that have the fewest come last, where runs are longer.
            let mut order = set.clone();
            order.sort_by_key(|&thread| std::cmp::Reverse(llc[thread].len()));
            for (place, &thread) in order.iter().enumerate() {
                for &color in run(&alike, place, order.len()) {
                    llc[thread].insert(color);
                }
            }
        }
        if threads.iter().any(|&thread| llc[thread].is_empty()) {
            let (colors, wanting) = (colors.len(), threads.len());
            return Err(Shared::Llc { cache, colors, wanting });
        }
    }
    Ok((
        banks.into_iter().map(|banks| banks.into_iter().collect()).collect(),
        llc,
    ))
}

/// The threads of `count` that have class `number` of `classes`.
fn having(count: usize, classes: usize, number: usize) -> Vec<usize> {
    let all: Vec<usize> = (0..classes).collect();
    let has = |place: &usize| match count <= classes {
        true => run(&all, *place, count).contains(&number),
        false => *place * classes / count == number,
    };
    (0..count).filter(has).collect()
}

/// Most stripes into which `count` threads can be set apart so that each of them has no more classes than LLC colors, and
/// a bank of every class that it has.
fn stripes(classes: &[Class], count: usize, llc_each: usize) -> usize {
    let serves = |stripes: &usize| {
        let here = count / stripes;
        let most = classes.len().div_ceil(here);
        let has_banks =
            |(number, class): (usize, &Class)| class.banks.len() / stripes >= having(here, classes.len(), number).len();
        count.is_multiple_of(*stripes) && most <= llc_each && classes.iter().enumerate().all(has_banks)
    };
    (1..=count).rev().find(serves).unwrap_or(1)
}
