// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a CPU, or a task, is kept from using more.
 *
 * A CPU: a thread of the highest use that Linux lets a module have, SCHED_FIFO, keeps it to the end of the period.
 * Above that are real-time tasks of higher priority, deadline tasks, and since 6.12 fair tasks that have starved,
 * for 50 ms in each second. Lines that they use are counted, and if there are more than can have been under way the
 * counter's interrupt keeps the CPU itself (`grip`), with interrupts off, for a millisecond at most; then again.
 *
 * A task of a cgroup that has used up its budget sleeps before it returns to its program, and others run. What it does
 * within the kernel before is beyond the budget; if that is more than can have been under way, its CPU is held.
 */
#include <linux/freezer.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smpboot.h>
#include <linux/task_work.h>
#include <uapi/linux/sched/types.h>
#include "memguard.h"
#include "trace.h"

/* Interrupts are off no longer than this at a time. */
#define LONGEST_GRIP_NS (1 * NSEC_PER_MSEC)

/* A task that is to sleep. Of those of a CPU so many may be on their way to their program. */
#define SLEEPS 64
struct mg_sleep {
	struct callback_head head;
	struct llist_node node;
	struct mg_cpu *of;
	u64 until;
};

static DEFINE_PER_CPU(struct task_struct *, threads);

/* Under the node's lock, on the CPU. */
void mg_hold(struct mg_cpu *c, unsigned int why)
{
	WRITE_ONCE(c->held, c->held | why);
	wake_up_process(*per_cpu_ptr(&threads, c->cpu));
}

/* Under the node's lock, on any CPU. */
void mg_release(struct mg_cpu *c, unsigned int why)
{
	WRITE_ONCE(c->held, c->held & ~why);
}

/* Lines were counted while the CPU is held. */
void mg_leak(struct mg_cpu *c)
{
	u64 until = min(c->ends, ktime_get_mono_fast_ns() + LONGEST_GRIP_NS);

	if (!mg_config.grip)
		return;
	c->stats.gripped++;
	while (READ_ONCE(c->held) && ktime_get_mono_fast_ns() < until)
		cpu_relax();
}

static int is_held(unsigned int cpu)
{
	return READ_ONCE(per_cpu(mg_cpus, cpu).held) != 0;
}

/* The thread of a CPU, while it is held. */
static void keep(unsigned int cpu)
{
	struct mg_cpu *c = per_cpu_ptr(&mg_cpus, cpu);
	u64 begun = local_clock();

	while (READ_ONCE(c->held)) {
		u64 now = ktime_get_ns(), left = READ_ONCE(c->ends) > now ? c->ends - now : 0;

		/* Idle CPUs are not told that all may go on: they look every so often. */
		if (mg_config.idle && left > mg_config.poll_ns)
			play_idle_precise(READ_ONCE(c->node->manager.settings.share) == MG_SHARE_NONE ? left : mg_config.poll_ns, U64_MAX);
		else
			cpu_relax();
		cond_resched();
	}
	c->stats.held_ns += local_clock() - begun;
	mg_resume(c);
}

static void prepare(unsigned int cpu)
{
	sched_set_fifo(current);
}

static struct smp_hotplug_thread holders = {
	.store = &threads,
	.thread_should_run = is_held,
	.thread_fn = keep,
	.setup = prepare,
	.thread_comm = "memguard/%u",
};

/* In the task, on its way to its program. */
static void sleep(struct callback_head *head)
{
	struct mg_sleep *s = container_of(head, struct mg_sleep, head);
	ktime_t until = ns_to_ktime(s->until);

	llist_add(&s->node, &s->of->free);
	/* A signal that does not end it can wait. */
	do {
		set_current_state(TASK_KILLABLE | TASK_FREEZABLE);
	} while (!fatal_signal_pending(current) && schedule_hrtimeout(&until, HRTIMER_MODE_ABS));
	__set_current_state(TASK_RUNNING);
	module_put(THIS_MODULE);
}

/* Has what runs on the CPU sleep to the end of the period, once it returns to its program. False if it has none, or cannot be told. */
bool mg_sleep(struct mg_cpu *c)
{
	struct llist_node *node;
	struct mg_sleep *s;

	if (current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_EXITING))
		return false;
	/* One CPU alone takes from its list. */
	node = llist_del_first(&c->free);
	if (!node)
		return false;
	s = llist_entry(node, struct mg_sleep, node);
	s->until = c->ends;
	init_task_work(&s->head, sleep);
	/* It may be long before the task comes to that: the code stays until then. */
	if (!try_module_get(THIS_MODULE))
		goto give_back;
	if (task_work_add(current, &s->head, TWA_RESUME)) {
		module_put(THIS_MODULE);
		goto give_back;
	}
	c->told = current;
	atomic_long_inc(&c->group->sleeps);
	trace_memguard_sleep(c->cpu, c->period, current->pid);
	return true;
give_back:
	llist_add(&s->node, &c->free);
	return false;
}

int mg_hold_init(void)
{
	unsigned int cpu;
	int i, error;

	for_each_possible_cpu(cpu) {
		struct mg_cpu *c = per_cpu_ptr(&mg_cpus, cpu);

		init_llist_head(&c->free);
		c->sleeps = kcalloc_node(SLEEPS, sizeof(*c->sleeps), GFP_KERNEL, cpu_to_node(cpu));
		if (!c->sleeps)
			goto no_memory;
		for (i = 0; i < SLEEPS; i++) {
			c->sleeps[i].of = c;
			llist_add(&c->sleeps[i].node, &c->free);
		}
	}
	error = smpboot_register_percpu_thread(&holders);
	if (!error)
		return 0;
	goto free;
no_memory:
	error = -ENOMEM;
free:
	for_each_possible_cpu(cpu)
		kfree(per_cpu(mg_cpus, cpu).sleeps);
	return error;
}

void mg_hold_exit(void)
{
	unsigned int cpu;

	smpboot_unregister_percpu_thread(&holders);
	for_each_possible_cpu(cpu)
		kfree(per_cpu(mg_cpus, cpu).sleeps);
}
