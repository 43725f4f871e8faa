// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden files: what an output must look like, byte for byte. `FRESCO_BLESS=1 cargo test` writes them anew; look at
//! the difference before committing it.

pub mod charts;
pub mod rectangles;
pub mod svg;

use fresco_report::{InputFile, Provenance};
use std::path::Path;

/// Compares `text` with `tests/golden/NAME`, or writes it there when blessing.
pub fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("FRESCO_BLESS").is_some() {
        std::fs::write(&path, text).expect("golden file written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != text {
        let line = expected.lines().zip(text.lines()).position(|(old, new)| old != new);
        let line = line.unwrap_or(expected.lines().count().min(text.lines().count()));
        panic!(
            "{name} changed at line {}:\n  golden: {}\n  now:    {}\nFRESCO_BLESS=1 cargo test accepts it",
            line + 1,
            expected.lines().nth(line).unwrap_or("(end)"),
            text.lines().nth(line).unwrap_or("(end)"),
        );
    }
}

/// What a run of `make demo` would be stamped with.
pub fn provenance() -> Provenance {
    let mut provenance = Provenance::new("0.1.0", "fresco reproduce palloc", 1);
    provenance.revision = Some("4f817c0".to_owned());
    provenance
        .machine_files
        .push(InputFile::new("xeon-w3530", "9f86d081884c7d65"));
    provenance
}
