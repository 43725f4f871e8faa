/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budgets of memory bandwidth for CPUs and cgroups.
 *
 *   manager.c    decides: budgets of a node's CPUs, what is donated
 *   regulator.c  a CPU: its counter, its periods, what it runs
 *   hold.c       a CPU that has nothing left is kept from running programs
 *   groups.c     cgroups: who is in which, what they share among CPUs
 *   source*.c    where counts come from
 *   files*.c     settings and statistics, in configfs
 */
#ifndef MEMGUARD_H
#define MEMGUARD_H

#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/version.h>
#include "manager.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
/* The name that Linux 6.13 gave to both in one. */
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *), clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Why a CPU is kept from running programs; bits. */
#define MG_HELD_BUDGET	1	/* its own budget is used up */
#define MG_HELD_GROUP	2	/* that of a cgroup, which went on all the same */

struct mg_group;
struct perf_event;

/* Budgets of a node's CPUs. */
struct mg_node {
	raw_spinlock_t lock;
	struct mg_manager manager;
	struct cpumask cpus;
};

/* What was counted of a CPU besides its budgets; read without a lock. */
struct mg_stats {
	u64 overflows;		/* times that a budget was found used up */
	u64 held_ns;		/* time in which it was kept from running programs */
	u64 leaks;		/* times that lines were counted meanwhile, beyond what was under way */
	u64 gripped;		/* times that an interrupt held it for that */
	u64 late_ns;		/* a period's timer, at most */
	u64 blind;		/* periods in which nothing was counted: the counter is somebody else's */
	u64 cycles_period, cycles_overflow, cycles_switch;	/* in sum */
	u64 switches;
};

/* A CPU. What is not said to be the node's is touched on this CPU alone, with interrupts off. */
struct mg_cpu {
	unsigned int cpu, member;
	struct mg_node *node;
	struct hrtimer timer;
	struct irq_work work;
	call_single_data_t look;	/* another CPU has it look at whom it runs */
	struct perf_event *event;
	bool online, live;	/* its timer may run; it does */
	bool dead;		/* the counter was lost with the CPU, and is made anew */
	bool limited;		/* it has a budget in this period */
	unsigned int held;	/* MG_HELD_*; changed under the node's lock */
	u64 period, ends;	/* number; ns, monotonic */
	u64 seen;		/* of the counter */
	u64 used, given;	/* lines of this period; the latter as the manager had it last */
	struct mg_group *group;	/* of what it runs */
	u64 cgroup;		/* its id, for which this was found */
	struct task_struct *task;	/* what it runs; not to be followed */
	u64 slice;		/* lines of the group's budget that it may still use */
	u64 slice_period;	/* the period of the group's budget that they are of */
	struct task_struct *told;	/* was asked to sleep in this period */
	u64 beyond;		/* lines of this period that were counted while it was held */
	struct mg_stats stats;
	struct mg_sleep *sleeps;
	struct llist_head free;
};
DECLARE_PER_CPU(struct mg_cpu, mg_cpus);

/* Where counts come from. Called on the CPU, with interrupts off, but for the first two. */
struct mg_source {
	const char *name;
	/* Makes a counter of a CPU ready, which may sleep. -ENODEV if the CPU has gone. */
	int (*make)(struct mg_cpu *c);
	void (*end)(struct mg_cpu *c);
	u64 (*read)(struct mg_cpu *c);
	/* Calls mg_overflow() after so many lines; NULL: the counter is looked at every so often. */
	void (*arm)(struct mg_cpu *c, u64 lines);
	bool (*counts)(struct mg_cpu *c);
};

/* Settings that hold for all; they can be changed while nothing is regulated. */
struct mg_config {
	u64 period_ns;
	u64 poll_ns;		/* between looks at a counter without interrupts */
	unsigned int slack;	/* lines that may be under way when a budget is used up */
	bool idle;		/* held CPUs are idle, instead of waiting in a loop */
	bool grip;		/* who runs all the same is held by an interrupt */
};
extern struct mg_config mg_config;
extern const struct mg_source *mg_source;
extern bool mg_active;
extern struct mutex mg_mutex;		/* settings, beginning and end */
extern struct mg_node *mg_nodes;	/* nr_node_ids */

/* source.c */
int mg_source_choose(const char *text);
const char *mg_source_text(void);
extern const struct mg_source mg_perf, mg_fed;
int mg_perf_choose(const char *text);
int mg_fed_open(void);
void mg_fed_close(void);

/* regulator.c */
int mg_regulators_init(void);
void mg_regulators_exit(void);
int mg_start(void);
void mg_stop(void);
void mg_overflow(struct mg_cpu *c);
void mg_resume(struct mg_cpu *c);
void mg_account(struct mg_cpu *c);
void mg_arm(struct mg_cpu *c);

/* hold.c */
int mg_hold_init(void);
void mg_hold_exit(void);
void mg_hold(struct mg_cpu *c, unsigned int why);
void mg_release(struct mg_cpu *c, unsigned int why);
void mg_leak(struct mg_cpu *c);
bool mg_sleep(struct mg_cpu *c);

/* groups.c */
struct mg_group {
	struct hlist_node hash;
	struct cgroup *cgroup;	/* referenced; NULL before one is set */
	struct mg_group __rcu *parent;	/* the next above that has a budget */
	struct list_head all;
	raw_spinlock_t lock;
	u64 budget;		/* lines of a period, of all CPUs together; U64_MAX: counted only */
	u64 period, granted, left, used;	/* number; the budget of this period, what no CPU has taken, what was used */
	bool exhausted;
	atomic_t running;	/* CPUs that run its tasks */
	u64 periods, total, exhaustions, over, overshoot;
	atomic_long_t sleeps;
};
void mg_group_init(struct mg_group *group);
int mg_group_bind(struct mg_group *group, struct cgroup *cgroup);
void mg_group_unbind(struct mg_group *group);
void mg_group_charge(struct mg_cpu *c, u64 lines);
bool mg_group_take(struct mg_cpu *c);
void mg_group_enter(struct mg_cpu *c, struct task_struct *task);
void mg_group_leave(struct mg_cpu *c);
void mg_group_renew(struct mg_cpu *c);
void mg_groups_restart(void);
bool mg_groups_any(void);
int mg_groups_watch(void);
void mg_groups_unwatch(void);
int mg_groups_init(void);

/* files.c */
int mg_files_init(void);
void mg_files_exit(void);

#endif
