// SPDX-License-Identifier: MIT OR Apache-2.0
//! Does what some shares of reads determine hold for another? Each share is left out in turn.

use crate::{Bench, Comparison, Curve, Observer, Setting, as_texts, compare, fit};
use fresco_input::InputError;
use serde::Serialize;

/// A share of reads that was left out.
#[derive(Clone, Debug, Serialize)]
pub struct Turn {
    /// Its reads in a hundred lines of traffic.
    pub reads: u32,
    /// What was fitted to the others.
    pub settings: Vec<Setting>,
    /// The model with these values beside the curve that was left out.
    #[serde(flatten)]
    pub comparison: Comparison,
}

/// Fits a machine to all curves but one, and compares it with that one, for each in turn; `None` if the observer has stopped
/// it. Of two curves or more.
///
/// # Errors
/// What a run finds.
pub fn each_left_out(
    bench: &Bench,
    curves: &[&Curve],
    repetitions: u32,
    observer: &dyn Observer,
) -> Result<Option<Vec<Turn>>, InputError> {
    let mut turns = Vec::new();
    for left_out in curves {
        let reads = left_out.reads;
        let others: Vec<&Curve> = curves.iter().filter(|curve| curve.reads != reads).copied().collect();
        let settings = fit(bench, &others, observer)?.settings;
        if observer.is_stopped() {
            return Ok(None);
        }
        let Some(compared) = compare(bench, &as_texts(&settings), &[left_out], repetitions, observer)? else {
            return Ok(None);
        };
        turns.extend(compared.into_iter().map(|comparison| Turn {
            reads,
            settings: settings.clone(),
            comparison,
        }));
    }
    Ok(Some(turns))
}
