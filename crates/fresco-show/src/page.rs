// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page that `fresco sim --out` writes.

use super::figures::{self, Figure};
use super::sweep::Sweep;
use super::table::{self, Tasks};
use super::{agents, budgets, controllers, cores, lead, plan, refresh, rows, schedule, teams, timelines, walks, words};
use fresco_plan::Plan;
use fresco_report::{HtmlReport, InputFile, Provenance, ReportError, Section};
use fresco_system::results::{ScenarioResult, Stopped};
use fresco_system::{Extent, Role};
use std::collections::BTreeSet;

/// The page and the figures on it; `plans` are those that some of the results are of, by their names.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn of(
    results: &[ScenarioResult],
    plans: &[&Plan],
    provenance: &Provenance,
) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let title = match results {
        [one] => titled(one),
        several if several.iter().all(|result| result.method.is_none()) => {
            format!("Memory interference: {}", named(several))
        }
        several => format!("Simulated: {}", named(several)),
    };
    let mut short = Vec::new();
    let mut sections = Vec::new();
    let mut all = Vec::new();
    let of_several = results.len() > 1;
    for result in results {
        let sweep = Sweep::new(result);
        short.push((lead::short(&sweep), lead::sentences(&sweep)));
        let of_this = provenance_of(result, provenance);
        let mut figures = schedule::figures(&sweep, &of_this)?;
        figures.extend(budgets::figures(&sweep, &of_this)?);
        figures.extend(figures::of(&sweep, &of_this)?);
        let timelines = timelines::figures(&sweep, &of_this)?;
        // To a horizon, who runs when comes first; it is a detail of other runs.
        let place = if schedule::has_horizon(result) {
            0
        } else {
            figures.len()
        };
        figures.splice(place..place, timelines);
        // The only scenario's title is that of the page.
        let heading = match results.len() {
            1 => format!("Results of {}", result.scenario),
            _ => titled(result),
        };
        let plan = plans.iter().find(|plan| plan.name == result.scenario);
        if let Some(plan) = plan {
            sections.push(plan::promised(plan, result, of_several)?);
        }
        // What the numbers of the only scenario say is the page's lead.
        let said = if of_several {
            lead::sentences(&sweep).join(" ")
        } else {
            String::new()
        };
        sections.push(section(&sweep, heading, said, &figures)?);
        sections.extend(plan.map(|plan| plan::reasons(plan, of_several)));
        for figure in figures {
            let name = free_name(&figures::file_name(&[&figure.name]), &all);
            all.push(Figure { name, ..figure });
        }
    }
    let lead = match short.as_slice() {
        [(_, all)] => all.join(" "),
        _ => String::new(),
    };
    let mut page = HtmlReport::new(title, lead, provenance.clone());
    if short.len() > 1 {
        let said = std::iter::zip(results, short).filter(|(_, (short, _))| !short.is_empty());
        let items = said.map(|(result, (short, _))| format!("{}: {short}", result.scenario));
        page.sections.push(Section::new("In short").list(items.collect()));
    }
    page.sections.extend(sections);
    page.sections.push(reading());
    Ok((page, all))
}

/// The name of a figure, numbered if another has it: words of scenario and task may run together alike.
fn free_name(name: &str, taken: &[Figure]) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let free = names.find(|name| taken.iter().all(|other| other.name != *name));
    free.expect("numbers do not end")
}

/// The title of a scenario, or its name if it has none, and how much of it there is.
fn titled(result: &ScenarioResult) -> String {
    let title = match result.title.is_empty() {
        true => &result.scenario,
        false => &result.title,
    };
    match result.stopped {
        None => title.clone(),
        Some(Stopped { made, all }) => format!("{title} [stopped: {made} of {all} runs]"),
    }
}

/// So many scenarios are named in the title of their page.
const MOST_NAMED: usize = 6;

/// `palloc-fig4, camc-fig2.6 and camc-fig2.7`; of many the first, and how many others.
fn named(results: &[ScenarioResult]) -> String {
    let mut names: Vec<String> = results.iter().map(|result| result.scenario.clone()).collect();
    if names.len() > MOST_NAMED {
        let others = names.split_off(MOST_NAMED - 1).len();
        names.push(format!("{} others", words::count(&others.to_string())));
    }
    words::list(&names)
}

