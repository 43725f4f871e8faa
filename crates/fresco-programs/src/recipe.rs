// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be recorded, and how.

use fresco_input::{InputError, closest};
use serde::{Deserialize, Serialize};

/// The table of recipes.
const TABLE: &str = include_str!("../../../programs/programs.toml");

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        /// Name and text of each file that a recipe may ask for.
        const SOURCES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../programs/", $name)))),*];
    };
}

sources![
    "adm.c",
    "anneal.c",
    "beam.pl",
    "cg.c",
    "commands.pl",
    "count.pl",
    "document.pl",
    "eddy.c",
    "events.c",
    "fdtd.c",
    "fluid.c",
    "frames.pl",
    "functions.pl",
    "lbm.c",
    "linear.pl",
    "llm.c",
    "mincost.c",
    "objects.py",
    "page.xsl",
    "proteins.pl",
    "rates.c",
    "route.c",
    "scene.pl",
    "shor.c",
    "similar.c",
    "stream.c",
    "su3.c",
    "table.sql",
    "waves.c",
    "words.pl",
];

/// A program of the gallery.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name, and that of its recording.
    pub name: String,
    /// What it does.
    pub what: String,
    /// The program of the papers, or the kind of programs, that it stands for.
    pub stands_for: String,
    /// Other programs of the papers that it stands for where nothing nearer is recorded.
    #[serde(default)]
    pub also: Vec<String>,
    /// Misses that were published of the program it stands for; empty if none are known here.
    #[serde(default)]
    pub published: Vec<Published>,
    /// Debian's packages that it takes.
    pub packages: Vec<String>,
    /// Files of `programs/` that are put into its directory.
    #[serde(default)]
    pub sources: Vec<String>,
    /// What `sh -e` does in its directory before: makes the input, compiles.
    #[serde(default)]
    pub prepare: String,
    /// The command, as words of a shell.
    pub command: String,
    /// The file in its directory that is standard input; empty input if omitted.
    #[serde(default)]
    pub input: Option<String>,
    /// Variables of its environment, as `NAME=VALUE`.
    #[serde(default)]
    pub environment: Vec<String>,
    /// Instructions that are left out at the begin.
    pub skip: u64,
    /// Instructions that are recorded.
    pub instructions: u64,
    /// It has several threads.
    #[serde(default)]
    pub threads: bool,
    /// Two recordings are the same bytes.
    #[serde(default = "yes")]
    pub repeatable: bool,
    /// It ends by itself within minutes.
    #[serde(default = "yes")]
    pub ends: bool,
    /// Where what we measure and what is published disagree, and why.
    #[serde(default)]
    pub note: String,
}

fn yes() -> bool {
    true
}

/// Misses of the last-level cache in 1000 instructions, as somebody reports them: a number, or a class.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misses: Option<f64>,
    /// At least so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// At most so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// Where that stands.
    pub source: String,
}

impl Published {
    /// As a table shows it.
    pub fn text(&self) -> String {
        match (self.misses, self.from, self.to) {
            (Some(misses), ..) => format!("{misses:.1} ({})", self.source),
            (None, Some(from), Some(to)) if from > 0.0 => format!("{from} to {to} ({})", self.source),
            (None, _, Some(to)) => format!("below {to} ({})", self.source),
            (None, Some(from), None) => format!("above {from} ({})", self.source),
            (None, None, None) => self.source.clone(),
        }
    }
}

/// Instructions that a quick recording leaves out at most, and that it records.
const QUICK: (u64, u64) = (60_000_000, 2_000_000);

impl Recipe {
    /// The same with less of it recorded, from nearer its begin: enough to see that all is well, not to measure by.
    #[must_use]
    pub fn quick(self) -> Self {
        Self {
            skip: self.skip.min(QUICK.0),
            instructions: self.instructions.min(QUICK.1),
            ..self
        }
    }

