// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of several seeds as one.

use fresco_report::claims::Row;

/// The means of the rows of several seeds, which have the same labels in the same order. None if those of a seed are not there.
pub(super) fn means(by_seed: &[Vec<Row>]) -> Vec<Row> {
    let [first, others @ ..] = by_seed else {
        return Vec::new();
    };
    let of_row = |(place, row): (usize, &Row)| {
        let of_seed = |rows: &'_ Vec<Row>| rows.get(place).filter(|other| other.labels == row.labels).cloned();
        let others: Option<Vec<Row>> = others.iter().map(of_seed).collect();
        let others = others?;
        let mean = |(name, value): (&String, &f64)| {
            let values = others.iter().map(|other| other.values.get(name).copied());
            let sum = values.sum::<Option<f64>>()? + value;
            Some((name.clone(), sum / by_seed.len() as f64))
        };
        Some(Row {
            labels: row.labels.clone(),
            values: row.values.iter().filter_map(mean).collect(),
        })
    };
    let all: Option<Vec<Row>> = first.iter().enumerate().map(of_row).collect();
    all.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(policy: &str, values: [(&str, f64); 2]) -> Row {
        let row = Row::new().label("policy", policy);
        values
            .into_iter()
            .fold(row, |row, (name, value)| row.value(name, value))
    }

    #[test]
    fn each_value_is_the_mean_of_all_seeds_that_have_it() {
        let one = vec![
            row("none", [("ipc", 1.0), ("reads", 10.0)]),
            row("best", [("ipc", 3.0), ("more", 1.0)]),
        ];
        let other = vec![
            row("none", [("ipc", 2.0), ("reads", 20.0)]),
            row("best", [("ipc", 4.0), ("less", 1.0)]),
        ];
        let found = means(&[one.clone(), other]);
        assert_eq!(found[0], row("none", [("ipc", 1.5), ("reads", 15.0)]));
        assert_eq!(found[1], Row::new().label("policy", "best").value("ipc", 3.5));
        assert_eq!(means(std::slice::from_ref(&one)), one);
        // One that was stopped.
        assert_eq!(means(&[one, Vec::new()]), []);
        assert_eq!(means(&[]), []);
    }
}
