// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong, with the place and the help.

use crate::{ColorSet, TaskId};
use fresco_dram::FrameNumber;
use std::fmt;

/// Why the allocator refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// A color pattern that is none.
    Pattern {
        /// As given.
        pattern: String,
    },
    /// Memory regions or distances that make no machine, or that contradict the address map.
    Memory {
        /// What is wrong.
        what: String,
    },
    /// A starting state that cannot be.
    Boot {
        /// What is wrong.
        what: String,
    },
    /// There is no such task.
    UnknownTask {
        /// As given.
        task: TaskId,
    },
    /// The task is registered already.
    DuplicateTask {
        /// As given.
        task: TaskId,
    },
    /// There is no such node, or zone.
    UnknownNode {
        /// As given.
        node: u32,
        /// Number of nodes (or zones) of the machine.
        nodes: u32,
    },
    /// There is no such color.
    UnknownColor {
        /// `bank` or `LLC`.
        kind: &'static str,
        /// As given.
        color: u32,
        /// Number of colors of this kind.
        colors: u32,
    },
    /// The set of colors is empty, or no frame the task may use has a bank color and an LLC color of its sets (MAP-16).
    NoSuchFrames {
        /// The task.
        task: TaskId,
        /// Bank colors asked for.
        banks: ColorSet,
        /// LLC colors asked for; `None` for all.
        llc: Option<ColorSet>,
        /// Row domains asked for; `None` for none.
        rows: Option<ColorSet>,
    },
    /// Row domains that are not set apart, or that have no frame on the nodes that the task may use.
    NoSuchRows {
        /// The task.
        task: TaskId,
        /// Row domains asked for; empty for the memory that is everybody's.
        rows: ColorSet,
    },
    /// The policy does not do this.
    Policy {
        /// The task.
        task: TaskId,
        /// What was asked of which policy.
        what: &'static str,
    },
    /// A hard partition gives a bank to one task only.
    BankTaken {
        /// The task that wants the bank too.
        task: TaskId,
        /// Bank color.
        bank: u32,
        /// The task that has it.
        other: TaskId,
    },
    /// CAMC found too few colors that no other task uses.
    NoFreeColor {
        /// The task.
        task: TaskId,
        /// Its node.
        node: u32,
        /// Colors wanted.
        wanted: u32,
        /// Colors of the node that nobody uses.
        unused: ColorSet,
        /// Colors of other nodes that nobody uses.
        unused_elsewhere: ColorSet,
    },
    /// The frames of a task's colors are used up (PAL-6, RLIM-2).
    OutOfColor {
        /// The task.
        task: TaskId,
        /// Its bank colors.
        banks: ColorSet,
        /// Its LLC colors; `None` for all.
        llc: Option<ColorSet>,
        /// Its row domains; `None` for none.
        rows: Option<Box<ColorSet>>,
        /// Frames it holds.
        held: u64,
        /// Free frames of other colors or row domains, on all nodes.
        free_elsewhere: u64,
        /// Bank colors that no task uses.
        unused: ColorSet,
    },
    /// The row domains of an uncolored task are used up, or the memory that is everybody's where others have been set apart.
    OutOfRows {
        /// The task.
        task: TaskId,
        /// Its row domains; `None` for the memory that is everybody's.
        rows: Option<ColorSet>,
        /// Frames it holds.
        held: u64,
        /// Free frames elsewhere, in row domains of other tasks too.
        free_elsewhere: u64,
    },
    /// No block of the order is free.
    OutOfMemory {
        /// Node of the request.
        node: u32,
        /// Order of the block.
        order: u32,
        /// Free frames of the machine, of any block size.
        free: u64,
        /// Of these, frames in color lists, where they do not merge (RLIM-1).
        in_color_lists: u64,
    },
    /// The task's memory limit (PAL-6).
    Limit {
        /// The task.
        task: TaskId,
        /// In frames.
        limit: u64,
    },
    /// The block is not held by the one who gives it back: a double free, or another's frame.
    NotOwned {
        /// Who gave it back; [`TaskId::KERNEL`] for [`crate::Frames::free_order`].
        task: TaskId,
        /// The frame.
        frame: FrameNumber,
    },
    /// An order beyond [`crate::MAX_ORDER`].
    Order {
        /// As given.
        order: u32,
    },
}

