// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scan decides: the rules of BPM (`fresco_frames::dynamic`) over control groups, with what a daemon needs besides: a margin below
//! which nothing is done, and a limit of what is moved at a time.

use fresco_frames::ColorSet;
use fresco_frames::dynamic::{Adjustment, Demand, Holding, Mode, adjust_within, divide};
use fresco_frames::shares::run;
use serde::Serialize;

/// A control group as it was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Its name, as `/proc/PID/cgroup` has it.
    pub name: String,
    /// Its colors.
    pub colors: Vec<u32>,
    /// Pages that it needs (RNP).
    pub required_pages: u64,
    /// Pages that it has in memory; `null` where its memory controller is off. What it needs stands in for them.
    pub resident_pages: Option<u64>,
    /// Bytes per second that it moved since the scan before; `null` where channels are not divided, and at the first scan.
    pub bytes_per_s: Option<u64>,
}

/// What holds for all scans.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Pages of one color.
    pub color_pages: u64,
    /// A group borrows once it lacks more than so many hundredths of the pages of its colors.
    pub margin_percent: u64,
    /// Pages that are moved in a scan at most.
    pub limit_pages: Option<u64>,
    /// The colors of each channel; none: channels are left alone.
    pub channels: Vec<Vec<u32>>,
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The colors of each group from now on.
    pub colors: Vec<Vec<u32>>,
    /// Colors that change hands.
    pub lent: u64,
    /// Colors that a second group uses from now on, too.
    pub shared: u64,
    /// Whether groups are given channels of their own, or all channels, anew.
    pub channels_change: bool,
    /// Loans that are left for later scans, since the limit is used up.
    pub put_off: u64,
    /// Places of the groups that need more than can be lent.
    pub short: Vec<usize>,
}

impl Decision {
    /// Returns true if no group's colors change.
    pub fn is_empty(&self, members: &[Member]) -> bool {
        std::iter::zip(&self.colors, members).all(|(after, member)| *after == member.colors)
    }
}

/// Divides colors by what the groups need: channels first, then colors within them (BPM-10).
pub fn decide(members: &[Member], rules: &Rules) -> Decision {
    let mut sets: Vec<ColorSet> = members
        .iter()
        .map(|member| member.colors.iter().copied().collect())
        .collect();
    let mut group = vec![0; members.len()];
    let (mut left, mut channels_change) = (rules.limit_pages, false);
    if let Some((channel, mode)) = channels(members, rules) {
        if let Some(dealt) = dealt(&sets, rules, &channel, mode) {
            let moved = std::iter::zip(members, std::iter::zip(&sets, &dealt));
            let moved: u64 = moved
                .map(|(member, (before, after))| leaving(member, before, after))
                .sum();
            if left.is_none_or(|left| moved <= left) {
                left = left.map(|left| left - moved);
                (sets, channels_change) = (dealt, true);
            }
        }
        // Within channels only where each group is in one.
        group = match in_one_channel(&sets, rules) {
            Some(channel) if mode == Mode::BpmPlus => channel,
            _ => group,
        };
    }
    let holdings: Vec<Holding> = std::iter::zip(members, sets)
        .map(|(member, banks)| holding(member, banks, rules))
        .collect();
    let whole = adjust_within(&holdings, &group, rules.color_pages);
    let now = whole.first(within(members, &holdings, &whole, left));
    let colors = now.apply(&holdings);
    Decision {
        colors: colors.iter().map(|set| set.iter().collect()).collect(),
        lent: now.moved.len() as u64,
        shared: now.shared.len() as u64,
        channels_change,
        put_off: (whole.moved.len() - now.moved.len()) as u64,
        short: whole.short,
    }
}

/// What a group needs, or no more than it has where it lacks but little.
fn holding(member: &Member, banks: ColorSet, rules: &Rules) -> Holding {
    let mut holding = Holding {
        required: member.required_pages,
        banks,
    };
    let available = holding.available(rules.color_pages);
    let margin = u128::from(available) * u128::from(rules.margin_percent) / 100;
    if u128::from(holding.required) <= u128::from(available) + margin {
        holding.required = holding.required.min(available);
    }
    holding
}

