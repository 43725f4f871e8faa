// SPDX-License-Identifier: GPL-2.0-only
/*
 * Issues the refreshes of a schedule: a pinned timer on one CPU, and a slow one on another that watches it.
 *
 * Periods begin at multiples of their length on CLOCK_MONOTONIC. A refresh that comes later than its margin, a rank that stays busy, a
 * CPU that goes, a suspend, a reboot, a panic: the controller refreshes by itself again, and what was due is sent before. It is not
 * taken again by itself.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>
#include "refresh.h"
#define CREATE_TRACE_POINTS
#include "trace.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
/* The name that Linux 6.13 gave to both in one. */
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *), clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* What comes sooner is waited for, in ns: a timer that is set anew takes about as long. */
#define NEAR_NS 2000
/* The CPU has interrupts off for so long at most, in ns, but for what has to be made up at the end. */
#define PASS_NS 100000
/* More are not made up: they would be more than 16 within 2 tREFI. */
#define MADE_UP (RFW_POSTPONED + 1)

static unsigned int cpu;
module_param(cpu, uint, 0644);
MODULE_PARM_DESC(cpu, "the CPU that issues refreshes (default 0)");
static unsigned int watch_us = 100;
module_param(watch_us, uint, 0644);
MODULE_PARM_DESC(watch_us, "how often another CPU looks whether they come, in us, 10 to 1000000; 0: never (default 100)");
static unsigned long long retention_ns, refreshes, trfc_ns;
module_param(retention_ns, ullong, 0444);
MODULE_PARM_DESC(retention_ns, "of the DRAM: a schedule for another one is refused (default 0: not known)");
module_param(refreshes, ullong, 0444);
MODULE_PARM_DESC(refreshes, "of the DRAM, in the retention time: a schedule for another one is refused (default 0: not known)");
module_param(trfc_ns, ullong, 0444);
MODULE_PARM_DESC(trfc_ns, "of the DRAM: a schedule with a shorter one is refused (default 0: not known)");

/* A rank, while a schedule is executed. */
struct rank {
	u32 window, done;	/* the next refresh is the done-th of this window */
	u64 base;		/* begin of its period */
	u64 due, free;		/* when the next is to be issued; when the last one is over */
	u64 paid;		/* every refresh that was due until then has been issued */
	bool open;		/* the last one has not been seen to be over */
};

/* Beginning and end, the schedule, the controller. */
static DEFINE_MUTEX(mutex);
static struct refresh_controller *controller;
static struct rfw_schedule plan;
static void *memory;
static int on, watching = -1;	/* CPUs */

/* All that follows, and all calls of the controller. */
static DEFINE_RAW_SPINLOCK(lock);
static struct rank ranks[RFW_MOST_RANKS];
static struct rfw_stat stat;
static u64 expected;		/* when the next refresh is due at last, lateness included */
static u64 trefi, watch_ns;
static struct hrtimer timer, watch;

static void look_ahead(struct rank *rank)
{
	rank->due = rank->base + plan.windows[rank->window].offset_ns + (u64)rank->done * plan.trfc_ns;
}

/* To the refresh after this one. */
static void step(unsigned int number)
{
	struct rank *rank = &ranks[number];

	if (++rank->done == plan.windows[rank->window].count) {
		rank->done = 0;
		if (++rank->window == plan.first[number + 1]) {
			rank->window = plan.first[number];
			rank->base += plan.period_ns;
		}
	}
	look_ahead(rank);
}

static void issue(unsigned int number, u64 due)
{
	struct rank *rank = &ranks[number];
	u64 now;

	controller->ops->refresh(controller, number);
	now = ktime_get_ns();
	rank->free = now + plan.trfc_ns;
	rank->paid = min(rank->paid + trefi, now);
	rank->open = true;
	stat.issued[number]++;
	trace_refresh_issued(number, due, now > due ? now - due : 0);
}

/* Has the last refresh of a rank been seen to be over? */
static void close(unsigned int number)
{
	if (ranks[number].open && !controller->ops->busy(controller, number)) {
		ranks[number].open = false;
		stat.completed[number]++;
	}
}

/*
 * The controller refreshes by itself again. What was due is sent before: it knows nothing of that, and its next refresh may be a
 * tREFI away. A rank that stays busy gets none.
 */
