// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco evidence`: one folder that an assessor can read: what is claimed of a scenario or plan, on what it rests, and how to repeat it.

mod claims;
mod copies;
mod facts;
mod folder;
mod formulas;
mod gaps;
mod live;
mod machine;
mod page;
mod page_parts;
mod pages;
mod partition;
mod runs;
mod subject;

use crate::arguments::one_at_least;
use crate::failure::{Failure, Outcome, WANTING, tell, tell_warning};
use crate::output;
use crate::outputs;
use crate::scenarios;
use crate::stop::{STOPPED, Stop};
use copies::Kept;
use facts::{Evidence, FileFacts, SCHEMA};
use fresco_report::{Cell, Column, Document, Provenance, ReportError, Table};
use std::path::PathBuf;
use std::process::ExitCode;
use subject::Subject;

/// Files of the folder beside results and copies.
pub const JSON: &str = "evidence.json";
const PAGE: &str = "index.html";
const PDF: &str = "evidence.pdf";

/// Arguments of `fresco evidence`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Runs bound, attack and sim (of a plan also check), looks at the partition page by page, and writes all of it to one folder: index.html and evidence.pdf to be read, \
evidence.json with all facts, results as the verbs print them, copies of what was read, and SHA256SUMS. Each result has the command that makes it anew. \
What is not covered is listed. A folder of evidence that nobody has changed is replaced, any other is refused. docs/evidence.md says more.
Exit status: 0 all that is claimed holds; 1 something does not, or reads of a measured task of a scenario have no bound: the folder is written and says so; \
2 wrong input; 130 Ctrl-C, nothing is written.

Examples:
  fresco evidence my.toml --out evidence
  fresco evidence plan.json --out evidence --tries 20000
  fresco evidence plan.json --out evidence --live verified.json --map map-verified.json
  fresco evidence first --set 'sweep.banks=[\"private\"]' --set 'sweep.corunners=[2]' --out evidence --no-attack")]
pub struct Args {
    /// Scenario or plan: the name of a built-in scenario, or a file; a scenario with `plan` is planned first
    #[arg(value_name = "SCENARIO|PLAN")]
    subject: String,

    /// Write the folder there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Set a key of the scenario (repeatable), as fresco sim does
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Attacks tried on each measured task
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = one_at_least)]
    tries: u64,

    /// Try no attacks
    #[arg(long, conflicts_with = "tries")]
    no_attack: bool,

    /// What a live run had: a file that `fresco verify --json` wrote
    #[arg(long, value_name = "FILE")]
    live: Option<PathBuf>,

    /// How the machine's map was proven: a file that `fresco map verify --json` or `fresco map detect --json` wrote, or the map that the latter kept
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,

    /// Print evidence.json instead of the claims
    #[arg(long)]
    json: bool,
}

