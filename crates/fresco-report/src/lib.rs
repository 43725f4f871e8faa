// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables, figures and reports. Plain data in, bytes out: this crate knows nothing of simulation, and leaves writing
//! files to its callers.

pub mod claims;
mod document;
mod error;
mod escape;
mod html;
pub mod number;
pub mod plot;
mod provenance;
mod table;

pub use document::Document;
pub use error::ReportError;
pub use html::{Block, HtmlReport, Section};
pub use provenance::{InputFile, Provenance};
pub use table::{Cell, Column, Table, Tone};
