// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel module memguard decided on Linux, period by period, is what the model's [`Manager`] decides.
//!
//! A history is what the module told of two CPUs (`kernel/test/memguard`): settings, then lines `ask CPU PERIOD USED GIVEN DECISION`, a budget
//! that was used up and what the CPU has after it, and `end CPU PERIOD USED GIVEN`, a period that ended, in the order in which the module's
//! manager was asked. CPUs begin a period one after the other, the model's cores all at once: a period in which a CPU asked before all
//! had begun it, or after one had ended it, is left out.

use fresco_system::bandwidth::{Decision, Kind, Manager, Prediction, Reservation, Settings, Share};

/// A line of a history.
#[derive(Clone, Copy, Debug)]
struct Event {
    cpu: usize,
    period: u64,
    used: u64,
    /// `u64::MAX`: without limit.
    given: u64,
    /// Of a budget that was used up.
    decision: Option<Decision>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Compared {
    periods: usize,
    asks: usize,
    left_out: usize,
    /// Of the asks, those after which a CPU had a budget again, waited, and all went on.
    decisions: [usize; 3],
}

fn settings(words: &str) -> Settings {
    let pairs: Vec<(&str, &str)> = words.split(' ').filter_map(|word| word.split_once('=')).collect();
    let text = |name: &str| {
        pairs
            .iter()
            .find(|pair| pair.0 == name)
            .unwrap_or_else(|| panic!("no {name}: {words}"))
            .1
    };
    let number = |name: &str| text(name).parse::<u64>().expect("a number");
    let reservations: Vec<Reservation> = pairs
        .iter()
        .filter(|pair| pair.0 == "cpu")
        .map(|(_, value)| {
            let parts: Vec<&str> = value.split(':').collect();
            Reservation {
                lines: parts[0].parse().expect("lines"),
                kind: if parts[1] == "soft" { Kind::Soft } else { Kind::Hard },
                weight: parts[2].parse().expect("a weight"),
            }
        })
        .collect();
    Settings {
        total: number("guaranteed").max(reservations.iter().map(|one| one.lines).sum()),
        reservations,
        reclaim: text("reclaim") == "1",
        prediction: if text("prediction") == "average" {
            Prediction::Average
        } else {
            Prediction::Last
        },
        share: match text("share") {
            "none" => Share::None,
            "best-effort" => Share::BestEffort,
            _ => Share::Weights,
        },
        chunk: number("chunk"),
    }
}

fn event(line: &str) -> Event {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |place: usize| {
        words[place]
            .parse::<u64>()
            .unwrap_or_else(|error| panic!("{line}: {error}"))
    };
    Event {
        cpu: usize::try_from(number(1)).expect("few CPUs"),
        period: number(2),
        used: number(3),
        given: number(4),
        decision: (words[0] == "ask").then(|| match words[5] {
            "go-on" => Decision::GoOn,
            "stall" => Decision::Stall,
            _ => Decision::AllGoOn,
        }),
    }
}

/// What a core may use now; `u64::MAX` without limit.
fn given(manager: &Manager, core: usize) -> u64 {
    manager.beyond().map_or(u64::MAX, |_| manager.given()[core])
}

/// The same questions to the model.
fn replay(settings: &Settings, events: &[Event]) -> Result<Compared, String> {
    let cores = settings.reservations.len();
    let mut manager = Manager::new(settings.clone());
    let mut compared = Compared::default();
    let end = |cpu: usize, period: u64| {
        let is_it = |event: &Event| event.decision.is_none() && event.cpu == cpu && event.period == period;
        events.iter().position(is_it)
    };
    // The first period began before its timer: it is a part of one.
    let first = events
        .iter()
        .map(|event| event.period)
        .min()
        .ok_or("nothing happened")?;
    for period in first + 1.. {
        let begins: Option<Vec<usize>> = (0..cores).map(|cpu| end(cpu, period - 1)).collect();
        let ends: Option<Vec<usize>> = (0..cores).map(|cpu| end(cpu, period)).collect();
        let begins = begins.ok_or(format!("period {}: a CPU passed over it", period - 1))?;
        let Some(ends) = ends else { break };
        let whole = begins.iter().max().expect("a CPU")..ends.iter().min().expect("a CPU");
        let asks: Vec<usize> = (0..events.len())
            .filter(|&at| events[at].decision.is_some() && events[at].period == period)
            .collect();
        let mut told = vec![0; cores];
        if asks.iter().all(|at| whole.contains(&at)) {
            for &at in &asks {
                let ask = events[at];
                // It may ask before it knows of what was shared with it, and goes on then.
                manager.used(ask.cpu, ask.used - told[ask.cpu]);
                told[ask.cpu] = ask.used;
                let decided = manager.exhausted(ask.cpu);
                let now = given(&manager, ask.cpu);
                if Some(decided) != ask.decision || now != ask.given {
                    return Err(format!("{ask:?}: the model says {decided:?} with {now}"));
                }
                compared.decisions[decided as usize] += 1;
            }
            for (cpu, &at) in ends.iter().enumerate() {
                if given(&manager, cpu) != events[at].given {
                    return Err(format!("{:?}: the model has {}", events[at], given(&manager, cpu)));
                }
            }
            compared.asks += asks.len();
            compared.periods += 1;
        } else {
            compared.left_out += 1;
        }
        for (cpu, &at) in ends.iter().enumerate() {
            manager.used(cpu, events[at].used - told[cpu]);
        }
        manager.begin_period();
    }
    Ok(compared)
}

/// Settings, and what happened with them.
fn histories() -> Vec<(Settings, Vec<Event>)> {
    let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/memguard-linux.txt");
    let file = std::env::var("FRESCO_HISTORIES").unwrap_or_else(|_| stored.to_owned());
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut all: Vec<(Settings, Vec<Event>)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("settings ") {
            Some(words) => all.push((settings(words), Vec::new())),
            None => all.last_mut().expect("settings come first").1.push(event(line)),
        }
    }
    all
}

