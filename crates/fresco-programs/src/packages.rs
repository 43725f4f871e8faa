// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of Debian's packages are installed. Nothing is installed here.

use crate::Recipe;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Versions of the packages that these recipes take and that are installed, by name; `None` where there is no `dpkg-query`: no Debian, nor
/// alike.
pub fn installed<'a>(recipes: impl IntoIterator<Item = &'a Recipe>) -> Option<BTreeMap<String, String>> {
    let names: BTreeSet<&String> = recipes.into_iter().flat_map(|recipe| &recipe.packages).collect();
    if names.is_empty() {
        return Some(BTreeMap::new());
    }
    let asked = Command::new("dpkg-query")
        .args(["-W", "-f", "${Package} ${db:Status-Abbrev} ${Version}\\n"])
        .args(names)
        .output()
        .ok()?;
    // Of names that it does not know it complains with status 1, and tells of the others.
    let text = String::from_utf8_lossy(&asked.stdout).into_owned();
    Some(of_lines(&text))
}

fn of_lines(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, state, version) = (words.next()?, words.next()?, words.next()?);
        (state == "ii").then(|| (name.to_owned(), version.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// The packages that a recipe takes and that are not among those `installed`.
pub fn missing(recipe: &Recipe, installed: &BTreeMap<String, String>) -> Vec<String> {
    let absent = recipe.packages.iter().filter(|name| !installed.contains_key(*name));
    absent.cloned().collect()
}

/// The command that installs these packages, each of which it names once; `None` if there is none.
pub fn command<'a>(names: impl IntoIterator<Item = &'a String>) -> Option<String> {
    let names: BTreeSet<&str> = names.into_iter().map(String::as_str).collect();
    let words: Vec<&str> = names.into_iter().collect();
    (!words.is_empty()).then(|| format!("apt-get install --no-install-recommends {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_removed_is_not_installed() {
        let found = of_lines("perl ii  5.36.0-7\nsjeng rc  11.2-8\nhmmer un  \n");
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("perl".to_owned(), "5.36.0-7".to_owned())]
        );
    }

    #[test]
    fn what_is_missing_is_named_once() {
        let recipe = crate::recipes().expect("recipes").swap_remove(0);
        let (first, others) = recipe.packages.split_first().expect("each takes some");
        let there = of_lines(&format!("{first} ii 1\n"));
        assert_eq!(missing(&recipe, &there), others);
        assert_eq!(missing(&recipe, &BTreeMap::new()), recipe.packages);
        let twice = ["zip".to_owned(), "gcc".to_owned(), "zip".to_owned()];
        let said = command(&twice).expect("some");
        assert_eq!(said, "apt-get install --no-install-recommends gcc zip");
        assert_eq!(command(&[]), None);
    }
}
