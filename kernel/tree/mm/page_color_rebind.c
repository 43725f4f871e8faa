// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what a task gets of what it asked for, within its cgroup.
 *
 * A task keeps what it asked for. It has as much of that as the cgroup it is in has,
 * and gets it anew when it moves to another one, or the colors of this one change.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_held.h"

/**
 * page_color_policy_within - a policy of colors that a group has
 * @colors: PAGE_COLOR_MAX bits
 * @flags: of the policy; a strict group makes it strict
 * @group: the group's policy; NULL for all colors
 * @fallback: all colors of the group if it has none of @colors
 * @user: whom it is counted for
 *
 * Return: the policy with one reference, or an error.
 */
struct page_color_policy *
page_color_policy_within(const unsigned long *colors, unsigned int flags,
			 const struct page_color_policy *group, bool fallback,
			 kuid_t user)
{
	DECLARE_BITMAP(both, PAGE_COLOR_MAX);

	if (!group)
		return page_color_policy_create(colors, flags, user);
	flags |= group->flags & PAGE_COLOR_STRICT;
	if (!bitmap_and(both, colors, group->set.some[0], PAGE_COLOR_MAX)) {
		if (!fallback)
			return ERR_PTR(-EINVAL);
		bitmap_copy(both, group->set.some[0], PAGE_COLOR_MAX);
	}
	return page_color_policy_create(both, flags, user);
}

static u64 id_of(const struct page_color_policy *group)
{
	return group ? group->id : 0;
}

/**
 * page_color_set_asked - note what a task asked for
 * @policy: its policy, which nobody else sees yet
 * @asked: the colors
 * @flags: as it asked for them
 * @group: that they are limited to, or NULL
 */
void page_color_set_asked(struct page_color_policy *policy,
			  const unsigned long *asked, unsigned int flags,
			  const struct page_color_policy *group)
{
	policy->flags |= PAGE_COLOR_OWN | (flags & PAGE_COLOR_DELEGATED);
	bitmap_copy(policy->asked, asked, PAGE_COLOR_MAX);
	policy->asked_flags = flags;
	policy->group_id = id_of(group);
}

/* What a task asked for, within its group. */
static struct page_color_policy *
own_policy(const unsigned long *asked, unsigned int flags,
	   const struct page_color_policy *group, bool fallback, kuid_t user)
{
	struct page_color_policy *policy;

	policy = page_color_policy_within(asked, flags & ~PAGE_COLOR_DELEGATED,
					  group, fallback, user);
	if (!IS_ERR(policy))
		page_color_set_asked(policy, asked, flags, group);
	return policy;
}

/* Colors that no other task has, within the group, for a program of @line. */
static struct page_color_policy *
program_policy(struct page_color_line *line, const struct page_color_wish *wish,
	       kuid_t user, int nid, const struct page_color_policy *group)
{
	DECLARE_BITMAP(none, PAGE_COLOR_MAX) = {};
	unsigned int flags = wish->flags;
	struct page_color_policy *policy;
	struct page_color_hold *hold;

	hold = page_color_hold_create(line, user, wish->colors, wish->most);
	if (IS_ERR(hold))
		return ERR_CAST(hold);
	if (group)
		flags |= group->flags & PAGE_COLOR_STRICT;
	policy = page_color_policy_claim(none, wish->colors, nid,
					 flags | PAGE_COLOR_PROGRAM, user, group);
	if (IS_ERR(policy)) {
		page_color_hold_put(hold);
		return policy;
	}
	page_color_hold_join(hold, policy);
	page_color_set_asked(policy, policy->set.some[0], flags, group);
	return policy;
}

/**
 * page_color_program_policy - colors for a program that the task executes
 * @line: that it was registered by
 * @wish: what this says
 *
 * The group may have other colors by now: see page_color_exec_done().
 *
 * Return: the policy with one reference, or an error: as
 * page_color_policy_claim(), -EAGAIN at a limit.
 */
struct page_color_policy *
page_color_program_policy(struct page_color_line *line,
			  const struct page_color_wish *wish)
{
	struct page_color_policy *policy, *group;

	mutex_lock(&page_color_tasks_mutex);
	group = page_color_policy_get(cpuset_page_color());
	mutex_unlock(&page_color_tasks_mutex);
	policy = program_policy(line, wish, page_color_user(), numa_mem_id(), group);
	page_color_policy_put(group);
	return policy;
}

static bool is_program(const struct page_color_policy *policy)
{
	return policy && policy->flags & PAGE_COLOR_PROGRAM;
}

/*
 * A program stays in the colors that it has as far as its group has them, as its
 * memory is there, and gets others for the rest. If there are none it has fewer.
 */
