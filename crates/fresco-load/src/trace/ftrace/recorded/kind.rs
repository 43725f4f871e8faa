// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a page of a program is for.

/// Kinds of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// None of those below, or not known.
    #[default]
    Other = 0,
    /// Code of the program.
    Text = 1,
    /// Data of the program's file.
    Data = 2,
    /// What grows with `brk`.
    Heap = 3,
    /// Stacks.
    Stack = 4,
    /// Code and data of libraries.
    Library = 5,
    /// Other files.
    File = 6,
    /// Private memory that is mapped: large blocks of `malloc`, arenas.
    Mapping = 7,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Other,
        Self::Text,
        Self::Data,
        Self::Heap,
        Self::Stack,
        Self::Library,
        Self::File,
        Self::Mapping,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Text => "text",
            Self::Data => "data",
            Self::Heap => "heap",
            Self::Stack => "stack",
            Self::Library => "library",
            Self::File => "file",
            Self::Mapping => "mapping",
        }
    }

    /// The one with this number.
    pub(super) fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}
