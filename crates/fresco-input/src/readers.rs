// SPDX-License-Identifier: MIT OR Apache-2.0
//! The typed readers of a table: each reads one key, as the reader of the same name on [`Item`] reads one value.

use crate::asked::{is_listened, note};
use crate::{Asked, InputError, Item, Shape, Table};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Two methods for each kind of value: one for a key that must be present, one (`opt_`) for a key that may be absent.
macro_rules! readers {
    ($($what:literal: $name:ident, $opt:ident($($arg:ident: $arg_type:ty)?) -> $result:ty;)*) => {
        impl<'d> Table<'d> {
            $(
                #[doc = concat!($what, ". See [`Item::", stringify!($name), "`].")]
                ///
                /// # Errors
                /// The key is missing, or its value is not of this kind.
                pub fn $name(&self, key: &str $(, $arg: $arg_type)?) -> Result<$result, InputError> {
                    self.required(key, |item| item.$name($($arg)?))
                }

                #[doc = concat!($what, ", or `None` if the key is absent. See [`Item::", stringify!($name), "`].")]
                ///
                /// # Errors
                /// The value is not of this kind.
                pub fn $opt(&self, key: &str $(, $arg: $arg_type)?) -> Result<Option<$result>, InputError> {
                    self.optional(key, |item| item.$name($($arg)?))
                }
            )*
        }
    };
}

readers! {
    "A text": text, opt_text() -> &'d str;
    "`true` or `false`": boolean, opt_boolean() -> bool;
    "A power of two within `range`": power_of_two, opt_power_of_two(range: RangeInclusive<u32>) -> u32;
    "A size in bytes": size, opt_size(range: RangeInclusive<u64>) -> u64;
    "A time in picoseconds": duration, opt_duration(range: RangeInclusive<u64>) -> u64;
    "A time in whole nanoseconds, `range` in picoseconds": whole_ns, opt_whole_ns(range: RangeInclusive<u64>) -> u64;
    "A frequency in hertz": frequency, opt_frequency(range: RangeInclusive<u64>) -> u64;
    "A bandwidth in bytes per second": bandwidth, opt_bandwidth(range: RangeInclusive<u64>) -> u64;
    "A share of the whole in parts per million": fraction, opt_fraction() -> u32;
    "Whole numbers such as `\"0-3,8\"`": numbers, opt_numbers(range: RangeInclusive<u32>) -> Vec<u32>;
    "The elements of a list": list, opt_list() -> Vec<Item<'d>>;
    "A table": table, opt_table() -> Table<'d>;
}

impl<'d> Table<'d> {
    /// An integer within `range`. See [`Item::integer`].
    ///
    /// # Errors
    /// The key is missing, or its value is no integer within `range`.
    pub fn integer<T>(&self, key: &str, range: RangeInclusive<T>) -> Result<T, InputError>
    where
        T: Copy + Display + Into<i128> + TryFrom<i128>,
    {
        self.required(key, |item| item.integer(range))
    }

    /// An integer within `range`, or `None` if the key is absent. See [`Item::integer`].
    ///
    /// # Errors
    /// The value is no integer within `range`.
    pub fn opt_integer<T>(&self, key: &str, range: RangeInclusive<T>) -> Result<Option<T>, InputError>
    where
        T: Copy + Display + Into<i128> + TryFrom<i128>,
    {
        self.optional(key, |item| item.integer(range))
    }

    /// The value that the named choice stands for. See [`Item::choice`].
    ///
    /// # Errors
    /// The key is missing, or its value is none of `choices`.
    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<T, InputError> {
        self.required(key, |item| item.choice(choices))
    }

    /// The value that the named choice stands for, or `None` if the key is absent. See [`Item::choice`].
    ///
    /// # Errors
    /// The value is none of `choices`.
    pub fn opt_choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<Option<T>, InputError> {
        self.optional(key, |item| item.choice(choices))
    }

    /// A list of texts; empty if the key is absent.
    ///
    /// # Errors
    /// The value is no list, or one of its elements is no text.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, InputError> {
        let Some(items) = self.opt_list(key)? else {
            self.note_elements(key, Shape::Text);
            return Ok(Vec::new());
        };
        items.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    /// The tables written `[[key]]`; empty if there are none.
    ///
    /// # Errors
    /// The value is no list of tables.
    pub fn array_of_tables(&self, key: &str) -> Result<Vec<Table<'d>>, InputError> {
        let Some(item) = self.opt_item(key) else {
            self.note_elements(key, Shape::Table);
            return Ok(Vec::new());
        };
        let help = |error: InputError| {
            let path = item.path();
            error
                .allowed("a list of tables")
                .help(format!("head each table with [[{path}]], in double brackets"))
        };
        item.list()
            .map_err(help)?
            .iter()
            .map(|element| element.table().map_err(help))
            .collect()
    }

    /// Tells who listens what the elements of an absent list would be.
    fn note_elements(&self, key: &str, shape: Shape) {
        if is_listened() {
            let path = self.path_of(key);
            note(self.file(), &path, || Asked::Value(Shape::List));
            note(self.file(), &format!("{path}.0"), || Asked::Value(shape));
        }
    }
}
