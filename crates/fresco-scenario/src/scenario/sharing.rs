// SPDX-License-Identifier: MIT OR Apache-2.0
//! Policies that share colors out among the tasks: whose colors are whose is worked out here, before anything runs.
//!
//! Every copy that a task lists is a thread, whether or not `corunners` starts it, so that its colors are the same alone and
//! in company. A task that names `banks` or `llc` has these, and they are not given to others; one with `colors = 0` has
//! none.

use super::task::Task;
use fresco_dram::ColorSpace;
use fresco_dram::map::Field;
use fresco_frames::shares::{self, Divide, Seat, Share, ShareError, Taken, Tint, Variant};
use fresco_frames::{ColorSet, Coloring};
use fresco_input::{InputError, Table};
use fresco_machine::Machine;

/// How colors are shared out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Not at all: tasks name theirs, or CAMC chooses them at run time.
    None,
    /// TintMalloc's variants.
    Tint(Tint),
    /// Equal shares for all.
    Equal(Divide),
    /// Channels in turn, of these or of all; and banks of their own within them.
    Channels {
        /// BPM+, not channels alone.
        private_banks: bool,
        /// Channels that are used; `None` for all.
        channels: Option<Vec<u32>>,
    },
    /// Banks and cache split together by the bits that they share.
    Overlap,
}

/// `variant`, `groups` and `llc_shares` of TintMalloc.
pub(super) fn tint(policy: &Table<'_>) -> Result<Sharing, InputError> {
    let names = [
        ("mem", Variant::Mem),
        ("llc", Variant::Llc),
        ("mem+llc", Variant::MemLlc),
        ("mem+llc(part)", Variant::MemLlcPart),
        ("llc+mem(part)", Variant::LlcMemPart),
    ];
    let variant = policy.opt_choice("variant", &names)?.unwrap_or(Variant::MemLlc);
    let published = Tint::published(variant);
    let groups = policy.opt_integer("groups", 1..=1024)?.unwrap_or(published.groups);
    let scopes = [("machine", false), ("cache", true)];
    let by_cache = policy.opt_choice("llc_shares", &scopes)?.unwrap_or(published.by_cache);
    Ok(Sharing::Tint(Tint {
        variant,
        groups,
        by_cache,
    }))
}

/// PALLOC's `variant`: equal shares of the banks (PB), or of banks and cache at once (PB+PC); else tasks name their banks.
pub(super) fn palloc(policy: &Table<'_>) -> Result<Sharing, InputError> {
    let with_cache = policy.opt_choice("variant", &[("pb", false), ("pb+pc", true)])?;
    Ok(match with_cache {
        None => Sharing::None,
        Some(false) => Sharing::Equal(Divide::Banks),
        Some(true) => Sharing::Overlap,
    })
}

/// BPM and the soft partition: `llc = true` divides the cache too (TINT-17).
pub(super) fn equal(policy: &Table<'_>) -> Result<Sharing, InputError> {
    let with_llc = policy.opt_boolean("llc")?.unwrap_or(false);
    Ok(Sharing::Equal(if with_llc {
        Divide::BanksAndLlc
    } else {
        Divide::Banks
    }))
}

/// `channels` of BPM+ and of channel-only partitioning (BPM-14: one channel alone is a comparator).
pub(super) fn channels(policy: &Table<'_>, private_banks: bool) -> Result<Sharing, InputError> {
    let channels = policy.opt_numbers("channels", 0..=u32::MAX)?;
    Ok(Sharing::Channels {
        private_banks,
        channels,
    })
}

