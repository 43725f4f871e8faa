// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: more colors for a program that has used up its own.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page_color.h>
#include "page_color_buddy.h"
#include "page_color_held.h"

/* The policy that follows one whose colors are used up, with one more. */
static struct page_color_policy *grown_policy(struct page_color_policy *policy)
{
	const struct page_color_policy *group = cpuset_page_color();
	struct page_color_policy *next;

	lockdep_assert_held(&page_color_tasks_mutex);
	if (policy->next)
		return policy->next;
	if (time_before(jiffies, READ_ONCE(policy->full_until)))
		return NULL;
	if (page_color_hold_more(policy->hold, 1))
		goto full;
	next = page_color_policy_claim(policy->set.some[0], 1, policy->nid,
				       policy->flags & ~PAGE_COLOR_OWN,
				       policy->user, group);
	if (IS_ERR(next)) {
		page_color_hold_count(policy->hold);
		goto full;
	}
	refcount_inc(&policy->hold->ref);
	page_color_hold_join(policy->hold, next);
	page_color_set_asked(next, next->set.some[0], policy->asked_flags, group);
	next->reserve = page_color_reserve_get(policy);
	WRITE_ONCE(policy->next, next);
	return next;

full:
	WRITE_ONCE(policy->full_until, jiffies + HZ);
	return NULL;
}

/* Pages of the colors may wait on the lists of other CPUs. */
static bool drained(struct page_color_policy *policy)
{
	if (time_before(jiffies, READ_ONCE(policy->drained) + HZ / 10))
		return false;
	WRITE_ONCE(policy->drained, jiffies);
	drain_all_pages(NULL);
	page_color_forget_misses();
	return true;
}

/**
 * page_color_grow - the current program needs more memory than its colors have
 * @alloc_flags: of the allocation that found nothing
 * @ac: as well
 *
 * Other tasks of it follow when they find nothing, too.
 *
 * Context: may sleep and reclaim; not in a scope.
 * Return: true if the allocation is to be tried again: it has more colors now,
 * or CPUs had pages of its own.
 */
bool page_color_grow(int alloc_flags, const struct alloc_context *ac)
{
	struct page_color_policy *policy, *next = NULL;
	bool again = false;

	if (!current->mm)
		return false;
	policy = page_color_policy_at(&current->page_color);
	if (!policy || !(policy->flags & PAGE_COLOR_PROGRAM))
		goto out;
	if (!READ_ONCE(policy->next)) {
		if (time_before(jiffies, READ_ONCE(policy->full_until)) ||
		    !page_color_used_up(policy, alloc_flags, ac))
			goto out;
		again = drained(policy);
		if (again)
			goto out;
	}
	mutex_lock(&page_color_tasks_mutex);
	/* It may have been given others while this waited. */
	if (rcu_access_pointer(current->page_color) == policy)
		next = grown_policy(policy);
	if (next)
		page_color_use(page_color_policy_get(next));
	mutex_unlock(&page_color_tasks_mutex);
out:
	page_color_policy_put(policy);
	return again || next;
}
