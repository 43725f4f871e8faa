// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of bandwidth: reserved and achieved per core, what was donated and missed, and the bandwidth over time (MET-9).
//! Tasks that share a core share its budget, and a row.

use super::figures::Figure;
use super::sweep::Sweep;
use fresco_report::plot::{Axis, Heading, TimeSeries, Trace};
use fresco_report::{Cell, Column, Provenance, ReportError, Table};
use fresco_system::bandwidth::Kind;
use fresco_system::results::{CoreRegulation, PointResult, RunResult, ScenarioResult, Spread};

/// Charts of points, at most so many: more are in the JSON.
const MOST_CHARTS: usize = 8;

/// What the reader of the table has to know.
pub const NOTE: &str = "Budgets: means over whole periods, and over repetitions; nothing where no whole period was measured. Guaranteed: what a core can rely on; nothing \
    if it donates, or if more is reserved than r_min. Stalled: share of the time. Exhausted: share of the periods in which a \
    core had used up its budget and found no more. Donated, taken: lines that a core gave away and took, as a share of its \
    reservation. Errors: share of the periods in which a core that had donated could not get its reservation back. Beyond: most \
    lines over the budget in a period, because they were under way. Bound: the most that the slowdown can be by the \
    reservations, if the task's cache misses are its own.";

/// The budgets at each point; `None` without regulation.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    let regulations = || {
        result
            .points
            .iter()
            .flat_map(|point| &point.runs)
            .filter_map(|run| run.regulation.as_ref())
    };
    let Some(first) = regulations().next() else {
        return Ok(None);
    };
    let mut columns = sweep.columns();
    columns.extend([Column::text("task"), Column::text("kind")]);
    columns.extend(["reserved", "guaranteed", "achieved"].map(|name| Column::number(name, "MB/s", 0)));
    columns.extend(["stalled", "exhausted", "donated", "taken"].map(|name| Column::number(name, "%", 1)));
    columns.extend([Column::number("errors", "%", 2), Column::number("beyond", "", 0)]);
    columns.extend([Column::number("slowdown", "", 2), Column::number("bound", "", 2)]);
    let r_min: Vec<u64> = regulations()
        .flat_map(|one| &one.nodes)
        .map(|node| node.guaranteed_bytes_per_s)
        .collect();
    let (least, most) = (
        r_min.iter().min().copied().unwrap_or(0),
        r_min.iter().max().copied().unwrap_or(0),
    );
    let mega = |bytes: u64| format!("{:.0}", bytes as f64 / 1e6);
    let r_min = match least == most {
        true => mega(least),
        false => format!("{} to {}", mega(least), mega(most)),
    };
    let period = fresco_input::format_duration(first.period_ps);
    let title = format!(
        "{}: budgets of bandwidth, periods of {period}; r_min {r_min} MB/s",
        result.scenario
    );
    let mut table = Table::new(title, columns);
    for point in &result.points {
        for (number, task) in point.tasks.iter().enumerate() {
            let cores: Vec<&CoreRegulation> = regulated(&point.runs, number);
            let Some(core) = cores.first() else { continue };
            let Some(name) = names(
                task.core,
                number,
                point.tasks.iter().map(|task| (task.core, task.name.as_str())),
            ) else {
                continue;
            };
            let mut cells = sweep.cells(point);
            cells.push(name.as_str().into());
            cells.push(if core.kind == Kind::Hard { "hard" } else { "soft" }.into());
            cells.extend(numbers(&cores));
            cells.push(task.slowdown.map_or(Cell::Missing, |slowdown| slowdown.mean.into()));
            cells.push(task.slowdown_bound.map_or(Cell::Missing, Cell::from));
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}

/// A measured phase of fewer whole periods shows what was left of the budgets at its begin.
const LEAST_PERIODS: u64 = 10;

/// A sentence where measured phases are too short for what their table says.
pub fn too_short(result: &ScenarioResult) -> Option<String> {
    let runs = result.points.iter().flat_map(|point| &point.runs);
    let periods = runs.filter(|run| run.regulation.is_some()).map(|run| {
        let cores = run.tasks.iter().filter_map(|task| task.regulation.as_ref());
        cores.map(|core| core.counts.periods).max().unwrap_or(0)
    });
    let least = periods.min().filter(|least| *least < LEAST_PERIODS)?;
    Some(format!(
        "Measured under budgets for {least} whole periods: fewer than {LEAST_PERIODS} show what was left of the budgets at the begin, not \
         what budgets do; measure longer, or in shorter periods."
    ))
}

/// The tasks `(core, name)` of the core of the task at `number`, if that is the first of them.
fn names<'t>(core: u32, number: usize, tasks: impl Iterator<Item = (u32, &'t str)>) -> Option<String> {
    let of_core = tasks.enumerate().filter(|(_, task)| task.0 == core);
    let (numbers, names): (Vec<usize>, Vec<&str>) = of_core.map(|(number, task)| (number, task.1)).unzip();
    (numbers.first() == Some(&number)).then(|| names.join(" + "))
}

