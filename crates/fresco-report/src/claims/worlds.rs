// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worlds that are not so, which verdicts are tried in: what a claim says that policies do must not hold where they do nothing, or where
//! each does what another one does.
//!
//! A world is made of results: rows of one policy get the values of another one's. Nothing is run.

use super::expr::experiment_of;
use super::judge::judge;
use super::model::{Claim, Experiment, Policies};
use super::results::{Results, Row};
use super::verdict::{Outcome, Verdict};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What results would be, were the policies others than they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum World {
    /// All policies do what the first one does, which is the one that does the least.
    Null,
    /// Of the policies that a claim speaks of each does what the next one does, and the last what the first does.
    Exchanged,
}

/// How many claims say that policies do something, and which of them hold in a world where it is not so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// Claims on an effect that could be judged.
    pub effects: usize,
    /// Those that hold.
    pub hold: usize,
    /// Those that hold as well where all policies do the same.
    pub null: Vec<String>,
    /// Those that hold as well where the policies are exchanged.
    pub exchanged: Vec<String>,
}

impl Tried {
    /// Tries the verdict on a claim; `results` are what it rests on.
    pub fn add(
        &mut self,
        claim: &Claim,
        verdict: &Verdict,
        results: &Results,
        experiments: &BTreeMap<String, Experiment>,
    ) {
        if matches!(verdict.outcome, Outcome::CannotBeRun | Outcome::Open) || claim.no_effect {
            return;
        }
        let Some(spoken) = spoken(claim, experiments) else {
            return;
        };
        self.effects += 1;
        if verdict.outcome != Outcome::Holds {
            return;
        }
        self.hold += 1;
        let holds = |world| judge(claim, &results_in(world, claim, &spoken, results)).outcome == Outcome::Holds;
        if holds(World::Null) {
            self.null.push(claim.id.clone());
        }
        if holds(World::Exchanged) {
            self.exchanged.push(claim.id.clone());
        }
    }
}

impl std::fmt::Display for Tried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { effects, hold, .. } = self;
        let told = |held: &[String]| match held {
            [] => "none".to_owned(),
            held => format!("{} ({})", held.len(), held.join(", ")),
        };
        write!(f, "{effects} say what a policy does, {hold} of them hold; of these ")?;
        write!(
            f,
            "{} would hold if all policies did the same, {} if they were exchanged",
            told(&self.null),
            told(&self.exchanged)
        )
    }
}

/// What a claim says of the policies of an experiment.
struct Spoken<'e> {
    policies: &'e Policies,
    /// Places of the policies that it speaks of, ascending: two or more.
    places: Vec<usize>,
}

/// The policies that the claim speaks of, by experiment, if there are others than the first among them.
fn spoken<'e>(claim: &Claim, experiments: &'e BTreeMap<String, Experiment>) -> Option<BTreeMap<&'e str, Spoken<'e>>> {
    let mut spoken = BTreeMap::new();
    for experiment in claim.experiments().iter().filter_map(|name| experiments.get(*name)) {
        let Some(policies) = &experiment.policies else {
            continue;
        };
        let mut places = named(claim, experiment, policies);
        if places.iter().any(|place| *place > 0) {
            if places.len() == 1 {
                places.insert(0);
            }
            let places = places.into_iter().collect();
            spoken.insert(experiment.name.as_str(), Spoken { policies, places });
        }
    }
    (!spoken.is_empty()).then_some(spoken)
}

impl Claim {
    /// The experiments that its tests read.
    pub fn experiments(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::from([self.experiment.as_str()]);
        for expr in self.check.iter().flat_map(|check| check.test.formulas()) {
            expr.node.selectors(&mut |_, labels| {
                found.insert(experiment_of(labels, &self.experiment));
            });
        }
        found
    }
}

/// Places of the policies of this experiment that the claim's formulas name. A value that tells the difference to the first one in itself
/// names that one, too.
fn named(claim: &Claim, experiment: &Experiment, policies: &Policies) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for check in &claim.check {
        let is_each = check.each.as_ref() == Some(&policies.label);
        for expr in check.test.formulas() {
            expr.node.selectors(&mut |value, labels| {
                if experiment_of(labels, &claim.experiment) != experiment.name {
                    return;
                }
                let policy = labels.get(&policies.label).or_else(|| check.at.get(&policies.label));
                if let Some(place) = policy.and_then(|policy| policies.place(policy)) {
                    found.insert(place);
                    if policies.neutral.contains_key(value) {
                        found.insert(0);
                    }
                }
                if is_each {
                    found.extend(0..policies.values.len());
                }
            });
            expr.node.overs(&mut |label, inner| {
                if *label == policies.label && inner.experiment(&claim.experiment) == experiment.name {
                    found.extend(0..policies.values.len());
                }
            });
        }
    }
    found
}

