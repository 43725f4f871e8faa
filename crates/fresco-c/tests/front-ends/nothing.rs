// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nothing: the package is there for what it depends on.
