// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every frame policy in a scenario: which colors its tasks get, and where their pages then lie.

use crate::common::{data, parse, results};
use fresco_system::Scenario;
use fresco_system::results::TaskResult;

/// Sixteen threads on the Opteron's sixteen cores, of 256 KiB each.
const SIXTEEN: &str = r#"
name = "sixteen"
machine = "opteron-6128"
check = true
[policy]
POLICY
[measure]
operations = 500
[warm_up]
operations = 0
[[task]]
name = "t"
program = "random"
cores = "0-15"
parameters.bytes = "256 KiB"
"#;

fn tasks(text: &str) -> Vec<TaskResult> {
    results(text).points[0].runs[0].tasks.clone()
}

fn sixteen(policy: &str) -> Vec<TaskResult> {
    tasks(&SIXTEEN.replace("POLICY", policy))
}

fn colors(task: &TaskResult) -> (&str, &str) {
    (&task.banks, &task.llc_colors)
}

fn refused(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("a scenario that cannot run was accepted"),
        Err(error) => error.to_string(),
    }
}

/// Of the Opteron's bank colors those with these remainders by four, as results list them.
fn every_fourth(remainders: &[u32]) -> String {
    let banks: Vec<u32> = (0..128).filter(|bank| remainders.contains(&(bank % 4))).collect();
    fresco_dram::color::format_list(&banks)
}

#[test]
fn tintmalloc_gives_each_thread_local_colors_of_its_own() {
    // TINT-13, TINT-14: thread 5 is the second one of node 1.
    // Bank bits 15 and 16 are LLC bits, too: half of the banks have pages of LLC colors 18 and 26.
    let half = every_fourth(&[2, 3]);
    let variants = [
        ("mem", ("40-47", "all")),
        ("llc", (half.as_str(), "18,26")),
        ("mem+llc", ("34-35,38-39,42-43,46-47", "18,26")),
        ("mem+llc(part)", ("40-47", "2-3,10-11,18-19,26-27")),
        ("llc+mem(part)", ("32-63", "18,26")),
    ];
    for (variant, expected) in variants {
        let tasks = sixteen(&format!("frames = \"tintmalloc\"\nvariant = \"{variant}\""));
        assert_eq!(colors(&tasks[5]), expected, "{variant}");
        assert!(tasks.iter().all(|task| task.pages.faults == 64), "{variant}");
        // TINT-16. Without bank colors nothing but the order of the zones keeps pages local, and that does.
        assert!(
            tasks
                .iter()
                .all(|task| task.pages.remote == 0 && task.pages.spilled == 0),
            "{variant}"
        );
    }
    let tasks = sixteen("frames = \"tintmalloc\"\nvariant = \"mem+llc\"\nllc_shares = \"cache\"");
    assert_eq!(colors(&tasks[5]), ("40-47", "5,13,21,29"));
}

#[test]
fn bpm_takes_pages_of_all_nodes() {
    let remote = |policy: &str| sixteen(policy).iter().map(|task| task.pages.remote).sum::<u64>();
    // TINT-17: of 16 times 64 pages three quarters, with the cache divided or not.
    assert_eq!(remote("frames = \"bpm\""), 768);
    assert_eq!(remote("frames = \"bpm\"\nllc = true"), 768);
    assert_eq!(remote("frames = \"soft\""), 768);
    assert_eq!(remote("frames = \"buddy\""), 0);
    let tasks = sixteen("frames = \"bpm\"\nllc = true");
    assert_eq!(colors(&tasks[1]), ("8,12,40,44,72,76,104,108", "2-3"));
    let tasks = sixteen("frames = \"cache-only\"");
    assert_eq!(colors(&tasks[15]), (every_fourth(&[3]).as_str(), "30-31"));
}

/// Four programs on the i7.
const FOUR: &str = r#"
name = "four"
machine = "i7-860-channels"
check = true
[policy]
POLICY
[measure]
operations = 500
[warm_up]
operations = 0
[[task]]
name = "t"
program = "random"
cores = "0-3"
parameters.bytes = "256 KiB"
"#;

