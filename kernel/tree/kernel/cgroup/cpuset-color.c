// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpuset.colors: page colors of the tasks of a cgroup, on the default
 * hierarchy.
 *
 * Colors belong to threads, as CPUs and memory nodes do, so the controller is
 * cpuset. As with these, what is configured is not changed by the parent; what
 * is effective is the part of it that the parent has, or all that the parent
 * has if there is none.
 *
 * Policies are pushed: each change walks the tasks, so that the page allocator
 * looks at current->page_color only. All of it is under page_color_tasks_mutex,
 * which nests inside of cpuset_mutex.
 */
#include <linux/capability.h>
#include <linux/page_color.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "cpuset-internal.h"

/* NULL on top: all colors. */
static struct page_color_policy *parent_policy(struct cpuset *cs)
{
	struct cpuset *parent = parent_cs(cs);

	return parent ? parent->color.policy : NULL;
}

/*
 * What is effective if these are the colors and this is the parent's policy. It
 * is counted for who configured them. Who could only divide the parent's has none
 * when the parent has none any more.
 */
static struct page_color_policy *make_policy(const unsigned long *colors,
					     bool strict, bool divided,
					     struct page_color_policy *parent,
					     kuid_t user)
{
	if (bitmap_empty(colors, PAGE_COLOR_MAX) || (divided && !parent))
		return page_color_policy_get(parent);
	return page_color_policy_within(colors, strict ? PAGE_COLOR_STRICT : 0,
					parent, true, user);
}

/* Takes over a reference to @policy. */
static void set_policy(struct cpuset *cs, struct page_color_policy *policy)
{
	struct page_color_policy *old = cs->color.policy;
	struct css_task_iter it;
	struct task_struct *task;

	lockdep_assert_held(&page_color_tasks_mutex);
	/* What is offline has given its colors back for good. */
	if (old == policy || cs->color.offline) {
		page_color_policy_put(policy);
		return;
	}
	WRITE_ONCE(cs->color.policy, policy);
	css_task_iter_start(&cs->css, 0, &it);
	while ((task = css_task_iter_next(&it))) {
		page_color_rebind(task, policy);
		cond_resched();
	}
	css_task_iter_end(&it);
	page_color_policy_put(old);
}

/* The policy of @cs has changed: that of its descendants follows. */
static void update_descendants(struct cpuset *cs)
{
	struct cgroup_subsys_state *pos;

	rcu_read_lock();
	css_for_each_descendant_pre(pos, &cs->css) {
		struct page_color_policy *policy;
		struct cpuset *child = css_cs(pos);

		if (child == cs || !css_tryget_online(pos))
			continue;
		rcu_read_unlock();

		policy = make_policy(child->color.colors, child->color.strict,
				     child->color.divided, parent_policy(child),
				     child->color.user);
		/* Out of memory or at a limit: never a color that the parent has not. */
		if (IS_ERR(policy))
			policy = page_color_policy_get(parent_policy(child));
		set_policy(child, policy);

		rcu_read_lock();
		css_put(pos);
	}
	rcu_read_unlock();
}

static int configure(struct cpuset *cs, const unsigned long *colors, bool strict,
		     bool divided)
{
	kuid_t user = page_color_user();
	struct page_color_policy *policy;

	policy = make_policy(colors, strict, divided, parent_policy(cs), user);
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	cs->color.user = user;
	bitmap_copy(cs->color.colors, colors, PAGE_COLOR_MAX);
	cs->color.strict = strict;
	cs->color.divided = divided;
	set_policy(cs, policy);
	update_descendants(cs);
	return 0;
}

/*
 * Colors are taken away from all others. That needs a privilege, but not if
 * somebody who has it gave colors to an ancestor: they are only divided.
 */
static bool may_take(struct kernfs_open_file *of)
{
	return file_ns_capable(of->file, &init_user_ns, CAP_SYS_NICE);
}

static bool may_configure(struct kernfs_open_file *of, struct cpuset *cs)
{
	return parent_policy(cs) || may_take(of);
}

