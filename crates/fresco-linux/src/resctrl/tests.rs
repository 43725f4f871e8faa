// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees made of plain files, in place of the kernel's.

use super::*;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory that goes away with the test.
struct Fake(PathBuf);

impl Fake {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("fresco-resctrl-{}-{name}", std::process::id()));
        for (file, text) in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("has one")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        Self(root)
    }

    fn tree(&self) -> Tree {
        Tree::at(&self.0, &self.0.join("proc")).expect("has schemata")
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Two sockets, eleven ways, bandwidth held by the kernel.
const TWO: [(&str, &str); 6] = [
    ("schemata", "    MB:0=4294967295;1=4294967295\n    L3:0=7ff;1=7ff\n"),
    ("tasks", ""),
    ("info/L3/cbm_mask", "7ff\n"),
    ("info/L3/min_cbm_bits", "2\n"),
    ("info/MB/min_bandwidth", "10\n"),
    ("proc/cpuinfo", "vendor_id : GenuineIntel\n"),
];

fn limits(ways: Option<&[u32]>, bytes_per_s: Option<u64>) -> Limits {
    Limits {
        ways: ways.map(<[u32]>::to_vec),
        bytes_per_s,
    }
}

fn lines(fake: &Fake, limits: &Limits, cpus: &[u32]) -> Result<String, ResctrlRefusal> {
    Abilities::of(&fake.tree(), &fake.0.join("proc")).lines(limits, cpus, &fake.0.join("cpu"))
}

#[test]
fn ways_and_bandwidth_in_the_file_systems_own_numbers() {
    let caches = [("cpu/cpu0/cache/index3/id", "0\n"), ("cpu/cpu1/cache/index3/id", "1\n")];
    let fake = Fake::new("two", &[&TWO[..], &caches].concat());
    // 1000 MB/s are 953.67 MiB/s: 953 on one socket, 476 on each of two. Never more than asked for.
    let billion = limits(None, Some(1_000_000_000));
    assert_eq!(lines(&fake, &billion, &[0]).as_deref(), Ok("MB:0=953\n"));
    assert_eq!(lines(&fake, &billion, &[0, 1]).as_deref(), Ok("MB:0=476;1=476\n"));
    // A processor that tells nothing of its cache: wherever it is, the sum holds.
    assert_eq!(lines(&fake, &billion, &[7]).as_deref(), Ok("MB:0=476;1=476\n"));
    let both = limits(Some(&[2, 3, 4]), Some(1 << 20));
    assert_eq!(lines(&fake, &both, &[1]).as_deref(), Ok("L3:0=1c;1=1c\nMB:1=1\n"));
    let little = lines(&fake, &limits(None, Some((2 << 20) - 1)), &[0, 1]);
    assert_eq!(little, Err(ResctrlRefusal::TooLittle(2 << 20)));
}

#[test]
fn ways_that_the_cache_does_not_take_are_refused_with_those_it_does() {
    let fake = Fake::new("ways", &TWO);
    for ways in [&[3][..], &[2, 4], &[10, 11], &[]] {
        let refusal = lines(&fake, &limits(Some(ways), None), &[0]).expect_err("no such mask");
        assert_eq!(
            refusal,
            ResctrlRefusal::Ways("2 or more of 0-10, side by side".to_owned()),
            "{ways:?}"
        );
    }
    fs::write(fake.0.join("info/L3/sparse_masks"), "1\n").expect("writable");
    assert_eq!(
        lines(&fake, &limits(Some(&[2, 4]), None), &[0]).as_deref(),
        Ok("L3:0=14;1=14\n")
    );
}

#[test]
fn the_unit_of_bandwidth_is_found_out_and_per_cent_are_no_bytes() {
    let amd = ("proc/cpuinfo", "vendor_id : AuthenticAMD\n");
    let percent = ("schemata", "MB:0=100\n");
    let asked = limits(None, Some(1_000_000_000));
    for (name, files, expected) in [
        ("percent", vec![percent], Err(ResctrlRefusal::PerCent)),
        (
            "event",
            vec![percent, ("mba_MBps_event", "mbm_local_bytes\n")],
            Ok("MB:0=953\n"),
        ),
        (
            "mounted",
            vec![
                percent,
                ("proc/mounts", "resctrl /sys/fs/resctrl resctrl rw,mba_MBps 0 0\n"),
            ],
            Ok("MB:0=953\n"),
        ),
        ("amd", vec![("schemata", "MB:0=2048\n"), amd], Ok("MB:0=8\n")),
        // Absolute values of a processor that nobody knows are not guessed at.
        ("other", vec![("schemata", "MB:0=2048\n")], Err(ResctrlRefusal::PerCent)),
        (
            "ways only",
            vec![("schemata", "L3:0=fff\n")],
            Err(ResctrlRefusal::NoBandwidth),
        ),
    ] {
        let fake = Fake::new(name, &files);
        assert_eq!(lines(&fake, &asked, &[0]), expected.map(str::to_owned), "{name}");
        let ways = lines(&fake, &limits(Some(&[0]), None), &[0]);
        assert_eq!(ways, Err(ResctrlRefusal::NoWays), "{name}");
    }
}

#[test]
fn why_there_is_no_tree() {
    let fake = Fake::new(
        "none",
        &[
            ("proc/filesystems", "nodev\tsysfs\n"),
            ("other/filesystems", "nodev\tresctrl\n"),
        ],
    );
    assert_eq!(Tree::at(&fake.0, &fake.0.join("proc")), Err(ResctrlRefusal::Unknown));
    assert_eq!(
        Tree::at(&fake.0, &fake.0.join("other")),
        Err(ResctrlRefusal::NotMounted)
    );
    assert!(ResctrlRefusal::NotMounted.to_string().contains("mount -t resctrl"));
    assert_eq!(
        Tree::at(Path::new("/nowhere"), Path::new("/nowhere")),
        Err(ResctrlRefusal::Unknown)
    );
}

#[test]
fn a_class_is_made_entered_and_removed_and_left_overs_go_first() {
    let fake = Fake::new("class", &TWO);
    let tree = fake.tree();
    // Of a program that was killed with its keeper; and one of somebody else's.
    for name in ["fresco-1-0", "others"] {
        fs::create_dir(fake.0.join(name)).expect("writable");
        fs::write(fake.0.join(name).join("tasks"), "4194305\n").expect("writable");
    }
    let lock = lock(&tree).expect("nobody has it");
    let asked = limits(Some(&[0, 1]), Some(500_000_000));
    tidy(&lock, &tree);
    let class = Class::make(&lock, &tree, &asked, "7", &[]).expect("it can be");
    assert_eq!(
        tree.classes(),
        [fake.0.join("others")],
        "what nobody has entered is no class yet"
    );
    assert!(class.is_empty());
    let own = std::process::id();
    class.enter(own).expect("it exists");
    assert_eq!(tree.class_of(own), Some(fake.0.join("fresco-7")));
    assert!(!class.is_empty());
    let applied = Abilities::of(&tree, &fake.0.join("proc")).limits_of(&tree.schemata(class.path()));
    // 238 MiB/s on each of two sockets.
    assert_eq!(applied, limits(Some(&[0, 1]), Some((2 * 238) << 20)));
    let everybody = Abilities::of(&tree, &fake.0.join("proc")).limits_of(&tree.schemata(tree.root()));
    assert!(everybody.is_none());
    // We live in it, so that it is no left-over.
    tidy(&lock, &tree);
    let second = Class::make(&lock, &tree, &asked, "8", &[]).expect("it can be");
    assert!(class.path().is_dir());
    second.remove();
    class.remove();
    assert_eq!(tree.classes(), [fake.0.join("others")]);
}

#[test]
fn nothing_is_left_of_a_class_that_cannot_be() {
    let fake = Fake::new("refused", &TWO);
    let tree = fake.tree();
    let lock = lock(&tree).expect("nobody has it");
    let refused = Class::make(&lock, &tree, &limits(Some(&[40]), None), "9", &[]);
    assert!(matches!(refused, Err(ResctrlRefusal::Ways(_))), "{refused:?}");
    assert!(!fake.0.join("fresco-9").exists());
}
