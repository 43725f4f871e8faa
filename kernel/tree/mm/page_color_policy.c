// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: policies that tasks and their memory have.
 *
 * A task has the policy that it or its group chose, an mm that of the task which
 * chose last: pages that others allocate for it have these colors, too.
 */
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/slab.h>
#include "internal.h"
#include "page_color.h"

/* See linux/page_color.h. */
DEFINE_MUTEX(page_color_tasks_mutex);

/**
 * page_color_policy_at - the policy that a task or an mm has now
 * @from: where it is
 *
 * Return: the policy with a reference, NULL if there is none.
 */
struct page_color_policy *
page_color_policy_at(struct page_color_policy __rcu **from)
{
	struct page_color_policy *policy;

	rcu_read_lock();
	do {
		policy = rcu_dereference(*from);
	} while (policy && !refcount_inc_not_zero(&policy->ref));
	rcu_read_unlock();
	return policy;
}

/* What a new task or mm gets from the current one. */
static struct page_color_policy *inherited(void)
{
	struct page_color_policy *policy = page_color_policy_at(&current->page_color);

	page_color_join(policy);
	return policy;
}

/**
 * page_color_fork - a new task has its parent's colors
 * @task: copy of current, not running yet
 */
void page_color_fork(struct task_struct *task)
{
	RCU_INIT_POINTER(task->page_color, inherited());
	task->page_color_scope = NULL;
}

/**
 * page_color_set_task - a task has another policy
 * @task: the task
 * @policy: the policy or NULL, with a reference that is taken over
 */
void page_color_set_task(struct task_struct *task, struct page_color_policy *policy)
{
	page_color_join(policy);
	policy = unrcu_pointer(xchg(&task->page_color, RCU_INITIALIZER(policy)));
	page_color_leave(policy);
	page_color_policy_put(policy);
}

/**
 * page_color_exit - a task needs its colors no more
 * @task: the task; may be called twice
 */
void page_color_exit(struct task_struct *task)
{
	if (rcu_access_pointer(task->page_color))
		page_color_set_task(task, NULL);
}

/**
 * page_color_set_mm - an mm has another policy
 * @mm: the mm
 * @policy: the policy or NULL, with a reference that is taken over
 */
void page_color_set_mm(struct mm_struct *mm, struct page_color_policy *policy)
{
	page_color_join(policy);
	policy = unrcu_pointer(xchg(&mm->page_color, RCU_INITIALIZER(policy)));
	page_color_leave(policy);
	page_color_policy_put(policy);
}

/*
 * Does a task decide for the mm that it works in? Not one that borrows its parent's,
 * as a child of vfork() until it executes a program.
 */
static bool decides_for(struct task_struct *task, struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	struct task_struct *owner;
	bool yes;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	yes = !owner || same_thread_group(owner, task);
	rcu_read_unlock();
	return yes;
#else
	return !task->vfork_done;
#endif
}

/* Threads that are asked when another has lost its policy: many may do so at once. */
#define ASKED_THREADS	512

/**
 * page_color_update_mm - an mm has what its task has now
 * @task: the task
 * @mm: its mm, or one that it borrows, which does not change
 *
 * Where the task has no policy the mm has what another thread has still, the next
 * first: when a cgroup loses its colors, its threads do so in their order.
 */
void page_color_update_mm(struct task_struct *task, struct mm_struct *mm)
{
	struct page_color_policy *policy = page_color_policy_at(&task->page_color);
	struct task_struct *t = task;
	unsigned int n;

	if (!decides_for(task, mm)) {
		page_color_policy_put(policy);
		return;
	}
	rcu_read_lock();
	for (n = 0; !policy && n < ASKED_THREADS; n++) {
		t = next_thread(t);
		if (t == task)
			break;
		policy = page_color_policy_at(&t->page_color);
	}
	rcu_read_unlock();
	page_color_set_mm(mm, policy);
}

