// SPDX-License-Identifier: MIT OR Apache-2.0
//! What color each paint is, on light and on dark paper, as a style sheet: a figure names classes only, and follows the
//! reader's choice of a light or a dark screen. On paper it is light.

use super::palette::{Paint, TEXT_OVER};
use std::sync::LazyLock;

/// Red, green and blue in three bytes.
type Rgb = u32;

/// Class of a paint, and its color on light and on dark paper.
struct Shade {
    class: &'static str,
    light: Rgb,
    dark: Rgb,
}

const fn shade(class: &'static str, light: Rgb, dark: Rgb) -> Shade {
    Shade { class, light, dark }
}

/// By the number of the paint. `paper`, `ink` and `soft` are those of the page around. `c1` to `g2` keep the order of hues of
/// Okabe and Ito, "Color Universal Design" (2008), whose own colors do not all stand out from white by 3:1; these do
/// from their paper, and were searched for the largest least difference between any two, as seen with each kind of
/// color vision.
const SHADES: [Shade; TEXT_OVER as usize] = [
    shade("paper", 0xff_ff_ff, 0x16_18_1b),
    shade("ink", 0x22_22_22, 0xe6_e6_e6),
    shade("soft", 0x59_59_59, 0xa9_ad_b2),
    shade("grid", 0xe2_e2_e2, 0x33_38_3d),
    shade("c1", 0x1b_48_91, 0x17_68_d5),
    shade("c2", 0x88_28_13, 0xe8_65_06),
    shade("c3", 0x30_83_43, 0x29_a8_76),
    shade("c4", 0xb1_47_ac, 0xfd_7f_be),
    shade("c5", 0xb7_8c_10, 0xf9_bd_07),
    shade("c6", 0x09_78_e8, 0x40_be_ff),
    shade("g1", 0x5b_5b_5b, 0xdb_db_db),
    shade("g2", 0x84_84_84, 0x6b_6b_6b),
];

/// Class of a paint; that of text over an area is the area's with `on-` before it.
pub(super) fn class(paint: Paint) -> Option<String> {
    let number = usize::from(paint.0);
    match SHADES.get(number) {
        Some(shade) => Some(shade.class.to_owned()),
        None => Some(format!("on-{}", SHADES.get(number - SHADES.len())?.class)),
    }
}

/// The style sheet that gives the classes of figures their colors. Print, and whoever knows no media queries, gets the
/// light ones. Where the system forces its own colors on pages (Windows' contrast themes), figures keep theirs: one
/// color for all would hide the data.
pub(crate) fn style() -> &'static str {
    static STYLE: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}@media screen and (prefers-color-scheme:dark){{\n{}}}\nsvg *{{forced-color-adjust:none}}\n",
            rules(|shade| shade.light),
            rules(|shade| shade.dark)
        )
    });
    &STYLE
}

fn rules(color: fn(&Shade) -> Rgb) -> String {
    let rule = |shade: &Shade| {
        let (class, fill) = (shade.class, color(shade));
        format!(
            "svg .{class}{{color:#{fill:06x}}}svg .on-{class}{{color:#{:06x}}}\n",
            readable_on(fill)
        )
    };
    SHADES.iter().map(rule).collect()
}

/// Black or white, whichever stands out more from `fill`.
fn readable_on(fill: Rgb) -> Rgb {
    let (black, white) = (0x00_00_00, 0xff_ff_ff);
    if contrast(black, fill) >= contrast(white, fill) {
        black
    } else {
        white
    }
}

