// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod claim_files;
mod claims;
mod dataset;
mod documents;
mod figures;
mod gantt;
mod gantt_many;
mod perfetto;
mod promised_rows;
mod reading;
mod sheets;
mod stacked;
mod support;
