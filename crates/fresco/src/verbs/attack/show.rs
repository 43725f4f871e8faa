// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attacks as tables.

use super::{Attacked, Attacks};
use fresco_attack::{Habits, Limits, Pattern, Phase, Played, RowOf, Series};
use fresco_report::{Cell, Column, ReportError, Table, Tone};
use fresco_scenario::Setup;

pub fn tables(setup: &Setup, attacks: &Attacks) -> Result<Vec<Table>, ReportError> {
    let mut tables = vec![summary(attacks)?];
    for task in &attacks.tasks {
        tables.push(worst(setup, task)?);
    }
    Ok(tables)
}

fn summary(attacks: &Attacks) -> Result<Table, ReportError> {
    let mut table = Table::new(
        format!("{}: the longest read found", attacks.scenario),
        vec![
            Column::text("task"),
            Column::number("observed", "ns", 0),
            Column::number("bound", "ns", 0),
            Column::number("share", "%", 0),
            Column::number("attacks", "", 0),
            Column::number("reads", "", 0),
        ],
    );
    for task in &attacks.tasks {
        let (bound, share) = match task.bound_ps {
            None => (Cell::Text("unbounded".to_owned(), Tone::Bad), Cell::Missing),
            Some(bound) => {
                let share = 100.0 * task.observed_ps as f64 / bound.max(1) as f64;
                (Cell::Number(bound as f64 / 1000.0), Cell::Number(share))
            }
        };
        table.push(vec![
            task.name.as_str().into(),
            Cell::Number(task.observed_ps as f64 / 1000.0),
            bound,
            share,
            Cell::Count(task.tries),
            Cell::Count(task.reads),
        ])?;
    }
    Ok(table)
}

/// Who does what in the worst attack.
fn worst(setup: &Setup, task: &Attacked) -> Result<Table, ReportError> {
    let org = &setup.machine.memory.organisation;
    let place = match org.nodes * org.channels {
        1 => String::new(),
        _ => format!(" (node {}, channel {})", task.node, task.channel),
    };
    let mut table = Table::new(
        format!("{}: who does what{place}", task.name),
        vec![
            Column::text("who"),
            Column::number("reads", "", 0),
            Column::number("writes", "", 0),
            Column::text("banks"),
            Column::text("does"),
        ],
    );
    for (number, (attacker, habits)) in task.attackers.iter().zip(&task.attack.cores).enumerate() {
        let who = match number == task.victim {
            true => format!("{} (attacked)", attacker.names.join(", ")),
            false => attacker.names.join(", "),
        };
        let does: Vec<String> = match habits {
            Habits::Phases(phases) => {
                let several = phases.len() > 1;
                let words = phases.iter().map(|phase| words(phase, &attacker.limits, several));
                words.collect()
            }
            Habits::Rounds(series) => series.iter().map(|one| series_words(one, &attacker.limits)).collect(),
        };
        let joint = if matches!(habits, Habits::Phases(_)) {
            "; then "
        } else {
            "; and "
        };
        table.push(vec![
            who.into(),
            Cell::Count(u64::from(attacker.limits.reads)),
            Cell::Count(u64::from(attacker.limits.writes)),
            fresco_dram::color::format_list(&attacker.limits.banks).into(),
            does.join(joint).into(),
        ])?;
    }
    Ok(table)
}

fn words(phase: &Phase, limits: &Limits, is_one_of_several: bool) -> String {
    let mut words = match phase.pattern {
        Pattern::Stream => "line after line of a row",
        Pattern::Conflicts => "another row of a bank each time",
        Pattern::Activations => "another bank and row each time",
        Pattern::Turns => "lines of a row of each bank in turn",
        Pattern::Random => "any line of three rows",
    }
    .to_owned();
    if limits.writes > 0 && phase.writes > 0 {
        words += &format!(", {} % writes", phase.writes);
        if phase.writes_to_one {
            words += &format!(", all to bank {}", limits.banks[0]);
        }
    }
    match (phase.ambush, phase.bunched) {
        (Some(lead), _) => words += &format!(", all at once {lead} cycles before the attacked read"),
        (None, true) => words += ", all at once when none is under way",
        (None, false) => {}
    }
    if let Some(after) = phase.after_refresh {
        words += &format!(", {after} cycles after a refresh is due");
    }
    if phase.gap > 0 {
        words += &format!(", pauses up to {} cycles", phase.gap);
    }
    if is_one_of_several {
        words = format!("for {} cycles {words}", phase.cycles);
    }
    words
}

fn series_words(one: &Series, limits: &Limits) -> String {
    let what = if one.write { "write" } else { "read" };
    let bank = limits.banks[usize::from(one.bank) % limits.banks.len()];
    let mut words = match one.times {
        1 => format!("a {what}"),
        UNENDING.. => format!("{what}s again and again"),
        times => format!("{times} {what}s"),
    };
    words += match (one.row, one.times) {
        (RowOf::Open, _) => " of the open row",
        (RowOf::Other, 1) => " of another row",
        (RowOf::Other, _) => " of other rows",
    };
    words += &match one.stride {
        0 => format!(" in bank {bank}"),
        _ => format!(" from bank {bank} on"),
    };
    words += &format!(", from cycle {} of a round on", one.at);
    if one.apart > 0 && one.times > 1 {
        words += &format!(", {} cycles apart", one.apart);
    }
    if u32::from(one.most) < limits.reads && !one.write {
        words += &format!(", {} at once", one.most.max(1));
    }
    if one.behind < UNENDING && one.times > 1 && !one.write {
        words += &format!(
            ", each when at most {} older ones of other banks are under way",
            one.behind
        );
    }
    words
}

/// As many times, or more, as nothing ends within a round.
const UNENDING: u16 = 1000;

/// The commands while the longest read of each task waits.
pub fn replays(setup: &Setup, attacks: &Attacks, played: &[Played]) -> Result<Vec<Table>, ReportError> {
    let mut tables = vec![summary(attacks)?];
    for (task, played) in attacks.tasks.iter().zip(played) {
        tables.push(worst(setup, task)?);
        let read = played.longest[task.victim];
        let mut table = Table::new(
            format!(
                "{}: its longest read takes {} cycles, from cycle {} on",
                task.name, read.cycles, read.arrived
            ),
            vec![
                Column::number("since then", "cycles", 0),
                Column::text("command"),
                Column::number("rank", "", 0),
                Column::number("group", "", 0),
                Column::number("bank", "", 0),
                Column::number("row", "", 0),
                Column::number("column", "", 0),
            ],
        );
        let during = read.arrived..=read.arrived + read.cycles;
        for command in played.commands.iter().filter(|command| during.contains(&command.cycle)) {
            table.push(vec![
                Cell::Count(command.cycle - read.arrived),
                command.kind.name().into(),
                Cell::Count(u64::from(command.rank)),
                Cell::Count(u64::from(command.bank_group)),
                Cell::Count(u64::from(command.bank)),
                Cell::Count(u64::from(command.row)),
                Cell::Count(u64::from(command.column)),
            ])?;
        }
        tables.push(table);
    }
    Ok(tables)
}
