// SPDX-License-Identifier: MIT OR Apache-2.0
//! All values below a table: what `key = value` pairs set.

use crate::{InputError, Item, Table};

impl<'d> Table<'d> {
    /// The values below the table that are no tables, or empty ones, each with its dotted key after `prefix`; empty for keys that begin
    /// below this table. In the order of the file; all keys count as asked for.
    ///
    /// # Errors
    /// None that a parsed document could cause.
    pub fn leaves(&self, prefix: &str) -> Result<Vec<(String, Item<'d>)>, InputError> {
        self.note_any_keys();
        let mut found = Vec::new();
        for (key, item) in self.keys().filter_map(|key| Some((key, self.peek(key)?))) {
            let path = match prefix {
                "" => key.to_owned(),
                _ => format!("{prefix}.{key}"),
            };
            let below = match item.as_table() {
                Some(table) => table.leaves(&path)?,
                None => Vec::new(),
            };
            match below.is_empty() {
                true => found.push((path, item)),
                false => found.extend(below),
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::Document;

    #[test]
    fn values_at_every_depth_with_their_keys() {
        let text = "a = 1\n[b]\nc = [2]\n[b.d]\ne = \"x\"\n[f.g]\n";
        let document = Document::parse("f.toml", text).expect("is TOML");
        let keys = |prefix: &str| -> Vec<(String, String)> {
            let leaves = document.root().leaves(prefix).expect("has values");
            leaves.into_iter().map(|(key, item)| (key, item.to_toml())).collect()
        };
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let all = [
            pair("a", "1"),
            pair("b.c", "[2]"),
            pair("b.d.e", "\"x\""),
            pair("f.g", "{ }"),
        ];
        assert_eq!(keys(""), all);
        assert_eq!(keys("m")[2], pair("m.b.d.e", "\"x\""));
        let root = document.root();
        root.leaves("").expect("has values");
        assert_eq!(root.finish(), Ok(()), "every key is known");
    }
}
