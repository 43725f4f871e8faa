// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings made of plain files, in place of the kernel's: what the kernel puts into a new folder is missing there, and is
//! read as nothing.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;

/// A directory that goes away with the test: settings of a machine with two processors, and a cgroup.
pub(crate) struct Fake(pub(crate) PathBuf);

impl Fake {
    pub(crate) fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("fresco-memguard-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let fake = Self(root);
        for (file, text) in [
            ("memguard/active", "0\n"),
            ("memguard/source", "llc-misses\n"),
            ("memguard/period_us", "1000\n"),
            ("memguard/cpus/0/budget", "none\n"),
            ("memguard/cpus/0/kind", "hard\n"),
            ("memguard/cpus/1/budget", "none\n"),
            ("memguard/cpus/1/kind", "soft\n"),
            ("memguard/nodes/0/guaranteed", "0\n"),
        ] {
            fake.write(file, text);
        }
        fs::create_dir_all(fake.0.join("memguard/groups")).expect("writable");
        fs::create_dir_all(fake.0.join("cgroups")).expect("writable");
        fake
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::at(&self.0.join("memguard"), Some(&self.0.join("cgroups"))).expect("it is there")
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().expect("has one")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    pub(crate) fn read(&self, file: &str) -> String {
        crate::settings::text(&self.0.join(file))
    }

    /// A group of ours whose process has ended, with its keeper; it had reserved processor 1.
    fn left_over(&self) {
        self.write("cgroups/fresco-1/cgroup.procs", "4194305\n");
        self.write("memguard/groups/fresco-1/cgroup", "/fresco-1\n");
        self.write("memguard/groups/fresco-1/budget", "70\n");
        fs::create_dir_all(self.0.join("memguard/groups/fresco-1/cpu1-soft")).expect("writable");
        fs::create_dir_all(self.0.join("memguard/groups/fresco-began")).expect("writable");
        self.write("memguard/cpus/1/budget", "40\n");
        self.write("memguard/cpus/1/kind", "hard\n");
        self.write("memguard/active", "1\n");
    }

    /// All files and folders, with what the files say.
    fn all(&self) -> Vec<(PathBuf, String)> {
        let folders = tree::all_below(&self.0).into_iter();
        let mut all: Vec<(PathBuf, String)> = folders
            .flat_map(|folder| fs::read_dir(folder).expect("readable").flatten())
            .map(|entry| (entry.path(), crate::settings::text(&entry.path())))
            .collect();
        all.sort();
        all
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// 500 MB/s in periods of 1 ms.
fn half() -> Asked {
    Asked {
        budget: Budget::of(500_000_000, 1000, 1),
        reserved: None,
    }
}

fn reserves(cpus: &[u32], lines: u64) -> Asked {
    let each = Budget { lines, period_us: 1000 };
    Asked {
        budget: None,
        reserved: Some((cpus.to_vec(), each)),
    }
}

fn make(tree: &Tree, asked: Asked, name: &str) -> Result<Group, MemguardRefusal> {
    let lock = tree.lock().expect("nobody has it");
    tidy(&lock, tree);
    let group = Group::new(tree, asked, name)?;
    group.make(&lock)?;
    Ok(group)
}

#[test]
fn bandwidth_is_lines_of_a_period_rounded_down() {
    // 500 MB/s are 7,812.5 lines of 64 bytes in 1 ms.
    let budget = Budget::of(500_000_000, 1000, 1).expect("more than a line");
    assert_eq!((budget.lines, budget.bytes_per_s()), (7812, 499_968_000));
    assert_eq!(budget.to_string(), "7812 lines in each period of 1000 us, 499968 kB/s");
    assert_eq!(Budget::of(500_000_000, 1000, 2).map(|budget| budget.lines), Some(3906));
    assert_eq!(
        Budget::of(640_000, 100, 1),
        Some(Budget {
            lines: 1,
            period_us: 100
        })
    );
    assert_eq!(Budget::of(639_999, 100, 1), None);
    assert_eq!(least_bytes_per_s(100, 1), 640_000);
    // 64 bytes in 3 us are 21,333,333.3 bytes per second: the least is rounded up, so that it is enough.
    assert_eq!(least_bytes_per_s(3, 1), 21_333_334);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_budget_is_never_more_than_was_asked_for_and_less_by_a_line_of_each_part_at_most(
        bytes in 1u64..=10_000_000_000_000, period in 100u64..=1_000_000, parts in 1u64..=256,
    ) {
        let least = least_bytes_per_s(period, parts);
        match Budget::of(bytes, period, parts) {
            None => prop_assert!(bytes < least),
            Some(budget) => {
                prop_assert!(bytes >= least);
                let all = Budget { lines: budget.lines * parts, ..budget };
                prop_assert!(all.bytes_per_s() <= bytes);
                let more = Budget { lines: (budget.lines + 1) * parts + 1, ..budget };
                prop_assert!(more.bytes_per_s() >= bytes);
            }
        }
    }
}

#[test]
fn a_group_is_made_entered_and_removed_and_all_is_as_before() {
    let fake = Fake::new("group");
    let (tree, own) = (fake.tree(), std::process::id());
    let before = fake.all();
    let group = make(&tree, half(), "7").expect("it can be");
    assert_eq!(fake.read("memguard/groups/fresco-7/cgroup"), "/fresco-7");
    assert_eq!(fake.read("memguard/groups/fresco-7/budget"), "7812");
    assert_eq!(fake.read("memguard/active"), "1");
    assert!(group.is_empty());
    group.enter(own).expect("it is there");
    assert!(!group.is_empty());
    let budget = Budget {
        lines: 7812,
        period_us: 1000,
    };
    assert_eq!(tree.budget_of_process(own), Some(budget));
    // A group above with less.
    fake.write("memguard/groups/all/cgroup", "/\n");
    fake.write("memguard/groups/all/budget", "5\n");
    assert_eq!(tree.budget_of_process(own), Some(Budget { lines: 5, ..budget }));
    fs::remove_dir_all(fake.0.join("memguard/groups/all")).expect("ours");
    // We live in it, so that it is no left-over, and the second one's end is not that of all.
    make(&tree, half(), "8").expect("it can be").remove();
    assert_eq!(budgets(&tree), ["groups/fresco-7"]);
    assert!(tree.is_active());
    group.remove();
    assert_eq!(fake.all(), before);
    assert_eq!(tree.budget_of_process(own), None);
}

#[test]
fn what_was_active_before_stays_so() {
    let fake = Fake::new("active");
    fake.write("memguard/active", "1\n");
    fake.write("memguard/cpus/0/budget", "9\n");
    let before = fake.all();
    make(&fake.tree(), half(), "7").expect("it can be").remove();
    assert_eq!(fake.all(), before);
    // Begun for a group, and somebody has set a budget meanwhile: it is not ended.
    fake.write("memguard/active", "0\n");
    fake.write("memguard/cpus/0/budget", "none\n");
    let group = make(&fake.tree(), half(), "7").expect("it can be");
    fake.write("memguard/cpus/0/budget", "9\n");
    group.remove();
    assert!(fake.tree().is_active());
    // With the last budget it is, by who comes next.
    fake.write("memguard/cpus/0/budget", "none\n");
    let tree = fake.tree();
    tidy(&tree.lock().expect("nobody has it"), &tree);
    assert!(!tree.is_active());
    assert!(!fake.0.join("memguard/groups/fresco-began").exists());
}

#[test]
fn budgets_of_others_that_do_not_hold_yet_are_not_put_in_force() {
    let fake = Fake::new("waiting");
    fake.write("memguard/cpus/1/budget", "9\n");
    fake.write("memguard/groups/theirs/budget", "9\n");
    let before = fake.all();
    let refused = make(&fake.tree(), half(), "7");
    let expected = MemguardRefusal::Waiting(vec!["cpus/1".to_owned(), "groups/theirs".to_owned()]);
    assert_eq!(refused, Err(expected));
    assert_eq!(fake.all(), before);
}

#[test]
fn processors_are_reserved_and_restored_to_what_they_were() {
    let fake = Fake::new("reserved");
    let before = fake.all();
    let group = make(&fake.tree(), reserves(&[0, 1], 40), "7").expect("it can be");
    for cpu in ["0", "1"] {
        assert_eq!(fake.read(&format!("memguard/cpus/{cpu}/budget")), "40");
        assert_eq!(fake.read(&format!("memguard/cpus/{cpu}/kind")), "hard");
    }
    assert!(
        !fake.0.join("memguard/groups/fresco-7/budget").exists(),
        "its tasks are only counted"
    );
    group.enter(std::process::id()).expect("it is there");
    let beside = make(&fake.tree(), reserves(&[1], 40), "8");
    assert_eq!(beside, Err(MemguardRefusal::Reserved(1, 40)));
    let strange = make(&fake.tree(), reserves(&[9], 40), "8");
    assert_eq!(strange, Err(MemguardRefusal::NoProcessor(9)));
    group.remove();
    assert_eq!(fake.all(), before);
}

#[test]
fn what_killed_keepers_have_left_goes_first() {
    let fake = Fake::new("left");
    let before = fake.all();
    fake.left_over();
    let tree = fake.tree();
    assert_eq!(budgets(&tree), [""; 0], "nobody has one any more");
    // A dry run finds nothing in the way.
    Group::new(&tree, reserves(&[1], 40), "7").expect("it could be");
    make(&tree, reserves(&[1], 40), "7").expect("it can be").remove();
    assert_eq!(fake.all(), before);
}

#[test]
fn a_reservation_that_fails_half_way_leaves_nothing() {
    let fake = Fake::new("half");
    // A processor whose budget cannot be written.
    fs::remove_file(fake.0.join("memguard/cpus/1/budget")).expect("there");
    fs::create_dir(fake.0.join("memguard/cpus/1/budget")).expect("writable");
    fake.write("memguard/nodes/0/guaranteed", "50\n");
    fake.write("memguard/nodes/0/reserved", "40\n");
    let before = fake.all();
    let refused = make(&fake.tree(), reserves(&[0, 1], 40), "7").expect_err("it cannot be written");
    let told = refused.to_string();
    assert!(
        told.starts_with(
            "memguard: reserving 40 lines of processor 1; node 0 guarantees 50 lines, of which 40 are reserved"
        ),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1);
    assert_eq!(fake.all(), before);
}

#[test]
fn a_group_of_another_process_of_this_number_is_left_alone() {
    let fake = Fake::new("other");
    let own = std::process::id();
    fake.write("cgroups/elsewhere/fresco-7/cgroup.procs", &format!("{own}\n"));
    fake.write("memguard/groups/fresco-7/cgroup", "/elsewhere/fresco-7\n");
    fake.write("memguard/groups/fresco-7/budget", "9\n");
    fake.write("memguard/active", "1\n");
    let before = fake.all();
    let tree = fake.tree();
    let group = Group::new(&tree, half(), "7").expect("nothing is missing");
    let lock = tree.lock().expect("nobody has it");
    tidy(&lock, &tree);
    let refused = group.make(&lock).expect_err("there is one");
    assert!(
        matches!(&refused, MemguardRefusal::Denied(what, ..) if what == "making a group"),
        "{refused}"
    );
    group.remove();
    assert_eq!(fake.all(), before);
}

#[test]
fn a_group_whose_cgroup_cannot_be_looked_at_is_no_left_over() {
    let fake = Fake::new("unseen");
    fake.left_over();
    let seen = fake.tree();
    assert!(!seen.is_alive(&fake.0.join("memguard/groups/fresco-1")));
    // The folder of cgroups is not there.
    let unseen = Tree::at(&fake.0.join("memguard"), Some(&fake.0.join("none"))).expect("it is there");
    assert!(unseen.is_alive(&fake.0.join("memguard/groups/fresco-1")));
    let before = fake.all();
    tidy(&unseen.lock().expect("nobody has it"), &unseen);
    assert_eq!(fake.all(), before);
    assert_eq!(Group::new(&unseen, half(), "7"), Err(MemguardRefusal::NoCgroups));
}

#[test]
fn a_module_that_goes_is_told_and_leaves_no_cgroup() {
    let fake = Fake::new("gone");
    let tree = fake.tree();
    let group = make(&tree, half(), "7").expect("it can be");
    fs::remove_dir_all(fake.0.join("memguard")).expect("ours");
    assert!(matches!(tree.lock(), Err(MemguardRefusal::Denied(..))));
    assert!(matches!(tree.period_us(), Err(MemguardRefusal::Strange(..))));
    assert_eq!(group.told(), [""; 0]);
    group.remove();
    assert!(!fake.0.join("cgroups/fresco-7").exists());
    assert!(!fake.0.join("memguard").exists());
}

#[test]
fn what_was_used_is_told() {
    let fake = Fake::new("told");
    let asked = Asked {
        budget: Some(Budget {
            lines: 10,
            period_us: 1000,
        }),
        ..reserves(&[1], 40)
    };
    fake.write(
        "memguard/cpus/1/stat",
        "periods 5\nused 100\nexhausted 2\nover 0\nheld_ns 1000000\n",
    );
    let group = make(&fake.tree(), asked, "7").expect("it can be");
    fake.write(
        "memguard/groups/fresco-7/stat",
        "periods 20\nused 180\nexhausted 17\nover 1\novershoot 3\nsleeps 17\n",
    );
    fake.write(
        "memguard/cpus/1/stat",
        "periods 25\nused 300\nexhausted 6\nover 1\nheld_ns 9999999\nnew\n",
    );
    let expected = [
        "used 180 lines in 20 periods, all of its 10 in 17 of them; beyond that in 1, by 3 at most; held 17 times",
        "processor 1 used 200 lines in 20 periods, all of its reservation in 4 of them; beyond that in 1; held for 8 ms",
    ];
    assert_eq!(group.told(), expected);
    group.remove();
}

#[test]
fn why_there_is_no_module_is_told() {
    assert_eq!(Tree::at(&PathBuf::from("/nowhere"), None), None);
    assert!(
        MemguardRefusal::NotLoaded
            .to_string()
            .contains("insmod kernel/memguard/memguard.ko")
    );
    assert!(MemguardRefusal::NotMounted.to_string().contains("mount -t configfs"));
    let little = MemguardRefusal::TooLittle {
        least: least_bytes_per_s(100, 2),
        period_us: 100,
        parts: 2,
    };
    assert!(
        little
            .to_string()
            .contains("the least is 1280 kB/s, a line of each on each of 2 processors"),
        "{little}"
    );
}