static struct page_color_policy *
moved_program(struct page_color_policy *old,
	      const struct page_color_policy *group)
{
	unsigned int flags = old->asked_flags | PAGE_COLOR_PROGRAM, n;
	DECLARE_BITMAP(have, PAGE_COLOR_MAX);
	struct page_color_policy *policy;
	int err;

	bitmap_copy(have, old->set.some[0], PAGE_COLOR_MAX);
	if (group) {
		bitmap_and(have, have, group->set.some[0], PAGE_COLOR_MAX);
		flags |= group->flags & PAGE_COLOR_STRICT;
	}
	n = bitmap_weight(old->asked, PAGE_COLOR_MAX) - bitmap_weight(have, PAGE_COLOR_MAX);
	/* Other threads may have the old ones still. */
	err = page_color_hold_move(old->hold, n);
	policy = err ? ERR_PTR(err) :
		       page_color_policy_claim(have, n, old->nid, flags, old->user, group);
	if (IS_ERR(policy) && n && !bitmap_empty(have, PAGE_COLOR_MAX))
		policy = page_color_policy_claim(have, 0, old->nid, flags, old->user,
						 group);
	if (IS_ERR(policy)) {
		page_color_hold_count(old->hold);
		return policy;
	}
	refcount_inc(&old->hold->ref);
	page_color_hold_join(old->hold, policy);
	page_color_set_asked(policy, old->asked, old->asked_flags, group);
	/* Its pages have the old colors. */
	if (bitmap_equal(policy->set.some[0], old->set.some[0], PAGE_COLOR_MAX))
		policy->reserve = page_color_reserve_get(old);
	return policy;
}

/**
 * page_color_exec_mm - give the mm that exec builds its colors
 * @mm: the mm; it has those of the current task
 * @policy: of the program, with a reference; NULL if it is not registered. Then
 *	it does not get those of the program that executes it
 */
void page_color_exec_mm(struct mm_struct *mm, struct page_color_policy *policy)
{
	/* Nobody else knows the mm. */
	if (policy) {
		page_color_set_mm(mm, policy);
	} else if (is_program(rcu_dereference_protected(mm->page_color, true))) {
		mutex_lock(&page_color_tasks_mutex);
		page_color_set_mm(mm, page_color_policy_get(cpuset_page_color()));
		mutex_unlock(&page_color_tasks_mutex);
	}
}

/*
 * Has exec nothing to do? Who rebinds the task meanwhile changes the task's
 * policy first. It finds the new mm if it looks for that after exec has
 * installed it, under the same lock; else its change is seen here.
 */
static bool is_settled(struct mm_struct *mm)
{
	const struct page_color_policy *policy, *old;
	bool yes;

	rcu_read_lock();
	policy = rcu_dereference(mm->page_color);
	old = rcu_dereference(current->page_color);
	yes = policy == old && !is_program(old);
	rcu_read_unlock();
	return yes;
}

/**
 * page_color_exec_done - the current task executes the program for certain
 * @mm: its new mm
 */
void page_color_exec_done(struct mm_struct *mm)
{
	struct page_color_policy *policy, *old;

	if (!page_color_enabled() || is_settled(mm))
		return;
	mutex_lock(&page_color_tasks_mutex);
	policy = page_color_policy_at(&mm->page_color);
	old = page_color_policy_at(&current->page_color);
	if (is_program(policy) || is_program(old))
		page_color_set_task(current, page_color_policy_get(policy));
	/* The group may have changed since page_color_exec(). */
	page_color_rebind(current, cpuset_page_color());
	page_color_set_mm(mm, page_color_policy_at(&current->page_color));
	page_color_policy_put(old);
	page_color_policy_put(policy);
	mutex_unlock(&page_color_tasks_mutex);
}

/**
 * page_color_use - the current task and the mm that is its own have another policy
 * @policy: the policy, with a reference that is taken over
 *
 * Context: under page_color_tasks_mutex.
 */
void page_color_use(struct page_color_policy *policy)
{
	lockdep_assert_held(&page_color_tasks_mutex);
	page_color_set_task(current, policy);
	page_color_update_mm(current, current->mm);
}

/* May tasks of the group have all colors of the policy? */
static bool is_within(const struct page_color_policy *policy,
		      const struct page_color_policy *group)
{
	if (!group)
		return true;
	if (group->flags & PAGE_COLOR_STRICT && !(policy->flags & PAGE_COLOR_STRICT))
		return false;
	return bitmap_subset(policy->set.some[0], group->set.some[0], PAGE_COLOR_MAX);
}

/* Nothing changes for a task that has what its group gives it. */
static bool is_bound(const struct page_color_policy *policy,
		     const struct page_color_policy *group)
{
	if (is_program(policy) && is_within(policy, group) &&
	    bitmap_weight(policy->set.some[0], PAGE_COLOR_MAX) >=
	    bitmap_weight(policy->asked, PAGE_COLOR_MAX))
		return true;
	if (policy && policy->flags & PAGE_COLOR_OWN)
		return policy->group_id == id_of(group);
	return policy == group;
}

/**
 * page_color_is_bound - has a task the colors that its group gives it?
 * @task: the task, not running
 * @group: the policy of the group, which may change at any time
 *
 * Return: true if page_color_rebind() has nothing to do.
 */
