// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: more colours for a program that has used up its own.
 *
 * They are used up if no page of them is free on its node. That an allocation
 * failed does not mean this: below its watermarks a zone gives nothing to
 * anybody, whatever the colours.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page_color.h>
#include "page_color_buddy.h"
#include "page_color_held.h"

/* Blocks that are looked at in one hold of zone->lock. */
#define LOOK_AT_ONCE	PAGE_COLOR_HOLD

/* Has a free list a block with a page of the colours? One of the first, at least. */
static bool list_has(struct zone *zone, unsigned int order, unsigned int mt,
		     const struct page_color_set *set)
{
	struct list_head *list = &zone->free_area[order].free_list[mt];
	unsigned int left = LOOK_AT_ONCE;
	unsigned long flags;
	struct page *page;
	bool found = false;

	spin_lock_irqsave(&zone->lock, flags);
	list_for_each_entry(page, list, buddy_list) {
		found = test_bit(page_color_of(&page_color_map, page_to_pfn(page)),
				 set->some[order]);
		if (found || !--left)
			break;
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return found;
}

/* Has the index a block with a page of the colours? */
static bool index_has(struct zone *zone, int type, const struct page_color_set *set)
{
	unsigned int order;
	unsigned long flags;
	bool found = false;

	spin_lock_irqsave(&zone->lock, flags);
	for (order = 0; zone->color && !found && order < NR_PAGE_ORDERS; order++)
		found = page_color_first(zone->color, type, order, set->some[order]);
	spin_unlock_irqrestore(&zone->lock, flags);
	return found;
}

static bool zone_has(struct zone *zone, const struct page_color_set *set)
{
	unsigned int mt, order;

	for (mt = 0; mt < MIGRATE_PCPTYPES; mt++) {
		if (index_has(zone, mt, set))
			return true;
		for (order = 1; order < NR_PAGE_ORDERS; order++) {
			if (list_has(zone, order, mt, set))
				return true;
			cond_resched();
		}
	}
	return false;
}

/*
 * Are no pages of the colours free? Zones that are above their watermark were
 * searched just now. Others are asked, if the allocation may ever use them.
 */
static bool used_up(const struct page_color_policy *policy, int alloc_flags,
		    const struct alloc_context *ac)
{
	struct zoneref *z;
	struct zone *zone;

	for_each_zone_zonelist_nodemask(zone, z, ac->zonelist, ac->highest_zoneidx,
					ac->nodemask) {
		unsigned long mark = wmark_pages(zone, alloc_flags & ALLOC_WMARK_MASK);

		if (zone_to_nid(zone) != policy->nid ||
		    zone_watermark_ok(zone, 0, mark, ac->highest_zoneidx, alloc_flags))
			continue;
		if (mark + zone->lowmem_reserve[ac->highest_zoneidx] <
		    zone_managed_pages(zone) && zone_has(zone, &policy->set))
			return false;
	}
	return true;
}

/* The policy that follows one whose colours are used up, with one more. */
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
		page_color_hold_less(policy->hold, 1);
		goto full;
	}
	refcount_inc(&policy->hold->ref);
	next->hold = policy->hold;
	page_color_set_asked(next, next->set.some[0], policy->asked_flags, group);
	next->reserve = page_color_reserve_get(policy);
	policy->next = next;
	return next;

full:
	policy->full_until = jiffies + HZ;
	return NULL;
}

/* Pages of the colours may wait on the lists of other CPUs. */
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
 * page_color_grow - the current program needs more memory than its colours have
 * @alloc_flags: of the allocation that found nothing
 * @ac: as well
 *
 * Other tasks of it follow when they find nothing, too.
 *
 * Context: may sleep and reclaim; not in a scope.
 * Return: true if the allocation is to be tried again: it has more colours now,
 * or CPUs had pages of its own.
 */
bool page_color_grow(int alloc_flags, const struct alloc_context *ac)
{
	struct page_color_policy *policy, *next = NULL;
	bool again = false;

	if (!current->mm)
		return false;
	policy = page_color_policy_of_current();
	if (!policy || !(policy->flags & PAGE_COLOR_PROGRAM))
		goto out;
	if (!READ_ONCE(policy->next)) {
		if (time_before(jiffies, READ_ONCE(policy->full_until)) ||
		    !used_up(policy, alloc_flags, ac))
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
