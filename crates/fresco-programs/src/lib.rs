// SPDX-License-Identifier: MIT OR Apache-2.0
//! The gallery of programs: recipes to record them, no data.
//!
//! A [`Recipe`] (`programs/programs.toml`) says which packages of Debian have the program, how its input is made on the spot, and which
//! part of it is recorded. [`packages`] asks what is installed, [`work`] makes the input and the command, and a [`Gallery`] is a
//! directory with what was recorded: which recording stands for which program of the papers.

mod gallery;
pub mod packages;
mod recipe;
pub mod work;

pub use gallery::{Entry, Gallery, Measured, trace};
pub use recipe::{Published, Recipe, named, recipes};