bool page_color_is_bound(struct task_struct *task,
			 struct page_color_policy **group)
{
	bool yes;

	rcu_read_lock();
	yes = is_bound(rcu_dereference(task->page_color), READ_ONCE(*group));
	rcu_read_unlock();
	return yes;
}

/* Of policies' @rebound and @rebound_of. */
static DEFINE_SPINLOCK(rebound_lock);

/* From now on tasks that have @old get @policy in the group that it is for. */
static void set_rebound(struct page_color_policy *old, struct page_color_policy *policy)
{
	unsigned long flags;

	spin_lock_irqsave(&rebound_lock, flags);
	if (old->rebound)
		old->rebound->rebound_of = NULL;
	old->rebound = policy;
	policy->rebound_of = old;
	spin_unlock_irqrestore(&rebound_lock, flags);
}

/* What another task that has @old got in the group, with a reference. */
static struct page_color_policy *
get_rebound(const struct page_color_policy *old, const struct page_color_policy *group)
{
	struct page_color_policy *policy;
	unsigned long flags;

	spin_lock_irqsave(&rebound_lock, flags);
	policy = old->rebound;
	if (policy && (policy->group_id != id_of(group) ||
		       !refcount_inc_not_zero(&policy->ref)))
		policy = NULL;
	spin_unlock_irqrestore(&rebound_lock, flags);
	return policy;
}

/**
 * page_color_forget_rebound - a policy goes away
 * @policy: the policy
 *
 * Context: any.
 */
void page_color_forget_rebound(struct page_color_policy *policy)
{
	unsigned long flags;

	spin_lock_irqsave(&rebound_lock, flags);
	if (policy->rebound)
		policy->rebound->rebound_of = NULL;
	if (policy->rebound_of)
		policy->rebound_of->rebound = NULL;
	spin_unlock_irqrestore(&rebound_lock, flags);
}

/*
 * What a task that has @old gets in a group, with a reference, or an error. Tasks
 * that have shared a choice of their own, or a program's colors, share it again.
 */
static struct page_color_policy *rebound_policy(struct page_color_policy *old,
						struct page_color_policy *group)
{
	struct page_color_policy *policy;

	if (!old || !(old->flags & PAGE_COLOR_OWN) ||
	    (!is_program(old) && !group && old->flags & PAGE_COLOR_DELEGATED))
		return page_color_policy_get(group);
	policy = get_rebound(old, group);
	if (policy)
		return policy;
	if (is_program(old))
		policy = moved_program(old, group);
	else
		policy = own_policy(old->asked, old->asked_flags, group, true, old->user);
	if (!IS_ERR(policy))
		set_rebound(old, policy);
	return policy;
}

/**
 * page_color_rebind - the colors of a task's group are others now
 * @task: the task
 * @group: the policy of the group, NULL for all colors
 *
 * Context: under page_color_tasks_mutex.
 */
void page_color_rebind(struct task_struct *task, struct page_color_policy *group)
{
	struct page_color_policy *policy, *old;
	struct mm_struct *mm;

	lockdep_assert_held(&page_color_tasks_mutex);
	if (task->flags & (PF_KTHREAD | PF_EXITING))
		return;
	old = page_color_policy_at(&task->page_color);
	if (is_bound(old, group))
		goto out;

	policy = rebound_policy(old, group);
	/* Out of memory or at a limit: never a color that the group has not. */
	if (IS_ERR(policy)) {
		if (is_within(old, group))
			goto out;
		policy = page_color_policy_get(group);
	}

	page_color_set_task(task, policy);
	mm = get_task_mm(task);
	if (mm) {
		page_color_update_mm(task, mm);
		/* Not here, under the mutex, if it is the last one. */
		mmput_async(mm);
	}
out:
	page_color_policy_put(old);
}

/**
 * page_color_choose - the current thread chooses its colors
 * @colors: the colors, PAGE_COLOR_MAX bits
 * @flags: PAGE_COLOR_STRICT and so on, kept with what the thread asked for
 *
 * Context: under page_color_tasks_mutex.
 * Return: 0 or an error: -EPERM, or as page_color_policy_within().
 */
long page_color_choose(const unsigned long *colors, unsigned int flags)
{
	struct page_color_policy *policy, *group = cpuset_page_color();

	lockdep_assert_held(&page_color_tasks_mutex);
	/* Colors are taken away from all others, but for those of the group. */
	if (!capable(CAP_SYS_NICE)) {
		if (!group)
			return -EPERM;
		flags |= PAGE_COLOR_DELEGATED;
	}
	policy = own_policy(colors, flags, group, false, page_color_user());
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	page_color_use(policy);
	return 0;
}

/**
 * page_color_choose_none - the current thread has what its group has
 *
 * Context: under page_color_tasks_mutex.
 */
void page_color_choose_none(void)
{
	page_color_use(page_color_policy_get(cpuset_page_color()));
}
