// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables, figures, reports, and data for other programs. Plain data in, bytes out: this crate knows nothing of simulation, and leaves writing
//! files to its callers.
//!
//! ```
//! use fresco_report::plot::{Axis, Heading, LineChart, Point, Series};
//! use fresco_report::{Column, HtmlReport, Provenance, Section, Table};
//!
//! let provenance = Provenance::new("0.1.0", "fresco sim demo.toml", 1);
//! let mut table = Table::new("Latency", vec![Column::text("policy"), Column::number("mean", "ns", 1)]);
//! table.push(vec!["samebank".into(), 191.0.into()])?;
//!
//! let mut chart = LineChart::new(
//!     Heading::new("Latency of core 0", "Xeon W3530"),
//!     Axis::new("co-runners", ""),
//!     Axis::new("latency", "ns").from_zero(),
//! );
//! chart.series.push(Series { name: "samebank".into(), points: vec![Point::new(0.0, 61.0), Point::new(3.0, 191.0)] });
//!
//! let mut report = HtmlReport::new("Demo", "Sharing a bank triples the latency.", provenance.clone());
//! report.sections.push(Section::new("Latency").figure(chart.to_svg(&provenance)?, "").table(table));
//! assert!(report.to_html().contains("What was run"));
//! # Ok::<(), fresco_report::ReportError>(())
//! ```

pub mod claims;
pub mod dataset;
mod document;
mod error;
mod escape;
mod html;
pub mod number;
mod pdf;
pub mod perfetto;
pub mod plot;
mod provenance;
mod table;

pub use document::Document;
pub use error::ReportError;
pub use html::{Block, Entry, HtmlReport, Section};
pub use provenance::{InputFile, Provenance};
pub use table::{Cell, Column, Table, Tone};
