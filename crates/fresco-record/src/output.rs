// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that compresses and writes the trace, and sums up.

use fresco_load::trace::ftrace::recorded::{
    About, Block, Chunk, Dependences, Ending, Kind, Range, RecordedWriter, Region, ThreadTotals, Trailer, dependences,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// What is written.
#[derive(Debug)]
pub enum Message {
    /// Blocks, before chunks that need them.
    Blocks(Vec<Block>),
    /// A part of what a thread did.
    Chunk(Chunk),
    /// Pages that a thread touched, each once.
    Pages(u16, Vec<(u64, Kind)>),
    /// All is said; and the regions that the program marked.
    End(Ending, Vec<Region>),
}

/// Parts that wait to be written: the analysis need not wait for each.
const WAITING: usize = 4;

/// A written trace: what its trailer says, and its bytes.
pub type Written = io::Result<(Trailer, u64)>;

/// Begins the trace `path` and the thread that writes it.
pub fn begin(path: &Path, about: &About) -> io::Result<(SyncSender<Message>, JoinHandle<Written>)> {
    let file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let writer = RecordedWriter::new(file, about)?;
    let (sender, receiver) = sync_channel(WAITING);
    let thread = std::thread::Builder::new()
        .name("trace".into())
        .spawn(move || write(writer, &receiver))?;
    Ok((sender, thread))
}

fn write(mut writer: RecordedWriter<BufWriter<File>>, messages: &Receiver<Message>) -> Written {
    let mut blocks: Vec<Block> = Vec::new();
    let mut totals: BTreeMap<u16, ThreadTotals> = BTreeMap::new();
    let mut of = dependences::Counter::default();
    let mut ending = Ending::Failed;
    for message in messages {
        match message {
            Message::Blocks(fresh) => {
                writer.blocks(&fresh)?;
                blocks.extend(fresh);
            }
            Message::Chunk(chunk) => {
                let found: Dependences = of.count(&chunk, &blocks).map_err(io::Error::other)?;
                totals.entry(chunk.thread).or_default().dependences.add(&found);
                writer.chunk(&chunk)?;
            }
            Message::Pages(thread, pages) => totals.entry(thread).or_default().ranges = ranges(pages),
            Message::End(how, regions) => {
                ending = how;
                writer.regions(regions);
                break;
            }
        }
    }
    for (thread, totals) in &mut totals {
        totals.thread = *thread;
    }
    let (file, trailer) = writer.finish(ending, totals.into_values().collect())?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((trailer, file.metadata()?.len()))
}

/// Pages as ranges.
fn ranges(mut pages: Vec<(u64, Kind)>) -> Vec<Range> {
    pages.sort_unstable();
    let mut ranges: Vec<Range> = Vec::new();
    for (page, kind) in pages {
        match ranges.last_mut() {
            Some(range) if range.first + range.pages == page && range.kind == kind => range.pages += 1,
            _ => ranges.push(Range {
                first: page,
                pages: 1,
                kind,
            }),
        }
    }
    ranges
}
