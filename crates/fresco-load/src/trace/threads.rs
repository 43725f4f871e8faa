// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of a foreign trace, which names them as the operating system did.

use super::ftrace::MAX_THREADS;
use std::collections::BTreeMap;

/// Numbers from 0 on, in the order in which threads appear.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    numbers: BTreeMap<u64, u16>,
    /// The one that was asked for last.
    last: Option<(u64, u16)>,
}

impl Threads {
    /// The number of a thread; what is wrong if it is one too many.
    pub fn number(&mut self, id: u64) -> Result<u16, String> {
        if let Some((last, number)) = self.last
            && last == id
        {
            return Ok(number);
        }
        let next = self.numbers.len() as u16;
        let number = match self.numbers.get(&id) {
            Some(number) => *number,
            None if next < MAX_THREADS => *self.numbers.entry(id).or_insert(next),
            None => return Err(format!("thread {id}, the first after {MAX_THREADS} others")),
        };
        self.last = Some((id, number));
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbered_as_they_appear() {
        let mut threads = Threads::default();
        let found: Vec<_> = [70, 5, 70, 5, 9].map(|id| threads.number(id).expect("few")).into();
        assert_eq!(found, [0, 1, 0, 1, 2]);
        for id in 0..u64::from(MAX_THREADS) - 3 {
            threads.number(1000 + id).expect("not too many");
        }
        assert!(threads.number(1).is_err());
        assert_eq!(threads.number(70), Ok(0));
    }
}
