// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[core.prefetch]`: which hardware prefetchers a core has.

use crate::{Machine, Prefetch, Stream, Stride};
use fresco_input::{InputError, Table, format_size};

/// A core without the table has none.
pub(super) fn read(core: &Table<'_>) -> Result<Prefetch, InputError> {
    let Some(table) = core.opt_table("prefetch")? else {
        return Ok(Prefetch::default());
    };
    let prefetch = Prefetch {
        next_line: table.opt_boolean("next_line")?.unwrap_or(false),
        stride: table.opt_table("stride")?.map(stride).transpose()?,
        stream: table.opt_table("stream")?.map(stream).transpose()?,
    };
    table.finish()?;
    Ok(prefetch)
}

fn stride(table: Table<'_>) -> Result<Stride, InputError> {
    let usual = Stride::default();
    let stride = Stride {
        regions: table.opt_integer("regions", 1..=256)?.unwrap_or(usual.regions),
        degree: table.opt_integer("degree", 1..=16)?.unwrap_or(usual.degree),
    };
    table.finish()?;
    Ok(stride)
}

fn stream(table: Table<'_>) -> Result<Stream, InputError> {
    let usual = Stream::default();
    let stream = Stream {
        streams: table.opt_integer("streams", 1..=256)?.unwrap_or(usual.streams),
        degree: table.opt_integer("degree", 1..=16)?.unwrap_or(usual.degree),
        distance: table.opt_integer("distance", 1..=63)?.unwrap_or(usual.distance),
    };
    table.finish()?;
    Ok(stream)
}

/// There is a cache for what is prefetched, and a miss register beside that of the access.
///
/// # Errors
/// There is not, or the memory is too large for lines of the cache to be told apart.
pub(super) fn check(root: &Table<'_>, machine: &Machine) -> Result<(), InputError> {
    if machine.core.prefetch.is_off() {
        return Ok(());
    }
    let core = root.table("core")?;
    if machine.l1.is_none() && machine.l2.is_none() {
        return Err(core
            .error_at("prefetch", "found prefetchers, but neither l1 nor l2")
            .allowed("prefetchers with a private cache, which takes what they fetch")
            .help("add [l1] or [l2], or remove core.prefetch"));
    }
    if machine.core.mshrs < 2 {
        return Err(core
            .error_at(
                "prefetch",
                "found prefetchers, but one miss register (mshrs) for each thread",
            )
            .allowed("prefetchers with two miss registers or more: the access that they follow has one")
            .help("raise core.mshrs, or remove core.prefetch"));
    }
    let regions = machine.memory.map.regions().iter();
    let end = regions.map(|region| region.base + region.size).max().unwrap_or(0);
    for (key, cache) in [("l1", &machine.l1), ("l2", &machine.l2)] {
        let Some(cache) = cache else { continue };
        let most = Prefetch::MOST_LINES_OF_SET * cache.size / u64::from(cache.ways);
        if end > most {
            let found = format!(
                "found {} sets with prefetchers, and memory up to {}",
                cache.sets(),
                format_size(end)
            );
            let table = root.table(key)?;
            return Err(table
                .error_at("size", found)
                .allowed(format!("memory up to {}", format_size(most)))
                .help("give the cache more sets, or remove core.prefetch"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(set: &[(&str, &str)]) -> Result<Prefetch, InputError> {
        let set: Vec<_> = set
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect();
        let text = crate::builtin_text("xeon-w3530").expect("is built in");
        Machine::parse("test.toml", text, &set).map(|machine| machine.core.prefetch)
    }

    #[test]
    fn each_prefetcher_is_asked_for_by_itself() {
        assert_eq!(parse(&[]), Ok(Prefetch::default()));
        let one = parse(&[("core.prefetch.stream.distance", "8")]).expect("is valid");
        assert_eq!((one.next_line, one.stride), (false, None));
        let stream = Stream {
            streams: 32,
            degree: 2,
            distance: 8,
        };
        assert_eq!(one.stream, Some(stream));
        let all = parse(&[(
            "core.prefetch",
            "{ next_line = true, stride = {}, stream = { degree = 4 } }",
        )]);
        let all = all.expect("is valid");
        assert_eq!((all.next_line, all.stride), (true, Some(Stride::default())));
        assert_eq!(all.stream.map(|stream| (stream.degree, stream.distance)), Some((4, 20)));
    }

    #[test]
    fn a_core_in_order_has_registers_for_prefetches_alone() {
        let in_order = [("core.kind", "in-order"), ("core.window", "1"), ("core.mshrs", "4")];
        assert_eq!(
            parse(&in_order).map_err(|error| error.field.clone()),
            Err("core.mshrs".into())
        );
        let with = [&in_order[..], &[("core.prefetch.next_line", "true")]].concat();
        assert!(parse(&with).is_ok());
    }
}
