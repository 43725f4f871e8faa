// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of instants as sorted, disjoint, non-empty spans `[start, end)`.

use crate::time::Time;

/// A set of instants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans(Vec<(Time, Time)>);

impl Spans {
    /// The union of any spans, in any order; empty ones are dropped.
    pub fn union_of(spans: impl IntoIterator<Item = (Time, Time)>) -> Self {
        let mut spans: Vec<_> = spans.into_iter().filter(|&(start, end)| start < end).collect();
        // Mostly a few sorted lists one after the other, which this sort merges.
        spans.sort();
        Self::joined(spans)
    }

    /// The union of spans none of which begins before the one before it; empty ones are dropped.
    pub(crate) fn joined(mut spans: Vec<(Time, Time)>) -> Self {
        let mut count: usize = 0;
        for place in 0..spans.len() {
            let (start, end) = spans[place];
            if start >= end {
                continue;
            }
            match count.checked_sub(1).map(|last| &mut spans[last]) {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => {
                    spans[count] = (start, end);
                    count += 1;
                }
            }
        }
        spans.truncate(count);
        Spans(spans)
    }

    /// The spans in time order; no two touch.
    pub fn as_slice(&self) -> &[(Time, Time)] {
        &self.0
    }

    /// Instants in the set.
    pub fn measure(&self) -> Time {
        self.0.iter().map(|&(start, end)| end - start).sum()
    }

    /// Instants of `[0, length)` not in the set, which must lie inside it.
    pub fn complement(&self, length: Time) -> Self {
        let mut free = 0;
        let mut rest = Vec::with_capacity(self.0.len() + 1);
        for &(start, end) in self.0.iter().chain([&(length, length)]) {
            if free < start {
                rest.push((free, start));
            }
            free = end;
        }
        Spans(rest)
    }

    /// Instants in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut common = Vec::new();
        while let (Some(&(a, b)), Some(&(c, d))) = (self.0.get(i), other.0.get(j)) {
            let (start, end) = (a.max(c), b.min(d));
            if start < end {
                common.push((start, end));
            }
            if b <= d { i += 1 } else { j += 1 }
        }
        Spans(common)
    }

    /// The spans that have instants in `[from, to)`.
    pub(crate) fn overlapping(&self, from: Time, to: Time) -> &[(Time, Time)] {
        if from >= to {
            return &[];
        }
        let first = self.0.partition_point(|&(_, end)| end <= from);
        let count = self.0[first..].partition_point(|&(start, _)| start < to);
        &self.0[first..first + count]
    }

    /// Instants of the set inside `[from, to)`.
    pub fn measure_within(&self, from: Time, to: Time) -> Time {
        let inside = self.overlapping(from, to).iter();
        inside.map(|&(start, end)| end.min(to) - start.max(from)).sum()
    }

    /// Instants before `until` of the set, which lies in `[0, length)` and repeats after that.
    pub(crate) fn measure_before(&self, until: Time, length: Time) -> u128 {
        let whole = u128::from(until / length) * u128::from(self.measure());
        whole + u128::from(self.measure_within(0, until % length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_instants() {
        let a = Spans::union_of([(8, 9), (1, 3), (3, 5), (2, 4), (6, 6)]);
        assert_eq!(a.as_slice(), [(1, 5), (8, 9)]);
        assert_eq!(a.complement(12).as_slice(), [(0, 1), (5, 8), (9, 12)]);
        assert_eq!(
            a.intersection(&Spans::union_of([(0, 2), (4, 9)])).as_slice(),
            [(1, 2), (4, 5), (8, 9)]
        );
        assert_eq!((a.measure(), a.measure_within(4, 9), a.measure_within(5, 8)), (5, 2, 0));
        assert_eq!(
            [3, 4, 9, 14, 21].map(|until| a.measure_before(until, 10)),
            [2, 3, 5, 8, 10]
        );
        assert_eq!(
            (a.overlapping(4, 9), a.overlapping(5, 8), a.overlapping(4, 2)),
            (a.as_slice(), &[][..], &[][..])
        );
        assert_eq!(Spans::default().complement(3).as_slice(), [(0, 3)]);
    }
}
