// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt machines, colors, tasks and their memory.

use crate::mutations::edit::{servers, slots};
use crate::mutations::sound::Sound;
use fresco_dram::Prac;
use fresco_plan::plan::Work;
use fresco_plan::{Method, Plan};

#[test]
fn another_machine() {
    let sound = Sound::two(Method::Crs);
    sound.refused(
        |plan| plan.machine.name = "p4080".to_owned(),
        "machine.name",
        "is p4080",
    );
    sound.refused(|plan| plan.machine.digest.push('0'), "machine.digest", "has changed");
    sound.refused(
        |plan| plan.memory.trfc_ns = 260,
        "memory",
        "trfc_ns is 260, of the machine 350",
    );
    sound.refused(
        |plan| plan.memory.retention_ns *= 2,
        "memory",
        "retention_ns is 128000000",
    );
    sound.refused(|plan| plan.memory.commands = 4096, "memory", "commands is 4096");
    sound.refused(|plan| plan.memory.ranks = 4, "memory", "ranks is 4");
    sound.refused(|plan| plan.cores = 2, "cores", "are 2, the machine has 1");
    sound.refused(|plan| plan.cores = 0, "cores", "are 0");
}

/// No window knows when an RFM comes.
#[test]
fn devices_that_ask_for_more_than_refresh() {
    let counting = Prac {
        threshold: 512,
        level: 1,
    };
    let told = Sound::two(Method::Crs).check_on(|machine| machine.memory.timing.management.prac = Some(counting));
    let told = told.expect_err("refused").to_string();
    assert!(
        told.contains("machine") && told.contains("refresh management"),
        "{told}"
    );
}

#[test]
fn wrong_programs() {
    let sound = Sound::two(Method::Aligned);
    let program = |name: &str, parameters: &str| {
        let work = Work::Program {
            name: name.to_owned(),
            parameters: parameters.to_owned(),
        };
        move |plan: &mut Plan| plan.tasks[1].work = work
    };
    let place = "tasks[1] (b).work";
    sound.refused(
        program("latency", "bytes = '64 MiB'"),
        place,
        "touches 67108864 bytes, the task has 262144",
    );
    sound.refused(program("randomx", ""), place, "randomx");
    sound.refused(program("latency", "bytes = -1"), place, "bytes");
    sound.refused(program("latency", "bytes = "), place, "");
    let uneven = |plan: &mut Plan| plan.tasks[1].memory_bytes -= 1;
    sound.refused(uneven, place, "a multiple of 64 B");
    sound.refused(|plan| plan.tasks[1].name.clear(), "tasks[1]", "has no name");
    sound.refused(
        |plan| plan.tasks[1].name.push_str("\nall is well"),
        "tasks[1]",
        "has a name with characters that cannot be printed",
    );
}

#[test]
fn wrong_colors() {
    let sound = Sound::two(Method::Crs);
    sound.refused(
        |plan| {
            let rank = plan.colors[0].ranks[0];
            plan.colors[0].ranks.push(rank);
        },
        "colors[0]",
        "names a rank twice",
    );
    sound.refused(|plan| plan.colors[0].ranks.push(0), "colors", "rank 0 belongs to 2");
    sound.refused(
        |plan| {
            plan.colors[0].ranks.pop();
            plan.colors[0].bank_colors = "32-55".to_owned();
            plan.colors[0].bytes = 3 << 30;
        },
        "colors",
        "rank 7 belongs to 0",
    );
    sound.refused(
        |plan| plan.colors[0].ranks[0] = 8,
        "colors[0]",
        "ranks that the machine does not have",
    );
    sound.refused(
        |plan| plan.colors[0].ranks.clear(),
        "colors[0]",
        "ranks that the machine does not have",
    );
    sound.refused(|plan| _ = plan.colors[0].ranks.pop(), "colors[0]", "lie in rank 7");
    sound.refused(
        |plan| plan.colors[1].bank_colors = "0-32".to_owned(),
        "colors[1]",
        "has bank color 32",
    );
    sound.refused(
        |plan| plan.colors[1].bank_colors = "0-64".to_owned(),
        "colors[1].bank_colors",
        "0-64",
    );
    sound.refused(
        |plan| plan.colors[1].bank_colors = String::new(),
        "colors[1].bank_colors",
        "empty",
    );
    sound.refused(|plan| plan.colors[0].bank = Some(0), "colors[0]", "has bank color 33");
    // Half of the bank colors hold half of the bytes.
    sound.refused(
        |plan| plan.colors[1].bank_colors = "0-15".to_owned(),
        "colors[1]",
        "bank colors have 2147483648",
    );
    sound.refused(|plan| plan.colors[0].bytes = 0, "colors[0]", "holds no bytes");
    sound.refused(|plan| plan.colors[0].bytes += 1, "colors[0]", "holds 4294967297 bytes");
    sound.refused(|plan| _ = plan.colors.pop(), "schedule.kind", "with 1 colors");
}

