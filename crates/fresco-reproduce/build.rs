// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells the library which state the kernel's patches have: `FRESCO_KERNEL_STATE`.

#[path = "build/kernel_state.rs"]
mod kernel_state;

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    match kernel_state::of(Path::new("../../kernel")) {
        Ok(state) => println!("cargo:rustc-env=FRESCO_KERNEL_STATE={state}"),
        Err(error) => println!("cargo:error=the kernel's patches cannot be read: {error}"),
    }
}
