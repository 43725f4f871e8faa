// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a bench has measured already. A run follows from its values and its load alone, and a fit that leaves one share of
//! reads out after the other asks for most of them again.

use crate::{Load, Point};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values in any order, how many runs, and the load.
type Key = (Vec<String>, u32, Load);

/// Points by what they follow from; copies share them.
#[derive(Clone, Default)]
pub(crate) struct Known(Arc<Mutex<BTreeMap<Key, Point>>>);

impl Known {
    /// The point of a load under these values, if it has been measured.
    pub fn get(&self, settings: &[String], repetitions: u32, load: &Load) -> Option<Point> {
        let point = self.points().get(&key(settings, repetitions, load)).copied()?;
        Some(Point {
            reads: load.reads,
            ..point
        })
    }

    /// Keeps a point.
    pub fn put(&self, settings: &[String], repetitions: u32, load: &Load, point: Point) {
        self.points().insert(key(settings, repetitions, load), point);
    }

    fn points(&self) -> MutexGuard<'_, BTreeMap<Key, Point>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(settings: &[String], repetitions: u32, load: &Load) -> Key {
    let mut settings = settings.to_vec();
    settings.sort_unstable();
    (settings, repetitions, load.as_measured())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_no_order_and_idleness_no_share_of_reads() {
        let [one, other] = ["a=1", "b=2"].map(str::to_owned);
        let known = Known::default();
        let point = Point {
            reads: 100,
            pause: None,
            gb_s: 0.5,
            ns: 100.0,
            reads_served: 100.0,
        };
        known.put(&[one.clone(), other.clone()], 1, &Load::idle(100), point);
        let found = known.get(&[other.clone(), one.clone()], 1, &Load::idle(60));
        assert_eq!(found, Some(Point { reads: 60, ..point }));
        // Other values, more runs and traffic are something else.
        assert_eq!(known.get(&[other], 1, &Load::idle(60)), None);
        assert_eq!(known.get(std::slice::from_ref(&one), 2, &Load::idle(60)), None);
        assert_eq!(known.get(&[one], 1, &Load::paused(60, 3)), None);
    }
}
