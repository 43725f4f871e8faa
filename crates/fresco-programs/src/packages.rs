// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of Debian's packages are installed. Nothing is installed here.

use std::collections::BTreeMap;
use std::process::Command;

/// Versions of those of `names` that are installed, by name; `None` where there is no `dpkg-query`: no Debian, nor alike.
pub fn installed(names: &[&str]) -> Option<BTreeMap<String, String>> {
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

/// The command that installs these packages.
pub fn command(names: &[&str]) -> String {
    format!("apt-get install --no-install-recommends {}", names.join(" "))
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
}
