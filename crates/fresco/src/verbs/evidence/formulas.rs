// SPDX-License-Identifier: MIT OR Apache-2.0
//! How each part of the bound of a read is worked out, as docs/bound.md has it, in plain letters.

/// Where the formulas are proven.
pub const SOURCE: &str =
    "docs/bound.md of Fresco, \"A read in its controller\", with the proof of each part; symbols as there";

/// The formula of a part; `several`: more than one read may be under way in the bank (Q > 1).
pub fn of(term: &str, several: bool) -> &'static str {
    match (term, several) {
        ("service", _) => "1 + wait for PRE + tRP + tRCD + CL + BL/2 (+ further bursts)",
        ("bank", false) => "0: no other read of the bank is under way (Q = 1)",
        ("bank", true) => "(Q - 1) row cycles max(tRC, tRCD + tRTP + tRP)",
        ("overtaking", false) => "0: nothing overtakes in the bank (Q = 1)",
        ("overtaking", true) => {
            "(Q - 1) N (T - 1) U: row hits up to the cap N, each after one column command of all others"
        }
        ("activations", false) => "rho + n P + A(j + 1), with the j for which activations and bus together are largest",
        ("activations", true) => "Q (rho + A(1)) + n P + an ACT for each of the other banks of the rank",
        ("bus", false) => "(n - j + 1) U - 1, with the same j",
        ("bus", true) => "Q (U - 1) + n U",
        ("drain", _) => {
            "0 where nobody writes; else one drain of the write buffer: both turns of the bus, and C_w for each line"
        }
        ("refresh", _) => "floor((L + r) / tREFI) + 1 refreshes of r each, L the least solution",
        ("queue", _) => "waiting for a place in a queue: one is free at least every L cycles",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use fresco_bound::ReadBound;

    #[test]
    fn each_part_has_a_formula() {
        for (term, _) in ReadBound::default().parts() {
            assert!(!of(term, false).is_empty() && !of(term, true).is_empty(), "{term}");
        }
    }
}
