/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budgets of the CPUs of a node, and the pool of what they donate.
 *
 * A CPU begins a period, or has used its budget up; a decision comes out. Nothing here
 * knows of time, counters or locks: callers hold the node's. It compiles outside of the
 * kernel as well, where it is compared with fresco_system::bandwidth::Manager.
 */
#ifndef MEMGUARD_MANAGER_H
#define MEMGUARD_MANAGER_H

#ifdef __KERNEL__
#include <linux/math64.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
typedef uint64_t u64;

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}
#endif

/* What all do when no budget is left. */
enum mg_share {
	MG_SHARE_NONE,		/* wait for the next period */
	MG_SHARE_BEST_EFFORT,	/* go on without limit */
	MG_SHARE_WEIGHTS,	/* go on by chunks in proportion to weights */
};

enum mg_prediction {
	MG_LAST,		/* as much as in the last period */
	MG_AVERAGE,		/* half of that and half of what was expected before, rounded up */
};

/* Of a node. Numbers of lines are per period. */
struct mg_settings {
	u64 guaranteed;		/* what the controller serves at worst (r_min); 0: not known */
	u64 chunk;		/* taken at once beyond a reservation, not 0 */
	enum mg_share share;
	enum mg_prediction prediction;
	bool reclaim;		/* soft CPUs donate and take back */
};

/* Of a CPU. */
struct mg_reservation {
	u64 lines;
	unsigned int weight;	/* not 0 */
	bool soft;
	bool limited;		/* false: it has no budget and takes no part */
};

/* What became of a CPU's budgets, in periods that are over. */
struct mg_counts {
	u64 periods;
	u64 used;
	u64 exhausted;		/* periods in which it was stalled, or would have been */
	u64 donated;
	u64 reclaimed;		/* taken back of its reservation */
	u64 extra;		/* got beyond its reservation */
	u64 shared;		/* got by weight when all budgets were used up */
	u64 errors;		/* periods in which it donated, wanted that back and did not get all */
	u64 over;		/* periods in which it used more than its budget */
	u64 overshoot;		/* the most that it did so, in a period */
};

struct mg_budget {
	struct mg_reservation reservation, next;
	u64 expected;		/* by the predictor */
	u64 given, used;
	u64 period;		/* the number of the period that these are of */
	bool present;		/* its CPU is online and takes part */
	bool denied, stalled;
	struct mg_counts counts;
};

struct mg_manager {
	struct mg_settings settings, next;
	u64 period;		/* the last that has begun on any CPU */
	u64 pool;		/* lines of it that nobody has */
	u64 beyond;		/* given beyond all, by weights */
	bool open;		/* all go on without limit */
	bool was_open;		/* so it was in the period before */
	unsigned int count;
	struct mg_budget *budgets;
};

enum mg_decision {
	MG_GO_ON,		/* there is a budget again */
	MG_STALL,		/* to the end of the period */
	MG_ALL_GO_ON,		/* with all that wait */
};

/* Sum of what is reserved; what is set counts, also if it is of the next period only. */
u64 mg_reserved(const struct mg_manager *manager);
/* As at the beginning: periods are numbered anew, and nobody takes part. What was set and counted stays. */
void mg_restart(struct mg_manager *manager);
void mg_join(struct mg_manager *manager, unsigned int member);
void mg_leave(struct mg_manager *manager, unsigned int member);
/* A period begins on a CPU that used so many lines in the last one. */
void mg_begin(struct mg_manager *manager, unsigned int member, u64 period, u64 used);
/* A CPU has used its budget up, and so many lines in this period. */
enum mg_decision mg_exhausted(struct mg_manager *manager, unsigned int member, u64 used);
/* All may go on without limit, to the end of the period of this CPU. */
bool mg_is_open(const struct mg_manager *manager, unsigned int member);

#endif
