// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entry points for fuzzing: arbitrary bytes in, no panic, and what is accepted is written and read again alike.

use crate::colors::{AskedColors, ColorCounts, Request};
use crate::memguard::Stat;
use crate::proc::{Mapping, parse_ledger};
use crate::resctrl::Schemata;
use fresco_dram::FrameNumber;

/// Colors as a command line names them; the first two bytes are how many bank and LLC colors there are.
pub fn fuzz_asked_colors(data: &[u8]) {
    let [banks, llc, text @ ..] = data else { return };
    let counts = ColorCounts {
        banks: u32::from(*banks) + 1,
        llc: u32::from(*llc) + 1,
    };
    let Ok(text) = std::str::from_utf8(text) else { return };
    if let Ok(asked) = AskedColors::parse(text, counts) {
        assert_eq!(AskedColors::parse(&asked.to_string(), counts).ok(), Some(asked));
    }
}

/// What stands in the memory of another process: its environment, the table of its threads' colors, and what the
/// kernel tells of its mappings; files of resctrl and of memguard.
pub fn fuzz_request(data: &[u8]) {
    for mapping in Mapping::parse_all(&String::from_utf8_lossy(data)) {
        assert!(mapping.bytes() > 0);
    }
    let _ = parse_ledger(data);
    let _ = Schemata::parse(&String::from_utf8_lossy(data));
    let _ = Stat::parse(&String::from_utf8_lossy(data));
    let Some(request) = Request::parse(data) else { return };
    let text = request.to_text().expect("numbers and text");
    assert_eq!(Request::parse(text.as_bytes()).as_ref(), Some(&request));
    let filter = request.filter();
    for frame in (0..64).map(|bit| 1u64 << bit).chain([0, u64::MAX]) {
        let color = filter.color(FrameNumber(frame));
        assert_eq!(
            filter.wants(FrameNumber(frame)),
            color.is_some_and(|color| filter.asks(color))
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SEED: &str = include_str!("../../../fuzz/seeds/request/request");

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn colors_of_any_text_are_read_or_refused(
            banks: u8,
            llc: u8,
            text in "((banks|llc|bank|)=?[-0-9,]{0,12},?){0,3}",
        ) {
            fuzz_asked_colors(&[&[banks, llc], text.as_bytes()].concat());
        }

        #[test]
        fn spoilt_requests_are_read_or_refused(at in 0..SEED.len(), byte in 0x20u8..0x7f) {
            let mut text = SEED.as_bytes().to_vec();
            text[at] = byte;
            fuzz_request(&text);
        }

        #[test]
        fn any_text_of_mappings_is_read(text in "([0-9a-f]{1,9}-[0-9a-f]{1,9} [rwxps-]{4} 0 0:0 [0-9] [a-z\\[]{0,3}\n|VmFlags: [a-z ]{0,9}\n){0,5}") {
            fuzz_request(text.as_bytes());
        }
    }

    #[test]
    fn the_seed_is_a_request() {
        assert!(Request::parse(SEED.as_bytes()).is_some());
    }
}
