// SPDX-License-Identifier: MIT OR Apache-2.0
//! What experiments are made with: processors, somebody who watches, and what is known from before.

use crate::observer::{Observer, Steps};
use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_scenario::Scenario;
use fresco_system::results::ScenarioResult;
use fresco_system::{Batch, Store};

/// What experiments are made with.
#[derive(Clone, Copy)]
pub struct Means<'m> {
    /// Runs at the same time; 0: one per processor.
    pub threads: usize,
    /// Is told how far they are, and may end them early.
    pub observer: &'m dyn Observer,
    /// Where results are looked for before anything is run, and kept afterwards.
    pub store: Option<&'m dyn Store>,
}

impl Means<'_> {
    /// The whole result of a scenario; `None` if it was stopped before.
    ///
    /// # Errors
    /// A run that has a fault.
    pub(crate) fn simulate(
        &self,
        scenario: &Scenario,
        steps: &dyn Steps,
    ) -> Result<Option<ScenarioResult>, InputError> {
        steps.name(&scenario.name);
        let batch = Batch {
            threads: self.threads,
            progress: &|_| steps.step(),
            stop: &|| self.observer.is_stopped(),
            store: self.store,
            ..Batch::default()
        };
        Ok(batch.run(scenario)?.filter(|result| result.stopped.is_none()))
    }

    /// Rows that follow from the program and this key alone, as they were kept or are made.
    ///
    /// # Errors
    /// As of `make`.
    pub(crate) fn rows(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<Vec<Row>, InputError>,
    ) -> Result<Vec<Row>, InputError> {
        let Some(store) = self.store else { return make() };
        let key = format!("rows {key}");
        if let Some(rows) = store.get(&key).and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(rows);
        }
        let rows = make()?;
        // Rows that were stopped are not whole.
        if !self.observer.is_stopped()
            && let Ok(bytes) = serde_json::to_vec(&rows)
        {
            store.put(&key, &bytes);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unobserved;
    use crate::testing::{Stopped, means};
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    #[derive(Default)]
    struct InMemory(Mutex<BTreeMap<String, Vec<u8>>>);

    impl Store for InMemory {
        fn get(&self, key: &str) -> Option<Vec<u8>> {
            self.0.lock().expect("no panic").get(key).cloned()
        }

        fn put(&self, key: &str, value: &[u8]) {
            self.0.lock().expect("no panic").insert(key.to_owned(), value.to_vec());
        }
    }

    fn row(value: f64) -> Result<Vec<Row>, InputError> {
        Ok(vec![Row::new().label("policy", "camc").value("time_ms", value)])
    }

    #[test]
    fn whole_rows_are_made_once_and_found_to_the_last_bit() {
        let store = InMemory::default();
        let kept = Means {
            store: Some(&store),
            ..means(&Unobserved)
        };
        // No short decimal fraction, and one that a careless reader rounds.
        for (key, value) in [
            ("a 1", 0.1 + 0.2),
            ("a 2", f64::MIN_POSITIVE),
            ("b 1", 17_976_931_348_623_157e292),
        ] {
            let made = kept.rows(key, || row(value)).expect("made");
            let found = kept.rows(key, || panic!("it is kept")).expect("found");
            assert_eq!(made, found, "{key}");
        }
        let anew = means(&Unobserved).rows("a 1", || row(5.0)).expect("made");
        assert_eq!(anew[0].values["time_ms"], 5.0);
    }

    #[test]
    fn rows_that_were_stopped_are_not_kept() {
        let store = InMemory::default();
        let stopped = Means {
            store: Some(&store),
            ..means(&Stopped)
        };
        assert_eq!(stopped.rows("a 1", || Ok(Vec::new())).expect("none"), []);
        let whole = Means {
            store: Some(&store),
            ..means(&Unobserved)
        };
        assert_eq!(whole.rows("a 1", || row(1.0)).expect("made").len(), 1);
    }
}
