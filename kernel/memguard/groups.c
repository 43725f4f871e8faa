// SPDX-License-Identifier: GPL-2.0-only
/*
 * Budgets of cgroups, each for the tasks in it and below it on all CPUs together.
 *
 * A CPU that runs a task of a group takes a slice of what is left, and returns what it has not used when it runs
 * something else. A slice is half of what is left, divided among the CPUs that run the group's tasks, but no less than a
 * 64th of the budget: so the last slices are small, and a CPU seldom has much that another one lacks. What a CPU uses
 * counts for all groups above as well. Who is in which group is looked up whenever a CPU runs another task, when a task
 * is moved, and when the CPU is interrupted.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include "memguard.h"
#include "trace.h"

static DEFINE_HASHTABLE(table, 6);	/* by cgroup */
static LIST_HEAD(groups);		/* all that have a cgroup; under mg_mutex */
static unsigned int count;
static bool watches;

bool mg_groups_any(void)
{
	return READ_ONCE(count) > 0;
}

static struct mg_group *exactly(struct cgroup *cgroup)
{
	struct mg_group *group;

	hash_for_each_possible_rcu(table, group, hash, (unsigned long)cgroup)
		if (group->cgroup == cgroup)
			return group;
	return NULL;
}

/* The nearest group of a cgroup, or of one above it down to the root's own level. */
static struct mg_group *nearest(struct cgroup *cgroup, int level)
{
	struct mg_group *group;

	for (; level >= 0; level--) {
		group = exactly(cgroup->ancestors[level]);
		if (group)
			return group;
	}
	return NULL;
}

/* A group's budget for this period, if it has begun. Under its lock. */
static void renew(struct mg_group *group, u64 period)
{
	if (group->period >= period)
		return;
	if (group->period) {
		u64 beyond = group->used > group->granted ? group->used - group->granted : 0;

		group->periods++;
		group->over += beyond > 0;
		group->overshoot = max(group->overshoot, beyond);
	}
	group->period = period;
	group->granted = group->budget;
	group->left = group->budget;
	group->used = 0;
	group->exhausted = false;
}

/* What is left is less by what a CPU may use of it now. Under the lock. */
static u64 slice(struct mg_group *group, u64 wanted)
{
	u64 part;

	if (group->granted == U64_MAX)
		return wanted;
	part = div_u64(group->left, 2 * max(1, atomic_read(&group->running)));
	part = min3(max(part, div_u64(group->granted, 64) + 1), group->left, wanted);
	group->left -= part;
	if (!group->left && !part && !group->exhausted) {
		group->exhausted = true;
		group->exhaustions++;
	}
	return part;
}

/* Lines that were taken, and are not used, from a group and those above it to `end`, which is none of them. */
static void give_back(struct mg_group *group, const struct mg_group *end, u64 period, u64 lines)
{
	for (; group != end; group = rcu_dereference_sched(group->parent)) {
		raw_spin_lock(&group->lock);
		if (group->period == period && group->granted != U64_MAX)
			group->left = min(group->left + lines, group->granted);
		raw_spin_unlock(&group->lock);
	}
}

/* Gives a CPU a slice. False if there is none. With interrupts off. */
bool mg_group_take(struct mg_cpu *c)
{
	struct mg_group *group;
	u64 lines = U64_MAX;

	for (group = c->group; group; group = rcu_dereference_sched(group->parent)) {
		u64 part;

		raw_spin_lock(&group->lock);
		renew(group, c->period);
		part = slice(group, lines);
		if (group == c->group)
			c->slice_period = group->period;
		raw_spin_unlock(&group->lock);
		if (part < lines && group != c->group && lines != U64_MAX)
			give_back(c->group, group, c->slice_period, lines - part);
		lines = part;
		if (!lines)
			break;
	}
	c->slice = lines;
	return lines > 0;
}

/* Lines were counted while the CPU ran a task of its group. With interrupts off. */
void mg_group_charge(struct mg_cpu *c, u64 lines)
{
	struct mg_group *group;
	u64 beyond = 0;

	if (c->slice != U64_MAX) {
		beyond = lines > c->slice ? lines - c->slice : 0;
		c->slice -= lines - beyond;
	}
	for (group = c->group; group; group = rcu_dereference_sched(group->parent)) {
		raw_spin_lock(&group->lock);
		group->total += lines;
		/* Else it is of a period that has been counted. */
		if (group->period == c->slice_period) {
			group->used += lines;
			if (group->granted != U64_MAX)
				group->left -= min(group->left, beyond);
		}
		raw_spin_unlock(&group->lock);
	}
}

/* The CPU runs no task of its group any more. With interrupts off. */
void mg_group_leave(struct mg_cpu *c)
{
	if (c->group) {
		if (c->slice && c->slice != U64_MAX)
			give_back(c->group, NULL, c->slice_period, c->slice);
		atomic_dec(&c->group->running);
	}
	c->group = NULL;
	c->cgroup = 0;
	c->slice = 0;
	c->slice_period = c->period;
}

/* What is left of a slice is of the period that has ended; of the one that begins if the group had begun it before this CPU. With interrupts off. */
void mg_group_renew(struct mg_cpu *c)
{
	if (c->group && c->slice && c->slice != U64_MAX && c->slice_period == c->period)
		give_back(c->group, NULL, c->period, c->slice);
	c->slice = 0;
	c->slice_period = c->period;
}

/* The CPU runs a task. With interrupts off, after what was counted is charged. */
void mg_group_enter(struct mg_cpu *c, struct task_struct *task)
{
	struct mg_group *group;
	struct cgroup *cgroup;

	c->task = task;
	rcu_read_lock();
	cgroup = task_dfl_cgroup(task);
	if (cgroup_id(cgroup) != c->cgroup) {
		group = nearest(cgroup, cgroup->level);
		if (group != c->group) {
			mg_group_leave(c);
			c->group = group;
			if (group)
				atomic_inc(&group->running);
		}
		c->cgroup = cgroup_id(cgroup);
	}
	rcu_read_unlock();
}

