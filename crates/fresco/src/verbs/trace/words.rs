// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recorded program in a few lines.

use fresco_load::trace::ftrace::recorded::{Ending, Kind, Trailer, WINDOW};

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// A number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes in the unit that fits.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..0x40_0000 => format!("{} KiB", bytes.div_ceil(1024)),
        0x40_0000..0x1_0000_0000 => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

/// How it ended.
pub fn ending(ending: Ending) -> String {
    match ending {
        Ending::Status(status) => format!("exit status {status}"),
        Ending::Signal(signal) => format!("ended by signal {signal}"),
        Ending::Stopped => "recording was stopped".to_owned(),
        Ending::Failed => "recording could not go on".to_owned(),
    }
}

/// What the trace counts, in `bytes` of a file.
pub fn lines(trailer: &Trailer, bytes: u64) -> Vec<String> {
    let counts = trailer.counts();
    let threads = trailer.threads.len();
    let of_threads = if threads == 1 {
        "1 thread".to_owned()
    } else {
        format!("{threads} threads")
    };
    let fetches = match counts.fetches {
        0 => String::new(),
        count => format!(", {} instruction fetches", grouped(count)),
    };
    let mut lines = vec![format!(
        "{} instructions, {} loads, {} stores{fetches} of {of_threads}; {}",
        grouped(counts.instructions),
        grouped(counts.loads),
        grouped(counts.stores),
        ending(trailer.ending),
    )];
    if counts.accesses() > 0 {
        let each = bytes as f64 / counts.accesses() as f64;
        lines.push(format!("{} bytes, {each:.2} per access", grouped(bytes)));
    }
    let pages = trailer.pages_by_kind();
    let kinds = Kind::ALL.iter().zip(pages).filter(|(_, pages)| *pages > 0);
    let kinds: Vec<String> = kinds
        .map(|(kind, pages)| format!("{} {}", kind.name(), size(pages * PAGE)))
        .collect();
    if !kinds.is_empty() {
        let all = size(pages.iter().sum::<u64>() * PAGE);
        lines.push(format!("touched {all} in pages: {}", kinds.join(", ")));
    }
    let depend = trailer.dependences();
    if depend.loads > 0 {
        let share = |count: u64| format!("{:.1} %", count as f64 * 100.0 / depend.loads as f64);
        let both = |[registers, all]: [u64; 2]| {
            format!(
                "{} through registers, {} also through words stored",
                share(registers),
                share(all)
            )
        };
        lines.push(format!(
            "loads that need a load among the {WINDOW} accesses before: {}",
            both(depend.near)
        ));
        lines.push(format!("loads that need the access just before: {}", both(depend.next)));
        if depend.loads < counts.loads {
            let (looked_at, all) = (grouped(depend.loads), grouped(counts.loads));
            lines.push(format!("these shares are of a sample, {looked_at} of {all} loads"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [1, 4096, 5 << 20, 6 << 30].map(size),
            ["1 KiB", "4 KiB", "5.0 MiB", "6.0 GiB"]
        );
    }
}
