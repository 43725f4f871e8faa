// SPDX-License-Identifier: MIT OR Apache-2.0
//! The patches that the program comes with, and whether a record was measured on them.

/// What a measured kernel is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Checksum of patches, new files and configuration.
    pub sum: String,
    /// Names of the patches, in order.
    pub patches: Vec<String>,
}

impl State {
    /// The one in `kernel/` when the program was built.
    pub fn present() -> Self {
        let series = include_str!("../../../../kernel/series").lines();
        let names = series.filter_map(|line| line.split_whitespace().next().filter(|word| !word.starts_with('#')));
        Self {
            sum: env!("FRESCO_KERNEL_STATE").to_owned(),
            patches: names.map(|name| name.trim_end_matches(".patch").to_owned()).collect(),
        }
    }

    /// How `self`, which was measured, relates to the `present` state; with what to do about it.
    pub fn compared(&self, present: &Self) -> String {
        if self.sum == present.sum {
            return "measured on the present patches".to_owned();
        }
        let missing = |from: &Self, of: &Self| -> Vec<String> {
            let absent = of.patches.iter().filter(|name| !from.patches.contains(name));
            absent.cloned().collect()
        };
        let (newer, gone) = (missing(self, present), missing(present, self));
        let mut changes = Vec::new();
        if !newer.is_empty() {
            changes.push(format!("{} came since", newer.join(", ")));
        }
        if !gone.is_empty() {
            changes.push(format!("{} went since", gone.join(", ")));
        }
        if changes.is_empty() {
            changes.push("the same patches have changed since".to_owned());
        }
        format!(
            "of an older state: {}; scripts/kernel-test cost measures the present one, {}",
            changes.join(", "),
            present.sum
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn state(sum: &str, patches: &[&str]) -> State {
        State {
            sum: sum.to_owned(),
            patches: patches.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn an_older_state_is_told_with_what_has_changed() {
        let present = state("2-20", &["a", "b"]);
        assert_eq!(present.compared(&present), "measured on the present patches");
        let cases = [
            (state("1-10", &["a"]), "of an older state: b came since; "),
            (state("1-10", &["a", "b", "c"]), "of an older state: c went since; "),
            (
                state("1-10", &["c", "a"]),
                "of an older state: b came since, c went since; ",
            ),
            (
                state("1-10", &["a", "b"]),
                "of an older state: the same patches have changed since; ",
            ),
        ];
        for (older, start) in cases {
            let told = older.compared(&present);
            assert!(told.starts_with(start) && told.ends_with("2-20"), "{told}");
        }
    }

    #[test]
    fn the_script_and_the_program_find_the_same_state() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let done = Command::new(format!("{root}/scripts/kernel-state"))
            .output()
            .expect("bash");
        assert!(done.status.success(), "{done:?}");
        let printed = String::from_utf8(done.stdout).expect("digits");
        assert_eq!(printed.trim(), State::present().sum);
    }

    #[test]
    fn the_present_patches_are_those_of_the_series() {
        let patches = State::present().patches;
        assert!(
            patches[0].starts_with("0001-") && patches.iter().all(|name| !name.contains(".patch")),
            "{patches:?}"
        );
    }
}
