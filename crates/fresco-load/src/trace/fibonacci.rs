// SPDX-License-Identifier: MIT OR Apache-2.0
//! A hash of numbers that costs little.

use std::hash::Hasher;

/// Multiplies: keys are places in memory, and nobody chooses them to collide but at his own cost.
#[derive(Default)]
pub(crate) struct Fibonacci(u64);

impl Hasher for Fibonacci {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte) ^ self.0);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20);
    }
}
