// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh in windows that a plan lays down: so many REFab back to back for some ranks, then none until the next window
//! (REF-6, REF-11, CR-1, CR-16, CRS-4). A burst of all ranks is the simplest plan.

use super::all_bank::rank_refresh;
use super::{Load, Refresh, RefreshEngine};
use fresco_dram::{Cycle, NEVER, Organisation, Timing};

/// A window of the plan: refreshes that some ranks begin at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Cycle of the first REFab, from the start of the period.
    pub start: Cycle,
    /// The ranks, a bit each.
    pub ranks: u64,
    /// REFab for each of them, one as soon as the one before is over.
    pub commands: u64,
}

/// A plan that no engine can follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowError {
    /// The window (by index) starts at or after the end of the period.
    BeyondPeriod(usize),
    /// The window names a rank that the channel does not have, or none.
    NoSuchRank(usize),
    /// The window has no command.
    Empty(usize),
    /// The rank's refreshes of this window are not over when its next window starts.
    Overlap(usize),
}

impl std::fmt::Display for WindowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BeyondPeriod(i) => write!(f, "refresh window {i} starts after the end of the period"),
            Self::NoSuchRank(i) => write!(
                f,
                "refresh window {i} names no rank of the channel, or one that it lacks"
            ),
            Self::Empty(i) => write!(f, "refresh window {i} has no command"),
            Self::Overlap(i) => write!(f, "refresh window {i} is not over when its rank's next window starts"),
        }
    }
}

impl std::error::Error for WindowError {}

/// How well the windows of a channel were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Windows begun, of all ranks.
    pub windows: u64,
    /// Those whose first REFab came after its time, because accesses of the rank were still under way.
    pub late: u64,
    /// By how much, in sum, in cycles.
    pub total: Cycle,
    /// By how much at most.
    pub worst: Cycle,
}

/// What is due for one rank next.
#[derive(Clone, Debug)]
struct Rank {
    /// Its windows in a period, by start: (start, commands).
    windows: Vec<(Cycle, u64)>,
    period: Cycle,
    /// Windows of every second turn of so many cycles are late by the jitter.
    turn: Cycle,
    /// What follows these windows.
    later: Option<Later>,
    /// The window that runs or comes next: index, and start of its period.
    window: usize,
    period_start: Cycle,
    /// Commands of that window not yet taken.
    left: u64,
    /// When the next command is due; [`NEVER`] between taking one and issuing it.
    next: Cycle,
    /// The window comes so much later than planned.
    late: Cycle,
    /// Until its first window the rank is refreshed as usual, each tREFI (E34).
    distributed: bool,
    /// The next command is the first of its window.
    first: bool,
    /// It waits for requests of the rank.
    waits: bool,
}

/// Windows of a rank from a cycle on, which begins their first period.
#[derive(Clone, Debug)]
struct Later {
    from: Cycle,
    period: Cycle,
    turn: Cycle,
    windows: Vec<(Cycle, u64)>,
}

/// Refreshes by a plan that repeats.
#[derive(Clone, Debug)]
pub struct Windows {
    refi: Cycle,
    refresh: Refresh,
    ranks: Vec<Rank>,
    /// So long before a window its ranks are kept free of requests.
    lead: Cycle,
    jitter: Cycle,
    lateness: Lateness,
}

impl Windows {
    /// An engine for `windows`, repeated every `period` cycles from cycle 0 on. Each rank is refreshed once per tREFI
    /// until its first window: were it not, rows would wait for longer than a refresh window at the start (E34).
    ///
    /// Whether the plan refreshes every row in time is for the checker to say; `period` is at most tREFW and less where
    /// a begun request may delay the window's first command.
    pub fn new(org: &Organisation, timing: &Timing, period: Cycle, windows: &[Window]) -> Result<Self, WindowError> {
        Self::with_lead(org, timing, period, windows, 0)
    }

    /// The same for windows that begin on time, not when the ranks happen to be idle: [`Timing::settling`] cycles before a
    /// window its ranks get no new request and their rows are closed, so that the first REFab comes at the window's
    /// start exactly, and those of further ranks a command slot after one another; then `period` may be tREFW, as no row
    /// waits for a cycle longer than the plan says. A refresh before a rank's first window that would not be over in time
    /// comes so much earlier: were it left out, its rows would wait too long.
    ///
    /// A rank that still has requests at that time is refreshed when they have been served, late by up to tREFI and the time
    /// of a begun request ([`Lateness`]); writes do not wait for a better moment meanwhile. After that they have to stay.
    ///
    /// That nothing takes the command bus at that cycle needs commands of one slot: with longer ones a window may come a
    /// few cycles late.
    pub fn on_time(
        org: &Organisation,
        timing: &Timing,
        period: Cycle,
        windows: &[Window],
    ) -> Result<Self, WindowError> {
        Self::with_lead(org, timing, period, windows, timing.settling())
    }

