// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copies of what a scenario or plan is made of, laid out so that its own paths lead to them in the folder.

use super::subject::trace_file;
use fresco_input::{InputError, file_name};
use fresco_plan::plan::PlannedMachine;
use fresco_report::InputFile;
use fresco_scenario::TraceUsed;
use std::path::{Component, Path};

/// Where inputs are copied to.
const INPUTS: &str = "inputs";
/// Where machines are copied to that lie elsewhere, or are built in.
const MACHINES: &str = "inputs/machine";
/// Traces that are longer are named, with their digests, and not copied.
const LARGEST: u64 = 64 << 20;

/// A file of the folder.
pub struct Kept {
    pub path: String,
    pub bytes: Vec<u8>,
    pub what: String,
    /// What makes it anew.
    pub command: Option<String>,
}

/// Copies and results, in the order in which they came.
#[derive(Default)]
pub struct Copies {
    pub files: Vec<Kept>,
    /// Why commands do not repeat everything from the folder alone.
    pub needs: Vec<String>,
    /// The machine's file as verbs name it in the folder; `None` of a built-in one.
    pub machine_named: Option<String>,
    /// The copy of the machine's file.
    pub machine_copy: String,
}

/// A path of the folder.
pub fn in_folder(directory: &str, name: &str) -> String {
    match directory.is_empty() {
        true => name.to_owned(),
        false => format!("{directory}/{name}"),
    }
}

