// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is seen of the DRAM commands: the checker's verdict, and when ranks are refreshed. Where no more than that is wanted,
//! refreshes alone are seen; a run of phases that records nothing is not watched at all.

use super::busy::BankWork;
use crate::experiment::{CheckerVerdict, Experiment, RankRefresh, RefreshPlan, RefreshSpan};
use fresco_dram::{Clock, CommandKind, Cycle, NEVER, Ps};
use fresco_memory::checker::{Checker, Options};
use fresco_memory::{Command, MemorySystem};
use std::cell::RefCell;
use std::rc::Rc;

/// Sees every command of a run, or every refresh.
pub(super) struct Watch {
    checker: Option<Checker>,
    clock: Clock,
    ranks_per_channel: u32,
    /// Length of a command on all banks, some or one of them, and of a quarter on all.
    lengths: [Cycle; 4],
    refi: Cycle,
    /// Refreshes are recorded from here; [`NEVER`] as long as none are.
    from: Ps,
    to: Ps,
    ranks: Vec<Rank>,
    work: BankWork,
}

#[derive(Clone, Debug, Default)]
struct Rank {
    commands: u64,
    last: Cycle,
    longest: Cycle,
    spans: Vec<(Cycle, Cycle, u64)>,
}

impl Watch {
    /// Watches the memory of an experiment as far as somebody asks; `None` if nobody does.
    pub fn start(experiment: &Experiment, memory: &mut MemorySystem) -> Option<Rc<RefCell<Self>>> {
        let all = experiment.phases.is_none() || experiment.check;
        if !all && experiment.record_ns == 0 {
            return None;
        }
        let config = &experiment.machine.memory;
        let (organisation, timing) = (&config.organisation, &config.timing);
        let options = match experiment.refresh {
            RefreshPlan::Machine => Options::of_policy(config.controller.refresh),
            RefreshPlan::Windows { .. } => Options {
                pro_rata: false,
                ..Options::default()
            },
        };
        let options = Options {
            hotter: experiment.mode_change.as_ref().map(|change| change.hotter(experiment)),
            ..options
        };
        let ranks = organisation.nodes * organisation.channels * organisation.ranks;
        let watch = Rc::new(RefCell::new(Self {
            checker: experiment.check.then(|| Checker::of(config, options)),
            clock: timing.clock,
            ranks_per_channel: organisation.ranks,
            lengths: [timing.rfc_ab, timing.rfc_sb, timing.rfc_pb, timing.rfc_ab4],
            refi: timing.refi.max(1),
            from: NEVER,
            to: 0,
            ranks: vec![Rank::default(); ranks as usize],
            work: BankWork::new(organisation, timing),
        }));
        let observer = Rc::clone(&watch);
        let sink = Box::new(move |command: &Command| observer.borrow_mut().observe(command));
        if all {
            memory.set_command_sink(sink);
        } else {
            memory.set_refresh_sink(sink);
        }
        Some(watch)
    }

    /// Refreshes between these times are recorded, the present one of each rank included.
    pub fn record(&mut self, (from, to): (Ps, Ps)) {
        (self.from, self.to) = (from, to);
    }

    /// From now on banks are seen at work.
    pub fn count_anew(&mut self) {
        self.work.count_anew();
    }

    fn observe(&mut self, command: &Command) {
        if let Some(checker) = &mut self.checker {
            checker.observe(&command.into());
        }
        self.work.observe(command);
        let length = match command.kind {
            CommandKind::RefAb => self.lengths[0],
            CommandKind::RefSb => self.lengths[1],
            CommandKind::RefPb => self.lengths[2],
            CommandKind::RefAb4 => self.lengths[3],
            _ => return,
        };
        let rank = &mut self.ranks[(command.channel * self.ranks_per_channel + command.rank) as usize];
        rank.commands += 1;
        rank.longest = rank.longest.max(command.cycle - rank.last);
        rank.last = command.cycle;
        let end = command.cycle + length;
        match rank.spans.last_mut() {
            // It may last into the part that is recorded.
            last if self.from == NEVER => match last {
                Some(last) => *last = (command.cycle, end, 1),
                None => rank.spans.push((command.cycle, end, 1)),
            },
            Some(last) if last.1 >= command.cycle => (last.1, last.2) = (end.max(last.1), last.2 + 1),
            _ if self.clock.to_ps(command.cycle) < self.to => rank.spans.push((command.cycle, end, 1)),
            _ => {}
        }
    }

    /// Banks at work while any is, on average.
    pub fn banks_at_work(&self) -> f64 {
        self.work.mean()
    }

    /// The verdict at `end`, of every rank its refreshes, and what was recorded of them, not cut.
    pub fn finish(mut self, end: Ps) -> (Option<CheckerVerdict>, Vec<RankRefresh>, Vec<RefreshSpan>) {
        let last = self.clock.cycle_at_or_after(end);
        let verdict = self.checker.take().map(|checker| (&checker.finish(last)).into());
        let (mut ranks, mut spans) = (Vec::new(), Vec::new());
        for (number, rank) in (0u32..).zip(&self.ranks) {
            let (channel, number) = (number / self.ranks_per_channel, number % self.ranks_per_channel);
            let longest = rank.longest.max(last.saturating_sub(rank.last));
            ranks.push(RankRefresh {
                channel,
                rank: number,
                color: None,
                commands: rank.commands,
                longest_gap_ps: self.clock.to_ps(longest),
                longest_gap_refi: longest as f64 / self.refi as f64,
            });
            spans.extend(rank.spans.iter().map(|&(start, end, commands)| RefreshSpan {
                channel,
                rank: number,
                start_ps: self.clock.to_ps(start),
                end_ps: self.clock.to_ps(end),
                commands,
            }));
        }
        (verdict, ranks, spans)
    }
}
