// SPDX-License-Identifier: MIT OR Apache-2.0
//! A dump of PCI configuration space, as `lspci -xxxx` prints it.

use fresco_input::InputError;
use std::collections::BTreeMap;

/// Device and function on bus 0.
pub type Function = (u8, u8);

/// The bytes of configuration space that a dump has, by function.
#[derive(Clone, Debug, Default)]
pub struct Dump {
    bytes: BTreeMap<Function, BTreeMap<u16, u8>>,
    file: String,
}

impl Dump {
    /// Reads the output of `lspci -xxxx`: a line `BUS:DEVICE.FUNCTION …` for each function, then lines
    /// `OFFSET: BYTE BYTE …`, all hexadecimal. Functions on other buses than 0 are left out.
    ///
    /// # Errors
    /// A line of bytes before the first function, or one that cannot be read.
    pub fn parse(text: &str, file: &str) -> Result<Self, InputError> {
        let mut dump = Self {
            file: file.to_owned(),
            ..Self::default()
        };
        let mut current: Option<Option<Function>> = None;
        for (number, line) in (1u32..).zip(text.lines()) {
            let line = line.trim_ascii();
            let Some((first, rest)) = line.split_once(' ').map(|(first, rest)| (first, rest.trim_ascii())) else {
                continue;
            };
            if let Some(function) = place(first) {
                current = Some(function);
            } else if let Some(offset) = first
                .strip_suffix(':')
                .and_then(|hex| u16::from_str_radix(hex, 16).ok())
            {
                let Some(function) = current else {
                    return Err(dump.error_at(number, "found bytes before the first function".to_owned()));
                };
                for (index, word) in (0u16..).zip(rest.split_ascii_whitespace()) {
                    let byte = u8::from_str_radix(word, 16);
                    let (Ok(byte), Some(place), true) = (byte, offset.checked_add(index), word.len() == 2) else {
                        return Err(dump.error_at(number, format!("found {:?} where a byte belongs", shown(word))));
                    };
                    if let Some(function) = function {
                        dump.bytes.entry(function).or_default().insert(place, byte);
                    }
                }
            }
        }
        if dump.bytes.is_empty() {
            return Err(InputError::new(file, "found no function of PCI bus 0")
                .allowed("the output of `lspci -xxxx`, as root")
                .help("dump the configuration space again: sudo lspci -xxxx > dump.txt"));
        }
        Ok(dump)
    }

    /// The functions of bus 0 of a running machine, with their bytes; `name` is where they come from.
    pub fn of_functions(functions: impl IntoIterator<Item = (Function, Vec<u8>)>, name: &str) -> Self {
        let numbered = |bytes: Vec<u8>| (0u16..=u16::MAX).zip(bytes).collect();
        Self {
            bytes: functions
                .into_iter()
                .map(|(place, bytes)| (place, numbered(bytes)))
                .collect(),
            file: name.to_owned(),
        }
    }

    fn error_at(&self, line: u32, found: String) -> InputError {
        InputError::new(self.file.clone(), found)
            .at_line(line)
            .allowed("a line BUS:DEVICE.FUNCTION, then lines OFFSET: BYTE BYTE …, all hexadecimal")
            .help("dump the configuration space again: sudo lspci -xxxx > dump.txt")
    }

    /// Returns true if the dump has the function.
    pub fn has(&self, function: Function) -> bool {
        self.bytes.contains_key(&function)
    }

    /// The register of four bytes at an offset.
    ///
    /// # Errors
    /// The dump does not have it: lspci shows registers from 256 on only to root, and only with `-xxxx`.
    pub fn register(&self, function: Function, offset: u16) -> Result<u32, InputError> {
        let bytes = self.bytes.get(&function);
        let byte = |i: u16| bytes.and_then(|bytes| bytes.get(&(offset + i))).copied().map(u32::from);
        match (byte(0), byte(1), byte(2), byte(3)) {
            (Some(a), Some(b), Some(c), Some(d)) => Ok(a | b << 8 | c << 16 | d << 24),
            _ => {
                let (device, number) = function;
                let found = format!("found no register {offset:#x} of 00:{device:02x}.{number}");
                Err(InputError::new(self.file.clone(), found)
                    .allowed("a dump with the extended configuration space of every memory controller")
                    .help("dump it as root, with four x: sudo lspci -xxxx > dump.txt"))
            }
        }
    }

    /// Name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }
}

/// `00:18.2` or `0000:00:18.2`; `Some(None)` for a function on another bus.
fn place(word: &str) -> Option<Option<Function>> {
    let (bus_device, function) = word.split_once('.')?;
    let mut parts = bus_device.rsplit(':');
    let (device, bus) = (parts.next()?, parts.next()?);
    let hex = |text: &str| u8::from_str_radix(text, 16).ok();
    let (device, bus, function) = (hex(device)?, hex(bus)?, hex(function)?);
    let domain = parts
        .next()
        .is_none_or(|domain| domain.bytes().all(|byte| byte == b'0'));
    Some((bus == 0 && domain).then_some((device, function)))
}

fn shown(word: &str) -> String {
    word.chars().take(20).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00:18.2 Host bridge: AMD Family 10h\n00: 22 10 02 12 00 00\n40: 01 00 00 10\n\n\
                        01:00.0 VGA\n40: ff ff ff ff\n0000:00:19.2 Host bridge\n110: 84 00 00 80\n";

    #[test]
    fn registers_are_little_endian_and_of_bus_zero() {
        let dump = Dump::parse(TEXT, "d").expect("a dump");
        assert_eq!(dump.register((0x18, 2), 0), Ok(0x1202_1022));
        assert_eq!(dump.register((0x18, 2), 0x40), Ok(0x1000_0001));
        assert_eq!(dump.register((0x19, 2), 0x110), Ok(0x8000_0084));
        let error = dump.register((0x18, 2), 0x110).expect_err("is not there");
        assert!(error.to_string().contains("no register 0x110 of 00:18.2"), "{error}");
    }

    #[test]
    fn what_is_no_dump_is_told_with_its_line() {
        for (text, found) in [
            ("", "no function"),
            ("40: 00 00\n", "d:1: found bytes before"),
            ("00:18.2 x\n40: 00 zz\n", "d:2: found \"zz\""),
            ("00:18.2 x\n40: 00 000\n", "d:2: found \"000\""),
        ] {
            let error = Dump::parse(text, "d").expect_err(found).to_string();
            assert!(error.contains(found), "{error}");
        }
    }
}
