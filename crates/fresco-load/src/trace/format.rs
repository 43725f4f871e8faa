// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace formats, and how to tell them apart.

use super::champsim::{self, ChampSim};
use super::drmemtrace::DrMemtrace;
use super::ftrace::MAGIC;
use super::input::Input;
use super::lackey::Lackey;
use super::perf::Samples;
use super::records::Records;
use super::tap::Tap;
use super::text::{Lines, Scanner, is_of_valgrind, is_of_view, is_perf_sample, is_view_record};
use fresco_input::{InputError, file_name, is_standard_input, take_standard_input};
use std::io::Read;
use std::path::Path;

/// A trace format. All but `Fresco` and `ChampSim` are text, one access per line; `#` begins a comment line; each may be compressed
/// with gzip, zstd or xz, or lie in a zip archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Fresco's own: accesses of programs or of the memory, see [`crate::trace::ftrace`].
    Fresco,
    /// Ramulator 1 and 2, processor traces: `GAP READ [WRITE-BACK]`.
    RamulatorCpu,
    /// Ramulator 1, DRAM traces: `0xADDR R|W`.
    Ramulator,
    /// Ramulator 2, LoadStoreTrace: `LD|ST ADDR`.
    LoadStore,
    /// DRAMsim3: `0xADDR READ|WRITE CYCLE`.
    DramSim3,
    /// valgrind's tool lackey with `--trace-mem=yes`: `I  ADDR,SIZE`, ` L ADDR,SIZE`, ` S ADDR,SIZE`, ` M ADDR,SIZE`.
    Lackey,
    /// ChampSim's instructions of 64 bytes.
    ChampSim,
    /// DynamoRIO's drmemtrace, as its tool `view` prints it: `RECORD INSTRUCTIONS: THREAD read|write SIZE byte(s) @ 0xADDR by PC 0xPC`.
    DrMemtrace,
    /// Samples with an address, as `perf script -F tid,time,event,addr` prints them: one access in many.
    Perf,
}

impl Format {
    /// Every format and its name.
    pub const ALL: [(&'static str, Self); 9] = [
        ("fresco", Self::Fresco),
        ("ramulator-cpu", Self::RamulatorCpu),
        ("ramulator", Self::Ramulator),
        ("load-store", Self::LoadStore),
        ("dramsim3", Self::DramSim3),
        ("lackey", Self::Lackey),
        ("champsim", Self::ChampSim),
        ("drmemtrace", Self::DrMemtrace),
        ("perf", Self::Perf),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, format)| *format == self)
            .map_or("", |(name, _)| name)
    }

    /// Returns true if a trace may have several threads; of others all is of thread 0.
    pub fn has_threads(self) -> bool {
        matches!(self, Self::Fresco | Self::DrMemtrace | Self::Perf)
    }

    /// Makes sure that a trace, called `name`, has every access: times, hits and conflicts that are made of some are not the program's.
    ///
    /// # Errors
    /// It holds samples.
    pub fn check_whole(self, name: &str) -> Result<(), InputError> {
        match self {
            Self::Perf => Err(InputError::new(name, "holds samples, one access in many")
                .allowed("a trace with every access: neither times nor hits in caches nor conflicts in banks follow from some")
                .help("record the program with `fresco record`; `fresco trace info` says what samples tell")),
            _ => Ok(()),
        }
    }
}

/// A trace whose format is known.
pub(crate) enum Opened {
    Binary(Input),
    Text(Lines, Format),
    /// Those that other tools make of programs.
    Instructions(Box<dyn Records>, Format),
}

impl Opened {
    /// See [`Format::check_whole`].
    pub fn check_whole(&self, name: &str) -> Result<(), InputError> {
        match self {
            Self::Text(_, format) | Self::Instructions(_, format) => format.check_whole(name),
            Self::Binary(_) => Ok(()),
        }
    }
}

/// Opens a trace file, compressed or not; `-` is standard input. The tap is below all decoding.
pub(super) fn open_file(path: &Path, given: Option<Format>) -> Result<(Opened, Tap), InputError> {
    let name = file_name(path);
    match is_standard_input(path) {
        true => open_stream(&name, take_standard_input()?, given),
        false => open_stream(&name, Input::file(path)?, given),
    }
}

/// Opens a trace that any stream holds; `name` is for errors.
pub(super) fn open_stream(
    name: &str,
    reader: impl Read + Send + 'static,
    given: Option<Format>,
) -> Result<(Opened, Tap), InputError> {
    let tap = Tap::new(reader);
    Ok((recognise(Input::new(name, tap.clone())?, given)?, tap))
}

/// Finds out the format, or checks the one that was given.
pub(crate) fn recognise(input: Input, given: Option<Format>) -> Result<Opened, InputError> {
    let name = input.name.clone();
    let binary = input.head().starts_with(MAGIC);
    match given {
        None | Some(Format::Fresco) if binary => return Ok(Opened::Binary(input)),
        Some(Format::Fresco) => {
            let error = InputError::new(name, format!("begins with {:02x?}", first(input.head())));
            return Err(error
                .allowed("a trace in Fresco's own format")
                .help("leave the format out, so that it is found"));
        }
        Some(format) if binary => {
            let error = InputError::new(name, format!("is in Fresco's own format, not {}", format.name()));
            return Err(error.help("leave the format out, so that it is found"));
        }
        Some(Format::ChampSim) => return Ok(champsim_of(input)),
        None if champsim::is_likely(input.head()) => return Ok(champsim_of(input)),
        _ => {}
    }
    let mut lines = Lines::new(input);
    if let Some(format) = given {
        return Ok(text(lines, format));
    }
    let format = loop {
        match lines.next()? {
            Some(line) if is_of_valgrind(line) || is_of_view(line) => {}
            line => break line.map(detect),
        }
    };
    match format {
        Some(Some(format)) => {
            lines.unread();
            Ok(text(lines, format))
        }
        Some(None) => Err(lines
            .error("no known format")
            .allowed("0xADDR READ|WRITE CYCLE (dramsim3), 0xADDR R|W (ramulator), LD|ST ADDR (load-store), GAP READ [WRITE-BACK] (ramulator-cpu), I|L|S|M ADDR,SIZE (lackey), what drmemtrace's view prints, what perf script -F tid,time,event,addr prints, 64 bytes an instruction (champsim), or Fresco's own")
            .help("convert the trace, or name its format so that the fault in this line is shown")),
        None => Err(InputError::new(name, "contains no access").help("check that the trace was written to its end")),
    }
}

