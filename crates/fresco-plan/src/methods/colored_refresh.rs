// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colored Refresh: frames, colors and copies chosen together, as one cyclic table (CR-1 to CR-11, F8).

use super::draft::{Draft, PlanContext};
use super::grouping::given;
use super::locking::{about_burst, windows};
use super::repeat;
use super::slices::with_switches;
use super::words::time;
use crate::colors::{even_groups, of_ranks};
use crate::plan::{Evidence, Proof, Schedule};
use crate::refusal::Refusal;
use fresco_rt::executive::plan_while as plan_executive;
use fresco_rt::executive::{Cores, DEFAULT_BUDGET, NoFusion, NoPlan, Request, Rotation, Table, first_fit};
use fresco_rt::{Task, Time};
use fresco_scenario::BurstLength;

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    context.periodic()?;
    context.known_instants()?;
    with_switches(context, table)
}

fn table(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    let (set, memory) = (context.set, &context.memory);
    let options = &set.options;
    if memory.ranks < 2 {
        return Err(Refusal::machine(format!(
            "machine {} has one rank per channel; colors need ranks that are refreshed apart",
            set.machine.name
        )));
    }
    let (_, burst) = context.burst();
    let pages: Vec<u64> = set.tasks.iter().map(|task| task.memory / memory.page_bytes).collect();
    let copies: Vec<Option<Time>> = (0..set.tasks.len()).map(|task| set.copy_time(task)).collect();
    repeat::hyperperiod(&context.tasks, memory.retention_ns)?;
    let cores = cores(context)?;
    let with_handlers = Handlers::of(context, &cores, memory.retention_ns / Time::from(memory.ranks));
    let pages: Vec<u64> = with_handlers.extend(pages, 0);
    let copies: Vec<Option<Time>> = with_handlers.extend(copies, None);
    let request = Request {
        tasks: &with_handlers.tasks,
        memory: &pages,
        rank_capacity: memory.rank_bytes / memory.page_bytes,
        ranks: memory.ranks as usize,
        retention: memory.retention_ns,
        burst: burst + options.refresh_jitter_ns + options.lock_ns + options.unlock_ns,
        whole_frames: options.whole_frames,
        cores: with_handlers.cores.clone(),
        copy_cost: &copies,
        most_instances: options.instances as usize,
        budget: DEFAULT_BUDGET,
    };
    let found = plan_executive(&request, context.patience).map_err(refused)?;
    let rotation = found.problem.rotation();
    let groups = even_groups(memory.ranks, rotation.colors() as u32);
    let table = with_handlers.without(found.assignment.table(&found.problem));
    let frame = rotation.frame();
    let phases: Vec<Time> = (0..rotation.colors() as Time).map(|color| color * frame).collect();
    let bytes = |units: &u64| units * memory.page_bytes;
    let copied = table.memory.iter().filter(|instances| instances.len() > 1).count();
    let mut reasons = vec![
        about_burst(context),
        format!(
            "{} colors of {} ranks, one refreshed in every frame of {}; {}",
            rotation.colors(),
            groups[0].len(),
            time(frame),
            match copied {
                0 => "no task needs a copy".to_owned(),
                copied => format!("{copied} of {} tasks have two instances", set.tasks.len()),
            }
        ),
        format!(
            "the table repeats after {} and has {} dispatches",
            time(table.length),
            table.dispatches()
        ),
    ];
    if options.burst == BurstLength::Lpddr2 {
        reasons.push("bursts are four times as long under LPDDR2's limit".to_owned());
    }
    Ok(Draft {
        high: None,
        instance_of_job: Vec::new(),
        colors: of_ranks(&set.machine, &groups)?,
        instances: table
            .memory
            .iter()
            .map(|task| task.iter().map(|units| units.iter().map(bytes).collect()).collect())
            .collect(),
        cores: match &cores {
            Cores::Partitioned(core_of) => core_of.iter().map(|&core| Some(core as u32)).collect(),
            Cores::Global(1) => vec![Some(0); set.tasks.len()],
            Cores::Global(_) => vec![None; set.tasks.len()],
        },
        bounds: responses(context, &table),
        copies: table.copy_cost.clone(),
        schedule: Schedule::Table {
            table,
            lock_ns: options.lock_ns,
        },
        refresh: windows(context, &phases),
        proofs: vec![Proof {
            core: None,
            color: None,
            tasks: (0..set.tasks.len()).collect(),
            evidence: Evidence::Table,
        }],
        reasons,
    })
}

