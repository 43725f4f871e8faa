// SPDX-License-Identifier: MIT OR Apache-2.0
//! A fingerprint of a machine file, to trace results by.

/// 64-bit FNV-1a of the text and, behind a zero byte each, the overrides; 16 hexadecimal digits.
pub fn of(text: &str, overrides: &[(String, String)]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    add(text.as_bytes());
    for (key, value) in overrides {
        add(b"\0");
        add(key.as_bytes());
        add(b"=");
        add(value.as_bytes());
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn known_values_of_fnv_1a() {
        assert_eq!(of("", &[]), "cbf29ce484222325");
        assert_eq!(of("foobar", &[]), "85944171f73967e8");
    }

    #[test]
    fn overrides_count() {
        assert_ne!(
            of("a", &[("k".into(), "1".into())]),
            of("a", &[("k".into(), "2".into())])
        );
        assert_ne!(of("a", &[]), of("a", &[(String::new(), String::new())]));
    }
}
