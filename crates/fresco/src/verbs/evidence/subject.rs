// SPDX-License-Identifier: MIT OR Apache-2.0
//! What evidence is made for: the scenario or plan, read once, and the copies of all that it is made of, under names from which the verbs
//! read them in the folder.

use super::copies::{Copies, in_folder};
use super::facts::{Kind, SubjectFacts};
use crate::failure::Failure;
use crate::plans::{self, LoadedPlan};
use crate::scenarios;
use crate::stop::Stop;
use crate::verbs::attack::only_point;
use crate::verbs::sim::asks_for_a_plan;
use crate::waiting;
use fresco_dram::ColorSpace;
use fresco_input::{Document, InputError, file_name, is_standard_input, read_file};
use fresco_load::trace::digest_of_file;
use fresco_machine::Machine;
use fresco_plan::plan::{PlannedMachine, Work};
use fresco_plan::{Plan, TaskSet};
use fresco_report::{InputFile, Provenance};
use fresco_scenario::{Setup, Source, builtin_text, is_plan};
use fresco_system::Scenario;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario or plan.
pub struct Subject {
    pub kind: Kind,
    /// As the user named it.
    given: String,
    /// Set on the command line.
    set: Vec<String>,
    /// What verbs read in the folder.
    pub file: InputFile,
    /// Its name.
    pub name: String,
    /// The tasks as a scenario and its only point; `None` of a plan whose tasks name no program, which verbs on scenarios do not take.
    pub scenario: Option<(Scenario, Arc<Setup>)>,
    /// The machine, with what is changed of it.
    pub model: Machine,
    /// Its colors.
    pub space: Arc<ColorSpace>,
    /// The plan, with the names of the folder in what is said of its files.
    pub plan: Option<LoadedPlan>,
    /// The machine as verbs name it in the folder.
    pub machine: PlannedMachine,
    /// What is said of the machine's file in results.
    machine_file: InputFile,
    traces: Vec<InputFile>,
    pub copies: Copies,
    /// Files that were read, none of which may lie in the folder.
    pub read: Vec<PathBuf>,
}

/// What was read of the file that the user named.
struct Read {
    text: String,
    /// The directory that its paths are relative to.
    directory: PathBuf,
    /// The name of its copy, without directories.
    name: String,
    path: Option<PathBuf>,
}

impl Subject {
    /// Reads it; a scenario with `[plan]` is planned.
    ///
    /// # Errors
    /// What reading a scenario or a plan finds; standard input; a sweep; a scenario that has no plan.
    pub fn load(given: &str, set: &[String], stop: &Stop) -> Result<Self, Failure> {
        let read = Read::of(given)?;
        let file = file_name(given);
        if is_plan(&file, &read.text) {
            if let Some(word) = set.first() {
                return Err(InputError::new(format!("--set {word}"), "found a change to a plan")
                    .allowed("a plan as it is")
                    .help("change the scenario and plan again: fresco plan SCENARIO --set …")
                    .into());
            }
            let plan = Plan::parse(&file, &read.text)?;
            return Self::of_plan(given, plan, &read);
        }
        let source = Source::of_text(&file, read.text.clone(), &read.directory)?;
        if asks_for_a_plan(&file, &source.with(set)?) {
            return Self::planned(given, set, &source, &read, stop);
        }
        Self::of_scenario(given, set, &source, &read)
    }

    fn of_scenario(given: &str, set: &[String], source: &Source, read: &Read) -> Result<Self, Failure> {
        let scenario = Scenario::of(source, set)?;
        let setup = Arc::clone(only_point_of(&scenario, given)?);
        let mut copies = Copies::default();
        let text = source.with(set)?;
        let named = Named::of(&source.file, &text)?;
        let directory = copies.home(&read.directory, &named.relative());
        let name = in_folder(&directory, &read.name);
        copies.add(&name, read.text.clone().into_bytes(), "the scenario, as it was read");
        let machine = copies.machine(&setup.machine_given, &directory, &read.directory)?;
        let traces = copies.traces(&setup.traces(), &directory, &read.directory)?;
        let file = InputFile::new(name, crate::provenance::digest(&read.text));
        let mut files: Vec<PathBuf> = setup.traces().into_iter().map(|trace| trace.path).collect();
        files.extend(setup.machine_used().path);
        files.extend(read.path.clone());
        Ok(Self {
            kind: Kind::Scenario,
            given: given.to_owned(),
            set: set.to_vec(),
            file,
            machine_file: machine_file(&setup.machine, files_machine(&setup), &machine),
            machine,
            name: scenario.name.clone(),
            model: setup.machine.clone(),
            space: Arc::clone(&setup.space),
            scenario: Some((scenario, setup)),
            plan: None,
            traces,
            copies,
            read: files,
        })
    }

