// SPDX-License-Identifier: MIT OR Apache-2.0
//! The claims of the papers: that the files are sound, and that verdicts on made-up results come out as they should.

use fresco_report::claims::{
    Claim, Claims, Outcome, Results, Row, Tally, TallyByRole, Verdict, judge, judge_roughly, verdict_table,
};
use std::collections::BTreeSet;

pub fn claims() -> Claims {
    Claims::builtin().unwrap_or_else(|error| panic!("{error}"))
}

fn claim(id: &str) -> Claim {
    let systems = claims().systems;
    let mut all = systems.into_values().flat_map(|system| system.claims);
    all.find(|claim| claim.id == id)
        .unwrap_or_else(|| panic!("no claim {id}"))
}

fn verdict(id: &str, results: &Results) -> Verdict {
    judge(&claim(id), results)
}

/// Core 0's latency on the Xeon by co-runners.
fn fig4(samebank: [f64; 4], diffbank: [f64; 4]) -> Results {
    let mut results = Results::new();
    for (policy, latencies) in [("samebank", samebank), ("diffbank", diffbank)] {
        for (corunners, latency) in latencies.into_iter().enumerate() {
            let row = Row::new().label("policy", policy).label("corunners", corunners);
            results.push("palloc-fig4", row.value("latency_ns.mean", latency));
        }
    }
    results
}

#[test]
fn the_files_are_sound_and_complete() {
    let claims = claims();
    let counts: Vec<(&str, usize)> = claims
        .systems
        .iter()
        .map(|(name, system)| (name.as_str(), system.claims.len()))
        .collect();
    let expected = [
        ("bounds", 6),
        ("bpm", 52),
        ("bpm-plus", 19),
        ("camc", 59),
        ("codesign", 39),
        ("colored-refresh", 46),
        ("crs", 41),
        ("kernel", 9),
        ("memguard", 23),
        ("palloc", 38),
        ("refresh-baselines", 52),
        ("tintmalloc", 34),
    ];
    assert_eq!(counts, expected);
    let ids: BTreeSet<&str> = claims
        .systems
        .values()
        .flat_map(|system| &system.claims)
        .map(|claim| claim.id.as_str())
        .collect();
    assert_eq!(ids.len(), 418);
    for id in [
        "camc-obs5",
        "camc-tab2.1-local",
        "palloc-fig4-samebank",
        "palloc-1-other-resources",
        "cr-tab4.6-colors",
        "crs-5.3.5-example-servers",
        "co-fig9-example",
        "ref-tab4.1-trfc",
    ] {
        assert!(ids.contains(id), "{id}");
    }
}

#[test]
fn every_experiment_serves_a_claim() {
    let claims = claims();
    let text = [
        include_str!("../../../claims/bounds.toml"),
        include_str!("../../../claims/bpm.toml"),
        include_str!("../../../claims/bpm-plus.toml"),
        include_str!("../../../claims/camc.toml"),
        include_str!("../../../claims/codesign.toml"),
        include_str!("../../../claims/colored-refresh.toml"),
        include_str!("../../../claims/crs.toml"),
        include_str!("../../../claims/kernel.toml"),
        include_str!("../../../claims/memguard.toml"),
        include_str!("../../../claims/palloc.toml"),
        include_str!("../../../claims/refresh-baselines.toml"),
        include_str!("../../../claims/tintmalloc.toml"),
    ]
    .concat();
    for name in claims.experiments.keys() {
        let is_read = [format!("\"{name}\""), format!("experiment={name},")]
            .iter()
            .any(|said| text.contains(said));
        assert!(is_read, "{name}");
    }
}

#[test]
fn without_results_nothing_is_judged_and_nothing_fails() {
    let claims = claims();
    for claim in claims.systems.values().flat_map(|system| &system.claims) {
        let verdict = judge(claim, &Results::new());
        assert_eq!(verdict.outcome, Outcome::CannotBeRun, "{}", claim.id);
        assert!(!verdict.explanation.is_empty(), "{}", claim.id);
    }
}

