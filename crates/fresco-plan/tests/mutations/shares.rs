// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt shares of time: servers and slots.

use crate::mutations::edit::{servers, slots, window};
use crate::mutations::sound::Sound;
use fresco_plan::Method;
use fresco_plan::plan::Schedule;

#[test]
fn servers_that_are_others() {
    let sound = Sound::two(Method::Crs);
    let (cores, proof) = ("schedule.cores[0].servers", "proofs[0]");
    sound.refused(
        |plan| servers(plan)[0].servers[0].budget_ns -= 1_000_000,
        proof,
        "the horizon",
    );
    sound.refused(|plan| servers(plan)[0].servers[0].period_ns *= 2, proof, "");
    sound.refused(|plan| servers(plan)[0].servers[1].budget_ns /= 16, "proofs[1]", "");
    sound.refused(|plan| servers(plan)[0].servers[0].period_ns = 0, cores, "a budget of");
    sound.refused(
        |plan| servers(plan)[0].servers[0].budget_ns = u64::MAX,
        cores,
        "a budget of",
    );
    sound.refused(|plan| servers(plan)[0].servers[0].color = 7, cores, "does not exist");
    sound.refused(|plan| servers(plan)[0].servers.swap(0, 1), "proofs[0]", "");
    // The tasks of the second server of a color would be proved with the time of the first.
    let twice = |plan: &mut fresco_plan::Plan| {
        let mut second = servers(plan)[0].servers[0].clone();
        second.tasks.clear();
        servers(plan)[0].servers.push(second);
    };
    sound.refused(twice, cores, "serves color 0 twice");
    sound.refused(|plan| servers(plan).clear(), "schedule.cores", "are 0, the plan has 1");
    sound.unverifiable(
        |plan| servers(plan)[0].servers[0].period_ns = 999_999_999_989,
        "schedule.cores",
        "more than 4194304 of their periods",
    );
}

#[test]
fn slots_that_are_others() {
    let sound = Sound::two(Method::Aligned);
    let place = "schedule.cores[0]";
    // The border cuts the refresh of color 1 short, or runs into that of color 0.
    sound.refused(
        |plan| slots(plan)[0].border_ns -= 6_000,
        place,
        "tasks of color 1 may run at",
    );
    sound.refused(
        |plan| slots(plan)[0].border_ns += 1,
        "refresh.windows",
        "color 0 is refreshed at 2877200 ns",
    );
    sound.refused(
        |plan| slots(plan)[0].border_ns = 4_999,
        place,
        "no room for two handlers",
    );
    sound.refused(
        |plan| slots(plan)[0].border_ns = u64::MAX,
        place,
        "no room for two handlers",
    );
    // Into the slot of its own color.
    sound.refused(
        |plan| window(plan, 1).start_ns = 6_000_000,
        place,
        "tasks of color 1 may run at 6000000 ns",
    );
    sound.refused(
        |plan| window(plan, 0).start_ns = 62_000_000,
        place,
        "tasks of color 0 may run at 5000",
    );
    // Into a handler, which locks the color and writes its dirty lines back.
    sound.refused(
        |plan| window(plan, 1).start_ns = 0,
        "refresh.windows",
        "color 1 is refreshed at 0 ns, outside the slot",
    );
    sound.refused(
        |plan| window(plan, 1).start_ns = 5_001,
        "refresh.windows",
        "outside the slot of color 0 on core 0",
    );
    sound.refused(
        |plan| window(plan, 0).start_ns = 2_872_200,
        "refresh.windows",
        "color 0 is refreshed at 2872200 ns",
    );
    let period = |period: u64| {
        move |plan: &mut fresco_plan::Plan| match &mut plan.schedule {
            Schedule::Slots { period_ns, .. } => *period_ns = period,
            _ => unreachable!("has slots"),
        }
    };
    sound.refused(
        period(0),
        "schedule.period_ns",
        "is 0 ns; it is from 1 to 1000000000000 ns",
    );
    sound.refused(period(u64::MAX), "schedule.period_ns", "from 1 to 1000000000000 ns");
    sound.refused(period(32_000_000), "", "");
    sound.unverifiable(period(63_999_999), "refresh", "more than 4194304 windows");
}
