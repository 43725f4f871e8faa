// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library that `fresco run` puts before a program (`LD_PRELOAD`). It stands in front of the C library with the
//! malloc family, over mimalloc, and with the mmap family; all private anonymous memory that comes from either is
//! watched by the pager of `fresco-linux`, which places its pages in frames of the colors asked for.
//!
//! Without a request in the environment, or where what is needed cannot be had, it passes on to the C library.

mod early;
mod huge;
mod last;
mod library;
mod malloc;
mod map;
mod marks;
mod misuse;
mod next;
mod own;
mod own_heap;
mod ranges;
mod remap;
mod report;
mod spare;
mod state;
mod threads;
mod totals;
mod users;
