// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what is counted per zone, and what its searches remember.
 */
#include <linux/mm.h>
#include <linux/page_color.h>
#include <trace/events/page_color.h>
#include "page_color_buddy.h"

/**
 * page_color_forget_misses - pages may have come back to the zones
 */
void page_color_forget_misses(void)
{
	struct page_color_zone *index;
	struct zone *zone;

	rcu_read_lock();
	for_each_populated_zone(zone) {
		index = READ_ONCE(zone->color);
		if (!index)
			continue;
		WRITE_ONCE(index->missed_until[0], 0);
		WRITE_ONCE(index->missed_until[1], 0);
	}
	rcu_read_unlock();
}

/**
 * page_color_count_many - count in a zone
 * @zone: the zone, not locked
 * @item: what is counted
 * @n: how many
 */
void page_color_count_many(struct zone *zone, enum page_color_stat item,
			   unsigned long n)
{
	unsigned long flags;

	if (!n)
		return;
	spin_lock_irqsave(&zone->lock, flags);
	if (zone->color)
		zone->color->stat[item] += n;
	spin_unlock_irqrestore(&zone->lock, flags);
}

/**
 * page_color_count_max - the most of something in a zone
 * @zone: the zone, not locked
 * @item: what is counted
 * @n: how many there were this time
 */
void page_color_count_max(struct zone *zone, enum page_color_stat item,
			  unsigned long n)
{
	unsigned long flags;

	spin_lock_irqsave(&zone->lock, flags);
	if (zone->color && zone->color->stat[item] < n)
		zone->color->stat[item] = n;
	spin_unlock_irqrestore(&zone->lock, flags);
}

/**
 * page_color_count_mixed - a task was given a block, which may have owned colors
 * @zone: its zone
 * @page: the block
 * @order: its order
 *
 * Counts how many of its frames have an owned color.
 */
void page_color_count_mixed(struct zone *zone, struct page *page,
			    unsigned int order)
{
	const struct page_color_map *map = &page_color_map;
	unsigned int first = page_color_of(map, page_to_pfn(page)), n = 0, c;
	struct page_color_zone *index;

	if (first == PAGE_COLOR_NONE)
		return;
	for_each_set_bit(c, map->span[order], PAGE_COLOR_MAX)
		n += test_bit(first ^ c, page_color_owned);
	rcu_read_lock();
	index = READ_ONCE(zone->color);
	if (index && n)
		atomic_long_add((long)n << (order - map->rank[order]), &index->mixed);
	rcu_read_unlock();
}

/**
 * page_color_count_spill - a task with a policy gets a page of another color
 * @zone: where it was looked for or found
 */
void page_color_count_spill(struct zone *zone)
{
	struct page_color_policy *policy;
	struct page_color_zone *index;

	rcu_read_lock();
	index = READ_ONCE(zone->color);
	if (index)
		atomic_long_inc(&index->spilled);
	policy = page_color_current();
	trace_page_color_spill(zone, policy ? policy->id : 0);
	rcu_read_unlock();
}
