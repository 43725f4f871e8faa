// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of a scenario that MemGuard's module keeps in the virtual machine (`kernel/memguard`), in place of the model: what it is told,
//! and what it says afterwards.

use super::console;
use super::guest::memguard::{MODULES, Memguard};
use fresco_input::InputError;
use fresco_scenario::{Setup, budgets, error_at};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How often the module looks at counts that have no interrupt, in microseconds.
pub const POLL_US: u64 = 20;
/// Periods that the module can have, in microseconds.
const PERIODS_US: std::ops::RangeInclusive<u64> = 100..=1_000_000;
/// Picoseconds of a microsecond.
const US: u64 = 1_000_000;

/// What came of the budget of a processor.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    pub cpu: u32,
    /// The reservation, in lines of a period.
    pub budget: u64,
    /// What the module counted since it was loaded, by the names of its file `stat`.
    pub stat: BTreeMap<String, u64>,
    /// Periods in which the processor has moved lines, one after the other: the number, the lines, and those that it had been given.
    pub periods: Vec<(u64, u64, u64)>,
}

/// What the virtual machine does for the budgets of a point, if there are any.
///
/// # Errors
/// The module has no such budgets.
pub fn of(setup: &Setup, modules: &[PathBuf]) -> Result<Option<Memguard>, InputError> {
    let Some(budgets) = &setup.bandwidth else {
        return Ok(None);
    };
    let place = &setup.tasks[0].place;
    let [node] = budgets.nodes.as_slice() else {
        let found = format!("found budgets of {} controllers", budgets.nodes.len());
        return Err(error_at(place, found)
            .allowed("one controller, as the virtual machine has")
            .help("omit --memguard: the model keeps budgets of all"));
    };
    let period_us = budgets.period / US;
    if !budgets.period.is_multiple_of(US) || !PERIODS_US.contains(&period_us) {
        let found = format!("found a period of {} ns", budgets.period / 1000);
        return Err(error_at(place, found)
            .in_field("bandwidth.period")
            .allowed("whole microseconds from 100 us to 1 s, as MemGuard's module has")
            .help("set another period, or omit --memguard: the model has any"));
    }
    let settings = &node.settings;
    let mut set: Vec<(String, String)> = Vec::new();
    let mut of = |file: String, text: String| set.push((file, text));
    of("source".into(), "fed".into());
    of("period_us".into(), period_us.to_string());
    of("poll_us".into(), POLL_US.to_string());
    let share = match settings.share {
        budgets::Share::None => "none",
        budgets::Share::BestEffort => "best-effort",
        budgets::Share::Weights => "weights",
    };
    let prediction = match settings.prediction {
        budgets::Prediction::Last => "last",
        budgets::Prediction::Average => "average",
    };
    for (file, text) in [
        ("guaranteed", settings.total.to_string()),
        ("chunk", settings.chunk.to_string()),
        ("share", share.to_owned()),
        ("prediction", prediction.to_owned()),
        ("reclaim", u8::from(settings.reclaim).to_string()),
    ] {
        of(format!("nodes/0/{file}"), text);
    }
    for (cpu, one) in node.cores.iter().zip(&settings.reservations) {
        let kind = match one.kind {
            budgets::Kind::Hard => "hard",
            budgets::Kind::Soft => "soft",
        };
        of(format!("cpus/{cpu}/kind"), kind.to_owned());
        of(format!("cpus/{cpu}/weight"), one.weight.to_string());
        of(format!("cpus/{cpu}/budget"), one.lines.to_string());
    }
    Ok(Some(Memguard {
        modules: (0..modules.len()).map(module).collect(),
        settings: set,
        cpus: node.cores.clone(),
    }))
}

/// Where a module lies in the virtual machine, by its place among those that are loaded.
pub fn module(place: usize) -> String {
    format!("{MODULES}/{place}.ko")
}

