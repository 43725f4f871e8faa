// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parameters that all teams have.

use crate::parameter::{Kind, Parameter, Values};
use crate::passes::Passes;
use crate::registry::passes;

/// Who initialises the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Init {
    /// Each thread its part.
    Parallel,
    /// The master all of it.
    Serial,
    /// Nobody, as in programs of one thread.
    None,
}

/// How a team runs, whatever it computes.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Who initialises the data.
    pub init: Init,
    /// Percent of the iterations of parallel loops that the master makes alone, 0 to 100.
    pub serial: u64,
    /// How often.
    pub passes: Passes,
}

/// The parameters that [`settings`] reads, besides those of passes.
pub(crate) const TEAM: &[Parameter] = &[
    Parameter {
        name: "init",
        kind: Kind::Choice(&["parallel", "serial", "none"]),
        doc: "who stores to the data first: each thread to its part, the master to all (LIM-6), nobody (TINT-19)",
    },
    Parameter {
        name: "serial",
        kind: Kind::Count {
            min: 0,
            max: 100,
            default: 0,
        },
        doc: "percent of each thread's iterations that the master makes before it, alone (LIM-6)",
    },
];

/// The settings that [`TEAM`] and [`crate::registry::PASSES`] describe.
pub(crate) fn settings(values: &Values) -> Settings {
    Settings {
        init: [Init::Parallel, Init::Serial, Init::None][values.number("init") as usize],
        serial: values.number("serial"),
        passes: passes(values),
    }
}
