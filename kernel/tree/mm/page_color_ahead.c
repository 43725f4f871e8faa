// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages that are allocated ahead.
 *
 * Whoever comes first pays for taking a page out of a large block, and that is
 * most of what the longest faults cost. A policy may hold pages that were taken
 * before; its tasks use them up first. They are not mapped and not movable. The
 * cgroup of whoever asked for them is charged, as for memory of the kernel, until
 * one is used: then the fault charges its own. All policies together hold no more
 * than a limit, and a shrinker gives pages back when memory is short. See
 * Documentation/admin-guide/mm/page_color.rst.
 */
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include "page_color.h"
#include "page_color_held.h"

/* Of all policies, and of these by node. */
atomic_long_t page_color_nr_ahead;
atomic_long_t page_color_ahead_of_node[MAX_NUMNODES];
/**
 * page_color_ahead_left - a page is not ahead any more
 * @page: the page
 */
void page_color_ahead_left(struct page *page)
{
	atomic_long_dec(&page_color_nr_ahead);
	atomic_long_dec(&page_color_ahead_of_node[page_to_nid(page)]);
}

/**
 * page_color_ahead_free - give pages back to the zone
 * @pages: on their lru
 */
void page_color_ahead_free(struct list_head *pages)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, pages, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
}

/**
 * page_color_ahead_init - a new policy holds no pages
 * @policy: the policy
 */
void page_color_ahead_init(struct page_color_policy *policy)
{
	spin_lock_init(&policy->ahead_lock);
	INIT_LIST_HEAD(&policy->ahead);
	INIT_LIST_HEAD(&policy->ahead_node);
}

/**
 * page_color_ahead_exit - a policy that nobody has holds no pages
 * @policy: the policy
 */
void page_color_ahead_exit(struct page_color_policy *policy)
{
	page_color_shrink_forget(policy);
	page_color_ahead_trim(policy, 0);
}

/* Of @most pages of all, and within the limit of the current task's cgroup? */
static bool may_hold(struct page *page, unsigned long most)
{
	/* Nobody is killed for it, and nothing reclaimed: that would be these. */
	const gfp_t gfp = GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN;

	if (atomic_long_inc_return(&page_color_nr_ahead) > most) {
		atomic_long_inc(&page_color_limited[PAGE_COLOR_LIMITED_AHEAD]);
		goto no;
	}
	if (!memcg_kmem_charge_page(page, gfp, 0))
		return true;
no:
	atomic_long_dec(&page_color_nr_ahead);
	return false;
}

/**
 * page_color_ahead_add - hold pages for the tasks of a policy
 * @policy: the policy, of the current task or the program that it executes
 * @pages: allocated pages, on their lru; they belong to the policy from now on
 * @n: how many they are
 *
 * Context: may sleep.
 * Return: false if some were given back, as no more may be held.
 */
bool page_color_ahead_add(struct page_color_policy *policy,
			  struct list_head *pages, unsigned int n)
{
	unsigned long most = page_color_limit_of_all(READ_ONCE(page_color_limits.ahead));
	struct page *page, *next;
	unsigned int held = 0;
	unsigned long flags;
	LIST_HEAD(ready);

	list_for_each_entry_safe(page, next, pages, lru) {
		if (!may_hold(page, most))
			break;
		atomic_long_inc(&page_color_ahead_of_node[page_to_nid(page)]);
		list_move_tail(&page->lru, &ready);
		held++;
	}
	page_color_ahead_free(pages);
	if (!held)
		return false;

	spin_lock_irqsave(&policy->ahead_lock, flags);
	list_splice_tail(&ready, &policy->ahead);
	WRITE_ONCE(policy->nr_ahead, policy->nr_ahead + held);
	spin_unlock_irqrestore(&policy->ahead_lock, flags);
	page_color_shrink_ask(policy);
	return held == n;
}

/**
 * page_color_ahead_take - use a page that was allocated ahead
 * @policy: the policy; may be released meanwhile
 * @zone: the zone that the page is to be of
 *
 * Context: under rcu_read_lock().
 * Return: the page, with a reference; NULL if the next one is not of @zone.
 */
struct page *page_color_ahead_take(struct page_color_policy *policy,
				   const struct zone *zone)
{
	unsigned long flags;
	struct page *page;

	spin_lock_irqsave(&policy->ahead_lock, flags);
	page = list_first_entry_or_null(&policy->ahead, struct page, lru);
	if (page && page_is_in_zone(page, zone)) {
		list_del(&page->lru);
		WRITE_ONCE(policy->nr_ahead, policy->nr_ahead - 1);
		page_color_ahead_left(page);
	} else {
		page = NULL;
	}
	spin_unlock_irqrestore(&policy->ahead_lock, flags);
	return page;
}

/* Take up to @max pages of those above @keep out of the list. */
static void take_some(struct page_color_policy *policy, unsigned int keep,
		      unsigned int max, struct list_head *pages)
{
	unsigned int n = 0;
	unsigned long flags;

	spin_lock_irqsave(&policy->ahead_lock, flags);
	while (policy->nr_ahead > keep && n < max) {
		page_color_ahead_left(list_last_entry(&policy->ahead, struct page, lru));
		list_move(policy->ahead.prev, pages);
		WRITE_ONCE(policy->nr_ahead, policy->nr_ahead - 1);
		n++;
	}
	spin_unlock_irqrestore(&policy->ahead_lock, flags);
}

/**
 * page_color_ahead_trim - give pages back
 * @policy: the policy
 * @keep: how many it may keep
 */
void page_color_ahead_trim(struct page_color_policy *policy, unsigned int keep)
{
	LIST_HEAD(pages);

	while (READ_ONCE(policy->nr_ahead) > keep) {
		take_some(policy, keep, PAGE_COLOR_BATCH, &pages);
		page_color_ahead_free(&pages);
	}
}

/**
 * page_color_ahead_set - the current thread's colors hold so many pages
 * @pages: how many
 *
 * Context: may sleep.
 * Return: how many they hold then, fewer if there are no more on the node, or at a
 * limit, or an error: -EINVAL, -EPERM as others miss them, -ENODATA without
 * colors, -EINTR.
 */
long page_color_ahead_set(unsigned long pages)
{
	struct page_color_policy *policy;
	long n;

	if (pages > PAGE_COLOR_AHEAD_MAX)
		return -EINVAL;
	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	policy = page_color_policy_at(&current->page_color);
	if (!policy)
		return -ENODATA;
	page_color_ahead_trim(policy, pages);
	page_color_ahead_fill(policy, pages);
	n = fatal_signal_pending(current) ? -EINTR : READ_ONCE(policy->nr_ahead);
	page_color_policy_put(policy);
	return n;
}