/// What a claim reads of the results, as it would be in a world.
fn results_in(world: World, claim: &Claim, spoken: &BTreeMap<&str, Spoken<'_>>, results: &Results) -> Results {
    let changed = claim.experiments().into_iter().filter_map(|name| {
        let rows = results.0.get(name)?;
        let rows = match spoken.get(name) {
            Some(spoken) => rows.iter().map(|row| spoken.row_in(world, row, rows)).collect(),
            None => rows.clone(),
        };
        Some((name.to_owned(), rows))
    });
    Results(changed.collect())
}

impl Policies {
    /// Where a policy stands; `None` if it is none.
    fn place(&self, policy: &str) -> Option<usize> {
        self.values.iter().position(|value| value == policy)
    }
}

impl Spoken<'_> {
    /// The place of the policy whose values a policy's rows have in a world.
    fn instead_of(&self, place: usize, world: World) -> usize {
        match (world, self.places.binary_search(&place)) {
            (World::Null, _) => 0,
            (World::Exchanged, Ok(at)) => self.places[(at + 1) % self.places.len()],
            (World::Exchanged, Err(_)) => place,
        }
    }

    /// The row as it is in a world, where it has the values of another row. Values that tell the difference to the first policy in
    /// themselves tell of none where all do the same, and of the opposite where no row is there to exchange them for. What the other policy
    /// knows nothing of, such as budgets without regulation, is not there.
    fn row_in(&self, world: World, row: &Row, rows: &[Row]) -> Row {
        let label = &self.policies.label;
        let place = row.labels.get(label).and_then(|policy| self.policies.place(policy));
        let Some(place) = place.filter(|place| self.instead_of(*place, world) != *place) else {
            return row.clone();
        };
        let mut labels = row.labels.clone();
        labels.insert(
            label.clone(),
            self.policies.values[self.instead_of(place, world)].clone(),
        );
        let other = rows.iter().find(|other| other.labels == labels);
        let value = |(name, own): (&String, &f64)| {
            let of_other = other.and_then(|other| other.values.get(name)).copied();
            let value = match (of_other, self.policies.neutral.get(name), world) {
                (Some(value), _, _) => Some(value),
                (None, Some(neutral), World::Null) => Some(*neutral),
                (None, Some(neutral), World::Exchanged) => Some(2.0 * neutral - own),
                (None, None, _) => None,
            };
            value.map(|value| (name.clone(), value))
        };
        Row {
            labels: row.labels.clone(),
            values: row.values.iter().filter_map(value).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::Claims;
    use super::*;

    const EXPERIMENTS: &str = r#"
        schema = "fresco-experiments/1"
        [[experiment]]
        name = "e"
        what = "A made-up experiment."
        policies = { label = "policy", values = ["none", "some", "best"], neutral = { gain_pct = 0.0 } }
        labels = { policy = ["alone", "none", "some", "best"], size = ["1", "2"] }
        values = ["time", "gain_pct", "budget"]
    "#;

    /// Results in which "best" takes half of the time that "none" takes, and "some" is between.
    fn results() -> Results {
        let mut results = Results::new();
        for size in [1, 2] {
            for (policy, time) in [("alone", 40.0), ("none", 100.0), ("some", 80.0), ("best", 50.0)] {
                let row = Row::new().label("policy", policy).label("size", size);
                let row = row.value("time", time * f64::from(size));
                results.push(
                    "e",
                    match policy {
                        "some" | "best" => row.value("gain_pct", 10_000.0 / time - 100.0).value("budget", 7.0),
                        _ => row,
                    },
                );
            }
        }
        results
    }

    /// Tries a claim that holds with one check, given by its lines.
    fn tried(check: &str, more: &str) -> Tried {
        let claims = format!(
            r#"
            schema = "fresco-claims/1"
            system = "s"
            source = "A paper"
            [[platform]]
            key = "p"
            machine = "m"
            [[claim]]
            id = "c"
            where = "here"
            platform = "p"
            workload = "w"
            metric = "m"
            kind = "ratio"
            role = "result"
            experiment = "e"
            says = "something"
            {more}
            [[claim.check]]
            {check}
            "#
        );
        let claims = Claims::parse(("experiments.toml", EXPERIMENTS), &[("s.toml", &claims)]).expect("sound");
        let claim = &claims.systems["s"].claims[0];
        let verdict = judge(claim, &results());
        assert_eq!(verdict.outcome, Outcome::Holds, "{check}: {verdict:?}");
        let mut tried = Tried::default();
        tried.add(claim, &verdict, &results(), &claims.experiments);
        tried
    }

    /// Whether it is an effect, and holds where policies do the same, and where they are exchanged.
    fn found(check: &str) -> (usize, bool, bool) {
        let tried = tried(check, "");
        (tried.effects, !tried.null.is_empty(), !tried.exchanged.is_empty())
    }

    #[test]
    fn an_effect_holds_neither_where_there_is_none_nor_where_it_is_another_ones() {
        for check in [
            "type = \"order\"\nat = \"size=1\"\nascending = [\"time{policy=best}\", \"time{policy=none}\"]",
            "type = \"near\"\nat = \"size=1\"\nof = \"gain_pct{policy=some}\"\npaper = 24.0\nunit = \"%\"",
            "type = \"bound\"\nof = \"mean(size: gain_pct{policy=best} - gain_pct{policy=some})\"\nabove = 0.0",
            "type = \"bound\"\nof = \"time{size=1, policy=best} / time{size=1, policy=alone}\"\nbelow = 1.5",
            // There are no budgets without.
            "type = \"bound\"\nat = \"size=1\"\nof = \"budget{policy=some}\"\nabove = 5.0",
        ] {
            assert_eq!(found(check), (1, false, false), "{check}");
        }
    }

    /// That both are better than the first is no matter of which of the two is.
    #[test]
    fn gains_over_the_first_policy_speak_of_it() {
        let gains =
            |policy| format!("type = \"bound\"\nat = \"size=1\"\nof = \"gain_pct{{policy={policy}}}\"\nabove = 0.0");
        let both = format!("{}\n[[claim.check]]\n{}", gains("some"), gains("best"));
        assert_eq!(found(&both), (1, false, false));
    }

    #[test]
    fn what_holds_without_policies_is_told() {
        let hollow = "type = \"bound\"\nat = \"size=1\"\nof = \"gain_pct{policy=some}\"\nabove = -30.0";
        assert_eq!(found(hollow), (1, true, true));
        let text = tried(hollow, "").to_string();
        assert!(
            text.ends_with("1 (c) would hold if all policies did the same, 1 (c) if they were exchanged"),
            "{text}"
        );
        // Whatever policies do, a program alone is faster.
        let least = "type = \"order\"\nat = \"size=1\"\nascending = [\"min(policy: time)\", \"time{policy=some}\"]";
        assert_eq!(found(least), (1, true, true));
        // One that says that nothing happens is no effect.
        assert_eq!(tried(hollow, "no_effect = true").effects, 0);
    }

    #[test]
    fn what_the_least_policy_and_none_do_is_no_effect_of_policies() {
        let check = "type = \"bound\"\nof = \"time{size=1, policy=none} / time{size=1, policy=alone}\"\nabove = 2.0";
        assert_eq!(found(check), (0, false, false));
        let check = "type = \"bound\"\nof = \"time{size=2, policy=alone} / time{size=1, policy=alone}\"\nabove = 1.5";
        assert_eq!(found(check), (0, false, false));
    }

    #[test]
    fn claims_of_no_effect_speak_of_policies() {
        let claims = Claims::builtin().expect("sound");
        for claim in claims.systems.values().flat_map(|system| &system.claims) {
            assert!(
                !claim.no_effect || spoken(claim, &claims.experiments).is_some(),
                "{}",
                claim.id
            );
        }
    }

    #[test]
    fn policies_are_among_the_labels_and_values() {
        for (wrong, why) in [
            (("label = \"policy\"", "label = \"scheme\""), "no label scheme"),
            (
                ("\"some\", \"best\"], neutral", "\"other\"], neutral"),
                "is never other",
            ),
            (("gain_pct = 0.0", "gain = 0.0"), "no value gain"),
            (
                ("[\"none\", \"some\", \"best\"], neutral", "[\"none\"], neutral"),
                "two policies",
            ),
        ] {
            let text = EXPERIMENTS.replace(wrong.0, wrong.1);
            assert_ne!(text, EXPERIMENTS);
            let error = Claims::parse(("experiments.toml", &text), &[]).expect_err(why);
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
