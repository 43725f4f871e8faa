// SPDX-License-Identifier: MIT OR Apache-2.0
//! `schemata`: for each resource a value in each domain, `L3:0=7ff;1=7ff` in hexadecimal, `MB:0=100;1=100` in decimal.

use std::collections::BTreeMap;

/// The domains of each resource with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schemata {
    resources: BTreeMap<String, BTreeMap<u32, u64>>,
}

/// Resources whose values are masks of ways.
const CACHES: [&str; 3] = ["L3", "L3CODE", "L3DATA"];
/// That of memory bandwidth.
const BANDWIDTH: &str = "MB";

impl Schemata {
    /// Reads the text of the file; what cannot be read is left out, as kernels add resources.
    pub fn parse(text: &str) -> Self {
        let resources = text.lines().filter_map(|line| {
            let (name, values) = line.split_once(':')?;
            let name = name.trim();
            let radix = if name == BANDWIDTH { 10 } else { 16 };
            let domain = |value: &str| {
                let (domain, value) = value.split_once('=')?;
                let value = u64::from_str_radix(value.trim(), radix).ok()?;
                Some((domain.trim().parse().ok()?, value))
            };
            let values: BTreeMap<u32, u64> = values.split(';').filter_map(domain).collect();
            (!values.is_empty()).then(|| (name.to_owned(), values))
        });
        Self {
            resources: resources.collect(),
        }
    }

    /// The last-level cache's resources: one, or two where code and data are apart.
    pub(super) fn caches(&self) -> Vec<&'static str> {
        let known = CACHES.into_iter();
        known.filter(|name| self.resources.contains_key(*name)).collect()
    }

    /// Domains of memory bandwidth and their values; `None` if it cannot be limited.
    pub fn bandwidth(&self) -> Option<&BTreeMap<u32, u64>> {
        self.resources.get(BANDWIDTH)
    }

    /// Domains of the last-level cache and their masks; `None` if its ways cannot be.
    pub fn ways(&self) -> Option<&BTreeMap<u32, u64>> {
        self.resources.get(*self.caches().first()?)
    }

    /// Lines that set the cache's mask in all domains.
    pub(super) fn way_lines(&self, mask: u64) -> String {
        let line = |name: &str| {
            let domains = self.resources[name].keys();
            let values: Vec<String> = domains.map(|domain| format!("{domain}={mask:x}")).collect();
            format!("{name}:{}\n", values.join(";"))
        };
        self.caches().into_iter().map(line).collect()
    }

    /// The line that sets bandwidth in these domains.
    pub(super) fn bandwidth_line(&self, domains: &[u32], value: u64) -> String {
        let values: Vec<String> = domains.iter().map(|domain| format!("{domain}={value}")).collect();
        format!("{BANDWIDTH}:{}\n", values.join(";"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_read_in_their_radix_and_written_for_all_domains() {
        let schemata = Schemata::parse("    MB:0=100;1= 90\nL3:0=7ff;1=00f\nL2:0=ff\nSMBA:0=2048\nnonsense\n");
        assert_eq!(schemata.bandwidth(), Some(&BTreeMap::from([(0, 100), (1, 90)])));
        assert_eq!(schemata.ways(), Some(&BTreeMap::from([(0, 0x7ff), (1, 0xf)])));
        assert_eq!(schemata.way_lines(0x30), "L3:0=30;1=30\n");
        assert_eq!(schemata.bandwidth_line(&[1], 500), "MB:1=500\n");
        let split = Schemata::parse("L3DATA:0=fff\nL3CODE:0=fff\n");
        assert_eq!(split.way_lines(1), "L3CODE:0=1\nL3DATA:0=1\n");
        assert_eq!(Schemata::parse("").bandwidth(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read_again(domains in prop::collection::btree_map(0u32..99, 1u64..1 << 32, 1..5), mask in 1u64..1 << 20) {
            let text: String = domains.iter().map(|(domain, value)| format!("MB:{domain}={value}\n")).collect();
            let _ = Schemata::parse(&text);
            let values: Vec<String> = domains.iter().map(|(domain, value)| format!("{domain}={value}")).collect();
            let schemata = Schemata::parse(&format!("MB:{}\nL3:{}\n", values.join(";"), values.join(";")));
            prop_assert_eq!(schemata.bandwidth(), Some(&domains));
            let written = Schemata::parse(&schemata.way_lines(mask));
            prop_assert_eq!(written.ways().map(|ways| ways.values().all(|&value| value == mask)), Some(true));
        }
    }
}
