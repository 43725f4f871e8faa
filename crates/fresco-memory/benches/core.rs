// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time of the memory core alone on the comparison's machine: random and sequential reads by the million, and a read
//! every 500 cycles. For counts without noise see `scripts/bench-instructions`.
#![allow(missing_docs)] // made by the macros

mod bench_traces;

use bench_traces::{Trace, machine, run};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

fn core(criterion: &mut Criterion) {
    let machine = machine();
    let mut group = criterion.benchmark_group("core");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for (name, trace, reads) in [
        ("random", Trace::Random, 1_000_000),
        ("stream", Trace::Stream, 1_000_000),
        ("sparse", Trace::Sparse, 200_000),
    ] {
        group.throughput(Throughput::Elements(reads));
        group.bench_function(name, |bencher| bencher.iter(|| run(&machine, trace, reads).cycles));
    }
    group.finish();
}

criterion_group!(benches, core);
criterion_main!(benches);
