// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aligned segmented refresh (F29): the burst cut into segments, each inside the other color's slot.
//!
//! Time is a fixed frame of one slot per color; while a color runs, a piece of the other color's refresh is done. No task
//! ever meets a refresh, no slot is ever delayed, and density enters only through the length of a segment. On several cores
//! the frame is the same, each core has its own border between the slots, and a segment lies in the slots of all (CRS-22).

use std::fmt;

use crate::budget::{Family, least_budget};
use crate::patience::STOPPED;
use crate::policy::Policy;
use crate::refresh::for_jitter;
use crate::supply::SlotTable;
use crate::switches::SliceCost;
use crate::task::Task;
use crate::time::{Overflow, Time, divisors};

/// What refresh demands of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshDemand {
    /// tRET.
    pub retention: Time,
    /// Commands per retention time (8192), and those that make up for the jitter ([`crate::refresh::for_jitter`]).
    pub commands: Time,
    /// tRFC.
    pub trfc: Time,
    /// Cost of the handler at the start of each slot: it locks one color, unlocks the other and starts the segment; the
    /// longest on any core.
    pub handler: Time,
    /// A segment may begin so much later than planned.
    pub jitter: Time,
    /// What switches take from the tasks in each slot.
    pub slice: SliceCost,
}

/// A frame with its slots: core `k` runs color 0 in `[handler, border_k)` and color 1 in `[border_k + handler, period)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedPlan {
    period: Time,
    borders: Vec<Time>,
    segment: Time,
    demand: RefreshDemand,
    /// Per core, time of a frame that no workload needs; it lies in the slot of color 1.
    slack: Vec<Time>,
}

/// Why there is no aligned plan with a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignedError {
    /// The period is 0 or does not divide the retention time; holds both.
    Period(Time, Time),
    /// No core is given, or the demand has no commands.
    Empty,
    /// A workload does not fit even a processor of its own; holds its core and color.
    Workload(usize, usize),
    /// The slots of a core need more than the period; holds the core, the need and the period.
    Full(usize, Time, Time),
    /// The segment of a color does not fit the slots of the other; holds the color refreshed, the need and what there is.
    Segment(usize, Time, Time),
    /// A time exceeds 64 bits.
    Overflow,
    /// The patience was over before there was a verdict.
    Stopped,
}

impl fmt::Display for AlignedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlignedError::Period(period, retention) => {
                write!(
                    f,
                    "a frame of {period} does not divide the retention time of {retention}"
                )
            }
            AlignedError::Empty => f.write_str("there is no core, or no refresh command"),
            AlignedError::Workload(core, color) => {
                write!(
                    f,
                    "the tasks of color {color} on core {core} do not fit a processor of their own"
                )
            }
            AlignedError::Full(core, need, period) => {
                write!(f, "the slots of core {core} need {need} in every {period}")
            }
            AlignedError::Segment(color, need, room) => {
                write!(
                    f,
                    "refreshing color {color} takes {need} in every frame; the slots of the other color leave {room}"
                )
            }
            AlignedError::Overflow => Overflow.fmt(f),
            AlignedError::Stopped => f.write_str(STOPPED),
        }
    }
}

impl std::error::Error for AlignedError {}

impl From<Overflow> for AlignedError {
    fn from(_: Overflow) -> Self {
        AlignedError::Overflow
    }
}

/// Plans a frame of `period` for cores with a workload per color (F29).
///
/// Slots of color 0 are as short as its workload and the segment of color 1 allow, which leaves color 1 the most; so there
/// is a plan with this period exactly if this is one. Memory of a color is locked for all cores alike.
pub fn plan(
    cores: &[[&[Task]; 2]],
    policy: Policy,
    period: Time,
    demand: RefreshDemand,
) -> Result<AlignedPlan, AlignedError> {
    frame(cores.len(), period, demand, |core, color| {
        let budget = least_budget(cores[core][color], policy, Family::Tdma, period)?;
        budget.ok_or(AlignedError::Workload(core, color))
    })
}

/// n: refresh commands of a color in each frame of `period`.
///
/// # Errors
/// A period that does not divide the retention time, no commands, times beyond 64 bits.
pub fn commands_in_frame(period: Time, demand: RefreshDemand) -> Result<Time, AlignedError> {
    let RefreshDemand {
        retention,
        commands,
        trfc,
        jitter,
        ..
    } = demand;
    if period == 0 || retention == 0 || retention % period != 0 {
        return Err(AlignedError::Period(period, retention));
    }
    if commands == 0 {
        return Err(AlignedError::Empty);
    }
    // n N ≥ commands: command k + 8192 comes N frames after command k at the latest, and then not later in its segment.
    let of_frame = |commands: Time, period: u128| {
        let exact = u128::from(commands).checked_mul(period).ok_or(Overflow)?;
        narrow(exact.div_ceil(u128::from(retention)))
    };
    // n tREFI ≥ p + jitter: the second segment after ordinary refresh may be late, and has no more than the first one's lead (E34).
    let rows = commands.saturating_sub(for_jitter(jitter, trfc));
    Ok(of_frame(commands, period.into())?.max(of_frame(rows, u128::from(period) + u128::from(jitter))?))
}

