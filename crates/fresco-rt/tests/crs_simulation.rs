// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a simulation records, on the example of §5.3.5 (Figure 5.5), and what it refuses.

use fresco_rt::policy::{Order, Policy};
use fresco_rt::simulation::{Activity, Dispatch, Horizon, Periodic, Segment, Simulation, SimulationError, Trace};
use fresco_rt::toplevel::{Locks, Server};
use fresco_rt::{Task, Time};

const RM: Policy = Policy::FixedPriority(Order::RateMonotonic);

fn example() -> [Vec<Task>; 2] {
    let set = |tasks: [(&str, Time, Time); 2]| tasks.map(|(name, p, e)| Task::new(name, 0, p, e, p).unwrap()).to_vec();
    [set([("T1", 16, 4), ("T2", 16, 2)]), set([("T3", 32, 8), ("T4", 64, 8)])]
}

fn trace(dispatch: Dispatch, locks: &Locks, end: Time) -> Trace {
    let [first, second] = example();
    let simulation = Simulation::new(vec![&first, &second], RM, dispatch, Some(locks)).unwrap();
    let mut trace = Trace::default();
    let horizon = Horizon {
        phase: 0,
        repeat: end / 2,
        repeats: 2,
    };
    simulation.run(horizon, &mut Periodic, &mut trace).unwrap();
    trace
}

fn running(trace: &Trace, at: Time) -> Activity {
    trace
        .segments
        .iter()
        .find(|s| s.start <= at && at < s.end)
        .unwrap()
        .activity
}

/// CRS-10: at 32 ms the second server runs although the first has priority, because the first color is locked; once it is
/// unlocked, the first server preempts.
#[test]
fn the_second_server_runs_while_the_first_color_is_locked() {
    let servers = vec![Server::new(16, 6).unwrap(), Server::new(16, 6).unwrap()];
    let locks = Locks::of_two_servers(64, 2, 0, 0).unwrap();
    let trace = trace(Dispatch::Deferrable(servers), &locks, 64);
    assert_eq!(running(&trace, 31), Activity::Idle);
    assert_eq!(
        running(&trace, 32),
        Activity::Run {
            task: 2,
            job: 1,
            color: 1
        }
    );
    assert_eq!(
        running(&trace, 34),
        Activity::Run {
            task: 0,
            job: 2,
            color: 0
        }
    );
    // At 0 the second color is locked, and the first server would run anyway.
    assert_eq!(
        trace.segments[0],
        Segment {
            start: 0,
            end: 4,
            activity: Activity::Run {
                task: 0,
                job: 0,
                color: 0
            }
        }
    );
    let locked: Vec<(usize, Time, Time)> = trace.locks.iter().map(|&(c, w)| (c, w.start, w.end)).collect();
    assert_eq!(locked, [(1, 0, 2), (0, 32, 34)]);
}

/// Segments cover the run without gap, handlers have their time, budgets are set at multiples of the period.
#[test]
fn the_record_is_complete() {
    let servers = vec![Server::new(16, 6).unwrap(), Server::new(16, 7).unwrap()];
    let locks = Locks::of_two_servers(64, 5, 1, 2).unwrap();
    let trace = trace(Dispatch::Idling(servers), &locks, 128);
    assert_eq!((trace.segments[0].start, trace.segments.last().unwrap().end), (0, 128));
    assert!(
        trace
            .segments
            .windows(2)
            .all(|pair| pair[0].end == pair[1].start && pair[0].activity != pair[1].activity)
    );
    let spent = |wanted: Activity| -> Time {
        trace
            .segments
            .iter()
            .filter(|s| s.activity == wanted)
            .map(|s| s.end - s.start)
            .sum()
    };
    for color in 0..2 {
        assert_eq!(
            (spent(Activity::Lock { color }), spent(Activity::Unlock { color })),
            (2, 4)
        );
        let set: Vec<Time> = trace
            .replenishments
            .iter()
            .filter(|r| r.0 == color)
            .map(|r| r.1)
            .collect();
        assert_eq!(set, (0..=8).map(|k| 16 * k).collect::<Vec<Time>>());
        // Nothing of a color runs while it is locked.
        for &(_, window) in trace.locks.iter().filter(|lock| lock.0 == color) {
            let runs = |s: &&Segment| matches!(s.activity, Activity::Run { color: c, .. } if c == color);
            assert!(
                !trace
                    .segments
                    .iter()
                    .filter(runs)
                    .any(|s| s.start < window.end && window.start < s.end)
            );
        }
    }
    // Idling servers burn what their queues leave.
    assert!(spent(Activity::Burn { color: 0 }) > 0 || spent(Activity::Burn { color: 1 }) > 0);
    assert!(trace.completions.iter().all(|c| c.release < c.end && c.end <= 128));
    assert_eq!(trace.completions.iter().filter(|c| c.task == 0).count(), 8);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let [first, second] = example();
    let locks = Locks::of_two_servers(64, 2, 0, 0).unwrap();
    let workloads = || vec![first.as_slice(), second.as_slice()];
    let one = vec![Server::new(16, 6).unwrap()];
    assert_eq!(
        Simulation::new(workloads(), RM, Dispatch::Idling(one), Some(&locks)).unwrap_err(),
        SimulationError::Colors(2, 1)
    );
    assert!(Simulation::new(vec![&first], RM, Dispatch::Flat, Some(&locks)).is_err());
    let simulation = Simulation::new(workloads(), RM, Dispatch::Flat, Some(&locks)).unwrap();
    let run = |repeat| {
        simulation.run(
            Horizon {
                phase: 0,
                repeat,
                repeats: 2,
            },
            &mut Periodic,
            &mut (),
        )
    };
    assert!(matches!(run(1 << 40), Err(SimulationError::TooLong(_))));
    assert_eq!(run(Time::MAX), Err(SimulationError::Overflow));
}
