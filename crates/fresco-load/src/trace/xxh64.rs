// SPDX-License-Identifier: MIT OR Apache-2.0
//! XXH64 (Collet, xxHash specification 0.1.1): a digest that costs nothing beside the reading of a trace of gigabytes.

const P1: u64 = 0x9e37_79b1_85eb_ca87;
const P2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const P3: u64 = 0x1656_67b1_9e37_79f9;
const P4: u64 = 0x85eb_ca77_c2b2_ae63;
const P5: u64 = 0x27d4_eb2f_1656_67c5;
/// Bytes of a stripe.
const STRIPE: usize = 32;

/// The digest of the bytes so far, with seed 0.
#[derive(Clone, Debug)]
pub(crate) struct Xxh64 {
    lanes: [u64; 4],
    /// The bytes of the unfinished stripe.
    rest: [u8; STRIPE],
    held: usize,
    total: u64,
}

impl Xxh64 {
    /// Of no bytes.
    pub fn new() -> Self {
        Self {
            lanes: [P1.wrapping_add(P2), P2, 0, P1.wrapping_neg()],
            rest: [0; STRIPE],
            held: 0,
            total: 0,
        }
    }

    /// Adds bytes.
    pub fn add(&mut self, mut bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if self.held > 0 {
            let taken = bytes.len().min(STRIPE - self.held);
            self.rest[self.held..self.held + taken].copy_from_slice(&bytes[..taken]);
            self.held += taken;
            bytes = &bytes[taken..];
            if self.held < STRIPE {
                return;
            }
            let stripe = self.rest;
            self.stripe(&stripe);
            self.held = 0;
        }
        let (stripes, rest) = bytes.as_chunks::<STRIPE>();
        for stripe in stripes {
            self.stripe(stripe);
        }
        self.rest[..rest.len()].copy_from_slice(rest);
        self.held = rest.len();
    }

    fn stripe(&mut self, stripe: &[u8; STRIPE]) {
        let (words, _) = stripe.as_chunks::<8>();
        for (lane, word) in self.lanes.iter_mut().zip(words) {
            *lane = round(*lane, u64::from_le_bytes(*word));
        }
    }

    /// The digest.
    pub fn value(&self) -> u64 {
        let mut hash = match self.total >= STRIPE as u64 {
            true => {
                let rotated = std::iter::zip(self.lanes, [1, 7, 12, 18]).map(|(lane, bits)| lane.rotate_left(bits));
                let sum = rotated.fold(0u64, u64::wrapping_add);
                let merge = |hash: u64, lane: u64| (hash ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4);
                self.lanes.into_iter().fold(sum, merge)
            }
            false => P5,
        };
        hash = hash.wrapping_add(self.total);
        let (words, rest) = self.rest[..self.held].as_chunks::<8>();
        for word in words {
            hash ^= round(0, u64::from_le_bytes(*word));
            hash = hash.rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
        }
        let (halves, rest) = rest.as_chunks::<4>();
        for half in halves {
            hash ^= u64::from(u32::from_le_bytes(*half)).wrapping_mul(P1);
            hash = hash.rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
        }
        for byte in rest {
            hash ^= u64::from(*byte).wrapping_mul(P5);
            hash = hash.rotate_left(11).wrapping_mul(P1);
        }
        hash = (hash ^ hash >> 33).wrapping_mul(P2);
        hash = (hash ^ hash >> 29).wrapping_mul(P3);
        hash ^ hash >> 32
    }
}

fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(P2))
        .rotate_left(31)
        .wrapping_mul(P1)
}

#[cfg(test)]
mod tests {
    use super::Xxh64;

    fn of(parts: &[&[u8]]) -> u64 {
        let mut digest = Xxh64::new();
        parts.iter().for_each(|part| digest.add(part));
        digest.value()
    }

    #[test]
    fn published_values() {
        assert_eq!(of(&[]), 0xef46_db37_51d8_e999);
        assert_eq!(of(&[b"a"]), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(of(&[b"abc"]), 0x44bc_2cf5_ad77_0999);
        let long = b"Nobody inspects the spammish repetition";
        assert_eq!(of(&[long]), 0xfbce_a83c_8a37_8bf1);
    }

    #[test]
    fn how_the_bytes_come_does_not_matter() {
        let bytes: Vec<u8> = (0..200u8).collect();
        for end in 0..bytes.len() {
            let whole = of(&[&bytes[..end]]);
            for cut in (0..end).step_by(7) {
                assert_eq!(of(&[&bytes[..cut], &bytes[cut..end]]), whole, "{cut} of {end}");
            }
        }
    }
}