/// The controller refreshes banks in an order of its own: the colors have to be these banks.
#[test]
fn banks_out_of_turn() {
    let sound = Sound::batch();
    sound.refused(|plan| plan.colors.swap(0, 1), "colors[0]", "is not bank 0 of rank 0");
    sound.refused(|plan| plan.colors.swap(7, 8), "colors[7]", "is not bank 7 of rank 0");
    sound.refused(|plan| _ = plan.colors.pop(), "colors", "are 15");
    sound.refused(|plan| plan.colors[3].bank = None, "colors[3]", "is not bank 3");
}

#[test]
fn impossible_times() {
    for method in [
        Method::AutoRefresh,
        Method::Flat,
        Method::Aligned,
        Method::ColoredRefresh,
    ] {
        let sound = Sound::two(method);
        sound.refused(
            |plan| plan.tasks[1].deadline_ns = 32_000_001,
            "tasks[1] (b)",
            "make no task",
        );
        sound.refused(
            |plan| plan.tasks[1].wcet_ns = 30_000_001,
            "tasks[1] (b)",
            "make no task",
        );
        sound.refused(|plan| plan.tasks[0].period_ns = 0, "tasks[0] (a)", "make no task");
        sound.refused(|plan| plan.tasks[0].wcet_ns = 0, "tasks[0] (a)", "make no task");
        sound.refused(
            |plan| plan.tasks[0].phase_ns = u64::MAX,
            "tasks[0] (a)",
            "exceed 1000 s",
        );
        sound.refused(
            |plan| plan.tasks[0].response_bound_ns = Some(8_000_001),
            "tasks[0] (a)",
            "beyond its deadline",
        );
        sound.refused(
            |plan| plan.tasks[0].name = "b".to_owned(),
            "tasks[1] (b)",
            "another task of this name",
        );
        sound.refused(|plan| plan.tasks.clear(), "tasks", "there is none");
    }
}

#[test]
fn wrong_memory() {
    for method in [Method::Burst, Method::Crs, Method::Aligned, Method::Flat] {
        let sound = Sound::two(method);
        sound.refused(|plan| plan.tasks[1].instances[0].fill(0), "tasks[1] (b)", "");
        sound.refused(
            |plan| plan.tasks[1].memory_bytes += 4096,
            "tasks[1] (b).instances[0]",
            "needs 266240",
        );
        sound.refused(|plan| plan.tasks[1].memory_bytes = 0, "tasks[1] (b)", "has no memory");
        sound.refused(
            |plan| plan.tasks[1].instances.clear(),
            "tasks[1] (b)",
            "do not list bytes",
        );
        sound.refused(
            |plan| plan.tasks[1].instances[0].push(0),
            "tasks[1] (b)",
            "do not list bytes",
        );
        let copied =
            |plan: &mut fresco_plan::Plan| plan.tasks[0].instances = vec![plan.tasks[0].instances[0].clone(); 2];
        sound.refused(copied, "tasks[0] (a)", "has 2 instances");
    }
    // Without memory in any color, a task would be in nobody's way.
    let flat = Sound::two(Method::Flat);
    flat.refused(
        |plan| plan.tasks[1].instances[0] = vec![0, 0],
        "tasks[1] (b).instances[0]",
        "holds 0 bytes",
    );
    let auto = Sound::two(Method::AutoRefresh);
    auto.refused(
        |plan| plan.tasks[0].memory_bytes = 9 << 30,
        "tasks",
        "the memory has 8589934592",
    );
    auto.refused(|plan| plan.tasks[0].instances.push(vec![]), "tasks[0] (a)", "");
}

