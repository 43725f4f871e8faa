// SPDX-License-Identifier: MIT OR Apache-2.0
//! `policy.bandwidth` and `[bandwidth]`: budgets of bandwidth for cores (MG-1 to MG-8).

mod cores;
pub(crate) mod period;

use super::task::Task;
use super::{Copy, error_at};
use crate::budgets::{Budgets, Kind, NodeBudgets, Prediction, Reservation, Settings, Share};
use cores::AskedCore;
use fresco_dram::Ps;
use fresco_input::{Document, InputError, Table, format_bandwidth};
use fresco_machine::{Guaranteed, Machine};
use period::{MOST, Period};

/// What a task asks for its core, each copy the same; `None` where it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// Bytes per second; without, a part of what others leave.
    reserve: Option<u64>,
    kind: Option<Kind>,
    weight: Option<u32>,
}

impl Asked {
    /// What a plan may heed: bytes per second, which its cores have for certain.
    ///
    /// # Errors
    /// The reservation is soft.
    pub(crate) fn for_certain(&self, table: &Table<'_>) -> Result<Option<u64>, InputError> {
        match self.kind {
            Some(Kind::Soft) => Err(table
                .error_at("reservation", "found a soft reservation of a task that is planned")
                .allowed("\"hard\": on what its core may lend no task can count")
                .help("omit it: the budgets of plans are hard")),
            _ => Ok(self.reserve),
        }
    }

    /// Reads `reserve` and `reservation` of a task, and its `weight` if it is run as it stands.
    pub(super) fn read(table: &Table<'_>, is_run: bool) -> Result<Self, InputError> {
        let kinds = [("hard", Kind::Hard), ("soft", Kind::Soft)];
        Ok(Self {
            reserve: table.opt_bandwidth("reserve", 1..=MOST)?,
            kind: table.opt_choice("reservation", &kinds)?,
            weight: match is_run {
                true => table.opt_integer("weight", 1..=1000)?,
                false => None,
            },
        })
    }
}

/// `[bandwidth]`, before it is known what a period holds.
struct Rules {
    period: Period,
    total: Option<u64>,
    over_reserve: bool,
    reclaim: bool,
    share: Share,
    chunk: u64,
    prediction: Prediction,
}

fn rules(table: &Table<'_>, machine: &Machine) -> Result<Rules, InputError> {
    let shares = [
        ("none", Share::None),
        ("best-effort", Share::BestEffort),
        ("weights", Share::Weights),
    ];
    let predictions = [("last", Prediction::Last), ("average", Prediction::Average)];
    let total = table
        .opt_item("total")
        .filter(|item| !matches!(item.text_like("^r_min$"), Ok("r_min")));
    Ok(Rules {
        period: Period::read(table, machine)?,
        total: total
            .map(|item| item.bandwidth(1..=MOST))
            .transpose()
            .map_err(|error| {
                let allowed = format!("\"r_min\", or {}", error.allowed);
                error.allowed(allowed)
            })?,
        over_reserve: table.opt_boolean("over_reserve")?.unwrap_or(false),
        reclaim: table.opt_boolean("reclaim")?.unwrap_or(false),
        share: table.opt_choice("share", &shares)?.unwrap_or_default(),
        chunk: table.opt_integer("chunk", 1..=1_000_000u64)?.unwrap_or(100),
        prediction: table.opt_choice("prediction", &predictions)?.unwrap_or_default(),
    })
}

