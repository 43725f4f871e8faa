// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading a table key by key, and refusing the keys nobody asked for.

use crate::asked::{Asked, is_listened, note};
use crate::node::{Entries, Node, Place, Value};
use crate::suggest::closest;
use crate::{Document, InputError, Item};
use std::cell::RefCell;

/// A value of the one kind that no reader takes: stands for an absent one, to ask a reader what it allows.
static UNREADABLE: Node = Node {
    place: Place::Line(0),
    value: Value::Date(String::new()),
};

/// A cursor over one table. Every key that is asked for counts as known; [`Table::finish`] refuses the others.
#[derive(Debug)]
pub struct Table<'d> {
    file: &'d str,
    path: String,
    place: Option<&'d Place>,
    entries: &'d Entries,
    known: RefCell<Vec<String>>,
}

impl<'d> Table<'d> {
    pub(crate) fn root(document: &'d Document) -> Self {
        Self::new(&document.file, String::new(), None, &document.entries)
    }

    pub(crate) fn new(file: &'d str, path: String, place: Option<&'d Place>, entries: &'d Entries) -> Self {
        Self {
            file,
            path,
            place,
            entries,
            known: RefCell::default(),
        }
    }

    /// Dotted path of the table; empty for the whole file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The keys present, in the order of the file. They do not count as asked for.
    pub fn keys(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        self.entries.0.iter().map(|entry| entry.key.as_str())
    }

    /// Returns true if the key is present. It counts as a known key from then on.
    pub fn has(&self, key: &str) -> bool {
        self.opt_item(key).is_some()
    }

    /// An error about the table as a whole.
    pub fn error(&self, found: impl Into<String>) -> InputError {
        let error = match self.place {
            Some(place) => place.error(self.file, found),
            None => InputError::new(self.file, found),
        };
        error.in_field(self.path.clone())
    }

    /// An error about `key`, at its line; at the table's line if it is absent.
    pub fn error_at(&self, key: &str, found: impl Into<String>) -> InputError {
        let error = match self.entries.get(key) {
            Some(node) => node.place.error(self.file, found),
            None => self.error(found),
        };
        error.in_field(self.path_of(key))
    }

