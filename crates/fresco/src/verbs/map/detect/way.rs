// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which method finds the map, where the user leaves that open.

use fresco_detect::Method;

/// Where a map comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Registers where they are understood, timing elsewhere.
    Auto,
    /// Timing.
    Timing(Method),
    /// The registers of the memory controllers.
    Registers,
}

/// The methods by name.
pub const METHODS: [(&str, Way); 6] = [
    ("auto", Way::Auto),
    // What is meant by timing if no algorithm is named.
    ("timing", Way::Timing(Method::Solver)),
    ("solver", Way::Timing(Method::Solver)),
    ("algorithm1", Way::Timing(Method::Algorithm1)),
    ("list", Way::Timing(Method::List)),
    ("registers", Way::Registers),
];

impl Way {
    /// The method itself: registers if there is a dump of them or if this machine, where it is the one that is meant, shows
    /// a family that is understood.
    pub fn settled(self, dump: bool, simulated: bool, family_is_here: impl FnOnce() -> bool) -> Self {
        match self {
            Self::Auto if dump || (!simulated && family_is_here()) => Self::Registers,
            Self::Auto => Self::Timing(Method::Solver),
            way => way,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_come_first_where_they_are_understood() {
        let (timing, never) = (Way::Timing(Method::Solver), || unreachable!());
        assert_eq!(Way::Auto.settled(true, false, never), Way::Registers);
        assert_eq!(Way::Auto.settled(false, true, never), timing);
        assert_eq!(Way::Auto.settled(false, false, || true), Way::Registers);
        assert_eq!(Way::Auto.settled(false, false, || false), timing);
        assert_eq!(timing.settled(false, false, never), timing);
        assert_eq!(Way::Registers.settled(false, true, never), Way::Registers);
    }
}
