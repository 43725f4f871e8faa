// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was run, stamped on every output: without it a number cannot be made again.

use serde::{Deserialize, Serialize};

/// A file that went into a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// Name or path as the user gave it.
    pub name: String,
    /// Digest of its contents, in hexadecimal.
    pub digest: String,
}

impl InputFile {
    /// A file by name and digest.
    pub fn new(name: impl Into<String>, digest: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            digest: digest.into(),
        }
    }
}

/// Everything needed to make an output again. Holds no time of day and no host name: the same run gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Always "fresco".
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Source revision the tool was built from, if known.
    pub revision: Option<String>,
    /// Command line.
    pub command: String,
    /// Seed of all random numbers; `None` if there are none.
    pub seed: Option<u64>,
    /// Machine files with their digests.
    pub machine_files: Vec<InputFile>,
    /// Scenario, if one was run.
    pub scenario: Option<InputFile>,
    /// Other inputs: traces, maps.
    pub inputs: Vec<InputFile>,
}

impl Provenance {
    /// Provenance of a run with no files; add them to the public fields.
    pub fn new(version: impl Into<String>, command: impl Into<String>, seed: impl Into<Option<u64>>) -> Self {
        Self {
            tool: "fresco".to_owned(),
            version: version.into(),
            revision: None,
            command: command.into(),
            seed: seed.into(),
            machine_files: Vec::new(),
            scenario: None,
            inputs: Vec::new(),
        }
    }

    /// Tool, version and revision: `fresco 0.1.0 (4f817c0)`.
    pub fn tool_line(&self) -> String {
        match &self.revision {
            Some(revision) => format!("{} {} ({revision})", self.tool, self.version),
            None => format!("{} {}", self.tool, self.version),
        }
    }

    /// Name and value of every field that is set, in a fixed order, for footers and the report's section.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let mut entries = vec![("tool", self.tool_line()), ("command", self.command.clone())];
        entries.extend(self.seed.map(|seed| ("seed", seed.to_string())));
        let files = [("machine", &self.machine_files), ("input", &self.inputs)];
        if let Some(scenario) = &self.scenario {
            entries.push(("scenario", file_line(scenario)));
        }
        for (kind, list) in files {
            entries.extend(list.iter().map(|file| (kind, file_line(file))));
        }
        entries
    }

    /// One short line for the foot of a figure: tool, seed, machines.
    pub fn caption(&self) -> String {
        let mut parts = vec![self.tool_line()];
        parts.extend(self.seed.map(|seed| format!("seed {seed}")));
        parts.extend(self.scenario.iter().chain(&self.machine_files).map(|file| {
            let digest: String = file.digest.chars().take(8).collect();
            format!("{} {digest}", file.name)
        }));
        parts.join("; ")
    }

    /// All entries in one line, for the description inside a figure.
    pub fn sentence(&self) -> String {
        let entries: Vec<String> = self
            .entries()
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        entries.join("; ")
    }
}

fn file_line(file: &InputFile) -> String {
    format!("{} (digest {})", file.name, file.digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_follow_a_fixed_order_and_skip_what_is_unset() {
        let mut provenance = Provenance::new("0.1.0", "fresco sim a.toml", 7);
        assert_eq!(provenance.entries().len(), 3);
        let without = Provenance::new("0.1.0", "fresco machine list", None);
        assert_eq!(without.entries().len(), 2);
        assert_eq!(without.caption(), "fresco 0.1.0");
        provenance.revision = Some("4f817c0".to_owned());
        provenance.machine_files.push(InputFile::new("p4080", "00112233445566"));
        provenance.scenario = Some(InputFile::new("a.toml", "ff"));
        let names: Vec<_> = provenance.entries().iter().map(|entry| entry.0).collect();
        assert_eq!(names, ["tool", "command", "seed", "scenario", "machine"]);
        assert_eq!(
            provenance.caption(),
            "fresco 0.1.0 (4f817c0); seed 7; a.toml ff; p4080 00112233"
        );
    }
}
