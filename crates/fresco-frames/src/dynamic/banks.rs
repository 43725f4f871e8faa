// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic bank partitioning: who lends colors to whom (BPM-6 to 8).

use crate::ColorSet;

/// What a thread needs, and has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Pages that it requires at most: those of all its memory areas, touched or not (RNP).
    pub required: u64,
    /// Its bank colors.
    pub banks: ColorSet,
}

impl Holding {
    /// Pages of its banks (BNP), with `pages` pages to a color.
    pub fn available(&self, pages: u64) -> u64 {
        self.banks.len() as u64 * pages
    }

    /// What it can spare, BNP − RNP; negative if it needs more than it has (NICE).
    pub fn nice(&self, pages: u64) -> i64 {
        let difference = i128::from(self.available(pages)) - i128::from(self.required);
        difference.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }
}

/// A color that goes from one thread to another, or that both have from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loan {
    /// Bank color.
    pub color: u32,
    /// The lender, by its place.
    pub from: usize,
    /// The borrower, by its place.
    pub to: usize,
}

/// How banks are divided anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjustment {
    /// Colors that change hands.
    pub moved: Vec<Loan>,
    /// Colors that a second thread uses too, because no whole color can be spared (BPM-8).
    pub shared: Vec<Loan>,
    /// Threads that still need more than they have: the sum of what all require is more than there is.
    pub short: Vec<usize>,
}

impl Adjustment {
    /// Returns true if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.shared.is_empty()
    }

    /// The same without the loans of whole colors after the first `moved`, and what is shared only if there are none of these.
    #[must_use]
    pub fn first(&self, moved: usize) -> Self {
        let is_whole = moved >= self.moved.len();
        Self {
            moved: self.moved[..moved.min(self.moved.len())].to_vec(),
            shared: if is_whole { self.shared.clone() } else { Vec::new() },
            short: self.short.clone(),
        }
    }

    /// The colors of each thread afterwards.
    pub fn apply(&self, holdings: &[Holding]) -> Vec<ColorSet> {
        let mut sets: Vec<ColorSet> = holdings.iter().map(|holding| holding.banks.clone()).collect();
        for loan in &self.moved {
            sets[loan.from] = sets[loan.from].iter().filter(|&color| color != loan.color).collect();
            sets[loan.to].insert(loan.color);
        }
        for loan in &self.shared {
            sets[loan.to].insert(loan.color);
        }
        sets
    }
}

/// Divides the banks anew, where a thread needs more pages than its colors have; else nothing changes, for to re-color
/// pages is dear. `pages` are those of one color.
///
/// Whole colors are lent (BPM-7): the neediest borrower first, each time from the thread that can spare the most, the highest of
/// its colors. No lender ends with less than it requires. Where none can spare a whole color a borrower shares one
/// with the thread that has the most to spare.
pub fn adjust(holdings: &[Holding], pages: u64) -> Adjustment {
    let mut nice: Vec<i64> = holdings.iter().map(|holding| holding.nice(pages)).collect();
    let mut own: Vec<Vec<u32>> = holdings.iter().map(|holding| holding.banks.iter().collect()).collect();
    let mut borrowers: Vec<usize> = (0..holdings.len()).filter(|&thread| nice[thread] < 0).collect();
    borrowers.sort_by_key(|&thread| nice[thread]);
    let of_color = i64::try_from(pages).unwrap_or(i64::MAX).max(1);
    let mut adjustment = Adjustment::default();
    for &to in &borrowers {
        while nice[to] < 0 {
            let most = |spares: &dyn Fn(usize) -> bool| {
                let lenders = (0..holdings.len()).filter(|&thread| thread != to && spares(thread));
                lenders.max_by_key(|&thread| (nice[thread], std::cmp::Reverse(thread)))
            };
            // A lender keeps a color, even if it requires nothing.
            if let Some(from) = most(&|thread| nice[thread] >= of_color && own[thread].len() > 1) {
                let Some(color) = own[from].pop() else { break };
                own[to].push(color);
                adjustment.moved.push(Loan { color, from, to });
                (nice[from], nice[to]) = (nice[from] - of_color, nice[to] + of_color);
                continue;
            }
            let Some(from) = most(&|thread| nice[thread] > 0 && !own[thread].is_empty()) else {
                break;
            };
            let lent = nice[from].min(-nice[to]).min(of_color);
            let color = own[from][own[from].len() - 1];
            adjustment.shared.push(Loan { color, from, to });
            (nice[from], nice[to]) = (nice[from] - lent, nice[to] + lent);
        }
        if nice[to] < 0 {
            adjustment.short.push(to);
        }
    }
    adjustment.short.sort_unstable();
    adjustment
}

/// [`adjust`] among the threads of each group; `group` is that of each thread. Threads of the result are places in `holdings`.
pub fn adjust_within(holdings: &[Holding], group: &[usize], pages: u64) -> Adjustment {
    let groups: std::collections::BTreeSet<usize> = group.iter().copied().collect();
    let mut whole = Adjustment::default();
    for one in groups {
        let here: Vec<usize> = (0..holdings.len()).filter(|&thread| group[thread] == one).collect();
        let of_here: Vec<Holding> = here.iter().map(|&thread| holdings[thread].clone()).collect();
        let adjustment = adjust(&of_here, pages);
        let placed = |loan: Loan| Loan {
            from: here[loan.from],
            to: here[loan.to],
            ..loan
        };
        whole.moved.extend(adjustment.moved.into_iter().map(placed));
        whole.shared.extend(adjustment.shared.into_iter().map(placed));
        whole
            .short
            .extend(adjustment.short.into_iter().map(|thread| here[thread]));
    }
    whole.short.sort_unstable();
    whole
}
