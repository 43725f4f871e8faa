// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco man` as a user runs it.

use crate::common::{refused, stdout};
use std::fs;

#[test]
fn every_command_has_a_page_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    stdout(&["man", "--out", "a/man1"], directory.path());
    let page = |name: &str| fs::read_to_string(directory.path().join("a/man1").join(name)).expect(name);
    for (name, title, option) in [
        ("fresco.1", ".TH fresco 1", "fresco\\-reproduce(1)"),
        ("fresco-sim.1", ".TH fresco-sim 1", "\\-\\-seed"),
        ("fresco-map-colors.1", ".TH fresco-map-colors 1", "\\-\\-page"),
        ("fresco-machine-show.1", ".TH fresco-machine-show 1", "\\-\\-json"),
    ] {
        let text = page(name);
        assert!(text.contains(title), "{name}:\n{text}");
        assert!(text.contains(option), "{name}:\n{text}");
    }
    assert_eq!(page("fresco.1"), stdout(&["man"], directory.path()));
}

#[test]
fn pages_have_sections_of_their_own_for_examples() {
    let directory = tempfile::tempdir().unwrap();
    stdout(&["man", "--out", "man1"], directory.path());
    let pages: Vec<_> = fs::read_dir(directory.path().join("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(pages.len() > 50, "{}", pages.len());
    for page in pages {
        let text = fs::read_to_string(&page).unwrap().replace("\\-", "-");
        assert!(
            !text.contains("EXTRA") && !text.contains("help(1)"),
            "{}:\n{text}",
            page.display()
        );
        assert!(text.is_ascii(), "{}", page.display());
        // Examples need nothing but the program.
        for line in text.lines().filter(|line| line.starts_with("fresco ")) {
            assert!(
                !["scenarios/", "tasks/", "machines/"]
                    .iter()
                    .any(|folder| line.contains(folder)),
                "{}: {line}",
                page.display()
            );
        }
    }
    let memory = fs::read_to_string(directory.path().join("man1/fresco-memory.1")).unwrap();
    let plain = memory
        .replace("\\-", "-")
        .replace("\\fB", "")
        .replace("\\fI", "")
        .replace("\\fR", "");
    for told in [
        "\nfresco memory --machine MACHINE [--set KEY=VALUE]... [--outstanding N] ",
        " [-h|--help] TRACE\n",
        "\n.EX\nFresco       our own binary format (.ftrace)\n",
        "\n.SH EXAMPLES\n.PP\n.EX\nfresco memory random.trace --machine ddr4-2400-bench --commands out.cmd --json\n.EE\n",
    ] {
        assert!(plain.contains(told), "{told}\n{plain}");
    }
}

#[test]
fn pages_are_not_put_in_place_of_a_file() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "mine").unwrap();
    let complaint = refused(&["man", "--out", "file"], directory.path());
    assert!(complaint.contains("file: cannot make this directory"), "{complaint}");
    assert_eq!(fs::read_to_string(directory.path().join("file")).unwrap(), "mine");
}

/// The table of the guide is the whole list.
#[test]
fn help_tells_every_exit_status() {
    let guide = include_str!("../../../docs/guide.md");
    let (_, table) = guide.split_once("| exit status |").expect("the guide has the table");
    let row = |line: &str| {
        let status = line.strip_prefix("| ")?.split(" |").next()?;
        status
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| status.to_owned())
    };
    let rows = table.split("\n\n").next().expect("a text has a begin");
    let statuses: Vec<String> = rows.lines().filter_map(row).collect();
    assert_eq!(statuses.len(), 9, "{statuses:?}");
    let help = stdout(&["--help"], std::path::Path::new("."));
    let (_, told) = help.split_once("Exit status:").expect("the help has a list");
    let told: String = told.split_whitespace().map(|word| format!(" {word}")).collect();
    for status in statuses {
        assert!(told.contains(&format!(" {status} ")), "{status}:{told}");
    }
}
