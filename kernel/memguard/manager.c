// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decisions on budgets, see manager.h. The CPUs of a node begin a period one after the other; the
 * first to do so empties the pool, and each brings what it donates. Who has not begun it yet is
 * in the one before, where it has what it had.
 */
#include "manager.h"

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

static bool takes_part(const struct mg_budget *budget)
{
	return budget->present && budget->reservation.limited;
}

static bool is_spent(const struct mg_budget *budget)
{
	return budget->used >= budget->given;
}

static u64 missing(const struct mg_budget *budget)
{
	u64 lines = budget->reservation.lines;

	return lines > budget->given ? lines - budget->given : 0;
}

u64 mg_reserved(const struct mg_manager *manager)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < manager->count; i++)
		if (manager->budgets[i].next.limited)
			sum += manager->budgets[i].next.lines;
	return sum;
}

bool mg_is_open(const struct mg_manager *manager, unsigned int member)
{
	return manager->open && manager->budgets[member].period == manager->period;
}

void mg_restart(struct mg_manager *manager)
{
	unsigned int i;

	manager->period = 0;
	manager->open = manager->was_open = false;
	manager->pool = manager->beyond = 0;
	for (i = 0; i < manager->count; i++)
		mg_leave(manager, i);
}

void mg_join(struct mg_manager *manager, unsigned int member)
{
	struct mg_budget *budget = &manager->budgets[member];

	budget->reservation = budget->next;
	budget->expected = budget->reservation.lines;
	budget->given = budget->reservation.lines;
	budget->used = 0;
	budget->period = 0;
	budget->denied = budget->stalled = false;
	budget->present = true;
}

void mg_leave(struct mg_manager *manager, unsigned int member)
{
	manager->budgets[member].present = false;
	manager->budgets[member].stalled = false;
}

/* What the predictor expects after a period in which so many lines were used. */
static u64 expect(struct mg_budget *budget, enum mg_prediction prediction, u64 used)
{
	u64 before = budget->expected;

	/* The sum of both may be too large for a u64. */
	budget->expected = prediction == MG_LAST ? used : (before & used) + ((before ^ used) >> 1) + ((before ^ used) & 1);
	return budget->expected;
}

/* Ends the last period of a CPU. */
static void count(struct mg_budget *budget, bool open)
{
	struct mg_counts *counts = &budget->counts;
	u64 beyond = budget->used > budget->given ? budget->used - budget->given : 0;

	counts->periods++;
	counts->used += budget->used;
	counts->exhausted += budget->denied;
	if (budget->denied && !open && missing(budget) && budget->used < budget->reservation.lines)
		counts->errors++;
	if (!open && budget->reservation.limited) {
		counts->over += beyond > 0;
		if (beyond > counts->overshoot)
			counts->overshoot = beyond;
	}
}

/* The first CPU of a period: what nobody has reserved is in the pool, and what absent CPUs have. */
static void renew(struct mg_manager *manager, u64 period)
{
	u64 reserved = 0;
	unsigned int i;

	manager->settings = manager->next;
	manager->period = period;
	manager->was_open = manager->open;
	manager->open = false;
	manager->beyond = 0;
	for (i = 0; i < manager->count; i++)
		if (manager->budgets[i].present && manager->budgets[i].next.limited)
			reserved += manager->budgets[i].next.lines;
	manager->pool = 0;
	if (manager->settings.reclaim && manager->settings.guaranteed > reserved)
		manager->pool = manager->settings.guaranteed - reserved;
}

void mg_begin(struct mg_manager *manager, unsigned int member, u64 period, u64 used)
{
	struct mg_budget *budget = &manager->budgets[member];
	/* The next period may have begun elsewhere. */
	bool open = budget->period == manager->period ? manager->open : manager->was_open;
	u64 expected;

	/* Its first period has none before it. */
	if (budget->period) {
		budget->used = used;
		count(budget, open);
		expected = expect(budget, manager->settings.prediction, used);
	} else {
		expected = budget->expected;
	}
	if (period > manager->period)
		renew(manager, period);
	budget->reservation = budget->next;
	budget->given = budget->reservation.lines;
	if (manager->settings.reclaim && budget->reservation.soft) {
		budget->given = least(budget->reservation.lines, expected);
		budget->counts.donated += budget->reservation.lines - budget->given;
		manager->pool += budget->reservation.lines - budget->given;
	}
	budget->period = manager->period;
	budget->used = 0;
	budget->denied = budget->stalled = false;
}

/* How often so many lines are given until a CPU has a budget again; it may have used far more than it had. */
static u64 times(const struct mg_budget *budget, u64 lines)
{
	return is_spent(budget) ? div64_u64(budget->used - budget->given, lines) + 1 : 0;
}

/* Takes from the pool what a CPU lacks of its reservation, then chunks beyond it. */
static bool reclaim(struct mg_manager *manager, struct mg_budget *budget)
{
	u64 got;

	if (!budget->reservation.soft)
		return !is_spent(budget);
	if (is_spent(budget)) {
		got = least(missing(budget), manager->pool);
		budget->counts.reclaimed += got;
		budget->given += got;
		manager->pool -= got;
	}
	got = least(times(budget, manager->settings.chunk) * manager->settings.chunk, manager->pool);
	budget->counts.extra += got;
	budget->given += got;
	manager->pool -= got;
	return !is_spent(budget);
}

/* Gives all that used any a chunk times their weight, as often as it takes to give each a budget. */
static void share_by_weight(struct mg_manager *manager)
{
	u64 rounds = 0;
	unsigned int i;

	for (i = 0; i < manager->count; i++) {
		const struct mg_budget *budget = &manager->budgets[i];
		u64 needed = times(budget, manager->settings.chunk * budget->reservation.weight);

		if (takes_part(budget) && budget->used && needed > rounds)
			rounds = needed;
	}
	for (i = 0; i < manager->count; i++) {
		struct mg_budget *budget = &manager->budgets[i];
		u64 lines = rounds * manager->settings.chunk * budget->reservation.weight;

		if (!takes_part(budget) || !budget->used)
			continue;
		budget->given += lines;
		budget->counts.shared += lines;
		manager->beyond += lines;
	}
}

enum mg_decision mg_exhausted(struct mg_manager *manager, unsigned int member, u64 used)
{
	struct mg_budget *budget = &manager->budgets[member];
	bool kept = false;
	unsigned int i;

	budget->used = used;
	if (mg_is_open(manager, member) || !used || !is_spent(budget))
		return MG_GO_ON;
	/* What is in the pool is of a later period than its own, if that has begun elsewhere. */
	if (budget->period == manager->period && reclaim(manager, budget))
		return MG_GO_ON;
	budget->denied = budget->stalled = true;
	for (i = 0; i < manager->count; i++) {
		const struct mg_budget *other = &manager->budgets[i];

		if (!takes_part(other))
			continue;
		if (!is_spent(other) || other->period != manager->period)
			return MG_STALL;
		kept = kept || other->reservation.soft;
	}
	/* What soft CPUs have donated and not used is theirs to the end of the period. */
	if (manager->settings.share == MG_SHARE_NONE || (kept && manager->pool))
		return MG_STALL;
	if (manager->settings.share == MG_SHARE_BEST_EFFORT)
		manager->open = true;
	else
		share_by_weight(manager);
	for (i = 0; i < manager->count; i++)
		manager->budgets[i].stalled = false;
	return MG_ALL_GO_ON;
}
