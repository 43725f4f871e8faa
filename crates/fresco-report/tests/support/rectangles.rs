// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rectangles of a figure.

/// Attributes of all rectangles of a colour: x, y, width, height.
pub fn rectangles(svg: &str, colour: &str) -> Vec<[i32; 4]> {
    let of = |tag: &str, name: &str| -> i32 {
        let rest = tag.split(&format!(" {name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let tags = svg.split("<rect").skip(1).map(|rest| rest.split("/>").next().unwrap());
    let filled = tags.filter(|tag| tag.contains(&format!("fill=\"{colour}\"")));
    filled
        .map(|tag| ["x", "y", "width", "height"].map(|name| of(tag, name)))
        .collect()
}

/// The colour of the first key.
pub const FIRST: &str = "#0072B2";
