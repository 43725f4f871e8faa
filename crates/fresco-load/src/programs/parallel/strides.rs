// SPDX-License-Identifier: MIT OR Apache-2.0
//! Alternating strides by a team (BEN-1): each thread writes outwards from the middle of a space of its own, and all wait
//! at the end of a pass. Their loads are equal, so they wait only because memory is not (BEN-7).

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::programs::strides::line_at;
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, owned, settings, team};
use crate::traced::{Layout, Traced};

/// Negate or advance the offset, add it to the middle.
const ADDRESS: u32 = 2;

/// Entry in the table of programs.
pub(crate) static STRIDES_PARALLEL: ProgramKind = ProgramKind {
    name: StridesParallel::NAME,
    doc: "team: alternating strides, each thread in a space of its own (BEN-1)",
    parameters: &[
        &[
            Parameter {
                name: "bytes",
                kind: Kind::Size {
                    min: 1 << 12,
                    max: 1 << 30,
                    multiple: 1,
                    default: 32 << 20,
                },
                doc: "size of each thread's space; as large as step times writes, a pass writes each line once",
            },
            Parameter {
                name: "step",
                kind: Kind::Size {
                    min: 64,
                    max: 4096,
                    multiple: 64,
                    default: 64,
                },
                doc: "bytes from line to line",
            },
            Parameter {
                name: "writes",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 32,
                    default: 512 * 1024,
                },
                doc: "writes of each thread in a pass; the next pass goes on where this one stopped",
            },
        ],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, _, threads| {
        let [bytes, step, writes] = ["bytes", "step", "writes"].map(|name| values.number(name));
        let kernel = StridesParallel::new(bytes, step, writes, threads as usize);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// The running program. A *sweep* of a space writes each of its lines once.
struct StridesParallel {
    spaces: Vec<Space>,
    writes_per_pass: usize,
    within_pass: bool,
}

/// What one thread writes to.
struct Space {
    /// One word of each line: the number of the sweep that wrote it last.
    lines: Traced<u32>,
    /// Writes so far.
    written: u64,
    /// The first line that was written out of turn.
    fault: Option<usize>,
}

impl Space {
    /// Number of the sweep, from 1, and lines written in it.
    fn sweep(&self) -> (u32, usize) {
        let count = self.lines.data.len() as u64;
        ((self.written / count) as u32 + 1, (self.written % count) as usize)
    }

    fn verify(&self) -> Result<(), String> {
        if let Some(line) = self.fault {
            return Err(format!(
                "line {line} was written twice in one sweep, or left out of one"
            ));
        }
        let (sweep, position) = self.sweep();
        let now = self.lines.data.iter().filter(|&&last| last == sweep).count();
        let before = self.lines.data.iter().filter(|&&last| last == sweep - 1).count();
        if (now, before) == (position, self.lines.data.len() - position) {
            Ok(())
        } else {
            Err(format!(
                "sweep {sweep} wrote {now} lines and left {before}, not {position} written"
            ))
        }
    }
}

impl StridesParallel {
    fn new(bytes: u64, step: u64, writes: u64, threads: usize) -> Self {
        let mut layout = Layout::new();
        let mut space = || Space {
            lines: layout.spread(vec![0; (bytes / step) as usize], step),
            written: 0,
            fault: None,
        };
        Self {
            spaces: (0..threads).map(|_| space()).collect(),
            writes_per_pass: writes as usize,
            within_pass: false,
        }
    }
}

impl TeamKernel for StridesParallel {
    const NAME: &'static str = "strides-parallel";

    fn areas(&self) -> Vec<Area> {
        let area = |(thread, space): (usize, &Space)| space.lines.area(&format!("lines {thread}"));
        self.spaces.iter().enumerate().map(area).collect()
    }

    fn fills(&self) -> Vec<Fill> {
        let threads = self.spaces.len();
        let fill = |(thread, space): (usize, &Space)| space.lines.fill(&owned(thread, threads), space.lines.data.len());
        self.spaces.iter().enumerate().map(fill).collect()
    }

    fn advance(&mut self) -> Option<Section> {
        self.within_pass = !self.within_pass;
        self.within_pass
            .then_some(Section::Parallel(self.spaces.len() * self.writes_per_pass))
    }

    fn step(&mut self, _: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool {
        let space = &mut self.spaces[iteration / self.writes_per_pass];
        let (sweep, position) = space.sweep();
        let line = line_at(position, space.lines.data.len());
        if space.lines.data[line] != sweep - 1 {
            space.fault.get_or_insert(line);
        }
        recorder.work(ADDRESS);
        space.lines.set(line, sweep, Source::NONE, recorder);
        recorder.work(LOOP);
        space.written += 1;
        true
    }

    fn verify(&self) -> Result<(), String> {
        let verify =
            |(thread, space): (usize, &Space)| space.verify().map_err(|fault| format!("space {thread}: {fault}"));
        self.spaces.iter().enumerate().try_for_each(verify)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::testing::{accesses, run_team, team_of};

    #[test]
    fn each_thread_writes_its_own_space_as_one_alone_does() {
        let parameters = "bytes = '16 KiB'\nstep = 128\nwrites = 100\npasses = 2\ninit = 'none'";
        let alone = accesses(&run_team(team_of("strides-parallel", parameters, 1), 1)[0]);
        assert_eq!(alone.len(), 200);
        let middle = 0x1000_0000 + 8192;
        assert_eq!(
            alone[..3],
            [(middle, 4, true), (middle + 128, 4, true), (middle - 128, 4, true)]
        );
        let events = run_team(team_of("strides-parallel", parameters, 3), 1);
        for (thread, events) in events.iter().enumerate() {
            let shifted = accesses(events)
                .into_iter()
                .map(|(at, size, write)| (at - 16384 * thread as u64, size, write));
            assert!(shifted.eq(alone.iter().copied()), "thread {thread}");
        }
    }

    #[test]
    fn a_line_written_twice_is_found() {
        let mut kernel = StridesParallel::new(4096, 64, 10, 2);
        assert_eq!(kernel.verify(), Ok(()));
        kernel.spaces[1].lines.data[7] = 1;
        assert!(
            kernel
                .verify()
                .unwrap_err()
                .starts_with("space 1: sweep 1 wrote 1 lines")
        );
    }
}
