// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--shard`: which part of a sweep this runner has.

use fresco_input::InputError;
use fresco_sweep::{MOST_GROUPS, Shard};

/// Where a job of an array finds its number, and what the first one's is: Slurm's as scripts of `--slurm` number them, `--array=1-N`. An
/// array that is submitted again with some of its numbers keeps them.
const ARRAYS: [(&str, u32); 2] = [("SLURM_ARRAY_TASK_ID", 1), ("JOB_COMPLETION_INDEX", 0)];

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
        return Err(wrong(&format!(
            "write behind the stroke how many parts there are, {MOST_GROUPS} at most"
        )));
    };
    if number != "auto" {
        let number = number.parse::<u32>().ok().and_then(|number| number.checked_sub(1));
        let number = number.filter(|number| *number < of);
        return number
            .map(|number| Shard { number, of })
            .ok_or_else(|| wrong("count parts from 1"));
    }
    let Some((name, first, value)) = ARRAYS
        .iter()
        .find_map(|(name, first)| Some((name, first, variable(name)?)))
    else {
        let names = ARRAYS.map(|(name, _)| name).join(" nor ");
        let error = InputError::new(
            "--shard",
            format!("found {text:?}, and neither {names} in the environment"),
        );
        return Err(error
            .allowed("auto/N in a job of an array of Slurm or an indexed Job of Kubernetes")
            .help("write the number of the part, for example 3/8"));
    };
    let number = value.parse::<u32>().ok().and_then(|number| number.checked_sub(*first));
    let number = number.filter(|number| *number < of);
    number.map(|number| Shard { number, of }).ok_or_else(|| {
        let last = of - 1 + first;
        InputError::new(
            "--shard",
            format!("found {text:?}, and {name}={value} in the environment"),
        )
        .allowed(format!("{name} from {first} to {last}"))
        .help(format!(
            "number the array's jobs from {first} to {last}, or write the number of the part, for example 3/8"
        ))
    })
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
        // One job of an array that is submitted again: it is still the third.
        let slurm = |name: &str| match name {
            "SLURM_ARRAY_TASK_ID" | "SLURM_ARRAY_TASK_MIN" => Some("3".to_owned()),
            _ => None,
        };
        assert_eq!(parse_with("auto/8", slurm), Ok(Shard { number: 2, of: 8 }));
        let kubernetes = |name: &str| (name == "JOB_COMPLETION_INDEX").then(|| "7".to_owned());
        assert_eq!(parse_with("auto/8", kubernetes), Ok(Shard { number: 7, of: 8 }));
        for wrong in ["0", "9", "x"] {
            let slurm = |name: &str| (name == "SLURM_ARRAY_TASK_ID").then(|| wrong.to_owned());
            let error = parse_with("auto/8", slurm).expect_err(wrong);
            assert!(
                error
                    .found
                    .ends_with(&format!("SLURM_ARRAY_TASK_ID={wrong} in the environment"))
                    && error.allowed == "SLURM_ARRAY_TASK_ID from 1 to 8",
                "{error}"
            );
        }
        assert!(parse_with("auto/7", kubernetes).is_err());
    }
}
