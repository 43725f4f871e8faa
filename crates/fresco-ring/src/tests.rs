// SPDX-License-Identifier: MIT OR Apache-2.0

use crate::layout::{DEFINITIONS, WORDS};
use crate::{Guest, Host};
use std::collections::BTreeMap;
use std::time::Duration;

fn both() -> (Host, Guest) {
    let host = Host::new().expect("memory");
    let guest = Guest::open(&host.path()).expect("the same memory");
    (host, guest)
}

/// All words by stream, until `over` says that nothing comes any more.
fn collect(host: &mut Host, mut over: impl FnMut() -> bool) -> BTreeMap<u32, Vec<u64>> {
    let mut all: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    loop {
        let (seen, last) = (host.filled(), over());
        let taken = host.take_full(|_, taken| all.entry(taken.stream).or_default().extend(taken.words));
        if last {
            host.take_rest(|_, taken| all.entry(taken.stream).or_default().extend(taken.words));
            return all;
        }
        if taken == 0 {
            host.wait(seen, Duration::from_millis(5));
        }
    }
}

#[test]
fn threads_that_write_faster_than_is_read_lose_nothing_and_keep_their_order() {
    let (mut host, guest) = both();
    const COUNT: u64 = 3_000_000;
    let threads: Vec<_> = (0..3)
        .map(|slot| {
            guest.begin(slot, 0);
            std::thread::spawn(move || {
                for i in 0..COUNT {
                    guest.push(slot, i * 3 + slot as u64);
                }
                guest.end(slot);
            })
        })
        .collect();
    let all = collect(&mut host, || threads.iter().all(std::thread::JoinHandle::is_finished));
    for thread in threads {
        thread.join().expect("no panic");
    }
    assert_eq!(all.len(), 3);
    for (stream, words) in all {
        assert_eq!(words.len() as u64, COUNT, "stream {stream}");
        assert!(
            words
                .iter()
                .enumerate()
                .all(|(i, word)| *word == i as u64 * 3 + u64::from(stream))
        );
    }
}

#[test]
fn what_was_written_is_there_when_the_writer_is_gone() {
    let (mut host, guest) = both();
    guest.begin(5, 0);
    let words: Vec<u64> = (0..WORDS as u64 * 2 + 100).collect();
    words.iter().for_each(|word| guest.push(5, *word));
    // Neither end() nor anything else: as after SIGKILL.
    let all = collect(&mut host, || true);
    assert_eq!(all[&0], words);
}

#[test]
fn definitions_are_read_before_their_segment_is_full() {
    let (mut host, guest) = both();
    guest.begin(DEFINITIONS, 0);
    let mut read = Vec::new();
    for round in 0..5000u64 {
        guest.push_all(DEFINITIONS, &[round, round + 1, round + 2]);
        if round % 7 == 0 {
            host.take_definitions(|taken| read.extend_from_slice(taken.words));
            assert_eq!(read.len() as u64, (round + 1) * 3);
            host.take_full(|_, taken| read.extend_from_slice(taken.words));
        }
    }
    host.take_rest(|_, taken| read.extend_from_slice(taken.words));
    let expected: Vec<u64> = (0..5000).flat_map(|round| [round, round + 1, round + 2]).collect();
    assert_eq!(read, expected);
}

#[test]
fn a_slot_that_is_used_again_is_another_stream() {
    let (mut host, guest) = both();
    for life in 0..3 {
        guest.begin(7, life);
        assert_eq!(guest.woken(7), life);
        guest.push(7, life);
        guest.end(7);
    }
    let all = collect(&mut host, || true);
    assert_eq!(all, BTreeMap::from([(0, vec![0]), (1, vec![1]), (2, vec![2])]));
}

#[test]
fn a_writer_goes_on_without_a_word_when_nothing_is_recorded_any_more() {
    let (mut host, guest) = both();
    guest.begin(0, 0);
    (0..WORDS as u64 + 100).for_each(|word| guest.push(0, word));
    host.close();
    (0..WORDS as u64 * 2000).for_each(|word| guest.push(0, WORDS as u64 + 100 + word));
    assert!(guest.is_closed());
    // What was written before is there, and what came after up to the end of the segment.
    let words = &collect(&mut host, || true)[&0];
    assert!(words.len() > WORDS + 100 && words.len() < WORDS * 2);
    assert!(words.iter().enumerate().all(|(i, word)| *word == i as u64));
}

#[test]
fn a_forked_child_does_not_write_into_its_parents_memory() {
    let (mut host, guest) = both();
    guest.begin(0, 0);
    guest.push(0, 1);
    // SAFETY: the child calls nothing but what follows.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a forked child has one thread.
        let detached = unsafe { guest.detach() };
        (0..WORDS as u64 * 3).for_each(|word| guest.push(0, word));
        // SAFETY: ends the process.
        unsafe { libc::_exit(i32::from(detached.is_err())) };
    }
    let mut status = -1;
    // SAFETY: a variable of ours.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(status, 0);
    guest.push(0, 2);
    assert_eq!(collect(&mut host, || true)[&0], [1, 2]);
}

#[test]
fn a_forked_child_hears_that_it_is_to_end() {
    let (host, guest) = both();
    // SAFETY: the child calls nothing but what follows.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a forked child has one thread.
        let detached = unsafe { guest.detach() };
        let sees = guest.sees_reader();
        let waited = (0..10_000).find(|_| {
            std::thread::sleep(Duration::from_millis(1));
            guest.is_over()
        });
        // SAFETY: ends the process.
        unsafe { libc::_exit(i32::from(detached.is_err() || !sees || waited.is_none())) };
    }
    assert!(!guest.is_over() && !host.has_enough());
    host.end_children();
    let mut status = -1;
    // SAFETY: a variable of ours.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(status, 0);
    guest.enough();
    assert!(host.has_enough());
    drop(host);
    assert!(guest.sees_reader());
}

#[test]
fn foreign_memory_is_refused() {
    let file = std::env::temp_dir().join(format!("fresco-ring-{}", std::process::id()));
    std::fs::write(&file, b"something else").expect("writable");
    assert!(Guest::open(&file).is_err());
    std::fs::File::create(&file)
        .and_then(|empty| empty.set_len(crate::layout::BYTES as u64))
        .expect("writable");
    let error = Guest::open(&file).err().expect("no magic");
    std::fs::remove_file(&file).expect("ours");
    assert!(error.to_string().contains("of this version"));
    let host = Host::new().expect("memory");
    // SAFETY: mapped as long as the host lives.
    let guest = unsafe { Guest::over(host.memory()) };
    assert!(guest.sees_reader());
}
