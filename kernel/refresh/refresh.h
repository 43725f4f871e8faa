/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refresh windows: a controller's refreshes, issued by the kernel when a schedule says so.
 *
 *   schedule.c      the text of a schedule
 *   judge.c         whether a DRAM stands it
 *   executor.c      issues refreshes, and gives them back to the controller
 *   umctl2.c        controllers with the registers of Synopsys' uMCTL2
 *   umctl2_mmio.c   one of the machine, where it is asked for
 *   emulated.c      one in memory, which keeps a record
 *   files.c         the control files, in debugfs
 */
#ifndef REFRESH_H
#define REFRESH_H

#include <linux/types.h>
#include <linux/version.h>
#include "schedule.h"

struct refresh_controller;

/*
 * What a controller has to offer. All are called with interrupts off, one at a time, on any CPU, perhaps in a panic: they may not
 * sleep, take a lock that others hold for long, or wait for more than some microseconds.
 */
struct refresh_controller_ops {
	/* In messages and statistics. */
	const char *name;
	/*
	 * The controller refreshes no more by itself, any rank; what it had postponed it sends before. From its return on each rank needs
	 * a refresh every tREFI on average. 0, or a negative error, and then it goes on by itself and why has been said in the log.
	 */
	int (*take)(struct refresh_controller *controller);
	/* It refreshes by itself again, the first time a tREFI later at most. It cannot fail. */
	void (*give_back)(struct refresh_controller *controller);
	/* One REF to all banks of a rank, as soon as the standard's timing lets it. Called while the rank is not busy and tRFC ns after its last. */
	void (*refresh)(struct refresh_controller *controller, unsigned int rank);
	/* It has not yet taken up the last refresh of the rank, or cannot take another one. Asked again and again for RFW_BUSY_NS at most. */
	bool (*busy)(struct refresh_controller *controller, unsigned int rank);
};

struct refresh_controller {
	const struct refresh_controller_ops *ops;
	unsigned int ranks;	/* numbered from 0; 1 to RFW_MOST_RANKS */
};

/*
 * One controller at a time. Both may sleep. 0, -EINVAL, or -EBUSY while there is another; after its return from refresh_unregister()
 * a controller refreshes by itself and is not called any more.
 */
int refresh_register(struct refresh_controller *controller);
void refresh_unregister(struct refresh_controller *controller);

/* A rank that is busy for longer is given back, with all others, in ns. */
#define RFW_BUSY_NS 20000

/* executor.c */
struct rfw_stat {
	u64 issued[RFW_MOST_RANKS], completed[RFW_MOST_RANKS];
	u64 late_max_ns;	/* a refresh after its time, at most */
	u64 busy_ns;		/* in sum: from tRFC after a refresh until it was seen to be over */
	u64 passes;		/* of the timer */
	u64 fallbacks;		/* times that it was given back because something was wrong */
	u64 made_up;		/* refreshes that were due when it was given back */
	bool active;
	char ended[160];	/* why it is not active any more */
};
int rfw_executor_init(void);
void rfw_executor_exit(void);
int rfw_load(struct rfw_schedule *schedule, void *memory);
int rfw_start(void);
void rfw_stop(const char *why);
void rfw_stat(struct rfw_stat *stat, char name[32], unsigned int *ranks, int *cpu, int *watch);
int rfw_show(char *text, size_t size);

/* umctl2_mmio.c: what parameters ask for. 0, 1 if they ask for nothing, or a negative error. */
int rfw_mmio_bind(void);
void rfw_mmio_unbind(void);

/* emulated.c: the same. */
int rfw_emulated_bind(void);
void rfw_emulated_unbind(void);
void *rfw_emulated_page(size_t *size);

/* files.c */
int rfw_files_init(void);
void rfw_files_exit(void);

#endif
