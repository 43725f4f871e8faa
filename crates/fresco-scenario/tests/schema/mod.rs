// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schemas of `fresco schema`, which are files in `docs/schemas`: they are made here, from the readers, and what they take and refuse is
//! compared with the readers. After a wanted change: `FRESCO_BLESS=1 cargo test -p fresco-scenario --test all schema`.

mod axes;
mod json;
mod learn;
mod pages;
mod whole;
mod wrong;

use jsonschema::Validator;
use learn::Place;
use pages::Pages;
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The TOML files of some directories, with their names.
fn files(directories: &[&str]) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for directory in directories {
        let entries = fs::read_dir(root().join(directory)).unwrap_or_else(|error| panic!("{directory}: {error}"));
        let paths = entries.flatten().map(|entry| entry.path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")));
    }
    found.sort();
    found
        .into_iter()
        .map(|path| (fs::read_to_string(&path).expect("UTF-8"), path))
        .collect()
}

/// Tables that no machine's file has.
const OF_DDR5: &str = "
[core.prefetch]
next_line = true
stride.regions = 64
stream.streams = 32
[core.tlb]
entries = 64
ways = 4
l2 = { entries = 1536, ways = 12, latency = \"7 cycles\" }
walk_cache.entries = 32
[memory.rfm]
raaimt = 80
raammt = 480
[memory.prac]
threshold = 1024
level = 1
";
const COHERENT: &str = "
[coherence]
protocol = \"mesi\"
transfer = \"30 cycles\"
";

/// Every machine of the repository, and two with what none of them has.
fn machines() -> Vec<(String, PathBuf)> {
    let directories = [
        "machines",
        "fuzz/seeds/machine",
        "crates/fresco-machine/tests/data",
        "crates/fresco-system/tests/data",
    ];
    let mut all = files(&directories);
    all.retain(|(text, _)| text.contains("[memory.organisation]"));
    let with = |name: &str, tables: &str| {
        (
            read(&format!("machines/{name}.toml")) + tables,
            root().join(format!("machines/{name}-and.toml")),
        )
    };
    all.extend([with("xeon-8460y", OF_DDR5), with("xeon-e3-1220v5", COHERENT)]);
    all
}

/// Every scenario and task set.
fn scenarios() -> Vec<(String, PathBuf)> {
    let directories = [
        "scenarios",
        "tasks",
        "fuzz/seeds/scenario",
        "fuzz/seeds/tasks",
        "kernel/test",
        "kernel/schedulers/tests",
        "crates/fresco/tests/data/loop",
        "crates/fresco-system/tests/data",
    ];
    let mut all = files(&directories);
    let blocks = ["docs/scenario.md", "docs/model.md", "docs/guide.md", "docs/plan.md"]
        .iter()
        .flat_map(|page| {
            let text = read(page);
            let blocks: Vec<String> = text
                .split("\n```toml")
                .skip(1)
                .filter_map(|block| Some(block.split_once('\n')?.1.split("\n```").next()?.to_owned()))
                .collect();
            blocks.into_iter().map(move |block| (block, root().join(page)))
        });
    all.extend(blocks);
    all.into_iter().filter(|(text, _)| text.contains("[[task]]")).collect()
}

fn with_directories(files: Vec<(String, PathBuf)>) -> Vec<(String, PathBuf)> {
    files
        .into_iter()
        .map(|(text, path)| (text, path.parent().expect("a file").to_owned()))
        .collect()
}

/// A kind of file.
struct Learned {
    place: Place,
    schema: Value,
    validator: Validator,
    /// Texts that the reader took.
    right: Vec<String>,
    /// The same, whichever of two readers it was.
    taken: HashSet<String>,
}

static MACHINE: LazyLock<Learned> = LazyLock::new(|| {
    let (place, right) = whole::learn_machine(with_directories(machines()));
    let schema = whole::of_machine(&place, &Pages::read(&[&read("machines/README.md")]));
    Learned {
        validator: validator(&schema),
        taken: right.iter().cloned().collect(),
        place,
        schema,
        right,
    }
});

static SCENARIO: LazyLock<Learned> = LazyLock::new(|| {
    let (place, right, taken) = whole::learn_scenario(with_directories(scenarios()));
    let pages = Pages::read(&[&read("docs/scenario.md"), &read("docs/plan.md")]);
    let schema = whole::of_scenario(&place, &MACHINE.schema, &pages);
    Learned {
        validator: validator(&schema),
        place,
        schema,
        right,
        taken,
    }
});

fn validator(schema: &Value) -> Validator {
    jsonschema::draft7::new(schema).unwrap_or_else(|error| panic!("no schema: {error}"))
}

fn as_json(text: &str) -> Value {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// What editors read is what the readers take today.
#[test]
fn schemas_are_made_from_the_readers() {
    for (name, schema) in [("machine", &MACHINE.schema), ("scenario", &SCENARIO.schema)] {
        let path = root().join(format!("docs/schemas/{name}.schema.json"));
        if std::env::var_os("FRESCO_BLESS").is_some() {
            let text = serde_json::to_string_pretty(schema).expect("JSON") + "\n";
            fs::write(&path, text).expect("is writable");
        }
        let text = fs::read_to_string(&path).expect("the schema is there: FRESCO_BLESS=1 writes it");
        let written: Value = serde_json::from_str(&text).expect("JSON");
        assert!(
            written == *schema,
            "{name}: the readers take something else now; FRESCO_BLESS=1 writes the schema anew"
        );
    }
}

/// What a reader takes the schema takes.
#[test]
fn every_file_of_the_repository_is_valid() {
    let mut count = [0, 0];
    for (number, (kind, files)) in [(&MACHINE, machines()), (&SCENARIO, scenarios())]
        .into_iter()
        .enumerate()
    {
        for (text, path) in files.iter().filter(|(text, _)| kind.taken.contains(text)) {
            valid(&kind.validator, text, path);
            count[number] += 1;
        }
    }
    assert!(count[0] > 30 && count[1] > 55, "{count:?}");
}

/// The same of the files with one value changed, as far as the readers took them.
#[test]
fn every_variant_that_is_right_is_valid() {
    for (kind, least) in [(&MACHINE, 100), (&SCENARIO, 150)] {
        // What a calibration has fitted is read in place of what the file says.
        for text in kind.right.iter().filter(|text| !text.contains("fitted.")) {
            valid(&kind.validator, text, Path::new("variant"));
        }
        assert!(kind.right.len() > least, "{}", kind.right.len());
    }
}

fn valid(validator: &Validator, text: &str, path: &Path) {
    let faults: Vec<String> = validator
        .iter_errors(&as_json(text))
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{}:\n{}\n{text}", path.display(), faults.join("\n"));
}

/// Keys of which no file says what they take, and tables of which no reader refused other keys.
fn unknown(place: &Place, path: &str, into: &mut Vec<String>) {
    // Whatever is below it is asked for elsewhere.
    if place.any_keys {
        return;
    }
    if place.shapes.is_empty() && !path.is_empty() {
        into.push(path.to_owned());
    }
    if place.shapes.contains(&fresco_input::Shape::Table) && !place.closed {
        into.push(format!("{path}.*"));
    }
    if place.shapes.contains(&fresco_input::Shape::List) && place.element.is_none() {
        into.push(format!("{path}[]"));
    }
    for (key, below) in &place.keys {
        unknown(below, format!("{path}.{key}").trim_start_matches('.'), into);
    }
    if let Some(element) = &place.element {
        unknown(element, &format!("{path}[]"), into);
    }
}

#[test]
fn of_every_key_it_is_known_what_it_takes() {
    let (mut machine, mut scenario) = (Vec::new(), Vec::new());
    unknown(&MACHINE.place, "", &mut machine);
    unknown(&SCENARIO.place, "", &mut scenario);
    // What a scenario sets in its machine is looked at there; what an axis sets, where it is set.
    let free = ["sweep", "baseline", "variant[].set", "parameters", "task[].parameters"];
    scenario
        .retain(|path| !free.iter().any(|free| path.starts_with(free)) && !whole::OF_MACHINE.contains(&path.as_str()));
    // It is asked for to be refused.
    assert_eq!(machine, ["l1i.latency"]);
    assert!(scenario.is_empty(), "{scenario:#?}");
}
