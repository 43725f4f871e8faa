// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages of a set of colors that are not at hand.
 *
 * A search in depth looks at PAGE_COLOR_SCAN_DEEP blocks of each list, in as many
 * holds of the zone's lock as that takes. That it was in vain is remembered for a
 * while.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include "page_color_buddy.h"

/* A search for all these colors was in vain just now. */
static bool is_missed(const struct page_color_zone *index, bool all,
		      const struct page_color_set *set, u64 now)
{
	return now < READ_ONCE(index->missed_until[all]) &&
	       bitmap_subset(set->some[0], index->missed[all], PAGE_COLOR_MAX);
}

/*
 * Remember for 16 times what it took that such a search was in vain, so that these
 * are a small part of the time; of no color for longer than a tenth of a second.
 */
static void remember_miss(struct page_color_zone *index, bool all,
			  const struct page_color_set *set, u64 begun)
{
	u64 took = local_clock() - begun, until = READ_ONCE(index->missed_until[all]);

	if (begun >= until) {
		bitmap_zero(index->missed[all], PAGE_COLOR_MAX);
		index->missed_from[all] = begun;
		until = begun;
	}
	bitmap_or(index->missed[all], index->missed[all], set->some[0], PAGE_COLOR_MAX);
	until = min(until + max_t(u64, 16 * took, TICK_NSEC),
		    index->missed_from[all] + NSEC_PER_SEC / 10);
	WRITE_ONCE(index->missed_until[all], until);
}

/* Where a search in depth is. */
struct depth {
	const struct page_color_set *set;
	int migratetype;
	unsigned int order;
	unsigned int looked;	/* entries of this list */
};

/*
 * Look at PAGE_COLOR_HOLD entries, list by list. Those of a list that is not at its
 * end yet go to the tail, so that others are next.
 */
static struct page *search_on(struct zone *zone, struct depth *depth)
{
	unsigned int left = PAGE_COLOR_HOLD;
	struct page *page;
	LIST_HEAD(list);

	for (; depth->order < NR_PAGE_ORDERS; depth->order++, depth->looked = 0) {
		struct free_area *area = &zone->free_area[depth->order];
		struct list_head *head = &area->free_list[depth->migratetype];

		list_for_each_entry(page, head, buddy_list) {
			if (depth->looked == PAGE_COLOR_SCAN_DEEP)
				break;
			zone->color->stat[PAGE_COLOR_SCANNED]++;
			depth->looked++;
			if (test_bit(page_color_of_page(page), depth->set->some[depth->order])) {
				page_color_carve(zone, page, depth->order,
						 depth->migratetype, depth->set, 1, &list);
				page = list_first_entry(&list, struct page, pcp_list);
				list_del(&page->pcp_list);
				return page;
			}
			if (!--left) {
				list_bulk_move_tail(head, head->next, &page->buddy_list);
				return NULL;
			}
		}
	}
	return NULL;
}

/* All lists of a migrate type, in as many holds of the lock as it takes. */
static struct page *search_type(struct zone *zone, const struct page_color_set *set,
				int migratetype)
{
	struct depth depth = { .set = set, .migratetype = migratetype };
	unsigned long before, flags;
	struct page *page = NULL;
	LIST_HEAD(list);

	while (!page && depth.order < NR_PAGE_ORDERS) {
		spin_lock_irqsave(&zone->lock, flags);
		if (zone->color) {
			before = zone->color->stat[PAGE_COLOR_SCANNED];
			/* First what is at hand, of a pageblock that was claimed, too. */
			if (!depth.order &&
			    page_color_take_of_type(zone, migratetype, set, 1, &list)) {
				page = list_first_entry(&list, struct page, pcp_list);
				list_del(&page->pcp_list);
			} else {
				page = search_on(zone, &depth);
			}
			page_color_count_scan(zone->color, before);
		} else {
			depth.order = NR_PAGE_ORDERS;
		}
		spin_unlock_irqrestore(&zone->lock, flags);
	}
	return page;
}

/**
 * page_color_search - look in depth for a page of a set of colors
 * @zone: the zone, not locked
 * @set: the colors
 * @alloc_flags: with ALLOC_NOFRAGMENT not in pageblocks of other types; ALLOC_CMA
 *
 * page_color_take() has found none. A pageblock is claimed for movable pages; then
 * PAGE_COLOR_SCAN_DEEP blocks of each list are looked at. That it was in vain is
 * remembered for a while.
 *
 * Return: the page, or NULL.
 */
