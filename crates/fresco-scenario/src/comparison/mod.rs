// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenario that a few words stand for: programs on a machine, beside others, under several policies.

mod policy;
mod words;

pub use policy::policies;

use fresco_dram::color::ColorSpace;
use fresco_input::{InputError, quoted};
use fresco_load::trace::{busiest_thread_of, threads_of};
use fresco_machine::Machine;
use policy::Policy;
use std::fmt::Write as _;
use std::path::Path;
use words::{copies_of, program_of, scenario_name, task_name, unused};

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// A built-in machine, or the path of a machine file.
    pub machine: &'a str,
    /// Programs that are measured: paths of traces (with a `/` or a `.`), or names of built-in programs. One on each core, from
    /// core 0 on.
    pub measured: &'a [String],
    /// Programs in the background, on the cores after these: a word as above, and after a comma on how many cores it runs, one if
    /// omitted.
    pub beside: &'a [String],
    /// Names of [`policies`], each also with `+memguard`.
    pub policies: &'a [String],
    /// Recorded programs of several threads are replayed with all of them, a core for each, as far as there are cores; otherwise with the
    /// one that executes the most instructions.
    pub is_together: bool,
}

/// Loads and stores of each measured program before it is measured, and while it is.
const WARM_UP: u64 = 100_000;
const MEASURED: u64 = 1_000_000;
/// A task of the scenario.
#[derive(Clone)]
struct Task {
    name: String,
    program: String,
    file: Option<String>,
    /// The thread that is replayed, where it is one.
    thread: u16,
    cores: std::ops::Range<u32>,
}

