// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers as text: the same digits on every machine.

/// `value` with exactly `decimals` digits after the point; never "-0".
///
/// ```
/// assert_eq!(fresco_report::number::fixed(14.406, 2), "14.41");
/// assert_eq!(fresco_report::number::fixed(-0.001, 1), "0.0");
/// ```
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// `value` to four significant digits, all digits before the point kept, trailing zeros dropped; scientific notation
/// outside 1e-4 to 1e9.
///
/// ```
/// assert_eq!(fresco_report::number::compact(572_935.0), "572935");
/// assert_eq!(fresco_report::number::compact(22.50001), "22.5");
/// assert_eq!(fresco_report::number::compact(0.000_012_34), "1.234e-5");
/// ```
pub fn compact(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{:e}", round_significant(value, 4));
    }
    // The exponent is between -4 and 8: exact in i32.
    let exponent = size.log10().floor() as i32;
    let decimals = usize::try_from(3 - exponent).unwrap_or(0);
    trimmed(&fixed(value, decimals))
}

/// `value` rounded to `digits` significant digits, by way of its decimal text.
fn round_significant(value: f64, digits: usize) -> f64 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.parse().unwrap_or(value)
}

/// `text` without trailing zeros after its decimal point.
fn trimmed(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_keeps_integers_and_cuts_fractions() {
        assert_eq!(compact(0.0), "0");
        assert_eq!(compact(-0.0), "0");
        assert_eq!(compact(1.0), "1");
        assert_eq!(compact(-2.5), "-2.5");
        assert_eq!(compact(9.99996), "10");
        assert_eq!(compact(1234.56), "1235");
        assert_eq!(compact(0.717), "0.717");
        assert_eq!(compact(3e12), "3e12");
    }

    #[test]
    fn fixed_has_no_negative_zero() {
        assert_eq!(fixed(-0.0, 2), "0.00");
        assert_eq!(fixed(-0.004, 2), "0.00");
        assert_eq!(fixed(-0.006, 2), "-0.01");
    }
}
