// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::passes::Passes;
use crate::testing::{cases, one_pass, run};
use proptest::prelude::*;

/// The codes of 9 bits that `packed` begins with.
fn nine_bit_codes(packed: &[u8]) -> Vec<u32> {
    let bit = |i: usize| u32::from(packed[i / 8] >> (i % 8) & 1);
    (0..packed.len() * 8 / 9)
        .map(|k| (0..9).map(|i| bit(9 * k + i) << i).sum())
        .collect()
}

#[test]
fn the_textbook_example() {
    // T, O, B, E, O, R, N, O, T, then TO, BE, OR, TOB, EO, RN, OT by the codes that they got in this order.
    let mut kernel = Compress::new(b"TOBEORNOTTOBEORTOBEORNOT".to_vec(), 12);
    one_pass(&mut kernel);
    let mut codes: Vec<u32> = b"TOBEORNOT".iter().map(|&byte| u32::from(byte)).collect();
    codes.extend([257, 259, 261, 266, 260, 262, 264]);
    assert_eq!(nine_bit_codes(&kernel.output.data[..kernel.written]), codes);
    assert_eq!(kernel.written, (16 * 9usize).div_ceil(8));
    assert_eq!(kernel.verify(), Ok(()));
}

#[test]
fn a_string_that_ends_in_itself() {
    // a, aa, aaa and so on: the code of each is written just after it was defined.
    let mut kernel = Compress::new(vec![b'a'; 10], 9);
    one_pass(&mut kernel);
    assert_eq!(
        nine_bit_codes(&kernel.output.data[..kernel.written]),
        [97, 257, 258, 259]
    );
    assert_eq!(kernel.verify(), Ok(()));
}

#[test]
fn text_shrinks_and_comes_back() {
    for bits in [9, 12, 16] {
        let mut kernel = Compress::new(text::create(40_000, 3), bits);
        one_pass(&mut kernel);
        assert_eq!(kernel.verify(), Ok(()));
        let first = kernel.output.data.clone();
        one_pass(&mut kernel);
        assert_eq!(
            (kernel.verify(), &kernel.output.data),
            (Ok(()), &first),
            "passes are alike"
        );
        assert!(bits == 9 || kernel.written < 24_000, "{} at {bits}", kernel.written);
    }
}

#[test]
fn operations_follow_from_the_output() {
    let (bytes, bits) = (3000, 12);
    let mut kernel = Compress::new(text::create(bytes, 1), bits);
    one_pass(&mut kernel);
    let (written, entries) = (kernel.written, (kernel.next - FIRST) as usize);
    let run = run(Looped::new(
        Compress::new(text::create(bytes, 1), bits),
        Passes::new(1, 2),
    ));
    assert_eq!(run.marks(), (1, 2, 1));
    let ops = run.ops();
    let of = |size: u8, write: bool| ops.iter().filter(|op| (op.size, op.write) == (size, write)).count();
    assert_eq!(of(1, false), 3 * bytes);
    assert_eq!(of(1, true), 3 * written);
    // The table is emptied, then filled; every byte but the first either finds a code or defines one.
    assert_eq!(of(4, true), 3 * ((2 << bits) + entries));
    assert_eq!((of(2, true), of(2, false)), (3 * entries, 3 * (bytes - 1 - entries)));
    let probes = of(4, false) as f64 / (3 * (bytes - 1)) as f64;
    assert!((1.0..1.5).contains(&probes), "{probes} probes per byte");
    assert!(ops.iter().filter(|op| !op.write && op.size > 1).all(|op| op.dep > 0));
}

#[test]
fn a_wrong_byte_or_a_lost_one_is_found() {
    let mut kernel = Compress::new(text::create(5000, 2), 12);
    one_pass(&mut kernel);
    kernel.text.data[4000] ^= 1;
    assert_eq!(
        kernel.verify(),
        Err("byte 4000 is not what it was before compression".into())
    );
    kernel.text.data[4000] ^= 1;
    kernel.written -= 2;
    assert!(kernel.verify().unwrap_err().ends_with(" of 5000 bytes come back"));
    kernel.output.data[..3].copy_from_slice(&[0x61, 0xfe, 0xff]);
    assert_eq!(kernel.verify(), Err("code 511 at bit 9 is not defined".into()));
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn any_text_comes_back(text in prop::collection::vec(0u8..4, 1..6000), spread in 1u8..64, bits in 9u32..=16) {
        let mut kernel = Compress::new(text.iter().map(|byte| byte * spread).collect(), bits);
        for _ in 0..2 {
            one_pass(&mut kernel);
            prop_assert_eq!(kernel.verify(), Ok(()));
        }
    }
}