impl Comparison<'_> {
    /// A scenario with the tasks, the policies as an axis, and whether the others run as another one.
    ///
    /// # Errors
    /// No such machine, program or policy; more programs than the machine has cores.
    pub fn to_text(&self) -> Result<String, InputError> {
        let machine = fresco_machine::load(self.machine)?;
        let (measured, background) = self.tasks(&machine)?;
        let mut text = self.head(&measured, &background);
        _ = writeln!(text, "\n[sweep]");
        let policies: Vec<Policy> = match self.policies {
            [] => vec![Policy::named("--policies", "buddy")?],
            several => several
                .iter()
                .map(|name| Policy::named("--policies", name))
                .collect::<Result<_, _>>()?,
        };
        let names: Vec<String> = policies.iter().map(|policy| quoted(&policy.name)).collect();
        _ = writeln!(text, "policy = [{}]", names.join(", "));
        let others: u32 = background.iter().map(|task| task.cores.len() as u32).sum();
        if others > 0 {
            _ = writeln!(text, "corunners = [0, {others}]");
        }
        _ = writeln!(text, "\n[baseline]\npolicy = {}", names[0]);
        if others > 0 {
            _ = writeln!(text, "corunners = 0");
        }
        let all: Vec<&Task> = measured.iter().chain(&background).collect();
        for policy in &policies {
            write_policy(&mut text, policy, &machine, &all)?;
        }
        write_tasks(&mut text, &measured, &background);
        Ok(text)
    }

    /// A scenario with the tasks alone, for the adviser, who tries policies himself.
    ///
    /// # Errors
    /// As [`Self::to_text`].
    pub fn to_text_of_tasks(&self) -> Result<String, InputError> {
        let machine = fresco_machine::load(self.machine)?;
        let (measured, background) = self.tasks(&machine)?;
        let mut text = self.head(&measured, &background);
        write_tasks(&mut text, &measured, &background);
        Ok(text)
    }

    /// A scenario with a program that runs meanwhile in place of measured ones, a task of its name on core 0: one run, beside all others,
    /// under the first policy.
    ///
    /// # Errors
    /// As [`Self::to_text`].
    pub fn to_text_of_live(&self, program: &str) -> Result<String, InputError> {
        let machine = fresco_machine::load(self.machine)?;
        let live = Task {
            name: task_name(program),
            program: "live".to_owned(),
            file: None,
            thread: 0,
            cores: 0..1,
        };
        let background = self.background(&machine, &mut vec![live.name.clone()], 1)?;
        let policy = Policy::named("--policy", self.policies.first().map_or("buddy", String::as_str))?;
        let measured = [live];
        let mut text = self.head(&measured, &background);
        _ = writeln!(text, "\n[sweep]\npolicy = [{}]", quoted(&policy.name));
        let others: u32 = background.iter().map(|task| task.cores.len() as u32).sum();
        if others > 0 {
            _ = writeln!(text, "corunners = [{others}]");
        }
        let all: Vec<&Task> = measured.iter().chain(&background).collect();
        write_policy(&mut text, &policy, &machine, &all)?;
        write_tasks(&mut text, &measured, &background);
        Ok(text)
    }

    fn head(&self, measured: &[Task], background: &[Task]) -> String {
        let names = |tasks: &[Task]| {
            let counted = |task: &Task| match task.cores.len() {
                1 => task.name.clone(),
                count if task.program == "trace-parallel" => format!("{} ({count} threads)", task.name),
                count => format!("{count} of {}", task.name),
            };
            tasks.iter().map(counted).collect::<Vec<_>>().join(", ")
        };
        let mut title = names(measured);
        if !background.is_empty() {
            title = format!("{title} beside {}", names(background));
        }
        // What the other threads do while one does so much depends on the policy: only whole programs are the same work.
        let is_whole = |task: &Task| task.cores.len() > 1 || task.program == "live";
        let phases = match measured.iter().any(is_whole) {
            true => "[warm_up]\npasses = 0\n\n# From begin to end: what threads do while one of them does so much depends on the policy.\n[measure]\npasses = 1\n".to_owned(),
            false => format!(
                "[warm_up]\noperations = {WARM_UP}\n\n# Loads and stores; a program that has fewer begins again. passes = 1 is the whole \
                 trace.\n[measure]\noperations = {MEASURED}\n"
            ),
        };
        format!(
            "name = {}\ntitle = {}\nmachine = {}\n\n{phases}",
            quoted(&scenario_name(&measured[0].name)),
            quoted(&title),
            quoted(self.machine)
        )
    }

    /// The measured tasks, and the others.
    fn tasks(&self, machine: &Machine) -> Result<(Vec<Task>, Vec<Task>), InputError> {
        let (mut names, mut next) = (Vec::new(), 0);
        let mut measured = Vec::new();
        for word in self.measured {
            measured.extend(self.of_word(machine, ("", word, 1), &mut names, &mut next)?);
        }
        if measured.is_empty() {
            return Err(InputError::new("--on", "found no program to measure")
                .allowed("traces, or names of built-in programs")
                .help("name one: fresco sim --on MACHINE victim.ftrace"));
        }
        let background = self.background(machine, &mut names, next)?;
        Ok((measured, background))
    }

    /// The tasks in the background, from core `next` on.
    fn background(&self, machine: &Machine, names: &mut Vec<String>, mut next: u32) -> Result<Vec<Task>, InputError> {
        let mut background = Vec::new();
        for word in self.beside {
            let (word, copies) = copies_of(word)?;
            background.extend(self.of_word(machine, ("--beside ", word, copies), names, &mut next)?);
        }
        Ok(background)
    }

    /// The tasks that a word of an option stands for, so many copies on the cores from `next` on.
    fn of_word(
        &self,
        machine: &Machine,
        (option, word, copies): (&str, &str, u32),
        names: &mut Vec<String>,
        next: &mut u32,
    ) -> Result<Vec<Task>, InputError> {
        let (mut program, file) = program_of(option, word)?;
        let threads = match &file {
            Some(file) if self.is_together => threads_of(Path::new(file)) as u32,
            _ => 1,
        };
        if threads > 1 && *next + copies * threads <= machine.cores {
            "trace-parallel".clone_into(&mut program);
            let programs = (0..copies).map(|_| {
                let name = unused(task_name(word), names);
                names.push(name.clone());
                *next += threads;
                Task {
                    name,
                    program: program.clone(),
                    file: file.clone(),
                    thread: 0,
                    cores: *next - threads..*next,
                }
            });
            return Ok(programs.collect::<Vec<_>>());
        }
        let cores = *next..*next + copies;
        if cores.end > machine.cores {
            let place = format!("{option}{word}").trim_start().to_owned();
            return Err(
                InputError::new(place, format!("found programs for {} cores", cores.end))
                    .allowed(format!(
                        "as many programs as {} has cores, {}",
                        self.machine, machine.cores
                    ))
                    .help("leave some out, or take another machine"),
            );
        }
        *next = cores.end;
        let name = unused(task_name(word), names);
        names.push(name.clone());
        let thread = file.as_ref().map_or(0, |file| busiest_thread_of(Path::new(file)));
        Ok(vec![Task {
            name,
            program,
            file,
            thread,
            cores,
        }])
    }
}

/// The variant that a policy is.
fn write_policy(text: &mut String, policy: &Policy, machine: &Machine, all: &[&Task]) -> Result<(), InputError> {
    _ = writeln!(
        text,
        "\n[[variant]]\nname = {}\nset.policy = {{ {} }}",
        quoted(&policy.name),
        policy.keys
    );
    if policy.is_counted {
        for (task, colors) in shares(machine, all)? {
            _ = writeln!(text, "set.task.{task}.colors = {colors}");
        }
    }
    Ok(())
}

/// How many bank colors each task has if those of each node are shared out evenly among the cores on it (CAMC-11 takes a number).
fn shares<'t>(machine: &Machine, tasks: &[&'t Task]) -> Result<Vec<(&'t str, u32)>, InputError> {
    let space = machine
        .colors()
        .map_err(|error| error.into_input(&machine.name, "memory.map"))?;
    let node_of = |core: u32| machine.topology.node_of_core[core as usize];
    let used = tasks.iter().flat_map(|task| task.cores.clone());
    let used: Vec<u32> = used.map(node_of).collect();
    let share = |node: u32| colors_of(&space, node) / used.iter().filter(|other| **other == node).count() as u32;
    // Of copies on several nodes each has as many as that with the least.
    let least = |task: &Task| task.cores.clone().map(|core| share(node_of(core))).min().unwrap_or(0);
    Ok(tasks
        .iter()
        .map(|task| (task.name.as_str(), least(task).max(1)))
        .collect())
}

