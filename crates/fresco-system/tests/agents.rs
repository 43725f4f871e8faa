// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices beside tasks: the rate that they keep, what they can have at most, and whom they disturb.

use crate::common::{parse, results_on};
use crate::experiment_support::planned::{EXAMPLE, RM, aligned, result};
use crate::experiment_support::{MS, RANKS, machine};
use fresco_frames::Coloring;
use fresco_input::{InputError, Kind};
use fresco_machine::Guaranteed;
use fresco_system::Scenario;
use fresco_system::experiment::{Agent, Pattern, colors_of_ranks};
use fresco_system::results::{AgentResult, RunResult};

/// A chaser of pointers on core 0 in banks 0 and 1 of node 0, measured for 400 us, beside agents.
fn run(agents: &str) -> RunResult {
    let text = format!(
        "name = \"agents\"
        machine = \"small.toml\"
        check = true
        policy.frames = \"palloc\"
        warm_up.time = \"100 us\"
        measure.time = \"400 us\"
        [[task]]
        name = \"victim\"
        program = \"latency\"
        core = 0
        banks = \"0-1\"
        parameters.bytes = \"512 KiB\"
        {agents}"
    );
    results_on(1, &text).points[0].runs[0].clone()
}

/// The only agent, with these keys.
fn agent(keys: &str) -> (RunResult, AgentResult) {
    let run = run(&format!("[[agent]]\nname = \"dma\"\nbytes = \"1 MiB\"\n{keys}"));
    let agent = run.agents[0].clone();
    (run, agent)
}

/// Lines of an agent that are counted.
fn lines(agent: &AgentResult) -> u64 {
    agent.reads.count + agent.lines_written
}

#[test]
fn below_the_guaranteed_bandwidth_a_rate_is_kept_to_the_line() {
    let machine = fresco_machine::load_with(&format!("{}/small.toml", crate::common::data().display()), &[]);
    let least = Guaranteed::of(&machine.expect("a machine"), false).bytes_per_s();
    assert!(least > 960_000_000, "{least}");
    // A line each 100 ns. Four at both ends may be under way.
    let expected = |run: &RunResult| (run.to_ps - run.from_ps) / 100_000;
    for keys in [
        "rate = \"640 MB/s\"",
        "rate = \"640 MB/s\"\npattern = \"random\"\nwrite_percent = 50",
        "rate = \"640 MB/s\"\npattern = \"stride\"\nstride = \"8 KiB\"\nburst = 4\nwrite_percent = 100",
        // Half of the time twice as much.
        "rate = \"1280 MB/s\"\nactive = \"100 ns\"\npause = \"100 ns\""
            .replace("100 ns", "1 us")
            .as_str(),
    ] {
        let (run, agent) = agent(keys);
        assert!((3990..4050).contains(&expected(&run)));
        assert!(lines(&agent).abs_diff(expected(&run)) <= 4, "{keys}: {}", lines(&agent));
        assert_eq!(agent.lines_deferred, 0, "{keys}");
    }
    let (run, half) = agent("rate = \"640 MB/s\"\nburst = 2\nwrite_percent = 25");
    assert!(
        half.lines_written.abs_diff(expected(&run) / 4) <= 2,
        "{}",
        half.lines_written
    );
    let parts = &half.reads.anatomy;
    let sum = parts.path_ns + parts.queue_ns + parts.bank_ns + parts.bus_ns + parts.refresh_ns + parts.service_ns;
    assert!((sum + parts.remote_ns - half.reads.latency.mean_ns).abs() < 1e-6);
}

#[test]
fn what_is_asked_beyond_the_maximum_is_the_maximum() {
    let rate = |keys: &str| agent(keys).1;
    let most = rate("in_flight = 64");
    let asked = rate("in_flight = 64\nrate = \"100 GB/s\"");
    // 64 bytes in four cycles of 1.5 ns, but for refreshes and the victim.
    let peak = 64.0 / 6e-9;
    assert!(
        most.bandwidth_bytes_per_s > 0.85 * peak && most.bandwidth_bytes_per_s < peak,
        "{most:?}"
    );
    assert!((asked.bandwidth_bytes_per_s / most.bandwidth_bytes_per_s - 1.0).abs() < 0.001);
    // It falls behind all the time; with no rate nothing is ever late.
    assert!(asked.lines_deferred >= lines(&asked) && asked.deferred_max_ns > 100_000.0);
    assert_eq!((most.lines_deferred, most.deferred_max_ns), (0, 0.0));
    // One line under way: Little's law with its mean latency.
    let one = rate("in_flight = 1");
    let by_law = 64.0 / (one.reads.latency.mean_ns * 1e-9);
    assert!((one.bandwidth_bytes_per_s / by_law - 1.0).abs() < 0.001, "{one:?}");
}

