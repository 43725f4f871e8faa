// SPDX-License-Identifier: MIT OR Apache-2.0
//! The built-in machines: their memory, its banks and colors.
//!
//!     cargo run -p fresco-machine --example machines

use fresco_machine::{builtin, builtin_names};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in builtin_names() {
        let machine = builtin(name)?;
        let organisation = machine.memory.organisation;
        let gibibytes = organisation.total_bytes() as f64 / f64::from(1 << 30);
        println!(
            "{name:<26} {gibibytes:>7.1} GiB in {} banks, {} colors of these: {}",
            organisation.banks_total(),
            machine.colors()?.bank_colors(),
            machine.title
        );
    }
    Ok(())
}
