// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[policy]`: how page frames are chosen.

use super::dynamic;
use super::sharing::{self, Sharing};
use fresco_dram::Ps;
use fresco_frames::shares::Divide;
use fresco_frames::{
    Aging, Boot, Bpm, Camc, Codesign, ColorLists, CostModel, Exhaustion, FramesConfig, ListsBy, PageTables, Palloc,
    Partition, PerCpu, Policy, Search, Shortage, Sorting, Tintmalloc,
};
use fresco_input::{InputError, Table};

/// The policy of a scenario.
pub(crate) struct Chosen {
    /// The allocator's part.
    pub frames: FramesConfig,
    /// Whose colors are whose, where the policy says that.
    pub sharing: Sharing,
    /// Time between scans, if it goes on dividing.
    pub interval: Option<Ps>,
    /// Page frames are those of a recording.
    pub recorded: bool,
}

/// Reads `[policy]`; without it, the buddy allocator of a machine shortly after boot. `core_mhz` turns the allocator's
/// work into time.
pub(crate) fn read(root: &Table<'_>, core_mhz: u32) -> Result<Chosen, InputError> {
    let cost = CostModel::at(core_mhz);
    let Some(table) = root.opt_table("policy")? else {
        let frames = FramesConfig {
            cost,
            ..FramesConfig::default()
        };
        return Ok(Chosen {
            frames,
            sharing: Sharing::None,
            interval: None,
            recorded: false,
        });
    };
    // Read with `[bandwidth]`.
    table.has("bandwidth");
    let names = [
        ("buddy", Kind::Buddy),
        ("palloc", Kind::Palloc),
        ("camc", Kind::Camc),
        ("codesign", Kind::Codesign),
        ("tintmalloc", Kind::Tintmalloc),
        ("bpm", Kind::Bpm),
        ("bpm+", Kind::BpmPlus),
        ("cache-only", Kind::CacheOnly),
        ("channel-only", Kind::ChannelOnly),
        ("soft", Kind::Soft),
        ("recorded", Kind::Recorded),
    ];
    let kind = table.opt_choice("frames", &names)?.unwrap_or(Kind::Buddy);
    if let Kind::Recorded = kind {
        for key in super::jobs::KEYS {
            table.has(key);
        }
        table.finish()?;
        return Ok(Chosen {
            frames: super::recorded::frames(cost),
            sharing: Sharing::None,
            interval: None,
            recorded: true,
        });
    }
    let policy = match kind {
        Kind::Buddy | Kind::Recorded => Policy::Buddy,
        Kind::Palloc => Policy::Palloc(Palloc {
            sorting: sorting(&table)?,
            exhaustion: exhaustion(&table)?,
        }),
        Kind::Camc => Policy::Camc(Camc {
            exhaustion: exhaustion(&table)?,
            shortage: shortage(&table)?,
            start: start(&table)?,
            search: search(&table)?,
        }),
        Kind::Codesign => Policy::Codesign(Codesign {
            partition: partition(&table)?,
        }),
        Kind::Tintmalloc => Policy::Tintmalloc(Tintmalloc {
            exhaustion: exhaustion(&table)?,
        }),
        Kind::Bpm | Kind::BpmPlus | Kind::CacheOnly | Kind::ChannelOnly => Policy::Bpm(Bpm {
            exhaustion: exhaustion(&table)?,
        }),
        Kind::Soft => Policy::Soft,
    };
    let sharing = match kind {
        Kind::Buddy | Kind::Camc | Kind::Codesign | Kind::Recorded => Sharing::None,
        Kind::Palloc => sharing::palloc(&table)?,
        Kind::Tintmalloc => sharing::tint(&table)?,
        Kind::Bpm | Kind::Soft => sharing::equal(&table)?,
        Kind::BpmPlus => sharing::channels(&table, true)?,
        Kind::CacheOnly => Sharing::Equal(Divide::Llc),
        Kind::ChannelOnly => sharing::channels(&table, false)?,
    };
    let interval = match kind {
        Kind::Bpm | Kind::BpmPlus => dynamic::read(&table, &sharing)?,
        _ => None,
    };
    // TINT-8: TintMalloc's lists are by pair of colors whatever its tasks ask for.
    let lists = match kind {
        Kind::Tintmalloc => ListsBy::BankAndLlc,
        _ => ListsBy::Bank,
    };
    let per_cpu = table.opt_boolean("per_cpu")?.unwrap_or(true).then(PerCpu::default);
    let frames = FramesConfig {
        policy,
        boot: boot(&table)?,
        lists,
        per_cpu,
        page_tables: page_tables(&table)?,
        cost,
    };
    for key in super::jobs::KEYS {
        table.has(key);
    }
    table.finish()?;
    Ok(Chosen {
        frames,
        sharing,
        interval,
        recorded: false,
    })
}