/// What else frames have, besides bank colors: LLC colors and row domains.
struct Also<'a>(&'a Option<ColorSet>, Option<&'a ColorSet>);

impl fmt::Display for Also<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(llc) = self.0 {
            write!(f, " with LLC colors {llc}")?;
        }
        self.1.map_or(Ok(()), |rows| write!(f, " in row domains {rows}"))
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { pattern } => {
                write!(
                    f,
                    "color pattern `{pattern}`: write 1 to 16 of the characters 0, 1 and X, highest bit first"
                )
            }
            Self::Memory { what } => write!(f, "memory regions: {what}"),
            Self::Boot { what } => write!(f, "starting state of the memory: {what}"),
            Self::UnknownTask { task } => write!(f, "{task} is not registered, or has exited"),
            Self::DuplicateTask { task } => write!(f, "{task} is registered already; change its colors instead"),
            Self::UnknownNode { node, nodes } => {
                write!(f, "there is no node {node}; the machine has {}", Range(*nodes))
            }
            Self::UnknownColor { kind, color, colors } => {
                write!(
                    f,
                    "there is no {kind} color {color}; the machine has {}",
                    Range(*colors)
                )
            }
            Self::NoSuchFrames { task, banks, llc, rows } => write!(
                f,
                "{task}: no frame in its zones has bank colors {banks}{}; choose colors that exist together, on nodes the \
                 task may use",
                Also(llc, rows.as_ref())
            ),
            Self::NoSuchRows { task, rows } if rows.is_empty() => write!(
                f,
                "{task}: all memory of its nodes is in row domains that are set apart; leave a domain to nobody, or give the task some"
            ),
            Self::NoSuchRows { task, rows } => write!(
                f,
                "{task}: row domains {rows} are not all set apart, or have no frame on the nodes that it may use; name others, or other nodes"
            ),
            Self::Policy { task, what } => write!(f, "{task}: {what}"),
            Self::BankTaken { task, bank, other } => write!(
                f,
                "{task} wants bank color {bank}, which {other} has; a hard partition gives a bank to one task only. Choose \
                 other banks, or the soft partition"
            ),
            Self::NoFreeColor {
                task,
                node,
                wanted,
                unused,
                unused_elsewhere,
            } => write!(
                f,
                "{task} wants {wanted} bank colors of node {node} that no other task uses, and there are {} ({unused}); \
                 other nodes have {} ({unused_elsewhere}). Use fewer colors per task, end a task, or allow remote or \
                 shared colors",
                unused.len(),
                unused_elsewhere.len()
            ),
            Self::OutOfColor {
                task,
                banks,
                llc,
                rows,
                held,
                free_elsewhere,
                unused,
            } => write!(
                f,
                "{task} has used up its bank colors {banks}{}: it holds {held} frames, and {free_elsewhere} frames of \
                 other colors are free. Give it more colors (in use by no task: {unused}), or let it spill",
                Also(llc, rows.as_deref())
            ),
            Self::OutOfRows {
                task,
                rows,
                held,
                free_elsewhere,
            } => {
                match rows {
                    Some(rows) => write!(f, "{task} has used up its row domains {rows}")?,
                    None => write!(f, "{task} has used up the row domains that no task names")?,
                }
                write!(
                    f,
                    ": it holds {held} frames, and {free_elsewhere} are free elsewhere. Give it more or larger domains"
                )
            }
            Self::OutOfMemory {
                node,
                order,
                free,
                in_color_lists,
            } => write!(
                f,
                "no free block of {} frames for node {node}: {free} frames are free, {in_color_lists} of them single in \
                 color lists, where they do not merge. Use more memory or smaller programs, or flush the color lists",
                1u64 << order
            ),
            Self::Limit { task, limit } => write!(f, "{task} has reached its limit of {limit} frames; raise the limit"),
            Self::NotOwned { task, frame } => write!(f, "{task} does not hold the block at frame {frame}"),
            Self::Order { order } => write!(f, "a block of order {order}: the largest order is {}", crate::MAX_ORDER),
        }
    }
}

/// `0 to n-1`, or `none`.
struct Range(u32);

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("none"),
            1 => f.write_str("only 0"),
            n => write!(f, "0 to {}", n - 1),
        }
    }
}

impl std::error::Error for FrameError {}
