// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines that the tool `view` of DynamoRIO's drmemtrace prints of a trace (`drrun -t drmemtrace -indir DIR -tool view`; once `drcachesim` and
//! `-simulator_type view`). The layout is that of its source, `clients/drcachesim/tools/view.cpp` and `view.h`.

use super::scan::{Field, Scanner};

/// Bytes of the longest access: state of the vector unit that is saved at once has a few thousand.
const LONGEST: u64 = 1 << 16;

/// What a line says of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewRecord {
    /// An instruction is executed. One that is not fetched is the one before, again: another round of a string instruction.
    Instruction {
        fetched: bool,
    },
    Load {
        addr: u64,
        size: u64,
    },
    Store {
        addr: u64,
        size: u64,
    },
    /// A prefetch or a flush.
    Hint,
    /// A marker: time, processor, system call, signal.
    Marker,
    /// The line goes on with the bytes of the instruction before.
    Rest,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ViewLine {
    /// The operating system's number of the thread.
    pub thread: u64,
    /// Instructions so far, this one included, as the tool counts them; versions before 2023 do not.
    pub instructions: Option<u64>,
    pub record: ViewRecord,
}

/// Returns true for headings, lines between threads, and the sum at the end.
pub(crate) fn is_of_view(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line == b"Output format:"
        || line.starts_with(b"<--record#->")
        || line.starts_with(b"<record#>:")
        || line.starts_with(b"----")
        || line == b"View tool results:"
        || line.ends_with(b" : total instructions")
}

/// Returns true if a line begins as those of a trace do: `RECORD INSTRUCTIONS: THREAD`, once `RECORD: TTHREAD`.
pub(crate) fn is_view_record(line: &[u8]) -> bool {
    prefix(&mut Scanner::new(line)).is_ok()
}

/// A line that is none of [`is_of_view`].
pub(crate) fn view(line: &[u8]) -> Field<ViewLine> {
    let mut fields = Scanner::new(line);
    let (thread, instructions) = prefix(&mut fields)?;
    let word = fields.word();
    let record = match word {
        b"ifetch" => {
            place(&mut fields, false)?;
            ViewRecord::Instruction {
                fetched: fields.word() != b"non-fetched",
            }
        }
        b"read" | b"write" => {
            let (size, addr) = place(&mut fields, true)?;
            match word {
                b"read" => ViewRecord::Load { addr, size },
                _ => ViewRecord::Store { addr, size },
            }
        }
        b"iflush" | b"dflush" => ViewRecord::Hint,
        _ if word.starts_with(b"pref") => ViewRecord::Hint,
        b"<marker:" | b"<thread" | b"<entry" => ViewRecord::Marker,
        _ if word.len() >= 2 && word.len().is_multiple_of(2) && word.iter().all(u8::is_ascii_hexdigit) => {
            ViewRecord::Rest
        }
        _ => {
            return Err(fields.word_fault(
                word,
                "record",
                "ifetch, read, write, iflush, dflush, pref…, <marker: …>",
            ));
        }
    };
    Ok(ViewLine {
        thread,
        instructions,
        record,
    })
}

/// Number of the thread, and instructions so far.
fn prefix(fields: &mut Scanner<'_>) -> Field<(u64, Option<u64>)> {
    let number = |word: &[u8], field: &'static str| Scanner::new(word).decimal(field);
    let first = fields.word();
    if let Some(record) = first.strip_suffix(b":") {
        number(record, "record")?;
        let thread = fields.word();
        return Ok((number(thread.strip_prefix(b"T").unwrap_or(thread), "thread")?, None));
    }
    number(first, "record")?;
    let word = fields.word();
    let Some(instructions) = word.strip_suffix(b":") else {
        return Err(fields.word_fault(word, "instructions", "a number and a colon"));
    };
    let instructions = number(instructions, "instructions")?;
    Ok((fields.decimal("thread")?, Some(instructions)))
}

/// `SIZE byte(s) @ 0xADDRESS`; of data also `by PC 0xADDRESS`, and nothing more.
fn place(fields: &mut Scanner<'_>, data: bool) -> Field<(u64, u64)> {
    let digits = fields.word();
    let size = Scanner::new(digits).decimal("size")?;
    if !(1..=LONGEST).contains(&size) {
        return Err(Scanner::new(digits).range_fault("size", "1 to 65536 bytes"));
    }
    expect(fields, &[&b"byte(s)"[..], b"@"], "size", "SIZE byte(s) @ 0xADDRESS")?;
    let addr = fields.hex("address")?;
    if data {
        expect(fields, &[&b"by"[..], b"PC"], "instruction", "by PC 0xADDRESS")?;
        fields.hex("instruction")?;
        fields.end()?;
    }
    Ok((size, addr))
}