/// How many of the loans of whole colors fit into the pages that may be moved yet. The first always does: else it would never be made.
fn within(members: &[Member], holdings: &[Holding], whole: &Adjustment, left: Option<u64>) -> usize {
    let Some(left) = left else {
        return whole.moved.len();
    };
    let mut moved = 0;
    let fits = whole.moved.iter().enumerate().take_while(|(number, loan)| {
        moved += pages(&members[loan.from]) / (holdings[loan.from].banks.len() as u64).max(1);
        *number == 0 || moved <= left
    });
    fits.count()
}

fn pages(member: &Member) -> u64 {
    member.resident_pages.unwrap_or(member.required_pages)
}

/// Pages of a group in colors that it loses.
fn leaving(member: &Member, before: &ColorSet, after: &ColorSet) -> u64 {
    let lost = before.iter().filter(|&color| !after.contains(color)).count() as u64;
    pages(member) * lost / (before.len() as u64).max(1)
}

/// The channel of each group if each has colors of one alone.
fn in_one_channel(sets: &[ColorSet], rules: &Rules) -> Option<Vec<usize>> {
    let of = |set: &ColorSet| {
        let mut channels = rules.channels.iter();
        channels.position(|channel| set.iter().all(|color| channel.contains(&color)))
    };
    sets.iter().map(of).collect()
}

/// The channel that each group is to have, and whether channels are to be divided at all; `None` where nobody asked for it, or it is not
/// known what groups move.
fn channels(members: &[Member], rules: &Rules) -> Option<(Vec<usize>, Mode)> {
    if rules.channels.is_empty() {
        return None;
    }
    let most_of = |member: &Member| {
        let of = |channel: &usize| {
            member
                .colors
                .iter()
                .filter(|color| rules.channels[*channel].contains(color))
                .count()
        };
        (0..rules.channels.len()).max_by_key(|channel| (of(channel), std::cmp::Reverse(*channel)))
    };
    let demand = |member: &Member| {
        Some(Demand {
            channel: most_of(member)?,
            bandwidth: member.bytes_per_s?,
            footprint: pages(member),
        })
    };
    let demands: Option<Vec<Demand>> = members.iter().map(demand).collect();
    Some(divide(&demands?, rules.channels.len()))
}