    /// Plans the tasks; the plan is a file of the folder, and what the rest is about.
    fn planned(given: &str, set: &[String], source: &Source, read: &Read, stop: &Stop) -> Result<Self, Failure> {
        let path = Path::new(given);
        let tasks = TaskSet::of(source, set)?;
        let made = waiting::plan(&tasks, None, stop);
        let mut plan = made.map_err(|refusal| plans::refused(path, &tasks, &refusal))?;
        plans::verify(&plan, &tasks.machine)?;
        let mut copies = Copies::default();
        let named = Named::of(&source.file, &source.with(set)?)?;
        let directory = copies.home(&read.directory, &named.relative());
        let name = in_folder(&directory, &read.name);
        copies.add(&name, read.text.clone().into_bytes(), "the scenario, as it was read");
        let original = plan.machine.clone();
        plan.machine = copies.machine(&original, &directory, &read.directory)?;
        let command = command("plan", &name, set, "--json");
        let provenance = Provenance {
            command: command.clone(),
            inputs: vec![InputFile::new(name, crate::provenance::digest(&read.text))],
            machine_files: vec![crate::provenance::machine_file(&tasks.machine, &plan.machine.given)],
            ..crate::provenance::of_this_run(None)
        };
        let bytes = plans::document(&plan, &provenance)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        copies.add_result("plan.json", bytes, "the plan", &command);
        // Read by the name that the machine has here.
        plan.machine = original;
        let file = InputFile::new("plan.json", crate::provenance::digest(&text));
        let mut subject = Self::about(given, Kind::Planned, plan, file, copies, read)?;
        subject.set = set.to_vec();
        Ok(subject)
    }

    fn of_plan(given: &str, plan: Plan, read: &Read) -> Result<Self, Failure> {
        let mut copies = Copies::default();
        let name = in_folder("inputs", &read.name);
        copies.add(&name, read.text.clone().into_bytes(), "the plan, as it was read");
        // A plan names the machine as seen from the working directory.
        copies.machine(&plan.machine, "", Path::new(""))?;
        let file = InputFile::new(name, crate::provenance::digest(&read.text));
        Self::about(given, Kind::Plan, plan, file, copies, read)
    }

    fn about(
        given: &str,
        kind: Kind,
        plan: Plan,
        file: InputFile,
        mut copies: Copies,
        read: &Read,
    ) -> Result<Self, Failure> {
        let machine = fresco_machine::load_with(&plan.machine.given, &plan.machine.changes)?;
        let scenario = match plan.tasks.iter().any(|task| task.work == Work::Synthetic) {
            true => None,
            false => {
                let scenario = Scenario::of(&source_of(&plan)?, &[])?;
                let setup = Arc::clone(only_point_of(&scenario, given)?);
                Some((scenario, setup))
            }
        };
        let traces = match &scenario {
            Some((_, setup)) => copies.without(&setup.traces())?,
            None => Vec::new(),
        };
        let space = machine
            .colors()
            .map_err(|error| error.into_input(plan.machine.given.clone(), "machine"))?;
        let named = match &copies.machine_named {
            Some(name) => PlannedMachine {
                given: name.clone(),
                ..plan.machine.clone()
            },
            None => plan.machine.clone(),
        };
        let machine_file = machine_file(&machine, copies.machine_named.is_some(), &named);
        let provenance = Provenance {
            inputs: vec![file.clone()],
            machine_files: vec![machine_file.clone()],
            ..crate::provenance::of_this_run(None)
        };
        let of_machine = copies
            .machine_named
            .as_ref()
            .map(|_| PathBuf::from(&plan.machine.given));
        let files: Vec<PathBuf> = of_machine.into_iter().chain(read.path.clone()).collect();
        Ok(Self {
            kind,
            given: given.to_owned(),
            set: Vec::new(),
            file,
            machine_file,
            machine: named,
            name: plan.name.clone(),
            model: machine.clone(),
            space: Arc::new(space),
            scenario,
            plan: Some(LoadedPlan {
                inputs: files.clone(),
                plan,
                machine,
                provenance,
            }),
            traces,
            copies,
            read: files,
        })
    }

    /// What `evidence.json` says of it.
    pub fn facts(&self) -> SubjectFacts {
        SubjectFacts {
            kind: self.kind,
            given: self.given.clone(),
            file: self.file.name.clone(),
            set: self.set.clone(),
            needs: self.copies.needs.clone(),
        }
    }

