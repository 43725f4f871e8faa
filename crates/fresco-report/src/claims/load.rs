// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading the files in `claims/`, and making sure they agree with each other.

use super::check::Test;
use super::expr::{Expr, experiment_of};
use super::model::{Claim, ClaimFile, Experiment, ExperimentFile, Platform, Policies, Role};
use super::results::Labels;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

const CLAIMS_SCHEMA: &str = "fresco-claims/1";
const EXPERIMENTS_SCHEMA: &str = "fresco-experiments/1";
/// No field of a claim is longer than this, in characters: statements in words of our own, not quotations.
const LONGEST: usize = 200;

/// A fault in a file of claims.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}: {place}: {why}")]
pub struct ClaimError {
    /// File.
    pub file: String,
    /// Claim, platform or experiment; or where in the TOML.
    pub place: String,
    /// What is wrong.
    pub why: String,
}

/// The claims of one system.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// Name: `camc`, `crs`.
    pub name: String,
    /// The paper.
    pub source: String,
    /// What it measured on.
    pub platforms: Vec<Platform>,
    /// Its claims, in the order of the paper.
    pub claims: Vec<Claim>,
}

/// All claims, and the experiments they are checked against.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    /// Systems by name.
    pub systems: BTreeMap<String, System>,
    /// Experiments by name.
    pub experiments: BTreeMap<String, Experiment>,
}

impl Claims {
    /// The claims that are part of this program.
    ///
    /// # Errors
    /// None, as the tests of this crate prove; the type keeps callers from having to trust that.
    pub fn builtin() -> Result<Self, ClaimError> {
        let experiments = ("experiments.toml", include_str!("../../../../claims/experiments.toml"));
        let systems = [
            ("bounds.toml", include_str!("../../../../claims/bounds.toml")),
            ("bpm.toml", include_str!("../../../../claims/bpm.toml")),
            ("bpm-plus.toml", include_str!("../../../../claims/bpm-plus.toml")),
            ("camc.toml", include_str!("../../../../claims/camc.toml")),
            ("codesign.toml", include_str!("../../../../claims/codesign.toml")),
            (
                "colored-refresh.toml",
                include_str!("../../../../claims/colored-refresh.toml"),
            ),
            ("crs.toml", include_str!("../../../../claims/crs.toml")),
            ("kernel.toml", include_str!("../../../../claims/kernel.toml")),
            ("memguard.toml", include_str!("../../../../claims/memguard.toml")),
            ("palloc.toml", include_str!("../../../../claims/palloc.toml")),
            (
                "refresh-baselines.toml",
                include_str!("../../../../claims/refresh-baselines.toml"),
            ),
            ("tintmalloc.toml", include_str!("../../../../claims/tintmalloc.toml")),
        ];
        Self::parse(experiments, &systems)
    }

    /// Reads files, given by name and text, and checks that ids are unique, every reference has its target, every
    /// formula asks for values its experiment yields, and no field is too long.
    ///
    /// # Errors
    /// The first fault found.
    pub fn parse(experiments: (&str, &str), systems: &[(&str, &str)]) -> Result<Self, ClaimError> {
        let (file, text) = experiments;
        let parsed: ExperimentFile = parse(file, text)?;
        schema(file, &parsed.schema, EXPERIMENTS_SCHEMA)?;
        let mut claims = Self {
            systems: BTreeMap::new(),
            experiments: BTreeMap::new(),
        };
        for experiment in parsed.experiment {
            let name = experiment.name.clone();
            compares(&experiment).map_err(|why| fault(file, &name, why))?;
            if claims.experiments.insert(name.clone(), experiment).is_some() {
                return Err(fault(file, &name, "given twice"));
            }
        }
        let mut ids = BTreeSet::new();
        for (file, text) in systems {
            let parsed: ClaimFile = parse(file, text)?;
            schema(file, &parsed.schema, CLAIMS_SCHEMA)?;
            for claim in &parsed.claim {
                if !ids.insert(claim.id.clone()) {
                    return Err(fault(file, &claim.id, "id given twice"));
                }
                claims
                    .check(claim, &parsed.platform)
                    .map_err(|why| fault(file, &claim.id, why))?;
            }
            let ClaimFile {
                system: name,
                source,
                platform: platforms,
                claim,
                ..
            } = parsed;
            claims.systems.insert(
                name.clone(),
                System {
                    name,
                    source,
                    platforms,
                    claims: claim,
                },
            );
        }
        Ok(claims)
    }

    /// Names of the systems.
    pub fn names(&self) -> Vec<&str> {
        self.systems.keys().map(String::as_str).collect()
    }