/// Contrast ratio of WCAG 2.2, from 1 to 21.
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let luminance = |color| {
        let [red, green, blue] = linear(color);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Linear light of each primary, from 0 to 1 (sRGB, IEC 61966-2-1).
fn linear(color: Rgb) -> [f64; 3] {
    [16, 8, 0].map(|shift| {
        let value = f64::from((color >> shift) & 0xff) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Scheme = (&'static str, fn(&Shade) -> Rgb);
    const SCHEMES: [Scheme; 2] = [("light", |shade| shade.light), ("dark", |shade| shade.dark)];

    fn named(class: &str) -> &'static Shade {
        SHADES.iter().find(|shade| shade.class == class).expect("a class")
    }

    fn data() -> impl Iterator<Item = &'static Shade> + Clone {
        SHADES
            .iter()
            .filter(|shade| shade.class.starts_with(['c', 'g']) && shade.class != "grid")
    }

    /// WCAG 2.2: 4.5:1 for text (1.4.3), 3:1 for what a figure is read by (1.4.11).
    #[test]
    fn text_and_data_stand_out_in_both_schemes() {
        for (scheme, color) in SCHEMES {
            let paper = color(named("paper"));
            for text in ["ink", "soft"] {
                let found = contrast(color(named(text)), paper);
                assert!(found >= 4.5, "{scheme} {text}: {found:.2}");
            }
            for fill in data() {
                let found = contrast(color(fill), paper);
                assert!(found >= 3.0, "{scheme} {}: {found:.2}", fill.class);
            }
            for fill in data().chain([named("soft")]) {
                let found = contrast(readable_on(color(fill)), color(fill));
                assert!(found >= 4.5, "{scheme} text over {}: {found:.2}", fill.class);
            }
            assert!(contrast(color(named("grid")), paper) < 2.0, "a grid is no data");
        }
    }

    /// Linear light as seen by: everybody; without the long, middle, short cones (Machado, Oliveira and Fernandes, "A
    /// Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1).
    const VISIONS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    fn times(matrix: &[[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
        let row = |row: &[f64; 3]| std::iter::zip(row, vector).map(|(a, b)| a * b).sum();
        [row(&matrix[0]), row(&matrix[1]), row(&matrix[2])]
    }

    /// Lightness and two opponents, of linear light (Ottosson, "A perceptual color space for image processing", 2020).
    fn oklab(light: [f64; 3]) -> [f64; 3] {
        let cones = [
            [0.412_221_47, 0.536_332_54, 0.051_445_99],
            [0.211_903_50, 0.680_699_55, 0.107_396_96],
            [0.088_302_46, 0.281_718_84, 0.629_978_70],
        ];
        let opponents = [
            [0.210_454_26, 0.793_617_79, -0.004_072_05],
            [1.977_998_50, -2.428_592_21, 0.450_593_71],
            [0.025_904_04, 0.782_771_77, -0.808_675_77],
        ];
        times(&opponents, times(&cones, light).map(f64::cbrt))
    }

    #[test]
    fn any_two_colors_differ_whatever_the_reader_s_color_vision() {
        for (scheme, color) in SCHEMES {
            for (number, one) in data().enumerate() {
                for other in data().skip(number + 1) {
                    for vision in &VISIONS {
                        let [a, b] = [one, other].map(|shade| oklab(times(vision, linear(color(shade)))));
                        let distance = std::iter::zip(a, b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        // Okabe and Ito's with the greys come to 0.076.
                        assert!(
                            distance > 0.085,
                            "{scheme} {} {}: {distance:.3}",
                            one.class,
                            other.class
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn paper_and_ink_are_those_of_the_page() {
        let page = include_str!("../html/style.css");
        let (light, dark) = page
            .split_once("@media screen and (prefers-color-scheme:dark)")
            .expect("both schemes");
        let dark = dark.lines().next().unwrap_or_default();
        for class in ["paper", "ink", "soft"] {
            let value = |text: &str| {
                let digits = text.split(&format!("--{class}:#")).nth(1)?.split([';', '}']).next()?;
                let long: String = match digits.len() {
                    3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
                    _ => digits.to_owned(),
                };
                Rgb::from_str_radix(&long, 16).ok()
            };
            let shade = named(class);
            assert_eq!(
                (value(light), value(dark)),
                (Some(shade.light), Some(shade.dark)),
                "{class}"
            );
        }
    }
}