impl Sharing {
    /// Gives every thread that waits for its share its colors.
    ///
    /// # Errors
    /// Threads would have to share what each is to have alone; pages cannot choose the channel.
    pub(super) fn share_out<'a>(
        &self,
        root: &Table<'_>,
        tasks: &mut [Task],
        agents: impl Iterator<Item = &'a Coloring>,
        machine: &Machine,
        space: &ColorSpace,
    ) -> Result<(), InputError> {
        let Some(policy) = root.opt_table("policy")?.filter(|_| *self != Self::None) else {
            return Ok(());
        };
        let mut taken = Taken::default();
        agents.for_each(|coloring| take(&mut taken, coloring));
        let mut seats = Vec::new();
        for task in tasks.iter() {
            for (&core, coloring) in std::iter::zip(&task.cores, &task.colorings) {
                take(&mut taken, coloring);
                if let Coloring::Automatic { .. } = coloring {
                    seats.push(seat(machine, task, core));
                }
            }
        }
        let shares = self.shares(&policy, machine, space, &seats, &taken)?;
        let mut shares = shares.into_iter();
        for task in tasks {
            for coloring in task.colorings.iter_mut().take(task.cores.len()) {
                let waits = matches!(coloring, Coloring::Automatic { .. });
                task.shared.push(waits);
                if let Some(share) = waits.then(|| shares.next()).flatten() {
                    *coloring = share.coloring();
                }
            }
        }
        Ok(())
    }

    /// The bank colors of each channel that is used; `None` for a policy that leaves channels alone.
    pub(super) fn banks_of_channels(
        &self,
        policy: &Table<'_>,
        machine: &Machine,
        space: &ColorSpace,
    ) -> Result<Option<Vec<Vec<u32>>>, InputError> {
        match self {
            Self::Channels { channels, .. } => banks_of_channels(policy, machine, space, channels.as_deref()).map(Some),
            _ => Ok(None),
        }
    }

    fn shares(
        &self,
        policy: &Table<'_>,
        machine: &Machine,
        space: &ColorSpace,
        seats: &[Seat],
        taken: &Taken,
    ) -> Result<Vec<Share>, InputError> {
        let threads = seats.len();
        let shares = match self {
            Self::None => return Ok(Vec::new()),
            Self::Tint(tint) => shares::tintmalloc(space, seats, *tint, taken),
            Self::Equal(divide) => shares::equal(space, threads, *divide, taken),
            Self::Overlap => shares::by_overlap(space, threads, taken),
            Self::Channels {
                private_banks,
                channels,
            } => {
                let of_channel = banks_of_channels(policy, machine, space, channels.as_deref())?;
                shares::channels(space, threads, &of_channel, *private_banks, taken)
            }
        };
        shares.map_err(|error| too_many(policy, &error))
    }
}

/// Colors that are named are nobody else's.
fn take(taken: &mut Taken, coloring: &Coloring) {
    if let Coloring::Explicit { banks, llc } = coloring {
        let each = |set: &Option<ColorSet>| set.iter().flat_map(ColorSet::iter).collect::<Vec<_>>();
        each(banks).into_iter().for_each(|bank| _ = taken.banks.insert(bank));
        each(llc).into_iter().for_each(|color| _ = taken.llc.insert(color));
    }
}

/// Where a thread runs: node and last-level cache of its core.
fn seat(machine: &Machine, task: &Task, core: u32) -> Seat {
    let own = machine.topology.node_of_core[core as usize];
    Seat {
        node: task.node.unwrap_or(own),
        cache: machine.llc.as_ref().map_or(0, |llc| core / llc.cores_per_cache),
    }
}

fn too_many(policy: &Table<'_>, error: &ShareError) -> InputError {
    let key = if policy.has("variant") { "variant" } else { "frames" };
    policy
        .error_at(key, format!("found {error}"))
        .allowed(format!("{} colored threads at most", error.fit))
        .help("start fewer tasks, set colors = 0 for some, name their banks and llc, or choose another variant")
}

/// The bank colors of each channel that is used.
fn banks_of_channels(
    policy: &Table<'_>,
    machine: &Machine,
    space: &ColorSpace,
    channels: Option<&[u32]>,
) -> Result<Vec<Vec<u32>>, InputError> {
    let count = machine.memory.organisation.channels;
    let all: Vec<u32> = (0..count).collect();
    if let Some(channel) = channels.and_then(|channels| channels.iter().find(|channel| **channel >= count)) {
        let error = policy.error_at("channels", format!("found channel {channel}"));
        let allowed = format!("channels 0 to {} of {}", count - 1, machine.name);
        return Err(error.allowed(allowed).help("name channels that exist"));
    }
    if channels.is_some_and(<[u32]>::is_empty) {
        let error = policy.error_at("channels", "found no channel");
        return Err(error
            .allowed("one channel or more")
            .help("remove the key for all of them"));
    }
    if count == 1 {
        let error = policy.error_at("frames", format!("found one channel on {}", machine.name));
        return Err(error
            .allowed("a machine of several channels")
            .help("choose policy.frames = \"bpm\", or a machine such as i7-860-channels"));
    }
    let banks = |&channel: &u32| {
        space.select_field(Field::Channel, channel).map_err(|error| {
            let error = policy.error_at("frames", format!("found that {}: {error}", machine.name));
            error
                .allowed("a machine whose channels are chosen by address bits above the page")
                .help("choose policy.frames = \"bpm\", or a machine such as i7-860-channels")
        })
    };
    channels.unwrap_or(&all).iter().map(banks).collect()
}