static void give_back(const char *why)
{
	u64 owed[RFW_MOST_RANKS] = { 0 }, now = ktime_get_ns();
	unsigned int number, round, tries;

	for (number = 0; number < controller->ranks; number++)
		while (owed[number] < MADE_UP && ranks[number].paid + (owed[number] + 1) * trefi <= now)
			owed[number]++;
	for (round = 0; round <= MADE_UP; round++) {
		bool any = false;

		for (number = 0; number < controller->ranks; number++) {
			if (round >= owed[number] && !ranks[number].open)
				continue;
			/* Each round is a tRFC long, the first one waits for what was issued before, one more for the last. */
			if (!any)
				ndelay(plan.trfc_ns);
			any = true;
			for (tries = 0; tries < 100 && controller->ops->busy(controller, number); tries++)
				ndelay(20);
			close(number);
			if (ranks[number].open) {
				owed[number] = 0;
			} else if (round < owed[number]) {
				issue(number, now);
				stat.made_up++;
			}
		}
	}
	controller->ops->give_back(controller);
	stat.active = false;
	strscpy(stat.ended, why, sizeof(stat.ended));
}

/* Something is wrong: the text is of stat.ended, and said when the lock is not held. */
static void fall_back(const char *why)
{
	give_back(why);
	stat.fallbacks++;
}

static void said(void)
{
	pr_err("%s: the controller refreshes by itself again\n", stat.ended);
}

/* Does what is due of a rank; says when it has to be looked at again, or 0 if it has fallen back. */
static u64 serve(unsigned int number)
{
	struct rank *rank = &ranks[number];
	u64 now = ktime_get_ns(), due, late;
	char why[160];

	if (rank->open) {
		if (now < rank->free)
			return rank->free;
		if (controller->ops->busy(controller, number)) {
			now = ktime_get_ns();
			if (now - rank->free <= RFW_BUSY_NS)
				return now;
			snprintf(why, sizeof(why), "rank %u is busy %llu ns after its refresh should be over, allowed: %u", number, now - rank->free, RFW_BUSY_NS);
			fall_back(why);
			return 0;
		}
		now = ktime_get_ns();
		stat.busy_ns += now - rank->free;
		stat.completed[number]++;
		rank->open = false;
	}
	if (now < rank->due)
		return rank->due;
	due = rank->due;
	issue(number, due);
	step(number);
	/* By the time at which it has been issued: the CPU may have been taken away since it was looked at. */
	late = rank->free - plan.trfc_ns - due;
	stat.late_max_ns = max(stat.late_max_ns, late);
	if (late > plan.lateness_ns) {
		snprintf(why, sizeof(why), "rank %u: a refresh is %llu ns late, allowed: %llu", number, late, plan.lateness_ns);
		fall_back(why);
		return 0;
	}
	return rank->free;
}

static u64 last_moment(void)
{
	u64 first = U64_MAX;
	unsigned int number;

	for (number = 0; number < plan.ranks; number++)
		first = min(first, ranks[number].due);
	return first + plan.lateness_ns;
}

/* All that is due, and what comes soon. */
static enum hrtimer_restart pass(struct hrtimer *t)
{
	u64 begin = ktime_get_ns(), next, now;
	unsigned int number;

	raw_spin_lock(&lock);
	if (!stat.active) {
		raw_spin_unlock(&lock);
		return HRTIMER_NORESTART;
	}
	stat.passes++;
	do {
		next = U64_MAX;
		for (number = 0; number < plan.ranks; number++) {
			u64 again = serve(number);

			if (!again) {
				raw_spin_unlock(&lock);
				said();
				return HRTIMER_NORESTART;
			}
			next = min(next, again);
		}
		now = ktime_get_ns();
	} while (next < now + NEAR_NS && now - begin < PASS_NS);
	expected = last_moment();
	raw_spin_unlock(&lock);
	hrtimer_set_expires(t, ns_to_ktime(max(next, now + NEAR_NS / 4)));
	return HRTIMER_RESTART;
}

/* On another CPU: has the next refresh come? */
static enum hrtimer_restart look(struct hrtimer *t)
{
	char why[160];
	u64 now;

	/* Who has it issues. */
	if (!raw_spin_trylock(&lock))
		goto again;
	if (!stat.active) {
		raw_spin_unlock(&lock);
		return HRTIMER_NORESTART;
	}
	now = ktime_get_ns();
	if (now > expected) {
		snprintf(why, sizeof(why), "CPU %d issues nothing: a refresh is %llu ns late, allowed: %llu", on,
			 now - expected + plan.lateness_ns, plan.lateness_ns);
		fall_back(why);
		raw_spin_unlock(&lock);
		said();
		return HRTIMER_NORESTART;
	}
	raw_spin_unlock(&lock);
again:
	hrtimer_forward_now(t, ns_to_ktime(watch_ns));
	return HRTIMER_RESTART;
}

/* Where the rank is within the period that began at base: at its first refresh from now on. */
static void find_place(unsigned int number, u64 base, u64 now)
{
	struct rank *rank = &ranks[number];
	u32 low = plan.first[number], high = plan.first[number + 1];
	u64 over;

	*rank = (struct rank) { .window = low, .base = base, .paid = now, .free = now };
	/* The last window that has begun; the first, if none has. */
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (base + plan.windows[middle].offset_ns < now)
			low = middle;
		else
			high = middle;
	}
	rank->window = low;
	look_ahead(rank);
	if (rank->due >= now)
		return;
	over = div_u64(now - rank->due + plan.trfc_ns - 1, plan.trfc_ns);
	rank->done = min_t(u64, over, plan.windows[low].count) - 1;
	step(number);
}