/// The core of a task in each run.
fn regulated(runs: &[RunResult], number: usize) -> Vec<&CoreRegulation> {
    runs.iter()
        .filter_map(|run| run.tasks[number].regulation.as_ref())
        .collect()
}

fn numbers(cores: &[&CoreRegulation]) -> Vec<Cell> {
    // Without a whole period nothing was counted but the reservation.
    let counted: Vec<&CoreRegulation> = cores.iter().copied().filter(|core| core.counts.periods > 0).collect();
    let Some(first) = cores.first().filter(|_| counted.is_empty()) else {
        return of_periods(&counted);
    };
    let mut cells = vec![
        (first.reserved_bytes_per_s as f64 / 1e6).into(),
        (first.guaranteed_bytes_per_s / 1e6).into(),
    ];
    cells.resize(NUMBERS, Cell::Missing);
    cells
}

/// Columns of [`numbers`].
const NUMBERS: usize = 9;

fn of_periods(cores: &[&CoreRegulation]) -> Vec<Cell> {
    let mean = |value: fn(&CoreRegulation) -> f64| Cell::from(Spread::of(cores.iter().map(|core| value(core))).mean);
    let most = cores.iter().map(|core| core.counts.overshoot).max().unwrap_or(0);
    vec![
        mean(|core| core.reserved_bytes_per_s as f64 / 1e6),
        mean(|core| core.guaranteed_bytes_per_s / 1e6),
        mean(|core| core.achieved_bytes_per_s / 1e6),
        mean(|core| 100.0 * core.stalled_share),
        mean(|core| share(core.counts.exhausted, core.counts.periods)),
        mean(|core| share(core.counts.donated, core.counts.periods * core.reserved_lines)),
        mean(|core| {
            let taken = core.counts.reclaimed + core.counts.extra + core.counts.shared;
            share(taken, core.counts.periods * core.reserved_lines)
        }),
        mean(|core| 100.0 * core.error_rate),
        Cell::Count(most),
    ]
}

