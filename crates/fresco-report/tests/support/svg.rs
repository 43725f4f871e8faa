// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands in an SVG.

/// Values of an attribute, in the order of the document.
pub fn attribute<'s>(svg: &'s str, name: &str) -> Vec<&'s str> {
    let start = format!(" {name}=\"");
    svg.split(start.as_str())
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

/// Elements of a kind, as the text of their tags.
pub fn tags<'s>(svg: &'s str, kind: &str) -> Vec<&'s str> {
    let start = format!("<{kind} ");
    svg.split(start.as_str())
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .collect()
}

/// Texts, with where each is anchored.
pub fn texts(svg: &str) -> Vec<(i32, i32, &str)> {
    let one = |rest: &str| -> Option<(i32, i32)> {
        Some((
            attribute(rest, "x").first()?.parse().ok()?,
            attribute(rest, "y").first()?.parse().ok()?,
        ))
    };
    svg.split("<text")
        .skip(1)
        .filter_map(|rest| {
            let (tag, text) = rest.split_once('>')?;
            let (x, y) = one(tag)?;
            Some((x, y, text.split('<').next()?.trim()))
        })
        .collect()
}

/// Points of a line.
pub fn points(tag: &str) -> Vec<(i32, i32)> {
    let pixel = |text: &str| {
        text.split_once(',')
            .and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)))
    };
    let text = attribute(tag, "points").first().copied().unwrap_or_default();
    text.split_whitespace().filter_map(pixel).collect()
}

/// Lines of a class, as their points.
pub fn lines(svg: &str, class: &str) -> Vec<Vec<(i32, i32)>> {
    let class = format!("class=\"{class}\"");
    tags(svg, "polyline")
        .into_iter()
        .filter(|tag| tag.contains(&class))
        .map(points)
        .collect()
}

/// An attribute that is a number.
pub fn number(tag: &str, name: &str) -> i32 {
    attribute(tag, name)
        .first()
        .and_then(|text| text.parse().ok())
        .expect("a number")
}
