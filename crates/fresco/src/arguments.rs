// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of options: what is wrong with one is told as for any other input, with what is allowed and the help.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use fresco_input::{Document, InputError, closest, quoted};
use std::ffi::OsStr;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

/// A reader of the whole numbers within `range` that `option` takes.
pub fn integer<T>(
    option: &'static str,
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, InputError> + Clone + Send + Sync + 'static
where
    T: Copy + Display + PartialOrd + Into<i128> + TryFrom<i128> + Send + Sync + 'static,
{
    move |word| {
        let help = match word.parse::<i128>() {
            Ok(number) if number < (*range.start()).into() => "write a larger number",
            Ok(number) if number > (*range.end()).into() => "write a smaller number",
            Ok(number) => match T::try_from(number) {
                Ok(number) => return Ok(number),
                Err(_) => "write a smaller number",
            },
            Err(_) if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) => "write a smaller number",
            Err(_) => "write a whole number, in digits",
        };
        Err(InputError::new(option, format!("found {word:?}"))
            .allowed(format!("an integer from {} to {}", range.start(), range.end()))
            .help(help))
    }
}

/// The time of `text`, a number with a unit, in picoseconds, as `range` is.
pub fn duration(option: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, InputError> {
    let told = |error: InputError| {
        InputError::new(option, error.found.clone())
            .allowed(error.allowed.clone())
            .help(error.help.clone())
    };
    let document = Document::parse(option, &format!("time = {}", quoted(text.trim()))).map_err(told)?;
    document.root().duration("time", range).map_err(told)
}

/// A reader of the numbers within `range` that `option` takes; `example` is one.
pub fn number(
    option: &'static str,
    range: RangeInclusive<f64>,
    example: &'static str,
) -> impl Fn(&str) -> Result<f64, InputError> + Clone + Send + Sync + 'static {
    move |word| {
        let help = match word.parse::<f64>() {
            Ok(number) if range.contains(&number) => return Ok(number),
            Ok(number) if number < *range.start() => "write a larger number".to_owned(),
            Ok(number) if number > *range.end() => "write a smaller number".to_owned(),
            _ => format!("write a number, such as {example}"),
        };
        Err(InputError::new(option, format!("found {word:?}"))
            .allowed(format!("a number from {} to {}", range.start(), range.end()))
            .help(help))
    }
}

/// A reader of one of the named `choices`, which shells complete.
pub fn choice<T: Copy + Send + Sync + 'static>(
    option: &'static str,
    choices: &'static [(&'static str, T)],
) -> Choice<impl Fn(&str) -> Result<T, InputError> + Clone + Send + Sync + 'static> {
    let read = move |word: &str| {
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == word) {
            return Ok(*value);
        }
        let names = || choices.iter().map(|(name, _)| *name);
        let help = match closest(word, names()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "choose one of these".to_owned(),
        };
        Err(InputError::new(option, format!("found {word:?}"))
            .allowed(names().collect::<Vec<_>>().join(", "))
            .help(help))
    };
    listed(read, choices.iter().map(|(name, _)| *name))
}

/// A reader that takes these names, which shells complete.
pub fn listed<F>(read: F, names: impl IntoIterator<Item = &'static str>) -> Choice<F> {
    Choice {
        read,
        names: names.into_iter().collect(),
    }
}

/// Completions are being made: [`Choice`] tells its names. Help and manual pages have them in words, and not once more.
pub static COMPLETING: AtomicBool = AtomicBool::new(false);

/// A reader of words, and the words.
#[derive(Clone)]
pub struct Choice<F> {
    read: F,
    names: Vec<&'static str>,
}

impl<T, F> TypedValueParser for Choice<F>
where
    T: Clone + Send + Sync + 'static,
    F: Fn(&str) -> Result<T, InputError> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        TypedValueParser::parse_ref(&self.read, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = self.names.iter().map(|name| PossibleValue::new(*name));
        COMPLETING
            .load(Ordering::Relaxed)
            .then(|| Box::new(values) as Box<dyn Iterator<Item = PossibleValue> + '_>)
    }
}

/// `KEY=VALUE` of a `--set`.
pub fn key_value(text: &str) -> Result<(String, String), InputError> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(InputError::new(format!("--set {text}"), "found no \"=\"")
            .allowed("KEY=VALUE, the key with dots as in memory.controller.hit_cap")
            .help("write the key, an equals sign and the value, without blanks between"));
    };
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// A number of instructions or accesses: digits, and k, M or G for thousands, millions and milliards of them.
pub fn count(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(['k', 'M', 'G']);
    let factor = match &text[digits.len()..] {
        "" => Some(1u64),
        "k" => Some(1_000),
        "M" => Some(1_000_000),
        "G" => Some(1_000_000_000),
        _ => None,
    };
    let number = digits.parse::<u64>().ok();
    let count = factor.and_then(|factor| number?.checked_mul(factor));
    count.ok_or_else(|| "a number such as 2500000, 500k, 20M or 3G is wanted".to_owned())
}

/// As [`count`], but not 0.
///
/// # Errors
/// In words, what is wanted.
pub fn one_at_least(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("1 at least is wanted".to_owned()),
        count => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_point() {
        let read = number("--noise", 0.0..=1e6, "2.5");
        assert_eq!((read("0"), read("1e6")), (Ok(0.0), Ok(1e6)));
        for (word, help) in [
            ("-1", "write a larger number"),
            ("1e308", "write a smaller number"),
            ("1e999", "write a smaller number"),
            ("nan", "write a number, such as 2.5"),
            ("abc", "write a number, such as 2.5"),
        ] {
            let error = read(word).expect_err(word);
            assert_eq!(
                (error.help.as_str(), error.allowed.as_str()),
                (help, "a number from 0 to 1000000"),
                "{word}"
            );
        }
    }

    #[test]
    fn numbers_at_the_ends_of_their_range() {
        let read = integer("--seed", 0..=u32::MAX);
        assert_eq!(read("0"), Ok(0));
        assert_eq!(read("4294967295"), Ok(u32::MAX));
        for (word, help) in [
            ("-1", "write a larger number"),
            ("4294967296", "write a smaller number"),
            (&"9".repeat(60), "write a smaller number"),
            ("abc", "write a whole number, in digits"),
            ("", "write a whole number, in digits"),
            ("1.5", "write a whole number, in digits"),
        ] {
            let error = read(word).expect_err(word);
            assert_eq!((error.file.as_str(), error.help.as_str()), ("--seed", help), "{word}");
            assert_eq!(error.allowed, "an integer from 0 to 4294967295");
        }
    }

    #[test]
    fn numbers_of_instructions() {
        assert_eq!(
            ["0", "2500000", "500k", "20M", "3G"].map(|text| count(text).ok()),
            [
                Some(0),
                Some(2_500_000),
                Some(500_000),
                Some(20_000_000),
                Some(3_000_000_000)
            ]
        );
        for text in ["", "k", "1.5M", "20Mk", "-1", "99999999999G"] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