/// The colors of each group if its channels change: an equal part of its channel's, or of each channel's; `None` if they stay, or a
/// channel has fewer colors than groups.
fn dealt(sets: &[ColorSet], rules: &Rules, channel: &[usize], mode: Mode) -> Option<Vec<ColorSet>> {
    let now = in_one_channel(sets, rules);
    match (mode, &now) {
        (Mode::Bpm, None) => return None,
        (Mode::BpmPlus, Some(now)) if now == channel => return None,
        _ => {}
    }
    let mut after = vec![ColorSet::new(); sets.len()];
    for (number, colors) in rules.channels.iter().enumerate() {
        let here: Vec<usize> = match mode {
            Mode::Bpm => (0..sets.len()).collect(),
            Mode::BpmPlus => (0..sets.len()).filter(|&member| channel[member] == number).collect(),
        };
        if colors.len() < here.len() {
            return None;
        }
        for (part, &member) in here.iter().enumerate() {
            let own = run(colors, part, here.len()).iter();
            own.for_each(|&color| _ = after[member].insert(color));
        }
    }
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, colors: &[u32], required_pages: u64) -> Member {
        Member {
            name: name.to_owned(),
            colors: colors.to_vec(),
            required_pages,
            resident_pages: Some(required_pages),
            bytes_per_s: None,
        }
    }

    fn rules() -> Rules {
        Rules {
            color_pages: 100,
            margin_percent: 5,
            ..Rules::default()
        }
    }

    /// Four colors each; b needs six colors' pages, a one's.
    #[test]
    fn who_needs_more_borrows_from_who_can_spare_most() {
        let members = [member("/a", &[0, 1, 2, 3], 90), member("/b", &[4, 5, 6, 7], 590)];
        let decision = decide(&members, &rules());
        assert_eq!(decision.colors, [vec![0, 1], vec![2, 3, 4, 5, 6, 7]]);
        assert_eq!((decision.lent, decision.put_off, decision.short.len()), (2, 0, 0));
        let after = [member("/a", &[0, 1], 90), member("/b", &[2, 3, 4, 5, 6, 7], 590)];
        assert!(decide(&after, &rules()).is_empty(&after), "and stays so");
    }

    #[test]
    fn a_small_lack_is_left_alone() {
        let lacks = |pages| [member("/a", &[0, 1, 2, 3], 90), member("/b", &[4, 5, 6, 7], pages)];
        assert!(decide(&lacks(420), &rules()).is_empty(&lacks(420)));
        assert!(!decide(&lacks(421), &rules()).is_empty(&lacks(421)));
    }

    /// Each color of a holds 22 pages.
    #[test]
    fn what_is_moved_at_a_time_is_limited_and_the_rest_follows() {
        let mut members = [member("/a", &[0, 1, 2, 3], 90), member("/b", &[4, 5, 6, 7], 690)];
        let limited = |limit| Rules {
            limit_pages: Some(limit),
            ..rules()
        };
        let all = decide(&members, &rules()).colors;
        assert_eq!(all, [vec![0], vec![1, 2, 3, 4, 5, 6, 7]]);
        for (limit, lent) in [(1, 1), (22, 1), (44, 2), (66, 3)] {
            let decision = decide(&members, &limited(limit));
            assert_eq!((decision.lent, decision.put_off), (lent, 3 - lent), "limit {limit}");
        }
        for _ in 0..3 {
            let decision = decide(&members, &limited(1));
            std::iter::zip(&mut members, decision.colors).for_each(|(member, colors)| member.colors = colors);
        }
        assert_eq!(members.map(|member| member.colors).to_vec(), all);
    }

    #[test]
    fn what_cannot_be_lent_is_shared_and_who_stays_short_is_named() {
        let members = [member("/a", &[0], 50), member("/b", &[1], 140)];
        let decision = decide(&members, &rules());
        assert_eq!((decision.colors, decision.shared), (vec![vec![0], vec![0, 1]], 1));
        let members = [member("/a", &[0], 100), member("/b", &[1], 200)];
        assert_eq!(decide(&members, &rules()).short, [1]);
    }

    fn moves(name: &str, colors: &[u32], bytes_per_s: u64) -> Member {
        Member {
            bytes_per_s: Some(bytes_per_s),
            ..member(name, colors, 10)
        }
    }

    /// Two channels of four colors; groups that move much are given channels of their own, others get all channels.
    #[test]
    fn channels_are_divided_where_demand_is_high_and_balanced() {
        let rules = Rules {
            channels: vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]],
            ..rules()
        };
        const GB: u64 = 1_000_000_000;
        // 4 GB/s, all in channel 0: two go to the other one.
        let busy = [
            moves("/a", &[0], GB),
            moves("/b", &[1], GB),
            moves("/c", &[2], GB),
            moves("/d", &[3], GB),
        ];
        let decision = decide(&busy, &rules);
        assert!(decision.channels_change);
        let mut of_first = 0;
        for colors in &decision.colors {
            assert_eq!(colors.len(), 2);
            assert!(
                colors.iter().all(|color| color / 4 == colors[0] / 4),
                "one channel: {colors:?}"
            );
            of_first += u32::from(colors[0] < 4);
        }
        assert_eq!(of_first, 2);
        // A limit below what that moves: later, or never.
        let limited = Rules {
            limit_pages: Some(1),
            ..rules.clone()
        };
        assert!(!decide(&busy, &limited).channels_change);
        // Little is moved: each has colors of both.
        let idle = [moves("/a", &[0, 1, 2, 3], GB / 10), moves("/b", &[4, 5, 6, 7], GB / 10)];
        let decision = decide(&idle, &rules);
        assert_eq!(decision.colors, [vec![0, 1, 4, 5], vec![2, 3, 6, 7]]);
        let after: Vec<Member> = std::iter::zip(idle, decision.colors)
            .map(|(member, colors)| Member { colors, ..member })
            .collect();
        assert!(decide(&after, &rules).is_empty(&after));
        // Before the second scan nothing is known of bandwidths: channels stay.
        let first = busy.map(|member| Member {
            bytes_per_s: None,
            ..member
        });
        assert!(decide(&first, &rules).is_empty(&first));
    }
}
