// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds that can be worked out by hand.
