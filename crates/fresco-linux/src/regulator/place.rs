// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where programs are put so that their limits hold.

use super::{Regulation, RegulatorRefusal};
use crate::keeper::Lock;
use crate::memguard::{self, Cgroup, Group, MemguardRefusal};
use crate::resctrl::{self, Class, ResctrlRefusal};

/// A class of resctrl, a group of memguard, or both.
#[derive(Clone, Debug, Default)]
pub struct Place {
    class: Option<Class>,
    group: Option<Group>,
}

impl Place {
    /// Puts a process there; what that starts is there, too.
    ///
    /// # Errors
    /// There is no such process, or no privilege.
    pub fn enter(&self, process: u32) -> Result<(), RegulatorRefusal> {
        self.class.as_ref().map_or(Ok(()), |class| class.enter(process))?;
        Ok(self.group.as_ref().map_or(Ok(()), |group| group.enter(process))?)
    }

    /// Puts a process back to where it was.
    ///
    /// # Errors
    /// As [`Place::enter`].
    pub fn leave(&self, process: u32) -> Result<(), RegulatorRefusal> {
        self.class.as_ref().map_or(Ok(()), |class| class.leave(process))?;
        Ok(self.group.as_ref().map_or(Ok(()), |group| group.leave(process))?)
    }

    /// The cgroup that its processes are in, if it has one of its own.
    pub fn cgroup(&self) -> Option<&Cgroup> {
        self.group.as_ref().map(Group::cgroup)
    }

    fn remove(&self) {
        self.class.iter().for_each(Class::remove);
        self.group.iter().for_each(Group::remove);
    }
}

/// Places that nobody else takes for left-overs while this is held: until a process has entered each.
#[derive(Debug, Default)]
pub struct Places {
    /// One for each regulation.
    pub all: Vec<Place>,
    _locks: Vec<Lock>,
}

impl Places {
    /// Removes all: nobody is there.
    pub fn remove(&self) {
        self.all.iter().for_each(Place::remove);
    }
}

/// Makes a place for each regulation, named by the process `owner`, from whose end on all go away with the last process in
/// them. With names it is told on standard error then what memguard has counted of each. What killed keepers have left goes
/// first.
///
/// # Errors
/// What is refused; nothing has changed then.
pub fn make(regulations: &[Regulation], owner: u32, names: Option<&[String]>) -> Result<Places, RegulatorRefusal> {
    let mut places = Places {
        all: vec![Place::default(); regulations.len()],
        _locks: Vec::new(),
    };
    let made = classes(regulations, owner, &mut places).and_then(|()| groups(regulations, owner, names, &mut places));
    if made.is_err() {
        places.remove();
    }
    made.map(|()| places)
}

fn name(owner: u32, number: usize, of: usize) -> String {
    if of == 1 {
        owner.to_string()
    } else {
        format!("{owner}-{number}")
    }
}

fn classes(regulations: &[Regulation], owner: u32, places: &mut Places) -> Result<(), RegulatorRefusal> {
    let Some((tree, ..)) = regulations.iter().find_map(|regulation| regulation.class.as_ref()) else {
        return Ok(());
    };
    let lock = resctrl::lock(tree)?;
    resctrl::tidy(&lock, tree);
    for (number, regulation) in regulations.iter().enumerate() {
        if let Some((tree, limits, cpus)) = &regulation.class {
            let name = name(owner, number, regulations.len());
            places.all[number].class = Some(Class::make(&lock, tree, limits, &name, cpus)?);
        }
    }
    places._locks.push(lock);
    let all: Vec<Class> = places.all.iter().filter_map(|place| place.class.clone()).collect();
    resctrl::keep(tree, &all, owner)
        .map_err(|error| ResctrlRefusal::Denied("starting its keeper", error.to_string()).into())
}

fn groups(
    regulations: &[Regulation],
    owner: u32,
    names: Option<&[String]>,
    places: &mut Places,
) -> Result<(), RegulatorRefusal> {
    let Some((tree, _)) = regulations.iter().find_map(|regulation| regulation.group.as_ref()) else {
        return Ok(());
    };
    let lock = tree.lock()?;
    memguard::tidy(&lock, tree);
    let mut groups = Vec::new();
    let mut named = Vec::new();
    for (number, regulation) in regulations.iter().enumerate() {
        if let Some((tree, asked)) = &regulation.group {
            let group = Group::new(tree, asked.clone(), &name(owner, number, regulations.len()))?;
            groups.push((number, group));
            named.extend(names.and_then(|names| names.get(number)).cloned());
        }
    }
    // Before they are made, so that there is no moment in which nobody would undo it.
    let all: Vec<Group> = groups.iter().map(|(_, group)| group.clone()).collect();
    memguard::keep(&all, names.is_some().then_some(&named[..]), owner)
        .map_err(|error| MemguardRefusal::Denied("starting its keeper".to_owned(), error.to_string(), None))?;
    for (number, group) in groups {
        group.make(&lock)?;
        places.all[number].group = Some(group);
    }
    places._locks.push(lock);
    Ok(())
}