/// Returns an error if a file is no module that Linux loads as it is.
pub fn check(modules: &[PathBuf]) -> Result<(), InputError> {
    let is_elf = |path: &Path| -> std::io::Result<bool> {
        let mut magic = [0; 4];
        std::io::Read::read_exact(&mut std::fs::File::open(path)?, &mut magic)?;
        Ok(magic == *b"\x7fELF")
    };
    for path in modules {
        let place = path.display().to_string();
        match is_elf(path) {
            Ok(true) => {}
            Ok(false) => {
                return Err(InputError::new(place, "found no module of the kernel")
                    .allowed("one that `make` has built, as memguard.ko")
                    .help("one that is compressed, as configfs.ko.xz, has to be unpacked first: xz -dk"));
            }
            Err(error) => {
                return Err(InputError::new(place, error.to_string()).help("check the name and whether it may be read"));
            }
        }
    }
    Ok(())
}

/// What the module said of each processor, if it did.
pub fn kept(setup: &Setup, said: &[String]) -> Vec<Kept> {
    let Some(node) = setup.bandwidth.as_ref().and_then(|budgets| budgets.nodes.first()) else {
        return Vec::new();
    };
    let all = node.cores.iter().zip(&node.settings.reservations);
    let of_cpu = |(cpu, one): (&u32, &budgets::Reservation)| {
        let words = |key: &str| {
            let name = format!("memguard {cpu}");
            // The last time, if several programs have ended.
            let mut lines = said.iter().rev();
            lines
                .find_map(|line| console::word(line, &name, key))
                .map(str::split_whitespace)
        };
        let stat = words("stat")?.filter_map(|word| {
            let (name, count) = word.split_once('=')?;
            Some((name.to_owned(), count.parse().ok()?))
        });
        let periods = words("periods")?.filter_map(|word| {
            let mut numbers = word.split(':').map(|number| number.parse().ok());
            Some((numbers.next()??, numbers.next()??, numbers.next()??))
        });
        Some(Kept {
            cpu: *cpu,
            budget: one.lines,
            stat: stat.collect(),
            periods: periods.collect(),
        })
    };
    all.filter_map(of_cpu).collect()
}

impl Kept {
    /// In words.
    pub fn told(&self) -> String {
        let used_up = self.periods.iter().filter(|(_, used, given)| used >= given).count();
        let most = self.periods.iter().map(|(_, used, _)| used).max();
        let beyond = |(_, used, given): &(u64, u64, u64)| used.saturating_sub(*given);
        format!(
            "processor {} used up its budget of {} lines in {used_up} of {} periods, by MemGuard; it moved {} at most, {} beyond what it had",
            self.cpu,
            self.budget,
            self.periods.len(),
            most.unwrap_or(&0),
            self.periods.iter().map(beyond).max().unwrap_or(0)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_module_said_is_read() {
        let text = "name = \"a\"\nmachine = \"xeon-w3530\"\npolicy.bandwidth = \"memguard\"\n[bandwidth]\nperiod = \"1 ms\"\n\
                    [[task]]\nname = \"a\"\nprogram = \"idle\"\ncore = 2\nreserve = \"64 MB/s\"\n";
        let scenario = fresco_scenario::Scenario::parse("a.toml", text, Path::new(""), &[]).expect("sound");
        let setup = &scenario.points[0].setup;
        let memguard = of(setup, &["a".into(), "b".into()]).expect("sound").expect("budgets");
        assert_eq!(memguard.modules, ["/loop/modules/0.ko", "/loop/modules/1.ko"]);
        assert_eq!(memguard.cpus, [2]);
        let has = |file: &str, text: &str| memguard.settings.contains(&(file.to_owned(), text.to_owned()));
        assert!(
            has("source", "fed") && has("period_us", "1000") && has("cpus/2/budget", "1000"),
            "{memguard:?}"
        );
        assert!(
            has("cpus/2/kind", "soft") && has("nodes/0/share", "none") && has("nodes/0/reclaim", "0"),
            "{memguard:?}"
        );
        let said = [
            "memguard 2 stat: periods=5 used=2100 exhausted=2",
            "memguard 2 periods: 7:1000:1000 8:1100:1000",
        ];
        let kept = kept(setup, &said.map(str::to_owned));
        assert_eq!(kept.len(), 1);
        assert_eq!((kept[0].cpu, kept[0].budget, kept[0].stat["used"]), (2, 1000, 2100));
        assert_eq!(kept[0].periods, [(7, 1000, 1000), (8, 1100, 1000)]);
        assert_eq!(
            kept[0].told(),
            "processor 2 used up its budget of 1000 lines in 2 of 2 periods, by MemGuard; it moved 1100 at most, 100 beyond what it had"
        );
    }
}
