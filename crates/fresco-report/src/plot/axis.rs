// SPDX-License-Identifier: MIT OR Apache-2.0
//! Axes: what they measure, how they spread it, and where they start.

/// How an axis spreads its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances for equal differences.
    #[default]
    Linear,
    /// Equal distances for equal ratios; all values must be above zero.
    Log,
}

/// Where a linear axis starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Near the smallest value. If zero is not on the axis, its title says where it starts.
    #[default]
    Data,
    /// At 0, for quantities: twice as far is twice as much.
    Zero,
    /// At 1, for slowdowns and other ratios: what is as it was has no length. Values below 1 lie below. The axis goes to 1.1 at
    /// least, so that noise looks like noise. A logarithmic axis holds 1.
    One,
}

impl Start {
    /// The value that bars start from, if it is fixed.
    pub(crate) fn base(self) -> Option<f64> {
        match self {
            Start::Data => None,
            Start::Zero => Some(0.0),
            Start::One => Some(1.0),
        }
    }
}

/// What an axis measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Quantity: "memory latency".
    pub label: String,
    /// Unit; empty for counts and ratios.
    pub unit: String,
    /// Spread of the values.
    pub scale: Scale,
    /// Where it starts. Bars always start at 0 or 1.
    pub start: Start,
}

impl Axis {
    /// A linear axis that covers the data only.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            unit: unit.into(),
            scale: Scale::Linear,
            start: Start::Data,
        }
    }

    /// A linear axis of a ratio, in times ("x"), starting at 1.
    pub fn ratio(label: impl Into<String>) -> Self {
        Self {
            start: Start::One,
            ..Self::new(label, "x")
        }
    }

    /// The same axis, starting at zero.
    #[must_use]
    pub fn from_zero(mut self) -> Self {
        self.start = Start::Zero;
        self
    }

    /// The same axis, logarithmic.
    #[must_use]
    pub fn logarithmic(mut self) -> Self {
        self.scale = Scale::Log;
        self
    }

    /// The axis of bars: linear, from 0 or 1.
    pub(crate) fn of_bars(&self) -> Self {
        Self {
            scale: Scale::Linear,
            start: match self.start {
                Start::One => Start::One,
                Start::Data | Start::Zero => Start::Zero,
            },
            ..self.clone()
        }
    }

    /// `memory latency (ns)`, `memory latency (ns, log scale)`.
    pub(crate) fn title(&self) -> String {
        let scale = match self.scale {
            Scale::Linear => "",
            Scale::Log => "log scale",
        };
        let inside: Vec<&str> = [self.unit.as_str(), scale]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        match inside.is_empty() {
            true => self.label.clone(),
            false => format!("{} ({})", self.label, inside.join(", ")),
        }
    }
}
