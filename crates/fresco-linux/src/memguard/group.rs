// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group of its own for a program: a cgroup, its folder in the module's settings, reservations of processors.

use super::activity::{PREFIX, begin, check_waiting, end, undo};
use super::log::Log;
use super::{Budget, Cgroup, MemguardRefusal, Stat, Tree, reservation};
use crate::keeper::Lock;
use crate::settings::text;
use rustix::io::Errno;
use std::fs;
use std::path::{Path, PathBuf};

/// What a group gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Lines that its tasks may use together, on all processors; `None` if they are only counted.
    pub budget: Option<Budget>,
    /// Processors that are reserved for it, and what each of them may use, whoever runs there.
    pub reserved: Option<(Vec<u32>, Budget)>,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    tree: Tree,
    asked: Asked,
    folder: PathBuf,
    cgroup: Cgroup,
    /// Where its processes come from.
    outside: Cgroup,
    /// What its processors had counted before.
    before: Vec<Stat>,
}

impl Group {
    /// What would be made, by this name; nothing is.
    ///
    /// # Errors
    /// What is missing for it.
    pub fn new(tree: &Tree, asked: Asked, name: &str) -> Result<Self, MemguardRefusal> {
        let outside = tree.own_cgroup()?;
        tree.check_permission()?;
        let cpus = asked.reserved.as_ref().map_or(&[][..], |(cpus, _)| cpus);
        reservation::check(tree, cpus)?;
        check_waiting(tree)?;
        let name = format!("{PREFIX}{name}");
        Ok(Self {
            folder: tree.groups().join(&name),
            cgroup: outside.below(&name),
            before: cpus.iter().map(|&cpu| Stat::of(&tree.processor(cpu))).collect(),
            tree: tree.clone(),
            asked,
            outside,
        })
    }

    /// Makes it, and has the module begin if it is not active. The lock is to be held until a process has entered it: an
    /// empty group is a left-over to others. Who keeps it is to be there before ([`keep`]).
    ///
    /// # Errors
    /// What the kernel refuses; nothing has changed then.
    pub fn make(&self, _lock: &Lock) -> Result<(), MemguardRefusal> {
        let tree = &self.tree;
        begin(tree)?;
        let made = self.cgroup.make().and_then(|()| {
            let made = fs::create_dir(&self.folder)
                .map_err(|error| MemguardRefusal::denied("making a group".to_owned(), &error, &Log::now()))
                .and_then(|()| self.set_up().inspect_err(|_| undo(tree, &self.folder)));
            made.inspect_err(|_| self.cgroup.remove())
        });
        made.inspect_err(|_| end(tree))
    }

    fn set_up(&self) -> Result<(), MemguardRefusal> {
        let (tree, path) = (&self.tree, self.cgroup.path());
        tree.set(&self.folder.join("cgroup"), path, || {
            format!("a group of the cgroup {path}")
        })?;
        if let Some(budget) = self.asked.budget {
            tree.set(&self.folder.join("budget"), &budget.lines.to_string(), || {
                format!("a budget of {} lines", budget.lines)
            })?;
        }
        if let Some((cpus, each)) = &self.asked.reserved {
            for &cpu in cpus {
                reservation::reserve(tree, &self.folder, cpu, *each)?;
            }
        }
        Ok(())
    }

    /// Its folder in the module's settings.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its cgroup.
    pub fn cgroup(&self) -> &Cgroup {
        &self.cgroup
    }

    /// Puts a process into it; what that starts is in it, too.
    ///
    /// # Errors
    /// There is no such process, or it may not be moved.
    pub fn enter(&self, process: u32) -> Result<(), MemguardRefusal> {
        self.cgroup.enter(process)
    }

    /// Puts a process back to where the maker of the group was.
    ///
    /// # Errors
    /// As [`Group::enter`].
    pub fn leave(&self, process: u32) -> Result<(), MemguardRefusal> {
        self.outside.enter(process)
    }

    /// Returns true if no process lives in it.
    pub fn is_empty(&self) -> bool {
        !self.cgroup.is_populated()
    }

    /// Removes it, restores what it had reserved, and ends what was begun for it if nobody else has a budget.
    pub fn remove(&self) {
        // A group of this name may be that of a process of the same number in another container.
        let of = text(&self.folder.join("cgroup"));
        if of.is_empty() || of == self.cgroup.path() {
            undo(&self.tree, &self.folder);
        }
        self.cgroup.remove();
        end(&self.tree);
    }

    /// What was counted of it and of the processors reserved for it, a line each.
    pub fn told(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let own = Stat::of(&self.folder);
        if !own.is_empty() {
            lines.push(own.words_of_group(self.asked.budget));
        }
        if let Some((cpus, _)) = &self.asked.reserved {
            for (cpu, before) in cpus.iter().zip(&self.before) {
                let stat = Stat::of(&self.tree.processor(*cpu));
                if !stat.is_empty() {
                    lines.push(format!("processor {cpu} {}", stat.words_of_processor(before)));
                }
            }
        }
        lines
    }
}

/// Starts the keeper of these groups, which need not be made yet. It looks at them from the end of the process `owner` on,
/// and ends when it has removed them all; it is in the group that the caller is in now. With names for them it tells on
/// standard error what each has used.
///
/// # Errors
/// There is no room for a process.
pub fn keep(groups: &[Group], names: Option<&[String]>, owner: u32) -> Result<(), Errno> {
    let mut left: Vec<(usize, &Group)> = groups.iter().enumerate().collect();
    crate::keeper::keep(owner, names.is_some(), || {
        left.retain(|(number, group)| {
            // Without a folder to lock the module has gone, and the cgroup is all that is left.
            let _lock = group.tree.lock();
            let is_empty = group.is_empty();
            if is_empty {
                for line in names.iter().flat_map(|_| group.told()) {
                    let name = names.and_then(|names| names.get(*number)).map_or("", String::as_str);
                    let line = format!("fresco: {name}: memguard: {line}\n");
                    // Full or closed, it is lost.
                    let _ = rustix::io::write(rustix::stdio::stderr(), line.as_bytes());
                }
                group.remove();
            }
            !is_empty
        });
        left.is_empty()
    })
}
