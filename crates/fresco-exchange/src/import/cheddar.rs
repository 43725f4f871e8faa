// SPDX-License-Identifier: MIT OR Apache-2.0
//! Models of Cheddar: version 3 (`<periodic_task>` with `<task_type>`) and version 2 (`<task task_type="PERIODIC_TYPE">`).

use super::raw::{Given, Place, Raw, Source, clipped, unit_of};
use super::{ImportOptions, push, xml};
use crate::amount::Unit;
use fresco_input::InputError;
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Parts of a model that tie tasks to each other, and what a scenario has instead.
const TIES: [(&str, &str); 5] = [
    ("dependencies", "tasks that wait for none of the others"),
    (
        "resources",
        "tasks that share nothing: a scenario has no critical sections",
    ),
    ("buffers", "tasks that wait for no buffer"),
    ("messages", "tasks that wait for no message"),
    ("event_analyzers", "a model without event analyzers"),
];
/// Times of a task that a scenario has no key for: they must be 0.
const NOT_0: [(&str, &str); 3] = [
    ("blocking_time", "blocking times of 0: count it into the capacity"),
    ("context_switch_overhead", "overheads of 0: count it into the capacity"),
    ("every", "tasks of which every job runs"),
];

/// Parts of a model that are read.
const PARTS: [&str; 3] = ["core_units", "processors", "tasks"];
/// Of a task, what is read, and names without a meaning here.
const OF_TASKS: [&str; 10] = [
    "name",
    "task_type",
    "cpu_name",
    "capacity",
    "deadline",
    "start_time",
    "period",
    "jitter",
    "object_type",
    "address_space_name",
];

/// Reads the tasks of a model.
pub fn read(source: &Source<'_>, options: &ImportOptions, notes: &mut Vec<String>) -> Result<Vec<Raw>, InputError> {
    let document = xml::document(source)?;
    let root = document.root_element();
    if !root.has_tag_name("cheddar") {
        let help = "give a model that Cheddar wrote as XML, of version 2 or 3";
        return Err(xml::wrong_root(source, root, "<cheddar>", help));
    }
    let unit = unit_of(source, options.unit)?;
    for (name, allowed) in TIES {
        let part = xml::elements(root).find(|node| node.has_tag_name(name));
        if let Some(first) = part.and_then(|part| xml::elements(part).next()) {
            return Err(source.refused(&xml::place(first), name, &format!("an element in <{name}>"), allowed));
        }
    }
    let mut processors = processors(source, root)?;
    let is_closed = !processors.is_empty();
    let list = xml::elements(root).find(|node| node.has_tag_name("tasks"));
    let mut raws = Vec::new();
    let mut sporadic = 0;
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    for (number, node) in list.into_iter().flat_map(xml::elements).enumerate() {
        let place = xml::place(node);
        let kind = xml::child(node, "task_type").map(|(text, _)| text);
        let kind = kind.or_else(|| node.attribute("task_type")).unwrap_or("PERIODIC_TYPE");
        match kind {
            "PERIODIC_TYPE" => {}
            "SPORADIC_TYPE" => sporadic += 1,
            other => {
                let found = format!("a task of the type {:?}", clipped(other));
                return Err(source.refused(&place, "task_type", &found, "PERIODIC_TYPE, SPORADIC_TYPE"));
            }
        }
        let mut raw = task(source, node, number, unit)?;
        for child in xml::elements(node) {
            let name = child.tag_name().name();
            if name == "offsets" && xml::elements(child).next().is_some() {
                let allowed = "tasks that are all released at multiples of their period after start_time";
                return Err(source.refused(&xml::place(child), name, "offsets of jobs", allowed));
            }
            let is_told = child.text().is_some_and(|text| !matches!(text.trim(), "" | "0"));
            let is_read = OF_TASKS.contains(&name) || NOT_0.iter().any(|(known, _)| *known == name);
            if is_told && !is_read {
                *others.entry(clipped(name)).or_default() += 1;
            }
        }
        if let Some((name, at)) = xml::child(node, "cpu_name") {
            let core = match processors.iter().position(|known| known == name) {
                Some(core) => core,
                None if is_closed => {
                    return Err(source
                        .error(&at, "cpu_name", format!("found {:?}", clipped(name)))
                        .allowed(format!("a processor of the model: {}", processors.join(", ")))
                        .help("name one of these"));
                }
                None => {
                    processors.push(name.to_owned());
                    processors.len() - 1
                }
            };
            raw.core = Some(Given {
                value: core as u32,
                shown: name.to_owned(),
                field: "cpu_name".to_owned(),
                place: at,
            });
        }
        push(source, &mut raws, raw)?;
    }
    let parts = xml::elements(root).filter(|node| xml::elements(*node).next().is_some());
    let parts = parts.map(|node| node.tag_name().name());
    let unread: BTreeSet<String> = parts.filter(|name| !PARTS.contains(name)).map(clipped).collect();
    notes.extend(unread.into_iter().map(|name| format!("<{name}> of the model")));
    notes.extend(
        others
            .into_iter()
            .map(|(name, count)| format!("{name} of {count} tasks")),
    );
    if sporadic > 0 {
        notes.push(format!(
            "that {sporadic} tasks are sporadic: their shortest distance is their period here"
        ));
    }
    if !processors.is_empty() {
        notes.push(format!(
            "names of processors, whose cores are numbered in their order: {}",
            processors.join(", ")
        ));
    }
    Ok(raws)
}

