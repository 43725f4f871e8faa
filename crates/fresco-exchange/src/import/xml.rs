// SPDX-License-Identifier: MIT OR Apache-2.0
//! XML documents: without a document type, so that no entity is declared or fetched, and with a bound on their size.

use super::raw::{Place, Source, clipped};
use fresco_input::InputError;
use roxmltree::{Document, Node, ParsingOptions};

/// Elements, attributes and texts of a document.
const MOST_NODES: u32 = 4_000_000;

/// Reads a document.
///
/// # Errors
/// It is no XML, declares a document type, or has too many nodes.
pub fn document<'t>(source: &Source<'t>) -> Result<Document<'t>, InputError> {
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(source.text, options).map_err(|error| {
        let place = error.pos();
        // The message of the reader ends with the place, which stands at the head of ours.
        let words = error.to_string();
        let words = words.rsplit_once(" at ").map_or(words.as_str(), |(words, _)| words);
        let found = format!("column {}: found what cannot be read: {}", place.col, clipped(words));
        let (allowed, help) = match error {
            roxmltree::Error::DtdDetected => (
                "XML without a document type: nothing is declared, and nothing fetched",
                "take the lines of <!DOCTYPE …> out",
            ),
            roxmltree::Error::NodesLimitReached => ("4 million elements, attributes and texts", "split the set"),
            _ => (
                "an XML document",
                "mend it there; other programs that check XML say more",
            ),
        };
        InputError::new(source.file, found)
            .at_line(place.row)
            .allowed(allowed)
            .help(help)
    })
}

/// Where an element begins.
pub fn place(node: Node<'_, '_>) -> Place {
    Place::Byte(node.range().start)
}

/// The text of the first child element of that name, without the blanks around it, and where it stands; `None` where there is none.
pub fn child<'a>(node: Node<'a, '_>, name: &str) -> Option<(&'a str, Place)> {
    let child = elements(node).find(|child| child.tag_name().name() == name)?;
    Some((child.text().unwrap_or("").trim(), place(child)))
}

/// The child elements.
pub fn elements<'a, 'input: 'a>(node: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

/// The error of a document with another root.
pub fn wrong_root(source: &Source<'_>, root: Node<'_, '_>, allowed: &str, help: &str) -> InputError {
    let found = format!("found <{}>", clipped(root.tag_name().name()));
    source.error(&place(root), "", found).allowed(allowed).help(help)
}
