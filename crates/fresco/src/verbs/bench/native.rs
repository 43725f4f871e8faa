// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pattern on the memory of this machine: plain loads and stores of a plain allocation, so that `fresco run` decides
//! which frames they go to, as for any program.

use super::pattern::AccessPattern;
use std::hint::black_box;
use std::time::Instant;

/// Sequences that are gone through in turn, at most.
const MOST_LANES: usize = 2;
/// Accesses at the end that are in no sequence, at most: where one side of an area is done before the other.
const MOST_TAIL: usize = 8;

/// How a pattern is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// Each word holds the number of the next one.
    Chase { first: u32 },
    /// Arithmetic sequences, in turn: first word and step of each; and the few accesses at the end that are in none.
    Lanes(Vec<(u32, i64)>, Vec<u32>),
    /// A list of words, which is read beside them.
    List(Vec<u32>),
}

/// Memory with a pattern laid out in it.
pub struct Native {
    words: Vec<u32>,
    way: Way,
    accesses: usize,
    write: bool,
}

impl Native {
    /// Takes memory of its own, writes to all of it, and lays the pattern out.
    pub fn new(pattern: &AccessPattern) -> Self {
        // Not zero: a page of zeros that was only read would be no frame of its own.
        let mut words = vec![1u32; pattern.words];
        let way = way(pattern);
        if let Way::Chase { .. } = way {
            for two in pattern.order.windows(2) {
                words[two[0] as usize] = two[1];
            }
            if let (Some(last), Some(first)) = (pattern.order.last(), pattern.order.first()) {
                words[*last as usize] = *first;
            }
        }
        Self {
            words,
            way,
            accesses: pattern.order.len(),
            write: pattern.write,
        }
    }

    /// How the pattern is followed, for people.
    pub fn how(&self) -> &'static str {
        match self.way {
            Way::Chase { .. } => "each word says where the next one is",
            Way::Lanes(..) => "addresses are computed",
            Way::List(_) => "addresses come from a list, 4 bytes for each access",
        }
    }

    /// A pass; its nanoseconds.
    pub fn pass(&mut self) -> u64 {
        let begin = Instant::now();
        match &self.way {
            Way::Chase { first } => {
                let mut at = *first;
                for _ in 0..self.accesses {
                    at = self.words[at as usize];
                }
                black_box(at);
            }
            Way::Lanes(lanes, tail) => {
                let count = self.accesses - tail.len();
                match lanes.as_slice() {
                    [a, b] => {
                        let both = sequence(*a).zip(sequence(*b)).flat_map(|(a, b)| [a, b]);
                        follow(&mut self.words, both.take(count), self.write, 0);
                    }
                    one => {
                        let one = one.first().copied().unwrap_or((0, 0));
                        follow(&mut self.words, sequence(one).take(count), self.write, 0);
                    }
                }
                let tail = tail.iter().map(|word| *word as usize);
                follow(&mut self.words, tail, self.write, count as u32);
            }
            Way::List(list) => follow(&mut self.words, list.iter().map(|word| *word as usize), self.write, 0),
        }
        begin.elapsed().as_nanos() as u64
    }
}

/// The words of an arithmetic sequence.
fn sequence((first, step): (u32, i64)) -> impl Iterator<Item = usize> {
    (0i64..).map(move |i| (i64::from(first) + step * i) as usize)
}

/// Loads these words, or stores numbers from `number` on.
fn follow(words: &mut [u32], order: impl Iterator<Item = usize>, write: bool, number: u32) {
    if write {
        for (value, word) in (number..).zip(order) {
            words[word] = value;
        }
        black_box(words);
    } else {
        black_box(order.fold(0u32, |sum, word| sum ^ words[word]));
    }
}

fn way(pattern: &AccessPattern) -> Way {
    let order = &pattern.order;
    if pattern.dependent {
        return Way::Chase {
            first: order.first().copied().unwrap_or(0),
        };
    }
    let lanes = (1..=MOST_LANES).find_map(|count| {
        let step = |lane: usize| {
            let (first, second) = (order.get(lane)?, order.get(lane + count).or(order.get(lane))?);
            Some((*first, i64::from(*second) - i64::from(*first)))
        };
        let lanes: Vec<(u32, i64)> = (0..count).map(step).collect::<Option<_>>()?;
        let holds = |(i, two): &(usize, (&u32, &u32))| i64::from(*two.1) - i64::from(*two.0) == lanes[i % count].1;
        let fitting = order
            .iter()
            .zip(order.iter().skip(count))
            .enumerate()
            .take_while(holds)
            .count();
        let tail = order.get(fitting + count..).unwrap_or_default();
        (tail.len() <= MOST_TAIL).then(|| Way::Lanes(lanes, tail.to_vec()))
    });
    lanes.unwrap_or_else(|| Way::List(order.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that a pass goes to, found out by what it leaves behind.
    fn written(pattern: &AccessPattern) -> Vec<u32> {
        let mut native = Native::new(pattern);
        native.words.fill(u32::MAX);
        native.pass();
        let mut by_value: Vec<(u32, u32)> = (0u32..)
            .zip(&native.words)
            .filter(|(_, value)| **value != u32::MAX)
            .map(|(word, value)| (*value, word))
            .collect();
        by_value.sort_unstable();
        by_value.into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn writes_go_where_the_programs_go_in_their_order() {
        for (program, parameters) in [
            ("strides", "bytes = '1 MiB'\nwrites = 16384"),
            ("strides", "bytes = '1 MiB'\nstep = 128\nwrites = 8192"),
            ("bandwidth", "access = 'write'\nbytes = '1 MiB'"),
            ("bandwidth", "access = 'write'\nbytes = '1 MiB'\nstride = 260"),
        ] {
            let pattern = AccessPattern::record(program, parameters, 1).expect("a pattern");
            assert!(written(&pattern) == pattern.order, "{program} {parameters}");
            assert!(matches!(way(&pattern), Way::Lanes(..)), "{program} {parameters}");
        }
        let any = AccessPattern {
            words: 64,
            order: vec![7, 3, 60, 12, 1, 40, 39, 2, 55, 20, 33, 13, 18, 44, 9, 27],
            write: true,
            dependent: false,
        };
        assert_eq!(written(&any), any.order);
        assert_eq!(way(&any), Way::List(any.order.clone()));
    }

    #[test]
    fn a_chase_follows_the_order_of_the_program_and_closes() {
        let pattern = AccessPattern::record("latency", "bytes = '64 KiB'", 5).expect("a pattern");
        let mut native = Native::new(&pattern);
        let mut at = pattern.order[0];
        for word in &pattern.order {
            assert_eq!(at, *word);
            at = native.words[at as usize];
        }
        assert_eq!(at, pattern.order[0]);
        assert!(native.pass() > 0);
    }
}
