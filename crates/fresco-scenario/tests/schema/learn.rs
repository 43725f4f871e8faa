// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the readers take, learned by listening to them while they read every file there is, and every file with one choice made otherwise.

use fresco_input::{Asked, Document, Note, Shape, listen};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

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
            // Seldom new.
            false if !place.keys.contains_key(segment) => place.keys.entry(segment.to_owned()).or_default(),
            false => place.keys.get_mut(segment).expect("is there"),
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

/// Texts that are read at the same time.
const AHEAD: usize = 64;

/// Has `read` read the texts, each with the directory of its file, and what comes of them when choices are made otherwise.
///
/// Beside what was learned it returns the texts that were right.
pub fn learn(texts: Vec<(String, PathBuf)>, read: impl Fn(&str, &Path) -> bool + Sync) -> (Place, Vec<String>) {
    let (mut learned, mut right) = (Place::default(), Vec::new());
    let mut tried = Tried::default();
    let mut texts = texts;
    // What is read soon is tried first.
    texts.sort_by_key(|(text, _)| text.len());
    let mut todo = VecDeque::from(texts);
    while !todo.is_empty() {
        // What is asked of a text does not depend on what was learned before: only what is tried next does, in the order of the texts.
        let some: Vec<(String, PathBuf)> = todo.drain(..todo.len().min(AHEAD)).collect();
        for ((text, directory), (is_right, notes)) in std::iter::zip(&some, asked(&some, &read)) {
            if is_right {
                right.push(text.clone());
            }
            learned.add(&notes);
            // Each change of a sweep would read all its points anew.
            if !text.contains("[sweep]") && !text.contains("\nsweep") {
                let changed = tried.changed(text, &notes, &mut learned);
                todo.extend(changed.into_iter().map(|text| (text, directory.clone())));
            }
        }
    }
    (learned, right)
}

/// What is asked of each text, and whether it is right; on all processors.
fn asked(texts: &[(String, PathBuf)], read: &(impl Fn(&str, &Path) -> bool + Sync)) -> Vec<(bool, Vec<Note>)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((text, directory)) = texts.get(number) else {
                return done;
            };
            let (is_right, mut notes) = listen(|| read(text, directory));
            notes.retain(|note| note.file == FILE);
            done.push((number, (is_right, notes)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("reads"))
            .collect()
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, asked)| asked).collect()
}

/// What is tried at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Values<'n> {
    Names(&'n [String]),
    Truth,
    All,
    Few,
}

impl Values<'_> {
    /// In TOML.
    fn written(self) -> Vec<Cow<'static, str>> {
        let probes = |some: &[&'static str]| some.iter().map(|probe| Cow::Borrowed(*probe)).collect();
        match self {
            Self::Names(names) => names
                .iter()
                .map(|name| Cow::Owned(fresco_input::quoted(name)))
                .collect(),
            Self::Truth => probes(&["true", "false"]),
            Self::All => probes(&PROBES),
            Self::Few => probes(&PROBES[..3]),
        }
    }

    /// In how many texts.
    fn most(self) -> usize {
        match self {
            Self::Names(_) | Self::Truth => TRIES,
            Self::All => TRIES_UNKNOWN,
            Self::Few => 1,
        }
    }
}

/// In how many texts which value was tried; elements of lists have one place.
#[derive(Default)]
struct Tried(HashMap<String, HashMap<Cow<'static, str>, usize>>);

impl Tried {
    /// The text with one choice made otherwise, for each that was not tried often enough.
    fn changed(&mut self, text: &str, notes: &[Note], learned: &mut Place) -> Vec<String> {
        let mut found = Vec::new();
        // Both readers, and each of them often, ask the same.
        let (mut looked_at, mut seen) = (HashSet::new(), HashSet::new());
        let mut document = None;
        for note in notes {
            let values = match &note.asked {
                Asked::Value(Shape::Choice(names)) => Values::Names(names),
                Asked::Value(Shape::Boolean) => Values::Truth,
                Asked::Key => Values::Few,
                _ => continue,
            };
            if !looked_at.insert((note.path.as_str(), values)) {
                continue;
            }
            // Where what is beside it is wrong it is not read.
            let is_unknown = values == Values::Few && learned.at(&note.path).shapes.is_empty();
            let values = if is_unknown { Values::All } else { values };
            let counts = self.0.entry(general(&note.path)).or_default();
            for value in values.written() {
                let count = counts.entry(value.clone()).or_default();
                if *count >= values.most() || !seen.insert((note.path.as_str(), value.clone())) {
                    continue;
                }
                // Parsed once, however much of it is changed.
                let document = document.get_or_insert_with(|| Document::parse(FILE, text).expect("was read"));
                let mut document = document.clone();
                // A list that is absent has no element to be set.
                if document.set_value(&note.path, &value).is_ok() {
                    *count += 1;
                    found.extend(Some(document.to_toml()).filter(|changed| changed != text));
                }
            }
        }
        found
    }
}
