// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::passes::Passes;
use crate::testing::{addresses, run};

fn small(stores: u32, run: u64, parallel: u32) -> Characteristics {
    Characteristics {
        name: "small".into(),
        footprint: 6400,
        misses: 30_000,
        stores,
        run,
        parallel,
        stalls: 0,
    }
}

#[test]
fn names_are_those_of_the_file() {
    let models = characteristics().expect("the file is sound");
    assert!(models.iter().map(|model| &model.name[..]).eq(NAMES.iter().copied()));
}

#[test]
fn misses_come_as_often_as_published() {
    // 30,000 in a million: every 33 or 34 instructions, 33 1/3 on average.
    let run = run(Looped::new(Model::new(small(0, 4, 2), 3000, 1), Passes::new(0, 1)));
    assert_eq!((run.ops().len(), run.instructions()), (3000, 100_000));
    assert!(run.ops().iter().all(|op| (32..=33).contains(&op.gap)));
}

#[test]
fn loads_overlap_as_many_as_may() {
    let of = |parallel| {
        run(Looped::new(
            Model::new(small(0, 1, parallel), 1000, 1),
            Passes::new(0, 1),
        ))
    };
    for parallel in [1, 3] {
        let deps: Vec<u32> = of(parallel).ops().iter().map(|op| op.dep).collect();
        assert!(deps[..parallel as usize].iter().all(|&dep| dep == 0));
        assert!(deps[parallel as usize..].iter().all(|&dep| dep == parallel));
    }
}

#[test]
fn stores_are_a_share_and_lines_come_once_in_a_sweep() {
    let run = run(Looped::new(Model::new(small(30, 8, 4), 10_000, 1), Passes::new(0, 1)));
    let stores = run.ops().iter().filter(|op| op.write).count();
    // Six standard deviations of 3000 in 10,000.
    assert!(stores.abs_diff(3000) < 275, "{stores}");
    for sweep in addresses(&run).chunks(100) {
        let mut lines = sweep.to_vec();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 100);
    }
}

#[test]
fn a_line_that_comes_twice_and_too_many_stores_are_found() {
    let mut model = Model::new(small(30, 8, 4), 10_000, 1);
    model.note(5);
    model.note(5);
    assert!(model.verify().unwrap_err().starts_with("line 5 came twice"));
    let mut model = Model::new(small(0, 8, 4), 10_000, 1);
    (model.accesses, model.stores) = (10, 1);
    assert!(model.verify().unwrap_err().starts_with("1 of 10 accesses are stores"));
}

#[test]
fn programs_that_miss_alike_stall_alike_where_nothing_is_published() {
    let all = characteristics().expect("the file is sound");
    let class = |model: &Characteristics| match model.misses {
        10_001.. => 'H',
        1000.. => 'M',
        _ => 'L',
    };
    // The first fifteen are those of table IV, of which the rate is fitted.
    let (fitted, others) = all.split_at(15);
    let median = |wanted: char| {
        let mut stalls: Vec<u32> = fitted
            .iter()
            .filter(|model| class(model) == wanted)
            .map(|model| model.stalls)
            .collect();
        stalls.sort_unstable();
        let count = stalls.len();
        (stalls[(count - 1) / 2] + stalls[count / 2]).div_ceil(2)
    };
    for model in others.iter().filter(|model| model.name != "stream") {
        assert_eq!(model.stalls, median(class(model)), "{}", model.name);
    }
}
