// SPDX-License-Identifier: MIT OR Apache-2.0
//! What must hold of the states of all lines at any time.

use super::{Above, MemorySystem};
use crate::cache::LineState;
use std::collections::BTreeSet;

impl MemorySystem {
    /// One writer or many readers; what is modified or exclusive is nowhere else; a line that is dirty in one last-level cache is in no other
    /// cluster.
    ///
    /// # Panics
    /// If that does not hold.
    pub fn check_coherence(&mut self, above: &mut impl Above) {
        for core in 0..self.cores.len() as u32 {
            let lines: BTreeSet<_> = above.caches(core).lines().collect();
            for line in lines {
                let state = above.caches(core).state(line);
                let others = self.others(core, line, above);
                match state {
                    LineState::Modified | LineState::Exclusive => {
                        assert!(
                            !others.is_any(),
                            "core {core} has {line} {state:?}, and there is {others:?}"
                        );
                    }
                    LineState::Shared => {
                        let dirty = above.caches(core).is_dirty(line);
                        assert!(
                            !dirty && others.owner.is_none(),
                            "core {core} shares {line}, dirty {dirty}, {others:?}"
                        );
                    }
                    LineState::Invalid => {}
                }
            }
        }
        let dirty = self.caches.iter().enumerate();
        let dirty: Vec<_> = dirty
            .flat_map(|(group, cache)| {
                cache
                    .lines()
                    .filter(|line| line.dirty)
                    .map(move |line| (group, line.line))
            })
            .collect();
        for (group, line) in dirty {
            let cores = group as u32 * self.cores_per_cache..;
            let own: Vec<u32> = cores.take(self.cores_per_cache as usize).collect();
            let elsewhere = (0..self.cores.len() as u32).filter(|core| !own.contains(core));
            for core in elsewhere {
                let state = above.caches(core).state(line);
                assert_eq!(
                    state,
                    LineState::Invalid,
                    "{line} is dirty in cache {group}, and core {core} has it"
                );
            }
            let caches = self.caches.iter().filter(|cache| cache.contains(line)).count();
            assert_eq!(caches, 1, "{line} is dirty in cache {group}, and others have it");
        }
    }
}
