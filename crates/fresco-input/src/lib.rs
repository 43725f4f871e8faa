// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every reader of user input shares: TOML whose values know their line, readers that check kind and range, and
//! errors that name the place, what is allowed there and the help.
//!
//! ```
//! let text = "cores = 4\n[l1]\nsize = \"32 KiB\"\n";
//! let mut doc = fresco_input::Document::parse("machine.toml", text)?;
//! doc.set("l1.size=64 KiB")?;
//! let root = doc.root();
//! let cores = root.integer("cores", 1..=1024u32)?;
//! let l1 = root.table("l1")?;
//! let size = l1.size("size", 1024..=1 << 30)?;
//! l1.finish()?;
//! root.finish()?;
//! assert_eq!((cores, size), (4, 65536));
//! # Ok::<(), fresco_input::InputError>(())
//! ```

mod asked;
mod document;
mod error;
mod files;
mod item;
mod leaves;
mod literal;
mod node;
mod numbers;
mod overrides;
mod place;
mod quantity;
mod readers;
mod same_file;
mod standard_input;
mod suggest;
mod table;

pub use asked::{Asked, Note, Shape, listen};
pub use document::Document;
pub use error::{Fault, InputError, Kind};
pub use files::{MAX_TEXT_BYTES, check_writable, create_beside, decode, larger, read_file, write_atomically};
pub use item::Item;
pub use literal::quoted;
pub use quantity::{format_bandwidth, format_duration, format_frequency, format_size, spell_duration};
pub use same_file::{refuse_overwriting, same_file};
pub use standard_input::{file_name, is_standard_input, take_standard_input};
pub use suggest::closest;
pub use table::Table;
