// SPDX-License-Identifier: MIT OR Apache-2.0
//! Integration tests, one program for all of them.

mod schema;
