// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: blocks of several pages, for huge pages and large folios of tasks
 * with colors.
 */
#include <linux/cpuset.h>
#include <linux/fault-inject.h>
#include <linux/gfp.h>
#include <linux/kmsan.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <trace/events/kmem.h>
#include "page_color_buddy.h"

/* Take an aligned part of a block, and put the rest back. */
static void take_part(struct zone *zone, struct page *page, unsigned int from,
		      struct page *wanted, unsigned int order, int migratetype)
{
	unsigned int color = page_color_of_page(page), gone = 1U << order;

	page_color_del_block(page, zone, from, migratetype);
	while (from-- > order) {
		unsigned int other = color ^ page_color_map.unit[from];
		struct page *rest = page + (1UL << from);

		if (wanted >= rest) {
			swap(page, rest);
			swap(color, other);
		}
		if (set_page_guard(zone, rest, from))
			gone += 1U << from;
		else
			page_color_put_block(rest, zone, from, migratetype, other);
	}
	page_color_account(zone, -(int)gone, migratetype);
}

/* Where a block of @order that starts with one of @colors is in one of a list. */
static struct page *find_part(struct zone *zone, const struct list_head *list,
			      unsigned int o, const unsigned long *colors,
			      unsigned int order, struct page **block)
{
	unsigned int left = PAGE_COLOR_SCAN;
	struct page *page;

	list_for_each_entry(page, list, buddy_list) {
		long at = page_color_part(&page_color_map, colors,
					  page_color_of_page(page), o, order);

		zone->color->stat[PAGE_COLOR_SCANNED]++;
		*block = page;
		if (at >= 0)
			return page + at;
		if (!--left)
			break;
	}
	return NULL;
}

static struct page *find_wanted(struct zone *zone, const unsigned long *colors,
				unsigned int order, unsigned int *o,
				struct page **block)
{
	struct page_color_zone *index = zone->color;
	const int mt = MIGRATE_MOVABLE;
	struct page *wanted = NULL;
	unsigned int c;

	for (*o = order; *o < NR_PAGE_ORDERS; (*o)++) {
		/* All of a class have the same colors. */
		for_each_set_bit(c, index->avail[page_color_type(mt)][*o], PAGE_COLOR_MAX) {
			if (page_color_part(&page_color_map, colors, c, *o, order) < 0)
				continue;
			wanted = find_part(zone, page_color_list(index, page_color_type(mt),
								 *o, c),
					   *o, colors, order, block);
			if (wanted)
				return wanted;
		}
		wanted = find_part(zone, &zone->free_area[*o].free_list[mt], *o,
				   colors, order, block);
		if (wanted)
			return wanted;
	}
	return NULL;
}

/* A block that starts with one of some colors, or NULL if none is at hand. */
static struct page *take_block(struct zone *zone, const unsigned long *colors,
			       unsigned int order)
{
	struct page *wanted = NULL, *block;
	unsigned long before, flags;
	unsigned int o;

	spin_lock_irqsave(&zone->lock, flags);
	if (zone->color) {
		before = zone->color->stat[PAGE_COLOR_SCANNED];
		wanted = find_wanted(zone, colors, order, &o, &block);
		if (wanted) {
			take_part(zone, block, o, wanted, order, MIGRATE_MOVABLE);
			zone->color->stat[PAGE_COLOR_LARGE]++;
		}
		page_color_count_scan(zone->color, before);
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return wanted;
}

/* A block of the policy's colors alone from one of the zones. */
static struct page *take_large(const struct page_color_policy *policy,
			       const unsigned long *colors, gfp_t gfp,
			       unsigned int order, struct zonelist *zonelist,
			       nodemask_t *nodemask)
{
	struct page *page = NULL;
	struct zone *zone;
	struct zoneref *z;

	for_each_zone_zonelist_nodemask(zone, z, zonelist, gfp_zone(gfp), nodemask) {
		if ((policy->nid != NUMA_NO_NODE && policy->nid != zone_to_nid(zone)) ||
		    !cpuset_zone_allowed(zone, gfp) ||
		    !zone_watermark_ok(zone, order, low_wmark_pages(zone),
				       gfp_zone(gfp), 0))
			continue;
		do {
			page = take_block(zone, colors, order);
		} while (page && page_color_is_bad(page, order));
		if (page) {
			z = first_zones_zonelist(zonelist, gfp_zone(gfp), nodemask);
			page_color_count_alloc(zonelist_zone(z), zone, 1 << order);
			break;
		}
	}
	return page;
}

/**
 * page_color_alloc_large - a large folio for a task with colors, of these alone
 * @gfp: for which alloc_is_large_of_colors() is true
 * @order: its order
 * @preferred_nid: as for __alloc_pages()
 * @nodemask: as well
 *
 * If no block has one, nothing is moved or reclaimed for it: the caller can do with
 * less.
 *
 * Return: the folio's first page, or NULL.
 */
struct page *page_color_alloc_large(gfp_t gfp, unsigned int order,
				    int preferred_nid, nodemask_t *nodemask)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_SET_BITS);
	const struct page_color_policy *policy;
	struct page *page = NULL;

	gfp = current_gfp_context(gfp & gfp_allowed_mask);
	might_alloc(gfp);
	if (should_fail_alloc_page(gfp, order))
		return NULL;

	rcu_read_lock();
	policy = page_color_current();
	if (policy && page_color_starts(policy, order, colors))
		page = take_large(policy, colors, gfp, order,
				  node_zonelist(preferred_nid, gfp), nodemask);
	rcu_read_unlock();
	if (page)
		page_color_prepare(page, order, gfp);
	trace_mm_page_alloc(page, order, gfp, MIGRATE_MOVABLE);
	kmsan_alloc_page(page, order, gfp);
	return page;
}
