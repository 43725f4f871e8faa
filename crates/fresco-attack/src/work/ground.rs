// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory of an attacker, and where each line of it lies.

use fresco_dram::{PhysAddr, VirtAddr};
use fresco_input::InputError;
use fresco_load::{Batch, Event, Marker, Op, Program};
use fresco_machine::Machine;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::stretch::Order;

/// First byte of an attacker's memory in its address space, as of other programs.
const BASE: u64 = 0x1000_0000;

/// The address space of an attacker: one area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its length, a multiple of a page.
    pub bytes: u64,
    /// Bytes of a line.
    pub line: u64,
}

impl Area {
    /// As a program has it.
    pub(crate) fn footprint(&self) -> Vec<fresco_load::Area> {
        vec![fresco_load::Area {
            name: "lines".to_owned(),
            base: VirtAddr(BASE),
            bytes: self.bytes,
        }]
    }

    /// The first byte of a line.
    pub(crate) fn address(&self, line: u32) -> VirtAddr {
        VirtAddr(BASE + u64::from(line) * self.line)
    }
}

/// Marks the begin of a program, unless it has `begun` before.
pub(crate) fn begin_once(begun: &mut bool, out: &mut Batch) {
    if !std::mem::replace(begun, true) {
        out.push(Event::Mark {
            marker: Marker::Begin,
            gap: 0,
        });
    }
}

/// A program with that memory that only looks where its pages lie. It would read its first line without end.
pub struct Scout {
    area: Area,
    /// First bytes of pages and of their frames.
    seen: Arc<Mutex<Vec<(VirtAddr, PhysAddr)>>>,
    begun: bool,
}

impl Scout {
    /// In this memory.
    pub fn new(area: Area) -> Self {
        Self {
            area,
            seen: Arc::default(),
            begun: false,
        }
    }

    /// What it will have seen, once it was run.
    pub fn report(&self) -> Report {
        Report(self.area, Arc::clone(&self.seen))
    }
}

/// Where a scout's pages lie.
pub struct Report(Area, Arc<Mutex<Vec<(VirtAddr, PhysAddr)>>>);

impl Report {
    /// The ground that was seen.
    pub fn ground(&self, machine: &Machine) -> Ground {
        let pages = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        Ground::new(machine, self.0, &pages)
    }
}

impl Program for Scout {
    fn name(&self) -> &'static str {
        "scout"
    }

    fn footprint(&self) -> Vec<fresco_load::Area> {
        self.area.footprint()
    }

    fn placed(&mut self, page: VirtAddr, frame: PhysAddr) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push((page, frame));
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        begin_once(&mut self.begun, out);
        while !out.is_full() {
            out.push(Event::Op(Op {
                addr: self.area.address(0),
                gap: 0,
                dep: 0,
                size: 8,
                write: false,
            }));
        }
        Ok(true)
    }

    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Where a line lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    /// Number of the line in its area.
    line: u32,
    /// Bank of the machine, rank of the machine, row and column.
    bank: u32,
    rank: u32,
    row: u32,
    column: u32,
    /// Set of the last-level cache; of hashed slices the set within one.
    set: u64,
}

/// Where the lines of an attacker's memory lie, and in which order they may be used.
#[derive(Debug)]
pub struct Ground {
    area: Area,
    places: Vec<Place>,
    /// Its banks, as numbers of the machine.
    banks: Vec<u32>,
    /// Numbers of `places` in each order, found when it is used first.
    orders: [OnceLock<Vec<u32>>; Order::ALL.len()],
}