    /// Name and text of the files that it asks for.
    ///
    /// # Errors
    /// There is no such file: a fault of Fresco.
    pub fn files(&self) -> Result<Vec<(&'static str, &'static str)>, InputError> {
        let find = |name: &String| {
            let found = SOURCES.iter().find(|(known, _)| known == name);
            found
                .copied()
                .ok_or_else(|| fault(format!("{}: found no file {name}", self.name)))
        };
        self.sources.iter().map(find).collect()
    }

    /// Digest of all that it says: a recording of another recipe is another program's.
    ///
    /// # Errors
    /// As [`Self::files`].
    pub fn digest(&self) -> Result<String, InputError> {
        // What was found out about it, and what it stands for, changes no byte of the recording.
        let mut text = format!(
            "{}\n{}\n{:?}\n{:?}\n{} {}\n",
            self.prepare, self.command, self.input, self.environment, self.skip, self.instructions
        );
        for (name, source) in self.files()? {
            text.push_str(name);
            text.push_str(source);
        }
        Ok(fresco_machine::digest(&text, &[]))
    }
}

/// All recipes, in the order of the table.
///
/// # Errors
/// The table is wrong: a fault of Fresco.
pub fn recipes() -> Result<Vec<Recipe>, InputError> {
    #[derive(Deserialize)]
    struct Table {
        program: Vec<Recipe>,
    }
    let table: Table = toml::from_str(TABLE).map_err(|error| fault(error.to_string()))?;
    Ok(table.program)
}

fn fault(found: String) -> InputError {
    InputError::new("programs/programs.toml", found)
}

/// The recipes of these names, in their order; all without any.
///
/// # Errors
/// There is no recipe of a name.
pub fn named(names: &[String]) -> Result<Vec<Recipe>, InputError> {
    let all = recipes()?;
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        let found = all.iter().find(|recipe| recipe.name == *name);
        found.cloned().ok_or_else(|| {
            let known = || all.iter().map(|recipe| recipe.name.as_str());
            let help = match closest(name, known()) {
                Some(near) => format!("did you mean {near}?"),
                None => "`fresco programs list` shows them; `fresco record` records any other program".to_owned(),
            };
            InputError::new(
                "command line",
                format!("found {name:?} where the name of a program belongs"),
            )
            .allowed(known().collect::<Vec<_>>().join(", "))
            .help(help)
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_sound() {
        let all = recipes().expect("the table");
        assert!(all.len() >= 16, "{}", all.len());
        let names: BTreeSet<&str> = all.iter().map(|recipe| recipe.name.as_str()).collect();
        assert_eq!(names.len(), all.len(), "each name once");
        let mut used = BTreeSet::new();
        for recipe in &all {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(recipe.name.chars().all(plain), "{} is no name of a file", recipe.name);
            assert!(
                !recipe.packages.is_empty() && recipe.instructions > 0,
                "{}",
                recipe.name
            );
            used.extend(recipe.files().expect(&recipe.name).iter().map(|(name, _)| *name));
            for published in &recipe.published {
                let numbers = [published.misses, published.from, published.to];
                assert!(numbers.iter().flatten().count() > 0, "{}", recipe.name);
            }
        }
        let known: BTreeSet<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        assert_eq!(used, known, "each file is asked for");
    }

    #[test]
    fn a_digest_is_of_what_is_recorded() {
        let recipe = named(&["stream".to_owned()]).expect("there")[0].clone();
        let digest = recipe.digest().expect("a digest");
        let told = Recipe {
            note: "another".to_owned(),
            ..recipe.clone()
        };
        assert_eq!(told.digest().expect("a digest"), digest);
        let other = Recipe {
            skip: recipe.skip + 1,
            ..recipe
        };
        assert_ne!(other.digest().expect("a digest"), digest);
    }

    #[test]
    fn a_wrong_name_is_told() {
        let error = named(&["steam".to_owned()]).expect_err("none of this name").to_string();
        assert!(error.contains("did you mean stream?"), "{error}");
    }
}