#[test]
fn an_agent_is_felt_in_banks_that_are_shared_and_not_in_others() {
    let waits = |keys: &str| {
        let (run, agent) = agent(&format!(
            "rate = \"2 GB/s\"\npattern = \"random\"\nwrite_percent = 30\n{keys}"
        ));
        let parts = run.tasks[0].reads.anatomy;
        (
            parts.bank_ns,
            parts.bus_ns + parts.queue_ns,
            run.tasks[0].reads.latency.mean_ns,
            agent.banks,
        )
    };
    let alone = run("").tasks[0].reads.clone();
    assert_eq!(alone.anatomy.bank_ns, alone.anatomy.bank_ns.min(2.0));
    let uncolored = waits("");
    let away = waits("banks = \"8-15\"");
    let shared = waits("banks = \"0-1\"");
    assert_eq!([&uncolored.3, &away.3, &shared.3], ["none", "8-15", "0-1"]);
    // In the victim's banks every row is lost; in all banks in proportion; in others no time goes to the bank, only the bus is shared.
    assert!(
        shared.0 > 2.0 * uncolored.0 && uncolored.0 > away.0 + 1.0,
        "{shared:?} {uncolored:?} {away:?}"
    );
    assert!(
        (away.0 - alone.anatomy.bank_ns).abs() < 1.0,
        "{away:?} {:?}",
        alone.anatomy
    );
    assert!(away.1 > alone.anatomy.bus_ns + alone.anatomy.queue_ns, "{away:?}");
    // On another node it is not felt at all.
    let (far, _) = agent("rate = \"2 GB/s\"\nnode = 2\nbanks = \"32-63\"");
    assert_eq!(far.tasks[0].reads.latency, alone.latency);
}

