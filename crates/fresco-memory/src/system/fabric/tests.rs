// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits by themselves: who passes when.

use super::*;

/// Four cores in two clusters at one node, lines of 64 bytes.
fn fabric(text: &[(&str, &str)]) -> Fabric {
    let overrides: Vec<_> = text
        .iter()
        .map(|(key, value)| ((*key).into(), (*value).into()))
        .collect();
    let text = fresco_machine::builtin_text("xeon-w3530").expect("is built in");
    let machine = Machine::parse("test.toml", text, &overrides).expect("is valid");
    Fabric::new(&machine, 2, 64, &[0]).expect("has limits")
}

fn line(core: u32, access: Access) -> Passing {
    Passing {
        core,
        line: PhysAddr(0),
        access,
        slot: 0,
        location: Location::default(),
    }
}

/// Time in picoseconds and core of everything that passes.
fn all(fabric: &mut Fabric) -> Vec<(Ps, u32)> {
    std::iter::from_fn(|| fabric.pass(1_000_000))
        .map(|(at, passing)| (at, passing.core))
        .collect()
}

#[test]
fn lines_pass_at_the_rate() {
    // 64 GB/s: a line per nanosecond. 150 GB/s: one per 426 2/3 ps, which do not add up to an error.
    let mut one = fabric(&[("fabric.node.traffic", "\"64 GB/s\"")]);
    (0..3).for_each(|_| one.wait(500, line(0, Access::Read)));
    assert_eq!(all(&mut one), [(500, 0), (1500, 0), (2500, 0)]);
    let mut fast = fabric(&[("fabric.node.traffic", "\"150 GB/s\"")]);
    (0..301).for_each(|_| fast.wait(0, line(0, Access::Read)));
    assert_eq!(all(&mut fast).last(), Some(&(128_001, 0)));
}

#[test]
fn who_was_served_least_recently_goes_first() {
    let mut fabric = fabric(&[("fabric.node.traffic", "\"64 GB/s\"")]);
    (0..4).for_each(|_| fabric.wait(0, line(1, Access::Read)));
    assert_eq!(fabric.pass(0).map(|(at, _)| at), Some(0));
    assert!(fabric.pass(999).is_none());
    // Core 3 asks once, behind three lines of core 1: it waits for the line under way alone.
    fabric.wait(100, line(3, Access::Read));
    assert_eq!(all(&mut fabric), [(1000, 3), (2000, 1), (3000, 1), (4000, 1)]);
}

/// A line that its own limits would have let pass long ago comes after the one before it, at the same time at the earliest.
#[test]
fn a_line_passes_no_earlier_than_the_one_before_it() {
    let text = fresco_machine::builtin_text("opteron-6128").expect("is built in");
    let overrides = [("fabric.node.traffic".into(), "\"64 GB/s\"".into())];
    let machine = Machine::parse("test.toml", text, &overrides).expect("is valid");
    let mut fabric = Fabric::new(&machine, 2, 64, &[]).expect("has limits");
    let to_node = |core: u32, node: u32| Passing {
        location: Location {
            node,
            ..Location::default()
        },
        ..line(core, Access::Read)
    };
    // Node 1 is idle, but the second line of core 1 waits behind one for node 0.
    for (core, node) in [(0, 0), (1, 0), (1, 1)] {
        fabric.wait(0, to_node(core, node));
    }
    assert_eq!(all(&mut fabric), [(0, 0), (1000, 1), (1000, 1)]);
}

#[test]
fn reads_and_writes_have_limits_apart_and_clusters_their_own() {
    let mut apart = fabric(&[
        ("fabric.node.reads", "\"64 GB/s\""),
        ("fabric.node.writes", "\"32 GB/s\""),
    ]);
    for access in [Access::Read, Access::Write] {
        (0..2).for_each(|_| apart.wait(0, line(0, access)));
    }
    let passed: Vec<_> = std::iter::from_fn(|| apart.pass(9999))
        .map(|(at, p)| (at, p.access))
        .collect();
    let (read, write) = (Access::Read, Access::Write);
    assert_eq!(passed, [(0, read), (0, write), (1000, read), (2000, write)]);

    // Of both together a written line may take more: here as much as one and a half that are read.
    let mut costly = fabric(&[
        ("fabric.node.traffic", "\"64 GB/s\""),
        ("fabric.node.write_cost", "150"),
    ]);
    for access in [Access::Write, Access::Read, Access::Read] {
        costly.wait(0, line(0, access));
    }
    assert_eq!(all(&mut costly), [(0, 0), (1000, 0), (2500, 0)]);

    // Cores 0 and 1 share a cluster, 2 has another one.
    let mut clusters = fabric(&[("fabric.cluster.traffic", "\"64 GB/s\"")]);
    (0..3).for_each(|core| clusters.wait(0, line(core, Access::Read)));
    assert_eq!(all(&mut clusters), [(0, 0), (0, 2), (1000, 1)]);

    // The tighter of two limits holds.
    let mut both = fabric(&[
        ("fabric.cluster.traffic", "\"64 GB/s\""),
        ("fabric.node.traffic", "\"32 GB/s\""),
    ]);
    (0..3).for_each(|_| both.wait(0, line(0, Access::Read)));
    assert_eq!(all(&mut both), [(0, 0), (2000, 0), (4000, 0)]);
}

#[test]
fn without_limits_there_is_none() {
    let machine = fresco_machine::builtin("xeon-w3530").expect("is built in");
    assert!(Fabric::new(&machine, 4, 64, &[]).is_none());
}