#[derive(Clone, Copy)]
enum Kind {
    Buddy,
    Palloc,
    Camc,
    Codesign,
    Tintmalloc,
    Bpm,
    BpmPlus,
    CacheOnly,
    ChannelOnly,
    Soft,
    Recorded,
}

fn exhaustion(table: &Table<'_>) -> Result<Exhaustion, InputError> {
    let names = [("strict", Exhaustion::Strict), ("spill", Exhaustion::Spill)];
    Ok(table.opt_choice("exhaustion", &names)?.unwrap_or_default())
}

/// `page_tables = "uncolored"` or `"colored"`.
pub(crate) fn page_tables(table: &Table<'_>) -> Result<PageTables, InputError> {
    let names = [("uncolored", PageTables::Uncolored), ("colored", PageTables::Colored)];
    Ok(table.opt_choice("page_tables", &names)?.unwrap_or_default())
}

fn partition(table: &Table<'_>) -> Result<Partition, InputError> {
    let names = [("soft", Partition::Soft), ("hard", Partition::Hard)];
    Ok(table.opt_choice("partition", &names)?.unwrap_or_default())
}

fn sorting(table: &Table<'_>) -> Result<Sorting, InputError> {
    let names = [("block", Sorting::Block), ("frame", Sorting::Frame)];
    Ok(table.opt_choice("sorting", &names)?.unwrap_or_default())
}

fn shortage(table: &Table<'_>) -> Result<Shortage, InputError> {
    let names = [
        ("refuse", Shortage::Refuse),
        ("remote", Shortage::Remote),
        ("share", Shortage::Share),
    ];
    Ok(table.opt_choice("shortage", &names)?.unwrap_or_default())
}

fn start(table: &Table<'_>) -> Result<ColorLists, InputError> {
    let names = [("empty", ColorLists::Empty), ("full", ColorLists::Full)];
    Ok(table.opt_choice("color_lists", &names)?.unwrap_or_default())
}

fn search(table: &Table<'_>) -> Result<Search, InputError> {
    let names = [
        ("until-found", Search::UntilFound),
        ("as-published", Search::AsPublished),
    ];
    Ok(table.opt_choice("search", &names)?.unwrap_or_default())
}

/// `boot = "pristine"`, `"fresh"` or `"aged"`; an aged machine may say which share of its memory stays `occupied`.
fn boot(table: &Table<'_>) -> Result<Boot, InputError> {
    let aged = Boot::Aged(Aging::default());
    let names = [("pristine", Boot::Pristine), ("fresh", Boot::Fresh), ("aged", aged)];
    let boot = table.opt_choice("boot", &names)?.unwrap_or_default();
    let Boot::Aged(mut aging) = boot else { return Ok(boot) };
    if let Some(ppm) = table.opt_fraction("occupied")? {
        if ppm >= 1_000_000 {
            let error = table
                .error_at("occupied", "found the whole memory")
                .allowed("a share below 1, such as 0.5");
            return Err(error.help("leave some memory for the tasks"));
        }
        aging.occupied_permille = ppm / 1000;
    }
    Ok(Boot::Aged(aging))
}
