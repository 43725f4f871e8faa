// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colors each thread gets, on the machines of the papers.

use crate::common::{machine, xeon};
use fresco_dram::ColorSpace;
use fresco_frames::ColorSet;
use fresco_frames::shares::{Divide, Seat, Share, Taken, Tint, Variant, by_overlap, channels, equal, tintmalloc};
use std::sync::Arc;

/// Four nodes of 32 banks, bits 15, 16, 18 and two of ranges; the cache indexed by bits up to 16 (MAP-3, CON-4).
fn opteron() -> Arc<ColorSpace> {
    machine(4, 32, &[15, 16, 18, 30, 31], 6..17).space()
}

/// 32 bank colors of bits 13 to 15, 21 and 22 (MAP-9).
fn i7() -> Arc<ColorSpace> {
    machine(1, 33, &[13, 14, 15, 21, 22], 6..19).space()
}

/// Cores of the Opteron: four on a node, eight on a cache.
fn seats(cores: &[u32]) -> Vec<Seat> {
    let seat = |&core: &u32| Seat {
        node: core / 4,
        cache: core / 8,
    };
    cores.iter().map(seat).collect()
}

const VARIANTS: [Variant; 5] = [
    Variant::Mem,
    Variant::Llc,
    Variant::MemLlc,
    Variant::MemLlcPart,
    Variant::LlcMemPart,
];

/// TINT-15.
fn placements() -> [(&'static str, Vec<u32>); 5] {
    [
        ("16 threads on 4 nodes", (0..16).collect()),
        ("8 threads on 4 nodes", vec![0, 1, 4, 5, 8, 9, 12, 13]),
        ("8 threads on 2 nodes", (0..8).collect()),
        ("4 threads on 4 nodes", vec![0, 4, 8, 12]),
        ("4 threads on 1 node", (0..4).collect()),
    ]
}

fn published(space: &ColorSpace, cores: &[u32], variant: Variant) -> Vec<Share> {
    let shares = tintmalloc(space, &seats(cores), Tint::published(variant), &Taken::default());
    shares.unwrap_or_else(|error| panic!("{error}"))
}

fn words(set: &Option<ColorSet>) -> String {
    set.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string)
}

/// No two different sets meet.
fn are_disjoint(sets: &[&Option<ColorSet>], may_be_equal: bool) -> bool {
    let set = |at: usize| sets[at].as_ref().expect("has colors of its own");
    (0..sets.len()).all(|a| (0..a).all(|b| set(a).is_disjoint(set(b)) || may_be_equal && set(a) == set(b)))
}

#[test]
fn sixteen_threads_of_the_opteron() {
    let space = opteron();
    let all: Vec<u32> = (0..16).collect();
    let both = published(&space, &all, Variant::MemLlc);
    // TINT-14: two LLC colors each. Threads 0 and 1 of a node have its first channel, 2 and 3 the second one. Thread 1 has the
    // last two of the four values of bits 15 and 16, in banks and in the cache: bank colors 2, 3, 6, 7 … of 16, LLC colors
    // of 16 to 31, of which eight threads have two each, one for either value.
    assert_eq!(words(&both[1].banks), "2-3,6-7,10-11,14-15");
    assert_eq!(words(&both[1].llc), "16,24");
    assert_eq!(words(&both[2].banks), "16-17,20-21,24-25,28-29");
    assert_eq!(words(&both[5].banks), "34-35,38-39,42-43,46-47");
    assert_eq!(words(&both[5].llc), "18,26");
    // Twice what the colors 2i and 2i + 1 have with an equal part of the banks (CON-5).
    assert!(both.iter().all(|share| share.pairs(&space) == 8));
    let naive = Share {
        banks: Some((8..16).collect()),
        llc: Some(ColorSet::from_iter([2, 3])),
    };
    assert_eq!(naive.pairs(&space), 4);

    // MEM+LLC(part): eight LLC colors for each group of four, of every class two.
    let part = published(&space, &all, Variant::MemLlcPart);
    assert_eq!(words(&part[0].llc), "0-1,8-9,16-17,24-25");
    assert!(part[..4].iter().all(|share| share.llc == part[0].llc));
    assert_eq!(words(&part[0].banks), "0-7");
    // LLC+MEM(part): the four threads of a node share its banks.
    let part = published(&space, &all, Variant::LlcMemPart);
    assert_eq!(
        (words(&part[7].banks), words(&part[7].llc)),
        ("32-63".into(), "19,27".into())
    );
    // MEM and LLC alone leave the other to all.
    let mem = published(&space, &all, Variant::Mem);
    assert_eq!(
        (words(&mem[15].banks), words(&mem[15].llc)),
        ("120-127".into(), "all".into())
    );
    let llc = published(&space, &all, Variant::Llc);
    assert_eq!((words(&llc[0].banks), words(&llc[0].llc)), ("all".into(), "0,8".into()));
}

