// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages out of free blocks, for tasks without colors those that nobody
 * owns.
 *
 * A block is split along the paths to the pages that are taken alone, the rest goes
 * back in blocks as large as possible. All of it is done with the zone's lock.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <trace/events/page_color.h>
#include "page_color_buddy.h"

/* Has a block a frame of the set, or with @others one that nobody owns? */
static __always_inline bool holds(const struct page_color_set *set, bool others,
				  unsigned int order, unsigned int color)
{
	return others ? page_color_has_unowned(order, color) :
			test_bit(color, set->some[order]);
}

/* Are all frames of a block such ones? */
static __always_inline bool is_whole(const struct page_color_set *set, bool others,
				     unsigned int order, unsigned int color)
{
	return others ? page_color_is_unowned(order, color) :
			test_bit(color, set->all[order]);
}

/* A part of a block that is split goes back into the free lists. */
static __always_inline unsigned int put_back(struct zone *zone, struct page *page,
					     unsigned int order, int migratetype,
					     unsigned int color, bool owned)
{
	if (set_page_guard(zone, page, order))
		return 1U << order;
	page_color_put_part(page, zone, order, migratetype, color, owned);
	return 0;
}

/*
 * Take up to @max pages of a set of colors, or with @others of those that nobody
 * owns, out of a block that has some, to the tail of @list: at least one, unless the
 * colors get owners just now. Parts that belong to the set as a whole are not split in
 * the free lists at all.
 *
 * Beside who owns all colors but one, four parts are put back for each page that is
 * taken: no more is done for one than it takes. A half that has none of the frames
 * goes back at once; the other has them then. If both have some the upper one waits
 * in @upper, where there is one per order at most, with its color in @waits.
 */
static __always_inline unsigned int
carve_some(struct zone *zone, struct page *block, unsigned int order, int migratetype,
	   const struct page_color_set *set, bool others, unsigned int max,
	   struct list_head *list)
{
	unsigned int color = page_color_of_page(block), whole = order;
	unsigned int taken = 0, gone = 0, i;
	struct page *page = block;
	unsigned int waits[NR_PAGE_ORDERS];
	unsigned long upper = 0;

	page_color_del_block(block, zone, order, migratetype);
	for (;;) {
		while (order && taken < max) {
			unsigned int other = color ^ page_color_map.unit[order - 1];
			struct page *half = page + (1UL << (order - 1));

			if (!holds(set, others, order - 1, color)) {
				gone += put_back(zone, page, order - 1, migratetype, color,
						 others);
				page = half;
				color = other;
			} else if (!holds(set, others, order - 1, other)) {
				gone += put_back(zone, half, order - 1, migratetype, other,
						 others);
			} else if (1U << order > max - taken ||
				   !is_whole(set, others, order, color)) {
				upper |= BIT(order - 1);
				waits[order - 1] = other;
			} else {
				break;
			}
			order--;
		}
		if (taken < max && is_whole(set, others, order, color)) {
			for (i = 0; i < 1U << order; i++)
				list_add_tail(&page[i].pcp_list, list);
			taken += 1 << order;
		} else {
			/* Also a page whose color got an owner between the two looks. */
			gone += put_back(zone, page, order, migratetype, color, false);
		}
		if (!upper)
			break;
		order = __ffs(upper);
		upper &= upper - 1;
		page = block + ((page - block) | (BIT(order) - 1)) + 1;
		color = waits[order];
	}
	page_color_account(zone, -(int)(taken + gone), migratetype);
	if (whole && !others) {
		zone->color->stat[PAGE_COLOR_SPLIT]++;
		zone->color->stat[PAGE_COLOR_CARVED] += taken;
		trace_page_color_split(page_to_pfn(block), whole, taken);
	}
	return taken;
}

/**
 * page_color_carve - take pages of a set of colors out of a free block that has some
 * @zone: the zone, locked
 * @block: the block, in a free list
 * @order: its order
 * @migratetype: of that list
 * @set: the colors
 * @max: how many at most
 * @list: where they are put, at the tail
 *
 * Return: how many.
 */
unsigned int page_color_carve(struct zone *zone, struct page *block,
			      unsigned int order, int migratetype,
			      const struct page_color_set *set, unsigned int max,
			      struct list_head *list)
{
	return carve_some(zone, block, order, migratetype, set, false, max, list);
}

