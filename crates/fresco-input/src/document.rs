// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TOML file as a tree that remembers its lines.

use crate::node::{Entries, Entry, Node, Placer, Value, entries};
use crate::{InputError, Item, Table};
use toml::de::DeTable;

/// A parsed file, to be read through [`Document::root`].
///
/// ```
/// use fresco_input::Document;
///
/// let mut document = Document::parse("machine.toml", "[core]\nclock = \"2.8 GHz\"\nmhsrs = 10\n")?;
/// assert_eq!(document.toml_at("core.clock").as_deref(), Some("\"2.8 GHz\""));
/// document.set("core.clock=3 GHz")?; // as --set on a command line
/// assert_eq!(document.toml_at("core.clock").as_deref(), Some("\"3 GHz\""));
///
/// // An error names the file, the field and what is there in its place.
/// let core = document.root().table("core")?;
/// let error = core.integer("mshrs", 1..=64u32).expect_err("the key is misspelt");
/// assert_eq!((error.file.as_str(), error.field.as_str()), ("machine.toml", "core.mshrs"));
/// assert!(error.to_string().contains("mhsrs"));
/// # Ok::<(), fresco_input::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) file: String,
    pub(crate) entries: Entries,
}

impl Document {
    /// Parses TOML. `file` is only the name that errors give.
    ///
    /// # Errors
    /// The first breach of TOML's syntax, with its line, or an integer beyond 128 bits.
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let placer = Placer::lines(text);
        let table = DeTable::parse(text).map_err(|fault| {
            let offset = fault.span().map_or(0, |span| span.start);
            let found = match duplicate(text, &fault) {
                Some(key) => format!("not TOML: duplicate key {key:?}"),
                None => format!("not TOML: {}", fault.message()),
            };
            let error = placer.at(offset).error(file, found);
            error
                .allowed("TOML 1.0 (https://toml.io)")
                .help(syntax_cure(fault.message()))
        })?;
        Ok(Self {
            file: file.to_owned(),
            entries: entries(table.get_ref(), file, &placer)?,
        })
    }

    /// The same with an empty table in place of the one of this key, where there is one.
    #[must_use]
    pub fn emptied(&self, key: &str) -> Self {
        let kept = |entry: &Entry| match (&entry.node.value, entry.key == key) {
            (Value::Table(_), true) => Entry {
                key: entry.key.clone(),
                node: Node {
                    place: entry.node.place.clone(),
                    value: Value::Table(Entries::default()),
                },
            },
            _ => entry.clone(),
        };
        Self {
            file: self.file.clone(),
            entries: Entries(self.entries.0.iter().map(kept).collect()),
        }
    }

    /// The value at a dotted key as TOML; `None` if there is none. An integer in the key is an index into a list.
    pub fn toml_at(&self, key: &str) -> Option<String> {
        let (mut table, mut item) = (Some(self.root()), None::<Item<'_>>);
        for segment in key.split('.') {
            let next: Item<'_> = match (&table, &item) {
                (Some(table), _) => table.peek(segment)?,
                (None, Some(list)) => list.as_list()?.get(segment.parse::<usize>().ok()?)?.clone(),
                (None, None) => return None,
            };
            table = next.as_table();
            item = Some(next);
        }
        item.map(|item| item.to_toml())
    }

    /// The name that errors give.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The top-level table.
    pub fn root(&self) -> Table<'_> {
        Table::root(self)
    }
}

/// The key that stands twice, if that is the fault.
fn duplicate<'t>(text: &'t str, fault: &toml::de::Error) -> Option<&'t str> {
    let key = text.get(fault.span()?)?.trim();
    (fault.message().contains("duplicate key") && !key.is_empty()).then(|| crate::node::cut(key))
}

/// What to do about the parser's commonest complaints.
fn syntax_cure(message: &str) -> &'static str {
    if ["must be quoted", "invalid boolean"]
        .iter()
        .any(|part| message.contains(part))
    {
        "put a text between double quotes; write the value on the same line as its key"
    } else if message.contains("duplicate key") {
        "remove or rename one of the two"
    } else if message.contains("unclosed") {
        "close the bracket, brace or quote that was opened"
    } else if message.contains("recurs") {
        "nest less deeply"
    } else {
        "mend this line"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (Option<u32>, String) {
        let error = Document::parse("f.toml", text).expect_err("is not TOML");
        (error.line, error.to_string())
    }

    #[test]
    fn syntax_errors_name_their_line() {
        assert_eq!(fault("a = 1\nb = hello\n").0, Some(2));
        assert_eq!(fault("a = 1\n\na = 2").0, Some(3));
        assert_eq!(fault("a = 1\r\nb = [1,").0, Some(2));
        let (line, twice) = fault("[core]\nwindow = 64\nwindow = 32\n");
        assert_eq!(line, Some(3));
        assert!(twice.contains("duplicate key \"window\""), "{twice}");
        assert!(
            fault("a = 1\nb = hello\n")
                .1
                .contains("help: put a text between double quotes")
        );
    }

    #[test]
    fn values_are_found_by_their_keys() {
        let doc = Document::parse("f.toml", "a.b = 'x'\n[[task]]\ncores = [4, 5]\n").expect("is TOML");
        let at = |key: &str| doc.toml_at(key);
        assert_eq!(at("a.b").as_deref(), Some("\"x\""));
        assert_eq!(at("task.0.cores.1").as_deref(), Some("5"));
        for absent in ["b", "a.b.c", "task.1.cores", "task.x", ""] {
            assert_eq!(at(absent), None, "{absent}");
        }
    }

    #[test]
    fn absurd_integers_and_depths_are_errors() {
        assert_eq!(fault(&format!("x = 1\ny = {}", "9".repeat(100))).0, Some(2));
        assert!(
            fault(&format!("y = {}", "[".repeat(100_000)))
                .1
                .contains("nest less deeply")
        );
        assert!(
            fault(&format!("a{} = 1", ".a".repeat(100_000)))
                .1
                .contains("nest less deeply")
        );
    }
}
