// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[core.tlb]`: which translations a core remembers.

use super::core::latency_at;
use crate::{SecondTlb, Tlb, TlbLevel};
use fresco_input::{InputError, Table};

/// A core without the table translates in no time. `mhz` is its clock.
pub(super) fn read(core: &Table<'_>, mhz: u32) -> Result<Option<Tlb>, InputError> {
    let Some(table) = core.opt_table("tlb")? else {
        return Ok(None);
    };
    let second = table.opt_table("l2")?.map(|l2| {
        let size = level(&l2, 65_536)?;
        let item = l2.item(
            "latency",
            "a duration, or a number of core cycles, for example \"7 cycles\"",
        )?;
        let latency = latency_at(&item, mhz)?;
        l2.finish()?;
        Ok::<_, InputError>(SecondTlb { size, latency })
    });
    let walk_cache = table.opt_table("walk_cache")?.map(|cache| {
        let entries = cache.integer("entries", 1..=128)?;
        cache.finish()?;
        Ok::<_, InputError>(entries)
    });
    let tlb = Tlb {
        first: level(&table, 4096)?,
        second: second.transpose()?,
        walk_cache: walk_cache.transpose()?.unwrap_or(0),
    };
    table.finish()?;
    Ok(Some(tlb))
}

/// `entries` and `ways` of a level.
fn level(table: &Table<'_>, most: u32) -> Result<TlbLevel, InputError> {
    let entries: u32 = table.integer("entries", 1..=most)?;
    let ways: u32 = table.integer("ways", 1..=128)?;
    if !entries.is_multiple_of(ways) || !(entries / ways).is_power_of_two() {
        return Err(table
            .error_at("ways", format!("found {entries} entries of {ways} ways"))
            .allowed("entries / ways = a power of two")
            .help("correct one of them; with as many ways as entries there is one set"));
    }
    Ok(TlbLevel { entries, ways })
}

/// Gives each of so many threads of a core its share of what the core has: of the levels by ways.
///
/// # Errors
/// Something cannot be divided.
pub(super) fn share(core: &Table<'_>, tlb: &mut Tlb, threads: u32) -> Result<(), InputError> {
    let Some(table) = core.opt_table("tlb")?.filter(|_| threads > 1) else {
        return Ok(());
    };
    let divide = |level: &mut TlbLevel, table: &Table<'_>| {
        super::threads::divide(table, "ways", &mut level.ways, threads)?;
        level.entries /= threads;
        Ok::<_, InputError>(())
    };
    divide(&mut tlb.first, &table)?;
    if let Some(second) = &mut tlb.second {
        divide(&mut second.size, &table.table("l2")?)?;
    }
    match table.opt_table("walk_cache")? {
        Some(cache) => super::threads::divide(&cache, "entries", &mut tlb.walk_cache, threads),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    fn parse(set: &[(&str, &str)]) -> Result<Option<Tlb>, InputError> {
        let set: Vec<_> = set
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect();
        let text = crate::builtin_text("xeon-w3530").expect("is built in");
        Machine::parse("test.toml", text, &set).map(|machine| machine.core.tlb)
    }

    const FIRST: [(&str, &str); 2] = [("core.tlb.entries", "64"), ("core.tlb.ways", "4")];
    const SECOND: [(&str, &str); 3] = [
        ("core.tlb.l2.entries", "512"),
        ("core.tlb.l2.ways", "4"),
        ("core.tlb.l2.latency", "7 cycles"),
    ];

    #[test]
    fn levels_and_walk_cache_are_asked_for_by_themselves() {
        assert_eq!(parse(&[]), Ok(None));
        let first = TlbLevel { entries: 64, ways: 4 };
        let one = parse(&FIRST).expect("is valid").expect("is there");
        assert_eq!((one.first, one.second, one.walk_cache), (first, None, 0));
        let all = [&FIRST[..], &SECOND, &[("core.tlb.walk_cache.entries", "32")]].concat();
        let all = parse(&all).expect("is valid").expect("is there");
        // 7 cycles of 2.8 GHz.
        let second = SecondTlb {
            size: TlbLevel { entries: 512, ways: 4 },
            latency: 2500,
        };
        assert_eq!((all.first, all.second, all.walk_cache), (first, Some(second), 32));
    }

    #[test]
    fn threads_share_the_ways() {
        let set = [
            &FIRST[..],
            &SECOND,
            &[
                ("core.tlb.walk_cache.entries", "32"),
                ("core.threads", "2"),
                ("core.mshrs", "10"),
            ],
        ];
        let half = parse(&set.concat()).expect("is valid").expect("is there");
        assert_eq!((half.first.entries, half.first.ways, half.walk_cache), (32, 2, 16));
        assert_eq!(
            half.second.map(|second| (second.size.entries, second.size.ways)),
            Some((256, 2))
        );
        let odd = [
            ("core.tlb.entries", "3"),
            ("core.tlb.ways", "3"),
            ("core.threads", "2"),
            ("core.mshrs", "10"),
        ];
        assert_eq!(
            parse(&odd).map_err(|error| error.field.clone()),
            Err("core.tlb.ways".into())
        );
    }
}
