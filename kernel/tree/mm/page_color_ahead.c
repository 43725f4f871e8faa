// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: pages that are allocated ahead.
 *
 * Whoever comes first pays for taking a page out of a large block, and that is
 * most of what the longest faults cost. A policy may hold pages that were taken
 * before; its tasks use them up first. They are nobody's: not mapped, not
 * movable, not charged to a cgroup. See Documentation/admin-guide/mm/page_color.rst.
 */
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include "page_color.h"

/* Of all policies. */
atomic_long_t page_color_nr_ahead;

/**
 * page_color_ahead_init - a new policy holds no pages
 * @policy: the policy
 */
void page_color_ahead_init(struct page_color_policy *policy)
{
	spin_lock_init(&policy->ahead_lock);
	INIT_LIST_HEAD(&policy->ahead);
}

/**
 * page_color_ahead_add - hold pages for the tasks of a policy
 * @policy: the policy
 * @pages: allocated pages, on their lru; they belong to the policy from now on
 * @n: how many they are
 */
void page_color_ahead_add(struct page_color_policy *policy,
			  struct list_head *pages, unsigned int n)
{
	unsigned long flags;

	spin_lock_irqsave(&policy->ahead_lock, flags);
	list_splice_tail(pages, &policy->ahead);
	policy->nr_ahead += n;
	spin_unlock_irqrestore(&policy->ahead_lock, flags);
	atomic_long_add(n, &page_color_nr_ahead);
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
	if (page && page_zone(page) == zone) {
		list_del(&page->lru);
		policy->nr_ahead--;
		atomic_long_dec(&page_color_nr_ahead);
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
		list_move(policy->ahead.prev, pages);
		policy->nr_ahead--;
		n++;
	}
	spin_unlock_irqrestore(&policy->ahead_lock, flags);
	atomic_long_sub(n, &page_color_nr_ahead);
}

/**
 * page_color_ahead_trim - give pages back
 * @policy: the policy
 * @keep: how many it may keep
 */
void page_color_ahead_trim(struct page_color_policy *policy, unsigned int keep)
{
	struct page *page, *next;
	LIST_HEAD(pages);

	while (READ_ONCE(policy->nr_ahead) > keep) {
		take_some(policy, keep, PAGE_COLOR_BATCH, &pages);
		list_for_each_entry_safe(page, next, &pages, lru) {
			list_del(&page->lru);
			__free_page(page);
		}
	}
}

/**
 * page_color_ahead_set - the current thread's colours hold so many pages
 * @pages: how many
 *
 * Context: may sleep.
 * Return: how many they hold then, fewer if there are no more on the node, or an
 * error: -EINVAL, -EPERM as they are charged to nobody, -ENODATA without colours,
 * -EINTR.
 */
long page_color_ahead_set(unsigned long pages)
{
	struct page_color_policy *policy;
	long n;

	if (pages > PAGE_COLOR_AHEAD_MAX)
		return -EINVAL;
	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	policy = page_color_policy_of_current();
	if (!policy)
		return -ENODATA;
	page_color_ahead_trim(policy, pages);
	page_color_ahead_fill(policy, pages);
	n = fatal_signal_pending(current) ? -EINTR : READ_ONCE(policy->nr_ahead);
	page_color_policy_put(policy);
	return n;
}
