// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages of paper that fill from the top: text and rules, in points from the lower left corner.

use super::letters::{Face, encoded, width};
use crate::Tone;
use pdf_writer::{Content, Name, Str};

/// A4, in points.
pub(super) const PAPER: (f32, f32) = (595.28, 841.89);
/// From the edges of the paper to the text.
pub(super) const MARGIN: f32 = 48.0;
/// From the lower edge to the foot.
const FOOT: f32 = 28.0;
/// Names of the fonts in the resources of each page.
pub(super) const FONTS: [(Face, Name<'static>, Name<'static>); 2] = [
    (Face::Plain, Name(b"F1"), Name(b"Helvetica")),
    (Face::Bold, Name(b"F2"), Name(b"Helvetica-Bold")),
];

/// How text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) face: Face,
    pub(super) size: f32,
    pub(super) tone: Tone,
}

impl Look {
    pub(super) fn new(face: Face, size: f32) -> Self {
        Self {
            face,
            size,
            tone: Tone::Plain,
        }
    }

    /// From one line to the next.
    pub(super) fn leading(&self) -> f32 {
        self.size * 1.3
    }
}

/// All pages.
pub(super) struct Sheets {
    pages: Vec<Content>,
    /// Where the next line goes: its upper edge.
    y: f32,
}

/// Width of the text.
pub(super) const WIDTH: f32 = PAPER.0 - 2.0 * MARGIN;
/// Height of the text of a page.
pub(super) const HEIGHT: f32 = PAPER.1 - 2.0 * MARGIN;

impl Sheets {
    pub(super) fn new() -> Self {
        Self {
            pages: vec![Content::new()],
            y: PAPER.1 - MARGIN,
        }
    }

    /// What is left of the page.
    pub(super) fn left(&self) -> f32 {
        self.y - MARGIN
    }

    /// The number of the page that is being filled, from 0, and how high on it.
    pub(super) fn place(&self) -> (usize, f32) {
        (self.pages.len() - 1, self.y)
    }

    pub(super) fn break_page(&mut self) {
        self.pages.push(Content::new());
        self.y = PAPER.1 - MARGIN;
    }

    /// Breaks the page unless so much is left.
    pub(super) fn need(&mut self, height: f32) {
        if self.left() < height.min(HEIGHT) {
            self.break_page();
        }
    }

    /// Leaves room, but not at the top of a page.
    pub(super) fn skip(&mut self, height: f32) {
        if self.y < PAPER.1 - MARGIN {
            self.y -= height;
        }
    }

    /// Moves down past what was drawn.
    pub(super) fn advance(&mut self, height: f32) {
        self.y -= height;
    }

    fn page(&mut self) -> &mut Content {
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// A line of text whose upper edge is `down` below the current place; `x` from the left margin.
    pub(super) fn text(&mut self, x: f32, down: f32, text: &str, look: Look) {
        let y = self.y - down - look.size;
        put(self.page(), MARGIN + x, y, text, look);
    }

    /// The same, ending at `x`.
    pub(super) fn text_to(&mut self, x: f32, down: f32, text: &str, look: Look) {
        self.text(x - width(text, look.face, look.size), down, text, look);
    }

    /// A horizontal rule over the width of the text, or a part of it.
    pub(super) fn rule(&mut self, down: f32, length: f32, gray: f32) {
        let y = self.y - down;
        let page = self.page();
        page.save_state();
        page.set_stroke_gray(gray).set_line_width(0.5);
        page.move_to(MARGIN, y).line_to(MARGIN + length, y).stroke();
        page.restore_state();
    }

    /// The pages with their feet: `foot` at the left, the number at the right.
    pub(super) fn finish(mut self, foot: &str) -> Vec<Content> {
        let count = self.pages.len();
        let look = Look {
            tone: Tone::Faint,
            ..Look::new(Face::Plain, 7.0)
        };
        for (number, page) in self.pages.iter_mut().enumerate() {
            put(page, MARGIN, FOOT, foot, look);
            let text = format!("page {} of {count}", number + 1);
            put(
                page,
                PAPER.0 - MARGIN - width(&text, look.face, look.size),
                FOOT,
                &text,
                look,
            );
        }
        self.pages
    }
}

fn put(page: &mut Content, x: f32, y: f32, text: &str, look: Look) {
    let [red, green, blue] = match look.tone {
        Tone::Plain => [0.0, 0.0, 0.0],
        Tone::Good => [0.05, 0.40, 0.15],
        Tone::Bad => [0.70, 0.08, 0.08],
        Tone::Faint => [0.38, 0.38, 0.38],
    };
    let name = FONTS
        .iter()
        .find(|(face, ..)| *face == look.face)
        .map_or(Name(b"F1"), |(_, name, _)| *name);
    page.set_fill_rgb(red, green, blue);
    page.begin_text();
    page.set_font(name, look.size);
    page.next_line(x, y);
    page.show(Str(&encoded(text)));
    page.end_text();
}
