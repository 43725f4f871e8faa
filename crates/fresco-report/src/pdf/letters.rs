// SPDX-License-Identifier: MIT OR Apache-2.0
//! Letters of the built-in fonts: how text is encoded (WinAnsiEncoding, ISO 32000-1, Annex D), and how wide it is.

/// A font that every reader of PDF has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    Plain,
    Bold,
}

/// Widths of the letters from space to tilde in thousandths of the size: Adobe's metrics of Helvetica (Core 14 AFM).
#[rustfmt::skip]
const PLAIN: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The same of Helvetica-Bold.
#[rustfmt::skip]
const BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];

/// Letters of WinAnsiEncoding from 0x80 to 0x9f that are not those of Unicode.
const ABOVE: [(char, u8); 27] = [
    ('€', 0x80),
    ('‚', 0x82),
    ('ƒ', 0x83),
    ('„', 0x84),
    ('…', 0x85),
    ('†', 0x86),
    ('‡', 0x87),
    ('ˆ', 0x88),
    ('‰', 0x89),
    ('Š', 0x8a),
    ('‹', 0x8b),
    ('Œ', 0x8c),
    ('Ž', 0x8e),
    ('\u{2018}', 0x91),
    ('\u{2019}', 0x92),
    ('\u{201c}', 0x93),
    ('\u{201d}', 0x94),
    ('•', 0x95),
    ('–', 0x96),
    ('—', 0x97),
    ('˜', 0x98),
    ('™', 0x99),
    ('š', 0x9a),
    ('›', 0x9b),
    ('œ', 0x9c),
    ('ž', 0x9e),
    ('Ÿ', 0x9f),
];

/// What stands for letters that the fonts have not.
const IN_PLACE: [(char, &str); 10] = [
    ('≤', "<="),
    ('≥', ">="),
    ('→', "->"),
    ('←', "<-"),
    ('−', "-"),
    ('⊕', "^"),
    ('μ', "\u{b5}"),
    ('≈', "~"),
    ('≠', "!="),
    ('∞', "infinity"),
];

/// The text with all letters that the fonts have; others are written as escapes, so that no two texts look the same.
pub(super) fn written(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_whitespace() || letter.is_control() {
            out.push(' ');
        } else if byte(letter).is_some() {
            out.push(letter);
        } else if let Some((_, instead)) = IN_PLACE.iter().find(|(of, _)| *of == letter) {
            out.push_str(instead);
        } else {
            out.extend(letter.escape_unicode());
        }
    }
    out
}

/// Bytes of a text that [`written`] has made.
pub(super) fn encoded(text: &str) -> Vec<u8> {
    text.chars().filter_map(byte).collect()
}

fn byte(letter: char) -> Option<u8> {
    match letter {
        ' '..='~' | '\u{a1}'..='\u{ff}' => u8::try_from(u32::from(letter)).ok(),
        _ => ABOVE.iter().find(|(of, _)| *of == letter).map(|(_, byte)| *byte),
    }
}

/// Width in points at a size. Letters beyond ASCII count as the widest of their kind: lines with them are a little short.
pub(super) fn width(text: &str, face: Face, size: f32) -> f32 {
    let table = match face {
        Face::Plain => &PLAIN,
        Face::Bold => &BOLD,
    };
    let of = |letter: char| match letter {
        ' '..='~' => table[letter as usize - 0x20],
        'ß'..='ÿ' => 611,
        '\u{a1}'..='Þ' => 778,
        _ => 1000,
    };
    text.chars().map(|letter| f32::from(of(letter))).sum::<f32>() * size / 1000.0
}

/// The text in lines no wider than `most` points; a word that is wider is cut, a letter is not.
pub(super) fn lines(text: &str, face: Face, size: f32, most: f32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let joined = match line.is_empty() {
            true => word.to_owned(),
            false => format!("{line} {word}"),
        };
        if width(&joined, face, size) <= most {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            line.push(letter);
            if width(&line, face, size) > most && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, letter.to_string()));
            }
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_of_known_words() {
        // "Hello" in Helvetica: 722 + 556 + 222 + 222 + 556.
        assert_eq!(width("Hello", Face::Plain, 10.0), 22.78);
        assert_eq!(
            width("Hello", Face::Bold, 1000.0),
            f32::from(722u16 + 556 + 278 + 278 + 611)
        );
    }

    #[test]
    fn every_letter_is_written_somehow() {
        assert_eq!(written("µs ≤ 5 × 2…"), "µs <= 5 × 2…");
        assert_eq!(written("a\tb\n☃"), "a b \\u{2603}");
        assert_eq!(encoded("é…"), [0xe9, 0x85]);
        let text: String = (' '..='\u{3000}').collect();
        let text = written(&text);
        assert_eq!(encoded(&text).len(), text.chars().count());
    }

    #[test]
    fn lines_are_no_wider_than_they_may_be() {
        let text = "functions of the set that are the same within a page differ 0123456789abcdef0123456789abcdef";
        for most in [7.0, 40.0, 90.0, 1000.0] {
            let lines = lines(text, Face::Plain, 8.0, most);
            assert!(
                lines.iter().all(|line| width(line, Face::Plain, 8.0) <= most),
                "{lines:?}"
            );
            let joined: String = lines.concat().split(' ').collect();
            assert_eq!(joined, text.split(' ').collect::<String>());
        }
        assert_eq!(lines("", Face::Plain, 8.0, 10.0), [""]);
    }
}