/// The names of the processors, in their order, each of one core.
fn processors(source: &Source<'_>, root: Node<'_, '_>) -> Result<Vec<String>, InputError> {
    let cores = xml::elements(root).find(|node| node.has_tag_name("core_units"));
    for core in cores.into_iter().flat_map(xml::elements) {
        if let Some((speed, at)) = xml::child(core, "speed")
            && !speed.parse::<f64>().is_ok_and(|speed| speed == 0.0 || speed == 1.0)
        {
            return Err(source.refused(
                &at,
                "speed",
                &format!("a core of the speed {:?}", clipped(speed)),
                "0 or 1: execution times are those of the machine",
            ));
        }
    }
    let list = xml::elements(root).find(|node| node.has_tag_name("processors"));
    let mut names: Vec<String> = Vec::new();
    for node in list.into_iter().flat_map(xml::elements) {
        let named = xml::child(node, "name")
            .map(|(text, _)| text)
            .or_else(|| node.attribute("name"));
        let Some(name) = named.filter(|name| !name.is_empty()) else {
            return Err(source
                .error(&xml::place(node), "name", "found a processor without a name")
                .allowed("a name for each")
                .help("name it"));
        };
        let cores = node.descendants().filter(|node| node.has_tag_name("core")).count();
        if cores > 1 {
            let found = format!("the processor {:?} of {cores} cores", clipped(name));
            let allowed = "processors of one core, on which tasks stay";
            return Err(source.refused(&xml::place(node), "processors", &found, allowed));
        }
        if names.iter().any(|known| known == name) {
            return Err(source
                .error(
                    &xml::place(node),
                    "name",
                    format!("found a second processor {:?}", clipped(name)),
                )
                .allowed("each name once")
                .help("rename one of the two"));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// A task.
fn task(source: &Source<'_>, node: Node<'_, '_>, number: usize, unit: Unit) -> Result<Raw, InputError> {
    let mut raw = Raw::at(xml::place(node), ["period", "capacity"]);
    let named = xml::child(node, "name").or_else(|| {
        let attribute = node.attribute_node("name")?;
        Some((attribute.value(), Place::Byte(attribute.range().start)))
    });
    raw.name = named.map(|(name, place)| Given {
        value: name.to_owned(),
        shown: name.to_owned(),
        field: "name".to_owned(),
        place,
    });
    let time = |name: &str| {
        xml::child(node, name)
            .map(|(text, place)| source.time(text, unit, name, place))
            .transpose()
    };
    for (name, allowed) in NOT_0 {
        if let Some(given) = time(name)?.filter(|given| given.value > 0) {
            let found = format!("{name} {} of task {}", given.shown, number + 1);
            return Err(source.refused(&given.place, name, &found, allowed));
        }
    }
    raw.period = time("period")?;
    raw.wcet = time("capacity")?;
    // In Cheddar a deadline of 0 is none.
    raw.deadline = time("deadline")?.filter(|given| given.value > 0);
    raw.phase = time("start_time")?;
    raw.jitter = time("jitter")?;
    Ok(raw)
}
