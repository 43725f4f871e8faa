// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists of colors as people write them: `0-3,8,10-12`.

use fresco_input::InputError;

/// Reads a list of numbers below `limit`: numbers and inclusive ranges, separated by commas, ascending, without
/// overlap and without blanks, as the kernel's `bitmap_parselist` and Xen's cache colors have it.
///
/// `source` is the file or option that the text stands in; the caller adds line and field.
///
/// # Errors
/// An empty list, anything but digits, `-` and `,`, a range that falls, numbers that do not ascend, a number that is
/// not below `limit`.
pub fn parse_list(text: &str, limit: u32, source: &str) -> Result<Vec<u32>, InputError> {
    let mut numbers: Vec<u32> = Vec::new();
    for item in text.split(',') {
        let fault = |what: &str, help: &str| {
            let found = if text.is_empty() {
                "an empty list".to_owned()
            } else {
                format!("`{}`{what}", clipped(item))
            };
            let allowed = match limit {
                0 => "nothing: there are no colors".to_owned(),
                _ => format!("a list such as `0-3,8` of numbers 0 to {}", limit - 1),
            };
            Err(InputError::new(source, found).allowed(allowed).help(help))
        };
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(first) || !digits(last) {
            let help = if item.contains([':', '/']) {
                "write out the numbers: strides and groups are not part of this list"
            } else if item.contains(char::is_whitespace) {
                "remove the blanks"
            } else {
                "write numbers and ranges, separated by single commas"
            };
            return fault("", help);
        }
        let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else {
            return fault(" is too large", "choose numbers that exist");
        };
        if last < first {
            return fault(" falls", "write the lower end of a range first");
        }
        if last >= limit {
            return fault(" does not exist", "choose numbers that exist");
        }
        if numbers.last().is_some_and(|&before| first <= before) {
            return fault(" does not ascend", "order the list, and name each number once");
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

/// Writes ascending numbers as [`parse_list`] reads them; runs of two and more become ranges.
pub fn format_list(numbers: &[u32]) -> String {
    debug_assert!(
        numbers.windows(2).all(|pair| pair[0] < pair[1]),
        "not ascending: {numbers:?}"
    );
    numbers
        .chunk_by(|a, b| b - a == 1)
        .map(|run| match run {
            [only] => only.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        })
        .collect::<Vec<_>>()
        .join(",")
}

fn clipped(item: &str) -> String {
    const MOST: usize = 40;
    let start: String = item.chars().take(MOST).collect();
    let end = if start.len() < item.len() { "…" } else { "" };
    format!("{}{end}", start.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::testing::cases;
    use proptest::prelude::*;

    #[test]
    fn reads_numbers_and_ranges() {
        assert_eq!(
            parse_list("0-3,8,10-12", 32, "--colors").unwrap(),
            [0, 1, 2, 3, 8, 10, 11, 12]
        );
        assert_eq!(parse_list("7-7", 8, "--colors").unwrap(), [7]);
        assert_eq!(format_list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(format_list(&[]), "");
    }

    #[test]
    fn refuses_with_the_cure() {
        for (text, found, help) in [
            ("", "an empty list", "separated by single commas"),
            ("0,", "``", "single commas"),
            ("0, 1", "` 1`", "remove the blanks"),
            ("0-31:2/4", "`0-31:2/4`", "strides"),
            ("-1", "`-1`", "numbers and ranges"),
            ("0x1", "`0x1`", "numbers and ranges"),
            ("3-1", "`3-1` falls", "lower end"),
            ("1,1", "`1` does not ascend", "each number once"),
            ("0-3,2-5", "`2-5` does not ascend", "order the list"),
            ("8", "`8` does not exist", "numbers that exist"),
            ("0-4294967295", "`0-4294967295` does not exist", "numbers that exist"),
            ("99999999999", "`99999999999` is too large", "numbers that exist"),
        ] {
            let error = parse_list(text, 8, "--colors").expect_err(text);
            assert_eq!(error.found, found, "{text}");
            assert!(error.help.contains(help), "{text}: {}", error.help);
            assert!(error.allowed.contains("0 to 7"), "{text}");
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn what_is_written_is_read_again(numbers: std::collections::BTreeSet<u8>) {
            prop_assume!(!numbers.is_empty());
            let numbers: Vec<u32> = numbers.into_iter().map(u32::from).collect();
            prop_assert_eq!(parse_list(&format_list(&numbers), 256, "t").unwrap(), numbers);
        }

        #[test]
        fn what_is_read_is_written_alike(text in "[0-9]{1,2}(-[0-9]{1,2})?(,[0-9]{1,2}(-[0-9]{1,2})?){0,3}") {
            if let Ok(numbers) = parse_list(&text, 100, "t") {
                prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert_eq!(parse_list(&format_list(&numbers), 100, "t").unwrap(), numbers);
            }
        }
    }
}
