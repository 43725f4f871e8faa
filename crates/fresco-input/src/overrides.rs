// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--set key=value`: a value given on the command line in place of the file's.

use crate::node::{Entries, Entry, Node, Place, Placer, Value, node, shorten};
use crate::{Document, InputError};
use toml::de::DeValue;

impl Document {
    /// Applies `key=value`, as written after `--set`. See [`Document::set_value`].
    ///
    /// # Errors
    /// No `=` in the text, or any error of [`Document::set_value`].
    pub fn set(&mut self, assignment: &str) -> Result<(), InputError> {
        let Some((key, value)) = assignment.split_once('=') else {
            return Err(Place::Override(shorten(assignment))
                .error("", "found no \"=\"")
                .allowed("key=value, the key with dots as in memory.controller.hit_cap")
                .help("write the key, an equals sign and the value, without blanks between"));
        };
        self.set_value(key.trim(), value.trim())
    }

    /// Sets the value at a dotted `key`. A number in the key is an index into a list (`task.0.cores`); tables that do
    /// not exist are made, and an empty table in place of a table changes nothing. The value is TOML; a bare word or number with a unit (`open`, `8 MiB`) is a text.
    ///
    /// # Errors
    /// A malformed key, an index that does not exist, a key below something that is no table, a value that begins as
    /// TOML but is not. Whether the key is known is found out when the document is read.
    pub fn set_value(&mut self, key: &str, value: &str) -> Result<(), InputError> {
        let label = shorten(&format!("{key}={value}"));
        let place = Place::Override(label.clone());
        let segments: Vec<&str> = key.split('.').collect();
        let bare = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        if !segments.iter().all(bare) || segments.len() > DEEPEST {
            return Err(place
                .error("", format!("found the key {:?}", shorten(key)))
                .allowed("names of letters, digits, \"_\" and \"-\", joined by dots")
                .help("write the key as the file's tables name it, for example memory.controller.hit_cap"));
        }
        let node = parse_value(value, &label)?;
        let (last, above) = segments.split_last().expect("split gives at least one segment");
        let mut slot = Slot::Table(&mut self.entries);
        for (depth, segment) in above.iter().enumerate() {
            slot = slot
                .descend(segment, &place)
                .map_err(|e| e.in_field(segments[..=depth].join(".")))?;
        }
        slot.assign(last, node, &place).map_err(|e| e.in_field(key))
    }
}

/// Segments a key may have; the parser's own bound on nesting is about the same.
const DEEPEST: usize = 64;

/// Something a key segment can select from.
enum Slot<'a> {
    Table(&'a mut Entries),
    List(&'a mut Vec<Node>),
    /// A value that has nothing below it, in words.
    Leaf(String),
}

impl<'a> Slot<'a> {
    fn of(node: &'a mut Node) -> Self {
        let words = node.describe();
        match &mut node.value {
            Value::Table(entries) => Self::Table(entries),
            Value::List(items) => Self::List(items),
            _ => Self::Leaf(words),
        }
    }

    /// The thing below `segment`; a table that does not exist is made.
    fn descend(self, segment: &str, place: &Place) -> Result<Slot<'a>, InputError> {
        match self {
            Self::Table(entries) => {
                if entries.get(segment).is_none() {
                    let node = Node {
                        place: place.clone(),
                        value: Value::Table(Entries::default()),
                    };
                    entries.0.push(Entry {
                        key: segment.to_owned(),
                        node,
                    });
                }
                Ok(Slot::of(entries.get_mut(segment).expect("found or just made")))
            }
            Self::List(items) => Ok(Slot::of(element(items, segment, place)?)),
            Self::Leaf(found) => Err(below_leaf(&found, place)),
        }
    }

    fn assign(self, segment: &str, node: Node, place: &Place) -> Result<(), InputError> {
        match self {
            Self::Table(entries) => match entries.get_mut(segment) {
                // An empty table takes nothing away: `{}` says that the table is there, as its header in a file does.
                Some(old) if matches!((&old.value, &node.value), (Value::Table(_), Value::Table(new)) if new.0.is_empty()) =>
                    {}
                Some(old) => *old = node,
                None => entries.0.push(Entry {
                    key: segment.to_owned(),
                    node,
                }),
            },
            Self::List(items) => *element(items, segment, place)? = node,
            Self::Leaf(found) => return Err(below_leaf(&found, place)),
        }
        Ok(())
    }
}