struct page *page_color_search(struct zone *zone, const struct page_color_set *set,
			       unsigned int alloc_flags)
{
	const bool all = !(alloc_flags & ALLOC_NOFRAGMENT);
	const int mt = MIGRATE_MOVABLE;
	bool missed = true, claimed = false;
	struct page *page = NULL;
	unsigned long flags;
	LIST_HEAD(list);
	unsigned int i;
	u64 now;

	spin_lock_irqsave(&zone->lock, flags);
	now = local_clock();
	if (zone->color)
		missed = is_missed(zone->color, all, set, now);
	if (!missed)
		claimed = page_color_claim(zone, mt, alloc_flags | ALLOC_NOFRAGMENT);
	if (claimed)
		zone->color->stat[PAGE_COLOR_CLAIMED]++;
	spin_unlock_irqrestore(&zone->lock, flags);
	if (missed)
		return NULL;

	page = search_type(zone, set, mt);
#ifdef CONFIG_CMA
	if (!page && alloc_flags & ALLOC_CMA)
		page = search_type(zone, set, MIGRATE_CMA);
#endif
	for (i = 0; all && !page && i < MIGRATE_PCPTYPES - 1; i++) {
		page = search_type(zone, set, page_color_fallback(mt, i));
		if (page)
			page_color_count(zone, PAGE_COLOR_STOLEN);
	}
	if (page)
		return page;
	spin_lock_irqsave(&zone->lock, flags);
	if (zone->color) {
		remember_miss(zone->color, all, set, now);
		zone->color->stat[PAGE_COLOR_MISSED] += all;
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return NULL;
}

/* What page_color_take_above() has found so far. */
struct above {
	const struct page_color_set *set;
	unsigned long low;
	unsigned long high;
	unsigned int left;	/* entries to look at */
	struct page *best;
};

/* Look for a better one in a list; returns true if it is as good as they get. */
static bool look_above(struct zone *zone, struct above *above, unsigned int order,
		       const struct list_head *list)
{
	struct page *page;

	list_for_each_entry(page, list, buddy_list) {
		unsigned long pfn = page_to_pfn(page);

		if (!above->left)
			return false;
		above->left--;
		zone->color->stat[PAGE_COLOR_SCANNED]++;
		if (pfn < (above->best ? above->high : above->low) ||
		    !test_bit(page_color_of(&page_color_map, pfn), above->set->some[order]))
			continue;
		above->best = page;
		if (pfn >= above->high)
			return true;
	}
	return false;
}

/**
 * page_color_take_above - take a free page of a color out of a zone's end
 * @zone: the zone
 * @low: the first frame that will do
 * @high: the first frame that is preferred
 * @policy: has one color
 * @scan: blocks to look at of each order
 *
 * For compaction, which has isolated no page of this color. Only as far as an
 * allocation would leave the zone enough.
 *
 * Return: the page as __isolate_free_page() leaves it, NULL without one.
 */
struct page *page_color_take_above(struct zone *zone, unsigned long low,
				   unsigned long high,
				   const struct page_color_policy *policy,
				   unsigned int scan)
{
	struct above above = { .set = &policy->set, .low = low, .high = high };
	unsigned int color = find_first_bit(policy->set.some[0], PAGE_COLOR_MAX);
	const int mt = MIGRATE_MOVABLE;
	struct page *page = NULL;
	unsigned long flags;
	unsigned int order;
	LIST_HEAD(list);

	/* Each order in a hold of its own: they are not to be long. */
	for (order = 0; order < NR_PAGE_ORDERS && !page; order++) {
		unsigned int first = page_color_map.first[order][color];
		unsigned long before;

		above.left = min(scan, PAGE_COLOR_HOLD);
		above.best = NULL;
		spin_lock_irqsave(&zone->lock, flags);
		if (!zone->color ||
		    !zone_watermark_ok(zone, 0, min_wmark_pages(zone) + 1, 0, ALLOC_CMA)) {
			spin_unlock_irqrestore(&zone->lock, flags);
			break;
		}
		before = zone->color->stat[PAGE_COLOR_SCANNED];
		if (!look_above(zone, &above, order,
				page_color_list(zone->color, page_color_type(mt),
						order, first)) && order)
			look_above(zone, &above, order,
				   &zone->free_area[order].free_list[mt]);
		if (above.best) {
			page_color_carve(zone, above.best, order, mt, above.set, 1, &list);
			page = list_first_entry(&list, struct page, pcp_list);
			list_del(&page->pcp_list);
		}
		page_color_count_scan(zone->color, before);
		spin_unlock_irqrestore(&zone->lock, flags);
	}
	return page;
}
