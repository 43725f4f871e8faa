// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers and lists in sentences.

use fresco_report::number::fixed;

/// A count: in letters up to twelve, as print has it.
pub fn count(number: &str) -> String {
    const LETTERS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    let letters = number.parse::<usize>().ok().and_then(|number| LETTERS.get(number));
    letters.map_or_else(|| number.to_owned(), |letters| (*letters).to_owned())
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A factor, or the range that factors lie in if they are more than 5 % apart: `2.87`, `1.05 to 2.87`.
pub fn factors(low: f64, high: f64) -> String {
    if high - low <= 0.05 * low {
        fixed((low + high) / 2.0, 2)
    } else {
        format!("{} to {}", fixed(low, 2), fixed(high, 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_lists_read_well() {
        assert_eq!(
            (count("0"), count("3"), count("15")),
            ("no".into(), "three".into(), "15".into())
        );
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            (list(&words[..1]), list(&words[..2]), list(&words)),
            ("a".into(), "a and b".into(), "a, b and c".into())
        );
    }

    #[test]
    fn close_factors_are_one() {
        assert_eq!(factors(1.0, 1.04), "1.02");
        assert_eq!(factors(1.0, 2.874), "1.00 to 2.87");
    }
}