static void switched(void *unused, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct mg_cpu *c = this_cpu_ptr(&mg_cpus);
	cycles_t begun = get_cycles();

	if (!c->live)
		return;
	mg_account(c);
	mg_group_enter(c, next);
	/* Who has nothing left sleeps before it comes to its program. */
	if (c->group && !c->slice && !c->held && !mg_group_take(c))
		irq_work_queue(&c->work);
	mg_arm(c);
	c->stats.switches++;
	c->stats.cycles_switch += get_cycles() - begun;
}

static void look(void *cpu)
{
	mg_overflow(cpu);
}

/* The CPU on which a thread may run at this moment looks at whom it runs. */
static void tell(struct task_struct *thread)
{
	int cpu = task_cpu(thread);
	struct mg_cpu *c = per_cpu_ptr(&mg_cpus, cpu);

	/* One that has been told before has yet to look, and a CPU that is offline runs nobody. */
	if (cpu == smp_processor_id())
		irq_work_queue(&c->work);
	else
		smp_call_function_single_async(cpu, &c->look);
}

/* A process or a thread is in another cgroup. */
static void moved(void *unused, struct cgroup *to, const char *path, struct task_struct *task, bool whole)
{
	struct task_struct *thread;

	rcu_read_lock();
	if (whole)
		for_each_thread(task, thread)
			tell(thread);
	else
		tell(task);
	rcu_read_unlock();
}

/* What tells who runs. */
static struct {
	const char *name;
	void *probe;
	struct tracepoint *point;
} probes[] = {
	{ "sched_switch", (void *)switched },
	{ "cgroup_attach_task", (void *)moved },
};

/* Under mg_mutex. */
static void find_parents(void)
{
	struct mg_group *group;

	rcu_read_lock();
	list_for_each_entry(group, &groups, all)
		rcu_assign_pointer(group->parent, nearest(group->cgroup, group->cgroup->level - 1));
	rcu_read_unlock();
}

/* Each CPU looks again which group its task is in. */
static void look_again(void *unused)
{
	struct mg_cpu *c = this_cpu_ptr(&mg_cpus);

	if (!c->live)
		return;
	mg_account(c);
	mg_group_leave(c);
	if (mg_groups_any())
		mg_group_enter(c, current);
	if (c->group)
		mg_group_take(c);
	mg_arm(c);
}

static void unwatch(int number)
{
	while (number--)
		tracepoint_probe_unregister(probes[number].point, probes[number].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int watch(void)
{
	int i, error;

	if (watches)
		return 0;
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		error = tracepoint_probe_register(probes[i].point, probes[i].probe, NULL);
		if (error) {
			unwatch(i);
			return error;
		}
	}
	watches = true;
	return 0;
}

/* CPUs tell when they run another task, and who is moved, if there is a group. Under mg_mutex. */
int mg_groups_watch(void)
{
	return count ? watch() : 0;
}

/* Periods are numbered anew; no CPU is regulated. Under mg_mutex. */
void mg_groups_restart(void)
{
	struct mg_group *group;

	list_for_each_entry(group, &groups, all)
		group->period = 0;
}

void mg_groups_unwatch(void)
{
	if (!watches)
		return;
	unwatch(ARRAY_SIZE(probes));
	/* Calls that nobody waits for come after those that somebody waits for: after two of these all have come. */
	kick_all_cpus_sync();
	kick_all_cpus_sync();
	watches = false;
}

void mg_group_init(struct mg_group *group)
{
	memset(group, 0, sizeof(*group));
	raw_spin_lock_init(&group->lock);
	group->budget = U64_MAX;
	group->granted = U64_MAX;
}

/* The group is of this cgroup, whose reference it takes over, unless there is an error. Under mg_mutex. */
int mg_group_bind(struct mg_group *group, struct cgroup *cgroup)
{
	int error = 0;

	rcu_read_lock();
	if (exactly(cgroup))
		error = -EEXIST;
	rcu_read_unlock();
	if (error)
		return error;
	mg_group_unbind(group);
	error = mg_active ? watch() : 0;
	if (error)
		return error;
	group->cgroup = cgroup;
	hash_add_rcu(table, &group->hash, (unsigned long)cgroup);
	list_add(&group->all, &groups);
	WRITE_ONCE(count, count + 1);
	find_parents();
	if (mg_active)
		on_each_cpu(look_again, NULL, 1);
	return 0;
}

/* Under mg_mutex. Nobody has it after this. */
void mg_group_unbind(struct mg_group *group)
{
	struct cgroup *cgroup = group->cgroup;

	if (!cgroup)
		return;
	hash_del_rcu(&group->hash);
	list_del(&group->all);
	WRITE_ONCE(count, count - 1);
	find_parents();
	on_each_cpu(look_again, NULL, 1);
	synchronize_rcu();
	if (!count)
		mg_groups_unwatch();
	group->cgroup = NULL;
	RCU_INIT_POINTER(group->parent, NULL);
	cgroup_put(cgroup);
}

static void find_tracepoint(struct tracepoint *point, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(point->name, probes[i].name))
			probes[i].point = point;
}

int mg_groups_init(void)
{
	int i, cpu;

	for_each_possible_cpu(cpu)
		INIT_CSD(&per_cpu_ptr(&mg_cpus, cpu)->look, look, per_cpu_ptr(&mg_cpus, cpu));
	for_each_kernel_tracepoint(find_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!probes[i].point)
			return -ENOENT;
	return 0;
}
