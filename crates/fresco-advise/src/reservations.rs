// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth that is reserved for the cores of tasks with goals (MG-1, MG-3).
//!
//! A budget is its core's. So tasks that have a core in common have one reservation, that of the one that wants most.

use super::goal::Goal;
use fresco_system::{Overview, Role, TaskOverview};
use std::collections::{BTreeMap, BTreeSet};

/// A task that uses less keeps this reservation, in bytes per second.
pub(super) const LEAST: u64 = 10_000_000;

/// Bandwidth for each core of a measured task, by name, in bytes per second.
pub type Reserved = BTreeMap<String, u64>;

/// What a goal asks of each copy, in bytes per second; 0 for nothing.
pub(super) fn asked(task: &TaskOverview, goal: &Goal) -> u64 {
    let bytes = goal.bandwidth_bytes_per_s.unwrap_or(0);
    bytes.div_ceil(task.cores.len().max(1) as u64)
}

/// The measured tasks that have a core in common with `name`, directly or by way of others; itself among them.
pub(super) fn mates(overview: &Overview, name: &str) -> BTreeSet<String> {
    let measured = || overview.tasks.iter().filter(|task| task.role == Role::Measured);
    let mut cores: BTreeSet<u32> = BTreeSet::new();
    let mut found = BTreeSet::from([name.to_owned()]);
    loop {
        let before = found.len();
        cores.extend(
            measured()
                .filter(|task| found.contains(&task.name))
                .flat_map(|task| &task.cores),
        );
        let touches = |task: &&TaskOverview| task.cores.iter().any(|core| cores.contains(core));
        found.extend(measured().filter(touches).map(|task| task.name.clone()));
        if found.len() == before {
            return found;
        }
    }
}

/// Makes the reservations of what tasks want: the same on all cores of tasks that share one, and cut down to `room` on every
/// node, in bytes per second.
pub(super) fn fit(overview: &Overview, wanted: &Reserved, room: u64) -> Reserved {
    let most_of = |name: &String| {
        mates(overview, name)
            .iter()
            .filter_map(|mate| wanted.get(mate))
            .copied()
            .max()
    };
    let mut reserved: Reserved = wanted
        .keys()
        .filter_map(|name| Some((name.clone(), most_of(name)?)))
        .collect();
    let mut by_node = vec![0u64; overview.machine.topology.nodes() as usize];
    for (core, bytes) in by_core(overview, &reserved) {
        by_node[overview.machine.topology.node_of_core[core as usize] as usize] += bytes;
    }
    let most = by_node.into_iter().max().unwrap_or(0);
    if most > room {
        for bytes in reserved.values_mut() {
            let share = u128::from(*bytes) * u128::from(room) / u128::from(most);
            *bytes = u64::try_from(share).unwrap_or(u64::MAX).max(1);
        }
    }
    reserved
}

/// The reservation of each core, in bytes per second.
pub(super) fn by_core(overview: &Overview, reserved: &Reserved) -> BTreeMap<u32, u64> {
    let tasks = overview.tasks.iter();
    let of_task = |task: &TaskOverview| {
        let bytes = reserved.get(&task.name).copied();
        task.cores
            .clone()
            .into_iter()
            .filter_map(move |core| Some((core, bytes?)))
    };
    tasks.flat_map(of_task).collect()
}

/// The reservations with half of what one task and those on its cores have; `None` below `least`, in bytes per second.
pub(super) fn halved(overview: &Overview, reserved: &Reserved, name: &str, least: u64) -> Option<Reserved> {
    let half = reserved.get(name)? / 2;
    let mut less = reserved.clone();
    for mate in mates(overview, name) {
        less.insert(mate, half);
    }
    (half >= least).then_some(less)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_system::Scenario;

    /// Tasks `a` and `b` on core 0, `c` on cores 2 and 3, and one that is not measured on core 1.
    fn overview() -> Overview {
        let task = |name: &str, more: &str| format!("[[task]]\nname = '{name}'\nprogram = 'latency'\n{more}\n");
        let text = [
            "name = 't'\nmachine = 'xeon-w3530'\nmeasure.jobs = 1\n".to_owned(),
            task("a", "core = 0\nperiod = '1 ms'"),
            task("b", "core = 0\nperiod = '2 ms'"),
            task("c", "cores = '2-3'"),
            task("d", "core = 1\nrole = 'background'"),
        ]
        .concat();
        let scenario =
            Scenario::parse("t.toml", &text, std::path::Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"));
        scenario.overview().expect("one point")
    }

    fn wanted(a: u64, b: u64, c: u64) -> Reserved {
        [("a", a), ("b", b), ("c", c)]
            .map(|(name, bytes)| (name.to_owned(), bytes))
            .into()
    }

    #[test]
    fn tasks_of_a_core_have_one_reservation() {
        let overview = overview();
        assert_eq!(mates(&overview, "a"), ["a", "b"].map(str::to_owned).into());
        assert_eq!(mates(&overview, "c"), ["c".to_owned()].into());
        let reserved = fit(&overview, &wanted(100, 300, 200), 1000);
        assert_eq!(reserved, wanted(300, 300, 200));
        assert_eq!(by_core(&overview, &reserved), [(0, 300), (2, 200), (3, 200)].into());
        assert_eq!(halved(&overview, &reserved, "b", 150), Some(wanted(150, 150, 200)));
        assert_eq!(halved(&overview, &reserved, "b", 151), None);
    }

    #[test]
    fn what_is_too_much_is_cut_down_in_proportion() {
        // 300 + 200 + 200 are 700.
        let reserved = fit(&overview(), &wanted(100, 300, 200), 350);
        assert_eq!(reserved, wanted(150, 150, 100));
    }
}
