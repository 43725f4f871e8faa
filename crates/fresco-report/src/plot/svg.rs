// SPDX-License-Identifier: MIT OR Apache-2.0
//! A finished figure.

use super::canvas::Dash;
use crate::escape::{escape, one_line};

/// An SVG document made by one of the plots of this crate: scalable (`viewBox`), with a title and a description for
/// those who cannot see it, no script and no reference to anything outside itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Svg {
    text: String,
    title: String,
}

impl Svg {
    /// Takes what plotters drew and adds what it cannot: role, title, description, and the dash of each polyline.
    pub(crate) fn finish(drawn: &str, dashes: &[Dash], title: &str, description: &str) -> Self {
        let (open, rest) = drawn.split_once('>').unwrap_or((drawn, ""));
        let rest = with_dashes(rest, dashes);
        let text = format!(
            "{open} role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<desc>{description}</desc>{rest}",
            title = escape(&one_line(title)),
            description = escape(&one_line(description)),
        );
        Self {
            text,
            title: title.to_owned(),
        }
    }

    /// The document, as it goes into a file or an HTML page.
    pub fn as_str(&self) -> &str {
        &self.text
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