#[test]
fn every_placement_gives_every_thread_as_much_as_the_others() {
    let space = opteron();
    for (name, cores) in placements() {
        for variant in VARIANTS {
            let shares = published(&space, &cores, variant);
            let threads = cores.len();
            for (share, core) in shares.iter().zip(&cores) {
                // TINT-16: banks of the local controller.
                let node = |bank| space.node_of_color(bank) == core / 4;
                assert!(
                    share.banks.as_ref().is_none_or(|banks| banks.iter().all(node)),
                    "{name} {variant:?}"
                );
                // TINT-14: 32 LLC colors divided by threads, or by four groups.
                let llc = share.llc.as_ref().map_or(32, ColorSet::len);
                let expected = match variant {
                    Variant::Mem => 32,
                    Variant::MemLlcPart => 8,
                    _ => 32 / threads,
                };
                assert_eq!(llc, expected, "{name} {variant:?}");
            }
            // Every bank that a thread has for itself goes with some of its LLC colors.
            for share in shares.iter().filter(|_| variant != Variant::LlcMemPart) {
                let goes = |bank| {
                    (0..32).any(|llc| {
                        share.llc.as_ref().is_none_or(|own| own.contains(llc)) && space.pair_exists(bank, llc)
                    })
                };
                assert!(
                    share.banks.as_ref().is_none_or(|banks| banks.iter().all(goes)),
                    "{name} {variant:?}"
                );
            }
            let pairs: Vec<u64> = shares.iter().map(|share| share.pairs(&space)).collect();
            assert!(
                pairs[0] > 0 && pairs.iter().all(|&count| count == pairs[0]),
                "{name} {variant:?} {pairs:?}"
            );
            let banks: Vec<_> = shares.iter().map(|share| &share.banks).collect();
            let llc: Vec<_> = shares.iter().map(|share| &share.llc).collect();
            if variant != Variant::Llc {
                assert!(
                    are_disjoint(&banks, variant == Variant::LlcMemPart),
                    "{name} {variant:?}"
                );
            }
            if variant != Variant::Mem {
                assert!(are_disjoint(&llc, variant == Variant::MemLlcPart), "{name} {variant:?}");
            }
            println!(
                "{name}, {variant:?}: {} pairs; thread 0 has banks {}, LLC {}",
                pairs[0],
                words(banks[0]),
                words(llc[0])
            );
        }
    }
}

#[test]
fn llc_colors_may_be_private_to_the_cores_of_a_cache_only() {
    let space = opteron();
    let tint = Tint {
        by_cache: true,
        ..Tint::published(Variant::MemLlc)
    };
    let all: Vec<u32> = (0..16).collect();
    let shares = tintmalloc(&space, &seats(&all), tint, &Taken::default()).unwrap();
    assert!(
        shares
            .iter()
            .all(|share| share.llc.as_ref().unwrap().len() == 4 && share.pairs(&space) == 8)
    );
    assert_eq!(shares[0].llc, shares[8].llc, "another socket's cache");
    let of_cache: Vec<_> = shares[..8].iter().map(|share| &share.llc).collect();
    assert!(are_disjoint(&of_cache, false));
}