#[test]
fn an_order_holds_only_beyond_what_counts_as_the_same() {
    let flat = [61.0, 61.2, 61.1, 61.4];
    let verdict_of = |samebank| verdict("palloc-fig4-samebank", &fig4(samebank, flat));
    let holds = verdict_of([61.0, 104.0, 148.0, 191.0]);
    assert_eq!(holds.outcome, Outcome::Holds);
    assert_eq!(holds.ours(), "61 < 104 < 148 < 191");
    assert_eq!(holds.paper(), "corunners=0 < corunners=1 < corunners=2 < corunners=3");
    let differs = verdict_of([61.0, 104.0, 104.0, 100.0]);
    assert_eq!(
        (differs.outcome, differs.ours().as_str()),
        (Outcome::Differs, "61 < 104 = 104 > 100")
    );
    let close = verdict_of([61.0, 104.0, 108.0, 191.0]);
    assert_eq!(
        (close.outcome, close.explanation.as_str()),
        (Outcome::Differs, "3.846 % apart, same up to 5 %")
    );
}

#[test]
fn rough_values_leave_open_what_hangs_on_them() {
    let roughly = |samebank, diffbank| {
        let judge = |id| judge_roughly(&claim(id), &fig4(samebank, diffbank), |_| true);
        (
            judge("palloc-fig4-samebank").outcome,
            judge("palloc-fig4-diffbank").outcome,
        )
    };
    let (rising, flat) = ([61.0, 104.0, 148.0, 191.0], [61.0; 4]);
    // Apart by more than 10 %; the same, but not if one is 2.5 % more and another one 2.5 % less, which are 5.1 % apart.
    assert_eq!(roughly(rising, flat), (Outcome::Holds, Outcome::Open));
    // Between nothing and 10 % either may be so.
    assert_eq!(
        roughly([61.0, 104.0, 112.0, 191.0], rising),
        (Outcome::Open, Outcome::Differs)
    );
    assert_eq!(
        roughly([61.0, 104.0, 103.0, 191.0], rising),
        (Outcome::Differs, Outcome::Differs)
    );
    let exact = judge_roughly(&claim("palloc-fig4-diffbank"), &fig4(rising, flat), |_| false);
    assert_eq!(exact.outcome, Outcome::Holds, "its values are not off");
    // What longer runs would tell is open, and what no run tells is not.
    let missing = |id| judge_roughly(&claim(id), &Results::new(), |_| true).outcome;
    assert_eq!(missing("palloc-fig4-samebank"), Outcome::Open);
    assert_eq!(missing("palloc-abs-variation-4.4x"), Outcome::CannotBeRun);
}

#[test]
fn the_same_means_within_five_percent() {
    let rising = [61.0, 104.0, 148.0, 191.0];
    let close = verdict("palloc-fig4-diffbank", &fig4(rising, [60.0, 61.0, 62.0, 63.0]));
    assert_eq!(
        (close.outcome, close.explanation.as_str()),
        (Outcome::Holds, "5 % apart, same up to 5 %")
    );
    let far = verdict("palloc-fig4-diffbank", &fig4(rising, [60.0, 61.0, 62.0, 63.1]));
    assert_eq!(far.outcome, Outcome::Differs);
}

#[test]
fn missing_rows_and_values_are_named() {
    let mut results = fig4([61.0, 104.0, 148.0, 191.0], [61.0; 4]);
    let rows = results.0.get_mut("palloc-fig4").unwrap();
    rows.retain(|row| row.labels["corunners"] != "2");
    let gone = verdict("palloc-fig4-samebank", &results);
    assert_eq!(gone.outcome, Outcome::CannotBeRun);
    assert_eq!(
        gone.explanation,
        "no result latency_ns.mean{corunners=2, policy=samebank} in palloc-fig4"
    );
    let empty = verdict("palloc-fig5-p4080-order", &results);
    assert_eq!(empty.explanation, "experiment palloc-fig5 was not run");
    let twice = fig4([61.0, 104.0, 148.0, 191.0], [61.0; 4]);
    results
        .0
        .get_mut("palloc-fig4")
        .unwrap()
        .extend(twice.0["palloc-fig4"].clone());
    let double = verdict("palloc-fig4-samebank", &results);
    assert!(
        double.explanation.starts_with("2 results latency_ns.mean"),
        "{}",
        double.explanation
    );
}

