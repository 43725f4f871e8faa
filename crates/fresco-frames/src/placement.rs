// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which nodes an uncolored task gets its frames from: libnuma's policies (CAMC-27).

use crate::{FrameError, Memory};
use serde::{Deserialize, Serialize};

/// From which nodes, and in which order. A colored task has the nodes of its colors; a placement other than
/// [`Placement::Local`] then says which zones are searched, in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The task's own node, then the nearest one that has a free frame (`numa_alloc_local`).
    #[default]
    Local,
    /// This node, then the one nearest to it that has a free frame (`numa_set_preferred`).
    Preferred(u32),
    /// These nodes only, in this order (`numa_bind`).
    Bind(Vec<u32>),
    /// Page by page these nodes in turn; where the next has no free frame, the one after it, and other nodes last
    /// (`numa_alloc_interleaved_subset`).
    Interleave(Vec<u32>),
}

impl Placement {
    /// The zones of part 0 in the order in which they are asked, and how many of the first of them take turns.
    ///
    /// # Errors
    /// [`FrameError::UnknownNode`]; [`FrameError::Memory`] for chosen nodes where the machine interleaves them within
    /// blocks, so that no zone is one node's, and for an empty list.
    pub(crate) fn zones(&self, home_node: u32, memory: &Memory) -> Result<(Vec<u32>, usize), FrameError> {
        let fallback = |node: u32| {
            let nodes = memory.nodes();
            let zones = memory.fallback(node);
            zones
                .map(<[u32]>::to_vec)
                .ok_or(FrameError::UnknownNode { node, nodes })
        };
        let local = fallback(home_node)?;
        let named: &[u32] = match self {
            Self::Local => return Ok((local, 1)),
            Self::Preferred(node) => std::slice::from_ref(node),
            Self::Bind(nodes) | Self::Interleave(nodes) => nodes,
        };
        for &node in named {
            fallback(node)?;
        }
        let bad = |what: &str| Err(FrameError::Memory { what: what.to_owned() });
        if memory.zones_of_part() < memory.nodes() {
            return bad("the machine interleaves its nodes within blocks of pages, so pages cannot choose a node");
        }
        let mut zones: Vec<u32> = Vec::new();
        for &node in named {
            if !zones.contains(&node) {
                zones.push(node);
            }
        }
        match (self, zones.first()) {
            (_, None) => bad("a list of nodes names none"),
            (Self::Preferred(_), Some(&node)) => Ok((fallback(node)?, 1)),
            (Self::Interleave(_), Some(_)) => {
                let turns = zones.len();
                let rest: Vec<u32> = local.into_iter().filter(|zone| !zones.contains(zone)).collect();
                zones.extend(rest);
                Ok((zones, turns))
            }
            _ => Ok((zones, 1)),
        }
    }
}