/// Collects the evidence and writes the folder.
pub fn run(args: &Args) -> Outcome {
    let given = scenarios::is_path(&args.subject).then(|| PathBuf::from(&args.subject));
    let read: Vec<PathBuf> = given
        .into_iter()
        .chain(args.live.clone())
        .chain(args.map.clone())
        .collect();
    folder::Place::prepare(&args.out, &read)?;
    let stop = Stop::after("what has begun");
    let mut subject = match Subject::load(&args.subject, &args.set, &stop) {
        Err(_) if stop.is_asked() => return Ok(stopped()),
        loaded => loaded?,
    };
    tell_warning(&subject.model);
    let place = folder::Place::prepare(&args.out, &subject.read)?;
    let machine = machine::of(&mut subject, args.map.as_deref())?;
    let Some(mut partition) = partition::of(&subject, &stop)? else {
        return Ok(stopped());
    };
    let live = args
        .live
        .as_deref()
        .map(|path| live::read(path, &mut subject, &partition));
    let live = live.transpose()?;
    let Some(found) = runs::all(args, &mut subject, &stop)? else {
        return Ok(stopped());
    };
    partition.rows = found.rows;
    let found = runs::Found { rows: None, ..found };
    let name = subject.name.clone();
    let about = claims::About {
        name: &name,
        machine: &machine,
        partition: &partition,
        found: &found,
        live: live.as_ref(),
    };
    let claims = claims::of(&about, &subject.copies);
    let gaps = gaps::of(args, &subject, &machine, &partition, &found, live.as_ref());
    let provenance = Provenance {
        command: command(args, &subject),
        ..subject.provenance("", found.simulation.seed, subject.plan.is_some())
    };
    let evidence = Evidence {
        holds: claims::hold(&claims),
        subject: subject.facts(),
        name,
        claims,
        machine,
        partition,
        bounds: found.bounds,
        attacks: found.attacks,
        simulation: found.simulation,
        live,
        plan: found.plan,
        not_covered: gaps,
        files: files(&subject),
    };
    let document = Document {
        schema: SCHEMA,
        provenance: &provenance,
        data: &evidence,
    };
    let json = document.to_bytes()?;
    let digest = folder::sha256(&json);
    let report = page::of(&evidence, &subject, &provenance, &digest)?;
    let foot = format!("{}; evidence.json has SHA-256 {digest}", provenance.tool_line());
    let mut kept = std::mem::take(&mut subject.copies.files);
    let mut add = |path: &str, bytes: Vec<u8>| {
        kept.push(Kept {
            path: path.to_owned(),
            bytes,
            what: String::new(),
            command: None,
        });
    };
    add(PAGE, report.to_html().into_bytes());
    add(PDF, report.to_pdf(&foot));
    add(JSON, json.clone());
    // A folder that cannot be written after all does not cost the result: it is printed first.
    let written = place.write(&kept).map_err(Failure::from);
    match args.json {
        true => output::write(&json)?,
        false => output::print(false, SCHEMA, &provenance, &evidence, || {
            tables(args, &evidence, written.is_ok())
        })?,
    }
    outputs::all([written])?;
    Ok(match evidence.holds {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    })
}

fn stopped() -> ExitCode {
    tell("fresco: stopped before all was run: no evidence is written");
    ExitCode::from(STOPPED)
}

/// The command line as it is repeated in the folder: what it reads has the names that it has there.
fn command(args: &Args, subject: &Subject) -> String {
    let mut rest = Vec::new();
    match args.no_attack {
        true => rest.push("--no-attack".to_owned()),
        false => rest.push(format!("--tries {}", args.tries)),
    }
    rest.extend(args.live.as_ref().map(|_| format!("--live {}", live::FILE)));
    rest.extend(args.map.as_ref().map(|_| format!("--map {}", machine::RECORD)));
    rest.push("--out ../again".to_owned());
    subject.command("evidence", &rest.join(" "))
}

fn files(subject: &Subject) -> Vec<FileFacts> {
    let files = subject.copies.files.iter().map(|kept| FileFacts {
        path: kept.path.clone(),
        what: kept.what.clone(),
        sha256: folder::sha256(&kept.bytes),
        command: kept.command.clone(),
    });
    files.collect()
}

/// The claims, for the terminal.
fn tables(args: &Args, evidence: &Evidence, is_written: bool) -> Result<Vec<Table>, ReportError> {
    let title = match evidence.holds {
        true => format!("{}: all that is claimed holds", evidence.name),
        false => format!("{}: not all that is claimed holds", evidence.name),
    };
    let mut table = Table::new(title, ["about", "claim", "verdict"].map(Column::text).to_vec());
    for claim in &evidence.claims {
        table.push(vec![
            claim.about.as_str().into(),
            claim.claim.as_str().into(),
            page::verdict(claim.verdict),
        ])?;
    }
    if !is_written {
        return Ok(vec![table]);
    }
    let mut written = Table::new("Written", ["what", "where"].map(Column::text).to_vec());
    for (what, name) in [
        ("to be read", PAGE),
        ("on paper", PDF),
        ("all facts", JSON),
        ("digests", folder::SUMS),
    ] {
        let path = args.out.join(name).display().to_string();
        written.push(vec![what.into(), Cell::from(path)])?;
    }
    written.push(vec![
        "not covered".into(),
        format!("{} entries in section 8", evidence.not_covered.len()).into(),
    ])?;
    Ok(vec![table, written])
}
