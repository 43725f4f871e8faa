// SPDX-License-Identifier: MIT OR Apache-2.0
//! Published characteristics of programs that cannot be shipped (BEN-10, BEN-11, BEN-12), from `published.toml`, which says
//! where each number comes from.

use fresco_input::{Document, InputError, Table};

/// What a model is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Characteristics {
    /// The program it stands for.
    pub name: String,
    /// Its memory in bytes.
    pub footprint: u64,
    /// Misses of the last-level cache in a million instructions, 1 to 10⁶.
    pub misses: u64,
    /// Of a hundred misses, how many are stores.
    pub stores: u32,
    /// Neighbouring lines of 64 bytes missed one after the other.
    pub run: u64,
    /// Loads outstanding at once at most.
    pub parallel: u32,
    /// Cycles in a thousand instructions for which no miss is the reason.
    pub stalls: u32,
}

const FILE: &str = "published.toml";
const TEXT: &str = include_str!("published.toml");

/// Bytes of a line.
const LINE: u64 = 64;
/// Clock of the processor on which bandwidth and IPC were measured: a Xeon W3530.
const CLOCK_MHZ: u64 = 2800;

/// All programs of which characteristics are published, in the order of the file.
///
/// # Errors
/// None: the file is part of the program, and a test reads it.
pub fn characteristics() -> Result<Vec<Characteristics>, InputError> {
    let document = Document::parse(FILE, TEXT)?;
    let root = document.root();
    let models = root.array_of_tables("model")?.into_iter().map(read).collect();
    root.finish()?;
    models
}

fn read(table: Table<'_>) -> Result<Characteristics, InputError> {
    let misses = match table.opt_integer("bandwidth", 1..=100_000u64)? {
        // MB/s by bytes of a line: a million misses a second; ipc / 100 times MHz: a million instructions a second.
        Some(bandwidth) => bandwidth * 1_000_000 * 100 / (LINE * CLOCK_MHZ * table.integer("ipc", 1..=800u64)?),
        None => table.integer("misses", 1..=1_000_000)?,
    };
    let model = Characteristics {
        name: table.text("name")?.to_owned(),
        footprint: table.size("footprint", 4096..=1 << 34)? / LINE * LINE,
        misses,
        stores: table.integer("stores", 0..=100)?,
        run: table.integer("run", 1..=1 << 20)?,
        parallel: table.integer("parallel", 1..=64)?,
        stalls: table.integer("stalls", 0..=10_000)?,
    };
    table.finish()?;
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Characteristics {
        let all = characteristics().expect("the file is sound");
        all.into_iter()
            .find(|model| model.name == name)
            .expect("is in the file")
    }

    #[test]
    fn misses_from_bandwidth_and_ipc() {
        // 3158 MB/s are 49.34 million lines; 0.88 at 2.8 GHz are 2464 million instructions.
        assert_eq!(of("470.lbm").misses, 20_025);
        assert_eq!(of("429.mcf").misses, 99_800);
        assert_eq!(of("429.mcf").footprint, 1_700_000_000);
    }

    #[test]
    fn classes_are_those_of_the_papers() {
        for (name, class) in [
            ("429.mcf", 'H'),
            ("410.bwaves", 'H'),
            ("459.GemsFDTD", 'M'),
            ("npb-ua", 'M'),
            ("453.povray", 'L'),
            ("464.h264ref", 'L'),
        ] {
            let misses = of(name).misses;
            let found = if misses > 10_000 {
                'H'
            } else if misses >= 1000 {
                'M'
            } else {
                'L'
            };
            assert_eq!(found, class, "{name}");
        }
    }
}