    /// The same windows, kept for a while before cycle 0: no rank is refreshed but in its windows.
    #[must_use]
    pub fn in_rhythm(mut self) -> Self {
        for rank in &mut self.ranks {
            rank.distributed = false;
            rank.next = before(rank.window_start(), self.lead);
        }
        self
    }

    /// The same windows with the worst that a timer with so much jitter does to rows: of each two turns, which are a refresh window
    /// long, the windows of the first are on time and those of the second late by all of it.
    #[must_use]
    pub fn late_every_other_turn(mut self, jitter: Cycle, turn: Cycle) -> Self {
        self.jitter = jitter;
        self.ranks.iter_mut().for_each(|rank| rank.turn = turn.max(1));
        self
    }

    /// The same windows before the cycle `from`, and those of `next` from there on, whose first period begins there. A window that would begin at `from`
    /// or later is not begun; the jitter stays.
    #[must_use]
    pub fn followed_by(mut self, from: Cycle, next: Self) -> Self {
        for (rank, next) in self.ranks.iter_mut().zip(next.ranks) {
            rank.later = Some(Later {
                from,
                period: next.period,
                turn: next.turn,
                windows: next.windows,
            });
        }
        self
    }

    fn with_lead(
        org: &Organisation,
        timing: &Timing,
        period: Cycle,
        windows: &[Window],
        lead: Cycle,
    ) -> Result<Self, WindowError> {
        let quiet = if lead == 0 { 0 } else { lead + timing.rfc_ab };
        for (i, window) in windows.iter().enumerate() {
            if window.start >= period {
                return Err(WindowError::BeyondPeriod(i));
            }
            if window.ranks == 0 || window.ranks >> org.ranks != 0 {
                return Err(WindowError::NoSuchRank(i));
            }
            if window.commands == 0 {
                return Err(WindowError::Empty(i));
            }
        }
        let mut ranks = Vec::new();
        for r in 0..org.ranks {
            let mut own: Vec<(Cycle, u64, usize)> = windows
                .iter()
                .enumerate()
                .filter(|(_, window)| window.ranks >> r & 1 == 1)
                .map(|(i, window)| {
                    // Ranks that begin together follow one another on the command bus, always in the same order.
                    let turn = u64::from((window.ranks & ((1 << r) - 1)).count_ones()) * timing.pre_slots;
                    (window.start + if lead == 0 { 0 } else { turn }, window.commands, i)
                })
                .collect();
            own.sort_unstable();
            for (k, &(start, commands, i)) in own.iter().enumerate() {
                let following = own.get(k + 1).map_or(period + own[0].0, |&(start, ..)| start);
                let end = commands
                    .checked_mul(timing.rfc_ab)
                    .and_then(|busy| start.checked_add(busy));
                if end.is_none_or(|end| end > following) {
                    return Err(WindowError::Overlap(i));
                }
            }
            let windows: Vec<(Cycle, u64)> = own.iter().map(|&(start, commands, _)| (start, commands)).collect();
            let stagger = timing.refi * u64::from(r + 1) / u64::from(org.ranks);
            let first = windows.first().map_or(NEVER, |&(start, _)| start);
            let usual = usual(stagger, 0, first, quiet);
            ranks.push(Rank {
                left: windows.first().map_or(0, |&(_, commands)| commands),
                late: 0,
                distributed: usual.is_some(),
                next: usual.unwrap_or(before(first, lead)),
                first: true,
                waits: false,
                windows,
                period,
                turn: Cycle::MAX,
                later: None,
                window: 0,
                period_start: 0,
            });
        }
        Ok(Self {
            refi: timing.refi,
            refresh: rank_refresh(org, timing),
            ranks,
            lead,
            jitter: 0,
            lateness: Lateness::default(),
        })
    }

    /// All rows of all ranks in one go at the start of each refresh window (REF-11). The period is shorter than tREFW by
    /// one tREFI, so that a burst which has to wait for a begun request still comes in time.
    ///
    /// # Errors
    /// The burst takes longer than a refresh window.
    pub fn burst(org: &Organisation, timing: &Timing) -> Result<Self, WindowError> {
        let all = Window {
            start: 0,
            ranks: u64::MAX >> (64 - org.ranks),
            commands: timing.refreshes,
        };
        Self::new(org, timing, timing.refw - timing.refi, &[all])
    }
}