/// RLIM-6: the schedule keeps tasks away from ranks that are refreshed, and devices not.
#[test]
fn a_device_touches_ranks_that_are_refreshed() {
    let (mut experiment, _) = aligned(&EXAMPLE, RM, 8 * MS, 16);
    let banks = colors_of_ranks(&machine(1), RANKS[0]).expect("colors");
    experiment.agents = vec![Agent {
        pattern: Pattern::Random,
        rate: Some(64_000_000),
        coloring: Coloring::Explicit {
            banks: Some(banks),
            llc: None,
        },
        ..Agent::new("dma", 64 << 10)
    }];
    let outcome = result(&experiment);
    let device = &outcome.agents[0];
    assert!(device.met_refresh.reads > 100, "{:?}", device.met_refresh);
    // A segment of refreshes is 563 us.
    assert!(
        device.met_refresh.longest_read_wait_ps > 500_000_000,
        "{:?}",
        device.met_refresh
    );
    let of_tasks = outcome.tasks.iter().map(|task| task.met_refresh.reads).sum::<u64>();
    assert_eq!(of_tasks, 0, "{:?}", outcome.windows);
    assert!(outcome.checker.expect("was asked").violations == 0);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let run = |seed: u32| {
        let text = format!(
            "seed = {seed}
            name = \"a\"
            machine = \"small.toml\"
            check = true
            measure.time = \"50 us\"
            [[task]]
            name = \"t\"
            program = \"latency\"
            core = 0
            parameters.bytes = \"128 KiB\"
            [[agent]]
            name = \"a\"
            bytes = \"1 MiB\"
            in_flight = 8
            pattern = \"random\"
            rate = \"3 GB/s\"
            [[agent]]
            name = \"b\"
            bytes = \"64 KiB\"
            pattern = \"random\"
            write_percent = 50
            start = \"30 us\""
        );
        let result = results_on(2, &text);
        serde_json::to_string(&result.points[0].runs).expect("is JSON")
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn wrong_agents_are_refused() {
    let wrong = |keys: &str| {
        let text = format!(
            "name = \"a\"\nmachine = \"small.toml\"\n[[task]]\nname = \"t\"\nprogram = \"idle\"\ncore = 0\n[[agent]]\n{keys}"
        );
        let error = parse(&text).err().unwrap_or_else(|| panic!("{keys} is refused"));
        (error.field.clone(), error.to_string())
    };
    for (keys, field, told) in [
        ("bytes = 4096", "agent.0.name", "missing"),
        ("name = \"a\"", "agent.a.bytes", "missing"),
        ("name = \"t\"\nbytes = 4096", "agent.t", "found a task \"t\", too"),
        (
            "name = \"a\"\nbytes = 4096\nburst = 65",
            "agent.a.burst",
            "found 65 lines",
        ),
        (
            "name = \"a\"\nbytes = 4096\npattern = \"stride\"",
            "agent.a.stride",
            "missing",
        ),
        ("name = \"a\"\nbytes = 4096\nstride = 64", "agent.a.stride", "unknown"),
        (
            "name = \"a\"\nbytes = 4096\ncolors = 3\n[policy]\nframes = \"palloc\"",
            "agent.a.colors",
            "under a policy that chooses none",
        ),
        (
            "name = \"a\"\nbytes = 8192\npattern = \"stride\"\nstride = 100",
            "agent.a.stride",
            "multiple of the line",
        ),
        (
            "name = \"a\"\nbytes = 4096\nactive = \"1 ms\"",
            "agent.a.active",
            "found no pause",
        ),
        (
            "name = \"a\"\nbytes = 4096\nnode = 4",
            "agent.a.node",
            "found the integer 4",
        ),
        (
            "name = \"a\"\nbytes = 4096\nbanks = 0",
            "agent.a.banks",
            "under the policy \"buddy\"",
        ),
        (
            "name = \"a\"\nbytes = \"1 GiB\"",
            "agent.a.bytes",
            "a size from 1 B to 128 MiB",
        ),
    ] {
        let (found, text) = wrong(keys);
        assert_eq!(found, field, "{text}");
        assert!(text.contains(told), "{keys}: {text}");
    }
}

/// A task and a device that asks for much in a bank, with values of the command line.
fn beside(overrides: &[&str]) -> InputError {
    let text = "name = \"a\"\nmachine = \"small.toml\"\npolicy.frames = \"palloc\"\n\
        [[task]]\nname = \"t\"\nprogram = \"latency\"\ncore = 0\nbanks = \"0-1\"\nparameters.bytes = \"64 KiB\"\n\
        [[agent]]\nname = \"dma\"\nbytes = \"64 KiB\"\nbanks = 8\n";
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let parsed = Scenario::parse("test.toml", text, crate::common::data(), &overrides);
    parsed.err().unwrap_or_else(|| panic!("{overrides:?} is refused"))
}

#[test]
fn what_does_not_fit_is_told_where_it_was_asked_for() {
    for (overrides, told) in [
        (
            &["agent.dma.bytes=\"3 MiB\""][..],
            "--set agent.dma.bytes=\"3 MiB\": agent.dma.bytes: found programs and buffers of 3 MiB for the memory of [bank colors 8]\n  \
             allowed: 2 MiB at most\n  help: give the agent other or more colors, make its bytes fewer, or set policy.exhaustion = \"spill\"",
        ),
        // The buffer and another that was there before.
        (
            &["agent.dma.bytes=\"2 MiB\"", "task.t.banks=8"],
            "--set agent.dma.bytes=\"2 MiB\": agent.dma.bytes: found programs and buffers of 2112 KiB for the memory of [bank colors 8]",
        ),
        (
            &["policy.exhaustion=\"spill\"", "agent.dma.bytes=\"128 MiB\""],
            "--set agent.dma.bytes=\"128 MiB\": agent.dma.bytes: found programs and buffers of 131136 KiB with this one\n  \
             allowed: the memory of small: 128 MiB\n  help: make the bytes of the agent or the data of the tasks fewer",
        ),
        (
            &["task.t.parameters.bytes=\"5 MiB\""],
            "--set task.t.parameters.bytes=\"5 MiB\": task.t.parameters.bytes: found programs of 5 MiB for the memory of [bank colors 0-1]",
        ),
    ] {
        let error = beside(overrides);
        assert!(error.to_string().starts_with(told), "{error}");
        assert_eq!(error.kind, Kind::DoesNotFit, "{error}");
    }
    let error = beside(&["task.t.memory_limit=\"4 KiB\""]);
    let told =
        "--set task.t.memory_limit=\"4 KiB\": task.t.memory_limit: found a program of 64 KiB under a limit of 4 KiB";
    assert!(error.to_string().starts_with(told), "{error}");
    // What else is wrong of it is wrong in the file.
    let error = beside(&["agent.dma.bytes=4096", "task.t.name=\"dma\""]);
    assert!(
        error
            .to_string()
            .starts_with("test.toml:10: agent.dma: found a task \"dma\", too"),
        "{error}"
    );
    let error = beside(&["agent.nic.bytes=4096"]).to_string();
    assert!(
        error.ends_with("allowed: dma\n  help: name an agent of the scenario"),
        "{error}"
    );
}

/// 8 LLC colors of bits 12 to 14, the lower two of the bank colors are 13 and 14: a quarter of the banks has pages of a color.
#[test]
fn banks_are_those_that_have_pages_of_the_llc_colors() {
    let text = "name = \"a\"\nmachine = \"small.toml\"\ncheck = true\npolicy.frames = \"palloc\"\nllc.size = \"256 KiB\"\n\
        measure.time = \"20 us\"\n\
        [[task]]\nname = \"t\"\nprogram = \"latency\"\ncore = 0\nllc = 2\nparameters.bytes = \"64 KiB\"\n\
        [[agent]]\nname = \"dma\"\nbytes = \"64 KiB\"\nllc = \"0,6\"\n";
    let run = results_on(1, text).points[0].runs[0].clone();
    let listed = |remainders: &[u32]| {
        let banks: Vec<u32> = (0..64).filter(|bank| remainders.contains(&(bank % 4))).collect();
        fresco_dram::color::format_list(&banks)
    };
    assert_eq!(run.tasks[0].banks, listed(&[1]));
    assert_eq!(run.agents[0].banks, listed(&[0, 3]));
}

/// Whatever a plan promises would not hold beside a device.
#[test]
fn a_plan_refuses_devices() {
    let text = "name = \"a\"\nmachine = \"ss-rtmc\"\n[[task]]\nname = \"t\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\n\
        [[agent]]\nname = \"dma\"\nbytes = 4096\n";
    let error = fresco_scenario::TaskSet::parse("a.toml", text, "".as_ref(), &[]).expect_err("it has a device");
    assert_eq!(error.field, "agent");
}

/// A device that is off has its buffer, so that tasks have the frames that they have beside it.
#[test]
fn a_device_that_is_off_moves_nothing() {
    let (off, idle) = agent("enabled = false");
    assert_eq!((lines(&idle), idle.bandwidth_bytes_per_s), (0, 0.0));
    let (late, _) = agent("start = \"1 s\"");
    assert_eq!(off.tasks[0].reads, late.tasks[0].reads);
}

/// MemGuard counts misses of cores: a device is not held back, and takes away what is guaranteed.
#[test]
fn budgets_hold_no_device_back_and_guarantee_nothing_beside_one() {
    let budgets = "reserve = \"200 MB/s\"\nreservation = \"hard\"\n[policy]\nbandwidth = \"memguard\"\n[bandwidth]\nperiod = \"50 us\"\n";
    let with = |enabled: bool| {
        let text = format!(
            "name = \"guard\"\nmachine = \"small.toml\"\ncheck = true\nmeasure.time = \"400 us\"\n[[task]]\nname = \"t\"\n\
            program = \"latency\"\ncore = 0\nparameters.bytes = \"512 KiB\"\n{budgets}\
            [[agent]]\nname = \"dma\"\nbytes = \"1 MiB\"\nrate = \"3.2 GB/s\"\nin_flight = 64\nenabled = {enabled}\n"
        );
        results_on(1, &text).points[0].runs[0].clone()
    };
    let (off, on) = (with(false), with(true));
    let guaranteed = |run: &RunResult| {
        run.tasks[0]
            .regulation
            .as_ref()
            .map(|core| core.guaranteed_bytes_per_s.round())
    };
    assert_eq!(guaranteed(&on), Some(0.0));
    // A budget is whole lines of a period: 156.
    assert_eq!(guaranteed(&off), Some(199_680_000.0));
    let rate = on.agents[0].bandwidth_bytes_per_s;
    assert!((rate / 3.2e9 - 1.0).abs() < 0.005, "{rate}");
}
