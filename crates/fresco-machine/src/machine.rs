// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole machine.

use crate::{
    CacheConfig, Calibration, Coherence, ControllerConfig, CoreConfig, Fabric, Inclusion, LlcConfig, Topology,
};
use fresco_dram::color::ColorError;
use fresco_dram::standards::{Device, LATENCIES, TimingError, with_latencies_scaled};
use fresco_dram::{AddressMap, ColorSpace, Organisation, Timing};

/// A machine as its file describes it, checked: every part agrees with every other.
///
/// ```
/// // The platform of the PALLOC paper: four cores, one channel with two ranks of eight banks, 4 GiB.
/// let machine = fresco_machine::builtin("xeon-w3530")?;
/// assert_eq!(machine.cores, 4);
/// assert_eq!(machine.memory.organisation.banks_total(), 16);
/// assert_eq!(machine.memory.map.capacity(), 4 << 30);
///
/// // Address bit 12 selects a bank: neighboring pages lie in different ones.
/// let bank = |address| machine.memory.map.decode(fresco_dram::PhysAddr(address)).map(|place| place.bank);
/// assert_eq!((bank(0x0000), bank(0x1000)), (Some(0), Some(1)));
/// # Ok::<(), fresco_input::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    /// Short name; that of the file, without `.toml`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Where the parameters come from, one line each.
    pub sources: Vec<String>,
    /// Parameters that no source gives, and the value chosen.
    pub assumptions: Vec<String>,
    /// Number of cores as the operating system counts them: each thread of a core ([`CoreConfig::threads`]) is one. Those
    /// of a core have consecutive numbers.
    pub cores: u32,
    /// Each core.
    pub core: CoreConfig,
    /// Page size of the operating system, in bytes; a power of two.
    pub page_bytes: u64,
    /// Private first-level data cache, or a thread's share of it; without an instruction cache, of code, too.
    pub l1: Option<CacheConfig>,
    /// Private first-level instruction cache; its latency is 0.
    pub l1i: Option<CacheConfig>,
    /// Private second-level cache, or a thread's share of it.
    pub l2: Option<CacheConfig>,
    /// Shared last-level cache.
    pub llc: Option<LlcConfig>,
    /// How private caches are kept coherent; `None` if they are not.
    pub coherence: Option<Coherence>,
    /// Nodes and the distances between them.
    pub topology: Topology,
    /// What the way between last-level caches and controllers carries at most.
    pub fabric: Fabric,
    /// Controllers and DRAM.
    pub memory: MemoryConfig,
    /// What of it was fitted to measurements; `None` if nothing was.
    pub calibration: Option<Calibration>,
    /// 64-bit FNV-1a of the file's text and of the overrides that change it, in 16 hexadecimal digits: tells which
    /// machine a result belongs to.
    pub text_digest: String,
}

impl Machine {
    /// What the last-level cache has of the private caches' lines; without one, nothing is asked of these.
    pub fn inclusion(&self) -> Inclusion {
        self.llc.as_ref().map_or_else(Inclusion::default, |llc| llc.inclusion)
    }

    /// The parity masks that choose the set of its last-level cache ([`LlcConfig::set_functions`]); none without one.
    pub fn set_functions(&self) -> Vec<u64> {
        self.llc.as_ref().map_or_else(Vec::new, LlcConfig::set_functions)
    }

    /// The colors of its page frames: what its pages can be told apart by, in banks and in the last-level cache.
    ///
    /// # Errors
    /// Its banks or nodes are chosen by bits within a page.
    pub fn colors(&self) -> Result<ColorSpace, ColorError> {
        ColorSpace::new(
            &self.memory.map,
            &self.set_functions(),
            self.page_bytes.trailing_zeros(),
        )
    }

    /// What is allowed, and hardly meant: that banks are closed for refreshes for more than half of the time.
    pub fn warning(&self) -> Option<String> {
        let memory = &self.memory;
        let (every, takes) = memory.controller.refresh.of_bank(&memory.timing);
        (2 * takes > every).then(|| {
            format!(
                "{}: a bank is closed for refreshes for {} of each {every} cycles, more than half of the time: check memory.density, memory.timing and \
                 memory.controller.refresh",
                self.name,
                takes.min(every)
            )
        })
    }
}

/// The memory system; all controllers and channels are alike.
#[derive(Clone, Debug)]
pub struct MemoryConfig {
    /// Timing of the device, in cycles of the command clock.
    pub timing: Timing,
    /// What decides the timing of the device besides its standard.
    pub device: Device,
    /// Parameters of `timing` that the machine sets itself, so that no standard tells what they must be.
    pub own_timing: Vec<&'static str>,
    /// Nodes, channels, ranks, banks, rows, columns.
    pub organisation: Organisation,
    /// From physical addresses to places in that organisation.
    pub map: AddressMap,
    /// Policies and queues.
    pub controller: ControllerConfig,
}

impl MemoryConfig {
    /// Gives the device `percent` of its latencies ([`with_latencies_scaled`]), which are the machine's own then if they change.
    ///
    /// # Errors
    /// A latency that no device has.
    pub fn scale_latencies(&mut self, percent: u32) -> Result<(), TimingError> {
        scale_latencies(&mut self.timing, &mut self.own_timing, percent)
    }
}

pub(crate) fn scale_latencies(
    timing: &mut Timing,
    own: &mut Vec<&'static str>,
    percent: u32,
) -> Result<(), TimingError> {
    *timing = with_latencies_scaled(timing, percent)?;
    if percent != 100 {
        own.extend(LATENCIES);
    }
    Ok(())
}