/* On the CPU that is to issue, with interrupts off. */
static void begin(void *result)
{
	unsigned int number;
	u64 now, base, fallbacks;
	u32 within;
	int error;

	raw_spin_lock(&lock);
	error = controller->ops->take(controller);
	if (!error) {
		now = ktime_get_ns();
		div_u64_rem(now, plan.period_ns, &within);
		base = now - within;
		fallbacks = stat.fallbacks;
		memset(&stat, 0, sizeof(stat));
		stat.fallbacks = fallbacks;
		for (number = 0; number < plan.ranks; number++)
			find_place(number, base, now);
		expected = last_moment();
		stat.active = true;
		hrtimer_start(&timer, ns_to_ktime(expected - plan.lateness_ns), HRTIMER_MODE_ABS_PINNED_HARD);
	}
	raw_spin_unlock(&lock);
	*(int *)result = error;
}

static void begin_watch(void *unused)
{
	hrtimer_start(&watch, ns_to_ktime(watch_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Ends a schedule that is executed. In a panic other CPUs stand still, and who held the lock may be one of them. */
static void stop(const char *why, bool wrong, bool panics)
{
	bool locked, ends = false;
	unsigned long flags;

	local_irq_save(flags);
	locked = panics ? raw_spin_trylock(&lock) : (raw_spin_lock(&lock), true);
	if (stat.active) {
		if (wrong)
			fall_back(why);
		else
			give_back(why);
		ends = true;
	}
	if (locked)
		raw_spin_unlock(&lock);
	local_irq_restore(flags);
	if (ends && wrong)
		said();
}

static void stop_and_wait(const char *why, bool wrong)
{
	lockdep_assert_held(&mutex);
	stop(why, wrong, false);
	hrtimer_cancel(&timer);
	hrtimer_cancel(&watch);
	watching = -1;
}

void rfw_stop(const char *why)
{
	mutex_lock(&mutex);
	stop_and_wait(why, false);
	mutex_unlock(&mutex);
}

/* 0, or an error whose reason has been said. */
int rfw_start(void)
{
	int error = -EINVAL;

	cpus_read_lock();
	mutex_lock(&mutex);
	if (!controller)
		pr_notice("active: there is no controller; load with emulated=memory, or umctl2_base=ADDRESS of this machine's manual\n");
	else if (!memory)
		pr_notice("active: there is no schedule: write one to schedule first\n");
	else if (watch_us && (watch_us < 10 || watch_us > 1000000))
		pr_notice("watch_us: found %u, allowed: 0, 10 to 1000000\n", watch_us);
	else if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		pr_notice("cpu: found %u, allowed: a CPU that is online\n", cpu);
	else if (stat.active)
		error = 0;
	else {
		/* After a fall-back they may not have ended. */
		stop_and_wait("", false);
		on = cpu;
		trefi = div_u64(plan.retention_ns, plan.refreshes);
		if (smp_call_function_single(on, begin, &error, true))
			error = -ENODEV;
		watch_ns = (u64)watch_us * NSEC_PER_USEC;
		if (!error && watch_ns) {
			watching = cpumask_any_but(cpu_online_mask, on);
			if (watching < nr_cpu_ids)
				smp_call_function_single(watching, begin_watch, NULL, true);
			else
				watching = -1;
		}
	}
	mutex_unlock(&mutex);
	cpus_read_unlock();
	return error;
}

/* Takes a schedule, and the memory that its windows are in. */
int rfw_load(struct rfw_schedule *new, void *windows)
{
	struct rfw_refusal why;
	int error = 0;
	u64 *times;

	times = kvmalloc_array(rfw_most(new) > RFW_MOST_REFRESHES ? 1 : rfw_most(new), sizeof(*times), GFP_KERNEL);
	if (!times)
		return -ENOMEM;
	mutex_lock(&mutex);
	why.text[0] = 0;
	if (stat.active) {
		strscpy(why.text, "it cannot be changed while it is active: write 0 to active first", sizeof(why.text));
		error = -EBUSY;
	} else if (!controller) {
		strscpy(why.text, "there is no controller", sizeof(why.text));
		error = -ENODEV;
	} else if (new->ranks != controller->ranks) {
		snprintf(why.text, sizeof(why.text), "ranks: found %u, allowed: %u, those of the controller", new->ranks, controller->ranks);
		error = -EINVAL;
	} else if ((retention_ns && new->retention_ns != retention_ns) || (refreshes && new->refreshes != refreshes) || new->trfc_ns < trfc_ns) {
		snprintf(why.text, sizeof(why.text), "it is for a DRAM with retention_ns %llu, refreshes %u and trfc_ns %u, allowed: %llu, %llu and %llu, as the module was told",
			 new->retention_ns, new->refreshes, new->trfc_ns, retention_ns, refreshes, trfc_ns);
		error = -EINVAL;
	} else {
		error = rfw_judge(new, times, &why);
	}
	if (!error) {
		kvfree(memory);
		memory = windows;
		plan = *new;
	}
	mutex_unlock(&mutex);
	kvfree(times);
	if (error)
		pr_notice("schedule: %s\n", why.text);
	return error;
}

void rfw_stat(struct rfw_stat *to, char name[32], unsigned int *count, int *of, int *by)
{
	unsigned long flags;

	mutex_lock(&mutex);
	strscpy(name, controller ? controller->ops->name : "none", 32);
	*count = controller ? controller->ranks : 0;
	*of = on;
	*by = watching;
	raw_spin_lock_irqsave(&lock, flags);
	*to = stat;
	raw_spin_unlock_irqrestore(&lock, flags);
	mutex_unlock(&mutex);
}

/* The schedule as a text; how long it would be if there is no room. */
int rfw_show(char *text, size_t size)
{
	int at = 0;
	u32 i;

	mutex_lock(&mutex);
	if (memory) {
		at += scnprintf(text + at, size - at, "format " RFW_FORMAT "\nranks %u\nretention_ns %llu\nrefreshes %u\ntrfc_ns %u\nperiod_ns %llu\nlateness_ns %llu\n",
				plan.ranks, plan.retention_ns, plan.refreshes, plan.trfc_ns, plan.period_ns, plan.lateness_ns);
		for (i = 0; i < plan.count; i++)
			at += scnprintf(text + at, size - at, "window %u %llu %u\n", plan.windows[i].rank, plan.windows[i].offset_ns,
					plan.windows[i].count);
		at += scnprintf(text + at, size - at, "end\n");
	}
	mutex_unlock(&mutex);
	return at;
}

int refresh_register(struct refresh_controller *new)
{
	int error = 0;

	if (!new || !new->ops || !new->ranks || new->ranks > RFW_MOST_RANKS)
		return -EINVAL;
	mutex_lock(&mutex);
	if (controller)
		error = -EBUSY;
	else
		controller = new;
	mutex_unlock(&mutex);
	if (!error)
		pr_info("%s: %u ranks\n", new->ops->name, new->ranks);
	return error;
}
EXPORT_SYMBOL_GPL(refresh_register);

void refresh_unregister(struct refresh_controller *old)
{
	mutex_lock(&mutex);
	if (controller == old) {
		stop_and_wait("its controller has gone", false);
		controller = NULL;
		kvfree(memory);
		memory = NULL;
	}
	mutex_unlock(&mutex);
}
EXPORT_SYMBOL_GPL(refresh_unregister);

/* Ends. */

static int cpu_goes(unsigned int which)
{
	mutex_lock(&mutex);
	if (which == on)
		stop_and_wait("its CPU goes offline", true);
	else if (which == watching) {
		hrtimer_cancel(&watch);
		watching = -1;
		pr_warn("CPU %u, which watches, goes offline: nobody does any more\n", which);
	}
	mutex_unlock(&mutex);
	return 0;
}

static int panics(struct notifier_block *block, unsigned long action, void *data)
{
	stop("panic", false, true);
	return NOTIFY_DONE;
}

static int reboots(struct notifier_block *block, unsigned long action, void *data)
{
	rfw_stop("reboot");
	return NOTIFY_DONE;
}

static int suspends(struct notifier_block *block, unsigned long action, void *data)
{
	if (action == PM_SUSPEND_PREPARE || action == PM_HIBERNATION_PREPARE || action == PM_RESTORE_PREPARE)
		rfw_stop("suspend");
	return NOTIFY_DONE;
}

static struct notifier_block panic_block = { .notifier_call = panics, .priority = INT_MAX };
static struct notifier_block reboot_block = { .notifier_call = reboots };
static struct notifier_block suspend_block = { .notifier_call = suspends };
static int hotplug;

int rfw_executor_init(void)
{
	hrtimer_setup(&timer, pass, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_setup(&watch, look, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hotplug = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "refresh:online", NULL, cpu_goes);
	if (hotplug < 0)
		return hotplug;
	atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	register_reboot_notifier(&reboot_block);
	register_pm_notifier(&suspend_block);
	return 0;
}

/* Nothing is registered any more. */
void rfw_executor_exit(void)
{
	unregister_pm_notifier(&suspend_block);
	unregister_reboot_notifier(&reboot_block);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	cpuhp_remove_state_nocalls(hotplug);
}