static ssize_t colors_write(struct kernfs_open_file *of, char *buf,
			    size_t nbytes, loff_t off)
{
	struct cpuset *cs = css_cs(of_css(of));
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	int err;

	err = bitmap_parselist(strstrip(buf), colors, PAGE_COLOR_MAX);
	if (err)
		return err;
	mutex_lock(&page_color_tasks_mutex);
	if (!page_color_enabled())
		err = -EOPNOTSUPP;
	else if (!bitmap_subset(colors, page_color_map.exists, PAGE_COLOR_MAX))
		err = -EINVAL;
	else if (!may_configure(of, cs))
		err = -EPERM;
	else
		err = configure(cs, colors, cs->color.strict, !may_take(of));
	mutex_unlock(&page_color_tasks_mutex);
	return err ?: nbytes;
}

/*
 * Colors of others are bits of their addresses: for those who may change what
 * the file shows, and those who have these colors themselves.
 */
static bool may_see(struct seq_file *m)
{
	struct cgroup_subsys_state *css = seq_css(m);
	struct kernfs_open_file *of = m->private;
	bool yes;

	if (uid_eq(of->file->f_cred->fsuid, file_inode(of->file)->i_uid) ||
	    file_ns_capable(of->file, &init_user_ns, CAP_SYS_ADMIN))
		return true;
	rcu_read_lock();
	yes = cgroup_is_descendant(task_cs(current)->css.cgroup, css->cgroup);
	rcu_read_unlock();
	return yes;
}

static int colors_show(struct seq_file *m, void *v)
{
	struct cpuset *cs = css_cs(seq_css(m));

	if (!may_see(m))
		return -EPERM;
	mutex_lock(&page_color_tasks_mutex);
	seq_printf(m, "%*pbl\n", (int)PAGE_COLOR_MAX, cs->color.colors);
	mutex_unlock(&page_color_tasks_mutex);
	return 0;
}

static int effective_show(struct seq_file *m, void *v)
{
	struct cpuset *cs = css_cs(seq_css(m));
	const unsigned long *colors;

	if (!may_see(m))
		return -EPERM;
	mutex_lock(&page_color_tasks_mutex);
	colors = cs->color.policy ? cs->color.policy->set.some[0] :
				    page_color_map.exists;
	seq_printf(m, "%*pbl\n", (int)PAGE_COLOR_MAX, colors);
	mutex_unlock(&page_color_tasks_mutex);
	return 0;
}

static ssize_t strict_write(struct kernfs_open_file *of, char *buf,
			    size_t nbytes, loff_t off)
{
	struct cpuset *cs = css_cs(of_css(of));
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	bool strict;
	int err;

	err = kstrtobool(strstrip(buf), &strict);
	if (err)
		return err;
	mutex_lock(&page_color_tasks_mutex);
	bitmap_copy(colors, cs->color.colors, PAGE_COLOR_MAX);
	if (!may_configure(of, cs))
		err = -EPERM;
	else
		err = configure(cs, colors, strict, cs->color.divided);
	mutex_unlock(&page_color_tasks_mutex);
	return err ?: nbytes;
}

static int strict_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%d\n", READ_ONCE(css_cs(seq_css(m))->color.strict));
	return 0;
}

/*
 * Move what the tasks of the cgroup and below have to their colors. Those that
 * start meanwhile are left out: they would keep this from coming to an end.
 */
