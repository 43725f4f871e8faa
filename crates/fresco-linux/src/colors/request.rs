// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program was asked to run with. It stands in an environment variable of the program: there it is inherited as
//! colors are. As programs may overwrite it, each process also keeps a [record](crate::proc::keep_mapped) of it.

use super::{AskedColors, ColorCounts, Filter, FrameColors};
use crate::backend::Backend;
use crate::resctrl::Limits;
use crate::schedule::Asked;
use serde::{Deserialize, Serialize};

/// The environment variable.
pub const ENVIRONMENT: &str = "FRESCO_REQUEST";

/// The form of the text; another program's form is refused, not guessed at.
const FORM: u32 = 1;
/// The longest text that is read, in bytes.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// The colors asked for, and what to do when there are no more frames of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    form: u32,
    /// The map by name: a machine or a file.
    pub map: String,
    /// Its colors.
    pub colors: FrameColors,
    /// Those asked for.
    pub asked: AskedColors,
    /// When frames of these colors run out.
    pub when_full: WhenFull,
    /// Bytes of frames to collect before the program starts.
    pub pool_bytes: u64,
    /// Bytes of memory that a search may hold; `None` for half of what is available.
    pub search_bytes: Option<u64>,
    /// Tell at the end what was placed.
    pub stats: bool,
    /// Tell then also what it took.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub details: bool,
    /// Colors of its threads, in turn, from the first one on; none, if all have the process's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thread_colors: Vec<AskedColors>,
    /// What else it is limited to.
    #[serde(default, skip_serializing_if = "Limits::is_none")]
    pub limits: Limits,
    /// Processors that it is kept to; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<Vec<u32>>,
    /// Nodes that its memory comes from; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<u32>>,
    /// The task that it is, if it was started as one of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskOf>,
    /// Who runs when: what it was told of its plan's schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Asked>,
    /// What gives it its frames.
    #[serde(default, skip_serializing_if = "Backend::is_default")]
    pub backend: Backend,
}

/// A task of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskOf {
    /// Fingerprint of the plan.
    pub plan: String,
    /// Name of the task.
    pub task: String,
}

/// When there are no more frames of the colors asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenFull {
    /// The kernel chooses frames; they are counted.
    #[default]
    Spill,
    /// Allocation fails with ENOMEM.
    Strict,
}

impl Request {
    /// Frames of the `asked` colors; frames of other colors when they run out, nothing collected in advance.
    pub fn new(map: String, colors: FrameColors, asked: AskedColors) -> Self {
        Self {
            form: FORM,
            map,
            colors,
            asked,
            when_full: WhenFull::Spill,
            pool_bytes: 0,
            search_bytes: None,
            stats: false,
            details: false,
            thread_colors: Vec::new(),
            limits: Limits::default(),
            cpus: None,
            nodes: None,
            task: None,
            schedule: None,
            backend: Backend::default(),
        }
    }

    /// The text of the environment variable.
    ///
    /// # Errors
    /// None of these parts can fail to be written; the type is that of the writer.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Reads the text of the environment variable; `None` if it is not what [`Request::to_text`] writes.
    pub fn parse(text: &[u8]) -> Option<Self> {
        if text.len() > MOST_BYTES {
            return None;
        }
        let request: Self = serde_json::from_slice(text).ok()?;
        let sound = request.form == FORM && request.colors.is_sound();
        let counts = ColorCounts::of(&request.colors);
        let mut asked = std::iter::once(&request.asked).chain(&request.thread_colors);
        let sound = sound && asked.all(|asked| asked.is_sound(counts));
        sound.then_some(request)
    }

    /// The question whether a frame is one of those asked for.
    pub fn filter(&self) -> Filter {
        Filter::new(&self.colors, &self.asked)
    }
}

#[cfg(test)]
pub(crate) fn test_request(name: &str) -> Request {
    let map = fresco_dram::map::BankMap::new(vec![1 << 14, 1 << 15], 1 << 32).unwrap();
    let space = fresco_dram::ColorSpace::of_bank_map(&map, &[1 << 12], 12).unwrap();
    let colors = FrameColors::of_bank_map(&map, &space);
    let asked = AskedColors::parse("banks=1,3", ColorCounts::of(&colors)).unwrap();
    Request::new(name.to_owned(), colors, asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        test_request("a \"map\"")
    }

    #[test]
    fn what_is_written_is_read_again() {
        let request = request();
        let text = request.to_text().unwrap();
        assert!(!text.contains('\0') && !text.contains('\n'));
        assert_eq!(Request::parse(text.as_bytes()), Some(request));
    }

    #[test]
    fn texts_of_others_are_refused() {
        let text = request().to_text().unwrap();
        for (from, to) in [
            ("\"form\":1", "\"form\":2"),
            ("\"page_bits\":12", "\"page_bits\":63"),
            ("\"banks\":[1,3]", "\"banks\":[3,1]"),
            ("\"banks\":[1,3]", "\"banks\":[4]"),
            ("\"banks\":[1,3]", "\"banks\":[]"),
            ("\"first\":0", "\"first\":7"),
            ("\"spill\"", "\"burst\""),
            ("\"offset\":4294967296", "\"offset\":4294967297"),
            ("\"stats\"", "\"statistics\""),
            ("}", ""),
        ] {
            let spoilt = text.replacen(from, to, 1);
            assert_ne!(spoilt, text, "{from}");
            assert_eq!(Request::parse(spoilt.as_bytes()), None, "{to}");
        }
        let many = format!("[{}]", vec!["1"; 30].join(","));
        let spoilt = text.replacen("[4096]", &many, 1);
        assert_ne!(spoilt, text);
        assert_eq!(Request::parse(spoilt.as_bytes()), None);
    }
}