#[test]
fn what_cannot_be_private_is_told_with_what_would_fit() {
    let space = opteron();
    let crowd = |count: u32, variant| {
        let seats = vec![Seat { node: 1, cache: 0 }; count as usize];
        tintmalloc(&space, &seats, Tint::published(variant), &Taken::default())
    };
    assert!(
        crowd(32, Variant::Mem).is_ok()
            && crowd(32, Variant::MemLlc).is_ok()
            && crowd(64, Variant::LlcMemPart).is_err()
    );
    let error = crowd(33, Variant::Mem).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no colors of their own for 33 threads: 33 threads or groups would share the 32 free bank colors of node 1; 32 would fit"
    );
    let error = crowd(40, Variant::Llc).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no colors of their own for 40 threads: 40 threads or groups would share the 32 free LLC colors; 32 would fit"
    );
    // Nine threads of one class each: node 0 has eight banks of a class, of four.
    let error = equal(&space, 33, Divide::BanksAndLlc, &Taken::default()).unwrap_err();
    assert_eq!((error.threads, error.fit), (33, 32));
    // Colors that others have by name are not given away, and what they leave may have no pair.
    let taken = Taken {
        banks: (36..64).collect(),
        llc: (0..24).collect(),
    };
    let error = tintmalloc(
        &space,
        &[Seat { node: 1, cache: 0 }; 2],
        Tint::published(Variant::Mem),
        &taken,
    );
    assert!(
        error.is_err_and(|error| error.fit == 1),
        "one bank is left in the class that the cache leaves"
    );
}

#[test]
fn bpm_shares_out_equally_and_knows_no_nodes() {
    // BPM-4: 32 colors are eight each for four programs, four each for eight.
    for (threads, each) in [(4, 8), (8, 4)] {
        let shares = equal(&i7(), threads, Divide::Banks, &Taken::default()).unwrap();
        assert!(shares.iter().all(|share| share.banks.as_ref().unwrap().len() == each));
        let banks: Vec<_> = shares.iter().map(|share| &share.banks).collect();
        assert!(are_disjoint(&banks, false));
        assert_eq!(words(banks[1]), if threads == 4 { "8-15" } else { "4-7" });
    }
    // TINT-17: the same banks of every node.
    let shares = equal(&opteron(), 16, Divide::Banks, &Taken::default()).unwrap();
    assert_eq!(words(&shares[1].banks), "2-3,34-35,66-67,98-99");
    let shares = equal(&opteron(), 16, Divide::BanksAndLlc, &Taken::default()).unwrap();
    assert_eq!(
        (words(&shares[1].banks), words(&shares[1].llc)),
        ("8,12,40,44,72,76,104,108".into(), "2-3".into())
    );
    assert!(shares.iter().all(|share| share.pairs(&opteron()) == 16));
    let cache = equal(&i7(), 4, Divide::Llc, &Taken::default()).unwrap();
    assert_eq!(
        (words(&cache[3].banks), words(&cache[3].llc)),
        ("all".into(), "96-127".into())
    );
}

#[test]
fn palloc_has_patterns() {
    // PAL-10: private banks by the upper bits, private banks and cache by the lower ones (PAL-12).
    let pattern = |text| Some(ColorSet::from_bit_pattern(text).unwrap());
    let space = xeon().space();
    let banks = equal(&space, 4, Divide::Banks, &Taken::default()).unwrap();
    let both = by_overlap(&space, 4, &Taken::default()).unwrap();
    for (number, (pb, pc)) in [("00XX", "XX00"), ("01XX", "XX01"), ("10XX", "XX10"), ("11XX", "XX11")]
        .iter()
        .enumerate()
    {
        assert_eq!(
            (&banks[number].banks, &both[number].banks),
            (&pattern(pb), &pattern(pc))
        );
    }
    let error = by_overlap(&space, 5, &Taken::default()).unwrap_err();
    assert_eq!((error.threads, error.fit), (5, 4));
}

#[test]
fn threads_take_channels_in_turn() {
    // Bank colors 0 to 31 of channel 0, 32 to 63 of channel 1.
    let space = machine(1, 33, &[13, 14, 15, 21, 22, 32], 6..19).space();
    let of_channel = [(0..32).collect::<Vec<u32>>(), (32..64).collect()];
    let plus = channels(&space, 4, &of_channel, true, &Taken::default()).unwrap();
    let banks: Vec<String> = plus.iter().map(|share| words(&share.banks)).collect();
    assert_eq!(banks, ["0-15", "32-47", "16-31", "48-63"]);
    let only = channels(&space, 3, &of_channel, false, &Taken::default()).unwrap();
    let banks: Vec<String> = only.iter().map(|share| words(&share.banks)).collect();
    assert_eq!(banks, ["0-31", "32-63", "0-31"]);
    let error = channels(&space, 66, &of_channel, true, &Taken::default()).unwrap_err();
    assert_eq!(error.fit, 64);
}
