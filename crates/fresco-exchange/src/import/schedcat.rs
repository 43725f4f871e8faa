// SPDX-License-Identifier: MIT OR Apache-2.0
//! Task sets of SchedCAT, as its serialize.py reads them ([`crate::formats`] names the version).

use super::raw::{Given, Place, Raw, Source};
use super::{ImportOptions, push, xml};
use crate::amount::Unit;
use fresco_input::InputError;
use roxmltree::Node;

/// Attributes of a task that are read, and those that are results or say nothing of times.
const READ: [&str; 5] = ["id", "period", "wcet", "deadline", "partition"];
const LEFT_OUT: [&str; 2] = ["response_time", "wss"];

/// Reads `<taskset>`, a `<testpoint>` with one, or a `<task>`.
pub fn read(source: &Source<'_>, options: &ImportOptions, notes: &mut Vec<String>) -> Result<Vec<Raw>, InputError> {
    let document = xml::document(source)?;
    let root = document.root_element();
    let unit = options.unit.unwrap_or(Unit::Us);
    let sets: Vec<Node<'_, '_>> = match root.tag_name().name() {
        "taskset" => vec![root],
        "testpoint" => xml::elements(root)
            .filter(|node| node.has_tag_name("taskset"))
            .collect(),
        "task" => Vec::new(),
        _ => {
            let allowed = "<taskset>, or a <testpoint> with one";
            return Err(xml::wrong_root(
                source,
                root,
                allowed,
                "give a file that schedcat.model.serialize wrote",
            ));
        }
    };
    if let Some(second) = sets.get(1) {
        return Err(source
            .error(
                &xml::place(*second),
                "taskset",
                format!("found {} task sets", sets.len()),
            )
            .allowed("one: a scenario has one set of tasks")
            .help("take one of them into a file of its own"));
    }
    let tasks: Vec<Node<'_, '_>> = match sets.first() {
        Some(set) => xml::elements(*set).filter(|node| node.has_tag_name("task")).collect(),
        None => vec![root]
            .into_iter()
            .filter(|node| node.has_tag_name("task"))
            .collect(),
    };
    let mut raws = Vec::new();
    let mut without = [0; LEFT_OUT.len()];
    for (number, node) in tasks.into_iter().enumerate() {
        for attribute in node.attributes() {
            let name = attribute.name();
            match LEFT_OUT.iter().position(|known| *known == name) {
                Some(which) => without[which] += 1,
                None if READ.contains(&name) => {}
                None => {
                    return Err(source
                        .error(
                            &Place::Byte(attribute.range().start),
                            name,
                            "found an unknown attribute",
                        )
                        .allowed([READ.as_slice(), LEFT_OUT.as_slice()].concat().join(", "))
                        .help("take it out, if the set holds without it"));
                }
            }
        }
        let resources = xml::elements(node).find(|child| child.has_tag_name("resources"));
        if let Some(resources) = resources.filter(|node| xml::elements(*node).next().is_some()) {
            return Err(source.refused(
                &xml::place(resources),
                "resources",
                "shared resources of a task",
                "tasks that share nothing: a scenario has no critical sections",
            ));
        }
        push(source, &mut raws, task(source, node, number, unit)?)?;
    }
    let config = xml::elements(root).find(|node| node.has_tag_name("config"));
    if config.is_some_and(|node| node.attributes().len() > 0) {
        notes.push("<config> of the test point".to_owned());
    }
    for (name, count) in LEFT_OUT.iter().zip(without).filter(|(_, count)| *count > 0) {
        notes.push(format!("{name} of {count} tasks, which says nothing of when they run"));
    }
    Ok(raws)
}

/// A task; one whose `id` is a number, or that has none, is called `T` and that, or the number of its place, from 1.
fn task(source: &Source<'_>, node: Node<'_, '_>, number: usize, unit: Unit) -> Result<Raw, InputError> {
    let mut raw = Raw::at(xml::place(node), ["period", "wcet"]);
    let place = |name: &str| {
        let attribute = node.attribute_node(name);
        Place::Byte(attribute.map_or(node.range().start, |attribute| attribute.range().start))
    };
    let id = node.attribute("id").unwrap_or("").trim();
    let is_number = id.bytes().all(|byte| byte.is_ascii_digit());
    let name = match (id.is_empty(), is_number) {
        (true, _) => format!("T{}", number + 1),
        (false, true) => format!("T{id}"),
        (false, false) => id.to_owned(),
    };
    raw.name = Some(Given {
        shown: name.clone(),
        value: name,
        field: "id".to_owned(),
        place: place("id"),
    });
    let time = |name: &str| {
        node.attribute(name)
            .map(|text| source.time(text, unit, name, place(name)))
            .transpose()
    };
    raw.period = time("period")?;
    raw.wcet = time("wcet")?;
    raw.deadline = time("deadline")?;
    raw.core = node
        .attribute("partition")
        .map(|text| source.count(text, "partition", place("partition")))
        .transpose()?;
    Ok(raw)
}