/// What was run for one scenario, for the foot of its figures.
pub fn provenance_of(result: &ScenarioResult, whole: &Provenance) -> Provenance {
    let mut provenance = whole.clone();
    let is_its_machine = |file: &InputFile| result.points.iter().any(|point| point.machine_digest == file.digest);
    provenance.machine_files.retain(is_its_machine);
    let inputs = std::mem::take(&mut provenance.inputs);
    if provenance.scenario.is_none() {
        provenance.scenario = inputs.into_iter().find(|file| file.name.contains(&result.scenario));
    }
    provenance.seed = Some(result.seed);
    provenance
}

fn section(sweep: &Sweep<'_>, heading: String, said: String, figures: &[Figure]) -> Result<Section, ReportError> {
    let result = sweep.result;
    let mut section = Section::new(heading);
    if !said.is_empty() {
        section = section.paragraph(said);
    }
    for figure in figures {
        section = section.figure(figure.svg.clone(), figure.caption.clone());
    }
    let tables = [
        schedule::table(sweep)?,
        refresh::table(sweep)?,
        cores::table(sweep)?,
        teams::table(sweep)?,
    ];
    section = tables.into_iter().flatten().fold(section, Section::table);
    section = section.table(table::of(sweep, Tasks::Measured)?);
    let background = result
        .points
        .iter()
        .any(|point| point.tasks.iter().any(|task| task.role == Role::Background));
    if background {
        section = section.table(table::of(sweep, Tasks::Background)?);
    }
    if let Some(table) = walks::table(sweep)? {
        section = section.table(table).paragraph(walks::NOTE.to_owned());
    }
    if let Some(table) = agents::table(sweep)? {
        section = section.table(table).paragraph(agents::NOTE.to_owned());
    }
    if let Some(table) = rows::table(sweep)? {
        section = section.table(table).paragraph(rows::NOTE.to_owned());
    }
    if let Some(table) = budgets::table(sweep)? {
        section = section.table(table).paragraph(budgets::NOTE.to_owned());
    }
    if let Some(table) = super::together::of(sweep)? {
        section = section.table(table);
    }
    section = section.table(controllers::of(sweep)?);
    Ok(section.paragraph(how(result)))
}

/// What was simulated for each point, and what the columns of tables are of.
pub fn how(result: &ScenarioResult) -> String {
    let Some(point) = result.points.first() else {
        return String::new();
    };
    let repeated = match result.repetitions {
        1 => format!("one run for each row, with seed {}", result.seed),
        times => format!(
            "{times} runs for each row, with seeds {} to {}",
            result.seed,
            result.seed + u64::from(times) - 1
        ),
    };
    let (warm_up, measure) = (extent(point.warm_up), extent(point.measure));
    let mut text = match result.method {
        Some(method) => format!(
            "Plan {} by {}: {repeated}, {measure} long.",
            result.scenario,
            method.name()
        ),
        None => format!(
            "Scenario {}: {repeated}; each measured task warms up for {warm_up} and is measured for {measure}.",
            result.scenario
        ),
    };
    let note = super::table::note(result.repetitions);
    if !note.is_empty() {
        text.push_str(&format!(" {note}"));
    }
    text.push_str(&models(result));
    text
}

/// Which tasks are no programs but models of some (BEN-10), in a sentence; empty if none is.
fn models(result: &ScenarioResult) -> String {
    let is_model = |name: &str| {
        let mut kinds = fresco_load::programs().iter();
        kinds.any(|kind| kind.name == name && kind.is_model())
    };
    let runs = result.points.iter().flat_map(|point| &point.runs);
    let tasks = runs.flat_map(|run| &run.tasks).filter(|task| is_model(&task.program));
    let names: BTreeSet<&str> = tasks.map(|task| task.name.as_str()).collect();
    match names.len() {
        0 => String::new(),
        count => format!(
            " {} {}, made of published figures: not the program itself.",
            Vec::from_iter(names).join(", "),
            if count == 1 {
                "is a statistical model of a program"
            } else {
                "are statistical models of programs"
            }
        ),
    }
}

fn extent(extent: Extent) -> String {
    match extent {
        Extent::Passes(1) => "one pass over its data".to_owned(),
        Extent::Passes(passes) => format!("{passes} passes over its data"),
        Extent::Operations(operations) => format!("{operations} loads and stores"),
        Extent::Time(time) => fresco_input::format_duration(time),
        Extent::Jobs(1) => "one job".to_owned(),
        Extent::Jobs(jobs) => format!("{jobs} jobs"),
    }
}

