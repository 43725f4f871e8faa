// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a DRAM stand a schedule? Asked of each rank by itself, of all its refreshes at t(0) < t(1) < ..., period after period; each may
 * be issued up to lateness_ns late, and any other on time.
 *
 *  - None begins before the one before has ended.
 *  - There are as many as the retention time wants, on average.
 *  - From no moment on more than 8 are postponed: t(j) + lateness - t(i) <= (j - i + 8) tREFI for all i < j. With j = i + 1 that is
 *    9 tREFI between two.
 *  - A device counts commands, so a row is refreshed by t(i) and by t(i + refreshes): these are no further apart than the retention
 *    time, lateness included.
 *  - No more than 16 lie within 2 tREFI, if the first is late.
 *
 * Times are compared in parts of a ns, of which tREFI has a whole number: 1 / refreshes. The largest are below 2^51.
 */
#include "schedule.h"

static u32 count_of(const struct rfw_schedule *s, u32 rank)
{
	u64 sum = 0;
	u32 i;

	for (i = s->first[rank]; i < s->first[rank + 1]; i++)
		sum += s->windows[i].count;
	return sum > RFW_MOST_REFRESHES ? RFW_MOST_REFRESHES + 1 : sum;
}

u32 rfw_most(const struct rfw_schedule *s)
{
	u32 most = 0, rank, count;

	for (rank = 0; rank < s->ranks; rank++) {
		count = count_of(s, rank);
		if (count > most)
			most = count;
	}
	return most;
}

#define REFUSE(...) (snprintf(why->text, sizeof(why->text), __VA_ARGS__), -ERANGE)
#define LLU(x) ((unsigned long long)(x))

/* Windows in their order, none begins before the one before it has ended. */
static int apart(const struct rfw_schedule *s, u32 rank, struct rfw_refusal *why)
{
	u32 first = s->first[rank], end = s->first[rank + 1], i;

	for (i = first; i < end; i++) {
		const struct rfw_window *one = &s->windows[i], *next = &s->windows[i + 1 < end ? i + 1 : first];
		u64 until = one->offset_ns + (u64)one->count * s->trfc_ns;
		u64 from = next->offset_ns + (i + 1 < end ? 0 : s->period_ns);

		if (until > from)
			return REFUSE("rank %u: its window at %llu ns is over at %llu ns, the next one begins at %llu ns, allowed: in their order, and not before",
				      rank, LLU(one->offset_ns), LLU(until), LLU(from));
	}
	return 0;
}

/* When the i-th refresh comes, counted from the first period's. */
static u64 at(const struct rfw_schedule *s, const u64 *times, u32 count, u64 i)
{
	u64 turns = div_u64(i, count);

	return times[i - turns * count] + turns * s->period_ns;
}

static int postponed(const struct rfw_schedule *s, u32 rank, const u64 *times, u32 count, struct rfw_refusal *why)
{
	/* What the earliest moment is that a refresh may be compared with: the least of t(i) - i tREFI. */
	s64 least = 0, here, allowed = (s64)(RFW_POSTPONED * s->retention_ns), late = (s64)(s->lateness_ns * s->refreshes);
	u64 i, from = 0;

	/* On average there are enough, so what is not exceeded in two periods is not in any later one. */
	for (i = 0; i < 2ULL * count; i++) {
		here = (s64)(at(s, times, count, i) * s->refreshes) - (s64)(i * s->retention_ns);
		if (i > 0 && here + late - least > allowed) {
			u64 since = at(s, times, count, from), now = at(s, times, count, i);

			if (i == from + 1)
				return REFUSE("rank %u: %llu ns pass from its refresh at %llu ns to the next, and up to %llu ns of lateness, allowed: %llu ns, 9 tREFI",
					      rank, LLU(now - since), LLU(since), LLU(s->lateness_ns), LLU(rfw_longest_gap_ns(s)));
			return REFUSE("rank %u: from %llu ns to %llu ns, and %llu ns of lateness, it has %llu refreshes: more than 8 are postponed, allowed: 8",
				      rank, LLU(since), LLU(now), LLU(s->lateness_ns), LLU(i - from));
		}
		if (i == 0 || here < least) {
			least = here;
			from = i;
		}
	}
	return 0;
}

static int judge_rank(const struct rfw_schedule *s, u32 rank, u64 *times, struct rfw_refusal *why)
{
	u32 count = 0, i, k;
	int error;

	if (s->first[rank] == s->first[rank + 1])
		return REFUSE("rank %u: it has no window, allowed: one or more for each rank", rank);
	if (count_of(s, rank) > RFW_MOST_REFRESHES)
		return REFUSE("rank %u: it has more refreshes in a period than are looked at, allowed: %u", rank, RFW_MOST_REFRESHES);
	error = apart(s, rank, why);
	if (error)
		return error;
	for (i = s->first[rank]; i < s->first[rank + 1]; i++)
		for (k = 0; k < s->windows[i].count; k++)
			times[count++] = s->windows[i].offset_ns + (u64)k * s->trfc_ns;
	if (count * s->retention_ns < s->period_ns * s->refreshes)
		return REFUSE("rank %u: it has %u refreshes in %llu ns, allowed: %llu or more, %u in %llu ns", rank, count, LLU(s->period_ns),
			      LLU(div_u64(s->period_ns * s->refreshes + s->retention_ns - 1, s->retention_ns)),
			      s->refreshes, LLU(s->retention_ns));
	error = postponed(s, rank, times, count, why);
	if (error)
		return error;
	for (i = 0; i < count; i++) {
		u64 now = times[i], again = at(s, times, count, (u64)i + s->refreshes) - now + s->lateness_ns;
		u64 burst = at(s, times, count, (u64)i + RFW_AT_ONCE) - now;

		if (again > s->retention_ns)
			return REFUSE("rank %u: a row that is refreshed at %llu ns waits for %llu ns, lateness included, allowed: %llu ns", rank, LLU(now),
				      LLU(again), LLU(s->retention_ns));
		if (burst * s->refreshes < 2 * s->retention_ns + s->lateness_ns * s->refreshes)
			return REFUSE("rank %u: from %llu ns on 17 refreshes may come within 2 tREFI, %llu ns, if the first is late, allowed: 16", rank,
				      LLU(now), LLU(div_u64(2 * s->retention_ns, s->refreshes)));
	}
	return 0;
}

int rfw_judge(const struct rfw_schedule *s, u64 *times, struct rfw_refusal *why)
{
	u32 rank;
	int error;

	if ((u64)s->trfc_ns * s->refreshes >= s->retention_ns)
		return REFUSE("trfc_ns: %u ns of each tREFI, %llu ns, allowed: less than that", s->trfc_ns, LLU(div_u64(s->retention_ns, s->refreshes)));
	for (rank = 0; rank < s->ranks; rank++) {
		error = judge_rank(s, rank, times, why);
		if (error)
			return error;
	}
	return 0;
}
