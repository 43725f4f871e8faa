// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attacks on work as tables.

use super::{Seen, WorkAttacked, WorkAttacks};
use fresco_attack::work::{Mover, Order, Stretch};
use fresco_dram::Ps;
use fresco_report::{Cell, Column, ReportError, Table, Tone};
use fresco_show::subject::PARTS;

pub fn tables(attacks: &WorkAttacks) -> Result<Vec<Table>, ReportError> {
    let mut tables = vec![summary(attacks)?];
    if attacks.tasks.iter().any(|task| task.unbounded.is_some()) {
        tables.push(reasons(attacks)?);
    }
    for task in &attacks.tasks {
        tables.push(who(task)?);
        tables.push(anatomy(task)?);
    }
    Ok(tables)
}

fn us(time: Ps) -> Cell {
    Cell::Number(time as f64 / 1e6)
}

fn summary(attacks: &WorkAttacks) -> Result<Table, ReportError> {
    let mut table = Table::new(
        format!("{}: the longest work found", attacks.scenario),
        vec![
            Column::text("task"),
            Column::number("alone", "us", 1),
            Column::number("beside its own", "us", 1),
            Column::number("attacked", "us", 1),
            Column::number("slowdown", "", 2),
            Column::number("bound", "us", 1),
            Column::number("share", "%", 1),
            Column::number("attacks", "", 0),
        ],
    );
    for task in &attacks.tasks {
        let bound = match &task.bound {
            Some(bound) if task.longest_ps() > bound.longest_ps => {
                let told = format!("{:.1}, exceeded", bound.longest_ps as f64 / 1e6);
                Cell::Text(told, Tone::Bad)
            }
            Some(bound) => us(bound.longest_ps),
            None => Cell::Text("none".to_owned(), Tone::Bad),
        };
        table.push(vec![
            task.name.as_str().into(),
            us(task.alone.time_ps),
            task.own_ps.map_or(Cell::Missing, us),
            us(task.observed_ps),
            Cell::Number(task.observed_ps as f64 / task.alone.time_ps.max(1) as f64),
            bound,
            task.share().map_or(Cell::Missing, |share| Cell::Number(100.0 * share)),
            Cell::Count(task.tries),
        ])?;
    }
    Ok(table)
}

/// Why work has no bound.
fn reasons(attacks: &WorkAttacks) -> Result<Table, ReportError> {
    let columns = ["task", "no bound, because", "way out"].map(Column::text);
    let mut table = Table::new(format!("{}: not bounded", attacks.scenario), columns.to_vec());
    for task in &attacks.tasks {
        let Some(reason) = &task.unbounded else { continue };
        table.push(vec![
            task.name.as_str().into(),
            reason.why.as_str().into(),
            reason.way_out.as_str().into(),
        ])?;
    }
    Ok(table)
}

/// Who does what in the worst attack.
fn who(task: &WorkAttacked) -> Result<Table, ReportError> {
    let mut table = Table::new(
        format!("{}: who does what", task.name),
        vec![
            Column::number("core", "", 0),
            Column::text("in place of"),
            Column::text("banks"),
            Column::text("does"),
        ],
    );
    for (attacker, mover) in task.attackers.iter().zip(&task.attack.cores) {
        table.push(vec![
            Cell::Count(u64::from(attacker.core)),
            attacker.names.get(mover.task).map_or("", String::as_str).into(),
            attacker.banks.get(mover.task).map_or("", String::as_str).into(),
            words(mover).into(),
        ])?;
    }
    Ok(table)
}

fn words(mover: &Mover) -> String {
    let several = mover.stretches.len() > 1;
    let all: Vec<String> = mover
        .stretches
        .iter()
        .map(|stretch| of_stretch(stretch, several))
        .collect();
    let mut words = all.join("; then ");
    if let Some(release) = &mover.release {
        words = format!(
            "every {} ns, from {} ns on: {words}",
            release.period_ns, release.offset_ns
        );
        if !several {
            words += &format!(", {} times", mover.stretches[0].accesses);
        }
    }
    if mover.wait > 0 {
        words += &format!("; first {} instructions without any", mover.wait);
    }
    words
}

fn of_stretch(stretch: &Stretch, is_one_of_several: bool) -> String {
    let what = match stretch.stores {
        0 => "reads".to_owned(),
        100 => "stores".to_owned(),
        some => format!("accesses, {some} % stores,"),
    };
    let order = match stretch.order {
        Order::Rows => "line after line of rows",
        Order::Conflicts => "another row of a bank each time",
        Order::Banks => "another bank and row each time",
        Order::Ranks => "a row of each rank in turn",
        Order::Sets => "set after set of the last-level cache",
        Order::Random => "scattered",
    };
    let mut words = format!("{what} {order}, {} lines", stretch.lines);
    match stretch.banks {
        0 => {}
        1 => words += " of a bank",
        some => words += &format!(" of {some} banks"),
    }
    if stretch.chain {
        words += ", each after the one before";
    }
    if stretch.gap > 0 {
        words += &format!(", {} instructions apart", stretch.gap);
    }
    if stretch.pause > 0 {
        words += &format!(", {} at a time, then {} instructions", stretch.burst, stretch.pause);
    }
    if is_one_of_several {
        words = format!("{} {words}", stretch.accesses);
    }
    words
}

/// Where the time of the task's reads went.
fn anatomy(task: &WorkAttacked) -> Result<Table, ReportError> {
    let columns = vec![
        Column::text("of a read, on average"),
        Column::number("alone", "ns", 1),
        Column::number("attacked", "ns", 1),
    ];
    let title = format!(
        "{}: where the time of its reads goes: {} alone, {} attacked",
        task.name, task.alone.reads, task.worst.reads
    );
    let mut table = Table::new(title, columns);
    for (name, _, part) in PARTS {
        let of = |seen: &Seen| match seen.reads {
            0 => Cell::Missing,
            _ => Cell::Number(part(&seen.anatomy)),
        };
        table.push(vec![name.into(), of(&task.alone), of(&task.worst)])?;
    }
    Ok(table)
}
