// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU under regulation: a timer begins its periods, a counter interrupts it when what it may use is used up.
 *
 * The counter's interrupt may be an NMI: it queues an irq_work and nothing else. All else is done there or in the
 * timer's interrupt, on the CPU itself, so that a CPU's own fields need no lock. Counters are made and ended outside
 * of hotplug's callbacks, which hold a lock that perf takes as well.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/workqueue.h>
#include "memguard.h"
#include "trace.h"

DEFINE_PER_CPU(struct mg_cpu, mg_cpus);
static enum cpuhp_state hotplug;

/* What was counted since the last time, to whom the CPU ran. */
void mg_account(struct mg_cpu *c)
{
	u64 now = mg_source->read(c), lines = now - c->seen;

	c->seen = now;
	c->used += lines;
	if (c->group && lines)
		mg_group_charge(c, lines);
}

/* Has the counter interrupt when the next thing is used up. */
void mg_arm(struct mg_cpu *c)
{
	u64 lines = U64_MAX;

	if (!mg_source->arm)
		return;
	if (c->held || (c->told && c->told == c->task)) {
		/* What is under way may come to its end. */
		lines = c->beyond > mg_config.slack ? 1 : mg_config.slack + 1 - c->beyond;
	} else {
		if (c->limited)
			lines = c->given > c->used ? c->given - c->used : 0;
		if (c->group)
			lines = min(lines, c->slice);
	}
	mg_source->arm(c, max(lines, 1ULL));
}

/* The CPU's share of what the manager gives now. Under the node's lock. */
static void learn(struct mg_cpu *c)
{
	struct mg_manager *manager = &c->node->manager;

	c->given = mg_is_open(manager, c->member) ? U64_MAX : manager->budgets[c->member].given;
}

/* It was let go on by another CPU. */
void mg_resume(struct mg_cpu *c)
{
	unsigned long flags;

	local_irq_save(flags);
	if (c->live && !c->held) {
		raw_spin_lock(&c->node->lock);
		learn(c);
		raw_spin_unlock(&c->node->lock);
		mg_account(c);
		mg_arm(c);
	}
	local_irq_restore(flags);
}

static void release_all(struct mg_node *node)
{
	unsigned int cpu;

	for_each_cpu(cpu, &node->cpus)
		mg_release(per_cpu_ptr(&mg_cpus, cpu), MG_HELD_BUDGET);
}

/* The CPU's budget may be used up. */
static void ask(struct mg_cpu *c)
{
	struct mg_node *node = c->node;
	enum mg_decision decision;

	if (!c->limited || c->used < c->given)
		return;
	c->stats.overflows++;
	raw_spin_lock(&node->lock);
	decision = mg_exhausted(&node->manager, c->member, c->used);
	learn(c);
	if (decision == MG_STALL)
		mg_hold(c, MG_HELD_BUDGET);
	else if (decision == MG_ALL_GO_ON)
		release_all(node);
	trace_memguard_exhausted(c->cpu, c->period, c->used, c->given, decision);
	raw_spin_unlock(&node->lock);
}

/* A group's budget may be used up: the task sleeps before it returns to its program; if it goes on all the same the CPU is held. */
static void ask_group(struct mg_cpu *c)
{
	if (c->held || !c->group || c->slice || mg_group_take(c))
		return;
	c->stats.overflows++;
	if (c->told != c->task && mg_sleep(c))
		return;
	raw_spin_lock(&c->node->lock);
	mg_hold(c, MG_HELD_GROUP);
	raw_spin_unlock(&c->node->lock);
}

/*
 * Something was used up, or another task of a group that has nothing left runs, or the counter is looked at. On the CPU, with
 * interrupts off.
 */
void mg_overflow(struct mg_cpu *c)
{
	cycles_t begun = get_cycles();
	u64 before = c->used;

	if (!c->live)
		return;
	mg_account(c);
	if (c->group || mg_groups_any())
		mg_group_enter(c, current);
	if (c->held) {
		c->beyond += c->used - before;
		if (c->used > before && c->beyond > mg_config.slack) {
			c->stats.leaks++;
			mg_leak(c);
		}
	} else {
		ask(c);
		ask_group(c);
	}
	mg_arm(c);
	c->stats.cycles_overflow += get_cycles() - begun;
}

static void overflow_work(struct irq_work *work)
{
	mg_overflow(container_of(work, struct mg_cpu, work));
}

/* A period ends and the next begins. */
static void renew(struct mg_cpu *c, u64 now)
{
	u64 period = div64_u64(now, mg_config.period_ns), used;

	mg_account(c);
	used = c->used;
	if (!mg_source->counts(c))
		c->stats.blind++;
	raw_spin_lock(&c->node->lock);
	trace_memguard_period(c->cpu, c->period, used, c->limited ? c->given : U64_MAX, c->held);
	c->period = period;
	c->ends = (period + 1) * mg_config.period_ns;
	c->used = 0;
	c->told = NULL;
	c->beyond = 0;
	mg_begin(&c->node->manager, c->member, period, used);
	c->limited = c->node->manager.budgets[c->member].reservation.limited;
	learn(c);
	mg_release(c, MG_HELD_BUDGET | MG_HELD_GROUP);
	raw_spin_unlock(&c->node->lock);
	mg_group_renew(c);
	if (c->group || mg_groups_any()) {
		mg_group_enter(c, current);
		if (c->group)
			mg_group_take(c);
	}
	mg_arm(c);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct mg_cpu *c = container_of(timer, struct mg_cpu, timer);
	cycles_t begun = get_cycles();
	u64 now = ktime_to_ns(hrtimer_cb_get_time(timer));
	u64 due = ktime_to_ns(hrtimer_get_expires(timer)), next;

	if (!c->live || WARN_ON_ONCE(c->cpu != smp_processor_id()))
		return HRTIMER_NORESTART;
	if (now >= c->ends) {
		c->stats.late_ns = max(c->stats.late_ns, now - due);
		renew(c, now);
		c->stats.cycles_period += get_cycles() - begun;
	} else {
		mg_overflow(c);
	}
	next = c->ends;
	/* Nothing of a CPU without a budget, and of nobody's group, is used up before. */
	if (!mg_source->arm && (c->limited || mg_groups_any()))
		next = min(next, ktime_get_ns() + mg_config.poll_ns);
	hrtimer_set_expires(timer, ns_to_ktime(next));
	return HRTIMER_RESTART;
}