fn element<'a>(items: &'a mut [Node], segment: &str, place: &Place) -> Result<&'a mut Node, InputError> {
    let count = items.len();
    let index = segment.parse::<usize>().ok().filter(|index| *index < count);
    index.map(|index| &mut items[index]).ok_or_else(|| {
        let allowed = match count {
            0 => "nothing: the list is empty".to_owned(),
            _ => format!("an index from 0 to {}", count - 1),
        };
        place
            .error("", format!("found {segment:?} as an index into a list"))
            .allowed(allowed)
            .help("name an element that exists")
    })
}

fn below_leaf(found: &str, place: &Place) -> InputError {
    place
        .error("", format!("found {found}, which has nothing below it"))
        .allowed("a table or a list before the dot")
        .help("shorten the key")
}

/// The value of the override that errors call `label`: TOML if it is TOML; text unless it was clearly meant to be TOML.
fn parse_value(text: &str, label: &str) -> Result<Node, InputError> {
    let place = Place::Override(label.to_owned());
    match DeValue::parse(text) {
        Ok(value) => node(value.get_ref(), place, "", &Placer::Override(label.to_owned())),
        Err(fault) if text.starts_with(['[', '{', '"', '\'']) => Err(place
            .error("", format!("found a value that is not TOML: {}", fault.message()))
            .allowed("a TOML value, or a bare word")
            .help("close what was opened; mind that the shell removes quotes")),
        Err(_) => Ok(Node {
            place,
            value: Value::Text(text.to_owned()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str =
        "cores = 4\n[memory]\npage = \"open\"\nbits = [1, 2]\n[[task]]\nname = \"a\"\n[[task]]\nname = \"b\"\n";

    fn document() -> Document {
        Document::parse("f.toml", FILE).expect("is TOML")
    }

    fn refused(assignment: &str) -> String {
        document().set(assignment).expect_err("is refused").to_string()
    }

    #[test]
    fn values_replace_and_tables_are_made() {
        let mut doc = document();
        for assignment in [
            "cores=8",
            "memory.page=closed",
            "memory.bits.1=7",
            "task.1.name=z",
            "new.table.size=8 MiB",
        ] {
            doc.set(assignment).unwrap_or_else(|e| panic!("{e}"));
        }
        let root = doc.root();
        assert_eq!(root.integer("cores", 1..=64u32), Ok(8));
        let memory = root.table("memory").expect("is a table");
        assert_eq!(memory.text("page").as_deref(), Ok("closed"));
        assert_eq!(memory.numbers("bits", 0..=63), Ok(vec![1, 7]));
        let tasks = root.array_of_tables("task").expect("is a list of tables");
        assert_eq!((tasks.len(), tasks[1].text("name").as_deref()), (2, Ok("z")));
        let made = root.table("new").and_then(|t| t.table("table")).expect("was made");
        assert_eq!(made.size("size", 0..=1 << 30), Ok(8 << 20));
    }

    #[test]
    fn the_place_of_a_later_error_is_the_option() {
        let mut doc = document();
        doc.set("cores=many").expect("any word is a text");
        let error = doc.root().integer("cores", 1..=64u32).expect_err("is no integer");
        assert_eq!((error.file.as_str(), error.line), ("--set cores=many", None));
    }

    #[test]
    fn malformed_assignments_are_refused() {
        assert!(refused("cores").starts_with("--set cores: found no \"=\""));
        assert!(refused("a..b=1").contains("found the key \"a..b\""));
        assert!(refused("=1").contains("found the key \"\""));
        assert!(refused("task.2.name=c").contains("allowed: an index from 0 to 1"));
        assert!(refused("task.first.name=c").contains("found \"first\" as an index"));
        assert!(refused("cores.x=1").contains("cores.x: found the integer 4, which has nothing below it"));
        assert!(refused("memory.bits=[1,").contains("not TOML"));
    }

    proptest! {
        #[test]
        fn no_text_panics(assignment in "\\PC{0,40}", key in "(task|memory|cores|bits|[0-9]|\\.){1,6}", value in "\\PC{0,12}") {
            let _ = document().set(&assignment);
            let _ = document().set_value(&key, &value);
        }
    }
}