/*
 * Up to @max pages that nobody owns, of the smallest blocks first. There is no limit
 * for how many blocks: each has one.
 */
static unsigned int take_others(struct zone *zone, int migratetype,
				unsigned int max, struct list_head *list)
{
	unsigned int order, n = 0;
	struct page *page;

	for (order = 0; order < NR_PAGE_ORDERS && n < max; order++) {
		while (n < max &&
		       (page = page_color_first_other(zone, order, migratetype)))
			n += carve_some(zone, page, order, migratetype, NULL, true,
					max - n, list);
	}
	return n;
}

/* A page of a color that somebody owns, out of the smallest block. */
static unsigned int take_owned(struct zone *zone, int migratetype, unsigned int max,
			       struct list_head *list)
{
	unsigned int order;

	for (order = 0; order < NR_PAGE_ORDERS; order++) {
		struct page *page = page_color_any_block(zone, order, migratetype);
		unsigned int color;

		if (!page)
			continue;
		color = page_color_of_page(page);
		page_color_del_block(page, zone, order, migratetype);
		page_color_account(zone, -1, migratetype);
		while (order--)
			page_color_put_block(page + (1UL << order), zone, order, migratetype,
					     color ^ page_color_map.unit[order]);
		list_add_tail(&page->pcp_list, list);
		zone->color->stat[PAGE_COLOR_YIELDED]++;
		return 1;
	}
	return 0;
}

typedef unsigned int (*take_fn)(struct zone *zone, int migratetype, unsigned int max,
				struct list_head *list);

/* A pageblock of another type that has what @take looks for is claimed for this. */
static __always_inline unsigned int
claim_some(struct zone *zone, int migratetype, unsigned int alloc_flags,
	   unsigned int max, struct list_head *list, take_fn take)
{
	bool claimed;

	zone->color->sparing = take == take_others;
	claimed = page_color_claim(zone, migratetype, alloc_flags);
	zone->color->sparing = false;
	return claimed ? take(zone, migratetype, max, list) : 0;
}

/* Of all types in the order of __rmqueue(). */
static __always_inline unsigned int
take_of_types(struct zone *zone, int migratetype, unsigned int alloc_flags,
	      unsigned int max, struct list_head *list, take_fn take)
{
	unsigned int i, n = 0;

#ifdef CONFIG_CMA
	/* See __rmqueue(). */
	if (alloc_flags & ALLOC_CMA &&
	    zone_page_state(zone, NR_FREE_CMA_PAGES) >
	    zone_page_state(zone, NR_FREE_PAGES) / 2)
		n = take(zone, MIGRATE_CMA, max, list);
#endif
	if (!n)
		n = take(zone, migratetype, max, list);
#ifdef CONFIG_CMA
	if (!n && alloc_flags & ALLOC_CMA)
		n = take(zone, MIGRATE_CMA, max, list);
#endif
	if (!n)
		n = claim_some(zone, migratetype, alloc_flags, max, list, take);
	/* No more than one of a pageblock of another type. */
	for (i = 0; !n && !(alloc_flags & ALLOC_NOFRAGMENT) &&
	     i < MIGRATE_PCPTYPES - 1; i++)
		n = take(zone, page_color_fallback(migratetype, i), 1, list);
	return n;
}

/**
 * page_color_rmqueue - as __rmqueue() for pages, where page_color_busy() is true
 * @zone: the zone, locked
 * @migratetype: of the allocation
 * @alloc_flags: with ALLOC_OWNED pages of owned colors as well, if there are no
 *	others
 * @max: how many at most
 * @list: where they are put, at the tail
 *
 * Return: how many; 0 if there are none.
 */
unsigned int page_color_rmqueue(struct zone *zone, int migratetype,
				unsigned int alloc_flags, unsigned int max,
				struct list_head *list)
{
	struct page_color_zone *index = zone->color;
	unsigned int n = 0;

	if (!index->dry)
		n = take_of_types(zone, migratetype, alloc_flags, max, list, take_others);
	if (!n && READ_ONCE(page_color_nr_owned) &&
	    !(alloc_flags & ALLOC_NOFRAGMENT) && !atomic_read(&page_color_sorting) &&
	    (!IS_ENABLED(CONFIG_CMA) || alloc_flags & ALLOC_CMA))
		index->dry = true;
	if (!n && alloc_flags & ALLOC_OWNED)
		n = take_of_types(zone, migratetype, alloc_flags, 1, list, take_owned);
	return n;
}
