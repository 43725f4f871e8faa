// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two sizes that every figure is drawn in. Text is equally large on both: a wide figure scaled down to a phone would
//! have letters half as high.

/// Size of a figure, in pixels of its `viewBox`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sheet {
    /// Width of the whole figure.
    pub(crate) width: i32,
    /// Height of the area inside the axes.
    pub(crate) plot_height: i32,
    /// White space at the edges.
    pub(crate) margin: i32,
    /// Lines of text that the name under a bar may take.
    pub(crate) name_lines: usize,
    /// Series may be named at the ends of their lines, if the figure wants that.
    pub(crate) names_at_end: bool,
}

/// For screens, paper and files.
pub(crate) const WIDE: Sheet = Sheet {
    width: 720,
    plot_height: 260,
    margin: 18,
    name_lines: 3,
    names_at_end: true,
};

/// For phones: as wide as theirs in pixels of CSS, less the margins of a page.
pub(crate) const NARROW: Sheet = Sheet {
    width: 360,
    plot_height: 240,
    margin: 10,
    name_lines: 6,
    names_at_end: false,
};
