// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of claims with a fault: found, and named with the claim.

use fresco_report::claims::{Claims, Outcome, Results, Row, Tally, judge};

const EXPERIMENTS: &str = r#"
schema = "fresco-experiments/1"
[[experiment]]
name = "e"
what = "test"
labels = { policy = ["a", "b"] }
values = ["t.mean"]
"#;

/// A file with one claim whose check is `check`.
fn one_claim(check: &str) -> String {
    format!(
        "schema = \"fresco-claims/1\"\nsystem = \"s\"\nsource = \"x\"\n[[platform]]\nkey = \"p\"\nmachine = \"m\"\n\
         [[claim]]\nid = \"c\"\nwhere = \"1\"\nplatform = \"p\"\nworkload = \"w\"\nmetric = \"m\"\nkind = \"ratio\"\n\
         role = \"result\"\nexperiment = \"e\"\nsays = \"x\"\n[[claim.check]]\n{check}\n"
    )
}

#[test]
fn faults_in_the_files_are_found_and_named() {
    let good = "type = \"near\"\nof = \"t.mean{policy=a}\"\npaper = 1.0\nunit = \"x\"";
    let parse = |text: &str| Claims::parse(("experiments.toml", EXPERIMENTS), &[("s.toml", text)]);
    parse(&one_claim(good)).unwrap();
    let long = "x".repeat(201);
    let cases = [
        (one_claim("type = \"near\""), "without those it needs"),
        (one_claim(&format!("{good}\nabove = 1.0")), "fields it does not have"),
        (one_claim(&good.replace("\"x\"", "\"ns\"")), "units x and %"),
        (
            one_claim("type = \"order\"\nascending = [\"t.mean\"]"),
            "two values or more",
        ),
        (one_claim("type = \"bound\"\nof = \"t.mean\""), "without a bound"),
        (one_claim(&good.replace("t.mean", "t.median")), "no value t.median"),
        (one_claim(&good.replace("=a", "=c")), "label policy is never c"),
        (one_claim(&good.replace("policy", "polizei")), "no label polizei"),
        (
            one_claim(&format!("{good}\nat = \"policy=c\"")),
            "label policy is never c",
        ),
        (one_claim(&format!("{good}\neach = \"size\"")), "no label size"),
        (one_claim(&good.replace('{', "{{")), "no label {policy"),
        (
            one_claim(good).replace("experiment = \"e\"", "experiment = \"f\""),
            "experiment \"f\" is not known",
        ),
        (
            one_claim(good).replace("platform = \"p\"", "platform = \"q\""),
            "platform \"q\" is not described",
        ),
        (
            one_claim(good).replace("says = \"x\"", &format!("says = \"{long}\"")),
            "longer than 200",
        ),
        (one_claim(good).replace("kind = \"ratio\"", "kind = \"guess\""), "guess"),
        (
            one_claim(good).replace("role = \"result\"", "rolle = \"result\""),
            "rolle",
        ),
        (one_claim(good).replace("claims/1", "claims/9"), "fresco-claims/9"),
        (
            one_claim(good).replace(
                "says = \"x\"",
                "says = \"x\"\nrefuted_by = \"arithmetic\"\nif_differs = \"x\"",
            ),
            "no measurement is refuted",
        ),
        (
            one_claim(good).replace("role = \"result\"", "role = \"analytic\"\nrefuted_by = \"arithmetic\""),
            "if_differs says",
        ),
        (
            one_claim(good).replace("says = \"x\"", "says = \"x\"\nrefuted_by = \"hearsay\""),
            "hearsay",
        ),
        (
            one_claim(good).replace("role = \"result\"", "role = \"parameter\"\nanswers = \"refresh\""),
            "answered by what was measured",
        ),
        (
            one_claim(good).replace("says = \"x\"", "says = \"x\"\nanswers = \"all\""),
            "all",
        ),
        (
            one_claim(good).replace("role = \"result\"", "role = \"cited\""),
            "told, not judged",
        ),
    ];
    for (text, what) in cases {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.starts_with("s.toml: ") && error.contains(what), "{what}: {error}");
    }
    let twice = one_claim(good);
    let body = &twice[twice.find("[[claim]]").unwrap()..];
    assert!(
        parse(&format!("{twice}{body}"))
            .unwrap_err()
            .to_string()
            .contains("id given twice")
    );
}

/// A formula that is false is refuted, with the proof; one that holds, or cannot be judged, is not.
#[test]
fn what_is_proven_false_is_refuted() {
    let check = "type = \"exact\"\nof = \"t.mean{policy=a}\"\npaper = 0.0";
    let text = one_claim(check)
        .replace("role = \"result\"", "role = \"analytic\"")
        .replace(
            "says = \"x\"",
            "says = \"x\"\nrefuted_by = \"counterexample\"\nif_differs = \"(10, 9.5) ms fails\"",
        );
    let claims = Claims::parse(("experiments.toml", EXPERIMENTS), &[("s.toml", &text)]).unwrap();
    let judged = |values: &[f64]| {
        let mut results = Results::new();
        for value in values {
            results.push("e", Row::new().label("policy", "a").value("t.mean", *value));
        }
        judge(&claims.systems["s"].claims[0], &results)
    };
    let refuted = judged(&[1.0]);
    assert_eq!(refuted.outcome, Outcome::Refuted);
    assert!(
        refuted.explanation.starts_with("by a counterexample; "),
        "{}",
        refuted.explanation
    );
    assert!(
        refuted.explanation.ends_with("(10, 9.5) ms fails"),
        "{}",
        refuted.explanation
    );
    assert_eq!(judged(&[0.0]).outcome, Outcome::Holds);
    assert_eq!(judged(&[]).outcome, Outcome::CannotBeRun);
    let tally = Tally::of(&[refuted, judged(&[0.0])]);
    assert_eq!((tally.refuted, tally.differs), (1, 0));
    assert_eq!(tally.to_string(), "1 hold, 0 differ, 1 is refuted, 0 cannot be run");
}
