// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks that run programs given to them, beside one that is watched; and programs that are told where their pages lie.

use fresco_dram::{PhysAddr, VirtAddr};
use fresco_input::InputError;
use fresco_load::{Area, Batch, Event, Op};
use fresco_system::{Against, Begins, Program, Rival, RunSpec, Scenario, longest_work, run, run_alone};
use std::sync::{Arc, Mutex};

const PAGES: u64 = 64;
const BASE: u64 = 0x1000_0000;

/// First bytes of pages, and of their frames.
type Placed = Arc<Mutex<Vec<(u64, u64)>>>;

/// Reads its pages' first lines, and notes where they lie.
struct Reader {
    placed: Placed,
    next: u64,
}

impl Program for Reader {
    fn name(&self) -> &'static str {
        "reader"
    }

    fn footprint(&self) -> Vec<Area> {
        vec![Area {
            name: "pages".to_owned(),
            base: VirtAddr(BASE),
            bytes: PAGES * 4096,
        }]
    }

    fn placed(&mut self, page: VirtAddr, frame: PhysAddr) {
        self.placed.lock().expect("no panic").push((page.0, frame.0));
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        while !out.is_full() {
            let addr = VirtAddr(BASE + self.next % PAGES * 4096 + self.next / PAGES % 64 * 64);
            self.next += 1;
            out.push(Event::Op(Op {
                addr,
                gap: 0,
                dep: 0,
                size: 8,
                write: false,
            }));
        }
        Ok(true)
    }

    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}

fn only_run(periodic: bool) -> RunSpec {
    let (lengths, period) = match periodic {
        true => ("measure.jobs = 3", "period = \"1 ms\"\nwcet = \"500 us\""),
        false => ("measure.operations = 2000", ""),
    };
    let text = format!(
        "name = \"a\"\nmachine = \"imx8m-mini\"\n{lengths}\npolicy.frames = \"palloc\"\n\
         [[task]]\nname = \"chase\"\nprogram = \"latency\"\ncore = 0\nbanks = \"0-1\"\nparameters.bytes = \"128 KiB\"\n{period}\n\
         [[task]]\nname = \"noise\"\nprogram = \"random\"\ncores = \"1-2\"\nbanks = \"0-1\"\nrole = \"background\"\nparameters.bytes = \"1 MiB\"\n"
    );
    let scenario = Scenario::parse("a.toml", &text, "".as_ref(), &[]).expect("is right");
    scenario.runs().remove(0)
}

fn rivals(against: &Against<'_>, begins: Begins) -> (Vec<Rival>, Vec<Placed>) {
    let made = against.others().into_iter().map(|copy| {
        let placed = Placed::default();
        let program = Box::new(Reader {
            placed: Arc::clone(&placed),
            next: 0,
        });
        (Rival { copy, program, begins }, placed)
    });
    made.unzip()
}

#[test]
fn without_rivals_it_is_the_scenario_and_alone_it_is_alone() {
    for periodic in [false, true] {
        let spec = only_run(periodic);
        let against = Against::new(&spec, 0);
        assert_eq!(against.others(), [1, 2]);
        let beside = against
            .run(Vec::new(), &|| false)
            .expect("runs")
            .expect("is not given up");
        let alone = against
            .alone(Vec::new(), &|| false)
            .expect("runs")
            .expect("is not given up");
        let all = run(&spec).expect("runs");
        let only = run_alone(&spec, 0, &|| false).expect("runs").expect("is not given up");
        assert_eq!(longest_work(&beside.tasks[0]), longest_work(&all.tasks[0]));
        assert_eq!(longest_work(&alone.tasks[0]), longest_work(&only.tasks[0]));
        assert!(longest_work(&alone.tasks[0]) < longest_work(&beside.tasks[0]));
    }
}

#[test]
fn rivals_know_their_frames_which_are_the_same_whatever_they_do() {
    for periodic in [false, true] {
        let spec = only_run(periodic);
        let against = Against::new(&spec, 0);
        let (never, quiet) = rivals(&against, Begins::Never);
        let alone = against.alone(never, &|| false).expect("runs").expect("is not given up");
        let begins = match periodic {
            true => Begins::Every {
                period_ns: 50_000,
                offset_ns: 10_000,
            },
            false => Begins::AtOnce,
        };
        let (at_work, loud) = rivals(&against, begins);
        let beside = against.run(at_work, &|| false).expect("runs").expect("is not given up");
        assert!(
            longest_work(&alone.tasks[0]) < longest_work(&beside.tasks[0]),
            "{periodic}"
        );
        assert!(beside.tasks[1].reads.count > 0, "{periodic}");
        for (quiet, loud) in quiet.iter().zip(&loud) {
            let (quiet, loud) = (quiet.lock().expect("no panic"), loud.lock().expect("no panic"));
            assert_eq!(*quiet, *loud, "{periodic}");
            let pages: Vec<u64> = quiet.iter().map(|(page, _)| *page).collect();
            assert!(
                pages.into_iter().eq((0..PAGES).map(|page| BASE + page * 4096)),
                "{periodic}"
            );
            let mut frames: Vec<u64> = quiet.iter().map(|(_, frame)| *frame).collect();
            frames.dedup();
            assert_eq!(frames.len() as u64, PAGES, "{periodic}");
        }
    }
}