/// In per cent.
fn share(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Bandwidth of each core in each period of each point's first run.
///
/// # Errors
/// None in practice: periods follow each other.
pub fn figures(sweep: &Sweep<'_>, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let points = sweep.result.points.iter().enumerate();
    let regulated = points.filter(|(_, point)| point.runs.first().is_some_and(|run| run.regulation.is_some()));
    let figures = regulated
        .take(MOST_CHARTS)
        .map(|(number, point)| figure(sweep, number, point, provenance));
    figures.filter_map(Result::transpose).collect()
}

fn figure(
    sweep: &Sweep<'_>,
    number: usize,
    point: &PointResult,
    provenance: &Provenance,
) -> Result<Option<Figure>, ReportError> {
    let Some((run, regulation)) = point.runs.first().and_then(|run| Some((run, run.regulation.as_ref()?))) else {
        return Ok(None);
    };
    let tasks = || run.tasks.iter().map(|task| (task.core, task.name.as_str()));
    let trace = |(number, task): (usize, &fresco_system::results::TaskResult)| {
        let core = task.regulation.as_ref()?;
        let name = names(task.core, number, tasks())?;
        let ms = |ps: u64| ps as f64 / 1e9;
        let half = regulation.period_ps / 2;
        let samples: Vec<(f64, f64)> = core
            .series(regulation)
            .map(|(middle, bytes)| (ms(middle - half), bytes / 1e6))
            .collect();
        let end = core
            .series(regulation)
            .last()
            .map_or(0.0, |(middle, _)| ms(middle + half));
        Some(Trace {
            name: format!("{name}, {:.0} MB/s reserved", core.reserved_bytes_per_s as f64 / 1e6),
            samples,
            end,
        })
    };
    let traces: Vec<Trace> = run.tasks.iter().enumerate().filter_map(trace).collect();
    if traces.iter().all(|trace| trace.samples.is_empty()) {
        return Ok(None);
    }
    let chart = TimeSeries {
        heading: Heading::new(
            format!("{}: bandwidth in each period", sweep.result.scenario),
            point.values.join(", "),
        )
        .described("Lines that each core moved in each period, as bandwidth; one line for each core."),
        time: Axis::new("time", "ms"),
        y: Axis::new("bandwidth", "MB/s").from_zero(),
        traces,
    };
    Ok(Some(Figure {
        name: format!("{}-budgets-{number}", sweep.result.scenario),
        svg: chart.to_svg(provenance)?,
        caption: "The first run, as far as budgets count it.".to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::short_run;

    #[test]
    fn the_table_and_the_figure_have_each_core() {
        let set = [
            "warm_up.time=100us",
            "measure.time=1ms",
            "bandwidth.period=100us",
            "sweep.task.foreground.parameters.gap=[400]",
        ];
        let set = set.map(str::to_owned);
        let scenario = crate::testing::built_in("memguard-reclaim", &set);
        let result = fresco_system::run_all(&scenario, 2, &|_| {}).expect("it runs");
        let sweep = Sweep::new(&result);
        let table = table(&sweep).expect("it can be shown").expect("it is regulated");
        let text = table.to_text(200);
        assert!(text.contains("guaranteed") && text.contains("background"), "{text}");
        assert_eq!(text.matches("soft").count(), 6, "two tasks at three points: {text}");
        let figures = figures(&sweep, &Provenance::new("0", "test", 1)).expect("it can be drawn");
        assert_eq!(figures.len(), 3);
        assert!(figures[1].svg.as_str().contains("200 MB/s reserved"));
    }

    #[test]
    fn tasks_of_a_core_share_a_row() {
        let text = "name = \"two\"\nmachine = \"core2-q8400\"\npolicy.bandwidth = \"memguard\"\nbandwidth.period = \"100 us\"\n\
            measure.time = \"500 us\"\n\
            [[task]]\nname = \"a\"\nprogram = \"idle\"\ncore = 0\nperiod = \"200 us\"\nparameters.instructions = 100\n\
            [[task]]\nname = \"b\"\nprogram = \"random\"\ncore = 0\nparameters.bytes = \"8 MiB\"\n\
            [[task]]\nname = \"c\"\nprogram = \"random\"\ncore = 1\nparameters.bytes = \"8 MiB\"\n";
        let scenario = fresco_system::Scenario::parse("two.toml", text, std::path::Path::new(""), &[]).expect("right");
        let result = fresco_system::run_all(&scenario, 1, &|_| {}).expect("it runs");
        let sweep = Sweep::new(&result);
        let table = table(&sweep).expect("it can be shown").expect("it is regulated");
        let text = table.to_text(200);
        assert_eq!(
            (text.matches("soft").count(), text.matches("a + b").count()),
            (2, 1),
            "{text}"
        );
        let figures = figures(&sweep, &Provenance::new("0", "test", 1)).expect("it can be drawn");
        assert!(figures[0].svg.as_str().contains("a + b, "));
        let gantt =
            super::super::timelines::figures(&sweep, &Provenance::new("0", "test", 1)).expect("it can be drawn");
        assert!(gantt[0].svg.as_str().contains("stalled"));
    }

    #[test]
    fn no_regulation_no_table() {
        let result = short_run("first", &[]);
        let sweep = Sweep::new(&result);
        assert!(table(&sweep).expect("it can be shown").is_none());
        assert!(
            figures(&sweep, &Provenance::new("0", "test", 1))
                .expect("it can be drawn")
                .is_empty()
        );
    }
}
