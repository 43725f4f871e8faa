// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use fresco_report::dataset::Kind;

#[test]
fn a_grid_axis_of_a_sampled_sweep_has_its_exact_share() {
    let text = "scenario = \"first\"\n[random]\nsamples = 3\nover.measure.operations = { from = 10, to = 99, step = 1 }\n\
                [grid]\npolicy.boot = [\"pristine\", \"fresh\"]\nmeasure.skip = [0, 1]\n";
    let sweep = Sweep::parse("s.toml", text, "".as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let response = effect_of("k", &[("a", 1.0), ("b", 2.0)], false, true)
        .expect("an effect")
        .response;
    // A hundred a sample, ten for the first axis of the grid, nothing for the second.
    let value = |n: u32| (n, f64::from(100 * (n / 4) + 10 * (n / 2 % 2)));
    let shares = |points: &[u32]| -> Vec<(String, f64, Option<usize>)> {
        let values: Vec<(u32, f64)> = points.iter().map(|n| value(*n)).collect();
        let effects = Effects {
            responses: BTreeMap::from([(response.clone(), values)]),
            inner: Vec::new(),
        };
        let all = effects.all(&sweep).into_iter();
        all.map(|effect| (effect.axis, effect.share, effect.estimated_from))
            .collect()
    };
    let all: Vec<u32> = (0..12).collect();
    let found = shares(&all);
    let of = |axis: &str| found.iter().find(|(key, ..)| key == axis).expect(axis);
    // Variances: 20000/3 of the samples, 25 of the axis.
    let (_, share, from) = of("policy.boot");
    assert!(
        (share - 25.0 / (20_000.0 / 3.0 + 25.0)).abs() < 1e-12 && from.is_none(),
        "{found:?}"
    );
    assert_eq!(of("measure.skip").1, 0.0);
    assert!(of("measure.operations").2 == Some(3), "{found:?}");
    // Without the last value of the second axis what is left is a grid; without a single point it is none.
    let even: Vec<u32> = (0..12).step_by(2).collect();
    assert!(
        shares(&even)
            .iter()
            .all(|(key, _, from)| key != "policy.boot" || from.is_none())
    );
    let found = shares(&all[..11]);
    assert!(
        found
            .iter()
            .any(|(key, _, from)| key == "policy.boot" && *from == Some(11)),
        "{found:?}"
    );
}

fn effect_of(key: &str, at: &[(&str, f64)], is_number: bool, is_exact: bool) -> Option<Effect> {
    let response = Response {
        order: 0,
        metric: "m".to_owned(),
        unit: String::new(),
        task: "t".to_owned(),
        within: Vec::new(),
    };
    let column = Column {
        key: key.to_owned(),
        unit: String::new(),
        kind: if is_number { Kind::Number } else { Kind::Text },
    };
    let at: Vec<(String, f64)> = at.iter().map(|(text, value)| ((*text).to_owned(), *value)).collect();
    let written: Vec<String> = at.iter().map(|(text, _)| text.clone()).collect();
    effect(&response, &column, &places(&written), &at, is_exact)
}

fn share_of(key: &str, at: &[(&str, f64)], is_number: bool, is_exact: bool) -> Option<f64> {
    effect_of(key, at, is_number, is_exact).map(|effect| effect.share)
}

#[test]
fn values_stand_in_the_order_of_the_file() {
    let order = |at: &[(&str, f64)], is_number| -> Vec<String> {
        let effect = effect_of("k", at, is_number, true).expect("an effect");
        effect.values.into_iter().map(|at| at.value).collect()
    };
    let sizes = [
        ("512 KiB", 1.0),
        ("1 MiB", 2.0),
        ("2 MiB", 3.0),
        ("16 MiB", 4.0),
        ("512 KiB", 1.0),
    ];
    assert_eq!(order(&sizes, false), ["512 KiB", "1 MiB", "2 MiB", "16 MiB"]);
    assert_eq!(order(&[("open", 1.0), ("closed", 2.0)], false), ["open", "closed"]);
    // Numbers stand on an axis.
    assert_eq!(order(&[("10", 1.0), ("9", 2.0), ("-1", 3.0)], true), ["-1", "9", "10"]);
}

#[test]
fn shares_of_variance_by_hand() {
    let share = |at: &[(&str, f64)], is_number| share_of("k", at, is_number, true);
    // Means 2 and 4 around 3, each twice: 4 of a sum of squares of 4 + 4 · 1 = 8.
    let half = [("a", 1.0), ("a", 3.0), ("b", 3.0), ("b", 5.0)];
    assert_eq!(share(&half, false), Some(0.5));
    assert_eq!(share(&[("1", 2.0), ("2", 7.0)], true), Some(1.0));
    assert_eq!(share(&[("1", 2.0), ("1", 7.0)], true), None);
    // Many numbers: a line is all that varies, less what is left within a bin (1/144 of it), and noise is nothing.
    let line: Vec<(String, f64)> = (0..1200).map(|n| (n.to_string(), f64::from(n))).collect();
    let line: Vec<(&str, f64)> = line.iter().map(|(text, value)| (text.as_str(), *value)).collect();
    let found = share(&line, true).expect("an effect");
    assert!((found - (1.0 - 1.0 / 144.0)).abs() < 1e-3, "{found}");
    let noise: Vec<(&str, f64)> = line.iter().map(|(text, n)| (*text, (n * 7919.0) % 1201.0)).collect();
    let found = share(&noise, true).expect("an effect");
    assert!(found < 0.03, "{found}");
}

#[test]
fn chance_has_no_share() {
    // As above, as samples: 1 - (1 - 1/2) · 3 / 2.
    let half = [("a", 1.0), ("a", 3.0), ("b", 3.0), ("b", 5.0)];
    assert_eq!(share_of("k", &half, false, false), Some(0.25));
    // One value at each point says nothing, whatever was measured.
    let ten: Vec<String> = (0..10).map(|n| n.to_string()).collect();
    let alone = |n: usize| (ten[n].as_str(), [3.0, 9.0, 1.0, 4.0, 8.0, 2.0, 7.0, 5.0, 6.0, 0.0][n]);
    let alone: Vec<(&str, f64)> = (0..10).map(alone).collect();
    assert_eq!(share_of("seed", &alone, true, false), None);
    assert_eq!(share_of("k", &alone, false, false), None);
    // Numbers are put into parts of four points and more: means 5 and 4, 2.5 of 82.5, less than chance.
    assert_eq!(share_of("k", &alone, true, false), Some(0.0));
    let line: Vec<(&str, f64)> = alone
        .iter()
        .map(|(text, _)| (*text, text.parse().unwrap_or(0.0)))
        .collect();
    // 62.5 of 82.5: 1 - (1 - 0.757575…) · 9 / 8.
    let found = share_of("k", &line, true, false).expect("two parts");
    assert!(
        (found - (1.0 - (1.0 - 62.5 / 82.5) * 9.0 / 8.0)).abs() < 1e-12,
        "{found}"
    );
}

#[test]
fn numbers_are_in_their_order() {
    let mut numbers = [3.0, -1.0, 0.0, 1e9, -5.5];
    numbers.sort_by_key(|number| ordered(*number));
    assert_eq!(numbers, [-5.5, -1.0, 0.0, 3.0, 1e9]);
}
