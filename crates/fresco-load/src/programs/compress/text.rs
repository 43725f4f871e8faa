// SPDX-License-Identifier: MIT OR Apache-2.0
//! The input of the compressor: words of a small language, so that there is something to compress.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Words of the language.
const WORDS: usize = 1024;

/// `bytes` bytes of words of 2 to 9 letters with a space after each; the word of rank r comes about as often as 1 / r,
/// as in natural languages.
pub(super) fn create(bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut word = |_| {
        let letters = random.random_range(2..=9);
        let mut word: Vec<u8> = (0..letters).map(|_| random.random_range(b'a'..=b'z')).collect();
        word.push(b' ');
        word
    };
    let words: Vec<Vec<u8>> = (0..WORDS).map(&mut word).collect();
    let mut text = Vec::with_capacity(bytes + 10);
    while text.len() < bytes {
        // Each power of two of ranks is as likely as any other.
        let order = random.random_range(0..WORDS.ilog2());
        text.extend_from_slice(&words[random.random_range(1usize << order..2 << order)]);
    }
    text.truncate(bytes);
    text
}
