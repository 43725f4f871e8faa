// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that marks its jobs, from the header to jobs of a periodic task.

use crate::common::{fresco, json, stdout};
use crate::record::cannot_record;
use std::process::Command;

#[test]
fn a_marked_region_is_shown_cut_and_replayed_as_jobs() {
    if cannot_record() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let header = stdout(&["record", "--print-header"], here);
    assert!(
        header.lines().count() <= 14 && header.contains("FRESCO_BEGIN"),
        "{header}"
    );
    std::fs::write(here.join("fresco_mark.h"), header).expect("writable");
    let source = "#include \"fresco_mark.h\"\nstatic volatile long area[1 << 14];\n\
                  static void fill(int count) { for (int i = 0; i < count; i++) area[i * 8 & 0x3fff] = i; }\n\
                  int main(void) { fill(50000); for (int job = 0; job < 4; job++) { FRESCO_BEGIN(job); fill(1000); FRESCO_END(job); fill(777); } return 0; }\n";
    std::fs::write(here.join("jobs.c"), source).expect("writable");
    let done = Command::new("gcc")
        .args(["-O2", "-static", "-o", "jobs", "jobs.c"])
        .current_dir(here)
        .output();
    let done = done.expect("gcc");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    stdout(&["record", "--quiet", "-o", "jobs.ftrace", "--", "./jobs"], here);
    let info = json(&["trace", "info", "jobs.ftrace", "--json"], here);
    let region = &info["data"]["regions"][0];
    assert_eq!(
        (
            region["region"].as_str(),
            region["times"].as_u64(),
            region["accesses"].as_u64()
        ),
        (Some("job"), Some(4), Some(4000))
    );
    assert!(stdout(&["trace", "info", "jobs.ftrace"], here).contains("regions"));

    stdout(
        &["trace", "cut", "jobs.ftrace", "-o", "job.ftrace", "--region", "job"],
        here,
    );
    let cut = json(&["trace", "info", "job.ftrace", "--json"], here);
    assert_eq!(cut["data"]["stores"].as_u64(), Some(4000));
    let wrong = fresco(
        &["trace", "cut", "jobs.ftrace", "-o", "no.ftrace", "--region", "jab"],
        here,
    );
    let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(2), "{told}");
    assert!(
        told.contains("has no region \"jab\"") && told.contains("did you mean job?"),
        "{told}"
    );
    let wrong = fresco(
        &["trace", "cut", "job.ftrace", "-o", "no.ftrace", "--region", "job"],
        here,
    );
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("marks no regions"));

    let scenario = "name = \"jobs\"\nmachine = \"xeon-w3530\"\nwarm_up.jobs = 1\nmeasure.jobs = 6\n[[task]]\nname = \"job\"\nprogram = \"trace\"\n\
                    core = 0\nperiod = \"1 ms\"\nparameters.file = \"job.ftrace\"\n";
    std::fs::write(here.join("jobs.toml"), scenario).expect("writable");
    let results = json(&["sim", "./jobs.toml", "--json"], here);
    let task = &results["data"]["scenarios"][0]["points"][0]["runs"][0]["tasks"][0];
    assert_eq!(task["jobs"]["completed"].as_u64(), Some(6), "{task}");
    // A thousand stores each, of which seven jobs were made.
    assert_eq!(task["operations"].as_u64(), Some(7000), "{task}");
}
