// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages out of the free lists.
 *
 * For tasks without colors a page of those that nobody owns; for others pages of
 * their colors. A block is split along the paths to the pages that are taken
 * alone, the rest goes back in blocks as large as possible. All of it is done
 * with the zone's lock, and looks at PAGE_COLOR_HOLD entries of lists at most
 * before it gives the lock back.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include <trace/events/page_color.h>
#include "page_color_buddy.h"

/*
 * Take up to @max pages of a set of colors, or with @others of those that nobody
 * owns, out of a block, to the tail of @list: at least one, unless the colors get
 * owners just now. Parts that belong to the set as a whole are not split in the free
 * lists at all.
 */
static __always_inline unsigned int
carve_some(struct zone *zone, struct page *page, unsigned int order, int migratetype,
	   const struct page_color_set *set, bool others, unsigned int max,
	   struct list_head *list)
{
	struct {
		struct page *page;
		unsigned short order;
		unsigned short color;
	} todo[NR_PAGE_ORDERS + 1];
	unsigned int color = page_color_of_page(page);
	unsigned int taken = 0, gone = 0, n = 0, i;
	unsigned long pfn = page_to_pfn(page);
	unsigned int whole = order;

	page_color_del_block(page, zone, order, migratetype);
	for (;;) {
		bool some = taken < max &&
			    (others ? page_color_has_unowned(order, color) :
				      test_bit(color, set->some[order]));

		if (some && 1U << order <= max - taken &&
		    (others ? page_color_is_unowned(order, color) :
			      test_bit(color, set->all[order]))) {
			for (i = 0; i < 1U << order; i++)
				list_add_tail(&page[i].pcp_list, list);
			taken += 1 << order;
		} else if (some && order) {
			/* First the lower half. */
			order--;
			todo[n].page = page + (1 << order);
			todo[n].order = order;
			todo[n].color = color ^ page_color_map.unit[order];
			n++;
			continue;
		} else if (set_page_guard(zone, page, order)) {
			gone += 1 << order;
		} else {
			/* Also a page whose color got an owner between the two looks. */
			page_color_put_block(page, zone, order, migratetype, color);
		}
		if (!n)
			break;
		n--;
		page = todo[n].page;
		order = todo[n].order;
		color = todo[n].color;
	}
	page_color_account(zone, -(int)(taken + gone), migratetype);
	if (whole && !others) {
		zone->color->stat[PAGE_COLOR_SPLIT]++;
		zone->color->stat[PAGE_COLOR_CARVED] += taken;
		trace_page_color_split(pfn, whole, taken);
	}
	return taken;
}

static noinline unsigned int carve(struct zone *zone, struct page *page,
				   unsigned int order, int migratetype,
				   const struct page_color_set *set,
				   unsigned int max, struct list_head *list)
{
	return carve_some(zone, page, order, migratetype, set, false, max, list);
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
			n += carve(zone, page, order, migratetype, set, max - n, list);
		}
		list_for_each_entry_safe(page, next, head, buddy_list) {
			if (n == max)
				break;
			index->stat[PAGE_COLOR_SCANNED]++;
			if (test_bit(page_color_of_page(page), set->some[order]))
				n += carve(zone, page, order, migratetype, set,
					   max - n, list);
			else if (!--left)
				break;
		}
	}
	return n;
}

static unsigned int take_of_type(struct zone *zone, int migratetype,
				 const struct page_color_set *set, unsigned int max,
				 struct list_head *list)
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
		n = take_of_type(zone, MIGRATE_MOVABLE, set, max, list);
#ifdef CONFIG_CMA
		if (n < max && alloc_flags & ALLOC_CMA)
			n += take_of_type(zone, MIGRATE_CMA, set, max - n, list);
#endif
		page_color_count_scan(zone->color, before);
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return n;
}

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
				carve(zone, page, depth->order, depth->migratetype,
				      depth->set, 1, &list);
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
			    take_of_type(zone, migratetype, set, 1, &list)) {
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
			n = carve(zone, page, buddy_order(page), mt, set, max, list);
		zone->color->stat[PAGE_COLOR_FOUND] += n;
		break;
	}
	spin_unlock_irqrestore(&zone->lock, flags);
	return n;
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
			carve(zone, above.best, order, mt, above.set, 1, &list);
			page = list_first_entry(&list, struct page, pcp_list);
			list_del(&page->pcp_list);
		}
		page_color_count_scan(zone->color, before);
		spin_unlock_irqrestore(&zone->lock, flags);
	}
	return page;
}
