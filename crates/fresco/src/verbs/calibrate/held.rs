// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--hold-out`: shares of reads that are not used for fitting.

use fresco_calibrate::{Curve, Curves};
use fresco_input::InputError;
use std::str::FromStr;

/// An element of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Each share in turn.
    Each,
    /// A share, in percent.
    Share(u32),
}

impl FromStr for Held {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("each", _) => Ok(Self::Each),
            (_, Ok(reads)) => Ok(Self::Share(reads)),
            _ => Err("give shares of reads in percent, such as 60,100, or each".to_owned()),
        }
    }
}

/// The curves that are fitted to: all but those that are held out. Where each is in turn, all.
///
/// # Errors
/// A share without a curve, or all of them; each in turn of one, or beside others.
pub fn used<'c>(held: &[Held], curves: &'c Curves) -> Result<Vec<&'c Curve>, InputError> {
    let known: Vec<u32> = curves.curves.iter().map(|curve| curve.reads).collect();
    let allowed = || known.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let fault = |found: String| InputError::new("--hold-out", found);
    if held.contains(&Held::Each) {
        return match (held.len(), known.len()) {
            (1, 2..) => Ok(curves.curves.iter().collect()),
            (1, _) => Err(fault("found each, of one share of reads".to_owned())
                .allowed("two shares or more: one is judged by what is fitted to the others")
                .help("leave --hold-out out")),
            _ => Err(fault("found each and other shares".to_owned())
                .allowed("each alone, or shares of reads")
                .help("leave the others out")),
        };
    }
    let other = |held: &&Held| matches!(held, Held::Share(reads) if !known.contains(reads));
    if let Some(Held::Share(other)) = held.iter().find(other) {
        let error = fault(format!("found {other}, a share of reads without a curve")).allowed(allowed());
        return Err(error.help("hold out one of these, or none"));
    }
    let is_used = |curve: &&Curve| !held.contains(&Held::Share(curve.reads));
    let used: Vec<&Curve> = curves.curves.iter().filter(is_used).collect();
    match used.is_empty() {
        true => Err(fault("found every share of reads".to_owned())
            .allowed(format!("some of {}", allowed()))
            .help("leave one to fit to, or say each or --no-fit")),
        false => Ok(used),
    }
}