    pub(crate) fn file(&self) -> &'d str {
        self.file
    }

    pub(crate) fn path_of(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    /// The value of `key`, if present.
    pub fn opt_item(&self, key: &str) -> Option<Item<'d>> {
        if is_listened() {
            note(self.file, &self.path_of(key), || Asked::Key);
        }
        self.peek(key)
    }

    /// The same, of a key that nobody was told of before it was found.
    pub(crate) fn peek(&self, key: &str) -> Option<Item<'d>> {
        let mut known = self.known.borrow_mut();
        if !known.iter().any(|name| name == key) {
            known.push(key.to_owned());
        }
        self.entries.get(key).map(|node| Item {
            file: self.file,
            path: self.path_of(key),
            node,
        })
    }

    /// Notes that all keys of the table are taken, whatever they are.
    pub(crate) fn note_any_keys(&self) {
        note(self.file, &self.path, || Asked::AnyKeys);
    }

    /// The value of `key`; `allowed` is what the error says may stand there.
    ///
    /// # Errors
    /// The key is missing; a key that looks like a misspelling of it is named.
    pub fn item(&self, key: &str, allowed: &str) -> Result<Item<'d>, InputError> {
        let item = self.opt_item(key);
        self.note_required(key);
        item.ok_or_else(|| self.missing(key, allowed))
    }

    fn note_required(&self, key: &str) {
        if is_listened() {
            note(self.file, &self.path_of(key), || Asked::Required);
        }
    }

    /// Stands for the value of a key that is absent.
    fn absent(&self, key: &str) -> Item<'d> {
        Item {
            file: self.file,
            path: self.path_of(key),
            node: &UNREADABLE,
        }
    }

    /// What `read` makes of the value of `key`, if it is present. If it is not, who listens hears what `read` would take.
    pub(crate) fn optional<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Item<'d>) -> Result<T, InputError>,
    ) -> Result<Option<T>, InputError> {
        match self.opt_item(key) {
            Some(item) => read(&item).map(Some),
            None if is_listened() => {
                // An error, as nothing reads this value.
                let _ = read(&self.absent(key));
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// What `read` makes of the value of `key`. If there is none, the error takes what is allowed from `read` itself.
    pub(crate) fn required<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Item<'d>) -> Result<T, InputError>,
    ) -> Result<T, InputError> {
        let item = self.opt_item(key);
        self.note_required(key);
        if let Some(item) = item {
            return read(&item);
        }
        let allowed = read(&self.absent(key)).err().map(|error| error.allowed.clone());
        Err(self.missing(key, &allowed.unwrap_or_default()))
    }

    fn missing(&self, key: &str, allowed: &str) -> InputError {
        let known = self.known.borrow();
        let stray = self.keys().filter(|name| !known.iter().any(|k| k == name));
        let path = self.path_of(key);
        let help = match closest(key, stray) {
            Some(name) => format!("did you mean {key:?} where {name:?} is written?"),
            None if allowed == crate::item::A_TABLE => format!("add a table headed [{path}]"),
            None if self.path.is_empty() => format!("add {key} = … before the first table"),
            None => format!("add {key} = … to {}", heading(&self.path)),
        };
        self.error_at(key, "missing").allowed(allowed).help(help)
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// A key that was never asked for, with the known ones and the nearest of them.
    pub fn finish(self) -> Result<(), InputError> {
        note(self.file, &self.path, || Asked::Finished);
        let known = self.known.borrow();
        let Some(entry) = self.entries.0.iter().find(|entry| !known.contains(&entry.key)) else {
            return Ok(());
        };
        let absent = known
            .iter()
            .map(String::as_str)
            .filter(|name| self.entries.get(name).is_none());
        let help = match closest(&entry.key, absent) {
            Some(name) => format!("did you mean {name:?}?"),
            None => "remove it, or move it to the table it belongs to".to_owned(),
        };
        let allowed = if known.is_empty() {
            "no keys".to_owned()
        } else {
            known.join(", ")
        };
        Err(self.error_at(&entry.key, "unknown key").allowed(allowed).help(help))
    }
}

/// The heading under which the keys of the table at `path` stand; elements of lists have no numbers there.
fn heading(path: &str) -> String {
    let is_number = |segment: &str| segment.bytes().all(|byte| byte.is_ascii_digit());
    let names: Vec<&str> = path.split('.').filter(|segment| !is_number(segment)).collect();
    match path.rsplit('.').next().is_some_and(is_number) {
        true => format!("this [[{}]]", names.join(".")),
        false => format!("[{}]", names.join(".")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::parse("f.toml", text).expect("is TOML")
    }

    #[test]
    fn an_unknown_key_is_refused_with_a_suggestion() {
        let doc = document("cores = 4\n[core]\nwindow = 128\nmhsrs = 10\n");
        let core = doc.root().table("core").expect("is a table");
        assert_eq!(core.integer("window", 1..=512u32), Ok(128));
        assert_eq!(core.opt_integer("mshrs", 1..=64u32), Ok(None));
        let error = core.finish().expect_err("mhsrs is unknown").to_string();
        assert_eq!(
            error,
            "f.toml:4: core.mhsrs: unknown key\n  allowed: window, mshrs\n  help: did you mean \"mshrs\"?"
        );
    }

    #[test]
    fn a_missing_key_that_was_misspelt_is_found() {
        let doc = document("title = \"x\"\ncors = 4\n[core]\n");
        let error = doc
            .root()
            .integer("cores", 1..=64u32)
            .expect_err("is missing")
            .to_string();
        assert_eq!(
            error,
            "f.toml: cores: missing\n  allowed: an integer from 1 to 64\n  help: did you mean \"cores\" where \"cors\" is written?"
        );
        let core = doc.root().table("core").expect("is a table");
        let error = core.text("kind").expect_err("is missing").to_string();
        assert_eq!(
            error,
            "f.toml:3: core.kind: missing\n  allowed: a text in quotes\n  help: add kind = … to [core]"
        );
        let error = core.table("map").expect_err("is missing").to_string();
        assert_eq!(
            error,
            "f.toml:3: core.map: missing\n  allowed: a table\n  help: add a table headed [core.map]"
        );
    }

    #[test]
    fn all_keys_read_is_well() {
        let doc = document("a = 1\nb = true\n");
        let root = doc.root();
        assert_eq!((root.integer("a", 0..=9u32), root.boolean("b")), (Ok(1), Ok(true)));
        assert_eq!(root.finish(), Ok(()));
    }

    #[test]
    fn tables_of_an_array_know_their_place() {
        let doc = document("[[task]]\nname = \"a\"\n[[task]]\nnane = \"b\"\n");
        let tasks = doc.root().array_of_tables("task").expect("is a list of tables");
        assert_eq!(tasks[0].text("name"), Ok("a"));
        let error = tasks[1].text("name").expect_err("is misspelt");
        assert_eq!((error.line, error.field.as_str()), (Some(3), "task.1.name"));
        let error = tasks[1].text("program").expect_err("is missing");
        assert_eq!(error.help, "add program = … to this [[task]]");
        assert!(
            doc.root()
                .array_of_tables("server")
                .expect("absent is empty")
                .is_empty()
        );
    }
}
