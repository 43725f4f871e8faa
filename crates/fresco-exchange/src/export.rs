// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats that are written, and the one rule for what they cannot say.

use crate::amount::Unit;
use crate::formats;
use crate::head::{self, Comment, Head};
use crate::subject::Subject;
use fresco_input::InputError;

/// What a format is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Who has which part of memory and cache: scenarios and plans.
    Partition,
    /// Who runs when: plans.
    Schedule,
    /// The times of tasks: scenarios, plans and task sets.
    Tasks,
}

impl Takes {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Partition => "partition",
            Self::Schedule => "schedule",
            Self::Tasks => "task set",
        }
    }
}

/// Of which supplement of ARINC 653 Part 1 names and units are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Supplement {
    /// `Module_Schedule` and `Window_Schedule`, in seconds.
    Two,
    /// `PartitionTimeWindow`, in nanoseconds.
    #[default]
    Three,
}

/// How to export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// What the format cannot say is left out, and told in the file.
    pub lossy: bool,
    /// The unit of times, where the format leaves it open.
    pub unit: Option<Unit>,
    /// The core, of formats for one core.
    pub core: Option<u32>,
    /// Of ARINC 653.
    pub supplement: Supplement,
    /// Name of the file without its ending, for files that name each other.
    pub stem: Option<String>,
}

/// What a format makes of a subject.
#[derive(Debug, Default)]
pub struct Draft {
    /// The file, without its head.
    pub body: String,
    /// A second file: its ending, and what is in it, without a head.
    pub companion: Option<(&'static str, String)>,
    /// What of the subject is lost.
    pub losses: Vec<String>,
    /// What a reader of the file should know.
    pub notes: Vec<String>,
}

/// A format.
pub trait Format: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// What it is, in one line.
    fn about(&self) -> &'static str;
    /// What it takes.
    fn takes(&self) -> Takes;
    /// How it writes comments.
    fn comment(&self) -> Comment;
    /// What the format has no place for, whatever the subject: it is told at the head of each file.
    fn leaves_out(&self) -> &'static str;
    /// Writes a subject.
    ///
    /// # Errors
    /// There is nothing that the format could say of it, or it would say something else.
    fn draft(&self, subject: &Subject, options: &ExportOptions) -> Result<Draft, InputError>;
}

/// Every format, in the order in which they are listed.
pub const FORMATS: [&dyn Format; 15] = [
    &formats::Xen,
    &formats::Bao,
    &formats::Jailhouse,
    &formats::Resctrl,
    &formats::Palloc,
    &formats::Cgroup,
    &formats::CTable,
    &formats::Arinc653,
    &formats::SchedDeadline,
    &formats::SchedExt,
    &formats::RefreshWindows,
    &formats::Schedcat,
    &formats::Cheddar,
    &formats::Csv,
    &formats::Pycpa,
];

/// The format of that name.
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.name() == name)
}

/// What was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// A second file, with its ending.
    pub companion: Option<(&'static str, String)>,
    /// What is lost; empty unless that was accepted.
    pub losses: Vec<String>,
}

/// Writes a subject in a format.
///
/// # Errors
/// What [`Format::draft`] finds; anything that the format cannot say, unless [`ExportOptions::lossy`] accepts the loss.
pub fn export(
    format: &dyn Format,
    subject: &Subject,
    options: &ExportOptions,
    head: &Head,
) -> Result<Exported, InputError> {
    let mut draft = format.draft(subject, options)?;
    if !subject.high.is_empty() && format.takes() != Takes::Partition {
        let which = subject.high.join(", ");
        draft
            .losses
            .push(format!("high mode, in which {which} go on and no other task does"));
    }
    if !draft.losses.is_empty() && !options.lossy {
        return Err(subject
            .error(
                format.name(),
                format!("found what {} cannot say: {}", format.name(), draft.losses.join("; ")),
            )
            .allowed(format!("a {} that it can say as it is", format.takes().words()))
            .help("--lossy writes the file without it, and says at its head what is lost"));
    }
    let mut notes = draft.notes;
    notes.push(format!("not in this format: {}", format.leaves_out()));
    let lines = head::lines(head, format.name(), &draft.losses, &notes);
    let with_head = |body: String| format!("{}{body}", format.comment().head(&lines));
    Ok(Exported {
        companion: draft.companion.map(|(ending, body)| (ending, with_head(body))),
        text: with_head(draft.body),
        losses: draft.losses,
    })
}
