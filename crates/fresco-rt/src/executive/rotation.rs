// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rotation of refresh over colors: which color is refreshed when (CR-1, CR-16).

use std::fmt;

use crate::time::Time;

/// The retention period `R` is cut into as many *color frames* `f' = R / C` as there are colors; in the frame
/// `[c f', (c + 1) f')` of every period the ranks of color `c` are refreshed by one burst at the frame's start.
///
/// The color is *blocked*, so that no task may touch it, for the first `blocked` of its frame: for the whole frame in
/// frame mode, as the tables of the Colored Refresh chapter count, or for the burst and its overheads in burst mode (F9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    retention: Time,
    colors: usize,
    blocked: Time,
}

/// Why a rotation is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationError {
    /// No color at all.
    NoColors,
    /// The color frame `R / C` is no positive integer; holds `R` and `C`.
    UnevenFrames(Time, usize),
    /// The color is blocked for no time, or for longer than its frame (rule 6); holds the time and the frame.
    BlockedOutsideFrame(Time, Time),
}

impl fmt::Display for RotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RotationError::NoColors => f.write_str("there is no color to refresh; at least one is needed"),
            RotationError::UnevenFrames(retention, colors) => {
                write!(
                    f,
                    "a retention period of {retention} cannot be cut into {colors} equal frames"
                )
            }
            RotationError::BlockedOutsideFrame(blocked, frame) => write!(
                f,
                "a refresh burst of {blocked}, overheads included, does not fit its color frame of {frame} (rule 6); \
                 it is at least 1 and at most the frame"
            ),
        }
    }
}

impl std::error::Error for RotationError {}

impl Rotation {
    /// Frame mode: a color is out of bounds during its whole frame, however long the burst in it.
    pub fn frames(retention: Time, colors: usize) -> Result<Self, RotationError> {
        Rotation::bursts(retention, colors, retention / (colors.max(1) as Time))
    }

    /// Burst mode (F9): a color is out of bounds only for `blocked`, the burst with its lock and unlock overheads.
    pub fn bursts(retention: Time, colors: usize, blocked: Time) -> Result<Self, RotationError> {
        if colors == 0 {
            return Err(RotationError::NoColors);
        }
        if retention == 0 || !retention.is_multiple_of(colors as Time) {
            return Err(RotationError::UnevenFrames(retention, colors));
        }
        let frame = retention / colors as Time;
        if blocked == 0 || blocked > frame {
            return Err(RotationError::BlockedOutsideFrame(blocked, frame));
        }
        Ok(Rotation {
            retention,
            colors,
            blocked,
        })
    }

    /// R: every row is refreshed at least once in this time.
    pub fn retention(&self) -> Time {
        self.retention
    }

    /// C: the number of colors, numbered from 0.
    pub fn colors(&self) -> usize {
        self.colors
    }

    /// f' = R / C: the color frame.
    pub fn frame(&self) -> Time {
        self.retention / self.colors as Time
    }

    /// Time from the start of its frame for which a color is out of bounds.
    pub fn blocked(&self) -> Time {
        self.blocked
    }

    /// The color whose frame `time` lies in.
    pub fn color_of(&self, time: Time) -> usize {
        ((time % self.retention) / self.frame()) as usize
    }

    /// The color that is out of bounds at `time`, if any is.
    pub fn blocked_at(&self, time: Time) -> Option<usize> {
        (time % self.frame() < self.blocked).then(|| self.color_of(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_ranks_in_64_ms() {
        let rotation = Rotation::frames(64, 8).unwrap();
        assert_eq!(rotation.frame(), 8);
        assert_eq!(rotation.color_of(71), 0);
        assert_eq!(rotation.blocked_at(15), Some(1));
        let bursts = Rotation::bursts(64, 8, 3).unwrap();
        assert_eq!(bursts.blocked_at(10), Some(1));
        assert_eq!(bursts.blocked_at(11), None);
    }

    #[test]
    fn impossible_rotations_are_refused() {
        assert_eq!(Rotation::frames(64, 0), Err(RotationError::NoColors));
        assert_eq!(Rotation::frames(64, 6), Err(RotationError::UnevenFrames(64, 6)));
        assert_eq!(
            Rotation::bursts(64, 8, 9),
            Err(RotationError::BlockedOutsideFrame(9, 8))
        );
        assert_eq!(
            Rotation::bursts(64, 8, 0),
            Err(RotationError::BlockedOutsideFrame(0, 8))
        );
    }
}