fn expect(fields: &mut Scanner<'_>, words: &[&[u8]], field: &'static str, allowed: &'static str) -> Field<()> {
    for expected in words {
        let word = fields.word();
        if word != *expected {
            return Err(fields.word_fault(word, field, allowed));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_tool_prints_them() {
        let line = |instructions, record| {
            Ok(ViewLine {
                thread: 2_765_543,
                instructions,
                record,
            })
        };
        let (some, none) = (Some(37_770), None);
        let fetched = ViewRecord::Instruction { fetched: true };
        let again = ViewRecord::Instruction { fetched: false };
        let load = ViewRecord::Load {
            addr: 0x7fdf_64e2_adc8,
            size: 8,
        };
        let store = ViewRecord::Store { addr: 0x1000, size: 64 };
        let cases = [
            (
                "ifetch       5 byte(s) @ 0x0000000000404a7e 48 8b 5c 24 08       mov    0x08(%rsp), %rbx",
                fetched,
            ),
            (
                "ifetch       4 byte(s) @ 0x0000000000401d68 91038040   add    %x2 $0x00e0 lsl $0x00 -> %x0",
                fetched,
            ),
            (
                "ifetch       6 byte(s) @ 0x0000000000404a78 untaken conditional jump",
                fetched,
            ),
            (
                "ifetch       3 byte(s) @ 0x0000000000402680 non-fetched instruction",
                again,
            ),
            (
                "read         8 byte(s) @ 0x00007fdf64e2adc8 by PC 0x0000000000404a7e",
                load,
            ),
            (
                "write       64 byte(s) @ 0x0000000000001000 by PC 0x0000000000404a7e",
                store,
            ),
            (
                "pref-r-L1    1 byte(s) @ 0x0000000000001000 by PC 0x0000000000404a7e",
                ViewRecord::Hint,
            ),
            (
                "dflush      64 byte(s) @ 0x0000000000001000 by PC 0x0000000000404a7e",
                ViewRecord::Hint,
            ),
            ("<marker: system call 273>", ViewRecord::Marker),
            ("<thread 2765543 exited>", ViewRecord::Marker),
            ("                                           00 00 00", ViewRecord::Rest),
        ];
        for (text, record) in cases {
            let text = format!("       47743       37770:     2765543 {text}");
            assert_eq!(view(text.as_bytes()), line(some, record), "{text}");
            assert!(is_view_record(text.as_bytes()) && !is_of_view(text.as_bytes()));
        }
        assert_eq!(
            view(b"   173369: T2765543 <marker: version 4>"),
            line(none, ViewRecord::Marker)
        );
        for text in [
            "Output format:",
            "<--record#-> <--instr#->: <---tid---> <record details>",
            "------------------------------------------------------------",
            "View tool results:",
            "         163821 : total instructions",
        ] {
            assert!(is_of_view(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn faults_name_their_field() {
        let fault = |text: &str| {
            let fault = view(format!("7 5: 12 {text}").as_bytes()).expect_err("is a fault");
            (fault.field, fault.found)
        };
        assert_eq!(fault("fetch 3 byte(s) @ 0x1"), ("record", "found \"fetch\"".into()));
        assert_eq!(fault("read 0 byte(s) @ 0x1 by PC 0x2"), ("size", "found \"0\"".into()));
        assert_eq!(
            fault("read 8 bytes @ 0x1 by PC 0x2"),
            ("size", "found \"bytes\"".into())
        );
        assert_eq!(
            fault("read 8 byte(s) @ 0xg by PC 0x2"),
            ("address", "found \"0xg\"".into())
        );
        assert_eq!(fault("read 8 byte(s) @ 0x1"), ("instruction", "missing".into()));
        assert_eq!(fault("read 8 byte(s) @ 0x1 by PC 0x2 3"), ("", "found \"3\"".into()));
        let prefix = |text: &str| view(text.as_bytes()).expect_err("is a fault").field;
        assert_eq!(
            [prefix("7 5 12 read"), prefix("7: Tx read"), prefix("x 5: 12 read")],
            ["instructions", "thread", "record"]
        );
    }
}
