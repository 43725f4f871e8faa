// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of options: utilisations, bounds, periods, times.

use crate::arguments::duration;
use fresco_input::InputError;
use fresco_rt::Time;
use fresco_rt::generate::Periods;

/// Utilisations in millionths, ascending.
#[derive(Clone, Debug)]
pub struct Utilizations(pub Vec<u32>);

/// Least and greatest utilisation of a task, in millionths.
#[derive(Clone, Copy, Debug)]
pub struct Bounds(pub (u32, u32));

/// Most utilisations of a range.
const MOST_POINTS: u32 = 1000;
/// Longest time: 1000 s.
const LONGEST: Time = 1_000_000_000_000;

/// One utilisation, or FROM:TO:STEP.
pub fn utilizations(text: &str) -> Result<Utilizations, InputError> {
    let refused = |help: &str| {
        InputError::new("--utilization", format!("found {text:?}"))
            .allowed("a number above 0 with up to 6 decimals, or FROM:TO:STEP of such")
            .help(help)
    };
    let parts: Option<Vec<u32>> = text.split(':').map(millionths).collect();
    let parts = parts.ok_or_else(|| refused("write it as 0.8 or 0.5:1.0:0.05"))?;
    match parts.as_slice() {
        &[one] if one > 0 => Ok(Utilizations(vec![one])),
        &[from, to, step] if from > 0 && step > 0 && from <= to => {
            let count = (to - from) / step;
            if count >= MOST_POINTS {
                return Err(refused("choose a longer step: a range has 1000 points at most"));
            }
            Ok(Utilizations((0..=count).map(|k| from + k * step).collect()))
        }
        [_, _, _] => Err(refused("begin above 0, end no earlier, and take a step above 0")),
        _ => Err(refused("write it as 0.8 or 0.5:1.0:0.05")),
    }
}

/// MIN:MAX.
pub fn bounds(text: &str) -> Result<Bounds, InputError> {
    let parts = text
        .split_once(':')
        .map(|(low, high)| (millionths(low), millionths(high)));
    match parts {
        Some((Some(low), Some(high))) if low <= high && high <= 1_000_000 => Ok(Bounds((low, high))),
        _ => Err(InputError::new("--bounds", format!("found {text:?}"))
            .allowed("MIN:MAX with 0 <= MIN <= MAX <= 1 and up to 6 decimals")
            .help("write them as 0.02:0.4")),
    }
}

/// Cost of a handler in ns.
pub fn handler(text: &str) -> Result<Time, InputError> {
    time("--handler", text, 0)
}

/// A list, or a rule by name.
pub fn periods(text: &str) -> Result<Periods, InputError> {
    let period = |part: &str| time("--periods", part, 1);
    let refused = |help: &str| {
        InputError::new("--periods", format!("found {text:?}"))
            .allowed("a list as 8ms,10ms; log:LEAST:MOST[:STEP]; divisors:WHOLE:LEAST:MOST; harmonic:LEAST:COUNT")
            .help(help)
    };
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let periods = match parts.as_slice() {
        ["log", least, most] => Periods::LogUniform {
            least: period(least)?,
            most: period(most)?,
            step: 1_000_000,
        },
        ["log", least, most, step] => Periods::LogUniform {
            least: period(least)?,
            most: period(most)?,
            step: period(step)?,
        },
        ["divisors", whole, least, most] => Periods::divisors(period(whole)?, period(least)?, period(most)?),
        ["harmonic", least, count] => {
            let count: u32 = count.parse().map_err(|_| refused("write the count in digits"))?;
            Periods::harmonic(period(least)?, count)
        }
        [list] => Periods::List(list.split(',').map(period).collect::<Result<_, _>>()?),
        _ => return Err(refused("see the examples of --help")),
    };
    match &periods {
        Periods::List(list) if list.is_empty() => Err(refused("choose a wider range, so that there is a period in it")),
        Periods::List(list) if list.iter().any(|&p| p > LONGEST) => Err(refused("keep periods up to 1000 s")),
        Periods::LogUniform { least, most, step } if step > least || least > most => {
            Err(refused("let the range ascend, from the step on"))
        }
        _ => Ok(periods),
    }
}

/// A time in whole nanoseconds.
fn time(option: &str, text: &str, least: Time) -> Result<Time, InputError> {
    let picoseconds = duration(option, text, least * 1000..=LONGEST * 1000)?;
    match picoseconds % 1000 {
        0 => Ok(picoseconds / 1000),
        _ => Err(InputError::new(option, format!("found {text:?}"))
            .allowed("whole nanoseconds")
            .help("round it")),
    }
}

/// A decimal number from 0 to 1000 in millionths.
fn millionths(text: &str) -> Option<u32> {
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 6 {
        return None;
    }
    let whole: u32 = whole.parse().ok().filter(|&whole| whole <= 1000)?;
    let decimals: u32 = format!("{decimals:0<6}").parse().ok()?;
    Some(whole * 1_000_000 + decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilizations_and_bounds() {
        let points = |text: &str| utilizations(text).map(|found| found.0);
        assert_eq!(points("0.8"), Ok(vec![800_000]));
        assert_eq!(points("0.5:0.65:0.05"), Ok(vec![500_000, 550_000, 600_000, 650_000]));
        for wrong in [
            "",
            "0",
            "-1",
            "x",
            "0.5:0.4:0.1",
            "0.1:1:0",
            "0.1:1",
            "0.1234567",
            "1.",
            "0.1:900:0.0001",
        ] {
            let error = points(wrong).expect_err(wrong);
            assert!(!error.help.is_empty() && !error.allowed.is_empty());
        }
        assert_eq!(bounds("0.02:1").unwrap().0, (20_000, 1_000_000));
        assert!(bounds("0.5:0.4").is_err() && bounds("0.5").is_err() && bounds("0:1.1").is_err());
    }

    #[test]
    fn periods_by_list_and_by_rule() {
        assert_eq!(periods("8ms, 1500 us"), Ok(Periods::List(vec![8_000_000, 1_500_000])));
        assert_eq!(
            periods("harmonic:5ms:3"),
            Ok(Periods::List(vec![5_000_000, 10_000_000, 20_000_000]))
        );
        let divisors = periods("divisors:40ms:10ms:20ms").unwrap();
        assert!(matches!(divisors, Periods::List(list) if list.contains(&10_000_000) && list.len() < 20));
        let log = Periods::LogUniform {
            least: 1_000_000,
            most: 100_000_000,
            step: 1_000_000,
        };
        assert_eq!(periods("log:1ms:100ms"), Ok(log));
        for wrong in [
            "8",
            "8ms,",
            "log:1ms",
            "log:5ms:1ms",
            "divisors:7ns:8ns:9ns",
            "harmonic:1ms:x",
            "a:b:c",
            "0ms",
        ] {
            let error = periods(wrong).expect_err(wrong);
            assert!(error.file == "--periods" && !error.help.is_empty(), "{wrong}: {error}");
        }
        assert_eq!(handler("2us"), Ok(2_000));
        assert!(handler("0.5ns").is_err() && handler("\"").is_err());
    }
}
