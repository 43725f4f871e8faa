// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers with units, exact: no floating point between the text and the integer.

/// The units of one kind of quantity and what each is worth in the base unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    /// What a value of this kind is called in an error.
    pub kind: &'static str,
    /// Name and worth of each unit, small to large.
    pub table: &'static [(&'static str, u64)],
    /// Worth of a number without a unit; `None` where the unit must be given.
    pub bare: Option<u64>,
    /// Two or three examples.
    pub examples: &'static str,
}

/// Time, in picoseconds.
pub(crate) const DURATION: Units = Units {
    kind: "a duration",
    table: &[
        ("ps", 1),
        ("ns", 1_000),
        ("us", 1_000_000),
        ("µs", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
    ],
    bare: None,
    examples: "\"7.5 ns\", \"64 us\", \"20 ms\"",
};

/// Memory, in bytes. `K`, `M`, `G`, `T` are powers of 1024, as in numactl and cgroups; `kB` and `MB` mean both 1000 and
/// 1024 in the wild and are refused.
pub(crate) const SIZE: Units = Units {
    kind: "a size",
    table: &[
        ("B", 1),
        ("K", 1 << 10),
        ("KiB", 1 << 10),
        ("M", 1 << 20),
        ("MiB", 1 << 20),
        ("G", 1 << 30),
        ("GiB", 1 << 30),
        ("T", 1 << 40),
        ("TiB", 1 << 40),
    ],
    bare: Some(1),
    examples: "\"64 KiB\", \"8 MiB\", \"1G\", 4096",
};

/// Frequency, in hertz.
pub(crate) const FREQUENCY: Units = Units {
    kind: "a frequency",
    table: &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)],
    bare: None,
    examples: "\"800 MHz\", \"2.8 GHz\"",
};

/// Bandwidth, in bytes per second; `MB/s` is 10^6 of them, as data sheets and papers count.
pub(crate) const BANDWIDTH: Units = Units {
    kind: "a bandwidth",
    table: &[
        ("B/s", 1),
        ("kB/s", 1_000),
        ("MB/s", 1_000_000),
        ("GB/s", 1_000_000_000),
    ],
    bare: None,
    examples: "\"500 MB/s\", \"1.2 GB/s\"",
};

/// A share of the whole, in parts per million.
pub(crate) const FRACTION: Units = Units {
    kind: "a fraction",
    table: &[("%", 10_000)],
    bare: Some(1_000_000),
    examples: "0.25, \"25 %\"",
};

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadQuantity {
    /// Not a decimal number followed by a unit.
    Form,
    /// A number, but no unit where one is needed.
    NoUnit,
    /// A unit that this kind of quantity does not have.
    Unit(String),
    /// Finer than the base unit.
    TooFine,
    /// Beyond 64 bits.
    TooLarge,
}

impl Units {
    /// The value of `text` in the base unit.
    pub fn parse(&self, text: &str) -> Result<u64, BadQuantity> {
        let text = text.trim();
        let number_end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = (&text[..number_end], text[number_end..].trim_start());
        let (digits, decimals) = decimal(number)?;
        let worth = if unit.is_empty() {
            self.bare.ok_or(BadQuantity::NoUnit)?
        } else {
            let known = self.table.iter().find(|(name, _)| *name == unit);
            known.ok_or_else(|| BadQuantity::Unit(unit.to_owned()))?.1
        };
        let scaled = digits.checked_mul(u128::from(worth)).ok_or(BadQuantity::TooLarge)?;
        let divisor = 10u128.pow(decimals);
        if scaled % divisor != 0 {
            return Err(BadQuantity::TooFine);
        }
        u64::try_from(scaled / divisor).map_err(|_| BadQuantity::TooLarge)
    }

    /// `value` in the largest unit that holds it without a fraction.
    pub fn format(&self, value: u64) -> String {
        let whole = |worth: u64| value >= worth && value.is_multiple_of(worth);
        // The last of several names for the same worth is the long one (`MiB`, not `M`).
        let unit = self
            .table
            .iter()
            .rev()
            .find(|(name, worth)| name.is_ascii() && whole(*worth));
        match unit {
            Some((name, worth)) => format!("{} {name}", value / worth),
            None => format!("{value} {}", self.table[0].0),
        }
    }

    /// Returns true if it is a share of the whole, whose only unit is the percent.
    pub fn is_share(&self) -> bool {
        self.table == FRACTION.table
    }

    /// The names of all units, for an error.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.table.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }
}

/// A decimal number as digits and how many of them stand behind the point.
fn decimal(number: &str) -> Result<(u128, u32), BadQuantity> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return Err(BadQuantity::Form);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > 18 {
        return Err(BadQuantity::TooFine);
    }
    let mut digits = 0u128;
    for digit in whole.bytes().chain(fraction.bytes()) {
        digits = digits * 10 + u128::from(digit - b'0');
        if digits > u128::from(u64::MAX) << 60 {
            return Err(BadQuantity::TooLarge);
        }
    }
    Ok((digits, fraction.len() as u32))
}