#[test]
fn bpm_plus_divides_channels_and_their_banks() {
    let banks = |policy: &str| {
        let tasks = tasks(&FOUR.replace("POLICY", policy));
        tasks.iter().map(|task| task.banks.clone()).collect::<Vec<_>>()
    };
    assert_eq!(banks("frames = \"bpm+\""), ["0-15", "32-47", "16-31", "48-63"]);
    assert_eq!(banks("frames = \"channel-only\""), ["0-31", "32-63", "0-31", "32-63"]);
    // BPM-14: one channel without partitions.
    assert_eq!(banks("frames = \"channel-only\"\nchannels = 0"), ["0-31"; 4]);
    assert_eq!(banks("frames = \"bpm\""), ["0-15", "16-31", "32-47", "48-63"]);
    assert_eq!(
        banks("frames = \"palloc\"\nvariant = \"pb\""),
        ["0-15", "16-31", "32-47", "48-63"]
    );
    // PB+PC: two values of the three bits that banks and cache share.
    assert_eq!(
        banks("frames = \"palloc\"\nvariant = \"pb+pc\"")[0],
        "0-1,8-9,16-17,24-25,32-33,40-41,48-49,56-57"
    );
    // BPM-4 on the machine of the source, whose channels no page can choose.
    let interleaved = FOUR.replace("i7-860-channels", "i7-860");
    let four = tasks(&interleaved.replace("POLICY", "frames = \"bpm\""));
    assert_eq!(four[3].banks, "24-31");
    let error = refused(&interleaved.replace("POLICY", "frames = \"bpm+\""));
    assert!(error.contains("reads bit 6 inside the page"), "{error}");
}

#[test]
fn named_colors_stay_and_are_not_given_to_others() {
    let named = format!(
        "{}{}",
        FOUR.replace("POLICY", "frames = \"tintmalloc\"\nvariant = \"mem\"")
            .replace("0-3", "0-1"),
        "[[task]]\nname = \"own\"\nprogram = \"random\"\ncore = 2\nbanks = \"0-15\"\nparameters.bytes = \"64 KiB\"\n\
         [[task]]\nname = \"off\"\nprogram = \"random\"\ncore = 3\ncolors = 0\nparameters.bytes = \"64 KiB\"\n"
    );
    let banks: Vec<String> = tasks(&named).iter().map(|task| task.banks.clone()).collect();
    // Of the 48 colors that are left, of each class some.
    assert_eq!(banks, ["16-39", "40-63", "0-15", "none"]);
}

#[test]
fn a_task_has_the_same_colors_alone_and_in_company() {
    let text = FOUR.replace("POLICY", "frames = \"bpm\"").replace("0-3", "0")
        + "[[task]]\nname = \"bg\"\nrole = \"background\"\nprogram = \"strides\"\ncores = \"1-3\"\nparameters.bytes = \"1 MiB\"\n\
           [sweep]\ncorunners = [0, 3]\n";
    let result = results(&text);
    assert!(result.points.iter().all(|point| point.runs[0].tasks[0].banks == "0-15"));
}

#[test]
fn uncolored_tasks_have_libnumas_placements() {
    let remote = |memory: &str| {
        let text = SIXTEEN
            .replace("POLICY", "")
            .replace("cores = \"0-15\"", &format!("core = 0\n{memory}"));
        tasks(&text)[0].pages.remote
    };
    assert_eq!(remote("placement = \"local\""), 0);
    assert_eq!(remote("placement = \"interleave\""), 48);
    assert_eq!(remote("placement = \"interleave\"\nnodes = \"0,3\""), 32);
    assert_eq!(remote("placement = \"preferred\"\nnodes = 2"), 64);
    assert_eq!(remote("placement = \"bind\"\nnodes = \"0-1\""), 0);
}

#[test]
fn too_many_threads_are_told_how_many_fit() {
    let text = SIXTEEN.replace("POLICY", "frames = \"palloc\"\nvariant = \"pb+pc\"");
    let error = refused(&text);
    assert!(error.contains("16 threads") && error.contains("4 would fit"), "{error}");
    let scenario = Scenario::parse("test.toml", &text, data(), &["task.t.copies=4".to_owned()]);
    assert!(scenario.is_ok(), "copies count, corunners do not");
}
