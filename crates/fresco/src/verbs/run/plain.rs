// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco run` without colors: a program as it is, with limits alone.

use super::plan::RunPlan;
use super::{Args, UNABLE, limits, not_found, numbers, placed, search_path};
use crate::failure::{Outcome, tell};
use crate::{output, provenance};
use fresco_input::InputError;
use fresco_linux::backend::Wanted;
use fresco_linux::launch::{self, Program};
use fresco_linux::regulator::{Trees, Wishes};
use std::process::ExitCode;

/// Becomes the program.
pub fn run(args: &Args, wishes: &Wishes) -> Outcome {
    let given = [
        ("--strict", args.strict),
        ("--pool", args.pool.is_some()),
        ("--search", args.search.is_some()),
        ("--backend", args.backend != Wanted::Auto),
    ];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(InputError::new(option, "found it without colors")
            .allowed("--cpus, --node, --bandwidth, --reserve, --ways, --regulator, --stats, --dry-run and --json without colors")
            .help(format!("leave out {option}, or name colors: --map and --colors"))
            .into());
    }
    let nodes = numbers("--node", args.node.as_deref(), &launch::online_nodes())?;
    let Some((name, arguments)) = args.command.split_first() else {
        return Err(InputError::new("command line", "found no program").into());
    };
    let program = match Program::find(name, &search_path(), false) {
        Ok(program) => program,
        Err(error) => return Ok(not_found(name, &error)),
    };
    let regulation = limits::regulation(wishes, &Trees::find());
    let cpus = wishes.cpus.as_deref();
    if args.dry_run {
        let plan = RunPlan::without_colors(&program, &wishes.limits, cpus, nodes.as_deref(), &regulation);
        let provenance = provenance::of_this_run(None);
        output::print(args.json, "fresco-run/1", &provenance, &plan, || plan.tables())?;
        return Ok(ExitCode::from(if plan.can_be_done() { 0 } else { UNABLE }));
    }
    let told = args.stats.map(|_| program.name.to_string_lossy().into_owned());
    match placed(wishes, nodes.as_deref(), regulation, told) {
        Err(reason) => {
            tell(&format!("fresco run: {reason}"));
            Ok(ExitCode::from(UNABLE))
        }
        Ok(_places) => {
            let error = launch::become_plain(&program, arguments);
            tell(&format!("fresco run: {}: {error}", program.path.display()));
            Ok(ExitCode::from(126))
        }
    }
}
