// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of `valgrind --tool=lackey --trace-mem=yes`.

use super::scan::{Field, Scanner};

/// Bytes of the longest access: state of the vector unit that is saved at once has a few thousand.
const LONGEST: u64 = 1 << 16;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LackeyOperation {
    /// An instruction is executed.
    Instruction,
    Load,
    Store,
    /// A load and a store of the same bytes.
    Modify,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LackeyLine {
    pub operation: LackeyOperation,
    pub addr: u64,
    /// Bytes, at least 1.
    pub size: u64,
}

/// Returns true for what valgrind says itself, between the lines of the tool: `==PID== …` and `--PID-- …`.
pub(crate) fn is_of_valgrind(line: &[u8]) -> bool {
    line.starts_with(b"==") || line.starts_with(b"--")
}

/// `I  ADDR,SIZE`, ` L ADDR,SIZE`, ` S ADDR,SIZE`, ` M ADDR,SIZE`; the address hexadecimal, the size decimal.
pub(crate) fn lackey(line: &[u8]) -> Field<LackeyLine> {
    let mut fields = Scanner::new(line);
    let operation = match fields.word() {
        b"I" => LackeyOperation::Instruction,
        b"L" => LackeyOperation::Load,
        b"S" => LackeyOperation::Store,
        b"M" => LackeyOperation::Modify,
        word => return Err(fields.word_fault(word, "operation", "I, L, S, M")),
    };
    let word = fields.word();
    let comma = word.iter().position(|byte| *byte == b',');
    let (addr, size) = word.split_at(comma.unwrap_or(word.len()));
    let addr = Scanner::new(addr).hex("address")?;
    let size = size.strip_prefix(b",").unwrap_or(b"");
    let bytes = Scanner::new(size).decimal("size")?;
    if !(1..=LONGEST).contains(&bytes) {
        return Err(Scanner::new(size).range_fault("size", "1 to 65536 bytes"));
    }
    fields.end()?;
    Ok(LackeyLine {
        operation,
        addr,
        size: bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::LackeyOperation::*;
    use super::*;

    #[test]
    fn as_lackey_writes_them() {
        let line = |operation, addr, size| Ok(LackeyLine { operation, addr, size });
        assert_eq!(lackey(b"I  00401000,5"), line(Instruction, 0x40_1000, 5));
        assert_eq!(lackey(b" L 1ffefffe60,8"), line(Load, 0x1f_feff_fe60, 8));
        assert_eq!(lackey(b" S 00403000,4"), line(Store, 0x40_3000, 4));
        assert_eq!(lackey(b" M 0421c7cc,512"), line(Modify, 0x421_c7cc, 512));
        assert!(
            is_of_valgrind(b"==5553== Lackey") && is_of_valgrind(b"--5553-- warning") && !is_of_valgrind(b" L 0,1")
        );
    }

    #[test]
    fn faults_name_their_field() {
        let fault = |line: &[u8]| {
            let fault = lackey(line).expect_err("is a fault");
            (fault.field, fault.found)
        };
        assert_eq!(fault(b" X 00403000,4"), ("operation", "found \"X\"".into()));
        assert_eq!(fault(b" L 00403000"), ("size", "missing".into()));
        assert_eq!(fault(b" L ,4"), ("address", "missing".into()));
        assert_eq!(fault(b" L 004x,4"), ("address", "found \"004x\"".into()));
        assert_eq!(fault(b" L 0040,0"), ("size", "found \"0\"".into()));
        assert_eq!(fault(b" L 0040,65537"), ("size", "found \"65537\"".into()));
        assert_eq!(fault(b" L 0040,4 5"), ("", "found \"5\"".into()));
    }
}
