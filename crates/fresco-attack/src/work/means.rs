// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the attackers of a task have, and may do.

use fresco_scenario::Setup;
use rand::Rng;
use rand_pcg::Pcg64;

/// A core that attacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreMeans {
    /// Its number.
    pub core: u32,
    /// Its copies of tasks, any of which may be the attacker: it has that one's memory.
    pub copies: Vec<usize>,
}

/// What attackers of a scenario have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Means {
    /// The cores, in the order of their numbers.
    pub cores: Vec<CoreMeans>,
    /// Lines of the memory of each.
    pub lines: u32,
    /// Banks of the machine.
    pub banks: u32,
    /// Misses of a core under way at most.
    pub misses: u32,
    /// Places of a controller's write buffer.
    pub writes: u32,
    /// Ways of the last-level cache, or of the last private one.
    pub ways: u32,
    /// Instructions of a core in a refresh interval, at most.
    pub refresh: u32,
    /// They may store: some program of the scenario does. Where none does the bound knows of no line that is written back.
    pub may_store: bool,
    /// Periods at which jobs of attackers may come, in nanoseconds; empty where no task has a period, and attackers have none.
    pub periods_ns: Vec<u64>,
}

impl Means {
    /// What `others`, copies of a setup, may do to copy `attacked`; each has so many lines.
    pub fn of(setup: &Setup, attacked: usize, others: &[usize], lines: u32) -> Self {
        let machine = &setup.machine;
        let mut cores: Vec<CoreMeans> = Vec::new();
        for &copy in others {
            let number = setup.copies[copy].core;
            match cores.iter_mut().find(|core| core.core == number) {
                Some(core) => core.copies.push(copy),
                None => cores.push(CoreMeans {
                    core: number,
                    copies: vec![copy],
                }),
            }
        }
        cores.sort_by_key(|core| core.core);
        let timing = &machine.memory.timing;
        let refresh_ps = timing.clock.to_ps(timing.refi.max(1));
        let instructions = u128::from(refresh_ps) * u128::from(machine.core.mhz * machine.core.issue_width) / 1_000_000;
        let refresh_ns = (refresh_ps / 1_000).max(1);
        let periods_ns = match setup.is_periodic() {
            false => Vec::new(),
            true => {
                let attacked = setup.tasks[setup.copies[attacked].task].timing.as_ref();
                let beats = attacked
                    .into_iter()
                    .flat_map(|task| [task.period, (task.period / 4).max(1)]);
                beats.chain([1, 2, 4, 16].map(|times| times * refresh_ns)).collect()
            }
        };
        let last = machine.llc.as_ref().map(|llc| &llc.cache);
        let last = last.or(machine.l2.as_ref()).or(machine.l1.as_ref());
        Self {
            cores,
            lines,
            banks: machine.memory.organisation.banks_total(),
            misses: machine.core.mshrs,
            writes: machine.memory.controller.queues.writes(),
            ways: last.map_or(1, |cache| cache.ways),
            refresh: u32::try_from(instructions).unwrap_or(u32::MAX),
            may_store: setup.copies.iter().any(|copy| !setup.program(copy.task).only_reads()),
            periods_ns,
        }
    }

    /// Bytes of the memory of each attacker: twice its last-level cache, so that it can displace all of it; 1 to 64 MiB.
    pub fn bytes(setup: &Setup) -> u64 {
        let machine = &setup.machine;
        let last = machine.llc.as_ref().map(|llc| &llc.cache);
        let last = last.or(machine.l2.as_ref()).map_or(0, |cache| cache.size);
        (2 * last).clamp(1 << 20, 64 << 20).next_multiple_of(machine.page_bytes)
    }
}

/// A number of a range whose logarithm is uniform.
pub(crate) fn log_uniform(least: u32, most: u32, rng: &mut Pcg64) -> u32 {
    let (low, high) = (f64::from(least.max(1)).ln(), f64::from(most.max(least).max(1)).ln());
    let number = (low + (high - low) * rng.random_range(0.0..=1.0)).exp();
    (number.round() as u32).clamp(least, most.max(least))
}