fn champsim_of(input: Input) -> Opened {
    Opened::Instructions(Box::new(ChampSim::new(input)), Format::ChampSim)
}

fn text(lines: Lines, format: Format) -> Opened {
    match format {
        Format::Lackey => Opened::Instructions(Box::new(Lackey::new(lines)), format),
        Format::DrMemtrace => Opened::Instructions(Box::new(DrMemtrace::new(lines)), format),
        Format::Perf => Opened::Instructions(Box::new(Samples::new(lines)), format),
        format => Opened::Text(lines, format),
    }
}

/// As many bytes as a magic number has.
fn first(head: &[u8]) -> &[u8] {
    &head[..head.len().min(MAGIC.len())]
}

/// The format of a trace with this line. Only the shape is looked at; numbers may still be out of range.
fn detect(line: &[u8]) -> Option<Format> {
    let mut fields = Scanner::new(line);
    let words = [fields.word(), fields.word(), fields.word(), fields.word()];
    let count = words.iter().take_while(|word| !word.is_empty()).count();
    let hex = |word: &[u8]| {
        word.strip_prefix(b"0x")
            .unwrap_or(word)
            .iter()
            .all(u8::is_ascii_hexdigit)
    };
    match (words[0], words[1], count) {
        (b"LD" | b"ST", _, 2) => Some(Format::LoadStore),
        (b"I" | b"L" | b"S" | b"M", place, 2) if place.contains(&b',') => Some(Format::Lackey),
        (address, b"R" | b"W", 2) if hex(address) => Some(Format::Ramulator),
        (address, operation, 2 | 3) if hex(address) && operation[0].is_ascii_alphabetic() => Some(Format::DramSim3),
        (gap, read, 2 | 3) if gap.iter().all(u8::is_ascii_digit) && hex(read) => Some(Format::RamulatorCpu),
        _ if is_perf_sample(line) => Some(Format::Perf),
        _ if is_view_record(line) => Some(Format::DrMemtrace),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn recognised(text: &[u8], given: Option<Format>) -> Result<Format, String> {
        match recognise(Input::new("t", Cursor::new(text.to_vec())).expect("is readable"), given) {
            Ok(Opened::Text(_, format) | Opened::Instructions(_, format)) => Ok(format),
            Ok(Opened::Binary(_)) => Ok(Format::Fresco),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn formats_are_told_apart_by_their_first_access() {
        let mut champsim = [0; 64];
        champsim[..3].copy_from_slice(&[0, 0x10, 0x40]);
        let cases: [(&[u8], Format); 14] = [
            (b"# comment\n\n0x1f40 READ 12\n", Format::DramSim3),
            (b"0x1f40 WRITE\n", Format::DramSim3),
            (b"1f40 R\n", Format::Ramulator),
            (b"LD 0x40\n", Format::LoadStore),
            (b"3 20734016\n", Format::RamulatorCpu),
            (b"0 140736759616448 0x40\n", Format::RamulatorCpu),
            (b"==12== Lackey\n==12== \nI  00401000,5\n", Format::Lackey),
            (b" S 1ffefffe60,8\n", Format::Lackey),
            (
                b"Output format:\n<--record#-> <--instr#->: <---tid---> <record details>\n---\n 1 0: 7 <marker: version 5>\n",
                Format::DrMemtrace,
            ),
            (b"8 2: 7 read 8 byte(s) @ 0x1 by PC 0x2\n", Format::DrMemtrace),
            (b"8: T7 read 8 byte(s) @ 0x1 by PC 0x2\n", Format::DrMemtrace),
            (b"# perf\n ls 3808 35026.138268: page-faults: 5647857935c0\n", Format::Perf),
            (&champsim, Format::ChampSim),
            (MAGIC, Format::Fresco),
        ];
        for (text, format) in cases {
            assert_eq!(recognised(text, None), Ok(format));
            assert_eq!(recognised(text, Some(format)), Ok(format));
        }
    }

    #[test]
    fn what_is_no_trace() {
        for text in [
            &b"hello\n"[..],
            b"a,b\n",
            b"1 2 3 4\n",
            b"\xff\xfe\x00\n",
            b"R 0,0,0,1\n",
        ] {
            let error = recognised(text, None).expect_err("no trace");
            assert!(error.starts_with("t:1: no known format"), "{error}");
        }
        assert!(
            recognised(b"\n\n", None)
                .expect_err("is empty")
                .starts_with("t: contains no access")
        );
        assert!(recognised(b"1 2\n", Some(Format::Fresco)).is_err());
        assert!(recognised(MAGIC, Some(Format::DramSim3)).is_err());
    }
}
