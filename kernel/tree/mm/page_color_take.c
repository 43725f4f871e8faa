// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages of a set of colors that are at hand.
 *
 * From the lists of the index, round the colors; then out of larger blocks, of the
 * index or among the first of each common list.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include "page_color_buddy.h"

/* Take up to @max pages of the set from the index, round the colors. */
static unsigned int pick(struct zone *zone, int migratetype,
			 const struct page_color_set *set, unsigned int max,
			 struct list_head *list)
{
	unsigned int n = 0, nr = page_color_nr(&page_color_map), c;
	struct page_color_zone *index = zone->color;
	int type = page_color_type(migratetype);
	unsigned long *avail = index->avail[type][0];

	c = index->cursor;
	while (n < max) {
		struct list_head *head;
		struct page *page;

		c = find_next_and_bit_wrap(set->some[0], avail, nr, c);
		if (c >= nr)
			break;
		head = page_color_list(index, type, 0, c);
		if (list_empty(head)) {
			__clear_bit(c, avail);
			continue;
		}
		page = list_first_entry(head, struct page, buddy_list);
		page_color_del_block(page, zone, 0, migratetype);
		list_add_tail(&page->pcp_list, list);
		c = (c + 1) & (nr - 1);
		n++;
	}
	if (n) {
		index->cursor = c;
		index->stat[PAGE_COLOR_INDEXED] += n;
		page_color_account(zone, -(int)n, migratetype);
	}
	return n;
}

/* From larger blocks, of the index or among the first PAGE_COLOR_SCAN of a list. */
static unsigned int split_blocks(struct zone *zone, int migratetype,
				 const struct page_color_set *set, unsigned int max,
				 struct list_head *list)
{
	struct page_color_zone *index = zone->color;
	unsigned int order, n = 0;

	for (order = 1; order < NR_PAGE_ORDERS && n < max; order++) {
		struct list_head *head = &zone->free_area[order].free_list[migratetype];
		unsigned int left = PAGE_COLOR_SCAN;
		struct page *page, *next;

		while (n < max) {
			page = page_color_first(index, page_color_type(migratetype),
						order, set->some[order]);
			if (!page)
				break;
			index->stat[PAGE_COLOR_SCANNED]++;
			n += page_color_carve(zone, page, order, migratetype, set,
					      max - n, list);
		}
		list_for_each_entry_safe(page, next, head, buddy_list) {
			if (n == max)
				break;
			index->stat[PAGE_COLOR_SCANNED]++;
			if (test_bit(page_color_of_page(page), set->some[order]))
				n += page_color_carve(zone, page, order, migratetype,
						      set, max - n, list);
			else if (!--left)
				break;
		}
	}
	return n;
}

/**
 * page_color_take_of_type - take pages of a set of colors and a migrate type
 * @zone: the zone, locked
 * @migratetype: the type
 * @set: the colors
 * @max: how many at most
 * @list: where they are put, at the tail
 *
 * Return: how many.
 */
unsigned int page_color_take_of_type(struct zone *zone, int migratetype,
				     const struct page_color_set *set,
				     unsigned int max, struct list_head *list)
{
	unsigned int n = pick(zone, migratetype, set, max, list);

	if (n < max)
		n += split_blocks(zone, migratetype, set, max - n, list);
	return n;
}

/**
 * page_color_take - take pages of a set of colors, as far as they are at hand
 * @zone: the zone, not locked
 * @set: the colors
 * @max: how many at most
 * @alloc_flags: ALLOC_CMA for those of CMA as well
 * @list: where they are put, at the tail
 *
 * Return: how many.
 */
unsigned int page_color_take(struct zone *zone, const struct page_color_set *set,
			     unsigned int max, unsigned int alloc_flags,
			     struct list_head *list)
{
	unsigned long before, flags;
	unsigned int n = 0;

	spin_lock_irqsave(&zone->lock, flags);
	if (zone->color) {
		before = zone->color->stat[PAGE_COLOR_SCANNED];
		n = page_color_take_of_type(zone, MIGRATE_MOVABLE, set, max, list);
#ifdef CONFIG_CMA
		if (n < max && alloc_flags & ALLOC_CMA)
			n += page_color_take_of_type(zone, MIGRATE_CMA, set, max - n,
						     list);
#endif
		page_color_count_scan(zone->color, before);
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return n;
}

/**
 * page_color_take_at - take free pages of the block around a frame
 * @zone: the zone, not locked
 * @pfn: the frame, which may be free; of @set
 * @set: the colors
 * @max: how many at most
 * @list: where they are put
 *
 * Return: how many.
 */
unsigned int page_color_take_at(struct zone *zone, unsigned long pfn,
				const struct page_color_set *set,
				unsigned int max, struct list_head *list)
{
	unsigned int order, n = 0;
	unsigned long flags;

	spin_lock_irqsave(&zone->lock, flags);
	for (order = 0; zone->color && order < NR_PAGE_ORDERS; order++) {
		struct page *page = pfn_to_page(ALIGN_DOWN(pfn, 1UL << order));
		int mt;

		if (!PageBuddy(page) || buddy_order(page) < order)
			continue;
		mt = get_pageblock_migratetype(page);
		if (page_color_type(mt) >= 0)
			n = page_color_carve(zone, page, buddy_order(page), mt, set, max,
					     list);
		zone->color->stat[PAGE_COLOR_FOUND] += n;
		break;
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return n;
}
