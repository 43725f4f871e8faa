// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rectangles of a figure.

/// Attributes of all rectangles of a class: x, y, width, height.
pub fn rectangles(svg: &str, class: &str) -> Vec<[i32; 4]> {
    let of = |tag: &str, name: &str| -> i32 {
        let rest = tag.split(&format!(" {name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let tags = svg.split("<rect").skip(1).map(|rest| rest.split("/>").next().unwrap());
    let filled = tags.filter(|tag| tag.contains(&format!("class=\"{class}\"")));
    filled
        .map(|tag| ["x", "y", "width", "height"].map(|name| of(tag, name)))
        .collect()
}

/// The class of the first key.
pub const FIRST: &str = "c1";