static ssize_t migrate_write(struct kernfs_open_file *of, char *buf,
			     size_t nbytes, loff_t off)
{
	struct cgroup_subsys_state *pos, *css = of_css(of);
	u64 begun = ktime_get_ns();
	long left = 0;
	bool yes;
	int err;

	err = kstrtobool(strstrip(buf), &yes);
	if (err || !yes)
		return err ?: -EINVAL;
	if (!page_color_enabled())
		return -EOPNOTSUPP;

	/* It takes long: who removes the cgroup, with cgroup_mutex, does not wait for it. */
	css_get(css);
	kernfs_break_active_protection(of->kn);
	rcu_read_lock();
	css_for_each_descendant_pre(pos, css) {
		struct css_task_iter it;
		struct task_struct *task;

		if (!css_tryget_online(pos)) {
			left = pos == css ? -ENODEV : left;
			continue;
		}
		rcu_read_unlock();
		css_task_iter_start(pos, CSS_TASK_ITER_PROCS, &it);
		while (left >= 0 && (task = css_task_iter_next(&it))) {
			struct mm_struct *mm;

			if (fatal_signal_pending(current)) {
				left = -EINTR;
				break;
			}
			mm = task->start_time > begun ? NULL : get_task_mm(task);
			if (!mm)
				continue;
			left = page_color_recolor_mm(mm);
			mmput(mm);
		}
		css_task_iter_end(&it);
		rcu_read_lock();
		css_put(pos);
	}
	rcu_read_unlock();
	kernfs_unbreak_active_protection(of->kn);
	css_put(css);
	return left < 0 ? left : nbytes;
}

static struct cftype color_files[] = {
	{
		.name = "colors",
		.seq_show = colors_show,
		.write = colors_write,
		.flags = CFTYPE_NOT_ON_ROOT,
	},
	{
		.name = "colors.effective",
		.seq_show = effective_show,
	},
	{
		.name = "colors.strict",
		.seq_show = strict_show,
		.write = strict_write,
		.flags = CFTYPE_NOT_ON_ROOT,
	},
	{
		.name = "colors.migrate",
		.write = migrate_write,
		.flags = CFTYPE_NOT_ON_ROOT,
	},
	{ }	/* terminate */
};

static int __init cpuset_color_init(void)
{
	return cgroup_add_dfl_cftypes(&cpuset_cgrp_subsys, color_files);
}
subsys_initcall(cpuset_color_init);

/**
 * cpuset_color_online - a new cpuset has its parent's colors
 * @cs: the cpuset
 */
void cpuset_color_online(struct cpuset *cs)
{
	mutex_lock(&page_color_tasks_mutex);
	/* It may have been found by update_descendants() before. */
	page_color_policy_put(cs->color.policy);
	cs->color.policy = page_color_policy_get(parent_policy(cs));
	mutex_unlock(&page_color_tasks_mutex);
}

/**
 * cpuset_color_offline - a cpuset without tasks gives its colors back
 * @cs: the cpuset
 */
void cpuset_color_offline(struct cpuset *cs)
{
	mutex_lock(&page_color_tasks_mutex);
	page_color_policy_put(cs->color.policy);
	cs->color.policy = NULL;
	cs->color.offline = true;
	mutex_unlock(&page_color_tasks_mutex);
}

/**
 * cpuset_color_attach - a task comes into a cpuset
 * @cs: the cpuset
 * @task: the task
 */
void cpuset_color_attach(struct cpuset *cs, struct task_struct *task)
{
	/* The task is in the cpuset: who changes its policy meanwhile rebinds it. */
	if (!page_color_enabled() || page_color_is_bound(task, &cs->color.policy))
		return;
	mutex_lock(&page_color_tasks_mutex);
	page_color_rebind(task, cs->color.policy);
	mutex_unlock(&page_color_tasks_mutex);
}

/**
 * cpuset_color_fork - a task is new in a cpuset
 * @cs: the cpuset
 * @task: the task, not running yet. It has the policy that its parent had when
 *	it was copied
 */
void cpuset_color_fork(struct cpuset *cs, struct task_struct *task)
{
	cpuset_color_attach(cs, task);
}

/**
 * cpuset_page_color - colors of the cpuset of the current task
 *
 * Context: under page_color_tasks_mutex.
 * Return: the policy or NULL.
 */
struct page_color_policy *cpuset_page_color(void)
{
	struct page_color_policy *policy;

	rcu_read_lock();
	policy = task_cs(current)->color.policy;
	rcu_read_unlock();
	return policy;
}
