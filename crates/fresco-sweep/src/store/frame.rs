// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of a segment: some results that were stored together, with what is needed to notice that a frame is not whole.
//!
//! A frame is 48 bytes, a head and a body. The 48 bytes: `FRSW`, version 1 (a byte), three zero bytes, length of the head and of the body
//! (32 bits each, little endian), the first 16 bytes of SHA-256 over these 16 bytes and the head, and those of SHA-256 over the
//! body. The head is JSON, a [`Head`]. The body is a zstd frame of the packed rows of all records that have some, one after the other,
//! each after its length (32 bits, little endian).

use crate::address::{Digest, Input, Spelling};
use crate::outcome::{Outcome, PointFailure};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const MAGIC: [u8; 8] = *b"FRSW\x01\0\0\0";
/// Bytes before the head.
pub const BEFORE: usize = 48;
/// Longest head and body that are believed, in bytes.
const LONGEST: u32 = 1 << 30;
/// Level of compression: the fastest, as runners compress between two points.
const LEVEL: i32 = 1;

/// What a frame holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Lists of inputs that records refer to by number.
    pub inputs: Vec<Vec<Input>>,
    /// The results.
    pub records: Vec<Record>,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was run.
    pub spelling: Spelling,
    /// Number of its inputs.
    pub inputs: u32,
    /// Why there are no rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<PointFailure>,
}

/// The bytes of a frame.
///
/// # Errors
/// It cannot be compressed.
pub fn encode(results: &[(Spelling, Outcome)]) -> io::Result<Vec<u8>> {
    let mut head = Head::default();
    let mut rows = Vec::new();
    for (spelling, outcome) in results {
        let known = head.inputs.iter().position(|inputs| *inputs == outcome.inputs);
        let inputs = known.unwrap_or_else(|| {
            head.inputs.push(outcome.inputs.clone());
            head.inputs.len() - 1
        });
        if let Ok(packed) = &outcome.result {
            rows.extend_from_slice(&(packed.len() as u32).to_le_bytes());
            rows.extend_from_slice(packed);
        }
        head.records.push(Record {
            spelling: *spelling,
            inputs: inputs as u32,
            failure: outcome.result.as_ref().err().cloned(),
        });
    }
    let head = serde_json::to_vec(&head)?;
    let body = zstd::bulk::compress(&rows, LEVEL)?;
    let mut frame = Vec::with_capacity(BEFORE + head.len() + body.len());
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&(head.len() as u32).to_le_bytes());
    frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
    let sum = Digest::of_bytes(&[&frame, head.as_slice()].concat());
    frame.extend_from_slice(&sum.0);
    frame.extend_from_slice(&Digest::of_bytes(&body).0);
    frame.extend_from_slice(&head);
    frame.extend_from_slice(&body);
    Ok(frame)
}

/// Where a frame lies, and what its body must be.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Of the frame, in bytes from the start of the segment.
    pub offset: u64,
    head: u32,
    body: u32,
    sum: Digest,
}

impl Place {
    /// Where the next frame begins.
    pub fn end(&self) -> u64 {
        self.offset + BEFORE as u64 + u64::from(self.head) + u64::from(self.body)
    }

    /// The packed rows of its records that have some; `None` if its body is not what was written.
    ///
    /// # Errors
    /// The segment cannot be read.
    pub fn rows(&self, segment: &File) -> io::Result<Option<Vec<Vec<u8>>>> {
        let mut body = vec![0; self.body as usize];
        segment.read_exact_at(&mut body, self.offset + BEFORE as u64 + u64::from(self.head))?;
        if Digest::of_bytes(&body) != self.sum {
            return Ok(None);
        }
        let Ok(rows) = zstd::stream::decode_all(body.as_slice()) else {
            return Ok(None);
        };
        let mut rest = rows.as_slice();
        let mut all = Vec::new();
        while let Some((length, others)) = rest.split_first_chunk::<4>() {
            let Some((packed, others)) = others.split_at_checked(u32::from_le_bytes(*length) as usize) else {
                return Ok(None);
            };
            all.push(packed.to_vec());
            rest = others;
        }
        Ok(Some(all))
    }
}

/// The frame at an offset of a segment that is `length` bytes long; `None` if none is whole there: it is being written, or was never
/// written to its end.
///
/// # Errors
/// The segment cannot be read.
pub fn at(segment: &File, offset: u64, length: u64) -> io::Result<Option<(Place, Head)>> {
    let left = length.saturating_sub(offset);
    if left < BEFORE as u64 {
        return Ok(None);
    }
    let mut before = [0; BEFORE];
    segment.read_exact_at(&mut before, offset)?;
    let number = |at: usize| u32::from_le_bytes([before[at], before[at + 1], before[at + 2], before[at + 3]]);
    let digest = |at: usize| {
        let mut digest = [0; 16];
        digest.copy_from_slice(&before[at..at + 16]);
        Digest(digest)
    };
    let place = Place {
        offset,
        head: number(8),
        body: number(12),
        sum: digest(32),
    };
    let is_whole = before[..8] == MAGIC && place.head <= LONGEST && place.body <= LONGEST && place.end() <= length;
    if !is_whole {
        return Ok(None);
    }
    let mut head = vec![0; place.head as usize];
    segment.read_exact_at(&mut head, offset + BEFORE as u64)?;
    if Digest::of_bytes(&[&before[..16], &head].concat()) != digest(16) {
        return Ok(None);
    }
    let head: Option<Head> = serde_json::from_slice(&head).ok();
    let is_sound = |head: &Head| head.records.iter().all(|one| (one.inputs as usize) < head.inputs.len());
    Ok(head.filter(is_sound).map(|head| (place, head)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn results() -> Vec<(Spelling, Outcome)> {
        let input = Input {
            kind: "machine".to_owned(),
            name: "m".to_owned(),
            path: None,
            digest: "0".to_owned(),
        };
        let failure = PointFailure {
            status: 3,
            message: "does not fit".to_owned(),
            unread: false,
        };
        let result = |number: u8| match number {
            1 => Err(failure.clone()),
            _ => Ok(vec![number; 300]),
        };
        let outcome = |number| Outcome {
            inputs: vec![input.clone()],
            result: result(number),
        };
        (0..4).map(|number| (Digest([number; 16]), outcome(number))).collect()
    }

    #[test]
    fn a_frame_is_read_back_and_every_shorter_one_is_none() {
        let bytes = encode(&results()).expect("encoded");
        let read = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(bytes).expect("written");
            let found = at(&file, 0, bytes.len() as u64).expect("readable");
            found.map(|(place, head)| (place.end(), head, place.rows(&file).expect("readable")))
        };
        let (end, head, rows) = read(&bytes).expect("a frame");
        assert_eq!((end, head.inputs.len(), head.records.len()), (bytes.len() as u64, 1, 4));
        assert_eq!(head.records[1].failure.as_ref().map(|one| one.status), Some(3));
        assert_eq!(rows, Some(vec![vec![0; 300], vec![2; 300], vec![3; 300]]));
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_none(), "{length}");
        }
        // A bit that has changed anywhere: no frame, or one whose rows are known to be spoilt.
        for place in 0..bytes.len() {
            let mut spoilt = bytes.clone();
            spoilt[place] ^= 0x10;
            assert!(read(&spoilt).is_none_or(|(_, _, rows)| rows.is_none()), "{place}");
        }
    }
}