fn colors_of(space: &ColorSpace, node: u32) -> u32 {
    let all = 0..space.bank_colors();
    all.filter(|color| space.node_of_color(*color) == node).count() as u32
}

fn write_tasks(text: &mut String, measured: &[Task], background: &[Task]) {
    let all = measured
        .iter()
        .map(|task| (task, false))
        .chain(background.iter().map(|task| (task, true)));
    for (task, is_background) in all {
        _ = writeln!(
            text,
            "\n[[task]]\nname = {}\nprogram = {}",
            quoted(&task.name),
            quoted(&task.program)
        );
        _ = match task.cores.len() {
            1 => writeln!(text, "core = {}", task.cores.start),
            _ => writeln!(text, "cores = \"{}-{}\"", task.cores.start, task.cores.end - 1),
        };
        if is_background {
            _ = writeln!(text, "role = \"background\"");
        }
        if let Some(file) = &task.file {
            _ = writeln!(text, "parameters.file = {}", quoted(file));
            if task.thread > 0 {
                _ = writeln!(text, "parameters.thread = {}", task.thread);
            }
        }
        if task.program == "live" {
            _ = writeln!(text, "pages = \"on-touch\"");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::comparison::policy::BUDGETS;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn every_policy_can_be_compared() {
        let names: Vec<String> = policies()
            .flat_map(|name| [name.to_owned(), format!("{name}+{BUDGETS}")])
            .filter(|name| *name != "memguard+memguard")
            .collect();
        let comparison = Comparison {
            machine: "opteron-6128",
            measured: &words(&["latency"]),
            beside: &words(&["bandwidth,3"]),
            policies: &names,
            is_together: true,
        };
        let text = comparison.to_text().expect("a text");
        let scenario = Scenario::parse("text", &text, Path::new(""), &[]).expect(&text);
        assert_eq!(scenario.points.len(), 2 * names.len());
        let scenario = scenario.runs();
        assert_eq!(scenario.len(), 2 * names.len());
    }

    #[test]
    fn a_program_that_runs_meanwhile_is_one_run() {
        for policy in policies() {
            let comparison = Comparison {
                machine: "opteron-6128",
                measured: &[],
                beside: &words(&["bandwidth"]),
                policies: &words(&[policy]),
                is_together: true,
            };
            let text = comparison.to_text_of_live("./bandwidth").expect("a text");
            let scenario = Scenario::parse("text", &text, Path::new(""), &[]).expect(&text);
            let [run] = &scenario.runs()[..] else {
                panic!("{policy}: several runs");
            };
            let setup = &run.point.setup;
            let names: Vec<&str> = setup.copies.iter().map(|copy| copy.name.as_str()).collect();
            assert_eq!(names, ["bandwidth", "bandwidth-2"], "{policy}");
            assert_eq!(setup.program(0).live_thread(), Some(0));
        }
    }

    #[test]
    fn colors_are_shared_out_by_node() {
        let machine = fresco_machine::load("opteron-6128").expect("built in");
        let task = |name: &str, cores| Task {
            name: name.to_owned(),
            program: String::new(),
            file: None,
            thread: 0,
            cores,
        };
        let (one, three) = (task("one", 0..1), task("three", 1..4));
        let space = machine.colors().expect("colors");
        let of_node = colors_of(&space, machine.topology.node_of_core[0]);
        let shared = shares(&machine, &[&one, &three]).expect("shares");
        assert_eq!(shared, [("one", of_node / 4), ("three", of_node / 4)]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let wrong = |measured: &[&str], beside: &[&str], policies: &[&str]| {
            let comparison = Comparison {
                machine: "xeon-w3530",
                measured: &words(measured),
                beside: &words(beside),
                policies: &words(policies),
                is_together: true,
            };
            comparison.to_text().expect_err("refused").to_string()
        };
        assert!(wrong(&["latencies"], &[], &[]).contains("did you mean latency?"));
        assert!(
            wrong(&["latency"], &["bandwidth,4"], &[]).starts_with("--beside bandwidth: found programs for 5 cores")
        );
        assert!(wrong(&["latency"], &["bandwidth,0"], &[]).contains("found 0 copies"));
        assert!(wrong(&["latency"], &[], &["pallok"]).contains("did you mean palloc?"));
        assert!(wrong(&["latency"], &[], &["memguardpalloc"]).contains("--policies: found"));
        assert!(wrong(&["latency"], &[], &["pallocmemguard"]).contains("--policies: found"));
        assert!(wrong(&[], &[], &[]).contains("found no program to measure"));
    }
}
