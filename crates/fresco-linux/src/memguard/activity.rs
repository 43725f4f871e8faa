// SPDX-License-Identifier: MIT OR Apache-2.0
//! Beginning and end of what the module does, and what killed keepers have left. All of it stands in folders of groups: who
//! comes later finds it there, and it goes with the module.

use super::log::Log;
use super::reservation;
use super::tree::{all_below, budget};
use super::{Cgroup, MemguardRefusal, Tree};
use crate::keeper::Lock;
use crate::settings::{folders, remove_folder, text};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the names of our groups begin with.
pub(super) const PREFIX: &str = "fresco-";
/// A group without a cgroup, which says that the module is active because of groups of ours.
const BEGAN: &str = "fresco-began";

/// Removes our groups that nobody lives in, and ends what was begun for them: their keepers were killed.
pub fn tidy(_lock: &Lock, tree: &Tree) {
    for folder in left_overs(tree) {
        let cgroup = tree.cgroup_at(&text(&folder.join("cgroup")));
        undo(tree, &folder);
        if let Some(cgroup) = cgroup.filter(is_ours) {
            cgroup.remove();
        }
    }
    end(tree);
}

fn is_ours(cgroup: &Cgroup) -> bool {
    let name = cgroup.path().rsplit('/').next();
    name.is_some_and(|name| name.starts_with(PREFIX))
}

/// Removes a group of ours; what it had reserved is restored.
pub(super) fn undo(tree: &Tree, folder: &Path) {
    for below in folders(folder) {
        reservation::restore(tree, &below);
    }
    remove_folder(folder);
}

/// Returns an error if others have budgets that do not hold, and would if it began.
pub(super) fn check_waiting(tree: &Tree) -> Result<(), MemguardRefusal> {
    match Some(budgets(tree)).filter(|waiting| !tree.is_active() && !waiting.is_empty()) {
        Some(waiting) => Err(MemguardRefusal::Waiting(waiting)),
        None => Ok(()),
    }
}

/// Begins, if nobody has.
pub(super) fn begin(tree: &Tree) -> Result<(), MemguardRefusal> {
    if tree.is_active() {
        return Ok(());
    }
    let began = tree.groups().join(BEGAN);
    match fs::create_dir(&began) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(MemguardRefusal::denied(
                "making a group".to_owned(),
                &error,
                &Log::now(),
            ));
        }
        _ => {}
    }
    let begun = tree.set(&tree.root().join("active"), "1", || {
        "beginning (1 to active)".to_owned()
    });
    if begun.is_err() {
        remove_folder(&began);
    }
    begun
}

/// Ends, if it was begun for groups of ours and nobody has a group or a budget any more.
pub(super) fn end(tree: &Tree) {
    let began = tree.groups().join(BEGAN);
    let is_used = || folders(&tree.groups()).into_iter().any(|group| group != began) || !budgets(tree).is_empty();
    if !began.is_dir() || is_used() {
        return;
    }
    if tree.set(&tree.root().join("active"), "0", String::new).is_ok() {
        remove_folder(&began);
    }
}

/// Who has a budget, as `cpus/3` or `groups/NAME`; what nobody lives in any more, and is ours, has none.
pub fn budgets(tree: &Tree) -> Vec<String> {
    let left = left_overs(tree);
    let reserved: Vec<u32> = left.iter().flat_map(|folder| reservation::noted(folder)).collect();
    let mut cpus: Vec<(u32, PathBuf)> = folders(&tree.root().join("cpus"))
        .into_iter()
        .filter_map(|folder| Some((folder.file_name()?.to_str()?.parse().ok()?, folder)))
        .filter(|(cpu, _)| !reserved.contains(cpu))
        .collect();
    cpus.sort();
    let groups = all_below(&tree.groups()).into_iter();
    let groups = groups.filter(|group| !left.iter().any(|folder| group.starts_with(folder)));
    let all = cpus.into_iter().map(|(_, folder)| folder).chain(groups);
    let names = all.filter(|folder| budget(folder).is_some()).filter_map(|folder| {
        let name = folder.strip_prefix(tree.root()).ok()?;
        Some(name.display().to_string())
    });
    names.collect()
}

/// Our groups that nobody lives in.
fn left_overs(tree: &Tree) -> Vec<PathBuf> {
    let ours = |group: &PathBuf| {
        let name = group.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(PREFIX) && name != BEGAN
    };
    let groups = folders(&tree.groups()).into_iter().filter(ours);
    groups.filter(|group| !tree.is_alive(group)).collect()
}
