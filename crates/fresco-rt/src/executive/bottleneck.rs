// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reason why jobs cannot be placed: a minimum cut, in words.

use std::fmt;

use crate::time::Time;

/// Jobs that together need more time than there is where they may run: a certificate that no placement exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    /// Task name and job number of each job, task by task.
    pub jobs: Vec<(String, u64)>,
    /// Sum of their execution times.
    pub demand: Time,
    /// Time, over all cores, in which at least one of them may run; less than `demand`.
    pub room: Time,
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let mut rest = self.jobs.as_slice();
        let mut first = true;
        while let Some((task, _)) = rest.first() {
            let count = rest.iter().take_while(|(name, _)| name == task).count();
            let (group, others) = rest.split_at(count);
            let numbers: Vec<String> = group.iter().take(SHOWN).map(|(_, index)| index.to_string()).collect();
            let more = if count > SHOWN {
                format!(" and {} more", count - SHOWN)
            } else {
                String::new()
            };
            let comma = if first { "" } else { ", " };
            write!(f, "{comma}{task} (job {}{more})", numbers.join(", "))?;
            (rest, first) = (others, false);
        }
        write!(
            f,
            " need {} together, but only {} is left where they may run",
            self.demand, self.room
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_a_sentence() {
        let jobs = vec![("lms".to_owned(), 0), ("lms".to_owned(), 3), ("st".to_owned(), 1)];
        let text = Bottleneck {
            jobs,
            demand: 12,
            room: 8,
        }
        .to_string();
        assert_eq!(
            text,
            "lms (job 0, 3), st (job 1) need 12 together, but only 8 is left where they may run"
        );
    }
}
