// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of a core: each is a core of its own with its share.

use fresco_machine::{Machine, load_with};

fn load(machine: &str, overrides: &[(&str, &str)]) -> Result<Machine, String> {
    let owned: Vec<_> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    load_with(machine, &owned).map_err(|error| error.to_string())
}

#[test]
fn two_threads_share_a_core_of_nehalem() {
    let machine = load("i7-860", &[("core.threads", "2")]).expect("it divides");
    let core = &machine.core;
    assert_eq!(
        (machine.cores, core.issue_width, core.window, core.mshrs),
        (8, 2, 64, 5)
    );
    let shape = |cache: Option<&fresco_machine::CacheConfig>| cache.map(|cache| (cache.size, cache.ways, cache.sets()));
    assert_eq!(shape(machine.l1.as_ref()), Some((16 << 10, 4, 64)));
    assert_eq!(shape(machine.l2.as_ref()), Some((128 << 10, 4, 512)));
    let llc = machine.llc.expect("it has one");
    assert_eq!((llc.cores_per_cache, llc.cache.size), (8, 8 << 20));
    assert_eq!(machine.topology.node_of_core, [0; 8]);
}

#[test]
fn the_threads_of_a_core_are_neighbors_at_its_node() {
    let machine = load("opteron-6128", &[]).expect("it is built in");
    let cores = machine.topology.node_of_core;
    let threads = [
        ("core.threads", "2"),
        ("core.issue_width", "4"),
        ("core.window", "64"),
        ("core.mshrs", "8"),
    ];
    let machine = load("opteron-6128", &threads).expect("it divides");
    let doubled: Vec<u32> = cores.iter().flat_map(|node| [*node, *node]).collect();
    assert_eq!(machine.topology.node_of_core, doubled);
}

#[test]
fn one_thread_is_the_core_itself() {
    let (plain, one) = (load("i7-860", &[]), load("i7-860", &[("core.threads", "1")]));
    let (plain, one) = (plain.expect("it is built in"), one.expect("it divides"));
    assert_eq!((plain.cores, plain.core, plain.l2), (one.cores, one.core, one.l2));
}

#[test]
fn what_cannot_be_shared_is_refused() {
    for (machine, overrides, expected) in [
        (
            "i7-860",
            &[("core.threads", "4")][..],
            "core.mshrs: found 10, which 4 threads cannot share",
        ),
        (
            "i7-860",
            &[("core.threads", "2"), ("l1.ways", "1")],
            "l1.ways: found 1, which 2 threads cannot share",
        ),
        ("i7-860", &[("core.threads", "9")], "core.threads: found the integer 9"),
        (
            "i7-860",
            &[
                ("core.threads", "2"),
                ("cores", "1024"),
                ("llc.cores_per_cache", "1024"),
            ],
            "cores: found 1024 cores of 2 threads",
        ),
        (
            "gem5-2core",
            &[
                ("core.kind", "in-order"),
                ("core.window", "1"),
                ("core.mshrs", "1"),
                ("core.threads", "2"),
            ],
            "core.threads: found the integer 2",
        ),
    ] {
        let refused = load(machine, overrides).map(|machine| machine.name);
        let told = refused.expect_err("it cannot be shared");
        assert!(told.contains(expected), "{told}");
    }
}