/// The tasks with one more for each core that keeps the time of its lock handlers free: at every start of a color frame there
/// may be one, whatever frames the search chooses.
struct Handlers {
    tasks: Vec<Task>,
    cores: Cores,
    /// Tasks that are none.
    count: usize,
}

impl Handlers {
    /// `period`: the shortest color frame there may be.
    fn of(context: &PlanContext<'_>, cores: &Cores, period: Time) -> Self {
        let lock = context.set.options.lock_ns;
        let mut tasks = context.tasks.clone();
        let handler = Task::new("lock handler", 0, period, lock, lock);
        let count = handler.as_ref().map_or(0, |_| cores.count());
        tasks.extend(handler.into_iter().flat_map(|task| vec![task; count]));
        let cores = match cores {
            Cores::Partitioned(core_of) => Cores::Partitioned(core_of.iter().copied().chain(0..count).collect()),
            Cores::Global(cores) => Cores::Global(*cores),
        };
        Self { tasks, cores, count }
    }

    /// One more entry for each of them in a list of the tasks.
    fn extend<T: Clone>(&self, mut of_tasks: Vec<T>, of_handler: T) -> Vec<T> {
        of_tasks.resize(self.tasks.len(), of_handler);
        of_tasks
    }

    /// The table of the tasks alone.
    fn without(&self, mut table: Table) -> Table {
        let tasks = self.tasks.len() - self.count;
        table.slots.retain(|slot| slot.task < tasks);
        table.memory.truncate(tasks);
        table.copy_cost.truncate(tasks);
        table
    }
}

/// Tasks to cores: as given, or first fit before colors are looked at.
fn cores(context: &PlanContext<'_>) -> Result<Cores, Refusal> {
    let count = context.set.options.cores as usize;
    if count == 1 {
        return Ok(Cores::ONE);
    }
    if let Some(given) = given(context) {
        return Ok(Cores::Partitioned(given));
    }
    let rotation =
        Rotation::frames(context.memory.retention_ns, 2).map_err(|error| Refusal::machine(error.to_string()))?;
    match first_fit(&context.tasks, rotation, count) {
        Ok(Some(core_of)) => Ok(Cores::Partitioned(core_of)),
        Ok(None) => Err(Refusal::load(format!(
            "first fit finds no place on {count} cores for every task"
        ))),
        Err(error) => Err(Refusal::undecided(error.to_string())),
    }
}

/// Longest time from release to the end of the last slot, over all jobs of the table.
pub(super) fn responses(context: &PlanContext<'_>, table: &Table) -> Vec<Option<Time>> {
    let mut longest = vec![None; context.tasks.len()];
    for slot in &table.slots {
        let task = &context.tasks[slot.task];
        let release = (task.phase + slot.job * task.period) % table.length;
        let start = (slot.start + table.length - release) % table.length;
        longest[slot.task] = longest[slot.task].max(Some(start + slot.length));
    }
    longest
}

fn refused(error: NoPlan) -> Refusal {
    match &error {
        NoPlan::OutOfBudget(_) => Refusal::gave_up(error.to_string()),
        NoPlan::Stopped => Refusal::undecided(error.to_string()),
        NoPlan::NoFrames(NoFusion::Problem(too_long)) => {
            Refusal::undecided(format!("not applicable: {too_long} (times in ns)"))
        }
        NoPlan::NoColors(_) | NoPlan::NoFrames(_) => Refusal::load(format!("{error} (times in ns)")),
    }
}
