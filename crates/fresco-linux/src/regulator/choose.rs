// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which regulator holds a bandwidth, and what it is told. Nothing is changed.

use super::{Regulator, RegulatorRefusal};
use crate::launch::online_cpus;
use crate::memguard::{self, Asked, Budget, MemguardRefusal, least_bytes_per_s};
use crate::resctrl::{self, Abilities, BandwidthUnit, Limits, ResctrlRefusal, Schemata};
use std::path::{Path, PathBuf};

/// What is asked for a program, or for the programs of a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Its limits.
    pub limits: Limits,
    /// Bytes per second that are reserved of its processors, all together.
    pub reserve: Option<u64>,
    /// What is to hold them; `None` for the first that can.
    pub regulator: Option<Regulator>,
    /// Its processors; `None` for all.
    pub cpus: Option<Vec<u32>>,
}

impl Wishes {
    /// Nothing is to be held.
    pub fn is_none(&self) -> bool {
        self.limits.is_none() && self.reserve.is_none()
    }
}

/// Where the kernel is told.
#[derive(Clone, Debug)]
pub struct Trees {
    /// resctrl, or why it is not there.
    pub resctrl: Result<resctrl::Tree, ResctrlRefusal>,
    /// memguard, or why it is not there.
    pub memguard: Result<memguard::Tree, MemguardRefusal>,
    /// What the kernel tells of processors and mounts.
    pub proc: PathBuf,
    /// What it tells of caches.
    pub system: PathBuf,
}

impl Trees {
    /// Those of this machine.
    pub fn find() -> Self {
        Self {
            resctrl: resctrl::Tree::find(),
            memguard: memguard::Tree::find(),
            proc: PathBuf::from(crate::proc::PROC),
            system: PathBuf::from("/sys/devices/system/cpu"),
        }
    }
}

/// What is told to whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regulation {
    /// A class of resctrl with these limits, for programs on these processors.
    pub class: Option<(resctrl::Tree, Limits, Vec<u32>)>,
    /// A group of memguard.
    pub group: Option<(memguard::Tree, Asked)>,
    /// Bytes per second that are held, after rounding; `None` if bandwidth is not limited.
    pub bytes_per_s: Option<u64>,
}

impl Regulation {
    /// What would be done.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn new(wishes: &Wishes, trees: &Trees) -> Result<Self, RegulatorRefusal> {
        let mut regulation = Self::default();
        let limits_bandwidth = wishes.limits.bytes_per_s.is_some() || wishes.reserve.is_some();
        let regulator = limits_bandwidth.then(|| choose(wishes, trees)).transpose()?;
        let by_class = Limits {
            ways: wishes.limits.ways.clone(),
            bytes_per_s: wishes
                .limits
                .bytes_per_s
                .filter(|_| regulator == Some(Regulator::Resctrl)),
        };
        let cpus = wishes.cpus.clone().unwrap_or_else(online_cpus);
        if !by_class.is_none() {
            let tree = trees.resctrl.clone()?;
            let abilities = Abilities::of(&tree, &trees.proc);
            let lines = abilities.lines(&by_class, &cpus, &trees.system)?;
            regulation.bytes_per_s = abilities.limits_of(&Schemata::parse(&lines)).bytes_per_s;
            regulation.class = Some((tree, by_class, cpus));
        }
        match regulator {
            Some(Regulator::Memguard) => regulation.regulate(wishes, trees)?,
            Some(Regulator::Resctrl) => {
                let tree = trees.memguard.as_ref().ok().filter(|tree| tree.is_active());
                let budgets = tree.map(memguard::budgets).unwrap_or_default();
                if !budgets.is_empty() {
                    return Err(RegulatorRefusal::BesideBudgets(budgets));
                }
            }
            None => {}
        }
        Ok(regulation)
    }

    /// A group of memguard for this.
    fn regulate(&mut self, wishes: &Wishes, trees: &Trees) -> Result<(), RegulatorRefusal> {
        let tree = trees.memguard.clone()?;
        if let Ok(classes) = &trees.resctrl {
            let limited = Abilities::of(classes, &trees.proc).classes_with_bandwidth(classes);
            if !limited.is_empty() {
                return Err(RegulatorRefusal::BesideClasses(limited));
            }
        }
        let period_us = tree.period_us()?;
        let budget = |bytes: Option<u64>, parts: u64| -> Result<Option<Budget>, MemguardRefusal> {
            let of = |bytes| {
                Budget::of(bytes, period_us, parts).ok_or(MemguardRefusal::TooLittle {
                    least: least_bytes_per_s(period_us, parts),
                    period_us,
                    parts,
                })
            };
            bytes.map(of).transpose()
        };
        let cpus = wishes.cpus.clone().unwrap_or_default();
        let asked = Asked {
            budget: budget(wishes.limits.bytes_per_s, 1)?,
            reserved: budget(wishes.reserve, cpus.len() as u64)?.map(|each| (cpus, each)),
        };
        // Whether it could be made.
        memguard::Group::new(&tree, asked.clone(), "")?;
        self.bytes_per_s = asked.budget.map(Budget::bytes_per_s);
        self.group = Some((tree, asked));
        Ok(())
    }
}

/// Which one holds bandwidth: the one that is wanted, else resctrl where it can, else memguard where it is loaded.
fn choose(wishes: &Wishes, trees: &Trees) -> Result<Regulator, RegulatorRefusal> {
    if wishes.reserve.is_some() {
        return Ok(Regulator::Memguard);
    }
    match (wishes.regulator, limits_bandwidth(trees), &trees.memguard) {
        (Some(wanted), ..) => Ok(wanted),
        (None, Ok(()), _) => Ok(Regulator::Resctrl),
        (None, Err(_), Ok(_)) => Ok(Regulator::Memguard),
        (None, Err(resctrl), Err(memguard)) => Err(RegulatorRefusal::Neither(resctrl, memguard.clone())),
    }
}

/// Returns an error if resctrl is not there, or limits no bandwidth in bytes.
fn limits_bandwidth(trees: &Trees) -> Result<(), ResctrlRefusal> {
    let tree = trees.resctrl.as_ref().map_err(Clone::clone)?;
    match Abilities::of(tree, Path::new(&trees.proc)).bandwidth {
        None => Err(ResctrlRefusal::NoBandwidth),
        Some(BandwidthUnit::PerCent) => Err(ResctrlRefusal::PerCent),
        Some(_) => Ok(()),
    }
}