/**
 * page_color_mm_init - a new mm is colored as the task that makes it
 * @mm: for fork or for exec
 */
void page_color_mm_init(struct mm_struct *mm)
{
	RCU_INIT_POINTER(mm->page_color, inherited());
}

/**
 * page_color_mm_exit - nobody faults for this mm any more
 * @mm: the mm
 */
void page_color_mm_exit(struct mm_struct *mm)
{
	if (rcu_access_pointer(mm->page_color))
		page_color_set_mm(mm, NULL);
}

/**
 * page_color_enter_mm - allocations from now on are for another task's memory
 * @mm: whose memory
 *
 * It is the policy that a task of the mm set last.
 *
 * Return: for page_color_leave_mm().
 */
struct page_color_policy *page_color_enter_mm(struct mm_struct *mm)
{
	struct page_color_policy *scope = current->page_color_scope;
	struct page_color_policy *policy = NULL;

	if (mm_has_page_color(mm))
		policy = page_color_policy_at(&mm->page_color);
	current->page_color_scope = policy ?: &page_color_any_policy;
	return scope;
}

/**
 * page_color_leave_mm - back to the colors before page_color_enter_mm()
 * @scope: what it returned
 */
void page_color_leave_mm(struct page_color_policy *scope)
{
	struct page_color_policy *policy = current->page_color_scope;

	current->page_color_scope = scope;
	if (policy != &page_color_any_policy)
		page_color_policy_put(policy);
}

/**
 * page_color_relax_scope - allocations from now on may have other colors as well
 *
 * After page_color_enter_mm(), where its colors are used up and it is not for the
 * process whose memory it is that this fails. Pages of other colors are counted.
 *
 * Context: may sleep.
 * Return: false if they might before, or for want of memory.
 */
bool page_color_relax_scope(void)
{
	struct page_color_policy *policy = current->page_color_scope, *relaxed;

	if (!policy || !(policy->flags & PAGE_COLOR_STRICT))
		return false;
	relaxed = kzalloc(sizeof(*relaxed), GFP_KERNEL);
	if (!relaxed)
		return false;
	refcount_set(&relaxed->ref, 1);
	relaxed->flags = PAGE_COLOR_MIGRATION;
	relaxed->nid = policy->nid;
	relaxed->id = policy->id;
	relaxed->set = policy->set;
	current->page_color_scope = relaxed;
	page_color_policy_put(policy);
	return true;
}

/**
 * page_color_orders_of_mm - the large folios that tasks with colors may have
 * @mm: the mm
 *
 * Return: a mask of the orders of blocks that have no color but those of the
 * policy that a task of it set last.
 */
unsigned long page_color_orders_of_mm(struct mm_struct *mm)
{
	const struct page_color_policy *policy;
	unsigned long orders = 0;
	unsigned int order;

	rcu_read_lock();
	policy = rcu_dereference(mm->page_color);
	for (order = 0; policy && order < NR_PAGE_ORDERS; order++)
		if (!bitmap_empty(policy->set.all[order], PAGE_COLOR_SET_BITS))
			orders |= BIT(order);
	rcu_read_unlock();
	return policy ? orders : ~0UL;
}

/**
 * page_color_mm_may_have - is the color of a frame the mm's, or nobody's?
 * @mm: for which the page is to be copied to its colors
 * @pfn: number of the frame
 *
 * Return: false if somebody owns the color, and not the task of the mm that
 * set its colors last.
 */
bool page_color_mm_may_have(struct mm_struct *mm, unsigned long pfn)
{
	const struct page_color_policy *policy;
	bool yes;

	if (!pfn_color_owned(pfn))
		return true;
	rcu_read_lock();
	policy = rcu_dereference(mm->page_color);
	yes = policy && test_bit(page_color_of(&page_color_map, pfn),
				 policy->set.some[0]);
	rcu_read_unlock();
	return yes;
}
