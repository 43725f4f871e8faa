// SPDX-License-Identifier: MIT OR Apache-2.0
//! Classes go away with the last process in them.

use super::{Class, Tree, lock};
use rustix::io::Errno;

/// Starts the keeper of these classes. It looks at them from the end of the process `owner` on, and ends when it has
/// removed them all; it is in the first class itself. If it is killed, the next class that is made removes what it has left.
///
/// # Errors
/// There is no room for a process.
pub fn keep(tree: &Tree, classes: &[Class], owner: u32) -> Result<(), Errno> {
    let mut left: Vec<&Class> = classes.iter().collect();
    crate::keeper::keep(owner, false, || {
        if let Ok(_lock) = lock(tree) {
            left.retain(|class| {
                let empty = class.is_empty();
                if empty {
                    class.remove();
                }
                !empty && class.path().is_dir()
            });
        }
        // Unmounted, it has no classes any more.
        left.is_empty() || !tree.root().join("schemata").is_file()
    })
}