#[test]
fn memory_over_capacity() {
    for method in [Method::Crs, Method::Aligned, Method::Flat] {
        let sound = Sound::two(method);
        let color = sound.plan.tasks[1].colors_of(0)[0];
        let place = format!("colors[{color}]");
        sound.refused(
            |plan| plan.tasks[1].instances[0][color] = 5 << 30,
            &place,
            "its capacity is 4294967296",
        );
        sound.refused(
            |plan| plan.tasks[1].instances[0][color] = u64::MAX,
            &place,
            "its capacity is 4294967296",
        );
        sound.refused(|plan| plan.colors[color].bytes = 4096, &place, "its capacity is 4096");
    }
}

/// A task with memory in both colors may run while one of them is refreshed.
#[test]
fn another_color() {
    for method in [Method::Crs, Method::Aligned, Method::Flat] {
        let sound = Sound::two(method);
        sound.refused(
            |plan| plan.tasks[1].instances[0] = vec![131_072; 2],
            "tasks[1] (b)",
            "has memory in colors 0, 1",
        );
    }
    for method in [Method::Crs, Method::Aligned] {
        let sound = Sound::two(method);
        sound.refused(
            |plan| plan.tasks[1].instances[0].reverse(),
            "tasks[1] (b)",
            "runs with color",
        );
    }
    // In its new color it waits for its own lock instead: it misses, or its response bound is another.
    let crowded = Sound::of(CROWDED, Method::Flat, &[]);
    crowded.refused(|plan| plan.tasks[0].instances[0].reverse(), "proofs[0]", "");
}

/// With both colors of the tasks at hand something fits; a job of `a` that is released with the lock of the other color
/// would end too late.
const CROWDED: &str = r#"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "5 us"
    plan.unlock = "2 us"
    task = [{ name = "a", phase = "2 ms", period = "64 ms", deadline = "2 ms", wcet = "1500 us" }]
"#;

#[test]
fn another_core_or_list() {
    for method in [Method::AutoRefresh, Method::Flat, Method::Crs, Method::Aligned] {
        let sound = Sound::four(method);
        sound.refused(|plan| plan.tasks[0].core = Some(1), "", "core");
        sound.refused(
            |plan| plan.tasks[0].core = Some(2),
            "tasks[0] (a)",
            "a core that the plan does not have",
        );
        sound.refused(|plan| plan.tasks[0].core = None, "tasks[0] (a)", "bound to no core");
    }
    let crs = Sound::four(Method::Crs);
    let lists = |plan: &mut fresco_plan::Plan, from: (usize, usize), to: (usize, usize)| {
        let task = servers(plan)[from.0].servers[from.1].tasks.pop().expect("has a task");
        servers(plan)[to.0].servers[to.1].tasks.push(task);
    };
    crs.refused(
        |plan| lists(plan, (0, 0), (0, 1)),
        "tasks[1] (b)",
        "has memory in color 0",
    );
    crs.refused(
        |plan| lists(plan, (0, 0), (1, 0)),
        "tasks[1] (b)",
        "runs on core 1, is bound to core 0",
    );
    crs.refused(
        |plan| servers(plan)[0].servers[0].tasks.clear(),
        "tasks[1] (b)",
        "runs nowhere",
    );
    crs.refused(
        |plan| servers(plan)[1].servers[0].tasks.push(1),
        "tasks[1] (b)",
        "runs in two places",
    );
    crs.refused(
        |plan| servers(plan)[0].servers[0].tasks.push(4),
        "schedule.cores",
        "there is no task 4",
    );
    let aligned = Sound::four(Method::Aligned);
    aligned.refused(
        |plan| slots(plan)[0].tasks.swap(0, 1),
        "tasks[0] (a)",
        "runs with color 0",
    );
    aligned.refused(|plan| slots(plan).swap(0, 1), "tasks[2] (c)", "runs on core 0");
    aligned.refused(|plan| _ = slots(plan)[0].tasks[1].pop(), "tasks[1] (b)", "runs nowhere");
}
