// SPDX-License-Identifier: MIT OR Apache-2.0
//! What else went on while something was measured.

use serde::Serialize;
use std::fs;
use std::path::Path;

/// The machine, and its load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// Name of the processor; empty if the kernel does not tell.
    pub processor: String,
    /// Vendor, family and model as the processor names them; empty where it has none.
    pub family: String,
    /// A hypervisor is below this kernel: its frames are not those of the hardware.
    pub virtual_machine: bool,
    /// Runnable tasks on average over a minute; `None` if the kernel does not tell.
    pub load_average: Option<f64>,
    /// Share of processor time that a hypervisor gave to others since the kernel started, 0 to 1; at first only, see
    /// [`Conditions::since`].
    pub stolen: Option<f64>,
    /// Ticks of the processors: stolen and all.
    #[serde(skip)]
    ticks: Option<(u64, u64)>,
}

impl Conditions {
    /// Those of now, from a tree like `/proc`.
    pub fn read(root: &Path) -> Self {
        let text = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
        let cpu = text("cpuinfo");
        let value = |key: &str| {
            let line = cpu
                .lines()
                .find(|line| line.split(':').next().is_some_and(|word| word.trim() == key));
            line.and_then(|line| line.split_once(':'))
                .map(|(_, value)| value.trim().to_owned())
        };
        let family = ["vendor_id", "cpu family", "model"].map(|key| value(key).unwrap_or_default());
        let load = text("loadavg");
        let ticks = ticks(&text("stat"));
        Self {
            processor: value("model name").or_else(|| value("Model")).unwrap_or_default(),
            family: match family {
                [vendor, family, model] if !vendor.is_empty() => format!("{vendor} family {family} model {model}"),
                _ => String::new(),
            },
            virtual_machine: value("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            load_average: load.split(' ').next().and_then(|word| word.parse().ok()),
            stolen: ticks.map(|ticks| share((0, 0), ticks)),
            ticks,
        }
    }

    /// The same, its stolen time counted since `before`.
    pub fn since(mut self, before: &Self) -> Self {
        self.stolen = before.ticks.zip(self.ticks).map(|(before, now)| share(before, now));
        self
    }
}

/// Stolen and all ticks of all processors, from `stat`: user, nice, system, idle, iowait, irq, softirq, steal.
fn ticks(stat: &str) -> Option<(u64, u64)> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let counts: Vec<u64> = line
        .split_ascii_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let all = counts
        .iter()
        .take(8)
        .fold(0u64, |sum, count| sum.saturating_add(*count));
    Some((*counts.get(7)?, all))
}

fn share(before: (u64, u64), now: (u64, u64)) -> f64 {
    let (stolen, all) = (now.0.saturating_sub(before.0), now.1.saturating_sub(before.1));
    stolen as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_counted_between_two_looks() {
        let root = std::env::temp_dir().join(format!("fresco-conditions-{}", std::process::id()));
        fs::create_dir_all(&root).expect("a directory for tests");
        let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("writable");
        write(
            "cpuinfo",
            "processor\t: 0\nvendor_id\t: V\ncpu family\t: 16\nmodel\t\t: 9\nmodel name\t: A: one\nflags\t\t: fpu hypervisor\n",
        );
        write("loadavg", "0.25 0.10 0.05 1/100 42\n");
        write("stat", "cpu  10 0 10 70 0 0 0 10 5 0\n");
        let first = Conditions::read(&root);
        assert_eq!(first.processor, "A: one");
        assert_eq!(first.family, "V family 16 model 9");
        assert!(first.virtual_machine);
        assert_eq!((first.load_average, first.stolen), (Some(0.25), Some(0.1)));
        write("stat", "cpu  10 0 10 90 0 0 0 40 5 0\n");
        assert_eq!(Conditions::read(&root).since(&first).stolen, Some(0.6));
        fs::remove_dir_all(&root).expect("is there");
        let none = Conditions::read(Path::new("/nowhere"));
        assert_eq!(
            (none.processor.as_str(), none.load_average, none.stolen),
            ("", None, None)
        );
    }
}
