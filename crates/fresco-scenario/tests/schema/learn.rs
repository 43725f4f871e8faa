// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the readers take, learned by listening to them while they read every file there is, and every file with one choice made otherwise.

use fresco_input::{Asked, Document, Note, Shape, listen};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// The name of the document that is listened to; others are read meanwhile.
pub const FILE: &str = "learned.toml";

/// What may stand at one place of a file. Elements of a list have one place.
#[derive(Debug, Default)]
pub struct Place {
    pub shapes: Vec<Shape>,
    pub keys: BTreeMap<String, Place>,
    pub element: Option<Box<Place>>,
    /// All keys are taken.
    pub any_keys: bool,
    /// A reader refused all other keys.
    pub closed: bool,
    /// Tables that were read to their end, and in how many of them this key may not be absent.
    ended: usize,
    needed: usize,
    optional: bool,
}

impl Place {
    /// Returns true if no table that was read could be without the key `name`.
    pub fn needs(&self, name: &str) -> bool {
        let key = &self.keys[name];
        self.ended > 0 && key.needed == self.ended && !key.optional
    }

    /// What was asked in one reading.
    pub fn of(notes: &[Note]) -> Self {
        let mut place = Self::default();
        place.add(notes);
        place
    }

    /// Has the bounds of the integer or size at `path` differ, so that no schema has them.
    pub fn forget_bounds(&mut self, path: &str) {
        let other = |shape: &Shape| match shape {
            Shape::Integer(least, most) => Some(Shape::Integer(least - 1, most + 1)),
            Shape::Quantity {
                kind,
                units,
                bare: Some(bare),
                range,
                examples,
            } => Some(Shape::Quantity {
                kind,
                units: units.clone(),
                bare: Some(bare.start() - 1..=bare.end() + 1),
                range: range.clone(),
                examples,
            }),
            _ => None,
        };
        let shapes = &mut self.at(path).shapes;
        let others: Vec<Shape> = shapes.iter().filter_map(other).collect();
        shapes.extend(others);
    }

    fn at(&mut self, path: &str) -> &mut Self {
        let segments = path.split('.').filter(|segment| !segment.is_empty());
        segments.fold(self, |place, segment| match is_index(segment) {
            true => place.element.get_or_insert_default(),
            false => place.keys.entry(segment.to_owned()).or_default(),
        })
    }

    fn add(&mut self, notes: &[Note]) {
        // By the path of each key in this reading: may it be absent?
        let mut asked: BTreeMap<&str, bool> = BTreeMap::new();
        let mut ended: BTreeSet<&str> = BTreeSet::new();
        for note in notes {
            let place = self.at(&note.path);
            match &note.asked {
                Asked::Key => _ = asked.entry(&note.path).or_default(),
                Asked::Required => _ = asked.insert(&note.path, true),
                Asked::AnyKeys => place.any_keys = true,
                Asked::Finished => _ = ended.insert(&note.path),
                Asked::Value(shape) if !place.shapes.contains(shape) => place.shapes.push(shape.clone()),
                Asked::Value(_) => {}
            }
        }
        for path in &ended {
            let table = self.at(path);
            table.closed = true;
            table.ended += 1;
        }
        for (path, needed) in asked {
            let table = path.rsplit_once('.').map_or("", |(table, _)| table);
            let key = self.at(path);
            key.optional |= !needed;
            key.needed += usize::from(needed && ended.contains(table));
        }
    }
}

fn is_index(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_digit())
}

fn general(path: &str) -> String {
    let segments = path
        .split('.')
        .map(|segment| if is_index(segment) { "*" } else { segment });
    segments.collect::<Vec<_>>().join(".")
}

/// Texts in which one choice is tried; one that fails for another reason may be made well by the next.
const TRIES: usize = 2;

/// The same of a key of which nothing is known yet.
const TRIES_UNKNOWN: usize = 6;

/// One value of each kind: a key has them once, so that every way in which a reader takes it is asked for; the last ones only if nothing is known
/// of it yet.
const PROBES: [&str; 6] = ["1", "\"x\"", "[1]", "[\"x\"]", "[{}]", "{}"];

/// Has `read` read the texts, each with the directory of its file, and what comes of them when choices are made otherwise.
///
/// Beside what was learned it returns the texts that were right.
pub fn learn(texts: Vec<(String, PathBuf)>, read: impl Fn(&str, &Path) -> bool) -> (Place, Vec<String>) {
    let (mut learned, mut right) = (Place::default(), Vec::new());
    let mut tried: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut texts = texts;
    // What is read soon is tried first.
    texts.sort_by_key(|(text, _)| text.len());
    let mut todo = VecDeque::from(texts);
    while let Some((text, directory)) = todo.pop_front() {
        let (is_right, notes) = listen(|| read(&text, &directory));
        if is_right {
            right.push(text.clone());
        }
        let notes: Vec<Note> = notes.into_iter().filter(|note| note.file == FILE).collect();
        learned.add(&notes);
        // Each change of a sweep would read all its points anew.
        if text.contains("[sweep]") || text.contains("\nsweep") {
            continue;
        }
        let mut seen = BTreeSet::new();
        for note in notes {
            let (most, values): (usize, Vec<String>) = match &note.asked {
                Asked::Value(Shape::Choice(names)) => {
                    (TRIES, names.iter().map(|name| fresco_input::quoted(name)).collect())
                }
                Asked::Value(Shape::Boolean) => (TRIES, vec!["true".to_owned(), "false".to_owned()]),
                // Where what is beside it is wrong it is not read.
                Asked::Key if learned.at(&note.path).shapes.is_empty() => {
                    (TRIES_UNKNOWN, PROBES.map(str::to_owned).to_vec())
                }
                Asked::Key => (1, PROBES[..3].iter().map(|probe| (*probe).to_owned()).collect()),
                _ => continue,
            };
            for value in values {
                if !seen.insert((note.path.clone(), value.clone())) {
                    continue;
                }
                let count = tried.entry((general(&note.path), value.clone())).or_default();
                if *count >= most {
                    continue;
                }
                let mut document = Document::parse(FILE, &text).expect("was read");
                // A list that is absent has no element to be set.
                if document.set_value(&note.path, &value).is_ok() {
                    *count += 1;
                    let changed = document.to_toml();
                    if changed != text {
                        todo.push_back((changed, directory.clone()));
                    }
                }
            }
        }
    }
    (learned, right)
}
