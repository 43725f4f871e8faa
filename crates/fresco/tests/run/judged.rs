// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco verify` judges, and when.

use crate::common::{directory_with, fresco};
use crate::{MAP, memory_user, needs_coloring, program};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Instant;

#[test]
fn a_pool_that_is_being_collected_is_not_judged() {
    needs_coloring!();
    let directory = directory_with(&[("map.txt", MAP)]);
    let mut child = Command::new(program())
        .args([
            "run",
            "--map",
            "map.txt",
            "--colors",
            "banks=0-3",
            "--pool",
            "256M",
            "--",
        ])
        .arg(memory_user())
        .arg("4")
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let pid = child.id().to_string();
    let (mut collected, start) = (0, Instant::now());
    loop {
        assert!(start.elapsed().as_secs() < 60, "it has not begun");
        // Before it has become the program it has nothing to be judged by.
        let done = fresco(&["verify", &pid, "--json"], directory.path());
        let Ok(report) = serde_json::from_slice::<Value>(&done.stdout) else {
            continue;
        };
        let (data, total) = (&report["data"], &report["data"]["total"]);
        let mappings = data["mappings"].as_array().expect("a list");
        let pages = |kind: &str| -> u64 {
            let of_kind = mappings.iter().filter(|mapping| mapping["kind"] == kind);
            of_kind.filter_map(|mapping| mapping["pages"].as_u64()).sum()
        };
        // A loader and a stack, before there is a pool.
        assert!(total["outside"].as_u64() < Some(1000), "{total}");
        if pages("pool") > 0 && pages("covered") == 0 {
            collected += 1;
            assert_eq!(
                (total["pages"].as_u64(), done.status.code()),
                (Some(0), Some(0)),
                "{data}"
            );
        }
        let begun = pages("covered") >= 4 * 256;
        if begun {
            assert_eq!(total["pages"].as_u64(), Some(pages("covered")));
            break;
        }
    }
    assert!(collected > 0, "a gigabyte is looked at in no time");
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
}
