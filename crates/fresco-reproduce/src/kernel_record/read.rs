// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading a record; what is wrong with one is told with its line and the help.

use super::state::State;
use super::{Allocation, Fault, Record, Start};
use fresco_input::{Document, InputError, Table};
use fresco_report::InputFile;
use std::ops::RangeInclusive;

const SCHEMA: &str = "fresco-kernel-cost/1";
/// What makes a record, for helps.
const MAKER: &str = "scripts/kernel-test cost";
/// Instructions: none costs nothing, and 10^12 would be a quarter of an hour.
const COUNT: RangeInclusive<u64> = 1..=1_000_000_000_000;

/// The record in `text`, compared with the `present` state of the patches.
///
/// # Errors
/// Not TOML, not a record, a key too many or missing, a value of the wrong kind, a row that stands twice.
pub fn record(file: InputFile, text: &str, present: &State) -> Result<Record, InputError> {
    let document = Document::parse(&file.name, text)?;
    let root = document.root();
    schema(&root)?;
    let measured = State {
        sum: root.text("state")?.to_owned(),
        patches: root.texts("patches")?,
    };
    if measured.patches.is_empty() {
        return Err(root
            .error_at("patches", "found no patch")
            .allowed("the names of the patches that were measured")
            .help(format!("measure again: {MAKER}")));
    }
    let own = |key: &str| root.text(key).map(str::to_owned);
    let record = Record {
        kernel: own("kernel")?,
        compiler: own("compiler")?,
        qemu: own("qemu")?,
        command: own("command")?,
        remark: measured.compared(present),
        state: measured.sum,
        patches: measured.patches,
        faults: rows(&root, "fault", fault, |row| row.setting.clone())?,
        allocations: rows(&root, "allocation", allocation, |row| {
            format!("{}, {} MiB", row.policy, row.size_mib)
        })?,
        starts: rows(&root, "start", start, |row| {
            format!("{}, {} colors", row.policy, row.colors)
        })?,
        file,
    };
    root.finish()?;
    Ok(record)
}

fn schema(root: &Table<'_>) -> Result<(), InputError> {
    let wrong = |error: InputError| {
        error
            .allowed(format!("schema = {SCHEMA:?}"))
            .help(format!("name a record that {MAKER} wrote"))
    };
    let item = root.item("schema", "").map_err(wrong)?;
    match item.text().map_err(wrong)? {
        SCHEMA => Ok(()),
        other => Err(wrong(item.error(format!("found {other:?}")))),
    }
}

/// The rows of a list, each `name`d once.
fn rows<T>(
    root: &Table<'_>,
    key: &str,
    read: impl Fn(&Table<'_>) -> Result<T, InputError>,
    name: impl Fn(&T) -> String,
) -> Result<Vec<T>, InputError> {
    let mut rows: Vec<T> = Vec::new();
    for table in root.array_of_tables(key)? {
        let row = read(&table)?;
        let this = name(&row);
        if rows.iter().any(|other| name(other) == this) {
            return Err(table
                .error(format!("found a second row of {this}"))
                .allowed("one row of each")
                .help("remove one of the two"));
        }
        table.finish()?;
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(root
            .error_at(key, "found no row")
            .allowed("what was measured, a row each")
            .help(format!("measure again: {MAKER}")));
    }
    Ok(rows)
}

fn fault(row: &Table<'_>) -> Result<Fault, InputError> {
    Ok(Fault {
        setting: row.text("setting")?.to_owned(),
        fault: row.integer("fault", COUNT)?,
        recycled: row.integer("recycled", COUNT)?,
        unmap: row.integer("unmap", COUNT)?,
        longest: row.integer("longest", COUNT)?,
    })
}

fn allocation(row: &Table<'_>) -> Result<Allocation, InputError> {
    Ok(Allocation {
        policy: row.choice("policy", &[("buddy", "buddy"), ("colored", "colored")])?,
        size_mib: row.power_of_two("size_mib", 1..=512)?,
        mean: row.integer("mean", COUNT)?,
        longest: row.integer("longest", COUNT)?,
    })
}

fn start(row: &Table<'_>) -> Result<Start, InputError> {
    let policies = ["unpatched", "uncolored", "colored", "ahead"].map(|name| (name, name));
    Ok(Start {
        policy: row.choice("policy", &policies)?,
        colors: row.integer("colors", 0..=127)?,
        exec: row.integer("exec", COUNT)?,
        first: row.integer("first", COUNT)?,
        again: row.integer("again", COUNT)?,
        longest: row.integer("longest", COUNT)?,
    })
}
