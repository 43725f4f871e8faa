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

/*
 * A block of order @from that has a part which starts with one of @colors, in the index
 * or among the first of the common list. @firsts are those of the classes that have
 * one: no part is looked at before.
 */
static struct page *find_block(struct zone *zone, unsigned int from,
			       const unsigned long *firsts)
{
	const int mt = MIGRATE_MOVABLE;
	unsigned int left = PAGE_COLOR_SCAN;
	struct page *page;

	page = page_color_first(zone->color, page_color_type(mt), from, firsts);
	zone->color->stat[PAGE_COLOR_SCANNED]++;
	if (page)
		return page;
	list_for_each_entry(page, &zone->free_area[from].free_list[mt], buddy_list) {
		unsigned int color = page_color_of_page(page);

		zone->color->stat[PAGE_COLOR_SCANNED]++;
		if (color != PAGE_COLOR_NONE &&
		    test_bit(page_color_map.first[from][color], firsts))
			return page;
		if (!--left)
			break;
	}
	return NULL;
}

/* Such a part, taken out of its block. */
static struct page *take_from(struct zone *zone, unsigned int from,
			      const unsigned long *firsts,
			      const unsigned long *colors, unsigned int order)
{
	struct page *block = find_block(zone, from, firsts);
	long at;

	if (!block)
		return NULL;
	at = page_color_part(&page_color_map, colors, page_color_of_page(block), from,
			     order);
	if (WARN_ON_ONCE(at < 0))
		return NULL;
	take_part(zone, block, from, block + at, order, MIGRATE_MOVABLE);
	zone->color->stat[PAGE_COLOR_LARGE]++;
	return block + at;
}

/*
 * A block that starts with one of some colors, or NULL if none is at hand. The zone's
 * lock is held for each order of larger blocks alone.
 */
static struct page *take_block(struct zone *zone, const unsigned long *colors,
			       unsigned int order)
{
	DECLARE_BITMAP(firsts, PAGE_COLOR_SET_BITS);
	struct page *page = NULL;
	unsigned int from;

	for (from = order; from < NR_PAGE_ORDERS && !page; from++) {
		unsigned long before, flags;

		page_color_parts(&page_color_map, colors, from, firsts);
		spin_lock_irqsave(&zone->lock, flags);
		if (zone->color) {
			before = zone->color->stat[PAGE_COLOR_SCANNED];
			page = take_from(zone, from, firsts, colors, order);
			page_color_count_scan(zone->color, before);
		}
		spin_unlock_irqrestore(&zone->lock, flags);
	}
	return page;
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
