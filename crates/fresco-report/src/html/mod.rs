// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as one HTML file: no script, no font, no picture from elsewhere; readable on a phone, in the dark, on paper.

mod render;

use crate::plot::Svg;
use crate::{Provenance, ReportError, Table, Tone};
use serde::Serialize;

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph of plain text.
    Paragraph(String),
    /// A list of plain text items.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A figure with a line of text under it (may be empty).
    Figure(Svg, String),
    /// Raw data as JSON text, folded away behind its name.
    Json(String, String),
    /// Lines that unfold.
    Entries(Vec<Entry>),
}

/// A line, with what it says in more words folded away behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// A word in front, which the eye finds.
    pub mark: (String, Tone),
    /// The line.
    pub line: String,
    /// What a reader looks at next, in fewer words; may be empty.
    pub aside: String,
    /// What unfolds: names and texts.
    pub facts: Vec<(String, String)>,
}

/// A part of the report with its heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Heading.
    pub heading: String,
    /// Content, from top to bottom.
    pub blocks: Vec<Block>,
    /// It is a part of the section before it, and does not stand in the contents.
    pub is_part: bool,
}

impl Section {
    /// An empty section.
    pub fn new(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            ..Self::default()
        }
    }

    /// Makes it a part of the section before it.
    #[must_use]
    pub fn part(mut self) -> Self {
        self.is_part = true;
        self
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn paragraph(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Paragraph(text.into()));
        self
    }

    /// Adds a list.
    #[must_use]
    pub fn list(mut self, items: Vec<String>) -> Self {
        self.blocks.push(Block::List(items));
        self
    }

    /// Adds a table.
    #[must_use]
    pub fn table(mut self, table: Table) -> Self {
        self.blocks.push(Block::Table(table));
        self
    }

    /// Adds lines that unfold; nothing if there are none.
    #[must_use]
    pub fn entries(mut self, entries: Vec<Entry>) -> Self {
        if !entries.is_empty() {
            self.blocks.push(Block::Entries(entries));
        }
        self
    }

    /// Adds a figure with a caption.
    #[must_use]
    pub fn figure(mut self, figure: Svg, caption: impl Into<String>) -> Self {
        self.blocks.push(Block::Figure(figure, caption.into()));
        self
    }

    /// Adds `data` as folded JSON under `name`.
    ///
    /// # Errors
    /// `data` is not expressible as JSON.
    pub fn json<T: Serialize>(mut self, name: impl Into<String>, data: &T) -> Result<Self, ReportError> {
        let text = serde_json::to_string_pretty(data).map_err(|error| ReportError::Json(error.to_string()))?;
        self.blocks.push(Block::Json(name.into(), text));
        Ok(self)
    }
}

/// A report: title, a few words, sections, and at the end what was run.
#[derive(Clone, Debug, PartialEq)]
pub struct HtmlReport {
    /// Title.
    pub title: String,
    /// What the reader should take away, in a sentence or two; may be empty.
    pub lead: String,
    /// Sections, in order.
    pub sections: Vec<Section>,
    /// What was run.
    pub provenance: Provenance,
}

impl HtmlReport {
    /// A report without sections.
    pub fn new(title: impl Into<String>, lead: impl Into<String>, provenance: Provenance) -> Self {
        Self {
            title: title.into(),
            lead: lead.into(),
            sections: Vec::new(),
            provenance,
        }
    }

    /// The whole file. The same report gives the same bytes.
    pub fn to_html(&self) -> String {
        render::page(self)
    }

    /// The same as PDF: A4, figures by their captions alone; `foot` stands at the foot of each page. The same report gives the same bytes.
    pub fn to_pdf(&self, foot: &str) -> Vec<u8> {
        crate::pdf::of(self, foot)
    }
}
