// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of instants as lists of spans, for the checker alone.

use fresco_rt::Time;

/// Sorted, disjoint spans `[start, end)`.
pub(super) type Spans = Vec<(Time, Time)>;

/// The union of spans in any order.
pub(super) fn union(mut spans: Spans) -> Spans {
    spans.retain(|&(start, end)| start < end);
    spans.sort_unstable();
    let mut joined: Spans = Vec::with_capacity(spans.len());
    for (start, end) in spans {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// The first instant that is in both sets.
pub(super) fn first_common(a: &[(Time, Time)], b: &[(Time, Time)]) -> Option<Time> {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let start = a[i].0.max(b[j].0);
        if start < a[i].1.min(b[j].1) {
            return Some(start);
        }
        if a[i].1 <= b[j].1 { i += 1 } else { j += 1 }
    }
    None
}

/// The first instant of `a` that is not in `b`.
pub(super) fn first_outside(a: &[(Time, Time)], b: &[(Time, Time)]) -> Option<Time> {
    a.iter().find_map(|&(start, end)| {
        let next = b.partition_point(|&(_, over)| over <= start);
        match b.get(next) {
            Some(&(from, to)) if from <= start && end <= to => None,
            Some(&(from, to)) if from <= start => Some(to),
            _ => Some(start),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_instants() {
        let a = union(vec![(8, 9), (1, 3), (3, 5), (6, 6)]);
        assert_eq!(a, [(1, 5), (8, 9)]);
        assert_eq!(first_common(&a, &[(5, 8)]), None);
        assert_eq!(first_common(&a, &[(0, 1), (4, 6)]), Some(4));
        assert_eq!(first_outside(&[(1, 2), (8, 9)], &a), None);
        assert_eq!(first_outside(&[(4, 6)], &a), Some(5));
        assert_eq!(first_outside(&[(6, 7)], &a), Some(6));
    }
}
