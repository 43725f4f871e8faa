// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many times slower a task is than where it is compared with (MET-5).

use super::RunResult;
use super::spread::ratio;

impl RunResult {
    /// IPC of task `number` in `base`, the same repetition of the baseline's point, over its IPC here. `None` if it does not run
    /// there or never had its core here: it is not slower then.
    pub fn slowdown(&self, number: usize, base: &Self) -> Option<f64> {
        let task = self.tasks.get(number)?;
        let base = base.tasks.iter().find(|other| other.name == task.name)?;
        (task.instructions > 0).then(|| ratio(base.instructions_per_cycle, task.instructions_per_cycle))
    }
}
