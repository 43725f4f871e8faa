// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt refresh: windows, locks, policies of the controller; schedules of another method.

use crate::mutations::edit::{locks, window, windows};
use crate::mutations::sound::Sound;
use fresco_plan::Method;
use fresco_plan::plan::{RefreshPlan, Schedule};

const IN_LOCKS: [Method; 3] = [Method::Burst, Method::Flat, Method::Crs];

#[test]
fn windows_outside_their_locks() {
    for method in IN_LOCKS {
        let sound = Sound::two(method);
        // Before the lock task is over, and after the unlock task has begun.
        sound.refused(
            |plan| windows(plan)[0].start_ns -= 1,
            "refresh.windows",
            "color 0 is refreshed at",
        );
        sound.refused(
            |plan| windows(plan)[0].start_ns += 1,
            "refresh.windows",
            "color 0 is refreshed at",
        );
        sound.refused(
            |plan| windows(plan)[0].start_ns = 48_000_000,
            "refresh.windows",
            "at 48000000 ns",
        );
        sound.refused(
            |plan| locks(plan).phase_ns[0] += 1_000_000,
            "refresh.windows",
            "color 0 is refreshed at",
        );
        sound.refused(|plan| locks(plan).lock_ns += 1, "refresh.windows", "is refreshed at");
        sound.refused(
            |plan| locks(plan).burst_ns[0] -= 1,
            "refresh.windows",
            "color 0 is refreshed at",
        );
    }
    for method in [Method::Flat, Method::Crs] {
        let sound = Sound::two(method);
        sound.refused(
            |plan| locks(plan).phase_ns.swap(0, 1),
            "refresh.windows",
            "color 0 is refreshed at 32005000",
        );
    }
}

#[test]
fn locks_that_are_none() {
    for method in IN_LOCKS {
        let sound = Sound::two(method);
        let place = "schedule.locks";
        sound.refused(|plan| locks(plan).period_ns = 0, place, "a period of 0 ns");
        sound.refused(|plan| locks(plan).period_ns = u64::MAX, place, "ns is none");
        sound.refused(|plan| locks(plan).burst_ns[0] = u64::MAX, place, "after the period");
        sound.refused(|plan| locks(plan).lock_ns = u64::MAX, place, "after the period");
        sound.refused(|plan| _ = locks(plan).phase_ns.pop(), place, "phases");
        sound.refused(|plan| locks(plan).burst_ns.push(1), place, "bursts");
    }
    for method in [Method::Flat, Method::Crs] {
        let sound = Sound::two(method);
        // Both windows at once: the core could run nothing.
        sound.refused(|plan| locks(plan).phase_ns[0] = 2_000_000, "schedule.locks", "overlap");
        // Windows every 32 ms where refresh comes every 64.
        sound.refused(|plan| locks(plan).period_ns /= 2, "schedule.locks", "after the period");
    }
}

#[test]
fn rows_that_wait_too_long() {
    for method in [
        Method::Burst,
        Method::Flat,
        Method::Crs,
        Method::Aligned,
        Method::ColoredRefresh,
    ] {
        let sound = Sound::two(method);
        let place = "refresh.windows of color 0";
        sound.refused(|plan| window(plan, 0).commands = 8191, place, "is refreshed at");
        sound.refused(|plan| window(plan, 0).commands = 1024, place, "is refreshed at");
        sound.refused(|plan| windows(plan).clear(), "refresh.windows", "never refreshed");
        sound.refused(|plan| window(plan, 0).commands = 0, "refresh.windows[", "is empty");
        sound.refused(
            |plan| window(plan, 0).commands = u64::MAX,
            "refresh.windows[",
            "more than the period",
        );
        sound.refused(
            |plan| window(plan, 0).start_ns = 64_000_000,
            "refresh.windows[",
            "after the period",
        );
        sound.refused(|plan| window(plan, 0).color = 9, "refresh.windows[", "does not exist");
        // A window only every other retention time.
        let slower = |plan: &mut fresco_plan::Plan| match &mut plan.refresh {
            RefreshPlan::Windows { period_ns, .. } => *period_ns = 128_000_000,
            _ => unreachable!("has windows"),
        };
        sound.refused(slower, "refresh.period_ns", "within the retention time");
    }
    for method in [Method::Flat, Method::Crs, Method::Aligned, Method::ColoredRefresh] {
        let sound = Sound::two(method);
        let remove = |plan: &mut fresco_plan::Plan| windows(plan).retain(|window| window.color != 1);
        sound.refused(remove, "refresh.windows of color 1", "never refreshed");
        sound.refused(|plan| window(plan, 0).color = 1, "", "");
    }
}

/// Two windows of a color at once: a command begins before the one before has ended.
#[test]
fn windows_that_overlap() {
    for method in [Method::Burst, Method::Flat, Method::Aligned] {
        let sound = Sound::two(method);
        let twice = |plan: &mut fresco_plan::Plan| {
            let mut again = *window(plan, 0);
            again.commands = 1;
            again.start_ns += 1;
            windows(plan).push(again);
        };
        sound.refused(
            twice,
            "refresh.windows of color 0",
            "begins before the previous one ended",
        );
    }
}

#[test]
fn policies_of_the_controller() {
    let set = |name: &str| {
        let policy = name.to_owned();
        move |plan: &mut fresco_plan::Plan| plan.refresh = RefreshPlan::Controller { policy }
    };
    for sound in [Sound::two(Method::AutoRefresh), Sound::batch()] {
        sound.refused(set("hopeful"), "refresh.policy", "there is no refresh policy");
        sound.refused(set("none"), "refresh.policy", "is none, ");
        // Each rank apart: a task with memory in several may meet several refreshes in an interval.
        sound.refused(set("all-bank-independent"), "refresh.policy", "is all-bank-independent");
        sound.refused(set("per-bank"), "refresh.policy", "is per-bank");
        sound.refused(|plan| plan.refresh = windowed(), "refresh.kind", "is none that");
    }
    for method in [
        Method::Flat,
        Method::Crs,
        Method::Aligned,
        Method::ColoredRefresh,
        Method::Burst,
    ] {
        Sound::two(method).refused(set("all-bank-simultaneous"), "refresh.kind", "is none that");
    }
    Sound::batch().refused(
        set("all-bank-simultaneous"),
        "refresh.policy",
        "is for per-bank-sequential",
    );
}

fn windowed() -> RefreshPlan {
    RefreshPlan::Windows {
        period_ns: 64_000_000,
        windows: Vec::new(),
    }
}

#[test]
fn schedules_of_another_method() {
    let two = Sound::two(Method::Crs);
    two.refused(
        |plan| plan.method = Method::Flat,
        "schedule.kind",
        "is none that flat has",
    );
    two.refused(
        |plan| plan.method = Method::AutoRefresh,
        "schedule.kind",
        "is none that auto-refresh has",
    );
    two.refused(
        |plan| plan.schedule = Schedule::Priorities,
        "schedule.kind",
        "is none that crs has",
    );
    Sound::two(Method::Burst).refused(|plan| plan.method = Method::Flat, "schedule.kind", "with 1 colors");
    let fair = Sound::batch();
    let slice = |slice_ns, candidates| {
        move |plan: &mut fresco_plan::Plan| plan.schedule = Schedule::Fair { slice_ns, candidates }
    };
    fair.refused(slice(0, 1), "schedule.slice_ns", "is 0 ns");
    fair.refused(slice(8_000_000, 1), "schedule.slice_ns", "takes 4000000 ns");
    fair.refused(slice(4_000_000, 0), "schedule.candidates", "are 0");
}
