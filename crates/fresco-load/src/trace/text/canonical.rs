// SPDX-License-Identifier: MIT OR Apache-2.0
//! The short way for the commonest line: DRAMsim3's, spelt as its own tools spell it.

use super::memory_lines::MemoryLine;
use super::scan::HEX;

/// Bytes looked at; more than the longest canonical line has (47).
const VIEW: usize = 64;
/// Digits that certainly fit 64 bits.
const HEX_DIGITS: usize = 16;
const DECIMAL_DIGITS: usize = 19;

/// The line at the beginning of `text`, and its length with the line end, if it is spelt `0xADDR READ CYCLE` or
/// `0xADDR WRITE CYCLE` with single blanks and a plain line feed. `None` for everything else, right or wrong, and near
/// the end of `text`: the caller then takes the long way, which also finds the faults.
#[inline]
pub(crate) fn canonical_dramsim3(text: &[u8]) -> Option<(MemoryLine, usize)> {
    let text: &[u8; VIEW] = text.first_chunk()?;
    if text[..2] != *b"0x" {
        return None;
    }
    let (mut at, mut addr) = (2, 0u64);
    while at < 2 + HEX_DIGITS && HEX[usize::from(text[at])] != 0xff {
        addr = addr << 4 | u64::from(HEX[usize::from(text[at])]);
        at += 1;
    }
    let write = match (at > 2, &text[at..at + 6]) {
        (true, b" READ ") => false,
        (true, b" WRITE") if text[at + 6] == b' ' => true,
        _ => return None,
    };
    at += 6 + usize::from(write);
    let (digits, mut arrival) = (at, 0u64);
    while at < digits + DECIMAL_DIGITS && text[at].is_ascii_digit() {
        arrival = arrival * 10 + u64::from(text[at] - b'0');
        at += 1;
    }
    let complete = at > digits && text[at] == b'\n';
    complete.then_some((MemoryLine { arrival, addr, write }, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::text::dramsim3;
    use proptest::prelude::*;

    /// `line` with enough behind it for the short way.
    fn short(line: &str) -> Option<(MemoryLine, usize)> {
        canonical_dramsim3(&[line.as_bytes(), &[b'x'; VIEW]].concat())
    }

    #[test]
    fn only_canonical_lines_go_the_short_way() {
        let line = |arrival, addr, write| MemoryLine { arrival, addr, write };
        assert_eq!(short("0x40 READ 7\n"), Some((line(7, 64, false), 12)));
        let longest = "0xffffffffffffffff WRITE 9999999999999999999\n";
        assert_eq!(
            short(longest),
            Some((line(9_999_999_999_999_999_999, u64::MAX, true), 45))
        );
        for other in [
            "40 READ 7\n",
            "0x READ 7\n",
            "0x40  READ 7\n",
            "0x40 READ 7\r\n",
            "0x40 READ 7 \n",
            "0x40 READ \n",
        ] {
            assert_eq!(short(other), None, "{other:?}");
        }
        assert_eq!(short("0x10000000000000000 READ 7\n"), None);
        assert_eq!(short("0x40 READ 10000000000000000000\n"), None);
        assert_eq!(canonical_dramsim3(b"0x40 READ 7\n"), None, "too near the end");
    }

    proptest! {
        #![proptest_config(crate::testing::cases(1024))]

        #[test]
        fn the_short_way_finds_what_the_long_way_finds(line in "0x[0-9a-fA-F]{0,18}[ x](READ|WRITE|read|REA)[ x][0-9]{0,21}[\n \r]") {
            if let Some((found, length)) = short(&line) {
                prop_assert_eq!(length, line.len());
                prop_assert_eq!(dramsim3(line.trim_end_matches('\n').as_bytes()), Ok(found));
            } else if let Ok(found) = dramsim3(line.trim_end().as_bytes()) {
                let spelt = format!("{:#x} {} {}\n", found.addr, if found.write { "WRITE" } else { "READ" }, found.arrival);
                prop_assert!(found.arrival >= 10u64.pow(19) || spelt != line, "{:?} should go the short way", line);
            }
        }
    }
}
