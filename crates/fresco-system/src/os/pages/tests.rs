// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;

fn area(base: u64, bytes: u64) -> Area {
    Area {
        name: "a".to_owned(),
        base: VirtAddr(base),
        bytes,
    }
}

#[test]
fn pages_fault_once_and_then_translate() {
    let mut table = PageTable::new(&[area(0x10000, 5000), area(0x40000, 4096)], 4096);
    let Translation::Fault(page) = table.translate(VirtAddr(0x11008)) else {
        panic!("nothing is mapped yet")
    };
    table.map(page, FrameNumber(7));
    assert_eq!(
        table.translate(VirtAddr(0x11008)),
        Translation::Mapped(PhysAddr(7 * 4096 + 8))
    );
    assert_eq!(
        table.translate(VirtAddr(0x11fff)),
        Translation::Mapped(PhysAddr(8 * 4096 - 1))
    );
    assert!(matches!(table.translate(VirtAddr(0x10000)), Translation::Fault(_)));
    assert_eq!(table.translate(VirtAddr(0x12000)), Translation::Outside);
    assert_eq!(table.translate(VirtAddr(0xffff)), Translation::Outside);
}

#[test]
fn the_area_of_a_page_is_the_one_that_a_search_one_by_one_finds() {
    let areas: Vec<Area> = (0..50)
        .map(|i| area(i * 0x8000 + (i % 3) * 0x1000, 0x1000 + (i % 6) * 0x1000))
        .collect();
    // Pages of 32 KiB: neighbours share some.
    for page_bytes in [4096u64, 0x8000] {
        let mut table = PageTable::new(&areas, page_bytes);
        for addr in (0..0x1a_0000).step_by(0x1000) {
            let page = addr / page_bytes;
            let holds = |area: &&Area| {
                (area.base.0 / page_bytes..(area.base.0 + area.bytes).div_ceil(page_bytes)).contains(&page)
            };
            let found = areas.iter().position(|area| holds(&area));
            match (table.translate(VirtAddr(addr)), found) {
                (Translation::Fault(page), Some(area)) => assert_eq!(page.area, area, "{addr:#x}"),
                (found, expected) => assert!(found == Translation::Outside && expected.is_none(), "{addr:#x}"),
            }
        }
    }
}

#[test]
fn a_table_that_grows_may_have_each_page_in_its_own_frame() {
    let mut table = PageTable::growing_identical(4096);
    for addr in [0x3ba1_4fd0, 0x1040] {
        assert_eq!(table.translate(VirtAddr(addr)), Translation::Mapped(PhysAddr(addr)));
    }
    let frames: Vec<u64> = table.mapped().map(|(_, frame)| frame.0).collect();
    assert_eq!(frames, [1, 0x3ba14]);
}

#[test]
fn a_table_that_grows_has_a_page_wherever_it_is_touched() {
    for page_bytes in [4096u64, 2 << 20] {
        let mut table = PageTable::growing(page_bytes);
        // From the top downwards: places of areas are not in the order of their addresses.
        let pages = [0xf_ffff, 0x200, 0x1ff, 0, 0x201];
        for (frame, page) in (0u64..).zip(pages) {
            let addr = VirtAddr(page * page_bytes + 5);
            let Translation::Fault(fault) = table.translate(addr) else {
                panic!("nothing is mapped at {page:#x}")
            };
            assert!(!table.is_mapped(fault) && table.next_unmapped().is_none());
            assert_eq!(table.translate(addr), Translation::Fault(fault));
            table.map(fault, FrameNumber(frame));
            assert_eq!(table.count(), frame + 1);
        }
        let frames: Vec<u64> = table.mapped().map(|(_, frame)| frame.0).collect();
        assert_eq!(frames, [3, 2, 1, 4, 0], "by address");
        let (second, _) = table.mapped().nth(1).expect("five are mapped");
        table.remap(second, FrameNumber(77));
        let mut at = |page: u64| table.translate(VirtAddr(page * page_bytes));
        assert_eq!(at(0x1ff), Translation::Mapped(PhysAddr(77 * page_bytes)));
        assert_eq!(at(0xf_ffff), Translation::Mapped(PhysAddr(0)));
    }
}

#[test]
fn unmapped_pages_are_found_in_order_of_addresses() {
    let mut table = PageTable::new(&[area(0x10000, 8192), area(0x40000, 8192)], 4096);
    let Translation::Fault(second) = table.translate(VirtAddr(0x11000)) else {
        panic!("nothing is mapped yet")
    };
    table.map(second, FrameNumber(1));
    let mut visited = Vec::new();
    while let Some(page) = table.next_unmapped() {
        visited.push(page);
        table.map(page, FrameNumber(10 + visited.len() as u64));
    }
    let page = |area, index| Page { area, index };
    assert_eq!(visited, [page(0, 0), page(1, 0), page(1, 1)]);
}
