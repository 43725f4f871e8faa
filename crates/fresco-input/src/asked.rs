// SPDX-License-Identifier: MIT OR Apache-2.0
//! What readers ask of a document, noted while they read it: from this, and from nothing written twice, come the schemas that editors
//! complete and check files by.

use crate::quantity::Units;
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// One thing that a reader asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The name of the document.
    pub file: String,
    /// Dotted path of the key, value or table; elements of lists have numbers.
    pub path: String,
    /// What was asked.
    pub asked: Asked,
}

/// What was asked at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The table has this key.
    Key,
    /// The key may not be absent.
    Required,
    /// The table has any keys: all that are there are taken.
    AnyKeys,
    /// The table has no other keys.
    Finished,
    /// The value is of this kind, or of another one that is asked for at the same path.
    Value(Shape),
}

/// A kind of value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// A text that this regular expression matches, one of the kind that JSON Schema has.
    Like(&'static str),
    /// `true` or `false`.
    Boolean,
    /// A whole number from the first to the last.
    Integer(i128, i128),
    /// A power of two from the first to the last.
    PowerOfTwo(u32, u32),
    /// One of these texts.
    Choice(Vec<String>),
    /// A number with a unit, as a text, or without one where that is allowed.
    Quantity {
        /// What it is: `a size`.
        kind: &'static str,
        /// Names of the units, small to large.
        units: Vec<&'static str>,
        /// What a number without a unit may be, in the unit that it then has; `None` where the unit must be given.
        bare: Option<RangeInclusive<u64>>,
        /// In words, least and most.
        range: (String, String),
        /// In words, values as they are written.
        examples: &'static str,
    },
    /// Whole numbers such as `"0-3,8"`, from the first to the last.
    Numbers(u32, u32),
    /// A list.
    List,
    /// A table.
    Table,
}

thread_local! {
    static NOTES: RefCell<Option<Vec<Note>>> = const { RefCell::new(None) };
}

/// Runs `read`, and returns what readers asked meanwhile on this thread, in order. What an absent key that may be absent would have been read as
/// is among it.
///
/// ```
/// use fresco_input::{Asked, Document, Shape, listen};
///
/// let document = Document::parse("f.toml", "[core]\nwindow = 64\n")?;
/// let (read, notes) = listen(|| document.root().table("core").and_then(|core| core.opt_integer("mshrs", 1..=256u32)));
/// assert_eq!(read, Ok(None));
/// let of = |path: &str| notes.iter().filter(|note| note.path == path).map(|note| &note.asked).collect::<Vec<_>>();
/// assert_eq!(of("core"), [&Asked::Key, &Asked::Required, &Asked::Value(Shape::Table)]);
/// assert_eq!(of("core.mshrs"), [&Asked::Key, &Asked::Value(Shape::Integer(1, 256))]);
/// # Ok::<(), fresco_input::InputError>(())
/// ```
pub fn listen<T>(read: impl FnOnce() -> T) -> (T, Vec<Note>) {
    let before = NOTES.replace(Some(Vec::new()));
    let done = read();
    (done, NOTES.replace(before).unwrap_or_default())
}

/// Returns true if somebody listens.
pub(crate) fn is_listened() -> bool {
    NOTES.with_borrow(Option::is_some)
}

/// Notes it, if somebody listens.
pub(crate) fn note(file: &str, path: &str, asked: impl FnOnce() -> Asked) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.push(Note {
                file: file.to_owned(),
                path: path.to_owned(),
                asked: asked(),
            });
        }
    });
}

impl Shape {
    /// That of a number with one of `units`, within `range` in the smallest of them.
    pub(crate) fn quantity(units: &Units, range: &RangeInclusive<u64>) -> Self {
        let (least, most) = (*range.start(), *range.end());
        Self::Quantity {
            kind: units.kind,
            units: units.table.iter().map(|(name, _)| *name).collect(),
            bare: units.bare.map(|worth| least.div_ceil(worth)..=most / worth),
            range: (units.format(least), units.format(most)),
            examples: units.examples,
        }
    }
}
