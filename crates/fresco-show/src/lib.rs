// SPDX-License-Identifier: MIT OR Apache-2.0
//! From results to what people look at: tables, sentences, figures, pages. Nothing is simulated here.

pub mod agents;
pub mod anatomy;
pub mod bars;
pub mod budgets;
pub mod cdf;
pub mod controllers;
pub mod cores;
pub mod figures;
pub mod gantt;
pub mod inputs;
pub mod json;
pub mod lanes;
pub mod lead;
pub mod lines;
pub mod page;
pub mod plan;
pub mod refresh;
pub mod rows;
pub mod schedule;
pub mod subject;
pub mod sweep;
pub mod table;
pub mod tail;
pub mod teams;
#[cfg(test)]
mod testing;
pub mod text;
pub mod timelines;
pub mod together;
pub mod trace;
pub mod walks;
pub mod why;
pub mod words;