impl Ground {
    /// Of an area whose pages lie in these frames.
    pub fn new(machine: &Machine, area: Area, pages: &[(VirtAddr, PhysAddr)]) -> Self {
        let masks = machine.set_functions();
        let org = &machine.memory.organisation;
        let per_page = machine.page_bytes / area.line;
        let place = |(page, frame): (VirtAddr, PhysAddr), number: u64| {
            let address = frame.0 + number * area.line;
            let location = machine.memory.map.decode(PhysAddr(address)).unwrap_or_default();
            let bank = location.bank_in_machine(org);
            let bits = masks.iter().enumerate();
            Place {
                line: ((page.0 - BASE) / area.line + number) as u32,
                bank,
                rank: bank / org.banks_per_rank(),
                row: location.row,
                column: location.column,
                set: bits.fold(0, |set, (bit, mask)| {
                    set | u64::from((address & mask).count_ones() & 1) << bit
                }),
            }
        };
        let lines = pages
            .iter()
            .flat_map(|page| (0..per_page).map(move |number| (*page, number)));
        let places: Vec<Place> = lines.map(|(page, number)| place(page, number)).collect();
        let mut banks: Vec<u32> = places.iter().map(|place| place.bank).collect();
        banks.sort_unstable();
        banks.dedup();
        Self {
            area,
            places,
            banks,
            orders: Default::default(),
        }
    }

    /// Its address space.
    pub fn area(&self) -> Area {
        self.area
    }

    /// Number of lines.
    pub fn lines(&self) -> u32 {
        self.places.len() as u32
    }

    /// The banks of the machine in which it lies, in ascending order.
    pub fn banks(&self) -> &[u32] {
        &self.banks
    }

    /// So many different lines at most, in this order, from line `first` of the order on, of `banks` of its banks (0: of all) from its bank number
    /// `bank` on.
    pub(crate) fn lines_of(&self, order: Order, (bank, banks): (u32, u32), first: u32, lines: u32) -> Vec<u32> {
        let all = self.orders[order as usize].get_or_init(|| self.in_order(order));
        let count = self.banks.len().max(1);
        let wanted: Vec<u32> = match banks {
            0 => self.banks.clone(),
            some => (0..some.min(count as u32))
                .map(|next| self.banks[(bank as usize + next as usize) % count])
                .collect(),
        };
        let is_wanted = |number: &&u32| wanted.contains(&self.places[**number as usize].bank);
        let of_banks: Vec<u32> = match wanted.len() == count {
            true => all.clone(),
            false => all.iter().filter(is_wanted).copied().collect(),
        };
        let count = of_banks.len().max(1);
        let chosen = (0..count.min(lines.max(1) as usize)).map(|next| of_banks[(first as usize + next) % count]);
        chosen.map(|number| self.places[number as usize].line).collect()
    }

    fn in_order(&self, order: Order) -> Vec<u32> {
        let mut all: Vec<u32> = (0..self.lines()).collect();
        let at = |number: &u32| &self.places[*number as usize];
        let rows = |number: &u32| {
            let place = at(number);
            (place.bank, place.row, place.column, place.set)
        };
        let columns = |number: &u32| {
            let place = at(number);
            (place.bank, place.column, place.row, place.set)
        };
        match order {
            Order::Rows => all.sort_by_key(rows),
            Order::Conflicts => all.sort_by_key(columns),
            Order::Banks => {
                all.sort_by_key(columns);
                dealt(&mut all, |number| at(number).bank);
            }
            Order::Ranks => {
                all.sort_by_key(rows);
                dealt(&mut all, |number| at(number).rank);
            }
            Order::Sets => all.sort_by_key(|number| (at(number).set, rows(number))),
            // A hash (2^32 by the golden ratio, Knuth, The Art of Computer Programming 3, §6.4): the same each time.
            Order::Random => all.sort_by_key(|number| {
                number
                    .wrapping_mul(0x9e37_79b9)
                    .rotate_left(16)
                    .wrapping_mul(0x9e37_79b9)
            }),
        }
        all
    }
}