    /// Digest of the machine's file without changes, unless these are to the map itself.
    pub fn digest_of_map(&self) -> String {
        let of_map = |key: &str| key.starts_with("memory.map") || key.starts_with("memory.organisation");
        let copy = self
            .copies
            .files
            .iter()
            .find(|kept| kept.path == self.copies.machine_copy);
        match copy {
            Some(copy) if !self.machine.changes.iter().any(|(key, _)| of_map(key)) => {
                crate::provenance::digest(&String::from_utf8_lossy(&copy.bytes))
            }
            _ => self.model.text_digest.clone(),
        }
    }

    /// The command of a verb on its file, as it is run in the folder; `rest` follows.
    pub fn command(&self, verb: &str, rest: &str) -> String {
        let set = match self.kind {
            Kind::Scenario => self.set.as_slice(),
            Kind::Planned | Kind::Plan => &[],
        };
        command(verb, &self.file.name, set, rest)
    }

    /// What a verb run in the folder says of itself; of plans verbs say it otherwise than of scenarios.
    pub fn provenance(&self, command: &str, seed: impl Into<Option<u64>>, as_plan: bool) -> Provenance {
        let mut provenance = crate::provenance::of_this_run(seed);
        command.clone_into(&mut provenance.command);
        match as_plan {
            true => provenance.inputs = vec![self.file.clone()],
            false => {
                provenance.scenario = Some(self.file.clone());
                provenance.inputs.clone_from(&self.traces);
            }
        }
        provenance.machine_files = vec![self.machine_file.clone()];
        provenance
    }
}

impl Read {
    fn of(given: &str) -> Result<Self, InputError> {
        if is_standard_input(given) {
            return Err(InputError::new(given, "found standard input")
                .allowed("the file of a scenario or plan, or the name of a built-in scenario")
                .help("write it to a file: commands that repeat the evidence have to name it"));
        }
        if !scenarios::is_path(given) {
            return Ok(Self {
                text: builtin_text(given)?.to_owned(),
                directory: PathBuf::new(),
                name: format!("{given}.toml"),
                path: None,
            });
        }
        let path = PathBuf::from(given);
        Ok(Self {
            text: read_file(&path)?,
            directory: path.parent().map(Path::to_owned).unwrap_or_default(),
            name: path.file_name().map_or_else(
                || "scenario.toml".to_owned(),
                |name| name.to_string_lossy().into_owned(),
            ),
            path: Some(path),
        })
    }
}

/// The paths that a scenario names.
struct Named {
    machine: Option<String>,
    trace_dir: Option<String>,
}

impl Named {
    fn of(file: &str, text: &str) -> Result<Self, InputError> {
        let document = Document::parse(file, text)?;
        let root = document.root();
        let machine = root
            .opt_text("machine")?
            .filter(|name| name.contains('/') || name.ends_with(".toml"));
        Ok(Self {
            machine: machine.map(str::to_owned),
            trace_dir: root.opt_text("trace_dir")?.map(str::to_owned),
        })
    }

    fn relative(&self) -> Vec<&str> {
        self.machine.iter().chain(&self.trace_dir).map(String::as_str).collect()
    }
}

fn only_point_of<'s>(scenario: &'s Scenario, given: &str) -> Result<&'s Arc<Setup>, InputError> {
    only_point(scenario, given)?;
    Ok(&scenario.points[0].setup)
}

/// The tasks of a plan whose machine has the name that it has here.
fn source_of(plan: &Plan) -> Result<Source, Failure> {
    let bytes = plans::document(plan, &crate::provenance::of_this_run(None))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Source::of_text("plan.json", text, Path::new(""))?)
}

/// What results say of the machine's file.
fn machine_file(machine: &Machine, is_file: bool, named: &PlannedMachine) -> InputFile {
    let path = is_file.then(|| Path::new(&named.given));
    crate::provenance::named_machine(&machine.name, path, &machine.text_digest)
}

fn files_machine(setup: &Setup) -> bool {
    setup.machine_used().path.is_some()
}

/// A command line of a verb.
fn command(verb: &str, file: &str, set: &[String], rest: &str) -> String {
    let mut words = vec!["fresco".to_owned(), verb.to_owned(), crate::provenance::quoted(file)];
    for word in set {
        words.extend(["--set".to_owned(), crate::provenance::quoted(word)]);
    }
    words.extend(rest.split_whitespace().map(str::to_owned));
    words.join(" ")
}

/// A trace as results name it.
pub(super) fn trace_file(trace: &fresco_scenario::TraceUsed) -> Result<InputFile, InputError> {
    Ok(InputFile::new(trace.name.clone(), digest_of_file(&trace.path)?))
}