/// FRESCO_HISTORIES is a file of others than those stored, as `scripts/kernel-test memguard` makes them.
#[test]
fn linux_regulates_as_the_model() {
    let mut sum = Compared::default();
    for (settings, events) in histories() {
        let compared = replay(&settings, &events).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
        sum.periods += compared.periods;
        sum.asks += compared.asks;
        sum.left_out += compared.left_out;
        for (all, of_this) in sum.decisions.iter_mut().zip(compared.decisions) {
            *all += of_this;
        }
    }
    println!("{sum:?}");
    assert!(sum.left_out * 20 <= sum.periods, "{sum:?}");
    // Else nothing was asked.
    assert!(sum.decisions.iter().all(|&count| count > 20), "{sum:?}");
}

/// Each number and decision counts.
#[test]
fn a_history_that_is_changed_is_found_out() {
    let (settings, events) = histories().into_iter().nth(1).expect("several");
    replay(&settings, &events).expect("as it was");
    let asks: Vec<usize> = (0..events.len()).filter(|&at| events[at].decision.is_some()).collect();
    let mut found = 0;
    for &at in &asks {
        let spoilt = |change: &dyn Fn(&mut Event)| {
            let mut events = events.clone();
            change(&mut events[at]);
            replay(&settings, &events).is_err()
        };
        let other = |event: &mut Event| {
            event.decision = Some(if event.decision == Some(Decision::Stall) {
                Decision::GoOn
            } else {
                Decision::Stall
            });
        };
        found += usize::from(spoilt(&|event| event.given += 1)) + usize::from(spoilt(&other));
    }
    // Those of periods that are left out are not.
    assert!(found > asks.len() * 19 / 10, "{found} of {}", 2 * asks.len());
}