/* On the CPU. */
static void begin(void *unused)
{
	struct mg_cpu *c = this_cpu_ptr(&mg_cpus);
	u64 now = ktime_get_ns();

	if (!c->online || c->dead || c->live)
		return;
	c->seen = mg_source->read(c);
	c->period = div64_u64(now, mg_config.period_ns);
	c->ends = (c->period + 1) * mg_config.period_ns;
	c->used = 0;
	c->limited = false;
	c->given = U64_MAX;
	c->group = NULL;
	c->cgroup = 0;
	c->task = c->told = NULL;
	c->beyond = 0;
	c->slice = 0;
	c->slice_period = c->period;
	raw_spin_lock(&c->node->lock);
	mg_join(&c->node->manager, c->member);
	raw_spin_unlock(&c->node->lock);
	c->live = true;
	hrtimer_start(&c->timer, ns_to_ktime(c->ends), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* On the CPU. Nobody may be held after it: without the timer nothing would end that. */
static void finish(void *unused)
{
	struct mg_cpu *c = this_cpu_ptr(&mg_cpus);
	unsigned long flags;

	local_irq_save(flags);
	if (c->live) {
		mg_group_leave(c);
		c->live = false;
		raw_spin_lock(&c->node->lock);
		mg_release(c, MG_HELD_BUDGET | MG_HELD_GROUP);
		mg_leave(&c->node->manager, c->member);
		raw_spin_unlock(&c->node->lock);
	}
	local_irq_restore(flags);
}

static void mend(struct work_struct *work);
static DECLARE_WORK(mending, mend);

static int came(unsigned int cpu)
{
	per_cpu(mg_cpus, cpu).online = true;
	/* Its counter, if any, went with it. */
	schedule_work(&mending);
	return 0;
}

static int goes(unsigned int cpu)
{
	struct mg_cpu *c = per_cpu_ptr(&mg_cpus, cpu);

	c->online = false;
	finish(NULL);
	hrtimer_cancel(&c->timer);
	irq_work_sync(&c->work);
	c->dead = true;
	return 0;
}

/* A CPU that has a counter, or gets one. */
static int start_one(unsigned int cpu)
{
	struct mg_cpu *c = per_cpu_ptr(&mg_cpus, cpu);
	int error = 0;

	if (!READ_ONCE(c->online))
		return 0;
	if (c->dead) {
		mg_source->end(c);
		/* It may go offline again at any time. */
		WRITE_ONCE(c->dead, false);
		error = mg_source->make(c);
		if (error)
			WRITE_ONCE(c->dead, true);
	}
	/* Or it went offline just now, and is started when it comes back. */
	if (!error)
		smp_call_function_single(cpu, begin, NULL, 1);
	return error == -ENODEV && !cpu_online(cpu) ? 0 : error;
}

static void mend(struct work_struct *work)
{
	unsigned int cpu;
	int error;

	mutex_lock(&mg_mutex);
	if (mg_active)
		for_each_online_cpu(cpu) {
			error = start_one(cpu);
			if (error)
				pr_err("CPU %u has no counter %s (error %d): it is not regulated\n", cpu, mg_source_text(), error);
		}
	mutex_unlock(&mg_mutex);
}

/* Begins to regulate, on all CPUs or none. Under mg_mutex. */
int mg_start(void)
{
	unsigned int cpu, node;
	int error = 0;

	for (node = 0; node < nr_node_ids; node++)
		mg_restart(&mg_nodes[node].manager);
	mg_groups_restart();
	for_each_possible_cpu(cpu)
		per_cpu(mg_cpus, cpu).dead = true;
	for_each_online_cpu(cpu) {
		error = start_one(cpu);
		if (error) {
			pr_err("CPU %u has no counter %s (error %d): see what perf lists on this machine, and choose another source\n",
			       cpu, mg_source_text(), error);
			break;
		}
	}
	if (!error)
		error = mg_groups_watch();
	if (error)
		mg_stop();
	return error;
}

/* Under mg_mutex. */
void mg_stop(void)
{
	unsigned int cpu;

	mg_groups_unwatch();
	on_each_cpu(finish, NULL, 1);
	for_each_possible_cpu(cpu) {
		struct mg_cpu *c = per_cpu_ptr(&mg_cpus, cpu);

		hrtimer_cancel(&c->timer);
		mg_source->end(c);
		irq_work_sync(&c->work);
	}
}

int mg_regulators_init(void)
{
	unsigned int cpu;
	int result;

	for_each_possible_cpu(cpu) {
		struct mg_cpu *c = per_cpu_ptr(&mg_cpus, cpu);

		c->cpu = cpu;
		c->work = IRQ_WORK_INIT_HARD(overflow_work);
		hrtimer_setup(&c->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	}
	result = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "memguard:online", came, goes);
	if (result < 0)
		return result;
	hotplug = result;
	return 0;
}

void mg_regulators_exit(void)
{
	cpuhp_remove_state(hotplug);
	cancel_work_sync(&mending);
}