impl Copies {
    /// Adds a copy.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>, what: &str) {
        if self.files.iter().any(|kept| kept.path == path) {
            return;
        }
        self.files.push(Kept {
            path: path.to_owned(),
            bytes,
            what: what.to_owned(),
            command: None,
        });
    }

    /// Adds what a command prints.
    pub fn add_result(&mut self, path: &str, bytes: Vec<u8>, what: &str, command: &str) {
        self.add(path, bytes, what);
        if let Some(kept) = self.files.iter_mut().find(|kept| kept.path == path) {
            kept.command = Some(command.to_owned());
        }
    }

    /// The directory of the folder in which a scenario is put whose directory is `from`, so that `relative` paths, which may lead up, stay
    /// among the inputs.
    pub fn home(&mut self, from: &Path, relative: &[&str]) -> String {
        let ups = relative
            .iter()
            .map(|path| leading_ups(Path::new(path)))
            .max()
            .unwrap_or(0);
        let absolute = std::path::absolute(from).unwrap_or_else(|_| from.to_owned());
        let named = plain(&absolute).unwrap_or_default();
        let mut names: Vec<String> = named.iter().rev().take(ups).rev().cloned().collect();
        while names.len() < ups {
            names.insert(0, "above".to_owned());
        }
        names.insert(0, INPUTS.to_owned());
        names.join("/")
    }

    /// Copies the machine's file, and says how verbs name the machine in the folder. `directory` is where in the folder the paths of the
    /// scenario or plan begin, `from` where they begin here.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn machine(
        &mut self,
        machine: &PlannedMachine,
        directory: &str,
        from: &Path,
    ) -> Result<PlannedMachine, InputError> {
        if let Ok(text) = fresco_machine::builtin_text(&machine.given) {
            self.machine_copy = in_folder(MACHINES, &format!("{}.toml", machine.name));
            self.files.push(Kept {
                path: self.machine_copy.clone(),
                bytes: text.as_bytes().to_vec(),
                what: "the machine's file, which is built in".to_owned(),
                command: Some(format!("fresco machine show {} --toml", machine.given)),
            });
            return Ok(machine.clone());
        }
        if fresco_machine::is_text(&machine.given) {
            // It is written out where it is named.
            self.machine_copy = in_folder(MACHINES, &format!("{}.txt", machine.name));
            self.files.push(Kept {
                path: self.machine_copy.clone(),
                bytes: machine.given.as_bytes().to_vec(),
                what: "the machine, as it is written out".to_owned(),
                command: None,
            });
            return Ok(machine.clone());
        }
        let path = Path::new(&machine.given);
        let bytes = read_bytes(path)?;
        let relative = path.strip_prefix(from).unwrap_or(path);
        let (named, place) = match inside(directory, relative) {
            Some(place) => (in_folder(directory, &relative.display().to_string()), place),
            None => {
                self.needs.push(format!(
                    "the machine's file at {}: its copy lies elsewhere in the folder",
                    file_name(path)
                ));
                let place = in_folder(MACHINES, &format!("{}.toml", machine.name));
                (machine.given.clone(), place)
            }
        };
        self.add(&place, bytes, "the machine's file, as it was read");
        self.machine_copy = place;
        self.machine_named = Some(named.clone());
        Ok(PlannedMachine {
            given: named,
            ..machine.clone()
        })
    }

    /// Copies traces, but long ones, and returns what results say of them.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn traces(&mut self, traces: &[TraceUsed], directory: &str, from: &Path) -> Result<Vec<InputFile>, InputError> {
        let mut named = Vec::new();
        for trace in traces {
            let file = trace_file(trace)?;
            let size = std::fs::metadata(&trace.path).map_or(0, |found| found.len());
            let relative = trace.path.strip_prefix(from).unwrap_or(&trace.path);
            match inside(directory, relative).filter(|_| size <= LARGEST) {
                Some(place) => self.add(&place, read_bytes(&trace.path)?, "a trace that a task replays"),
                None => self.needs_trace(trace, &file),
            }
            if !named.contains(&file) {
                named.push(file);
            }
        }
        Ok(named)
    }

    /// Says that traces are needed beside the folder, and returns what results say of them.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn without(&mut self, traces: &[TraceUsed]) -> Result<Vec<InputFile>, InputError> {
        let mut named = Vec::new();
        for trace in traces {
            let file = trace_file(trace)?;
            if !named.contains(&file) {
                self.needs_trace(trace, &file);
                named.push(file);
            }
        }
        Ok(named)
    }

    fn needs_trace(&mut self, trace: &TraceUsed, file: &InputFile) {
        self.needs.push(format!(
            "the trace {} (digest {}): it is not copied",
            file_name(&trace.path),
            file.digest
        ));
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, InputError> {
    std::fs::read(path).map_err(|error| {
        InputError::new(file_name(path), format!("cannot read it: {error}"))
            .allowed("a file that can be read")
            .help("check its name and permissions")
    })
}

fn leading_ups(path: &Path) -> usize {
    let relative = path.components().skip_while(|part| *part == Component::CurDir);
    relative.take_while(|part| *part == Component::ParentDir).count()
}

/// The place of a relative path from a directory of the folder; `None` of one that leads out of the folder.
fn inside(directory: &str, relative: &Path) -> Option<String> {
    if relative.is_absolute() {
        return None;
    }
    plain(&Path::new(directory).join(relative)).map(|parts| parts.join("/"))
}

/// The names of a path with `.` and `..` worked out; `None` if it leads above its begin, or has a name that is not UTF-8.
fn plain(path: &Path) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?.to_owned()),
            Component::ParentDir => {
                parts.pop()?;
            }
            _ => {}
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_up_stay_among_the_inputs() {
        let mut copies = Copies::default();
        let home = copies.home(Path::new("/a/b/c"), &["../../m.toml", "./traces"]);
        assert_eq!(home, "inputs/b/c");
        assert_eq!(
            inside(&home, Path::new("../../m.toml")).as_deref(),
            Some("inputs/m.toml")
        );
        assert_eq!(
            inside(&home, Path::new("./t/x.trace")).as_deref(),
            Some("inputs/b/c/t/x.trace")
        );
        assert_eq!(copies.home(Path::new("/"), &["../m.toml"]), "inputs/above");
        assert_eq!(copies.home(Path::new(""), &[]), "inputs");
        assert_eq!(inside("inputs", Path::new("/etc/m.toml")), None);
        assert_eq!(inside("", Path::new("../m.toml")), None);
    }
}