/// How long a segment keeps a color locked in each frame of `period`, its handler included.
pub(crate) fn busy(period: Time, demand: RefreshDemand) -> Result<Time, AlignedError> {
    let segment = commands_in_frame(period, demand)?;
    let refresh = segment.checked_mul(demand.trfc);
    let busy = refresh.and_then(|busy| busy.checked_add(demand.handler)?.checked_add(demand.jitter));
    Ok(busy.ok_or(Overflow)?)
}

/// Plans a frame of `period` for so many cores, as [`plan`] does, where `least` says how much of the frame a workload (its core and color) needs at least.
///
/// # Errors
/// As [`plan`], and those of `least`.
pub fn frame(
    cores: usize,
    period: Time,
    demand: RefreshDemand,
    least: impl Fn(usize, usize) -> Result<Time, AlignedError>,
) -> Result<AlignedPlan, AlignedError> {
    let RefreshDemand { handler, slice, .. } = demand;
    let segment = commands_in_frame(period, demand)?;
    if cores == 0 {
        return Err(AlignedError::Empty);
    }
    let busy = busy(period, demand)?;
    let mut borders = Vec::with_capacity(cores);
    let mut slack = Vec::with_capacity(cores);
    for core in 0..cores {
        let mut slots = [0; 2];
        for (color, slot) in slots.iter_mut().enumerate() {
            let budget = least(core, color)?;
            let switches = if budget == 0 { 0 } else { slice.total() };
            *slot = budget
                .checked_add(handler)
                .and_then(|slot| slot.checked_add(switches))
                .ok_or(Overflow)?;
        }
        let border = slots[0].max(busy);
        let need = border.checked_add(slots[1]).ok_or(Overflow)?;
        slack.push(period.checked_sub(need).ok_or(AlignedError::Full(core, need, period))?);
        borders.push(border);
    }
    let room = period - borders.iter().copied().max().expect("there are cores");
    if busy > room {
        return Err(AlignedError::Segment(0, busy, room));
    }
    Ok(AlignedPlan {
        period,
        borders,
        segment,
        demand,
        slack,
    })
}

/// The longest frame with a plan, hence the fewest switches, among the divisors of the retention time up to `longest`; the
/// error of the longest frame tried if there is none. `longest` is the device's limit on the gap between commands, if it has one.
pub fn longest_plan(
    cores: &[[&[Task]; 2]],
    policy: Policy,
    demand: RefreshDemand,
    longest: Option<Time>,
) -> Result<AlignedPlan, AlignedError> {
    let mut first = None;
    for period in divisors(demand.retention)
        .into_iter()
        .rev()
        .filter(|&period| longest.is_none_or(|l| period <= l))
    {
        match plan(cores, policy, period, demand) {
            Ok(found) => return Ok(found),
            Err(AlignedError::Overflow) => return Err(AlignedError::Overflow),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or(AlignedError::Period(0, demand.retention)))
}

impl AlignedPlan {
    /// Length of a frame.
    pub fn period(&self) -> Time {
        self.period
    }

    /// Per core, end of the slot of color 0.
    pub fn borders(&self) -> &[Time] {
        &self.borders
    }

    /// n: refresh commands per color and frame.
    pub fn commands_per_frame(&self) -> Time {
        self.segment
    }

    /// Length of a segment, n tRFC.
    pub fn segment_length(&self) -> Time {
        self.segment * self.demand.trfc
    }

    /// Per core, time of a frame that no workload needs.
    pub fn slack(&self) -> &[Time] {
        &self.slack
    }

    /// When tasks of each color may run on a core.
    pub fn slots(&self, core: usize) -> [SlotTable; 2] {
        let (handler, border) = (self.demand.handler, self.borders[core]);
        [(handler, border), (border + handler, self.period)].map(|(start, end)| {
            let slot = if start < end { vec![(start, end)] } else { Vec::new() };
            SlotTable::new(self.period, &slot).expect("a slot lies inside its frame")
        })
    }

    /// What tasks of each color are sure to have of their slots on a core.
    pub fn supply(&self, core: usize) -> [SlotTable; 2] {
        self.slots(core).map(|slots| slots.shortened(self.demand.slice))
    }

    /// Refresh commands of a color in time order, for ever: those of color 1 after the handler that opens the frame, those of
    /// color 0 after the last core's handler between the slots.
    pub fn commands(&self, color: usize) -> impl Iterator<Item = Time> + '_ {
        let latest = self.borders.iter().copied().max().expect("there are cores");
        let offset = self.demand.handler + if color == 0 { latest } else { 0 };
        let trfc = self.demand.trfc;
        (0..).flat_map(move |k| (0..self.segment).map(move |i| k * self.period + offset + i * trfc))
    }
}

fn narrow(value: u128) -> Result<Time, Overflow> {
    Time::try_from(value).map_err(|_| Overflow)
}
