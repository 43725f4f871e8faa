// SPDX-License-Identifier: MIT OR Apache-2.0
//! `placement` and `nodes` of a task: libnuma's policies for uncolored tasks (CAMC-27).

use fresco_frames::Placement;
use fresco_input::{InputError, Table};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Local,
    Preferred,
    Bind,
    Interleave,
}

/// The kinds by name.
const KINDS: [(&str, Kind); 4] = [
    ("local", Kind::Local),
    ("preferred", Kind::Preferred),
    ("bind", Kind::Bind),
    ("interleave", Kind::Interleave),
];

/// Returns true if a kind of placement has this name.
pub(super) fn is_kind(word: &str) -> bool {
    KINDS.iter().any(|(name, _)| *name == word)
}

/// Reads which nodes a task's frames come from. `uncolored`: none of its copies has colors.
pub(super) fn read(table: &Table<'_>, nodes: u32, uncolored: bool) -> Result<Placement, InputError> {
    let kind = table.opt_choice("placement", &KINDS)?.unwrap_or(Kind::Local);
    if kind != Kind::Local && !uncolored {
        let error = table.error_at("placement", "found a placement of a task that has colors");
        return Err(error
            .allowed("placement of tasks without colors; a color lies on one node")
            .help("remove placement, or set colors = 0 or policy.frames = \"buddy\""));
    }
    let named = match kind {
        Kind::Local => None,
        _ => table.opt_numbers("nodes", 0..=nodes - 1)?,
    };
    let missing = |what: &str| {
        let error = table.error_at("placement", format!("found no {what}"));
        error
            .allowed(format!("nodes = \"0-{}\", or some of them", nodes - 1))
            .help("name them in nodes")
    };
    match (kind, named) {
        (Kind::Local, _) => Ok(Placement::Local),
        (Kind::Interleave, None) => Ok(Placement::Interleave((0..nodes).collect())),
        (_, None) => Err(missing("nodes to take memory from")),
        (_, Some(named)) if named.is_empty() => Err(missing("node in the list")),
        (Kind::Preferred, Some(named)) if named.len() > 1 => {
            let error = table.error_at("nodes", format!("found {} nodes", named.len()));
            Err(error
                .allowed("one node")
                .help("name the one preferred, or use placement = \"interleave\" or \"bind\""))
        }
        (Kind::Preferred, Some(named)) => Ok(Placement::Preferred(named[0])),
        (Kind::Bind, Some(named)) => Ok(Placement::Bind(named)),
        (Kind::Interleave, Some(named)) => Ok(Placement::Interleave(named)),
    }
}
