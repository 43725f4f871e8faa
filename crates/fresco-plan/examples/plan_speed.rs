// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long each method takes for task sets: `cargo run --release -p fresco-plan --example plan_speed -- METHODS SECONDS FILE…`, where
//! METHODS is a list as in `crs,aligned`, or `all`, and SECONDS what each may take. `--sensitivity` among the files: of those after it, how long
//! it takes to push them to their limits. Beside a plan stands the checksum of its JSON, which tells whether two builds find the same. Times are
//! those that the processor worked, where Linux tells them: other programs do not count.

use fresco_plan::{Method, TaskSet, Watch, plan_watched, sensitivity};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let mut words = std::env::args().skip(1);
    let methods = words.next().expect("a list of methods");
    let seconds = words.next().and_then(|word| word.parse().ok()).expect("seconds");
    let mut pushes = false;
    for file in words {
        if file == "--sensitivity" {
            pushes = true;
            continue;
        }
        let mut set = TaskSet::load(Path::new(&file), &[]).unwrap_or_else(|error| panic!("{error}"));
        let wanted = |method: &Method| methods == "all" || methods.split(',').any(|name| name == method.name());
        for method in Method::of_refresh().filter(wanted) {
            set.options.method = Some(method);
            let begun = Clock::read();
            let watch = Watch::default().within(Some(Duration::from_secs(seconds)));
            let words = if pushes {
                let found = sensitivity(&set, method, &[1, 2, 4, 8, 16, 32, 64], watch, |_| {});
                checksum(&found.map_err(|refusal| refusal.reason))
            } else {
                match plan_watched(&set, watch) {
                    Ok(plan) => format!("plan {}", checksum(&plan)),
                    Err(refusal) => refusal.reason,
                }
            };
            let took = begun.elapsed();
            println!("{:10} {:16} {took:9.3} s  {words:.90}", set.name, method.name());
        }
    }
}

/// An instant, and the time that this thread has had a processor.
struct Clock(Instant, Option<Duration>);

impl Clock {
    fn read() -> Self {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let worked = told.and_then(|told| told.split(' ').next()?.parse().ok());
        Clock(Instant::now(), worked.map(Duration::from_nanos))
    }

    /// Seconds since then.
    fn elapsed(&self) -> f64 {
        let now = Self::read();
        let worked = now.1.zip(self.1).map(|(now, then)| now - then);
        worked.unwrap_or(now.0 - self.0).as_secs_f64()
    }
}

fn checksum(found: &impl serde::Serialize) -> String {
    let mut hasher = DefaultHasher::new();
    let json = serde_json::to_string(found).expect("plain data");
    json.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
