// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text made safe for where it goes: a terminal, XML, HTML.

/// `text` on one line and harmless in a terminal and in XML: whitespace becomes a blank, other control characters and
/// the two code points XML 1.0 (section 2.2) leaves out become '?'.
pub(crate) fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if c.is_whitespace() => ' ',
            c if c.is_control() => '?',
            '\u{FFFE}' | '\u{FFFF}' => '?',
            c => c,
        })
        .collect()
}

/// `text` for element content and quoted attributes of HTML and XML. Line breaks stay, other control characters go as
/// in [`one_line`].
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_lose_their_meaning() {
        assert_eq!(
            escape("<a href=\"x\">&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;"
        );
        assert_eq!(escape("a\u{1b}[31m\nb"), "a?[31m\nb");
        assert_eq!(one_line("a\u{1b}\r\n\u{FFFF}b"), "a?  ?b");
    }
}