/// A time in picoseconds as text that the reader takes back unchanged: `7500 ps` is shown as such, `64000000` as
/// `64 us`.
pub fn format_duration(ps: u64) -> String {
    DURATION.format(ps)
}

/// A time in picoseconds in the largest unit of which it has one, with all digits, as what a bound is must not be rounded: `70.312 us`; none is
/// `0 ns`.
pub fn spell_duration(ps: u64) -> String {
    let units = [
        (1_000_000_000_000, "s"),
        (1_000_000_000, "ms"),
        (1_000_000, "us"),
        (1000, "ns"),
    ];
    let Some(&(unit, name)) = units.iter().find(|&&(unit, _)| ps >= unit) else {
        return if ps == 0 { "0 ns".to_owned() } else { format!("{ps} ps") };
    };
    let fraction = format!("{:0width$}", ps % unit, width = unit.ilog10() as usize);
    let digits = format!("{}.{fraction}", ps / unit);
    format!("{} {name}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// A size in bytes as text that the reader takes back unchanged: `8 MiB`, `1536 KiB`, `100 B`.
pub fn format_size(bytes: u64) -> String {
    SIZE.format(bytes)
}

/// A frequency in hertz as text that the reader takes back unchanged: `2800 MHz`, `2 GHz`.
pub fn format_frequency(hertz: u64) -> String {
    FREQUENCY.format(hertz)
}

/// A bandwidth in bytes per second as text that the reader takes back unchanged: `500 MB/s`, `2 GB/s`.
pub fn format_bandwidth(bytes_per_s: u64) -> String {
    BANDWIDTH.format(bytes_per_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_exact() {
        assert_eq!(DURATION.parse("7.5 ns"), Ok(7_500));
        assert_eq!(DURATION.parse("7.8us"), Ok(7_800_000));
        assert_eq!(DURATION.parse("0 ps"), Ok(0));
        assert_eq!(DURATION.parse("1.000 ps"), Ok(1));
        assert_eq!(DURATION.parse("18446744.073709551615 s"), Ok(u64::MAX));
    }

    #[test]
    fn times_are_spelled_with_all_digits() {
        let spelled = [
            0,
            1,
            999,
            1000,
            70_312_000,
            4_832_013_500,
            64_000_000_000,
            1_000_000_000_001,
        ];
        let texts = [
            "0 ns",
            "1 ps",
            "999 ps",
            "1 ns",
            "70.312 us",
            "4.8320135 ms",
            "64 ms",
            "1.000000000001 s",
        ];
        assert_eq!(spelled.map(spell_duration), texts);
        assert_eq!(spell_duration(u64::MAX), "18446744.073709551615 s");
        assert!(spelled.iter().all(|&ps| DURATION.parse(&spell_duration(ps)) == Ok(ps)));
    }

    #[test]
    fn what_cannot_be_held_is_refused() {
        assert_eq!(DURATION.parse("0.5 ps"), Err(BadQuantity::TooFine));
        assert_eq!(DURATION.parse("0.0001 ns"), Err(BadQuantity::TooFine));
        assert_eq!(DURATION.parse("18446744.073709551616 s"), Err(BadQuantity::TooLarge));
        assert_eq!(
            DURATION.parse(&format!("{} s", "9".repeat(500))),
            Err(BadQuantity::TooLarge)
        );
        assert_eq!(
            DURATION.parse(&format!("0.{}1 s", "0".repeat(500))),
            Err(BadQuantity::TooFine)
        );
    }

    #[test]
    fn form_and_unit_are_checked() {
        assert_eq!(DURATION.parse("7"), Err(BadQuantity::NoUnit));
        assert_eq!(DURATION.parse("7 KiB"), Err(BadQuantity::Unit("KiB".into())));
        assert_eq!(SIZE.parse("8 MB"), Err(BadQuantity::Unit("MB".into())));
        for text in ["", "ns", "-1 ns", ".5 ns", "5. ns", "1.2.3 ns", "+4 ns"] {
            assert_eq!(DURATION.parse(text), Err(BadQuantity::Form), "{text}");
        }
        assert_eq!(DURATION.parse("1e3 ns"), Err(BadQuantity::Unit("e3 ns".into())));
    }

    #[test]
    fn sizes_take_short_and_long_units() {
        assert_eq!(SIZE.parse("1G"), Ok(1 << 30));
        assert_eq!(SIZE.parse("1.5 MiB"), Ok(3 << 19));
        assert_eq!(SIZE.parse("4096"), Ok(4096));
        assert_eq!(BANDWIDTH.parse("1.2 GB/s"), Ok(1_200_000_000));
        assert_eq!(FRACTION.parse("25 %"), Ok(250_000));
        assert_eq!(FRACTION.parse("0.125"), Ok(125_000));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in any::<u64>()) {
            for units in [DURATION, SIZE, FREQUENCY, BANDWIDTH] {
                prop_assert_eq!(units.parse(&units.format(value)), Ok(value));
            }
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            for units in [DURATION, SIZE, FREQUENCY, BANDWIDTH, FRACTION] {
                let _ = units.parse(&text);
            }
        }
    }
}
