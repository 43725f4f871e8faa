// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine's address map, and the algorithm with which the paper finds maps by timing (MAP-12).

use super::super::facts;
use fresco_detect::algorithm1::{appendix, discover};
use fresco_detect::random::Draws;
use fresco_detect::synthetic::{Disturbance, Disturbed};
use fresco_detect::{Method, Options, Timer, Verdict, detect};
use fresco_dram::PhysAddr;
use fresco_dram::map::Field;
use fresco_input::InputError;
use fresco_machine::{Machine, builtin, builtin_names};
use fresco_report::claims::Row;
use fresco_system::MemoryTimer;

/// Pairs of lines that a found map is compared by: of 128 banks, some 150 are in the same one.
const PAIRS: u32 = 20_000;

/// Bits 6 to 22 of the machine's addresses: does a bit choose the channel, or a bank color? And how many colors there are.
pub fn bits() -> Result<Vec<Row>, InputError> {
    let machine = builtin("i7-860")?;
    let functions = &machine.memory.map.regions()[0].functions;
    let of = |fields: &[Field]| {
        let masks = fields.iter().flat_map(|field| functions.named(*field));
        masks.fold(0, |bits, (_, mask)| bits | mask)
    };
    let (channel, bank) = (of(&[Field::Channel]), of(&[Field::Rank, Field::BankGroup, Field::Bank]));
    let row = |bit: u32| {
        let has = |mask: u64| f64::from(u32::from((mask >> bit) & 1 == 1));
        Row::new()
            .label("bit", bit)
            .value("channel_bit", has(channel))
            .value("bank_bit", has(bank))
    };
    let mut rows: Vec<Row> = (6..=22).map(row).collect();
    let colors = facts::space(&machine)?.bank_colors();
    let organisation = &machine.memory.organisation;
    let banks = organisation.channels * organisation.ranks * organisation.banks_per_rank();
    let totals = Row::new()
        .value("channel_bits", f64::from(channel.count_ones()))
        .value("bank_bits", f64::from(bank.count_ones()))
        .value("colors", f64::from(colors))
        .value("banks_per_color", f64::from(banks / colors));
    rows.push(totals);
    Ok(rows)
}

/// Whether the algorithm finds the map of each built-in machine by timing its simulated memory. It knows address bits alone, so
/// machines whose channels are no power of two are left out.
pub fn found() -> Result<Vec<Row>, InputError> {
    let row = |machine: &Machine| {
        let is_right = f64::from(u32::from(is_found(machine)));
        Row::new().label("machine", &machine.name).value("right", is_right)
    };
    Ok(of_bits()?.iter().map(row).collect())
}

/// The built-in machines whose channels are a power of two.
fn of_bits() -> Result<Vec<Machine>, InputError> {
    let mut machines: Vec<Machine> = builtin_names().map(builtin).collect::<Result<_, _>>()?;
    machines.retain(|machine| machine.memory.organisation.odd_ways() == 1);
    Ok(machines)
}

/// Returns true if what the algorithm finds tells the same lines to be in the same bank as the machine's map does: all of many pairs.
fn is_found(machine: &Machine) -> bool {
    let options = Options {
        seed: 1,
        method: Method::Algorithm1,
        all: false,
        seconds: 900.0,
    };
    let mut timer = Disturbed::new(MemoryTimer::new(machine), Disturbance::of_a_quiet_machine(), 1);
    let found = detect(&mut timer, options);
    let Some(solution) = found.solution.filter(|_| found.verdict == Verdict::Map) else {
        return false;
    };
    let bank = |line: u64| {
        let at = machine.memory.map.decode(PhysAddr(line));
        at.map(|at| (at.node, at.channel, at.rank, at.bank_group, at.bank))
    };
    let mut draws = Draws::new(1);
    (0..PAIRS).all(|_| {
        let (a, b) = (draws.line(timer.ranges()), draws.line(timer.ranges()));
        solution.model.same_bank(a, b) == (bank(a) == bank(b))
    })
}

/// What the three steps make of the latencies that the appendix prints.
pub fn example() -> Result<Vec<Row>, InputError> {
    let times = appendix();
    let bits: Vec<u32> = (3..=28).collect();
    let found = discover(&bits, |mask| times.get(&mask).copied().unwrap_or(f64::NAN))
        .ok_or_else(|| InputError::new("bpm-appendix", "found no row in the published latencies"))?;
    let of = |part: &str, bits: &[u32]| {
        let end = |bit: Option<&u32>| f64::from(bit.copied().unwrap_or(0));
        Row::new()
            .label("part", part)
            .value("first_bit", end(bits.first()))
            .value("last_bit", end(bits.last()))
            .value("count", bits.len() as f64)
    };
    let mut rows = vec![of("row", &found.row), of("column", &found.column)];
    let functions = (found.xor.len() + found.single.len()) as f64;
    rows.push(Row::new().label("part", "bank").value("count", functions));
    let pair = |(u, v): &(u32, u32)| Row::new().label("part", u).value("partner", f64::from(*v));
    rows.extend(found.xor.iter().map(pair));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_report::claims::Claims;

    #[test]
    fn its_machines_are_those_of_the_contract() {
        let claims = Claims::builtin().expect("the claims are sound");
        let mut machines: Vec<String> = of_bits()
            .expect("built in")
            .into_iter()
            .map(|machine| machine.name)
            .collect();
        machines.sort_unstable();
        assert_eq!(machines, claims.experiments["bpm-detection"].labels["machine"]);
    }

    #[test]
    fn the_algorithm_finds_maps_of_single_bits_and_not_of_bits_in_two_functions() {
        let right = |machine: &str| is_found(&builtin(machine).expect("built in"));
        assert!(right("i7-860") && right("core2-q8400"));
        assert!(!right("opteron-6128-interleaved"));
    }
}
