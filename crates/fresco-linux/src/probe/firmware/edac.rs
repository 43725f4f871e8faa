// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory modules by the kernel's drivers for error correction: `sys/devices/system/edac/mc`.

use super::{numbered, text};
use serde::Serialize;
use std::path::Path;

/// A memory module, or a rank, of a controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EdacDimm {
    /// Number of the controller.
    pub controller: u32,
    /// Its driver's name for it; empty if it has none.
    pub controller_name: String,
    /// What the board calls the module; empty if the driver does not know.
    pub label: String,
    /// Channel, slot, chip select, … as the driver tells them.
    pub location: String,
    /// Kind of memory, as `Registered-DDR3`.
    pub kind: String,
    /// Size in MiB; `None` if the driver does not tell.
    pub mebibytes: Option<u64>,
}

impl std::fmt::Display for EdacDimm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            controller,
            controller_name,
            label,
            location,
            kind,
            ..
        } = self;
        write!(f, "mc{controller} {controller_name} {location} {label:?}: {kind}")?;
        self.mebibytes.map_or(Ok(()), |size| write!(f, ", {size} MiB"))
    }
}

/// All modules, by controller. `None` if no driver is loaded.
pub fn edac_dimms(root: &Path) -> Option<Vec<EdacDimm>> {
    let mut dimms = Vec::new();
    for (controller, path) in numbered(&root.join("sys/devices/system/edac/mc"), "mc") {
        let controller_name = text(&path.join("mc_name")).unwrap_or_default();
        // A driver tells of modules or of ranks, by the same files.
        let places = [numbered(&path, "dimm"), numbered(&path, "rank")].concat();
        for (_, place) in places {
            let of = |name: &str| text(&place.join(name)).unwrap_or_default();
            dimms.push(EdacDimm {
                controller,
                controller_name: controller_name.clone(),
                label: of("dimm_label"),
                location: of("dimm_location"),
                kind: of("dimm_mem_type"),
                mebibytes: of("size").parse().ok(),
            });
        }
    }
    (!dimms.is_empty()).then_some(dimms)
}
