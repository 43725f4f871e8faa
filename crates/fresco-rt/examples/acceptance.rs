// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fraction of random task sets that each method accepts, by density and load (E33): two colors, the burst of the standard,
//! handlers of 2 us, any partition of the tasks. The cells are those of the table in docs/theory.md.
//!
//! `cargo run --release -p fresco-rt --example acceptance -- [SETS]`; 120 sets of 6 tasks per cell by default.

use fresco_rt::acceptance::{Conditions, Method, Verdict, judge, recipe};
use fresco_rt::policy::Policy;
use fresco_rt::refresh::Density;

const CELLS: [(Density, u32); 9] = [
    (Density::Gb2, 800_000),
    (Density::Gb2, 950_000),
    (Density::Gb8, 800_000),
    (Density::Gb8, 950_000),
    (Density::Gb16, 800_000),
    (Density::Gb16, 950_000),
    (Density::Gb32, 900_000),
    (Density::Gb64, 800_000),
    (Density::Gb64, 950_000),
];

fn main() {
    let sets: u64 = std::env::args()
        .nth(1)
        .map_or(120, |n| n.parse().expect("a number of sets"));
    let recipe = recipe(6);
    let names = Method::NAMES.map(|(name, _)| name).join(" ");
    println!("density load | {names}");
    for (density, load) in CELLS {
        let conditions = Conditions::of(density, Policy::Edf);
        let accepted = Method::NAMES.map(|(_, method)| {
            let is_accepted = |index: &u64| {
                let set = recipe.set(load, *index).expect("a possible recipe");
                judge(method, &set, &conditions) == Verdict::Accepted
            };
            (0..sets).filter(is_accepted).count()
        });
        let cells: Vec<String> = Method::NAMES
            .iter()
            .zip(accepted)
            .map(|((name, _), count)| format!("{:>1$.2}", count as f64 / sets as f64, name.len()))
            .collect();
        println!(
            "{:>5}Gb {:.2} | {}",
            density.gigabits(),
            f64::from(load) / 1e6,
            cells.join(" ")
        );
    }
}
