// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what is short, colors or memory?
 *
 * Colors are used up if no page of them is free. That an allocation failed does not
 * mean this: below its watermarks a zone gives nothing to anybody, whatever the
 * colors.
 */
#include <linux/cpuset.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page_color.h>
#include "page_color_buddy.h"

/* Blocks that are looked at in one hold of zone->lock. */
#define LOOK_AT_ONCE	PAGE_COLOR_HOLD

/* Has a free list a block with a page of the colors? One of the first, at least. */
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
		found = test_bit(page_color_of_page(page), set->some[order]);
		if (found || !--left)
			break;
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return found;
}

/* Has the index a block with a page of the colors? */
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

/* Is a zone of those that a policy is for? */
static bool is_of(struct zone *zone, const struct page_color_policy *policy)
{
	return policy->nid == NUMA_NO_NODE || policy->nid == zone_to_nid(zone);
}

static bool is_above_mark(struct zone *zone, int alloc_flags,
			  const struct alloc_context *ac)
{
	unsigned long mark = wmark_pages(zone, alloc_flags & ALLOC_WMARK_MASK);

	return zone_watermark_ok(zone, 0, mark, ac->highest_zoneidx, alloc_flags);
}

/**
 * page_color_used_up - are no pages of a policy's colors free?
 * @policy: the policy
 * @alloc_flags: of the allocation that found none
 * @ac: as well
 *
 * Zones that are above their watermark were searched just now. Others are asked, if
 * the allocation may ever use them.
 *
 * Context: may sleep.
 * Return: true if so.
 */
bool page_color_used_up(const struct page_color_policy *policy, int alloc_flags,
			const struct alloc_context *ac)
{
	struct zoneref *z;
	struct zone *zone;

	for_each_zone_zonelist_nodemask(zone, z, ac->zonelist, ac->highest_zoneidx,
					ac->nodemask) {
		unsigned long mark = wmark_pages(zone, alloc_flags & ALLOC_WMARK_MASK);

		if (!is_of(zone, policy) || is_above_mark(zone, alloc_flags, ac))
			continue;
		if (mark + zone->lowmem_reserve[ac->highest_zoneidx] <
		    zone_managed_pages(zone) && zone_has(zone, &policy->set))
			return false;
	}
	return true;
}

/**
 * page_color_lack - what does the current task lack, colors or memory?
 * @gfp: of an allocation that may have pages of its colors alone
 * @alloc_flags: as well
 * @ac: as well
 *
 * If there is memory for it, but not of its colors, it is its own fault: who else has
 * memory cannot help. Nor can anybody where no frame has its colors. If memory is
 * short, whose pages are of which color does not count.
 *
 * Context: may sleep.
 * Return: what it lacks.
 */
enum page_color_lack page_color_lack(gfp_t gfp, int alloc_flags,
				     const struct alloc_context *ac)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	struct page_color_policy *policy;
	bool above = false, exist = false, has = false;
	struct zoneref *z;
	struct zone *zone;

	policy = page_color_get_current();
	if (!policy)
		return PAGE_COLOR_LACKS_MEMORY;
	for_each_zone_zonelist_nodemask(zone, z, ac->zonelist, ac->highest_zoneidx,
					ac->nodemask) {
		if (!is_of(zone, policy) || !cpuset_zone_allowed(zone, gfp))
			continue;
		page_color_of_node(zone_to_nid(zone), colors);
		if (!bitmap_intersects(colors, policy->set.some[0], PAGE_COLOR_MAX))
			continue;
		exist = true;
		/* What a zone has below its mark nobody gets. */
		if (!is_above_mark(zone, alloc_flags, ac))
			continue;
		above = true;
		/* Somebody gave it back, or its colors were not asked for lately. */
		has |= zone_has(zone, &policy->set);
	}
	if (has)
		page_color_forget_misses();
	page_color_policy_put(policy);
	if (has)
		return PAGE_COLOR_LACKS_NOTHING;
	return above || !exist ? PAGE_COLOR_LACKS_COLORS : PAGE_COLOR_LACKS_MEMORY;
}