#[test]
fn values_that_are_no_numbers_cannot_be_judged() {
    for bad in [f64::NAN, f64::INFINITY] {
        let broken = verdict("palloc-fig4-samebank", &fig4([61.0, bad, 148.0, 191.0], [61.0; 4]));
        assert_eq!(broken.outcome, Outcome::CannotBeRun);
        assert!(
            broken.explanation.contains(&format!("is {bad}")),
            "{}",
            broken.explanation
        );
    }
}

/// Table 2.1 scaled: our machine is `scale` times slower at every distance.
fn table_2_1(scale: f64) -> Results {
    let mut results = Results::new();
    for (node, mean, stddev) in [(0, 14.41, 0.56), (1, 22.5, 0.65), (2, 36.37, 0.84), (3, 36.37, 0.84)] {
        let row = Row::new().label("node", node).value("access_ns.mean", mean * scale);
        results.push("camc-tab2.1", row.value("access_ns.stddev", stddev * scale));
    }
    results
}

#[test]
fn absolute_latencies_are_compared_by_their_baseline() {
    for id in [
        "camc-tab2.1-local",
        "camc-tab2.1-onchip",
        "camc-tab2.1-offchip",
        "camc-2.4.2.1-local-vs-remote",
    ] {
        let slower = verdict(id, &table_2_1(4.0));
        assert_eq!(slower.outcome, Outcome::Holds, "{id}: {}", slower.explanation);
    }
    let onchip = verdict("camc-tab2.1-onchip", &table_2_1(4.0));
    assert_eq!(onchip.paper(), "22.5 ns (1.561 x); 0.65 ns (1.161 x)");
    assert_eq!(onchip.ours(), "90 ns (1.561 x); 2.6 ns (1.161 x)");
    assert_eq!(
        (onchip.parts[0].paper_value, onchip.parts[0].our_value),
        (Some(22.5), Some(90.0))
    );
    let mut results = table_2_1(1.0);
    results.0.get_mut("camc-tab2.1").unwrap()[1]
        .values
        .insert("access_ns.mean".to_owned(), 30.0);
    let differs = verdict("camc-tab2.1-onchip", &results);
    assert_eq!(differs.outcome, Outcome::Differs);
    let (band, best_guess) = differs.explanation.split_once("; ").expect("two parts");
    assert_eq!(band, "accepted 1.281 to 1.842 x");
    assert!(best_guess.starts_with("the mean is 1.27 x"), "{best_guess}");
    results.0.get_mut("camc-tab2.1").unwrap()[0]
        .values
        .insert("access_ns.mean".to_owned(), 0.0);
    let no_baseline = verdict("camc-tab2.1-onchip", &results);
    assert_eq!(no_baseline.outcome, Outcome::CannotBeRun);
}

fn table_2_2(camc: f64, init: f64) -> Results {
    let mut results = Results::new();
    let buddy = Row::new()
        .label("policy", "buddy")
        .value("access_ns.mean", 100.0)
        .value("access_ns.stddev", 20.0);
    let camc = Row::new()
        .label("policy", "camc")
        .value("access_ns.mean", camc)
        .value("access_ns.stddev", 2.0);
    results.push(
        "camc-tab2.2",
        buddy.value("alloc_init.ratio", 1.0).value("alloc_steady.ratio", 1.0),
    );
    results.push(
        "camc-tab2.2",
        camc.value("alloc_init.ratio", init).value("alloc_steady.ratio", 1.01),
    );
    results
}

#[test]
fn percentages_hold_within_a_quarter_or_five_points() {
    let outcome = |id, camc, init| verdict(id, &table_2_2(camc, init)).outcome;
    assert_eq!(outcome("camc-2.4.2.2-reduction", 65.0, 1.0), Outcome::Holds);
    assert_eq!(outcome("camc-2.4.2.2-reduction", 64.0, 1.0), Outcome::Differs);
    assert_eq!(outcome("camc-tab2.2-alloc-init", 70.0, 1.215), Outcome::Holds);
    assert_eq!(outcome("camc-tab2.2-alloc-init", 70.0, 1.225), Outcome::Differs);
    assert_eq!(outcome("camc-obs4", 70.0, 1.2), Outcome::Holds);
    assert_eq!(outcome("camc-obs3", 70.0, 1.2), Outcome::Holds);
}

