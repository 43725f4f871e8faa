// SPDX-License-Identifier: MIT OR Apache-2.0
//! `policy.bandwidth` and `[bandwidth]`: budgets of bandwidth for cores (MG-1 to MG-8).

use super::task::Task;
use super::{Copy, error_at};
use crate::bandwidth::{Guaranteed, Kind, Prediction, Reservation, Settings, Share};
use fresco_dram::Ps;
use fresco_input::{Document, InputError, Table, format_bandwidth};
use fresco_machine::Machine;

/// How the cores of a run are regulated.
pub(crate) struct Bandwidth {
    pub period: Ps,
    /// What an interrupt costs.
    pub interrupt_cycles: u64,
    pub count_write_backs: bool,
    pub guaranteed: Guaranteed,
    /// One for each node that has tasks.
    pub nodes: Vec<NodeBandwidth>,
}

/// The cores that share a controller.
pub(crate) struct NodeBandwidth {
    pub node: u32,
    /// Numbers of the copies.
    pub copies: Vec<usize>,
    /// Reservation of each, in bytes per second.
    pub reserved: Vec<u64>,
    /// What they have together, in bytes per second.
    pub total: u64,
    /// The same in lines of a period.
    pub settings: Settings,
    /// All of it is guaranteed.
    is_guaranteed: bool,
}

impl Bandwidth {
    /// Is there reclaiming?
    pub fn reclaim(&self) -> bool {
        self.nodes.iter().any(|node| node.settings.reclaim)
    }
}

impl NodeBandwidth {
    /// Does a core get its budget in every period?
    pub fn keeps(&self, member: usize) -> bool {
        let donates = self.settings.reclaim && self.settings.reservations[member].kind == Kind::Soft;
        self.is_guaranteed && !donates
    }
}

/// What a task asks for, each copy the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Bytes per second; `None` for a part of what others leave.
    reserve: Option<u64>,
    kind: Kind,
    weight: u32,
}

/// Most that can be asked for: a hundred times what a controller of today serves.
const MOST: u64 = 10_000_000_000_000;

impl Asked {
    /// Reads `reserve`, `reservation` and `weight` of a task.
    pub fn read(table: &Table<'_>) -> Result<Self, InputError> {
        let kinds = [("hard", Kind::Hard), ("soft", Kind::Soft)];
        Ok(Self {
            reserve: table.opt_bandwidth("reserve", 1..=MOST)?,
            kind: table.opt_choice("reservation", &kinds)?.unwrap_or_default(),
            weight: table.opt_integer("weight", 1..=1000)?.unwrap_or(1),
        })
    }
}

/// `[bandwidth]`, before it is known what a period holds.
struct Rules {
    period: Ps,
    total: Option<u64>,
    over_reserve: bool,
    reclaim: bool,
    share: Share,
    chunk: u64,
    prediction: Prediction,
    count_write_backs: bool,
    interrupt_cycles: u64,
}

const SHORTEST: Ps = 10_000_000;
const LONGEST: Ps = 1_000_000_000_000;

fn rules(table: &Table<'_>) -> Result<Rules, InputError> {
    let shares = [
        ("none", Share::None),
        ("best-effort", Share::BestEffort),
        ("weights", Share::Weights),
    ];
    let predictions = [("last", Prediction::Last), ("average", Prediction::Average)];
    let total = table
        .opt_item("total")
        .filter(|item| !matches!(item.text(), Ok("r_min")));
    Ok(Rules {
        period: table
            .opt_duration("period", SHORTEST..=LONGEST)?
            .unwrap_or(1_000_000_000),
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
        count_write_backs: table.opt_boolean("count_write_backs")?.unwrap_or(false),
        interrupt_cycles: table.opt_integer("interrupt", 0..=1_000_000u64)?.unwrap_or(2_000),
    })
}

