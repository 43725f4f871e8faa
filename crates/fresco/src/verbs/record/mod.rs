// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco record`: what an unmodified program does in memory, as a trace.

mod live;
mod sample;
mod told;

use crate::arguments::count;
use crate::failure::{Outcome, tell};
use crate::output;
use crate::progress;
use crate::stop::{STOPPED, Stop};
use crate::whole::WholeFile;
use fresco_input::InputError;
use fresco_record::descendants;
use fresco_record::{Ended, Options, PLUGIN, Program, Trace, Why, find_plugin};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitCode;

/// The option that names the trace.
const OUTPUT: &str = "--output";
/// Exit status where this machine lacks what it takes; as `env` has it for faults of its own.
const UNABLE: u8 = 125;
/// Exit status where there is no trace.
const UNWRITTEN: u8 = 2;
/// What a shell says of a program that cannot be executed, or is not found.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Arguments of `fresco record`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The program runs under QEMU's user-mode emulation (Debian's package qemu-user), several times slower than by itself; its input, output
and exit status are its own, and 128 + N where signal N ended it. Before that, 126 and 127 are those of a shell (it cannot be executed,
it is not found), 125 says that this machine lacks what it takes, 2 that the input is wrong or that there is no trace: it cannot be
written, or the program ended before the part that was to be recorded.

With --live nothing is stored: the program is simulated while it runs, and waits for the simulation. The table that `fresco sim --on` prints
comes on standard error when the program ends; with --json a document on standard output, and what the program writes there goes to
standard error.

With --sample the whole goes into a file beside FILE that is removed when intervals were chosen from it; if they cannot be, FILE is the whole.

Ctrl-C, a full disk, and the death of the program by whatever signal end the recording: what was recorded so far is whole. Processes that the
program makes run unrecorded; threads are recorded. docs/record.md says what is seen and what is not.

Examples:
  fresco record -o sort.ftrace -- sort words.txt
  fresco record -o xz.ftrace --skip 50M --instructions 20M -- xz -9k data
  fresco record -o solve.ftrace --from-symbol solve --to-symbol report -- ./solver
  fresco record -o part.ftrace --sample 10x1M -- ./solver
  fresco record --live --on xeon-w3530 --beside random,3 -- ./solver
  fresco record --print-header > fresco_mark.h
  fresco trace info xz.ftrace
  fresco sim recorded --set task.victim.parameters.file=xz.ftrace")]
pub struct Args {
    /// Write the trace here; a file that is there is replaced once the new trace is whole
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["print_header", "live"])]
    output: Option<PathBuf>,

    /// Begin with the first call of this function of the program
    #[arg(long, value_name = "NAME")]
    from_symbol: Option<OsString>,

    /// End, and end the program, with the first call of this function after that
    #[arg(long, value_name = "NAME")]
    to_symbol: Option<OsString>,

    /// Print what marks regions in C and C++, to be included, and do nothing else
    #[arg(long, exclusive = true)]
    print_header: bool,

    /// Record nothing of so many instructions at the begin, such as 500M; from --from-symbol on
    #[arg(long, value_name = "COUNT", value_parser = count, default_value = "0")]
    skip: u64,

    /// Record so many instructions, of all threads together, and end the program then
    #[arg(long, value_name = "COUNT", value_parser = count)]
    instructions: Option<u64>,

    /// Record also which lines of code are fetched, 64 bytes each, whenever another one is executed than before
    #[arg(long)]
    fetches: bool,

    #[command(flatten)]
    live: live::Options,

    #[command(flatten)]
    parts: sample::Parts,

    /// Leave addresses random: no two recordings are alike then
    #[arg(long)]
    aslr: bool,

    /// Say nothing but faults
    #[arg(short, long)]
    quiet: bool,

    /// The program and its arguments
    #[arg(
        required_unless_present = "print_header",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM",
        value_hint = clap::ValueHint::CommandWithArguments
    )]
    command: Vec<OsString>,
}

