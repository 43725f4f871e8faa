// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records the processors of a virtual machine: what each loads and stores, by physical address, kernel and all.
//!
//! QEMU emulates the whole machine, with the plugin in it. One thread executes all processors in turn, and time is counted in
//! instructions, so that two recordings of the same are the same. A trace for each processor goes to a file of its own.

use crate::record::{PATIENCE, end, plugin_argument, shared_memory, unable};
use crate::{Failure, Why};
use fresco_load::Marker;
use fresco_load::trace::ftrace::{Addresses, Header, Record, TraceWriter, What};
use fresco_load::trace::shortened;
pub use fresco_ring::physical::Settings;
use fresco_ring::physical::Word;
use fresco_ring::{Host, Taken};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The emulator of machines.
const EMULATOR: &str = "qemu-system-x86_64";

/// Most memory of a machine, in MiB: up to here QEMU's machine has it in one piece from address 0 on, and tells its plugin addresses as the
/// processors have them.
pub const MOST_MIB: u32 = 2048;

/// A machine to be recorded.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The plugin's file.
    pub plugin: PathBuf,
    /// A kernel for x86-64.
    pub kernel: PathBuf,
    /// Its first file system.
    pub initramfs: PathBuf,
    /// What the kernel is told besides.
    pub append: String,
    /// Memory in MiB, at most [`MOST_MIB`].
    pub memory_mib: u32,
    /// Processors.
    pub cpus: u32,
    /// Where its console goes.
    pub console: PathBuf,
    /// What is recorded of each processor that a program marks.
    pub settings: Settings,
    /// The tool and its version, for the traces.
    pub tool: String,
}

/// A processor to be recorded.
#[derive(Clone, Debug)]
pub struct Processor {
    /// Its number.
    pub number: u32,
    /// What it runs, for the trace.
    pub program: String,
    /// Its trace.
    pub trace: PathBuf,
}

/// What was recorded of a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Instructions.
    pub instructions: u64,
    /// Loads and stores that are in the trace.
    pub accesses: u64,
}

/// How a recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineEnded {
    /// All processors that are waited for are recorded.
    Enough,
    /// The machine was switched off, or QEMU has failed, before.
    Early,
    /// It was stopped.
    Asked,
}

/// A processor's stream of words.
struct Stream {
    /// Index among the processors; `None` for one that nobody asked for.
    processor: Option<usize>,
    /// Instructions before the next access.
    gap: u64,
}

struct Writers<'a> {
    processors: &'a [Processor],
    writers: Vec<TraceWriter<BufWriter<File>>>,
    recorded: Vec<Recorded>,
    streams: BTreeMap<u32, Stream>,
    failed: Option<io::Error>,
}

impl<'a> Writers<'a> {
    fn new(processors: &'a [Processor], tool: &str) -> Result<Self, Failure> {
        let open = |processor: &Processor| {
            let header = Header {
                program: shortened(&processor.program),
                tool: tool.to_owned(),
                addresses: Addresses::Physical,
                ..Header::default()
            };
            File::create(&processor.trace)
                .and_then(|file| TraceWriter::new(BufWriter::new(file), &header))
                .map_err(|error| output(&processor.trace, &error))
        };
        Ok(Self {
            processors,
            writers: processors.iter().map(open).collect::<Result<_, _>>()?,
            recorded: vec![Recorded::default(); processors.len()],
            streams: BTreeMap::new(),
            failed: None,
        })
    }

    fn take(&mut self, taken: Taken<'_>) {
        for word in taken.words {
            if let Err(error) = self.word(taken.stream, *word) {
                self.failed.get_or_insert(error);
            }
        }
    }

