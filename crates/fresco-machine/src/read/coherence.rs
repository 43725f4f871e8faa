// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[coherence]`: how private caches are kept coherent; without it they are not.

use super::core::latency;
use crate::{Coherence, CoreConfig, Machine, Protocol};
use fresco_input::{InputError, Table};

pub(super) fn read(root: &Table<'_>, core: &CoreConfig) -> Result<Option<Coherence>, InputError> {
    let Some(table) = root.opt_table("coherence")? else {
        return Ok(None);
    };
    let transfer = table.item(
        "transfer",
        "a duration such as \"12 ns\", or core cycles such as \"35 cycles\"",
    )?;
    let coherence = Coherence {
        protocol: table.choice("protocol", &Protocol::NAMES)?,
        transfer: latency(&transfer, core)?,
    };
    table.finish()?;
    Ok(Some(coherence))
}

/// There are caches to be kept coherent, and a directory that always answers.
///
/// # Errors
/// There are not; cores have TLBs; or the last-level cache may accept no access.
pub(super) fn check(root: &Table<'_>, machine: &Machine) -> Result<(), InputError> {
    if machine.coherence.is_none() {
        return Ok(());
    }
    if machine.l1.is_none() && machine.l2.is_none() {
        let error = root.error_at("coherence", "found coherence, but neither l1 nor l2");
        return Err(error
            .allowed("coherence with private caches, which it is between")
            .help("add [l1] or [l2], or remove [coherence]"));
    }
    if machine.core.tlb.is_some() {
        let error = root.error_at("coherence", "found coherence beside TLBs (core.tlb)");
        return Err(error
            .allowed("one of the two: walks do not yet ask other cores for the lines of page tables that they read")
            .help("remove core.tlb, or [coherence]"));
    }
    if machine.llc.as_ref().is_some_and(|llc| llc.mshrs.is_some()) {
        let error = root
            .table("llc")?
            .error_at("mshrs", "found miss registers of the last-level cache beside coherence");
        return Err(error
            .allowed("one of the two: a cache that accepts no access would look a line up later than its states have changed")
            .help("remove llc.mshrs, or [coherence]"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(set: &[(&str, &str)]) -> Result<Option<Coherence>, String> {
        let set: Vec<_> = set
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect();
        let text = crate::builtin_text("xeon-w3530").expect("is built in");
        let machine = Machine::parse("test.toml", text, &set);
        machine
            .map(|machine| machine.coherence)
            .map_err(|error| error.field.clone())
    }

    #[test]
    fn it_is_asked_for_with_its_latency() {
        assert_eq!(parse(&[]), Ok(None));
        let mesi = parse(&[("coherence", "{ protocol = \"mesi\", transfer = \"12 ns\" }")]);
        let expected = Coherence {
            protocol: Protocol::Mesi,
            transfer: 12_000,
        };
        assert_eq!(mesi, Ok(Some(expected)));
        // 28 cycles of 2.8 GHz.
        let cycles = [("coherence.protocol", "\"mesi\""), ("coherence.transfer", "28 cycles")];
        assert_eq!(
            parse(&cycles).map(|found| found.map(|one| one.transfer)),
            Ok(Some(10_000))
        );
    }

    #[test]
    fn what_contradicts_it_is_refused() {
        let transfer = ("coherence.transfer", "\"12 ns\"");
        assert_eq!(parse(&[transfer]), Err("coherence.protocol".into()));
        assert_eq!(
            parse(&[("coherence.protocol", "mesi")]),
            Err("coherence.transfer".into())
        );
        assert_eq!(
            parse(&[("coherence.protocol", "moesi"), transfer]),
            Err("coherence.protocol".into())
        );
        let mesi = ("coherence.protocol", "mesi");
        assert_eq!(parse(&[mesi, transfer, ("llc.mshrs", "8")]), Err("llc.mshrs".into()));
        let tlb = [("core.tlb.entries", "16"), ("core.tlb.ways", "4")];
        assert_eq!(parse(&[mesi, transfer, tlb[0], tlb[1]]), Err("coherence".into()));
        let good = include_str!("../../tests/data/good.toml");
        let (before, rest) = good.split_once("[l1]").expect("it has a private cache");
        let (_, after) = rest.split_once("[llc]").expect("and a shared one");
        let bare = format!("{before}[llc]{after}");
        let set = [mesi, transfer].map(|(key, value)| (key.to_owned(), value.to_owned()));
        let error = Machine::parse("m.toml", &bare, &set).expect_err("nothing is private");
        assert_eq!(error.field, "coherence");
    }
}
