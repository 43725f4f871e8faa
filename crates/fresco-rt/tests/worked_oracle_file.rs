// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file of worked examples by name, recomputed: every leaf of it.

use fresco_rt::oracle::{compare_file, entries};
use serde_json::{Value, json};

fn file() -> Value {
    serde_json::from_str(include_str!("data/worked_examples.json")).unwrap()
}

#[test]
fn every_field_of_every_example_is_equal() {
    let file = file();
    let places: Vec<String> = entries(&file).unwrap().into_iter().map(|entry| entry.place).collect();
    assert_eq!(places.len(), 13, "{places:?}");
    assert!(places.contains(&"counterexamples.hidden_is_not_free".to_owned()));
    assert_eq!(compare_file(&file), Ok(Vec::new()));
}

/// A change of any recorded answer is seen; one of an input is refused or changes answers.
#[test]
fn every_answer_is_compared() {
    let forged = |path: &str, value: Value| {
        let mut file = file();
        *file.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
        let found = compare_file(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(!found.is_empty(), "{path}");
        found[0].to_string()
    };
    assert_eq!(
        forged("/table4_2/feasible", json!(false)),
        "table4_2: feasible: expected false, found true"
    );
    forged("/table4_5/avail/0", json!([0, 1, 2, 3, 4, 5, 6, 7]));
    forged("/table4_6_lms_single_color/3", json!(false));
    forged("/example1/cands/1/edf_occupied_at_f/2/0", json!(0));
    for field in [
        "delta",
        "min_supplied/0",
        "unhidden/0",
        "t3/1",
        "aligned/e1",
        "aligned/seg",
    ] {
        forged(&format!("/table5_2/dens/jedec_16Gb/{field}"), json!(17));
    }
    for field in ["misses", "wcrt/lms", "unhidden/1", "horizon", "converged"] {
        for dispatch in ["idle", "defer", "flat"] {
            forged(
                &format!(
                    "/section5_3_5/dens/text_64Gb/sim/{dispatch}/{}",
                    field.replace("lms", "T1")
                ),
                json!(17),
            );
        }
    }
    forged("/table5_2/min_budget/S2_fp_Prm", json!(1));
    forged("/counterexamples/anomaly_idle_delta1/sim/idle", json!(17));
    forged("/counterexamples/hidden_is_not_free/min_supplied/0", json!(2_400_000));
    forged("/counterexamples/rm_ub_text/sim", json!({"forged": 2}));
}

#[test]
fn impossible_examples_are_refused_with_their_place() {
    let refused = |change: fn(&mut Value)| {
        let mut file = file();
        change(&mut file);
        let error = compare_file(&file).unwrap_err();
        (error.record, error.field)
    };
    let place = |record: &str, field: &str| (record.to_owned(), field.to_owned());
    assert_eq!(
        refused(|f| f["table5_2"]["servers"] = json!([4])),
        place("table5_2", "servers")
    );
    assert_eq!(
        refused(|f| f["table5_2"]["policy"] = json!("rr")),
        place("table5_2", "policy")
    );
    assert_eq!(
        refused(|f| f["table5_2"]["W2"][0]["id"] = json!("lms")),
        place("table5_2", "W2[0].id")
    );
    assert_eq!(
        refused(|f| f["table5_2"]["dens"]["jedec_3Gb"] = json!({})),
        place("table5_2", "dens.jedec_3Gb")
    );
    assert_eq!(
        refused(|f| f["counterexamples"]["rm_ub_text"]["cfg"]["tret"] = json!(-1)),
        place("counterexamples.rm_ub_text", "cfg.tret")
    );
    assert_eq!(
        refused(|f| f["table4_2"]["avail"] = json!([[]])),
        place("table4_2", "avail")
    );
    assert_eq!(
        refused(|f| f["table4_2"]["avail"][1] = json!([8])),
        place("table4_2", "avail[1]")
    );
    assert_eq!(
        refused(|f| f["example1"]["tasks"][1]["wcet"] = json!(1)),
        place("example1", "tasks[1].wcet")
    );
    assert_eq!(refused(|f| f["more"] = json!({"x": 1})), place("more", ""));
    let missing = refused(|f| drop(f.as_object_mut().unwrap().remove("example1")));
    assert_eq!(missing, place("table4_2", ""));
}
