// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can stand where a command line is completed, by the table of verbs and by what is built in.

use super::names;
use clap::{Arg, ArgAction, Command};

/// A word that can stand there, and what it is, for shells that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub word: String,
    pub about: String,
}

/// What can stand there that the shell knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Others {
    #[default]
    Nothing,
    Files,
    Directories,
    /// Programs, and files.
    Commands,
}

/// All of it.
#[derive(Debug, Default)]
pub struct Completion {
    pub candidates: Vec<Candidate>,
    pub others: Others,
}

impl Completion {
    /// A line for each word, with a tab before what it is, and one with a colon for what the shell knows.
    pub fn lines(&self) -> String {
        let line = |one: &Candidate| format!("{}\t{}\n", one.word, one.about.lines().next().unwrap_or_default());
        let mut text: String = self.candidates.iter().map(line).collect();
        text.push_str(match self.others {
            Others::Nothing => "",
            Others::Files => ":files\n",
            Others::Directories => ":directories\n",
            Others::Commands => ":commands\n",
        });
        text
    }

    /// Values of `arg` that begin with `word`, each after `before`.
    fn values(arg: &Arg, before: &str, word: &str) -> Self {
        Self::of(names::of(arg), arg, before, word)
    }

    fn of((mut candidates, others): (Vec<Candidate>, Others), arg: &Arg, before: &str, word: &str) -> Self {
        // Of a list the last member is completed.
        let member = arg.get_value_delimiter().and_then(|delimiter| word.rfind(delimiter));
        let (done, word) = word.split_at(member.map_or(0, |at| at + 1));
        candidates.retain(|one| one.word.starts_with(word));
        for one in &mut candidates {
            one.word = format!("{before}{done}{}", one.word);
        }
        Self { candidates, others }
    }

    fn options(command: &Command, word: &str) -> Self {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let candidates = shown.filter_map(|arg| {
            let word = format!("--{}", arg.get_long()?);
            let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
            Some(Candidate { word, about })
        });
        Self {
            candidates: candidates.filter(|one| one.word.starts_with(word)).collect(),
            others: Others::Nothing,
        }
    }
}

/// Where a command line has got to.
struct Place<'a> {
    command: &'a Command,
    /// Arguments that are no options so far.
    positionals: usize,
    /// The option whose value comes next.
    pending: Option<&'a Arg>,
    /// There is a machine, `--on`: programs stand in place of a scenario.
    on_machine: bool,
    /// After `--`, or within a command that is run: no options follow.
    only_positionals: bool,
}

impl<'a> Place<'a> {
    /// Goes past a word.
    fn pass(&mut self, word: &str) {
        if self.pending.take().is_some() {
            return;
        }
        if self.only_positionals || !word.starts_with('-') || word == "-" {
            let verb = match self.positionals {
                0 => self.command.find_subcommand(word),
                _ => None,
            };
            match verb {
                Some(verb) => self.command = verb,
                None => {
                    self.only_positionals |= self.positional().is_some_and(Arg::is_trailing_var_arg_set);
                    self.positionals += 1;
                }
            }
        } else if word == "--" {
            self.only_positionals = true;
            if let Some(last) = self.command.get_positionals().position(Arg::is_last_set) {
                self.positionals = last;
            }
        } else if let Some(long) = word.strip_prefix("--") {
            self.on_machine |= long == "on" || long.starts_with("on=");
            self.pending = self
                .option(|arg| arg.get_long() == Some(long))
                .filter(|arg| !arg.is_require_equals_set());
        } else {
            // -abVALUE, or -ab VALUE.
            let mut letters = word[1..].chars();
            let taking = letters.find_map(|letter| self.option(|arg| arg.get_short() == Some(letter)));
            self.pending = taking.filter(|_| letters.as_str().is_empty());
        }
    }

    /// The option that takes a value and is the one.
    fn option(&self, is_it: impl Fn(&Arg) -> bool) -> Option<&'a Arg> {
        let takes = |arg: &&Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        self.command.get_opts().filter(takes).find(|arg| is_it(arg))
    }

    /// The argument that stands where the next word does; the last one may be there many times.
    fn positional(&self) -> Option<&'a Arg> {
        let all: Vec<_> = self.command.get_positionals().collect();
        let many = |arg: &&&Arg| arg.get_num_args().is_some_and(|range| range.max_values() > 1);
        let one = all.get(self.positionals).or_else(|| all.last().filter(many))?;
        Some(one)
            .copied()
            .filter(|arg| !arg.is_last_set() || self.only_positionals)
    }

    /// What can stand there that begins with `word`.
    fn complete(&self, word: &str) -> Completion {
        if let Some(arg) = self.pending {
            return Completion::values(arg, "", word);
        }
        if !self.only_positionals && word.starts_with('-') {
            let Some((name, value)) = word.split_once('=') else {
                return Completion::options(self.command, word);
            };
            let arg = self.option(|arg| arg.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long)));
            return arg.map_or_else(Completion::default, |arg| {
                Completion::values(arg, &format!("{name}="), value)
            });
        }
        let mut all = self
            .positional()
            .map_or_else(Completion::default, |arg| match self.on_machine {
                true => Completion::of(names::on_machine(arg), arg, "", word),
                false => Completion::values(arg, "", word),
            });
        // A command's arguments are its own affair.
        if all.others == Others::Commands && self.positionals >= self.command.get_positionals().count() {
            all.others = Others::Files;
        }
        if self.positionals == 0 && !self.only_positionals {
            let verbs = self.command.get_subcommands().filter(|verb| !verb.is_hide_set());
            all.candidates.extend(
                verbs
                    .filter(|verb| verb.get_name().starts_with(word))
                    .map(|verb| Candidate {
                        word: verb.get_name().to_owned(),
                        about: verb.get_about().map(ToString::to_string).unwrap_or_default(),
                    }),
            );
        }
        // Where nothing else can stand there are options.
        match all.candidates.is_empty() && all.others == Others::Nothing && word.is_empty() && !self.only_positionals {
            true => Completion::options(self.command, word),
            false => all,
        }
    }
}

/// What can stand in place of the last of `words`, of which the first is the program; `command` is built.
pub fn complete(command: &Command, words: &[String]) -> Completion {
    let [_, before @ .., word] = words else {
        return Completion::default();
    };
    let mut place = Place {
        command,
        positionals: 0,
        pending: None,
        on_machine: false,
        only_positionals: false,
    };
    before.iter().for_each(|word| place.pass(word));
    place.complete(word)
}
