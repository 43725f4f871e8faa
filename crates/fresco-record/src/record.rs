// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a program under the emulator and follows it to its end.

use crate::analysis::{Analysis, Shared};
use crate::decode::Architecture;
use crate::output::{self, Message, Sender};
use crate::program::Program;
use crate::symbols;
use crate::window::Window;
use crate::{Failure, Why};
use fresco_load::trace::ftrace::recorded::{About, Ending, Trailer};
use fresco_ring::{Host, Part};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// File name of the plugin.
pub const PLUGIN: &str = "libfresco_qemu_plugin.so";
/// The emulators, by architecture.
pub const EMULATORS: [(Architecture, &str); 2] =
    [(Architecture::X86, "qemu-x86_64"), (Architecture::Arm, "qemu-aarch64")];
/// How long to wait for words at a time.
pub(crate) const PATIENCE: Duration = Duration::from_millis(20);
/// How long a program that is to end is waited for before it is told in a way that it cannot refuse.
const GRACE: Duration = Duration::from_secs(2);
/// Keep addresses where they are: `personality(2)`.
const NO_RANDOM_ADDRESSES: libc::c_ulong = 0x004_0000;

/// What is recorded, and how.
pub struct Options {
    /// The program.
    pub program: Program,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The plugin's file.
    pub plugin: PathBuf,
    /// Recording begins with the first call of this function of the program.
    pub from_symbol: Option<OsString>,
    /// It ends, and the program is ended, with the first call of this one after that.
    pub to_symbol: Option<OsString>,
    /// Instructions before recording begins, counted from there.
    pub skip: u64,
    /// Instructions after which it ends, and the program is ended.
    pub instructions: Option<u64>,
    /// Instruction fetches are recorded, line by line.
    pub fetches: bool,
    /// Addresses are where the kernel wants them, otherwise each time.
    pub random_addresses: bool,
    /// What the program writes to its standard output goes where standard error does.
    pub output_aside: bool,
}

/// Where the trace goes.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The file; one of this name is replaced.
    pub path: PathBuf,
    /// Tool and version that stand in it.
    pub tool: String,
}

/// How a recording came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program ended.
    Program(ExitStatus),
    /// As many instructions as were asked for are recorded; the program was ended.
    Enough,
    /// The user asked for the end.
    Asked,
    /// It could not go on; the program was ended.
    Failed(String),
    /// There was no more room for the trace, or it could not be written for another reason; the program was ended.
    Full(String),
}

/// What was recorded.
#[derive(Debug)]
pub struct Recording {
    /// How it ended.
    pub ended: Ended,
    /// What the trace says at its end.
    pub trailer: Trailer,
    /// Bytes of the trace.
    pub bytes: u64,
    /// Processes that the program made, which are not recorded.
    pub children: u64,
    /// The program asked for another one in its place, of which nothing is recorded.
    pub executed: bool,
    /// What was to be recorded never began.
    pub nothing: bool,
}

/// The plugin beside the program at `program`, as cargo builds it, or in `lib/fresco` beside its `bin`, as it is installed; else the places
/// where it was looked for.
///
/// # Errors
/// It is in none of these places.
pub fn find_plugin(program: &Path) -> Result<PathBuf, Vec<PathBuf>> {
    let directory = program.parent().unwrap_or(Path::new("/"));
    let installed = directory.parent().unwrap_or(Path::new("/")).join("lib/fresco");
    let places = vec![directory.join(PLUGIN), installed.join(PLUGIN)];
    places.iter().find(|path| path.is_file()).cloned().ok_or(places)
}

pub(crate) fn unable(what: impl Into<String>) -> Failure {
    Failure {
        why: Why::Unable,
        what: what.into(),
    }
}