/// Runs the program and records it.
pub fn run(args: &Args) -> Outcome {
    if args.print_header {
        output::write_text(fresco_record::HEADER)?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = args.command.first().expect("clap wants one at least");
    if name.to_string_lossy().starts_with('-') {
        let found = format!("found {} where the program belongs", name.to_string_lossy());
        return Err(InputError::new("command line", found)
            .allowed("the options of `fresco record --help`, then -- and a program with its own options")
            .help(format!(
                "leave it out; a program of this name is ./{}",
                name.to_string_lossy()
            ))
            .into());
    }
    if let Some(machine) = args.live.machine() {
        return live::run(args, machine, name);
    }
    let output = args.output.as_deref().expect("clap wants one");
    if output.as_os_str() == "-" {
        return Err(InputError::new(OUTPUT, "found -, which is no name of a file to write")
            .help("name a file: standard output is the program's")
            .into());
    }
    if output.exists() && !output.is_file() {
        return Err(InputError::new(output.display().to_string(), "is no regular file")
            .in_field(OUTPUT)
            .allowed("a file: a trace is written in several places of it")
            .help("name a file in a directory that can be written")
            .into());
    }
    let sampling = args.parts.sampling(output, args.instructions, args.quiet)?;
    let options = match options(args) {
        Ok(options) => options,
        Err(failure) => return of_failure(&failure),
    };
    let unfinished = WholeFile::create(OUTPUT, output)?;
    let trace = Trace {
        path: unfinished.partial().to_owned(),
        tool: concat!("fresco ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let stop = Stop::on_any_end();
    let bar = progress::beside_a_program("fresco record", !args.quiet);
    descendants::adopt();
    let recorded = fresco_record::record(&options, &trace, &mut |done| bar.set_position(done), &|| {
        stop.is_asked()
    });
    bar.finish_and_clear();
    let recording = match recorded {
        Ok(recording) => recording,
        Err(mut failure) => {
            // It is the file that the user named, in the making.
            let hidden = unfinished.partial().display().to_string();
            failure.what = failure.what.replace(&hidden, &output.display().to_string());
            return of_failure(&failure);
        }
    };
    if !matches!(recording.ended, Ended::Program(_)) {
        descendants::kill_all();
    }
    let status = status(&recording.ended);
    if recording.nothing {
        told::warnings(output, &recording);
        // What is there already is not replaced by nothing. The program's status is its own, unless it would be that of a success.
        return Ok(match status == ExitCode::SUCCESS {
            true => ExitCode::from(UNWRITTEN),
            false => status,
        });
    }
    if let Some(sampling) = sampling {
        return sample::keep_parts(&sampling, unfinished, output, &recording, status, &stop);
    }
    unfinished.finish()?;
    if !args.quiet {
        told::summary(&output.display().to_string(), &recording);
    }
    told::warnings(output, &recording);
    Ok(status)
}

/// What is run, and how.
fn options(args: &Args) -> Result<Options, fresco_record::Failure> {
    let (name, arguments) = args.command.split_first().expect("clap wants one at least");
    let search = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/bin:/usr/bin"));
    Ok(Options {
        program: Program::find(name, &search)?,
        arguments: arguments.to_vec(),
        plugin: plugin()?,
        from_symbol: args.from_symbol.clone(),
        to_symbol: args.to_symbol.clone(),
        skip: args.skip,
        instructions: args.instructions,
        fetches: args.fetches,
        random_addresses: args.aslr,
        output_aside: false,
    })
}

pub fn of_failure(failure: &fresco_record::Failure) -> Outcome {
    let status = match failure.why {
        Why::NotFound => NOT_FOUND,
        Why::CannotExecute => NOT_EXECUTABLE,
        Why::Unable => UNABLE,
        Why::Output | Why::Symbol => UNWRITTEN,
    };
    tell(&format!("fresco record: {failure}"));
    Ok(ExitCode::from(status))
}

/// The program's own status, as far as it had one.
fn status(ended: &Ended) -> ExitCode {
    match ended {
        Ended::Program(status) => match (status.code(), status.signal()) {
            (Some(code), _) => ExitCode::from(code as u8),
            (None, signal) => ExitCode::from(128u8.wrapping_add(signal.unwrap_or(0) as u8)),
        },
        Ended::Enough => ExitCode::SUCCESS,
        Ended::Asked => ExitCode::from(STOPPED),
        Ended::Failed(_) => ExitCode::from(UNABLE),
        Ended::Full(_) => ExitCode::from(2),
    }
}

/// The plugin of QEMU that belongs to this program.
pub fn plugin() -> Result<PathBuf, fresco_record::Failure> {
    let unable = |what| fresco_record::Failure { why: Why::Unable, what };
    let program = std::env::current_exe().map_err(|error| unable(format!("where is fresco? {error}")))?;
    find_plugin(&program).map_err(|places| {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        unable(format!(
            "{PLUGIN} is in none of its places, {}; `make build` builds it, `make install` installs it",
            places.join(" and ")
        ))
    })
}