#[test]
fn claims_over_all_programs_need_every_program() {
    let mut results = Results::new();
    let times = [("matmult", [10.0, 11.0, 12.0]), ("is", [20.0, 21.0, 23.0])];
    for (program, times) in times {
        for (policy, time) in ["diff_controller", "diff_bank", "same_bank"].into_iter().zip(times) {
            let row = Row::new()
                .label("program", program)
                .label("policy", policy)
                .label("attackers", 3);
            results.push("camc-fig2.4", row.value("time_ms.max", time));
        }
    }
    let holds = verdict("camc-fig2.4-wcet-reduced", &results);
    assert_eq!(holds.outcome, Outcome::Holds);
    assert_eq!(holds.parts.len(), 4);
    assert!(
        holds.ours().starts_with("is: 20 < 23; matmult: 10 < 12"),
        "{}",
        holds.ours()
    );
    assert!(
        holds.explanation.contains("stand-in: matrix multiply"),
        "{}",
        holds.explanation
    );
    results.0.get_mut("camc-fig2.4").unwrap()[5]
        .values
        .insert("time_ms.max".to_owned(), 19.0);
    assert_eq!(verdict("camc-fig2.4-wcet-reduced", &results).outcome, Outcome::Differs);
    results.0.get_mut("camc-fig2.4").unwrap().pop();
    assert_eq!(
        verdict("camc-fig2.4-wcet-reduced", &results).outcome,
        Outcome::CannotBeRun
    );
}

#[test]
fn claims_that_cannot_be_run_still_show_the_papers_numbers() {
    let spec = verdict("palloc-4c-spec-overhead", &Results::new());
    assert!(spec.paper().contains("0.4 %"), "{}", spec.paper());
    assert!(spec.explanation.contains("cannot be shipped"), "{}", spec.explanation);
    assert!(
        verdict("camc-tab2.3-taskset", &Results::new())
            .paper()
            .ends_with("and 2 more")
    );
}

#[test]
fn numbers_of_other_papers_are_counted_apart() {
    let cited = verdict("bpm-2-mutlu", &Results::new());
    assert_eq!(cited.word(), "cited");
    let other = verdict("bpm-fig8-wl1", &Results::new());
    let tally = Tally::of([&cited, &other]);
    assert_eq!(tally.to_string(), "0 hold, 0 differ, 1 cannot be run, 1 cited");
}

#[test]
fn the_table_and_the_tally_show_every_verdict() {
    let claims = claims();
    let results = fig4([61.0, 104.0, 148.0, 191.0], [61.0; 4]);
    let verdicts: Vec<Verdict> = claims.systems["palloc"]
        .claims
        .iter()
        .map(|claim| judge(claim, &results))
        .collect();
    assert_eq!(
        Tally::of(&verdicts),
        Tally {
            conditional: 0,
            holds: 2,
            differs: 0,
            refuted: 0,
            cannot_be_run: 36,
            open: 0,
            cited: 0
        }
    );
    assert_eq!(Tally::of(&verdicts).to_string(), "2 hold, 0 differ, 36 cannot be run");
    let by_role = TallyByRole::of(&verdicts);
    assert_eq!(
        by_role.to_string(),
        "what was measured: 2 hold, 0 differ, 33 cannot be run; parameters: 0 hold, 0 differ, 3 cannot be run"
    );
    let table = verdict_table("PALLOC", &verdicts).unwrap();
    assert_eq!(table.rows().len(), verdicts.len());
    // What is ambiguous in the paper is told whatever came of the claim.
    let noted = verdicts.iter().filter(|verdict| verdict.note.is_some());
    assert!(noted.clone().count() > 3);
    assert!(noted.into_iter().all(|verdict| verdict.remarks().contains("note: ")));
    // A phone shows the first two columns.
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names[..2], ["claim", "verdict"]);
    let json = serde_json::to_value(&verdicts).unwrap();
    let samebank = json
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == "palloc-fig4-samebank")
        .unwrap();
    assert_eq!(
        (&samebank["outcome"], &samebank["where"]),
        (&"holds".into(), &"Fig. 4, V-A".into())
    );
}
