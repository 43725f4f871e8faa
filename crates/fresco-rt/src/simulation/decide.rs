// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who has the processor: handlers first, then what the dispatch allows.

use super::Dispatch;
use super::grant::{LockState, slot_at};
use super::queue::Queue;
use super::recorder::Activity;
use crate::time::Time;

/// What happens next: an activity until an instant at the latest, consuming budget of a server.
pub(super) struct Decision {
    pub(super) activity: Activity,
    pub(super) until: Time,
    pub(super) charged: Option<usize>,
}

impl Decision {
    fn uncharged(activity: Activity, until: Time) -> Self {
        let charged = None;
        Decision {
            activity,
            until,
            charged,
        }
    }

    /// The first job of a colour to its end; nothing if there is none.
    fn first_of(queue: &Queue, color: usize, now: Time) -> Self {
        match queue.first() {
            None => Decision::uncharged(Activity::Idle, Time::MAX),
            Some(job) => {
                let (task, job, until) = (job.task, job.index, now + job.remaining);
                Decision::uncharged(Activity::Run { task, job, color }, until)
            }
        }
    }
}

/// Who has the processor at `now`, given budgets and ready jobs by colour.
pub(super) fn decide(
    dispatch: &Dispatch,
    budgets: &[Time],
    queues: &[Queue],
    locks: &LockState,
    now: Time,
) -> Decision {
    if let Some(handler) = locks.handler {
        return Decision::uncharged(handler, Time::MAX);
    }
    let open = |color: &usize| !locks.locked[*color];
    let chosen = match dispatch {
        Dispatch::Idling(_) => (0..budgets.len()).filter(open).find(|&c| budgets[c] > 0),
        Dispatch::Deferrable(_) => (0..budgets.len())
            .filter(open)
            .find(|&c| budgets[c] > 0 && !queues[c].is_empty()),
        Dispatch::Flat => (0..queues.len())
            .filter(open)
            .filter(|&c| !queues[c].is_empty())
            .min_by_key(|&c| queues[c].first()),
        Dispatch::Slots(tables) => {
            let (owner, until) = slot_at(tables, now);
            let mut decision = match owner.filter(open) {
                Some(color) => Decision::first_of(&queues[color], color, now),
                None => Decision::uncharged(Activity::Idle, until),
            };
            decision.until = decision.until.min(until);
            return decision;
        }
    };
    let Some(color) = chosen else {
        return Decision::uncharged(Activity::Idle, Time::MAX);
    };
    let mut decision = Decision::first_of(&queues[color], color, now);
    if let Some(budget) = budgets.get(color) {
        decision.charged = Some(color);
        decision.until = decision.until.min(now + budget);
        if decision.activity == Activity::Idle {
            decision.activity = Activity::Burn { color };
        }
    }
    decision
}
