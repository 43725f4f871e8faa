/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A schedule of refresh windows as text, and whether a DRAM stands it.
 *
 * Nothing here knows of time, registers or locks, and it compiles outside of the kernel as well, where
 * tests read what fresco export --to refresh-windows writes, and compare judge.c with a judge of their own
 * (crates/fresco-exchange/tests/refresh_windows.rs).
 */
#ifndef REFRESH_SCHEDULE_H
#define REFRESH_SCHEDULE_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}
#endif

#define RFW_FORMAT "fresco-refresh-windows/1"

/* What is accepted, so that nothing overflows and nothing takes long. */
#define RFW_MOST_RANKS 16
#define RFW_MOST_TEXT (1 << 20)		/* bytes */
#define RFW_MOST_WINDOWS 65536
#define RFW_MOST_REFRESHES 131072	/* of a rank in a period */

/*
 * What DDR3 and DDR4 allow (JESD79-3 and JESD79-4, "Refresh Command", DDR4 in its 1x mode): 8 refreshes may be postponed,
 * so that two are 9 tREFI apart at most, and 16 may be sent within 2 tREFI.
 */
#define RFW_POSTPONED 8
#define RFW_AT_ONCE 16

/* So many refreshes of a rank, of all its banks, one every tRFC from offset_ns within the period on. */
struct rfw_window {
	u64 offset_ns;
	u32 rank, count;
};

struct rfw_schedule {
	u32 ranks;		/* of the controller, numbered from 0 */
	u32 refreshes;		/* that refresh all rows of a rank; tREFI is retention_ns / refreshes, exactly */
	u64 retention_ns;	/* no row may wait longer */
	u32 trfc_ns;		/* that a refresh takes */
	u64 period_ns;		/* the windows repeat after it */
	u64 lateness_ns;	/* a refresh may be issued so late */
	u32 count;
	struct rfw_window *windows;		/* by rank, then in their order */
	u32 first[RFW_MOST_RANKS + 1];		/* windows of rank r are first[r] to first[r + 1] - 1 */
};

/* Why a schedule is refused: a sentence that names the place, what was found and what is allowed. */
struct rfw_refusal {
	char text[200];
};

/* The most windows that a text of so many bytes can have. */
u32 rfw_room(size_t size);

/*
 * Reads a text. read and grouped have room for rfw_room(size) windows each; the schedule's are in the latter. 0 or -EINVAL; the
 * refusal is then said.
 */
int rfw_parse(const char *text, size_t size, struct rfw_window *read, struct rfw_window *grouped, struct rfw_schedule *schedule,
	      struct rfw_refusal *why);

/* The most refreshes of a rank in a period. */
u32 rfw_most(const struct rfw_schedule *schedule);

/* Does the standard allow it? times has room for rfw_most(). 0, or -ERANGE and the refusal. */
int rfw_judge(const struct rfw_schedule *schedule, u64 *times, struct rfw_refusal *why);

/* 8 postponed and one: the longest time between two refreshes of a rank, in ns, rounded down. */
static inline u64 rfw_longest_gap_ns(const struct rfw_schedule *schedule)
{
	return div_u64(schedule->retention_ns * (RFW_POSTPONED + 1), schedule->refreshes);
}

#endif
