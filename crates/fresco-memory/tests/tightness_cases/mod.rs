// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes in which one constraint alone decides when a command is issued.

mod activate;
mod column;
mod other_ranks;
mod precharge;
mod refresh;

use fresco_dram::{CommandKind, Cycle, Location, Organisation, Timing};
use fresco_machine::PagePolicy;
use fresco_memory::Access;
use fresco_memory::checker::Constraint;
use fresco_memory::controller::refresh::Refresh;

/// Rows have been opened long before; the requests that matter come from here on.
pub const START: Cycle = 10_000;

/// A bank: rank, bank group, bank.
pub type Place = (u32, u32, u32);
/// The bank that every scene begins with.
pub const HERE: Place = (0, 0, 0);
/// Another bank of its group.
pub const SAME_GROUP: Place = (0, 0, 1);
/// A bank of another group of the rank.
pub const OTHER_GROUP: Place = (0, 1, 0);
/// A bank of another rank.
pub const OTHER_RANK: Place = (1, 0, 0);

/// A request of a scene.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub at: Cycle,
    pub access: Access,
    pub place: Place,
    pub row: u32,
}

pub fn read(at: Cycle, place: Place, row: u32) -> Wanted {
    Wanted {
        at,
        access: Access::Read,
        place,
        row,
    }
}

pub fn write(at: Cycle, place: Place, row: u32) -> Wanted {
    Wanted {
        at,
        access: Access::Write,
        place,
        row,
    }
}

/// Opens row 1 of some banks, long before [`START`].
pub fn opened(places: &[Place]) -> Vec<Wanted> {
    (0..).zip(places).map(|(i, &place)| read(1000 * i, place, 1)).collect()
}

impl Wanted {
    pub fn location(&self) -> Location {
        let (rank, bank_group, bank) = self.place;
        Location {
            node: 0,
            channel: 0,
            rank,
            bank_group,
            bank,
            row: self.row,
            column: 0,
        }
    }
}

/// One command after another, and the least distance between them.
pub struct Scene {
    pub constraint: Constraint,
    /// Values in place of the standard's, so that no other constraint binds as late.
    pub replaced: Vec<(&'static str, Cycle)>,
    pub page: PagePolicy,
    /// Refreshes that are due, and when.
    pub refreshes: Vec<(Cycle, Refresh)>,
    pub requests: Vec<Wanted>,
    /// Kind and number (from 0, among its kind, from [`START`] on) of the earlier command.
    pub earlier: (CommandKind, usize),
    /// The same of the later one.
    pub later: (CommandKind, usize),
    /// The least distance, from the timing with the replaced values.
    pub distance: fn(&Timing) -> Cycle,
}

impl Scene {
    /// From `earlier` to `later` under `constraint`, all rows at `open` open before, then `requests`.
    pub fn new(
        constraint: Constraint,
        earlier: CommandKind,
        later: CommandKind,
        open: &[Place],
        requests: &[Wanted],
        distance: fn(&Timing) -> Cycle,
    ) -> Self {
        Self {
            constraint,
            replaced: Vec::new(),
            page: PagePolicy::Open,
            refreshes: Vec::new(),
            requests: opened(open).into_iter().chain(requests.iter().copied()).collect(),
            earlier: (earlier, 0),
            later: (later, usize::from(earlier == later)),
            distance,
        }
    }

    pub fn with(mut self, replaced: &[(&'static str, Cycle)]) -> Self {
        self.replaced.extend_from_slice(replaced);
        self
    }

    pub fn page(mut self, page: PagePolicy) -> Self {
        self.page = page;
        self
    }

    pub fn refreshes(mut self, refreshes: &[(Cycle, Refresh)]) -> Self {
        self.refreshes.extend_from_slice(refreshes);
        self
    }

    pub fn later(mut self, number: usize) -> Self {
        self.later.1 = number;
        self
    }
}

/// All scenes of a device.
pub fn scenes(org: &Organisation, t: &Timing) -> Vec<Scene> {
    let mut scenes = activate::scenes(org, t);
    scenes.extend(column::scenes(org, t));
    scenes.extend(other_ranks::scenes(t));
    scenes.extend(precharge::scenes(t));
    scenes.extend(refresh::scenes(org, t));
    scenes
}
