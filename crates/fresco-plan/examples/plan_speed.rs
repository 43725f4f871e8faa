// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long each method takes for task sets: `cargo run --release -p fresco-plan --example plan_speed -- METHODS SECONDS FILE…`, where
//! METHODS is a list as in `crs,aligned`, or `all`, and SECONDS what each may take.

use fresco_plan::{Method, TaskSet, Watch, plan_watched};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let mut words = std::env::args().skip(1);
    let methods = words.next().expect("a list of methods");
    let seconds = words.next().and_then(|word| word.parse().ok()).expect("seconds");
    for file in words {
        let mut set = TaskSet::load(Path::new(&file), &[]).unwrap_or_else(|error| panic!("{error}"));
        let wanted = |method: &Method| methods == "all" || methods.split(',').any(|name| name == method.name());
        for method in Method::of_refresh().filter(wanted) {
            set.options.method = Some(method);
            let begun = Instant::now();
            let watch = Watch::default().within(Some(Duration::from_secs(seconds)));
            let found = plan_watched(&set, watch);
            let took = begun.elapsed().as_secs_f64();
            let words = match &found {
                Ok(_) => "plan",
                Err(refusal) => refusal.reason.as_str(),
            };
            println!("{:10} {:16} {took:9.3} s  {words:.90}", set.name, method.name());
        }
    }
}
