// SPDX-License-Identifier: MIT OR Apache-2.0
//! Policies by the names that a command line has for them.

use fresco_input::{InputError, closest, quoted};

/// What adds budgets of bandwidth to a policy, or stands for them alone.
pub(super) const BUDGETS: &str = "memguard";

/// The policies by name, and the keys below `policy` that each stands for.
const POLICIES: [(&str, &str); 9] = [
    ("buddy", "frames = \"buddy\""),
    ("palloc", "frames = \"palloc\", variant = \"pb\""),
    ("camc", "frames = \"camc\""),
    ("tintmalloc", "frames = \"tintmalloc\""),
    ("bpm", "frames = \"bpm\""),
    ("bpm+", "frames = \"bpm+\""),
    ("cache-only", "frames = \"cache-only\""),
    ("channel-only", "frames = \"channel-only\""),
    ("soft", "frames = \"soft\""),
];

/// The names of the policies that can be compared.
pub fn policies() -> impl Iterator<Item = &'static str> {
    POLICIES.iter().map(|(name, _)| *name).chain([BUDGETS])
}

/// A policy.
pub(super) struct Policy {
    /// As it was named.
    pub name: String,
    /// What it sets below `policy`: TOML, the inside of a table.
    pub keys: String,
    /// Tasks say how many colors they have.
    pub is_counted: bool,
}

impl Policy {
    /// The policy of a name that `option` gives.
    ///
    /// # Errors
    /// There is none.
    pub fn named(option: &str, name: &str) -> Result<Self, InputError> {
        let (frames, is_budgeted) = match name.strip_suffix(BUDGETS) {
            Some("") => ("buddy", true),
            Some(rest) => (rest.strip_suffix('+').unwrap_or(name), true),
            None => (name, false),
        };
        let Some((frames, keys)) = POLICIES.iter().find(|(known, _)| *known == frames) else {
            let help = match closest(name, policies()) {
                Some(near) => format!("did you mean {near}?"),
                None => "name one of these".to_owned(),
            };
            let all: Vec<&str> = policies().collect();
            return Err(InputError::new(option, format!("found {name:?}"))
                .allowed(format!("{}; each also with +{BUDGETS}", all.join(", ")))
                .help(help));
        };
        let budgets = if is_budgeted {
            format!(", bandwidth = {}", quoted(BUDGETS))
        } else {
            String::new()
        };
        Ok(Self {
            name: name.to_owned(),
            keys: format!("{keys}{budgets}"),
            is_counted: *frames == "camc",
        })
    }
}
