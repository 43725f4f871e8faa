// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reservations of processors, as MemGuard has them (MG-1, MG-2). Each is noted below the folder of the group that it is
//! for, so that who removes that knows what to restore.

use super::log::Log;
use super::tree::budget;
use super::{Budget, MemguardRefusal, Tree};
use crate::settings::{folders, remove_folder, text};
use std::fs;
use std::path::Path;

/// What the kinds of budgets are (MG-7); a reservation is of the first.
const KINDS: [&str; 2] = ["hard", "soft"];

/// Returns an error if one of these processors has a budget, or is not known.
pub(super) fn check(tree: &Tree, cpus: &[u32]) -> Result<(), MemguardRefusal> {
    let held = super::activity::budgets(tree);
    for &cpu in cpus {
        let folder = tree.processor(cpu);
        if !folder.is_dir() {
            return Err(MemguardRefusal::NoProcessor(cpu));
        }
        let lines = budget(&folder).filter(|_| held.contains(&format!("cpus/{cpu}")));
        if let Some(lines) = lines {
            return Err(MemguardRefusal::Reserved(cpu, lines));
        }
    }
    Ok(())
}

/// Reserves lines of a processor for the group whose folder this is.
pub(super) fn reserve(tree: &Tree, folder: &Path, cpu: u32, each: Budget) -> Result<(), MemguardRefusal> {
    let processor = tree.processor(cpu);
    let kind = text(&processor.join("kind"));
    let kind = KINDS.into_iter().find(|known| *known == kind).unwrap_or(KINDS[0]);
    let note = folder.join(format!("cpu{cpu}-{kind}"));
    fs::create_dir(&note)
        .map_err(|error| MemguardRefusal::denied("noting a reservation".to_owned(), &error, &Log::now()))?;
    tree.set(&processor.join("kind"), KINDS[0], || {
        format!("a hard budget of processor {cpu}")
    })?;
    tree.set(&processor.join("budget"), &each.lines.to_string(), || {
        format!("reserving {} lines of processor {cpu}{}", each.lines, guaranteed(tree))
    })
}

/// What nodes guarantee, for who is refused (MG-2).
fn guaranteed(tree: &Tree) -> String {
    let node = |folder: &std::path::PathBuf| {
        let [guaranteed, reserved] = ["guaranteed", "reserved"].map(|file| text(&folder.join(file)));
        let name = folder.file_name()?.to_string_lossy();
        (guaranteed != "0" && !guaranteed.is_empty())
            .then(|| format!("; node {name} guarantees {guaranteed} lines, of which {reserved} are reserved (nodes/{name}/guaranteed)"))
    };
    folders(&tree.root().join("nodes")).iter().filter_map(node).collect()
}

/// Gives a processor back what it had before this note was made, and removes the note.
pub(super) fn restore(tree: &Tree, note: &Path) {
    if let Some((cpu, kind)) = parse(note) {
        let processor = tree.processor(cpu);
        // Without a processor there is nothing to restore.
        let _ = tree.set(&processor.join("budget"), "none", String::new);
        let _ = tree.set(&processor.join("kind"), kind, String::new);
    }
    folders(note).iter().for_each(|below| restore(tree, below));
    remove_folder(note);
}

/// The processors that a group has reserved.
pub(super) fn noted(folder: &Path) -> Vec<u32> {
    let notes = folders(folder);
    notes.iter().filter_map(|note| Some(parse(note)?.0)).collect()
}

/// The processor and its kind before, `cpu3-soft`.
fn parse(note: &Path) -> Option<(u32, &str)> {
    let name = note.file_name()?.to_str()?;
    let (cpu, kind) = name.strip_prefix("cpu")?.split_once('-')?;
    Some((cpu.parse().ok()?, KINDS.into_iter().find(|known| *known == kind)?))
}
