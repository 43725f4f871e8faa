// SPDX-License-Identifier: MIT OR Apache-2.0
//! Problem classes of NAS IS: sizes, and the ranks that five test keys must have (NPB 3 `is.c`).

/// One problem class.
#[derive(Debug)]
pub(crate) struct Class {
    /// Number of keys, as a power of two.
    pub keys_log2: u32,
    /// Keys are below two to this power.
    pub max_key_log2: u32,
    /// Number of buckets, as a power of two.
    pub buckets_log2: u32,
    /// For each test key: its index, its rank, and how the rank moves with the iteration.
    pub tests: [TestKey; 5],
}

/// A key whose rank is known. Each iteration replaces one small and one large key, so that the rank moves by one.
#[derive(Debug)]
pub(crate) struct TestKey {
    /// Index of the key.
    pub index: u32,
    rank: i64,
    step: i64,
    first: i64,
}

impl TestKey {
    /// The rank that must be found in `iteration` (1 to 10).
    pub fn rank(&self, iteration: i64) -> i64 {
        self.rank + self.step * (iteration - self.first)
    }
}

/// A rank that rises (`step` 1) or falls (−1) by one per iteration, counted from iteration `first`.
const fn key(index: u32, rank: i64, step: i64, first: i64) -> TestKey {
    TestKey {
        index,
        rank,
        step,
        first,
    }
}

/// Classes S, W, A and B: those that fit a simulation.
pub(crate) const CLASSES: &[Class] = &[
    // Class S
    Class {
        keys_log2: 16,
        max_key_log2: 11,
        buckets_log2: 9,
        tests: [
            key(48_427, 0, 1, 0),
            key(17_148, 18, 1, 0),
            key(23_627, 346, 1, 0),
            key(62_548, 64_917, -1, 0),
            key(4_431, 65_463, -1, 0),
        ],
    },
    // Class W
    Class {
        keys_log2: 20,
        max_key_log2: 16,
        buckets_log2: 10,
        tests: [
            key(357_773, 1_249, 1, 2),
            key(934_767, 11_698, 1, 2),
            key(875_723, 1_039_987, -1, 0),
            key(898_999, 1_043_896, -1, 0),
            key(404_505, 1_048_018, -1, 0),
        ],
    },
    // Class A
    Class {
        keys_log2: 23,
        max_key_log2: 19,
        buckets_log2: 10,
        tests: [
            key(2_112_377, 104, 1, 1),
            key(662_041, 17_523, 1, 1),
            key(5_336_171, 123_928, 1, 1),
            key(3_642_833, 8_288_932, -1, 1),
            key(4_250_760, 8_388_264, -1, 1),
        ],
    },
    // Class B
    Class {
        keys_log2: 25,
        max_key_log2: 21,
        buckets_log2: 10,
        tests: [
            key(41_869, 33_422_937, -1, 0),
            key(812_306, 10_244, 1, 0),
            key(5_102_857, 59_149, 1, 0),
            key(18_232_239, 33_135_281, -1, 0),
            key(26_860_214, 99, 1, 0),
        ],
    },
];