/// Records. `progress` is told of the instructions so far, now and then; `stop` says whether the user asked for an end.
///
/// # Errors
/// The program could not be started, or the trace not be written. What is wrong later on stands in [`Ended`].
// Not generic: it would be compiled with the crate that calls it, whose optimisation is another.
pub fn record(
    options: &Options,
    trace: &Trace,
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> Result<Recording, Failure> {
    let about = About {
        program: shown(options),
        tool: trace.tool.clone(),
        architecture: options.program.architecture.name().into(),
        fetches: options.fetches,
    };
    let host = shared_memory()?;
    let unwritable = |error: &io::Error| Failure {
        why: Why::Output,
        what: format!("{}: cannot be written: {error}", trace.path.display()),
    };
    let (sender, writer) = output::begin(&trace.path, &about).map_err(|error| unwritable(&error))?;
    let fault = sender.fault();
    let mut followed = run(options, host, Sender::File(sender), progress, stop)?;
    drop(followed.output);
    let written = writer
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the writer of the trace failed")));
    let (trailer, bytes) = written.map_err(|error| unwritable(&error))?;
    if let Some(fault) = fault.get() {
        followed.ended = Ended::Full(fault.clone());
    }
    Ok(Recording {
        ended: followed.ended,
        trailer,
        bytes,
        children: followed.children,
        executed: followed.executed,
        nothing: followed.nothing,
    })
}

/// Memory to share with the emulator.
pub(crate) fn shared_memory() -> Result<Host, Failure> {
    Host::new().map_err(|error| unable(format!("no memory to share with the emulator: {error}")))
}

/// A program that was followed to its end.
pub(crate) struct Followed {
    pub ended: Ended,
    pub children: u64,
    pub executed: bool,
    pub nothing: bool,
    /// All was said to it.
    pub output: Sender,
}

/// Runs the program, and says all that it does to `output`.
pub(crate) fn run(
    options: &Options,
    mut host: Host,
    output: Sender,
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> Result<Followed, Failure> {
    let between = |name: &Option<OsString>| {
        name.as_ref()
            .map(|name| symbols::address(&options.program.path, name))
            .transpose()
    };
    let symbols = [between(&options.from_symbol)?, between(&options.to_symbol)?];
    let part = Part {
        from: symbols[0],
        to: symbols[1],
        skip: options.skip,
        count: options.instructions,
    };
    let window = Window::new(part);
    let program = options.program.path.to_string_lossy().into_owned();
    let shared = Shared::new(options.program.architecture, program, options.fetches, window, output);
    let mut analysis = Analysis::new(shared);
    let mut child = start(options, &host, &part)?;
    let followed = follow(&mut child, &mut host, &mut analysis, progress, stop);
    host.take_rest(|host, taken| analysis.take(host, taken));
    if analysis.saw_nothing() && matches!(followed, Ok(Ended::Program(_))) {
        return Err(unable("the emulator did not run the program; what it says is above"));
    }
    let executed = analysis.finish();
    let ended = match (analysis.shared.failure.take(), followed) {
        (Some(failure), _) => Ended::Failed(failure),
        (None, Ok(ended)) => ended,
        (None, Err(error)) => Ended::Failed(error.to_string()),
    };
    let ending = match &ended {
        Ended::Program(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Status(code as u8),
            (None, signal) => Ending::Signal(signal.unwrap_or(0) as u8),
        },
        Ended::Enough | Ended::Asked => Ending::Stopped,
        Ended::Failed(_) | Ended::Full(_) => Ending::Failed,
    };
    let regions = analysis.shared.names.take();
    analysis.shared.send(Message::End(ending, regions));
    let (children, nothing) = (analysis.shared.children, analysis.shared.window.never_began());
    Ok(Followed {
        ended,
        children,
        executed,
        nothing,
        output: analysis.shared.into_output(),
    })
}

/// The command, as the trace shows it.
fn shown(options: &Options) -> String {
    let words = std::iter::once(&options.program.name).chain(&options.arguments);
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// How QEMU is told to load the plugin, with arguments of its own.
pub(crate) fn plugin_argument(plugin: &Path, host: &Host, arguments: &str) -> String {
    // QEMU takes a comma for the end of a file's name, two for one comma.
    let doubled: Vec<u8> = plugin
        .as_os_str()
        .as_bytes()
        .split(|byte| *byte == b',')
        .collect::<Vec<_>>()
        .join(&b",,"[..]);
    let file = String::from_utf8_lossy(&doubled);
    format!("file={file},ring={}{arguments}", host.path().display())
}

/// Starts the program.
fn start(options: &Options, host: &Host, part: &Part) -> Result<Child, Failure> {
    let program = &options.program;
    let emulator = EMULATORS
        .iter()
        .find(|(architecture, _)| *architecture == program.architecture);
    let emulator = emulator.map_or("qemu", |(_, name)| name);
    let mut command = Command::new(emulator);
    command
        .arg("-plugin")
        .arg(plugin_argument(&options.plugin, host, &part.arguments()));
    if !options.random_addresses {
        command.args(["-seed", "0"]);
    }
    command
        .arg("-0")
        .arg(&program.name)
        .arg(&program.path)
        .args(&program.before)
        .args(&options.arguments);
    if options.output_aside {
        let aside = io::stderr().as_fd().try_clone_to_owned();
        command.stdout(aside.map_err(|error| unable(format!("no place for the program's output: {error}")))?);
    }
    let _fixed = (!options.random_addresses).then(FixedAddresses::new);
    command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => unable(format!(
            "{emulator} is not installed: `apt-get install qemu-user` on Debian and alike"
        )),
        _ => unable(format!("{emulator} cannot be started: {error}")),
    })
}

/// While it lives, programs that this thread starts have their memory at the same addresses each time.
struct FixedAddresses(libc::c_int);

impl FixedAddresses {
    fn new() -> Self {
        // SAFETY: no memory is involved; all ones asks for the present value.
        let before = unsafe { libc::personality(0xffff_ffff) };
        if before >= 0 {
            // SAFETY: as above. Where it is forbidden addresses stay random.
            unsafe { libc::personality(before as libc::c_ulong | NO_RANDOM_ADDRESSES) };
        }
        Self(before)
    }
}

impl Drop for FixedAddresses {
    fn drop(&mut self) {
        if self.0 >= 0 {
            // SAFETY: as in `new`.
            unsafe { libc::personality(self.0 as libc::c_ulong) };
        }
    }
}

/// Takes words until the program is over or is to be ended.
fn follow(
    child: &mut Child,
    host: &mut Host,
    analysis: &mut Analysis,
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> io::Result<Ended> {
    let mut told = Instant::now();
    loop {
        let seen = host.filled();
        let taken = host.take_full(|host, taken| analysis.take(host, taken));
        if told.elapsed() > PATIENCE * 5 {
            progress(analysis.shared.window.done());
            told = Instant::now();
        }
        let ended = if analysis.shared.failure.is_some() {
            Some(Ended::Failed(String::new()))
        } else if analysis.shared.window.is_over() {
            Some(Ended::Enough)
        } else if stop() {
            Some(Ended::Asked)
        } else if analysis.shared.has_enough() {
            Some(Ended::Enough)
        } else {
            None
        };
        if let Some(ended) = ended {
            // A program that was told by the same Ctrl-C is given time to end by itself.
            let patience = if ended == Ended::Asked { GRACE } else { Duration::ZERO };
            host.close();
            end(child, patience)?;
            host.end_children();
            return Ok(ended);
        }
        if taken > 0 {
            continue;
        }
        if let Some(status) = child.try_wait()? {
            if !host.has_enough() {
                return Ok(Ended::Program(status));
            }
            host.end_children();
            return Ok(Ended::Enough);
        }
        host.wait(seen, PATIENCE);
    }
}

/// Ends the program: asks it after a while, and then makes it.
pub(crate) fn end(child: &mut Child, patience: Duration) -> io::Result<ExitStatus> {
    let since = Instant::now();
    let mut asked = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if since.elapsed() >= patience * 2 {
            child.kill()?;
            return child.wait();
        }
        if since.elapsed() >= patience && !asked {
            asked = true;
            // SAFETY: no memory is involved; the process is our child and was not waited for.
            unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
        }
        std::thread::sleep(PATIENCE);
    }
}