/// Deals what stands in groups: the first of each group, the second of each, and so on.
fn dealt(all: &mut Vec<u32>, group: impl Fn(&u32) -> u32) {
    let mut seen = std::collections::BTreeMap::<u32, u32>::new();
    let mut keyed: Vec<((u32, u32), u32)> = all
        .iter()
        .map(|number| {
            let group = group(number);
            let next = seen.entry(group).or_default();
            *next += 1;
            ((*next, group), *number)
        })
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    *all = keyed.into_iter().map(|(_, number)| number).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{Mover, Moves, Stretch};

    /// 2 MiB of `imx8m-mini` from physical address 0 on: four times its last-level cache.
    fn ground() -> Ground {
        let machine = fresco_machine::builtin("imx8m-mini").expect("is built in");
        let area = Area {
            bytes: 2 << 20,
            line: 64,
        };
        let pages: Vec<_> = (0..512u64)
            .map(|page| (VirtAddr(BASE + page * 4096), PhysAddr(page * 4096)))
            .collect();
        Ground::new(&machine, area, &pages)
    }

    fn places(ground: &Ground, order: Order, banks: (u32, u32), lines: u32) -> Vec<Place> {
        let lines = ground.lines_of(order, banks, 0, lines);
        let place = |line: u32| ground.places.iter().find(|place| place.line == line).copied();
        lines
            .into_iter()
            .map(|line| place(line).expect("a line of it"))
            .collect()
    }

    #[test]
    fn orders_are_what_they_say() {
        let ground = ground();
        let neighbors = |order, banks, is: fn(&Place, &Place) -> bool| {
            let places = places(&ground, order, banks, 32);
            assert_eq!(places.len(), 32, "{order:?}");
            let pairs = places.windows(2).filter(|pair| is(&pair[0], &pair[1])).count();
            assert!(pairs > 25, "{order:?}: {pairs} of 31");
        };
        neighbors(Order::Rows, (0, 0), |a, b| {
            (a.bank, a.row) == (b.bank, b.row) && a.column < b.column
        });
        neighbors(Order::Conflicts, (3, 1), |a, b| a.bank == b.bank && a.row != b.row);
        neighbors(Order::Banks, (0, 0), |a, b| a.bank != b.bank);
        neighbors(Order::Sets, (0, 0), |a, b| a.set == b.set && a.line != b.line);
        for order in Order::ALL {
            let mut all = ground.lines_of(order, (0, 0), 5, u32::MAX);
            all.sort_unstable();
            assert!(all.into_iter().eq(0..ground.lines()), "{order:?}: each line once");
            let of_bank = places(&ground, order, (2, 1), u32::MAX);
            assert!(of_bank.iter().all(|place| place.bank == ground.banks()[2]), "{order:?}");
        }
    }

    #[test]
    fn a_set_has_as_many_lines_as_the_cache_maps_there() {
        // 512 KiB of 16 ways: 512 sets; 2 MiB have 64 lines for each.
        let places = places(&ground(), Order::Sets, (0, 0), 64);
        assert!(places.iter().all(|place| place.set == places[0].set), "{places:?}");
    }

    #[test]
    fn accesses_are_those_of_the_stretches() {
        let stretch = Stretch {
            order: Order::Conflicts,
            banks: 1,
            bank: 1,
            lines: 3,
            first: 0,
            accesses: 10,
            stores: 50,
            chain: true,
            gap: 7,
            burst: 4,
            pause: 1000,
        };
        let mover = Mover {
            task: 0,
            wait: 90,
            release: None,
            stretches: vec![stretch],
        };
        let ground = Arc::new(ground());
        let lines = ground.lines_of(Order::Conflicts, (1, 1), 0, 3);
        let mut batch = Batch::new();
        let mut moves = Moves::new(&mover, &ground);
        assert!(moves.next(&mut batch).expect("it cannot fail"));
        let events = batch.events();
        assert!(matches!(
            events[0],
            Event::Mark {
                marker: Marker::Begin,
                ..
            }
        ));
        assert!(matches!(
            events[11],
            Event::Mark {
                marker: Marker::Pass,
                ..
            }
        ));
        let ops: Vec<Op> = events
            .iter()
            .filter_map(|event| if let Event::Op(op) = event { Some(*op) } else { None })
            .collect();
        for (number, op) in ops.iter().take(10).enumerate() {
            assert_eq!(op.addr, ground.area().address(lines[number % 3]), "{number}");
            assert_eq!(op.write, number % 2 == 1, "{number}");
            // A store needs the load before, a load the one two before.
            assert_eq!(op.dep, [0, 1, 2][number.min(2 - number % 2)], "{number}");
            let gap = [(0, 97), (4, 1007), (8, 1007)]
                .iter()
                .find(|(at, _)| *at == number)
                .map_or(7, |(_, gap)| *gap);
            assert_eq!(op.gap, gap, "{number}");
        }
    }
}
