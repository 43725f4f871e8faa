// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the memory of nodes lies, from `/proc/zoneinfo`.

use crate::sys::page_bytes;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Physical addresses that zones of these nodes span, in bytes; `None` where the kernel does not tell.
pub fn node_ranges(root: &Path, nodes: &[u32]) -> Option<Vec<Range<u64>>> {
    let text = fs::read_to_string(root.join("zoneinfo")).ok()?;
    let ranges = parse(&text, nodes);
    (!ranges.is_empty()).then_some(ranges)
}

fn parse(text: &str, nodes: &[u32]) -> Vec<Range<u64>> {
    let mut wanted = false;
    let mut spanned = 0;
    let mut ranges = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Node ") {
            let node = rest.split(',').next().and_then(|number| number.parse().ok());
            wanted = node.is_some_and(|node| nodes.contains(&node));
            spanned = 0;
            continue;
        }
        let mut words = line.split_whitespace();
        let (key, value) = (words.next(), words.next().and_then(|word| word.parse::<u64>().ok()));
        match (key, value) {
            (Some("spanned"), Some(pages)) => spanned = pages,
            (Some("start_pfn:"), Some(first)) if wanted && spanned > 0 => {
                let bytes = |pages: u64| pages.saturating_mul(page_bytes());
                ranges.push(bytes(first)..bytes(first.saturating_add(spanned)));
            }
            _ => {}
        }
    }
    ranges
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    #[test]
    fn zones_of_the_nodes_asked_for_are_read() {
        let text = "\
Node 0, zone      DMA
  per-node stats
      nr_inactive_anon 7
  pages free     3840
        spanned  4095
        present  3998
  start_pfn:           1
Node 0, zone   Normal
        spanned  0
        present  0
  start_pfn:           0
Node 1, zone   Normal
        spanned  16
  start_pfn:           4096
";
        let page = page_bytes();
        assert_eq!(parse(text, &[0]), [page..4096 * page]);
        assert_eq!(parse(text, &[1]), [4096 * page..4112 * page]);
        assert_eq!(parse(text, &[0, 1]).len(), 2);
        assert_eq!(parse(text, &[2]), []);
        assert!(node_ranges(Path::new("/proc"), &[0]).is_some());
    }
}
