/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of the tasks that share slots goes first. Nothing here is the kernel's: tests/order.c tries it on the machine that compiles it.
 */
#ifndef FRESCO_ORDER_H
#define FRESCO_ORDER_H

/* Keys leave room for so many ranks. */
#define RANKS 1024
/* Of tasks that share slots: locks of two colors are the most that a plan has. */
#define COLORS 2

/* How the tasks that share slots take turns. */
enum order {
	AS_READY,	/* in the order in which they become ready */
	BY_RANK,
	BY_DEADLINE,
};

/* A task with slots. Of those that have slots for themselves all but the owner is 0. Times are in ns. */
struct member {
	u32 owner;	/* whose slots they are: those of one name */
	u32 order;
	u32 rank;	/* below RANKS, 0 first; decides between equal deadlines */
	u32 color;	/* below COLORS: does not run in slots that are shut for it */
	u64 period;	/* its jobs arrive at multiples of it after the phase */
	u64 phase;
	u64 deadline;	/* from there, no more than the period */
};

/* The number of the job that a time belongs to: the one that arrived last. */
static __always_inline u64 job_at(const struct member *m, u64 now)
{
	return m->period && now > m->phase ? (now - m->phase) / m->period : 0;
}

static __always_inline u64 arrival_of(const struct member *m, u64 number)
{
	return m->phase + number * m->period;
}

/*
 * The place of a job in its queue at a time, the least first. It wraps around after 208 days, which does no harm where the difference of two
 * deadlines is looked at.
 *
 * A job that has missed its deadline gives way: it is taken for the one that arrived last, or goes behind all that have not missed theirs. Else
 * one that never ends would keep others waiting until the kernel ends the scheduler, and with it the slots of everybody.
 */
static __always_inline u64 key_of(const struct member *m, u64 number, u64 now)
{
	bool is_overdue = arrival_of(m, number) + m->deadline < now;

	if (m->order != BY_DEADLINE)
		return is_overdue ? RANKS : m->rank;
	if (is_overdue)
		number = job_at(m, now);
	return (arrival_of(m, number) + m->deadline) * RANKS + m->rank;
}

static __always_inline bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* A slot may be shut for tasks of a color, as while that is refreshed. */
#define SHUT(color) (0x100U << (color))

static __always_inline bool is_open(u32 flags, u32 color)
{
	return !(flags & SHUT(color & (COLORS - 1)));
}

/* The first of two queues' heads; -1 if there is none. */
static __always_inline s32 first_of(bool has_a, u64 a, bool has_b, u64 b)
{
	if (has_a && has_b)
		return before(b, a);
	return has_a ? 0 : has_b ? 1 : -1;
}

#endif