/// What the columns and colors mean.
fn reading() -> Section {
    Section::new("How to read this").list(
        [
            "Slowdown: instructions per cycle of the run it is compared with, divided by those of this run.",
            "Slowdown below 1: the run is faster than the one it is compared with; others can help, for instance by evicting dirty lines that the task would have had to write back itself.",
            "Mean, p99, max: latency of the reads that missed all caches, from the access to the data at the core: mean, 99th percentile and maximum of all these reads, those of all repetitions together.",
            "Other columns of a scenario with repetitions: means of the repetitions. Figures show means of the repetitions as points or bars, and the smallest and largest of them as whiskers; distributions and shares of a read's time are those of all reads of all repetitions together.",
            "Slowdowns are drawn from 1, all else from 0, unless the title of an axis says where it starts.",
            "Grey dotted line in a figure: the mean of the points that the others are compared with, where these agree within 1 %; \u{201c}alone\u{201d} if they are those without co-runners.",
            "Row h/m/c: of these reads, how many percent found their row open, their bank closed, or another row open.",
            "Caches and path: looking up the caches, to the controller and back. Own commands: activation, column access and data of the read itself.",
            "Bank, bus and rank, refresh, queue: time the read waited for its bank, for the data bus or rank timing, for a refresh, and in the controller's queues while none of these held it up.",
            "Traffic of a task: lines it read from memory and its dirty lines that left the last cache, in bytes per second of its measured phase. LLC misses: of the measured phase.",
            "Traffic of a controller: lines that its DRAM served, reads and writes, in bytes per second of its window; peak: what the data buses of its channels could carry.",
            super::together::NOTE,
            controllers::ENERGY,
            controllers::NOTE,
            teams::NOTE,
            refresh::NOTE,
            cores::NOTE,
            plan::SYNTHETIC,
        ]
        .map(str::to_owned)
        .to_vec(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_names_the_experiment() {
        use std::slice::from_ref;
        let result = super::super::testing::short_run("first", &["sweep.corunners=[0, 1]"]);
        let page = |results: &[ScenarioResult]| of(results, &[], &Provenance::new("0", "test", 1)).expect("drawn").0;
        let headed = |results: &[ScenarioResult]| {
            let html = page(results).to_html();
            assert_eq!(html.matches("<h1").count(), 1);
            html.split("<h1>")
                .nth(1)
                .and_then(|rest| rest.split('<').next())
                .map(str::to_owned)
        };
        assert_eq!(headed(from_ref(&result)).as_deref(), Some(result.title.as_str()));
        assert!(page(from_ref(&result)).to_html().contains("<h2>Results of first</h2>"));
        let part = ScenarioResult {
            stopped: Some(Stopped { made: 1, all: 2 }),
            ..result.clone()
        };
        let title = format!("{} [stopped: 1 of 2 runs]", result.title);
        assert_eq!(headed(from_ref(&part)), Some(title));
        let untitled = ScenarioResult {
            title: String::new(),
            ..result
        };
        assert_eq!(headed(from_ref(&untitled)).as_deref(), Some("first"));
        let eight = vec![untitled; 8];
        let title = "Memory interference: first, first, first, first, first and three others";
        assert_eq!(headed(&eight).as_deref(), Some(title));
    }

    #[test]
    fn figures_of_several_scenarios_have_names_of_their_own() {
        let result = super::super::testing::short_run("first", &["sweep.corunners=[0, 1]"]);
        let provenance = Provenance::new("0", "test", 1);
        let (_, figures) = of(&[result.clone(), result], &[], &provenance).expect("drawn");
        let names: BTreeSet<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        assert_eq!(names.len(), figures.len(), "{names:?}");
    }

    #[test]
    fn a_table_of_background_tasks_is_there_if_there_are_any() {
        let page = |name: &str, set: &[&str]| {
            let overrides: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
            let scenario = crate::testing::built_in(name, &overrides);
            let result = fresco_system::run_all(&scenario, 2, &|_| {}).expect(name);
            of(&[result], &[], &Provenance::new("0", "test", 1))
                .expect(name)
                .0
                .to_html()
        };
        // Four copies of one task, all measured.
        let copies = [
            "repetitions=1",
            "task.writer.parameters.writes=100",
            "sweep.policy=[\"buddy\"]",
        ];
        assert!(!page("camc-tab2.2", &copies).contains("tasks in the background"));
        let beside = ["repetitions=1", "measure.operations=100", "sweep.corunners=[0, 1]"];
        assert!(page("palloc-fig4", &beside).contains("tasks in the background"));
    }
}