    fn check(&self, claim: &Claim, platforms: &[Platform]) -> Result<(), String> {
        if !platforms.iter().any(|platform| platform.key == claim.platform) {
            return Err(format!("platform \"{}\" is not described", claim.platform));
        }
        if claim.check.is_empty() {
            return Err("no check".to_owned());
        }
        if claim.answers.is_some() && claim.role != Role::Result {
            return Err("answers: a question is answered by what was measured".to_owned());
        }
        if claim.refuted_by.is_some() && (claim.role == Role::Result || claim.if_differs.is_none()) {
            return Err("refuted_by: no measurement is refuted by a proof, and if_differs says what it is".to_owned());
        }
        if claim.role == Role::Cited
            && !claim
                .check
                .iter()
                .all(|check| matches!(check.test, Test::Cannot { .. }))
        {
            return Err("check: a number of another paper is told, not judged".to_owned());
        }
        self.experiment(&claim.experiment)?;
        for check in claim.check.iter().chain(&claim.recorded) {
            for expr in check.test.formulas() {
                self.formula(claim, expr)?;
            }
            let labels = &self.experiment(&claim.experiment)?.labels;
            for (name, value) in &check.at {
                allowed(labels, name, value)?;
            }
            if let Some(each) = check.each.as_ref().filter(|each| !labels.contains_key(*each)) {
                return Err(format!("experiment {} has no label {each}", claim.experiment));
            }
        }
        short(claim)
    }

    fn experiment(&self, name: &str) -> Result<&Experiment, String> {
        self.experiments
            .get(name)
            .ok_or_else(|| format!("experiment \"{name}\" is not known"))
    }

    /// Every selector asks for a value and labels that its experiment has.
    fn formula(&self, claim: &Claim, expr: &Expr) -> Result<(), String> {
        let mut found: Vec<(&str, &Labels)> = Vec::new();
        expr.node.selectors(&mut |metric, labels| found.push((metric, labels)));
        for (metric, labels) in found {
            let experiment = self.experiment(experiment_of(labels, &claim.experiment))?;
            if !experiment.values.iter().any(|value| value == metric) {
                return Err(format!("experiment {} has no value {metric}", experiment.name));
            }
            for (name, value) in labels.iter().filter(|(name, _)| *name != "experiment") {
                allowed(&experiment.labels, name, value)?;
            }
        }
        let mut ranges: Vec<(&str, &str)> = Vec::new();
        expr.node
            .overs(&mut |label, inner| ranges.push((label, inner.experiment(&claim.experiment))));
        for (label, experiment) in ranges {
            if !self.experiment(experiment)?.labels.contains_key(label) {
                return Err(format!("experiment {experiment} has no label {label}"));
            }
        }
        Ok(())
    }
}

/// What an experiment compares is among its labels and values.
fn compares(experiment: &Experiment) -> Result<(), String> {
    let Some(policies) = &experiment.policies else {
        return Ok(());
    };
    let Policies { label, values, .. } = policies;
    if experiment.labels.get(label).is_some_and(Vec::is_empty) {
        return Err(format!("label {label} may be anything, which tells no policies"));
    }
    // The first one may have no rows: all values tell the difference to it.
    for value in values.iter().skip(1) {
        allowed(&experiment.labels, label, value)?;
    }
    if values.len() < 2 {
        return Err("needs two policies or more".to_owned());
    }
    match policies.neutral.keys().find(|name| !experiment.values.contains(name)) {
        Some(name) => Err(format!("no value {name} in this experiment")),
        None => Ok(()),
    }
}

fn allowed(labels: &BTreeMap<String, Vec<String>>, name: &str, value: &String) -> Result<(), String> {
    match labels.get(name) {
        None => Err(format!("no label {name} in this experiment")),
        Some(values) if values.is_empty() || values.contains(value) => Ok(()),
        Some(values) => Err(format!("label {name} is never {value}, only {}", values.join(", "))),
    }
}

fn short(claim: &Claim) -> Result<(), String> {
    let optional = [&claim.stand_in, &claim.note, &claim.if_differs];
    let required = [&claim.place, &claim.workload, &claim.metric, &claim.says];
    let formulas = claim
        .check
        .iter()
        .chain(&claim.recorded)
        .flat_map(|check| check.test.formulas())
        .map(|expr| &expr.text);
    let texts = required
        .into_iter()
        .chain(optional.into_iter().flatten())
        .chain(formulas);
    match texts.into_iter().find(|text| text.chars().count() > LONGEST) {
        Some(text) => Err(format!("longer than {LONGEST} characters: {text}")),
        None => Ok(()),
    }
}

fn parse<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, ClaimError> {
    toml::from_str(text).map_err(|error| {
        let line = error
            .span()
            .map_or(0, |span| text[..span.start.min(text.len())].lines().count());
        fault(file, &format!("near line {line}"), error.message())
    })
}

fn schema(file: &str, found: &str, expected: &str) -> Result<(), ClaimError> {
    if found == expected {
        Ok(())
    } else {
        Err(fault(file, "schema", format!("\"{found}\", not \"{expected}\"")))
    }
}

fn fault(file: &str, place: &str, why: impl Into<String>) -> ClaimError {
    ClaimError {
        file: file.to_owned(),
        place: place.to_owned(),
        why: why.into(),
    }
}
