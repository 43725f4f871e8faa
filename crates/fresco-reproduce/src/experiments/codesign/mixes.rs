// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mixes of table 2.

use super::super::refresh::{MODELS, Model};
use fresco_input::InputError;

/// Eight programs each, WL-1 first.
const MIXES: [&[(&str, usize)]; 10] = [
    &[("mcf", 8)],
    &[("povray", 8)],
    &[("h264ref", 8)],
    &[("povray", 4), ("h264ref", 4)],
    &[("gemsfdtd", 8)],
    &[("mcf", 4), ("povray", 4)],
    &[("stream", 4), ("h264ref", 4)],
    &[("bwaves", 4), ("h264ref", 4)],
    &[("npb_ua", 4), ("povray", 4)],
    &[("mcf", 4), ("bwaves", 2), ("povray", 2)],
];
/// Numbers of the mixes, from 1; unit tests look at the form of rows alone, and make do with a mix that seldom misses.
pub(super) const WORKLOADS: std::ops::RangeInclusive<u32> = if cfg!(test) { 2..=2 } else { 1..=10 };
/// Programs of a mix.
const PROGRAMS: usize = 8;

/// The models of a mix for so many tasks: 8, or the mix halved or doubled, each program in proportion.
///
/// # Errors
/// None: every program of a mix has a model.
pub(super) fn tasks(workload: u32, count: usize) -> Result<Vec<&'static Model>, InputError> {
    let mix = MIXES[(workload as usize - 1) % MIXES.len()];
    let programs = mix
        .iter()
        .flat_map(|&(name, of_eight)| std::iter::repeat_n(name, of_eight * count / PROGRAMS));
    programs
        .map(|name| {
            let model = MODELS.iter().find(|model| model.program == name);
            model.ok_or_else(|| InputError::new("the mixes", format!("found {name} without a model")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_keep_their_proportions() {
        let names = |workload, count| -> Vec<&str> {
            let tasks = tasks(workload, count).expect("models");
            tasks.iter().map(|model| model.program).collect()
        };
        assert_eq!(names(10, 4), ["mcf", "mcf", "bwaves", "povray"]);
        for workload in 1..=10 {
            for count in [4, 8, 16] {
                assert_eq!(names(workload, count).len(), count);
            }
        }
    }
}
