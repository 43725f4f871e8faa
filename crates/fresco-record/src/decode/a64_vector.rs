// SPDX-License-Identifier: MIT OR Apache-2.0
//! AArch64: the registers that instructions on vectors read, by the groups of C4.1.96 of the Arm Architecture Reference Manual (data
//! processing, scalar floating-point and advanced SIMD). Most replace their target; some add to it, or leave half of it.

use super::Registers;
use super::a64::{Word, v};

/// Places of the fields of registers.
const RD: u32 = 0;
const RN: u32 = 5;
const RA: u32 = 10;
const RM: u32 = 16;

/// What is read besides the first source.
#[derive(Clone, Copy)]
struct Reads {
    second: bool,
    target: bool,
}

/// One source.
const ONE: Reads = Reads {
    second: false,
    target: false,
};
/// Two sources.
const TWO: Reads = Reads {
    second: true,
    target: false,
};

impl Reads {
    /// The target too, if `target`.
    fn and(self, target: bool) -> Self {
        Self { target, ..self }
    }
}

/// The vector registers that an instruction on vectors reads, which is none of those between these and general registers.
pub(super) fn sources(word: Word) -> Registers {
    if word.bit(31) {
        return cryptographic(word);
    }
    let reads = match (word.bit(24), word.bit(10)) {
        (true, false) => return by_element(word),
        (true, true) => shift(word),
        (false, true) => same(word),
        (false, false) => others(word),
    };
    let second = if reads.second { word.v(RM) } else { 0 };
    let target = if reads.target { word.v(RD) } else { 0 };
    word.v(RN) | second | target | tables(word)
}

/// Returns true for one that writes the upper half of its target and leaves the lower one.
fn is_upper_half(word: Word) -> bool {
    word.bit(30) && !word.bit(28)
}

/// Three registers whose elements are alike.
fn same(word: Word) -> Reads {
    let unsigned = word.bit(29);
    if word.bit(21) {
        let size = word.bits(23, 22);
        return TWO.and(
            match word.bits(15, 11) {
                // bsl, bit, bif
                0b00011 => unsigned && size != 0,
                // saba, uaba, mla, mls
                0b01111 | 0b10010 => true,
                // fmla, fmls, fmlal2, fmlsl2
                0b11001 => true,
                // fmlal, fmlsl; facge, facgt
                0b11101 => !unsigned && !word.bit(22),
                _ => false,
            } && !(word.bits(15, 11) == 0b11101 && word.bit(28)),
        );
    }
    if word.bit(15) {
        // Products that are added, rounded, of dots, matrices and complex numbers; but fcadd.
        return TWO.and(!(unsigned && word.bits(14, 11) & 0b1101 == 0b1100));
    }
    if word.bits(22, 21) == 0b10 {
        // Of half precision: fmla, fmls.
        return TWO.and(!unsigned && word.bits(13, 11) == 0b001);
    }
    // dup of an element, as a scalar.
    ONE
}

/// Two registers, three whose elements differ, permutations, tables.
fn others(word: Word) -> Reads {
    if !word.bit(21) {
        let table = word.bits(29, 21) == 0b0_0111_0000 && !word.bit(15) && !word.bit(11);
        let hash = word.bits(31, 24) == 0b0101_1110;
        return match (table, hash) {
            // tbl, tbx: the second source has the places.
            (true, _) => TWO.and(word.bit(12)),
            (_, true) => TWO.and(true),
            // ext, zip, uzp, trn
            _ => TWO,
        };
    }
    if !word.bit(11) {
        return TWO.and(match word.bits(15, 12) {
            // addhn2, subhn2 and those that round
            0b0100 | 0b0110 => is_upper_half(word),
            // sabal, smlal, sqdmlal, smlsl, sqdmlsl and those without sign
            0b0101 | 0b1000 | 0b1001 | 0b1010 | 0b1011 => true,
            _ => false,
        });
    }
    let (group, operation) = (word.bits(21, 17), word.bits(16, 12));
    ONE.and(match group {
        // suqadd, sadalp; xtn2, sqxtn2, fcvtn2
        0b10000 => match operation {
            0b00011 | 0b00110 => true,
            0b10010 | 0b10100 | 0b10110 => is_upper_half(word),
            _ => false,
        },
        // aese, aesd; sha1su1, sha256su0
        0b10100 => match word.bit(28) {
            false => matches!(operation, 0b00100 | 0b00101),
            true => operation != 0,
        },
        _ => false,
    })
}

