// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of Ramulator's processor traces: a read and perhaps a write-back each.

use super::scan::{Field, FieldFault, Scanner};

/// One line of a processor trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuLine {
    /// Instructions before the read that access no memory.
    pub gap: u32,
    /// Address read.
    pub read: u64,
    /// Address written back.
    pub write_back: Option<u64>,
}

/// Ramulator 1 and 2, CPU mode: `GAP READ [WRITE-BACK]`, decimal; addresses may be hexadecimal with `0x`, as Ramulator 1
/// takes them.
#[inline]
pub(crate) fn ramulator_cpu(line: &[u8]) -> Field<CpuLine> {
    let mut fields = Scanner::new(line);
    let gap = fields.decimal("instructions before")?;
    let Ok(gap) = u32::try_from(gap) else {
        return Err(Box::new(FieldFault {
            field: "instructions before",
            found: format!("found {gap}"),
            allowed: "0 to 4294967295",
            help: "write a smaller number",
        }));
    };
    let read = fields.number("read address")?;
    let write_back = if fields.has_more() {
        Some(fields.number("write-back address")?)
    } else {
        None
    };
    fields.end()?;
    Ok(CpuLine { gap, read, write_back })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_and_without_write_back() {
        let line = |gap, read, write_back| Ok(CpuLine { gap, read, write_back });
        assert_eq!(ramulator_cpu(b"3 20734016"), line(3, 20_734_016, None));
        assert_eq!(
            ramulator_cpu(b"0 140736759616448 0x7fff40 "),
            line(0, 140_736_759_616_448, Some(0x7f_ff40))
        );
    }

    #[test]
    fn faults_name_their_field() {
        let fault = |line| ramulator_cpu(line).expect_err("is a fault").field;
        assert_eq!(fault(b"3"), "read address");
        assert_eq!(fault(b"0x3 64"), "instructions before");
        assert_eq!(fault(b"4294967296 64"), "instructions before");
        assert_eq!(fault(b"1 64 W"), "write-back address");
        assert_eq!(fault(b"1 64 64 64"), "");
    }
}
