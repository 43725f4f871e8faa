// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--shard`: which part of a sweep this runner has.

use fresco_input::InputError;
use fresco_sweep::{MOST_GROUPS, Shard};

/// Where a job array says which of its jobs this is, and what it counts from.
const ARRAYS: [(&str, Option<&str>); 2] = [
    ("SLURM_ARRAY_TASK_ID", Some("SLURM_ARRAY_TASK_MIN")),
    ("JOB_COMPLETION_INDEX", None),
];

/// `3/8` is the third of eight parts; of `auto/8` the environment says which one.
pub fn parse(text: &str) -> Result<Shard, InputError> {
    parse_with(text, |name| std::env::var(name).ok())
}

fn parse_with(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Shard, InputError> {
    let wrong = |help: &str| {
        InputError::new("--shard", format!("found {text:?}"))
            .allowed(format!("I/N, I from 1 to N, N up to {MOST_GROUPS}; or auto/N"))
            .help(help)
    };
    let Some((number, of)) = text.split_once('/') else {
        return Err(wrong("write for example 3/8: the third of eight parts"));
    };
    let Some(of) = of.parse().ok().filter(|of| (1..=MOST_GROUPS).contains(of)) else {
        return Err(wrong("write how many parts there are behind the stroke"));
    };
    let number: Option<u32> = match number {
        "auto" => {
            let number = |name: &str| variable(name)?.parse::<u32>().ok();
            let of_array =
                |(name, first): (&str, Option<&str>)| number(name)?.checked_sub(first.and_then(number).unwrap_or(0));
            let found = ARRAYS.into_iter().find_map(of_array);
            if found.is_none() {
                let names = ARRAYS.map(|(name, _)| name).join(" and ");
                let error = InputError::new(
                    "--shard",
                    format!("found {text:?}, and neither {names} in the environment"),
                );
                return Err(error
                    .allowed("auto/N in a job of an array of Slurm or an indexed Job of Kubernetes")
                    .help("write the number of the part, for example 3/8"));
            }
            found
        }
        number => number.parse::<u32>().ok().and_then(|number| number.checked_sub(1)),
    };
    match number.filter(|number| *number < of) {
        Some(number) => Ok(Shard { number, of }),
        None => Err(wrong("count parts from 1; jobs of an array as many as parts")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_by_number_and_by_the_environment() {
        let none = |_: &str| None;
        assert_eq!(parse_with("3/8", none), Ok(Shard { number: 2, of: 8 }));
        for wrong in ["", "3", "0/8", "9/8", "1/0", "1/5000", "auto/8", "x/8", "1/8/9"] {
            assert!(parse_with(wrong, none).is_err(), "{wrong}");
        }
        let slurm = |name: &str| match name {
            "SLURM_ARRAY_TASK_ID" => Some("12".to_owned()),
            "SLURM_ARRAY_TASK_MIN" => Some("10".to_owned()),
            _ => None,
        };
        assert_eq!(parse_with("auto/8", slurm), Ok(Shard { number: 2, of: 8 }));
        let kubernetes = |name: &str| (name == "JOB_COMPLETION_INDEX").then(|| "7".to_owned());
        assert_eq!(parse_with("auto/8", kubernetes), Ok(Shard { number: 7, of: 8 }));
        assert!(parse_with("auto/7", kubernetes).is_err());
    }
}
