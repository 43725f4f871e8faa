// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same shards on clusters: what Slurm, Kubernetes and GNU parallel are given.

use super::Args;
use crate::provenance::quoted;
use fresco_input::{InputError, file_name, is_standard_input};
use fresco_sweep::Sweep;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What is asked for, if anything is.
///
/// # Errors
/// The sweep is not in a file that jobs could read.
pub fn text(args: &Args, out: &Path, sweep: &Sweep) -> Result<Option<String>, InputError> {
    let asked = [
        ("--slurm", args.slurm),
        ("--kubernetes", args.kubernetes),
        ("--parallel", args.parallel),
    ];
    if let Some((option, shards)) = asked.iter().find_map(|(option, shards)| Some((option, (*shards)?))) {
        // Standard input and pipes are this process's own.
        if is_standard_input(&args.file) || !args.file.is_file() {
            let error = InputError::new(file_name(&args.file), "found the sweep where no job can read it");
            return Err(error
                .in_field(*option)
                .allowed("a file that all jobs see")
                .help(format!(
                    "write it to a file, and name that: fresco sweep sweep.toml {option} {shards}"
                )));
        }
    }
    let words = words(args, out);
    let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    Ok(match (args.slurm, args.kubernetes, args.parallel) {
        (Some(shards), ..) => Some(slurm(&line, shards, &sweep.spec.name)),
        (_, Some(shards), _) => Some(kubernetes(&words, shards, &sweep.spec.name)),
        (.., Some(shards)) => Some(format!(
            "seq {shards} | parallel --workdir . --quote {line} --threads 1 --shard {{}}/{shards}\n"
        )),
        _ => None,
    })
}

/// The command of each job, without its shard.
fn words(args: &Args, out: &Path) -> Vec<String> {
    let path = |path: &Path| path.display().to_string();
    let mut words = vec!["fresco".to_owned(), "sweep".to_owned(), path(&args.file)];
    words.extend(["--out".to_owned(), path(out)]);
    for set in &args.set {
        words.extend(["--set".to_owned(), set.clone()]);
    }
    if args.retry_failed {
        words.push("--retry-failed".to_owned());
    }
    words
}

fn slurm(line: &str, shards: u32, name: &str) -> String {
    // The signal comes a minute or two before the time limit, to the program itself: points that have begun have until then to end, more
    // than the two seconds that SIGTERM leaves them, and the next job goes on.
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name={name}\n\
         #SBATCH --array=1-{shards}\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task=1\n\
         #SBATCH --requeue\n\
         #SBATCH --open-mode=append\n\
         #SBATCH --signal=B:INT@60\n\
         exec {line} --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" --shard auto/{shards}\n"
    )
}

fn kubernetes(words: &[String], shards: u32, name: &str) -> String {
    let threads = ["--threads", "1", "--shard"].map(str::to_owned);
    let all = words.iter().cloned().chain(threads).chain([format!("auto/{shards}")]);
    // A JSON text is one of YAML, too.
    let command: Vec<String> = all.map(|word| serde_json::Value::from(word).to_string()).collect();
    let name = job_name(name, shards);
    format!(
        "# Edit the image, and the claim of the volume that holds the sweep's file and its directory.\n\
         apiVersion: batch/v1\n\
         kind: Job\n\
         metadata:\n  name: {name}\n\
         spec:\n\
         \x20 completions: {shards}\n\
         \x20 parallelism: {shards}\n\
         \x20 completionMode: Indexed\n\
         \x20 backoffLimitPerIndex: 3\n\
         \x20 template:\n\
         \x20   spec:\n\
         \x20     restartPolicy: Never\n\
         \x20     containers:\n\
         \x20       - name: fresco\n\
         \x20         image: fresco:latest\n\
         \x20         workingDir: /work\n\
         \x20         command: [{}]\n\
         \x20         resources: {{ requests: {{ cpu: \"1\" }} }}\n\
         \x20         volumeMounts: [{{ name: work, mountPath: /work }}]\n\
         \x20     volumes:\n\
         \x20       - name: work\n\
         \x20         persistentVolumeClaim: {{ claimName: fresco }}\n",
        command.join(", ")
    )
}

/// A Job's name: hosts of its pods are `NAME-INDEX`, which has to be a label of DNS: at most 63 letters, digits and `-`, none of these at
/// an end (RFC 1123).
fn job_name(sweep: &str, shards: u32) -> String {
    let room = 63 - format!("-{}", shards - 1).len();
    let name = format!("sweep-{}", sweep.replace('.', "-").trim_matches('-'));
    let end = name.len().min(room);
    name[..end].trim_end_matches('-').to_owned()
}

/// Gives a script to sbatch; what that says.
pub fn submit(script: &str) -> Result<Vec<u8>, InputError> {
    let wrong = |found: String| {
        let error = InputError::new("sbatch", found).in_field("--submit");
        error
            .allowed("Slurm's sbatch, which takes the script from its standard input")
            .help("print the script without --submit, and submit it where Slurm is")
    };
    let started = Command::new("sbatch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut sbatch = started.map_err(|error| wrong(format!("cannot start it: {error}")))?;
    if let Some(mut input) = sbatch.stdin.take() {
        // One that refuses it says why itself.
        let _ = input.write_all(script.as_bytes());
    }
    let done = sbatch
        .wait_with_output()
        .map_err(|error| wrong(format!("cannot wait for it: {error}")))?;
    match done.status.success() {
        true => Ok(done.stdout),
        false => Err(wrong(format!("found that it refuses the script: {}", done.status))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_pods_have_names_that_kubernetes_takes() {
        assert_eq!(job_name("banks", 7), "sweep-banks");
        assert_eq!(job_name("a.b-c.", 7), "sweep-a-b-c");
        for (sweep, shards) in [
            ("a".repeat(60), 4096),
            ("-".to_owned(), 1),
            ("9.".repeat(30), 100),
            ("0".repeat(51) + ".9", 4096),
        ] {
            let host = format!("{}-{}", job_name(&sweep, shards), shards - 1);
            assert!(
                host.len() <= 63 && !job_name(&sweep, shards).ends_with('-'),
                "{sweep}: {host}"
            );
        }
    }
}