/// Shifts by a constant.
fn shift(word: Word) -> Reads {
    ONE.and(match word.bits(15, 11) {
        // ssra, srsra, sri
        0b00010 | 0b00110 | 0b01000 => true,
        // sli; shl
        0b01010 => word.bit(29),
        // shrn2 and alike
        0b10000..=0b10011 => is_upper_half(word),
        _ => false,
    })
}

/// A vector and one element of another one.
fn by_element(word: Word) -> Registers {
    let (unsigned, size, operation) = (word.bit(29), word.bits(23, 22), word.bits(15, 12));
    let replaces = match unsigned {
        // mul, fmul, smull, sqdmull, sqdmulh, sqrdmulh
        false => matches!(operation, 0b1000..=0b1101),
        // fmulx, umull
        true => matches!(operation, 0b1001 | 0b1010),
    };
    // Elements of 16 bits are of the lower registers alone.
    let dots = matches!((unsigned, operation), (_, 0b1110) | (false, 0b1111));
    let widens = matches!(
        (unsigned, operation),
        (false, 0b0000 | 0b0100) | (true, 0b1000 | 0b1100)
    );
    let half = match dots {
        true => size == 0b11,
        false => size < 0b10 || widens,
    };
    let second = v(word.field(RM) & if half { 15 } else { 31 });
    word.v(RN) | second | if replaces { 0 } else { word.v(RD) }
}

/// Further registers of a table.
fn tables(word: Word) -> Registers {
    let is_table = word.bits(29, 21) == 0b0_0111_0000 && !word.bit(15) && word.bits(11, 10) == 0;
    let more = if is_table { word.bits(14, 13) } else { 0 };
    (1..=more as u8)
        .map(|number| v(word.field(RN) + number))
        .fold(0, |all, one| all | one)
}

/// SHA3, SHA512, SM3, SM4.
fn cryptographic(word: Word) -> Registers {
    let (d, n, m) = (word.v(RD), word.v(RN), word.v(RM));
    match word.bits(28, 21) {
        // eor3, bcax, sm3ss1
        0b0111_0000..=0b0111_0010 => n | m | word.v(RA),
        // xar
        0b0111_0100 => n | m,
        // rax1
        0b0111_0011 if word.bits(15, 10) == 0b10_0011 => n | m,
        _ => n | m | d,
    }
}

#[cfg(test)]
mod tests {
    use super::super::a64::effect;
    use super::*;

