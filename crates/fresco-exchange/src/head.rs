// SPDX-License-Identifier: MIT OR Apache-2.0
//! The head of an exported file: what it was made of and how, and what is not in it.

/// What is known of the run that exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Version of the program.
    pub version: String,
    /// Name of the file that is exported.
    pub input: String,
    /// Digest of that file.
    pub digest: String,
    /// The command line.
    pub command: String,
}

/// How a format writes comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comment {
    /// Lines that begin with `#`.
    Hash,
    /// The same, after the line that names the shell.
    Shell,
    /// `/* … */`.
    C,
    /// Processing instructions, which, other than comments, may hold the `--` of options; after the XML declaration.
    Xml,
}

impl Comment {
    /// Lines as the comment at the beginning of a file.
    pub fn head(self, lines: &[String]) -> String {
        let plain = |line: &String| -> String {
            let visible = |c: char| if c.is_control() { ' ' } else { c };
            line.chars().map(visible).collect()
        };
        let lines = lines.iter().map(plain);
        match self {
            Self::Hash => lines.map(|line| format!("# {line}\n")).collect(),
            Self::Shell => std::iter::once("#!/bin/sh\n".to_owned())
                .chain(lines.map(|line| format!("# {line}\n")))
                .collect(),
            Self::C => {
                let inner: String = lines.map(|line| format!(" * {}\n", c_text(&line))).collect();
                format!("/*\n{inner} */\n")
            }
            Self::Xml => {
                let inner: String = lines
                    .map(|line| format!("<?fresco {}?>\n", line.replace("?>", "? >")))
                    .collect();
                format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{inner}")
            }
        }
    }
}

/// A text that neither ends nor begins a comment of C.
pub fn c_text(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// The lines of the head.
pub fn lines(head: &Head, format: &str, losses: &[String], notes: &[String]) -> Vec<String> {
    let mut lines = vec![
        format!("Fresco {}: {format}", head.version),
        format!("from {}, digest {}", head.input, head.digest),
        format!("by {}", head.command),
    ];
    lines.extend(losses.iter().map(|loss| format!("lost: {loss}")));
    lines.extend(notes.iter().map(|note| format!("note: {note}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_ends_its_comment() {
        let lines = ["a */ b".to_owned(), "c ?> d".to_owned(), "e\n--f".to_owned()];
        assert_eq!(Comment::C.head(&lines[..1]), "/*\n * a * / b\n */\n");
        assert!(Comment::Xml.head(&lines[1..2]).ends_with("<?fresco c ? > d?>\n"));
        assert_eq!(Comment::Shell.head(&lines[2..]), "#!/bin/sh\n# e --f\n");
    }
}
