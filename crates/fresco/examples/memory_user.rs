// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program for the tests of `fresco run`, which knows nothing of colors: `memory_user MIB [THREADS]` fills so much
//! memory, says `ready`, waits for its input to end, checks the memory and says its sum. When an allocation fails it
//! gives one back, as it needs some memory to say so, and goes on with what it has.

use std::io::Read;

/// Bytes of an allocation.
const BLOCK: usize = 1 << 20;

/// Allocates and fills; the blocks that were to be had, and whether those were all.
fn fill(blocks: usize, seed: usize) -> (Vec<Vec<u8>>, bool) {
    let mut got = Vec::new();
    for index in 0..blocks {
        let mut block = Vec::new();
        if block.try_reserve_exact(BLOCK).is_err() {
            got.pop();
            return (got, false);
        }
        block.resize(BLOCK, ((seed + index) % 251) as u8);
        got.push(block);
    }
    (got, true)
}

fn main() {
    let mut words = std::env::args()
        .skip(1)
        .map(|word| word.parse::<usize>().expect("a number"));
    let blocks = words.next().expect("MiB");
    let threads = words.next().unwrap_or(1);
    let workers: Vec<_> = (0..threads)
        .map(|seed| std::thread::spawn(move || fill(blocks / threads, seed)))
        .collect();
    let filled: Vec<_> = workers
        .into_iter()
        .map(|worker| worker.join().expect("no panic"))
        .collect();
    if filled.iter().any(|(_, all)| !all) {
        println!("refused");
    }
    println!("ready");
    std::io::stdin().read_to_end(&mut Vec::new()).expect("readable");
    let bytes = filled.iter().flat_map(|(blocks, _)| blocks).flatten();
    println!("sum {}", bytes.map(|&byte| u64::from(byte)).sum::<u64>());
}
