// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of address traces: one request each.

use super::scan::{Field, Scanner};

/// One line of an address trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryLine {
    /// Arrival in cycles; 0 where the format has no times.
    pub arrival: u64,
    pub addr: u64,
    pub write: bool,
}

/// DRAMsim3: `0xADDR READ|WRITE CYCLE`. The address is hexadecimal even without `0x`. DRAMsim3 takes `read`, `write` and
/// gem5's `P_MEM_RD`, `P_MEM_WR`, `BOFF` (a write) too, and every unknown word for a read; here it is an error.
#[inline]
pub(crate) fn dramsim3(line: &[u8]) -> Field<MemoryLine> {
    let mut fields = Scanner::new(line);
    let addr = fields.hex("address")?;
    let write = match fields.word() {
        b"READ" | b"read" | b"P_MEM_RD" => false,
        b"WRITE" | b"write" | b"P_MEM_WR" | b"BOFF" => true,
        word => return Err(fields.word_fault(word, "operation", "READ, WRITE, P_MEM_RD, P_MEM_WR, BOFF")),
    };
    let arrival = fields.decimal("cycle")?;
    fields.end()?;
    Ok(MemoryLine { arrival, addr, write })
}

/// Ramulator 1, DRAM mode: `0xADDR R|W`. The address is hexadecimal even without `0x`.
#[inline]
pub(crate) fn ramulator(line: &[u8]) -> Field<MemoryLine> {
    let mut fields = Scanner::new(line);
    let addr = fields.hex("address")?;
    let write = match fields.word() {
        b"R" => false,
        b"W" => true,
        word => return Err(fields.word_fault(word, "operation", "R, W")),
    };
    fields.end()?;
    Ok(MemoryLine {
        arrival: 0,
        addr,
        write,
    })
}

/// Ramulator 2, LoadStoreTrace: `LD|ST ADDR`, the address decimal or hexadecimal with `0x`.
#[inline]
pub(crate) fn load_store(line: &[u8]) -> Field<MemoryLine> {
    let mut fields = Scanner::new(line);
    let write = match fields.word() {
        b"LD" => false,
        b"ST" => true,
        word => return Err(fields.word_fault(word, "operation", "LD, ST")),
    };
    let addr = fields.number("address")?;
    fields.end()?;
    Ok(MemoryLine {
        arrival: 0,
        addr,
        write,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(arrival: u64, addr: u64, write: bool) -> Field<MemoryLine> {
        Ok(MemoryLine { arrival, addr, write })
    }

    #[test]
    fn as_their_simulators_write_them() {
        assert_eq!(dramsim3(b"0x1f40 READ 12"), line(12, 0x1f40, false));
        assert_eq!(dramsim3(b"  1F40\twrite  0 "), line(0, 0x1f40, true));
        assert_eq!(dramsim3(b"0x40 BOFF 1"), line(1, 0x40, true));
        assert_eq!(ramulator(b"0x12345680 R"), line(0, 0x1234_5680, false));
        assert_eq!(ramulator(b"4cbd56c0 W"), line(0, 0x4cbd_56c0, true));
        assert_eq!(load_store(b"LD 0x40"), line(0, 64, false));
        assert_eq!(load_store(b"ST 40"), line(0, 40, true));
    }

    #[test]
    fn faults_name_their_field() {
        let fault = |result: Field<MemoryLine>| {
            let fault = result.expect_err("is a fault");
            (fault.field, fault.found)
        };
        assert_eq!(fault(dramsim3(b"0x40 READ")), ("cycle", "missing".into()));
        assert_eq!(fault(dramsim3(b"0x40 RAED 1")), ("operation", "found \"RAED\"".into()));
        assert_eq!(fault(dramsim3(b"0x40 READ 1 2")), ("", "found \"2\"".into()));
        assert_eq!(fault(dramsim3(b"0x40 READ -1")), ("cycle", "found \"-1\"".into()));
        assert_eq!(fault(ramulator(b"0x40")), ("operation", "missing".into()));
        assert_eq!(fault(ramulator(b"xyz R")), ("address", "found \"xyz\"".into()));
        assert_eq!(fault(load_store(b"LDX 1")), ("operation", "found \"LDX\"".into()));
        assert_eq!(fault(load_store(b"LD")), ("address", "missing".into()));
    }
}
