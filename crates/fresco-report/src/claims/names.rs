// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short names for formulas that are compared: only what tells them apart.

use super::expr::Expr;
use std::collections::BTreeSet;

/// One name per formula: the label values that not all of them share (`diff_bank`, `corunners=3`), or the metrics where
/// the labels do not tell them apart, or else the formulas themselves.
pub(super) fn names(list: &[Expr]) -> Vec<String> {
    let (mut by_label, mut by_metric) = (Vec::new(), Vec::new());
    for expr in list {
        let (mut labels, mut metrics) = (BTreeSet::new(), BTreeSet::new());
        expr.node.selectors(&mut |metric, of| {
            labels.extend(of.iter());
            metrics.insert(metric);
        });
        by_label.push(labels);
        by_metric.push(metrics.into_iter().collect::<Vec<_>>().join(" "));
    }
    let shared = by_label
        .iter()
        .cloned()
        .reduce(|all, labels| &all & &labels)
        .unwrap_or_default();
    let named = by_label
        .iter()
        .map(|labels| labels.difference(&shared).map(|label| text(*label)).collect::<Vec<_>>());
    let by_label: Vec<String> = named.map(|parts| parts.join(" ")).collect();
    let formulas = list.iter().map(|expr| expr.text.clone()).collect();
    [by_label, by_metric]
        .into_iter()
        .find(|names| distinct(names))
        .unwrap_or(formulas)
}

/// Numbers need their label to be understood, names do not.
fn text((label, value): (&String, &String)) -> String {
    if value.starts_with(|c: char| c.is_ascii_digit()) {
        format!("{label}={value}")
    } else {
        value.clone()
    }
}

fn distinct(names: &[String]) -> bool {
    let different: BTreeSet<&String> = names.iter().filter(|name| !name.is_empty()).collect();
    different.len() == names.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[&str]) -> Vec<String> {
        names(
            &list
                .iter()
                .map(|text| Expr::try_from((*text).to_owned()).unwrap())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn names_keep_what_differs() {
        assert_eq!(of(&["t{policy=a, n=3}", "t{policy=b, n=3}"]), ["a", "b"]);
        assert_eq!(of(&["t{policy=a, n=0}", "t{policy=a, n=3}"]), ["n=0", "n=3"]);
        assert_eq!(of(&["x{p=a} - y{p=a}", "x{p=b} - y{p=b}"]), ["a", "b"]);
        assert_eq!(of(&["hit_ns", "conflict_ns"]), ["hit_ns", "conflict_ns"]);
        assert_eq!(of(&["t{p=a} / 2", "t{p=a} / 3"]), ["t{p=a} / 2", "t{p=a} / 3"]);
    }
}