    fn word(&mut self, stream: u32, word: u64) -> io::Result<()> {
        let Some(word) = Word::of(word) else { return Ok(()) };
        if let Word::Begin(number) = word {
            let processor = self.processors.iter().position(|processor| processor.number == number);
            self.streams.insert(stream, Stream { processor, gap: 0 });
            return Ok(());
        }
        let Some(stream) = self.streams.get_mut(&stream) else {
            return Ok(());
        };
        match (word, stream.processor) {
            (Word::Gap(more), Some(processor)) => {
                stream.gap += more;
                self.recorded[processor].instructions += more;
            }
            (
                Word::Access {
                    gap,
                    address,
                    size,
                    store,
                },
                Some(processor),
            ) => {
                let record = Record {
                    thread: 0,
                    // A processor that has slept for longer has slept long enough.
                    gap: (std::mem::take(&mut stream.gap) + gap).min(u32::MAX.into()),
                    what: What::Access {
                        addr: address,
                        size,
                        write: store,
                        dep: 0,
                    },
                };
                self.writers[processor].push(&record)?;
                self.recorded[processor].instructions += gap + 1;
                self.recorded[processor].accesses += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the traces; instructions behind the last access stand before a mark.
    fn finish(mut self) -> Result<Vec<Recorded>, Failure> {
        if let Some(error) = self.failed {
            return Err(output(&self.processors[0].trace, &error));
        }
        for (number, mut writer) in self.writers.into_iter().enumerate() {
            let failed = |error: io::Error| output(&self.processors[number].trace, &error);
            let stream = self
                .streams
                .values_mut()
                .find(|stream| stream.processor == Some(number));
            if let Some(stream) = stream.filter(|stream| stream.gap > 0) {
                let record = Record {
                    thread: 0,
                    gap: stream.gap.min(u32::MAX.into()),
                    what: What::Mark(Marker::Pass),
                };
                writer.push(&record).map_err(failed)?;
            }
            writer.finish().map_err(failed)?;
        }
        Ok(self.recorded)
    }

    fn instructions(&self) -> u64 {
        self.recorded.iter().map(|recorded| recorded.instructions).sum()
    }
}

fn output(path: &Path, error: &io::Error) -> Failure {
    Failure {
        why: Why::Output,
        what: format!("{}: {error}", path.display()),
    }
}

/// Boots the machine and records these processors until all are recorded. `progress` is told the instructions recorded so far.
///
/// # Errors
/// QEMU cannot be started; a trace cannot be written.
pub fn record_machine(
    machine: &Machine,
    processors: &[Processor],
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> Result<(Vec<Recorded>, MachineEnded), Failure> {
    let mut writers = Writers::new(processors, &machine.tool)?;
    let mut host = shared_memory()?;
    let mut child = start(machine, &host)?;
    let ended = follow(&mut child, &mut host, &mut writers, progress, stop)
        .map_err(|error| unable(format!("{EMULATOR}: {error}")))?;
    host.take_rest(|_, taken| writers.take(taken));
    Ok((writers.finish()?, ended))
}

fn start(machine: &Machine, host: &Host) -> Result<Child, Failure> {
    let mut command = Command::new(EMULATOR);
    command
        .args(["-machine", "q35", "-cpu", "max,rdrand=off,rdseed=off"])
        .args(["-accel", "tcg,thread=single", "-icount", "shift=1,sleep=off"])
        .args(["-rtc", "base=2026-01-01,clock=vm", "-seed", "0"])
        .args(["-display", "none", "-nodefaults", "-no-reboot", "-m"])
        .arg(format!("{}M", machine.memory_mib))
        .arg("-smp")
        .arg(machine.cpus.to_string())
        .arg("-serial")
        .arg(format!("file:{}", machine.console.display()))
        .arg("-kernel")
        .arg(&machine.kernel)
        .arg("-initrd")
        .arg(&machine.initramfs)
        .arg("-append")
        .arg(format!(
            "console=ttyS0 panic=-1 no_timer_check nokaslr norandmaps {}",
            machine.append
        ))
        .arg("-plugin")
        .arg(plugin_argument(&machine.plugin, host, &machine.settings.arguments()))
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => unable(format!(
            "{EMULATOR} is not installed: `apt-get install qemu-system-x86` on Debian and alike"
        )),
        _ => unable(format!("{EMULATOR} cannot be started: {error}")),
    })
}

fn follow(
    child: &mut Child,
    host: &mut Host,
    writers: &mut Writers<'_>,
    progress: &mut dyn FnMut(u64),
    stop: &dyn Fn() -> bool,
) -> io::Result<MachineEnded> {
    let mut told = Instant::now();
    loop {
        let seen = host.filled();
        let taken = host.take_full(|_, taken| writers.take(taken));
        if told.elapsed() > PATIENCE * 5 {
            progress(writers.instructions());
            told = Instant::now();
        }
        let ended = match (host.has_enough(), stop()) {
            (true, _) => Some(MachineEnded::Enough),
            (_, true) => Some(MachineEnded::Asked),
            _ if writers.failed.is_some() => Some(MachineEnded::Early),
            _ => None,
        };
        if let Some(ended) = ended {
            while host.take_full(|_, taken| writers.take(taken)) > 0 {}
            host.close();
            end(child, Duration::ZERO)?;
            return Ok(ended);
        }
        if taken > 0 {
            continue;
        }
        if child.try_wait()?.is_some() {
            return Ok(match host.has_enough() {
                true => MachineEnded::Enough,
                false => MachineEnded::Early,
            });
        }
        host.wait(seen, PATIENCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_load::trace::ftrace::TraceReader;
    use fresco_ring::physical::{BEGIN, access, gap};

    #[test]
    fn words_of_processors_become_traces() {
        let directory = tempfile::tempdir().expect("a directory");
        let processor = |number| Processor {
            number,
            program: format!("program {number}"),
            trace: directory.path().join(number.to_string()),
        };
        let processors = [processor(0), processor(2)];
        let mut writers = Writers::new(&processors, "test").expect("writable");
        let mut take = |stream, words: &[u64]| {
            let definitions = false;
            writers.take(Taken {
                stream,
                definitions,
                words,
            });
        };
        take(7, &[BEGIN | 2, gap(1000), access(5, 0x1040, 8, true)]);
        // Nobody has asked for this one, nor does anybody know that one.
        take(8, &[BEGIN | 1, access(0, 0, 8, false)]);
        take(9, &[access(0, 0, 8, false)]);
        take(7, &[access(0, 0x1_0000_0000, 64, false), gap(1 << 33)]);
        take(7, &[access(1, 0, 3, false), gap(9)]);
        take(10, &[BEGIN]);
        let recorded = writers.finish().expect("written");
        let instructions = 1006 + 1 + (1 << 33) + 2 + 9;
        assert_eq!(
            recorded,
            [
                Recorded::default(),
                Recorded {
                    instructions,
                    accesses: 3
                }
            ]
        );
        let trace = TraceReader::open(&processors[1].trace).expect("a trace");
        assert_eq!(
            (trace.header().addresses, trace.header().program.as_str()),
            (Addresses::Physical, "program 2")
        );
        let records: Vec<Record> = trace.collect::<Result<_, _>>().expect("sound");
        let record = |gap, addr, size, write| Record {
            thread: 0,
            gap,
            what: What::Access {
                addr,
                size,
                write,
                dep: 0,
            },
        };
        let end = Record {
            thread: 0,
            gap: 9,
            what: What::Mark(Marker::Pass),
        };
        let all = [
            record(1005, 0x1040, 8, true),
            record(0, 0x1_0000_0000, 64, false),
            record(u64::from(u32::MAX), 0, 3, false),
            end,
        ];
        assert_eq!(records, all);
    }
}
