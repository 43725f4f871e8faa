// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists of whole numbers as numactl and taskset take them: `0-3,8`.

use crate::node::{Value, shorten};
use crate::{InputError, Item, Shape};
use std::ops::RangeInclusive;

/// Numbers that one list may name; bounds what a short text such as `"0-4000000000"` can make us allocate.
const MOST_NUMBERS: u64 = 1 << 16;

impl Item<'_> {
    /// Whole numbers within `range`: one integer, a text such as `"0-3,8"` as numactl takes it, or a list of these, in
    /// the order written.
    ///
    /// # Errors
    /// Another kind of value, a number outside `range`, a range that runs backwards, a number given twice.
    pub fn numbers(&self, range: RangeInclusive<u32>) -> Result<Vec<u32>, InputError> {
        self.note(|| Shape::Numbers(*range.start(), *range.end()));
        let mut numbers = Vec::new();
        self.collect_numbers(&range, &mut numbers)?;
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self
                .error(format!("found {} twice", pair[0]))
                .allowed("each number once")
                .help("remove one")),
            None => Ok(numbers),
        }
    }

    fn collect_numbers(&self, range: &RangeInclusive<u32>, into: &mut Vec<u32>) -> Result<(), InputError> {
        match &self.node.value {
            Value::List(_) => self
                .as_list()
                .unwrap_or_default()
                .iter()
                .try_for_each(|item| item.collect_numbers(range, into)),
            Value::Text(text) => text.split(',').try_for_each(|part| {
                let (first, last) = self.range_of(part, range)?;
                if into.len() as u64 + u64::from(last - first) >= MOST_NUMBERS {
                    let error = self.error(format!("found {:?}", shorten(text)));
                    return Err(error
                        .allowed(format!("{MOST_NUMBERS} numbers at most"))
                        .help("name fewer"));
                }
                into.extend(first..=last);
                Ok(())
            }),
            _ => {
                into.push(self.read_integer(range.clone())?);
                Ok(())
            }
        }
    }

    /// One part of a list of numbers: `8`, or `0-3`.
    fn range_of(&self, part: &str, range: &RangeInclusive<u32>) -> Result<(u32, u32), InputError> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let help = match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            (Ok(first), Ok(last)) if first > last => "write the smaller number first",
            (Ok(first), Ok(last)) if range.contains(&first) && range.contains(&last) => return Ok((first, last)),
            (Ok(_), Ok(_)) => "name numbers that exist",
            _ => "write whole numbers, ranges with a dash, commas between",
        };
        let allowed = format!(
            "numbers and ranges such as \"0-3,8\", from {} to {}",
            range.start(),
            range.end()
        );
        Err(self
            .error(format!("found {:?}", shorten(part)))
            .allowed(allowed)
            .help(help))
    }
}
