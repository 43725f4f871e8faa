// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library that `fresco run` puts before a program (`LD_PRELOAD`). It stands in front of the C library with the
//! malloc family, over mimalloc, and with the mmap family; all private anonymous memory that comes from either is
//! watched by the pager of `fresco-linux`, which places its pages in frames of the colours asked for.
//!
//! Without a request in the environment, or where the kernel denies what is needed, it is an allocator and no more.

mod early;
mod last;
mod malloc;
mod map;
mod next;
mod own_heap;
mod ranges;
mod report;
mod state;
mod threads;
mod users;