/// Reads the regulation of a run; `None` if there is none, although `[bandwidth]` and what tasks ask for may stand there:
/// then they are checked all the same.
pub(super) fn read(
    root: &Table<'_>,
    machine: &Machine,
    tasks: &[Task],
    copies: &[Copy],
) -> Result<Option<Budgets>, InputError> {
    let policy = root.opt_table("policy")?;
    let names = [("none", false), ("memguard", true)];
    let chosen = policy
        .as_ref()
        .map(|policy| policy.opt_choice("bandwidth", &names))
        .transpose()?;
    let nothing = Document::parse("", "")?;
    let table = root.opt_table("bandwidth")?.unwrap_or_else(|| nothing.root());
    let rules = rules(&table, machine)?;
    let place = table.error("");
    table.finish()?;
    if chosen.flatten() != Some(true) {
        return Ok(None);
    }
    let guaranteed = Guaranteed::of(machine, rules.period.count_write_backs);
    let cores = cores::of(machine, tasks, copies)?;
    let mut nodes: Vec<u32> = cores.iter().map(|core| core.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let node = |node| {
        let of_node: Vec<&AskedCore> = cores.iter().filter(|core| core.node == node).collect();
        node_budgets(node, &of_node, &rules, &guaranteed, &place)
    };
    let nodes = nodes.into_iter().map(node).collect::<Result<_, _>>()?;
    Ok(Some(Budgets {
        period: rules.period.length,
        interrupt_cycles: rules.period.interrupt_cycles,
        count_write_backs: rules.period.count_write_backs,
        guaranteed,
        nodes,
        told: None,
    }))
}

fn node_budgets(
    node: u32,
    cores: &[&AskedCore],
    rules: &Rules,
    guaranteed: &Guaranteed,
    place: &InputError,
) -> Result<NodeBudgets, InputError> {
    let r_min = guaranteed.bytes_per_s();
    let fixed: u64 = cores.iter().filter_map(|core| core.asked.reserve).sum();
    let mut total = rules.total.unwrap_or(r_min);
    if total > r_min && !rules.over_reserve {
        let found = format!(
            "found a total of {}, above r_min of controller {node}",
            format_bandwidth(total)
        );
        let error = error_at(place, found)
            .in_field("bandwidth.total")
            .allowed(up_to(r_min, guaranteed));
        return Err(error.help(MORE));
    }
    if fixed > total && !rules.over_reserve {
        let list: Vec<String> = cores
            .iter()
            .filter_map(|core| Some(format!("{} {}", core.name, format_bandwidth(core.asked.reserve?))))
            .collect();
        let found = format!(
            "found reservations of {} on controller {node}: {}",
            format_bandwidth(fixed),
            list.join(", ")
        );
        let error = at_reserve(cores[0], found);
        return Err(error.allowed(up_to(total, guaranteed)).help(MORE));
    }
    total = total.max(fixed);
    let weight = |core: &AskedCore| core.asked.weight.unwrap_or(1);
    let weights: u64 = cores
        .iter()
        .filter(|core| core.asked.reserve.is_none())
        .map(|core| u64::from(weight(core)))
        .sum();
    let part = |core: &&AskedCore| {
        let by_weight = || u128::from(total - fixed) * u128::from(weight(core)) / u128::from(weights.max(1));
        let reserve = core.asked.reserve;
        reserve.unwrap_or_else(|| u64::try_from(by_weight()).unwrap_or(u64::MAX))
    };
    let reserved: Vec<u64> = cores.iter().map(part).collect();
    let lines = |bytes_per_s: u64| lines_of(bytes_per_s, rules.period.length, guaranteed.line_bytes);
    let reservations: Vec<Reservation> = std::iter::zip(&reserved, cores)
        .map(|(bytes, core)| Reservation {
            lines: lines(*bytes),
            kind: core.asked.kind.unwrap_or_default(),
            weight: weight(core),
        })
        .collect();
    if let Some(without) = reservations.iter().position(|one| one.lines == 0) {
        let found = format!("found less than a line in a period for {}", cores[without].name);
        return Err(at_reserve(cores[without], found)
            .allowed("reservations of a line or more, and something left for tasks without one")
            .help("reserve more for it, less for others, or lengthen bandwidth.period"));
    }
    Ok(NodeBudgets {
        node,
        cores: cores.iter().map(|core| core.number).collect(),
        is_guaranteed: total <= r_min && guaranteed.holds_over <= rules.period.length,
        settings: Settings {
            total: lines(total),
            reservations,
            reclaim: rules.reclaim,
            share: rules.share,
            chunk: rules.chunk,
            prediction: rules.prediction,
        },
        reserved,
        total,
    })
}

/// An error at the reservation of a core.
fn at_reserve(core: &AskedCore, found: String) -> InputError {
    let field = format!("{}.reserve", core.place.field);
    error_at(&core.place, found).in_field(field)
}

const MORE: &str = "reserve less, or set bandwidth.over_reserve = true and have no guarantee";

/// `1084 MB/s at most: r_min, …`
fn up_to(total: u64, guaranteed: &Guaranteed) -> String {
    format!(
        "{:.1} MB/s at most on a controller (r_min is {:.1} MB/s: a line of {} bytes each {:.2} ns, less refresh)",
        total as f64 / 1e6,
        guaranteed.bytes_per_s() as f64 / 1e6,
        guaranteed.line_bytes,
        guaranteed.line_ps as f64 / 1e3,
    )
}

/// Whole lines of a period.
pub(crate) fn lines_of(bytes_per_s: u64, period: Ps, line_bytes: u64) -> u64 {
    let lines = u128::from(bytes_per_s) * u128::from(period) / (1_000_000_000_000 * u128::from(line_bytes));
    u64::try_from(lines).unwrap_or(u64::MAX)
}
