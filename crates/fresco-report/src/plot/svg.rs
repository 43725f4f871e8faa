// SPDX-License-Identifier: MIT OR Apache-2.0
//! A finished figure.

use super::canvas::Dash;
use super::palette::Paint;
use super::scheme;
use crate::escape::{escape, one_line};

/// An SVG document made by one of the plots of this crate: scalable (`viewBox`), with a title and a description for
/// those who cannot see it, no script and no reference to anything outside itself. It comes in two widths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Svg {
    file: String,
    wide: String,
    narrow: String,
    title: String,
}

/// What plotters drew, and the dash of each of its polylines.
pub(crate) struct Drawing {
    pub(crate) drawn: String,
    pub(crate) dashes: Vec<Dash>,
}

impl Svg {
    /// Adds to the drawings what plotters cannot: role, title, description, dashes, and classes in place of colors.
    pub(crate) fn finish(wide: &Drawing, narrow: &Drawing, title: &str, description: &str) -> Self {
        let document = |drawing: &Drawing, style: &str| {
            let (open, rest) = drawing.drawn.split_once('>').unwrap_or((&drawing.drawn, ""));
            let rest = with_classes(&with_dashes(rest, &drawing.dashes));
            format!(
                "{open} role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<desc>{description}</desc>{style}{rest}",
                title = escape(&one_line(title)),
                description = escape(&one_line(description)),
            )
        };
        Self {
            file: document(wide, &format!("\n<style>\n{}</style>", scheme::style())),
            wide: document(wide, ""),
            narrow: document(narrow, ""),
            title: title.to_owned(),
        }
    }

    /// The document as a file of its own: 720 pixels wide, with the style sheet of its colors.
    pub fn as_str(&self) -> &str {
        &self.file
    }

    /// The same for a page that has [`Svg::style`].
    pub fn wide(&self) -> &str {
        &self.wide
    }

    /// The same for a phone: half as wide, with letters of the same size, and its series in a legend.
    pub fn narrow(&self) -> &str {
        &self.narrow
    }

    /// The style sheet of the colors of all figures, for a page that they stand on.
    pub fn style() -> &'static str {
        scheme::style()
    }

    /// Title of the figure.
    pub fn title(&self) -> &str {
        &self.title
    }
}

/// `drawn` with a dash array in each polyline that has a dash. Text cannot hold a `<`: it is escaped.
fn with_dashes(drawn: &str, dashes: &[Dash]) -> String {
    const TAG: &str = "<polyline";
    let mut parts = drawn.split(TAG);
    let mut out = parts.next().unwrap_or_default().to_owned();
    let count = parts.clone().count();
    debug_assert_eq!(count, dashes.len(), "each line drawn is one polyline");
    for (part, dash) in parts.zip(dashes) {
        out.push_str(TAG);
        if let Some((dash, gap)) = dash {
            out.push_str(&format!(" stroke-dasharray=\"{dash} {gap}\""));
        }
        out.push_str(part);
    }
    out
}

/// `drawn` with the class of its paint in each element, whose color the style sheet gives. Text cannot hold a `"`: it is
/// escaped.
fn with_classes(drawn: &str) -> String {
    const COLOR: &str = "=\"#0000";
    let mut parts = drawn.split(COLOR);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        let paint = u8::from_str_radix(number, 16).ok().map(Paint);
        let class = paint.and_then(scheme::class);
        debug_assert!(class.is_some(), "paint {number} has a class");
        out.push_str(&format!("=\"currentColor\" class=\"{}", class.unwrap_or_default()));
        out.push_str(rest);
    }
    out
}
