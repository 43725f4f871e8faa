// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines that `perf script -F tid,time,event,addr` prints of samples with an address, with whatever other fields stand on the same line.

use super::scan::{Field, FieldFault, Scanner};

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PerfLine {
    /// The operating system's number of the thread.
    pub thread: u64,
    /// When it was taken, in ns.
    pub time: u64,
    /// The address that was accessed; 0 where the event has none.
    pub addr: u64,
    /// The event is of stores, or the sample says that it was one. What says nothing is taken for a load.
    pub write: bool,
}

/// Returns true if a line has a time as `perf script` prints it.
pub(crate) fn is_perf_sample(line: &[u8]) -> bool {
    let mut fields = Scanner::new(line);
    while fields.has_more() {
        if time(fields.word()).is_some() {
            return true;
        }
    }
    false
}

/// `[COMM] [PID/]TID [[CPU]] TIME: [PERIOD] EVENT: ADDRESS …`.
pub(crate) fn perf(line: &[u8]) -> Field<PerfLine> {
    let mut fields = Scanner::new(line);
    let (mut thread, mut taken) = (&b""[..], None);
    while taken.is_none() && fields.has_more() {
        let word = fields.word();
        taken = time(word);
        // A processor may stand between thread and time.
        if taken.is_none() && !word.starts_with(b"[") {
            thread = word;
        }
    }
    let Some(time) = taken else { return Err(missing("time")) };
    let number = thread.rsplit(|byte| *byte == b'/').next().unwrap_or(b"");
    let Ok(thread) = Scanner::new(number).decimal("thread") else {
        return Err(missing("thread"));
    };
    let mut event = fields.word();
    if !event.is_empty() && event.iter().all(u8::is_ascii_digit) {
        event = fields.word();
    }
    let Some(event) = event.strip_suffix(b":").filter(|event| !event.is_empty()) else {
        return Err(missing("event"));
    };
    if !fields.has_more() {
        return Err(missing("address"));
    }
    let addr = fields.hex("address")?;
    // As perf mem names events (cpu/mem-stores/P), and as data_src is printed (|OP STORE|LVL L1 hit|…).
    let contains = |text: &[u8], part: &[u8]| text.windows(part.len()).any(|window| window == part);
    let write = match (contains(line, b"|OP LOAD"), contains(line, b"|OP STORE")) {
        (false, false) => contains(event, b"store"),
        (_, store) => store,
    };
    Ok(PerfLine {
        thread,
        time,
        addr,
        write,
    })
}

/// `SECONDS.FRACTION:` in ns.
fn time(word: &[u8]) -> Option<u64> {
    let word = word.strip_suffix(b":")?;
    let point = word.iter().position(|byte| *byte == b'.')?;
    let (seconds, fraction) = (&word[..point], &word[point + 1..]);
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    // Ten digits of seconds are three centuries; perf prints six or, with --ns, nine of the fraction.
    if !digits(seconds) || !digits(fraction) || seconds.len() > 10 || fraction.len() > 9 {
        return None;
    }
    let value = |part: &[u8]| part.iter().fold(0u64, |sum, byte| 10 * sum + u64::from(byte - b'0'));
    let scale = 10u64.pow(9 - fraction.len() as u32);
    Some(value(seconds) * 1_000_000_000 + value(fraction) * scale)
}

#[cold]
fn missing(field: &'static str) -> Box<FieldFault> {
    Box::new(FieldFault {
        field,
        found: "missing".to_owned(),
        allowed: "[COMM] [PID/]TID TIME: EVENT: ADDRESS",
        help: "print the samples with perf script -F tid,time,event,addr",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_perf_prints_them() {
        let line = |addr, write| PerfLine {
            thread: 3808,
            time: 35_026_138_268_000,
            addr,
            write,
        };
        // perf 6.1: events of a virtual machine, which has no others with addresses.
        for text in [
            " 3808 35026.138268: page-faults:     5647857935c0",
            " 3808/3808  35026.138268: page-faults:     5647857935c0",
            "              ls  3808 35026.138268: page-faults:     5647857935c0",
            "              ls  3808 35026.138268:          1 page-faults:     5647857935c0",
            "  Web Content 17/3808 [001] 35026.138268000:          1 page-faults:     5647857935c0 ffffffff817554ea elf_load+0x28a ([kernel])",
        ] {
            assert_eq!(perf(text.as_bytes()), Ok(line(0x5647_8579_35c0, false)), "{text}");
            assert!(is_perf_sample(text.as_bytes()));
        }
        // As the manual of perf-mem and its source have them.
        for (text, write) in [
            (
                "p 3808 35026.138268: 9 cpu/mem-loads,ldlat=30/P: 7f00 5080144 |OP LOAD|LVL L1 hit|SNP None|",
                false,
            ),
            ("p 3808 35026.138268: cpu/mem-stores/P: 7f00", true),
            (
                "p 3808 35026.138268: ibs_op//: 7f00 68100244 |OP STORE|LVL L3 hit|",
                true,
            ),
            ("p 3808 35026.138268: arm_spe/store/: 7f00 68100242 |OP LOAD|", false),
        ] {
            assert_eq!(perf(text.as_bytes()), Ok(line(0x7f00, write)), "{text}");
        }
    }

    #[test]
    fn faults_name_their_field() {
        let fault = |text: &[u8]| {
            let fault = perf(text).expect_err("is a fault");
            (fault.field, fault.found)
        };
        for (text, field) in [
            (&b"ls 3808 page-faults: 7f00"[..], "time"),
            (b"12345678901.5: page-faults: 7f00", "time"),
            (b"35026.138268: page-faults: 7f00", "thread"),
            (b"ls 35026.138268: page-faults: 7f00", "thread"),
            (b"3808 35026.138268: 7f00", "event"),
            (b"3808 35026.138268: page-faults:", "address"),
        ] {
            assert_eq!(fault(text), (field, "missing".into()));
        }
        assert_eq!(
            fault(b"3808 35026.138268: page-faults: x1"),
            ("address", "found \"x1\"".into())
        );
    }
}