    /// Registers, and instructions that need these: their encoding, and their text.
    type List = (&'static [u8], &'static [(u32, &'static str)]);

    #[test]
    fn what_vectors_are_made_of() {
        // As GNU as assembles them; the target is v1, but for those that have none.
        let lists: [List; 5] = [
            (
                &[2, 3],
                &[
                    (0x4ea3_8441, "add v1.4s, v2.4s, v3.4s"),
                    (0x4e63_d441, "fadd v1.2d, v2.2d, v3.2d"),
                    (0x4e63_9c41, "mul v1.8h, v2.8h, v3.8h"),
                    (0x6e23_1c41, "eor v1.16b, v2.16b, v3.16b"),
                    (0x4ea3_1c41, "orr v1.16b, v2.16b, v3.16b"),
                    (0x5f83_9041, "fmul s1, s2, v3.s[0]"),
                    (0x4fc3_9841, "fmul v1.2d, v2.2d, v3.d[1]"),
                    (0x4f33_9841, "fmul v1.8h, v2.8h, v3.h[7]"),
                    (0x6e23_8c41, "cmeq v1.16b, v2.16b, v3.16b"),
                    (0x6e23_ec41, "facge v1.4s, v2.4s, v3.4s"),
                    (0x6ea3_ec41, "facgt v1.4s, v2.4s, v3.4s"),
                    (0x4e23_e441, "fcmeq v1.4s, v2.4s, v3.4s"),
                    (0x7e23_ec41, "facge s1, s2, s3"),
                    (0x4e43_1441, "fadd v1.8h, v2.8h, v3.8h"),
                    (0x6e83_e441, "fcadd v1.4s, v2.4s, v3.4s, #90"),
                    (0x6e03_2041, "ext v1.16b, v2.16b, v3.16b, #4"),
                    (0x4e83_3841, "zip1 v1.4s, v2.4s, v3.4s"),
                    (0x4e43_5841, "uzp2 v1.8h, v2.8h, v3.8h"),
                    (0x4ec3_2841, "trn1 v1.2d, v2.2d, v3.2d"),
                    (0x0e63_0041, "saddl v1.4s, v2.4h, v3.4h"),
                    (0x4e63_c041, "smull2 v1.4s, v2.8h, v3.8h"),
                    (0x0e63_4041, "addhn v1.4h, v2.4s, v3.4s"),
                    (0x4ea3_bc41, "addp v1.4s, v2.4s, v3.4s"),
                    (0x4fa3_c041, "sqdmulh v1.4s, v2.4s, v3.s[1]"),
                    (0x4f53_d041, "sqrdmulh v1.8h, v2.8h, v3.h[1]"),
                    (0x0f73_a041, "smull v1.4s, v2.4h, v3.h[3]"),
                    (0x2fa3_a841, "umull v1.2d, v2.2s, v3.s[3]"),
                    (0x6fa3_9841, "fmulx v1.4s, v2.4s, v3.s[3]"),
                    (0x4e03_0041, "tbl v1.16b, {v2.16b}, v3.16b"),
                    (0x4ea3_4441, "sshl v1.4s, v2.4s, v3.4s"),
                    (0x0e23_e041, "pmull v1.8h, v2.8b, v3.8b"),
                    (0xce63_8c41, "rax1 v1.2d, v2.2d, v3.2d"),
                    (0xce83_1441, "xar v1.2d, v2.2d, v3.2d, #5"),
                ],
            ),
            (
                &[1, 2, 3],
                &[
                    (0x4e23_cc41, "fmla v1.4s, v2.4s, v3.4s"),
                    (0x4ee3_cc41, "fmls v1.2d, v2.2d, v3.2d"),
                    (0x4e43_0c41, "fmla v1.8h, v2.8h, v3.8h"),
                    (0x4ea3_9441, "mla v1.4s, v2.4s, v3.4s"),
                    (0x6e63_9441, "mls v1.8h, v2.8h, v3.8h"),
                    (0x4e23_7c41, "saba v1.16b, v2.16b, v3.16b"),
                    (0x2e23_5041, "uabal v1.8h, v2.8b, v3.8b"),
                    (0x0e63_8041, "smlal v1.4s, v2.4h, v3.4h"),
                    (0x6e63_a041, "umlsl2 v1.4s, v2.8h, v3.8h"),
                    (0x5e63_9041, "sqdmlal s1, h2, h3"),
                    (0x6e63_1c41, "bsl v1.16b, v2.16b, v3.16b"),
                    (0x6ea3_1c41, "bit v1.16b, v2.16b, v3.16b"),
                    (0x6ee3_1c41, "bif v1.16b, v2.16b, v3.16b"),
                    (0x4e63_4041, "addhn2 v1.8h, v2.4s, v3.4s"),
                    (0x6e63_6041, "rsubhn2 v1.8h, v2.4s, v3.4s"),
                    (0x4fa3_1041, "fmla v1.4s, v2.4s, v3.s[1]"),
                    (0x5fc3_5841, "fmls d1, d2, v3.d[1]"),
                    (0x4f13_1041, "fmla v1.8h, v2.8h, v3.h[1]"),
                    (0x6f73_0841, "mla v1.8h, v2.8h, v3.h[7]"),
                    (0x6fa3_4041, "mls v1.4s, v2.4s, v3.s[1]"),
                    (0x2f73_2041, "umlal v1.4s, v2.4h, v3.h[3]"),
                    (0x4fa3_7841, "sqdmlsl2 v1.2d, v2.4s, v3.s[3]"),
                    (0x4e83_9441, "sdot v1.4s, v2.16b, v3.16b"),
                    (0x6fa3_e041, "udot v1.4s, v2.16b, v3.4b[1]"),
                    (0x4e83_9c41, "usdot v1.4s, v2.16b, v3.16b"),
                    (0x4e83_a441, "smmla v1.4s, v2.16b, v3.16b"),
                    (0x6e83_8441, "sqrdmlah v1.4s, v2.4s, v3.4s"),
                    (0x6f73_f041, "sqrdmlsh v1.8h, v2.8h, v3.h[3]"),
                    (0x6e83_cc41, "fcmla v1.4s, v2.4s, v3.4s, #90"),
                    (0x4e23_ec41, "fmlal v1.4s, v2.4h, v3.4h"),
                    (0x6ea3_cc41, "fmlsl2 v1.4s, v2.4h, v3.4h"),
                    (0x6f93_8841, "fmlal2 v1.4s, v2.4h, v3.h[5]"),
                    (0x6e43_fc41, "bfdot v1.4s, v2.8h, v3.8h"),
                    (0x6ec3_fc41, "bfmlalt v1.4s, v2.8h, v3.8h"),
                    (0x4e03_1041, "tbx v1.16b, {v2.16b}, v3.16b"),
                    (0x5e03_4041, "sha256h q1, q2, v3.4s"),
                    (0x5e03_3041, "sha1su0 v1.4s, v2.4s, v3.4s"),
                    (0xce63_8041, "sha512h q1, q2, v3.2d"),
                ],
            ),
            (
                &[2],
                &[
                    (0x4ea0_b841, "abs v1.4s, v2.4s"),
                    (0x6ea0_b841, "neg v1.4s, v2.4s"),
                    (0x6e20_5841, "not v1.16b, v2.16b"),
                    (0x6ea0_f841, "fneg v1.4s, v2.4s"),
                    (0x4e21_d841, "scvtf v1.4s, v2.4s"),
                    (0x4ef9_b841, "fcvtzs v1.8h, v2.8h"),
                    (0x4eb1_b841, "addv s1, v2.4s"),
                    (0x7e30_d841, "faddp s1, v2.2s"),
                    (0x4e60_2841, "saddlp v1.4s, v2.8h"),
                    (0x0e61_2841, "xtn v1.4h, v2.4s"),
                    (0x5e61_4841, "sqxtn h1, s2"),
                    (0x0e61_6841, "fcvtn v1.2s, v2.2d"),
                    (0x7e61_6841, "fcvtxn s1, d2"),
                    (0x0e21_7841, "fcvtl v1.4s, v2.4h"),
                    (0x2e61_3841, "shll v1.4s, v2.4h, #16"),
                    (0x4f23_5441, "shl v1.4s, v2.4s, #3"),
                    (0x5f43_5441, "shl d1, d2, #3"),
                    (0x6f3d_0441, "ushr v1.4s, v2.4s, #3"),
                    (0x0f13_a441, "sshll v1.4s, v2.4h, #3"),
                    (0x0f1d_8441, "shrn v1.4h, v2.4s, #3"),
                    (0x5f1d_9441, "sqshrn h1, s2, #3"),
                    (0x4f3d_e441, "scvtf v1.4s, v2.4s, #3"),
                    (0x4ea0_9841, "cmeq v1.4s, v2.4s, #0"),
                    (0x4ea0_e841, "fcmlt v1.4s, v2.4s, #0.0"),
                    (0x4e20_5841, "cnt v1.16b, v2.16b"),
                    (0x4ea0_0841, "rev64 v1.4s, v2.4s"),
                    (0x4e0c_0441, "dup v1.4s, v2.s[1]"),
                    (0x5e0c_0441, "dup s1, v2.s[1]"),
                    (0x4e28_6841, "aesmc v1.16b, v2.16b"),
                    (0x5e28_0841, "sha1h s1, s2"),
                ],
            ),
            (
                &[1, 2],
                &[
                    (0x4f3d_1441, "ssra v1.4s, v2.4s, #3"),
                    (0x7f7d_3441, "ursra d1, d2, #3"),
                    (0x6f3d_4441, "sri v1.4s, v2.4s, #3"),
                    (0x6f23_5441, "sli v1.4s, v2.4s, #3"),
                    (0x4f1d_8441, "shrn2 v1.8h, v2.4s, #3"),
                    (0x6f1d_9c41, "uqrshrn2 v1.8h, v2.4s, #3"),
                    (0x4e61_2841, "xtn2 v1.8h, v2.4s"),
                    (0x6e61_2841, "sqxtun2 v1.8h, v2.4s"),
                    (0x6e61_4841, "uqxtn2 v1.8h, v2.4s"),
                    (0x4e61_6841, "fcvtn2 v1.4s, v2.2d"),
                    (0x4e60_6841, "sadalp v1.4s, v2.8h"),
                    (0x4ea0_3841, "suqadd v1.4s, v2.4s"),
                    (0x7e20_3841, "usqadd b1, b2"),
                    (0x4e28_4841, "aese v1.16b, v2.16b"),
                    (0x4e28_5841, "aesd v1.16b, v2.16b"),
                    (0x5e28_1841, "sha1su1 v1.4s, v2.4s"),
                    (0x5e28_2841, "sha256su0 v1.4s, v2.4s"),
                    (0x6e0c_4441, "mov v1.s[1], v2.s[2]"),
                ],
            ),
            (
                &[2, 3, 4],
                &[
                    (0xce03_1041, "eor3 v1.16b, v2.16b, v3.16b, v4.16b"),
                    (0x4e04_2041, "tbl v1.16b, {v2.16b, v3.16b}, v4.16b"),
                ],
            ),
        ];
        for (sources, instructions) in lists {
            let expected = sources.iter().fold(0, |all, number| all | v(*number));
            for (word, text) in instructions {
                let found = effect(&word.to_le_bytes());
                assert_eq!((found.data, found.writes), (expected, v(1)), "{text}");
            }
        }
    }
}