/// Reads the regulation of a run; `None` if there is none, although `[bandwidth]` and what tasks ask for may stand there:
/// then they are checked all the same.
pub(super) fn read(
    root: &Table<'_>,
    machine: &Machine,
    tasks: &[Task],
    copies: &[Copy],
) -> Result<Option<Bandwidth>, InputError> {
    let policy = root.opt_table("policy")?;
    let names = [("none", false), ("memguard", true)];
    let chosen = policy
        .as_ref()
        .map(|policy| policy.opt_choice("bandwidth", &names))
        .transpose()?;
    let nothing = Document::parse("", "")?;
    let table = root.opt_table("bandwidth")?.unwrap_or_else(|| nothing.root());
    let rules = rules(&table)?;
    let place = table.error("");
    table.finish()?;
    if chosen.flatten() != Some(true) {
        return Ok(None);
    }
    if let (Some(policy), true) = (&policy, tasks.iter().any(|task| task.timing.is_some())) {
        let error = policy.error_at("bandwidth", "found budgets of bandwidth for periodic tasks");
        return Err(error
            .allowed("budgets for tasks that run without end")
            .cure("leave policy.bandwidth away, or period and what belongs to it of the tasks"));
    }
    let guaranteed = Guaranteed::of(machine, rules.count_write_backs);
    let home = |copy: &Copy| {
        let own = machine.topology.node_of_core[copy.core as usize];
        tasks[copy.task].node.unwrap_or(own)
    };
    let mut nodes: Vec<u32> = copies.iter().map(home).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let node = |node| {
        let of_node: Vec<usize> = (0..copies.len()).filter(|copy| home(&copies[*copy]) == node).collect();
        node_bandwidth(node, of_node, &rules, &guaranteed, tasks, copies, &place)
    };
    let nodes = nodes.into_iter().map(node).collect::<Result<_, _>>()?;
    Ok(Some(Bandwidth {
        period: rules.period,
        interrupt_cycles: rules.interrupt_cycles,
        count_write_backs: rules.count_write_backs,
        guaranteed,
        nodes,
    }))
}

fn node_bandwidth(
    node: u32,
    of_node: Vec<usize>,
    rules: &Rules,
    guaranteed: &Guaranteed,
    tasks: &[Task],
    copies: &[Copy],
    place: &InputError,
) -> Result<NodeBandwidth, InputError> {
    let r_min = guaranteed.bytes_per_s();
    let asked: Vec<Asked> = of_node.iter().map(|copy| tasks[copies[*copy].task].bandwidth).collect();
    let fixed: u64 = asked.iter().filter_map(|one| one.reserve).sum();
    let mut total = rules.total.unwrap_or(r_min);
    if total > r_min && !rules.over_reserve {
        let found = format!(
            "found a total of {}, above r_min of controller {node}",
            format_bandwidth(total)
        );
        let error = error_at(place, found)
            .in_field("bandwidth.total")
            .allowed(up_to(r_min, guaranteed));
        return Err(error.cure(MORE));
    }
    if fixed > total && !rules.over_reserve {
        let list: Vec<String> = std::iter::zip(&of_node, &asked)
            .filter_map(|(copy, one)| Some(format!("{} {}", copies[*copy].name, format_bandwidth(one.reserve?))))
            .collect();
        let found = format!(
            "found reservations of {} on controller {node}: {}",
            format_bandwidth(fixed),
            list.join(", ")
        );
        let first = &tasks[copies[of_node[0]].task].place;
        let error = error_at(first, found).in_field(format!("{}.reserve", first.field));
        return Err(error.allowed(up_to(total, guaranteed)).cure(MORE));
    }
    total = total.max(fixed);
    let weights: u64 = asked
        .iter()
        .filter(|one| one.reserve.is_none())
        .map(|one| u64::from(one.weight))
        .sum();
    let part = |one: &Asked| {
        let by_weight = || u128::from(total - fixed) * u128::from(one.weight) / u128::from(weights.max(1));
        one.reserve
            .unwrap_or_else(|| u64::try_from(by_weight()).unwrap_or(u64::MAX))
    };
    let reserved: Vec<u64> = asked.iter().map(part).collect();
    let lines = |bytes_per_s: u64| lines_of(bytes_per_s, rules.period, guaranteed.line_bytes);
    let reservations: Vec<Reservation> = std::iter::zip(&reserved, &asked)
        .map(|(bytes, one)| Reservation {
            lines: lines(*bytes),
            kind: one.kind,
            weight: one.weight,
        })
        .collect();
    if let Some(without) = reservations.iter().position(|one| one.lines == 0) {
        let place = &tasks[copies[of_node[without]].task].place;
        let found = format!(
            "found less than a line in a period for {}",
            copies[of_node[without]].name
        );
        let error = error_at(place, found).in_field(format!("{}.reserve", place.field));
        return Err(error
            .allowed("reservations of a line or more, and something left for tasks without one")
            .cure("reserve more for it, less for others, or lengthen bandwidth.period"));
    }
    Ok(NodeBandwidth {
        node,
        copies: of_node,
        is_guaranteed: total <= r_min && guaranteed.holds_over <= rules.period,
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
fn lines_of(bytes_per_s: u64, period: Ps, line_bytes: u64) -> u64 {
    let lines = u128::from(bytes_per_s) * u128::from(period) / (1_000_000_000_000 * u128::from(line_bytes));
    u64::try_from(lines).unwrap_or(u64::MAX)
}
