// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets for all methods, as files that the planner reads.

use super::conduct::mixed;

/// Random numbers of a seed.
pub struct Draw(u64);

impl Draw {
    pub fn of(seed: u64) -> Self {
        Self(mixed(seed))
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = mixed(self.0);
        self.0 % limit.max(1)
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        self.below(1 << 53) as f64 / (1u64 << 53) as f64
    }
}

/// Machines with two ranks or more, with most cores to use, and a lock that is long enough on each.
const MACHINES: [(&str, u64); 6] = [
    ("ss-rtmc", 1),
    ("gem5-2core", 2),
    ("i7-860-channels", 4),
    ("xeon-w3530", 4),
    ("i7-8700", 4),
    ("raspberry-pi-5", 4),
];

/// Methods, and the policies that suit each.
pub const METHODS: [&str; 7] = [
    "auto-refresh",
    "burst",
    "flat",
    "aligned",
    "crs",
    "colored-refresh",
    "auto",
];

/// The file of a set, and its method.
pub fn text(seed: u64) -> (String, &'static str) {
    let mut draw = Draw::of(seed);
    let (machine, most) = draw.one(&MACHINES);
    let method = draw.one(&METHODS);
    let cores = 1 + draw.below(most);
    let density = draw.one(&[2, 4, 8, 16, 32, 64]);
    let policy = match method {
        "crs" => draw.one(&["edf", "rm", "dm", "executive"]),
        _ => draw.one(&["edf", "rm", "dm"]),
    };
    let mut text = format!(
        "machine = \"{machine}\"\nmemory.density = {density}\nmemory.density_scales_refresh_only = true\n\
         plan.policy = \"{policy}\"\nplan.cores = {cores}\nplan.attempts = 12\n"
    );
    if method != "auto" {
        text.push_str(&format!("plan.method = \"{method}\"\n"));
    }
    match draw.below(3) {
        0 => text.push_str("plan.refresh_jitter = \"0 ns\"\n"),
        1 => text.push_str(&format!("plan.refresh_jitter = \"{} ns\"\n", 1 + draw.below(100_000))),
        _ => {}
    }
    let lock = 30 + draw.below(70);
    text.push_str(&format!(
        "plan.lock = \"{lock} us\"\nplan.unlock = \"{} us\"\n",
        1 + draw.below(20)
    ));
    // What looks at every job of a long hyperperiod takes seconds for a plan: such periods are for methods that do not, without copies.
    let harmonic = matches!(method, "auto" | "colored-refresh") || policy == "executive" || draw.below(2) == 0;
    if draw.below(4) == 0 || !harmonic {
        text.push_str("plan.instances = 1\n");
    }
    if draw.below(6) == 0 {
        text.push_str("plan.whole_frames = true\n");
    }
    if draw.below(10) == 0 {
        text.push_str("memory.controller.page = \"closed\"\n");
    }
    let switches = draw.below(3) == 0;
    if switches {
        text.push_str(&format!("plan.context_switch = \"{} us\"\n", 1 + draw.below(20)));
    }
    // Proofs of known instants refuse jitter.
    let jitter = draw.below(3) == 0 && policy != "executive" && !matches!(method, "flat" | "colored-refresh");
    tasks(&mut draw, &mut text, (method, harmonic), cores, (switches, jitter));
    (text, method)
}

/// Tasks with up to 0.98 of each core: utilisations by UUniFast (Bini and Buttazzo, 2005).
fn tasks(
    draw: &mut Draw,
    text: &mut String,
    (method, harmonic): (&str, bool),
    cores: u64,
    (switches, jitter): (bool, bool),
) {
    let count = cores + draw.below(4 * cores + 2);
    // Loads that some plan may bear are drawn more often.
    let load = 0.98 * draw.unit().powf(0.7);
    let kind = draw.below(2) + if harmonic { 0 } else { 2 };
    let constrained = draw.below(2) == 1;
    let phases = draw.below(2) == 1;
    let bound = draw.below(3) == 0 && method != "colored-refresh";
    let mut left = load * cores as f64;
    for number in 0..count {
        let rest = (count - number - 1) as f64;
        let next = if rest > 0.0 {
            left * draw.unit().powf(1.0 / rest)
        } else {
            0.0
        };
        let share = (left - next).min(0.95);
        left = next;
        // Microseconds.
        let period = match kind {
            0 => 1000 * draw.one(&[4u64, 8, 16, 32, 64, 128]),
            1 => 1000 * draw.one(&[8u64, 10, 16, 20, 32, 40, 64, 80]),
            2 => 100 * (10.0 * 2.0 * 50f64.powf(draw.unit())) as u64,
            _ => (2000.0 * 50f64.powf(draw.unit())) as u64,
        };
        let wcet = ((period as f64 * share) as u64).max(10);
        let deadline = match constrained {
            true => wcet.max((period as f64 * (0.4 + 0.6 * draw.unit())) as u64),
            false => period,
        };
        text.push_str(&format!(
            "[[task]]\nname = \"t{number}\"\nperiod = \"{period} us\"\nwcet = \"{wcet} us\"\ndeadline = \"{deadline} us\"\n\
             memory = \"{} KiB\"\n",
            4 << draw.below(9)
        ));
        if phases {
            text.push_str(&format!("phase = \"{} us\"\n", draw.below(period)));
        }
        if draw.below(3) == 0 {
            text.push_str("global = \"4 KiB\"\n");
        }
        if switches && draw.below(2) == 0 {
            text.push_str(&format!("cache_reload = \"{} us\"\n", 1 + draw.below(40)));
        }
        let left = deadline - wcet;
        if jitter && draw.below(2) == 0 && left > 0 {
            text.push_str(&format!("jitter = \"{} us\"\n", draw.below(left) / 2));
        }
        if jitter && draw.below(3) == 0 {
            let (late, apart) = (1 + draw.below(2 * period), 1 + draw.below(period));
            text.push_str(&format!(
                "arrival_jitter = \"{late} us\"\nmin_distance = \"{apart} us\"\n"
            ));
        }
        if bound {
            text.push_str(&format!("core = {}\n", number % cores));
        }
    }
    if !bound && method != "colored-refresh" && draw.below(8) == 0 {
        text.push_str("[[task]]\nname = \"behind\"\n");
    }
}