/// Cycles after which a window that waits looks at its rank again.
const POLL: Cycle = 8;

/// `lead` before a cycle that may be [`NEVER`].
fn before(cycle: Cycle, lead: Cycle) -> Cycle {
    if cycle == NEVER {
        NEVER
    } else {
        cycle.saturating_sub(lead)
    }
}

/// When the usual refresh that is due at `due` comes, before a rank's first window: early enough to be over `quiet` before the
/// window, but not before `earliest`. `None` if it is the window's business.
fn usual(due: Cycle, earliest: Cycle, window: Cycle, quiet: Cycle) -> Option<Cycle> {
    if due >= window {
        return None;
    }
    let in_time = due.min(before(window, quiet));
    (in_time >= earliest).then_some(in_time)
}

impl Rank {
    fn window_start(&self) -> Cycle {
        self.windows
            .get(self.window)
            .map_or(NEVER, |&(start, _)| self.period_start + start + self.late)
    }

    /// A window's last command has been taken.
    fn go_on(&mut self, jitter: Cycle) {
        self.window += 1;
        if self.window == self.windows.len() {
            self.window = 0;
            self.period_start += self.period;
        }
        let begins = self.period_start + self.windows[self.window].0;
        if let Some(later) = self.later.take_if(|later| begins >= later.from) {
            (self.window, self.period_start) = (0, later.from);
            (self.windows, self.period, self.turn) = (later.windows, later.period, later.turn);
        }
        let Some(&(start, commands)) = self.windows.get(self.window) else {
            return; // the rank is not refreshed any more
        };
        self.left = commands;
        let is_late = (self.period_start + start) / self.turn % 2 == 1;
        self.late = if is_late { jitter } else { 0 };
    }
}

impl Windows {
    /// Returns true if the window of a rank, due at `now`, waits for requests. It is then due again a little later.
    fn has_to_wait(&mut self, r: usize, now: Cycle, load: &Load<'_>) -> bool {
        let rank = &mut self.ranks[r];
        rank.waits = self.lead > 0
            && rank.first
            && !rank.distributed
            && now < rank.window_start() + self.refi
            && load.of_rank(r as u32) > 0;
        if rank.waits {
            rank.next = now + POLL;
        }
        rank.waits
    }
}

impl RefreshEngine for Windows {
    fn next_due(&self) -> Cycle {
        self.ranks.iter().map(|rank| rank.next).min().unwrap_or(NEVER)
    }

    fn take_due(&mut self, now: Cycle, load: &Load<'_>) -> Option<Refresh> {
        let r = (0..self.ranks.len()).find(|&r| self.ranks[r].next <= now && !self.has_to_wait(r, now, load))?;
        let rank = &mut self.ranks[r];
        if rank.distributed {
            let next = rank.next + self.refi;
            let quiet = if self.lead == 0 {
                0
            } else {
                self.lead + self.refresh.cycles
            };
            let usual = usual(next, now + self.refresh.cycles, rank.window_start(), quiet);
            rank.distributed = usual.is_some();
            rank.next = usual.unwrap_or(before(rank.window_start(), self.lead));
        } else {
            rank.left -= 1;
            rank.next = NEVER;
        }
        Some(Refresh {
            rank: r as u32,
            ..self.refresh
        })
    }

    fn not_before(&self, refresh: &Refresh) -> Cycle {
        let rank = &self.ranks[refresh.rank as usize];
        // Of a rank between taking a command and issuing it the window is that of the command.
        if rank.next == NEVER && rank.first {
            rank.window_start()
        } else {
            0
        }
    }

    fn lateness(&self) -> Lateness {
        self.lateness
    }

    fn is_waiting(&self) -> bool {
        self.ranks.iter().any(|rank| rank.waits)
    }

    fn issued(&mut self, refresh: &Refresh, now: Cycle) {
        let rank = &mut self.ranks[refresh.rank as usize];
        if rank.next != NEVER || rank.windows.is_empty() {
            return; // one of those before the first window
        }
        if std::mem::take(&mut rank.first) {
            let late = now - rank.window_start();
            self.lateness.windows += 1;
            self.lateness.late += u64::from(late > 0);
            self.lateness.total += late;
            self.lateness.worst = self.lateness.worst.max(late);
        }
        if rank.left > 0 {
            rank.next = now + refresh.cycles;
        } else {
            rank.go_on(self.jitter);
            rank.first = true;
            rank.next = before(rank.window_start(), self.lead).max(now + refresh.cycles);
        }
    }
}
