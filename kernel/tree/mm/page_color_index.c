// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: the color index of the free lists.
 *
 * Free blocks all of whose colors are owned hang on one list per class: blocks of
 * an order with the same colors. All others are on the common lists, so whoever
 * has no colors finds there, without looking, blocks with a frame that nobody
 * owns. Blocks of order 0 are pages: their class is their color.
 *
 * All stay in the buddy system: what finds its neighbours by PFN (merging,
 * isolation, offlining, compaction) and what counts free pages does not see a
 * difference.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "page_color_buddy.h"

/* Free blocks that are sorted in one hold of zone->lock. */
#define SORT_BATCH	64

unsigned long page_color_unowned[NR_PAGE_ORDERS][BITS_TO_LONGS(PAGE_COLOR_MAX)] __read_mostly;
atomic_t page_color_sorting;

/* Written under the lock of who owns what, as the sets above. */
u16 page_color_nr_unowned[NR_PAGE_ORDERS][PAGE_COLOR_MAX] __read_mostly;

/* A migrate type of the index. */
static int type_of_index(int type)
{
#ifdef CONFIG_CMA
	if (type == MIGRATE_PCPTYPES)
		return MIGRATE_CMA;
#endif
	return type;
}

/**
 * page_color_index_attach - a zone gets an index
 * @zone: the zone
 *
 * Return: 0, also if it has one, or -ENOMEM.
 */
int page_color_index_attach(struct zone *zone)
{
	size_t i, lists = (size_t)PAGE_COLOR_TYPES * NR_PAGE_ORDERS *
			  page_color_nr(&page_color_map);
	struct page_color_zone *index;
	unsigned long flags;

	BUILD_BUG_ON(PAGE_COLOR_TYPES * NR_PAGE_ORDERS > 64);
	if (zone->color)
		return 0;
	index = kvzalloc_node(struct_size(index, list, lists), GFP_KERNEL,
			      zone_to_nid(zone));
	if (!index)
		return -ENOMEM;
	for (i = 0; i < lists; i++)
		INIT_LIST_HEAD(&index->list[i]);
	spin_lock_irqsave(&zone->lock, flags);
	/* Complete before who has no lock finds it. */
	smp_store_release(&zone->color, index);
	spin_unlock_irqrestore(&zone->lock, flags);
	return 0;
}

/**
 * page_color_index_detach - all free blocks of a zone go to the common lists
 * @zone: the zone
 */
void page_color_index_detach(struct zone *zone)
{
	unsigned int type, order, c, nr = page_color_nr(&page_color_map);
	struct page_color_zone *index = zone->color;
	unsigned long flags;

	if (!index)
		return;
	spin_lock_irqsave(&zone->lock, flags);
	for (type = 0; type < PAGE_COLOR_TYPES; type++) {
		for (order = 0; order < NR_PAGE_ORDERS; order++) {
			struct free_area *area = &zone->free_area[order];

			for (c = 0; c < nr; c++)
				list_splice_tail(page_color_list(index, type, order, c),
						 &area->free_list[type_of_index(type)]);
		}
	}
	WRITE_ONCE(zone->color, NULL);
	spin_unlock_irqrestore(&zone->lock, flags);
	kvfree_rcu_mightsleep(index);
}

/**
 * page_color_index_reset - there is another map, and nobody owns anything
 */
void page_color_index_reset(void)
{
	const struct page_color_map *map = &page_color_map;
	unsigned int order, c;

	memset(page_color_nr_unowned, 0, sizeof(page_color_nr_unowned));
	memset(page_color_unowned, 0, sizeof(page_color_unowned));
	for_each_set_bit(c, map->exists, PAGE_COLOR_MAX) {
		for (order = 0; order < NR_PAGE_ORDERS; order++) {
			page_color_nr_unowned[order][map->first[order][c]]++;
			__set_bit(map->first[order][c], page_color_unowned[order]);
		}
	}
}

/**
 * page_color_index_own - a color has its first owner
 * @color: the color
 *
 * Context: under the lock of who owns what.
 * Return: the orders that have blocks which belong into the index from now on.
 */
unsigned long page_color_index_own(unsigned int color)
{
	unsigned long orders = 0;
	unsigned int order;

	for (order = 0; order < NR_PAGE_ORDERS; order++) {
		unsigned int first = page_color_map.first[order][color];
		u16 left = page_color_nr_unowned[order][first] - 1;

		WRITE_ONCE(page_color_nr_unowned[order][first], left);
		if (left)
			continue;
		clear_bit(first, page_color_unowned[order]);
		orders |= BIT(order);
	}
	return orders;
}

/**
 * page_color_index_disown - a color has no owner any more
 * @color: the color
 *
 * Context: under the lock of who owns what. page_color_index_leftover() follows.
 */
void page_color_index_disown(unsigned int color)
{
	unsigned int order;

	for (order = 0; order < NR_PAGE_ORDERS; order++) {
		unsigned int first = page_color_map.first[order][color];
		u16 before = page_color_nr_unowned[order][first];

		WRITE_ONCE(page_color_nr_unowned[order][first], before + 1);
		if (!before)
			set_bit(first, page_color_unowned[order]);
	}
}

/* Blocks of a type and order with an unowned color leave the index, class by class. */
static void leave_index(struct zone *zone, int type, unsigned int order)
{
	struct list_head *to = &zone->free_area[order].free_list[type_of_index(type)];
	unsigned int c, nr = page_color_nr(&page_color_map);
	struct page_color_zone *index = zone->color;
	unsigned long *avail = index->avail[type][order];

	for (c = 0;; c++) {
		/* Either answer is right: see page_color_unowned. */
		c = data_race(find_next_and_bit(page_color_unowned[order], avail, nr, c));
		if (c >= nr)
			break;
		list_splice_tail_init(page_color_list(index, type, order, c), to);
		__clear_bit(c, avail);
		index->dry = false;
	}
	if (bitmap_empty(avail, nr))
		index->filled &= ~page_color_filled_bit(type, order);
}

static void clean_up(struct work_struct *work)
{
	unsigned long flags;
	unsigned int order;
	struct zone *zone;
	int type;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		spin_lock_irqsave(&zone->lock, flags);
		if (zone->color) {
			zone->color->leftover = false;
			zone->color->dry = false;
		}
		spin_unlock_irqrestore(&zone->lock, flags);
		for (type = 0; type < PAGE_COLOR_TYPES; type++) {
			for (order = 0; order < NR_PAGE_ORDERS; order++) {
				spin_lock_irqsave(&zone->lock, flags);
				if (zone->color)
					leave_index(zone, type, order);
				spin_unlock_irqrestore(&zone->lock, flags);
			}
			cond_resched();
		}
	}
	mutex_unlock(&page_color_mutex);
}

static DECLARE_WORK(clean_up_work, clean_up);

/**
 * page_color_index_leftover - colors have lost their last owner
 *
 * Their blocks leave the index a bit later. Up to then they are found in it.
 */
void page_color_index_leftover(void)
{
	unsigned long flags;
	struct zone *zone;

	for_each_populated_zone(zone) {
		spin_lock_irqsave(&zone->lock, flags);
		if (zone->color) {
			zone->color->leftover = true;
			zone->color->dry = false;
		}
		spin_unlock_irqrestore(&zone->lock, flags);
	}
	schedule_work(&clean_up_work);
}

/**
 * page_color_free_list - where a free block goes
 * @zone: its zone, locked
 * @page: the block
 * @order: its order
 * @migratetype: of its pageblock
 *
 * Return: a list of the index if all of its colors are owned, else the common one.
 */
struct list_head *page_color_free_list(struct zone *zone, struct page *page,
				       unsigned int order, int migratetype)
{
	return page_color_list_of(zone, order, migratetype, page_color_of_page(page));
}

/**
 * page_color_add_block - as __add_to_free_list(), where colors are owned
 * @page: the block, on no list
 * @zone: its zone, locked
 * @order: its order
 * @migratetype: of its pageblock
 * @tail: to the tail of the list
 */
void page_color_add_block(struct page *page, struct zone *zone, unsigned int order,
			  int migratetype, bool tail)
{
	struct list_head *list = page_color_free_list(zone, page, order, migratetype);

	if (tail)
		list_add_tail(&page->buddy_list, list);
	else
		list_add(&page->buddy_list, list);
	zone->free_area[order].nr_free++;
}

/**
 * page_color_put_block - put a part of a block that was split into the free lists
 * @page: the part
 * @zone: its zone, locked
 * @order: its order
 * @migratetype: of its pageblock
 * @color: of its first frame
 */
void page_color_put_block(struct page *page, struct zone *zone, unsigned int order,
			  int migratetype, unsigned int color)
{
	page_color_put_part(page, zone, order, migratetype, color, false);
}

/*
 * Move what belongs into the index among the first @count blocks of a common list
 * there. The others go to the tail, so that each block is met once.
 */
static void sort_batch(struct zone *zone, int migratetype, unsigned int order,
		       unsigned long count)
{
	struct list_head *list = &zone->free_area[order].free_list[migratetype];
	struct page *page;

	while (count-- && (page = list_first_entry_or_null(list, struct page,
							   buddy_list)))
		list_move_tail(&page->buddy_list,
			       page_color_free_list(zone, page, order, migratetype));
}

static void sort_list(struct zone *zone, int migratetype, unsigned int order)
{
	struct list_head *list = &zone->free_area[order].free_list[migratetype];
	unsigned long flags, n, left = ULONG_MAX;

	while (left) {
		spin_lock_irqsave(&zone->lock, flags);
		left = min(left, zone->free_area[order].nr_free);
		n = min(left, SORT_BATCH);
		sort_batch(zone, migratetype, order, n);
		left = list_empty(list) ? 0 : left - n;
		spin_unlock_irqrestore(&zone->lock, flags);
		cond_resched();
	}
}

/**
 * page_color_index_sort - what became owned just now leaves the common lists
 * @orders: the orders that have such blocks
 *
 * That is the free lists and those of CPUs.
 */
void page_color_index_sort(unsigned long orders)
{
	unsigned int type, order;
	struct zone *zone;

	for_each_populated_zone(zone) {
		/* For all zones at once it would not wait for somebody else's. */
		page_color_drain(zone);
		for (type = 0; type < PAGE_COLOR_TYPES; type++) {
			int migratetype = type_of_index(type);

			if (page_color_type(migratetype) != type)
				continue;
			for_each_set_bit(order, &orders, NR_PAGE_ORDERS)
				sort_list(zone, migratetype, order);
		}
	}
}

/**
 * page_color_first - find a block in an index
 * @index: of a zone, which is locked
 * @type: see page_color_type()
 * @order: order of the block
 * @colors: what its first color is to be; NULL for any
 *
 * Return: the block, NULL if there is none.
 */
struct page *page_color_first(struct page_color_zone *index, int type,
			      unsigned int order, const unsigned long *colors)
{
	unsigned int c, nr = page_color_nr(&page_color_map);
	unsigned long *avail = index->avail[type][order];

	if (!(index->filled & page_color_filled_bit(type, order)))
		return NULL;
	for (c = 0;; c++) {
		struct list_head *list;

		/* Either answer is right: see page_color_unowned. */
		c = colors ? data_race(find_next_and_bit(colors, avail, nr, c)) :
			     find_next_bit(avail, nr, c);
		if (c >= nr)
			break;
		list = page_color_list(index, type, order, c);
		if (!list_empty(list))
			return list_first_entry(list, struct page, buddy_list);
		__clear_bit(c, avail);
	}
	if (bitmap_empty(avail, nr))
		index->filled &= ~page_color_filled_bit(type, order);
	return NULL;
}

/**
 * page_color_first_other - find a block with a frame that nobody owns
 * @zone: the zone, locked
 * @order: order of the block
 * @migratetype: of its pageblock
 *
 * Return: the block, NULL if there is none. While blocks are sorted it may be NULL
 * after a number of others, which are in the index then.
 */
struct page *page_color_first_other(struct zone *zone, unsigned int order,
				    int migratetype)
{
	struct list_head *list = &zone->free_area[order].free_list[migratetype];
	int n = 0, type = page_color_type(migratetype);
	struct page *page;

	while ((page = list_first_entry_or_null(list, struct page, buddy_list))) {
		unsigned int color;

		if (likely(!atomic_read(&page_color_sorting)) || type < 0)
			return page;
		color = page_color_of_page(page);
		if (page_color_has_unowned(order, color))
			return page;
		if (n++ == SORT_BATCH)
			break;
		list_move_tail(&page->buddy_list,
			       page_color_list_of(zone, order, migratetype, color));
	}
	if (type < 0 || !zone->color->leftover)
		return NULL;
	return page_color_first(zone->color, type, order, page_color_unowned[order]);
}

/**
 * page_color_any_block - find a block of an order in the index of a zone
 * @zone: the zone, locked
 * @order: order of the block
 * @migratetype: of its pageblock
 *
 * Return: the block, NULL if there is none.
 */
struct page *page_color_any_block(struct zone *zone, unsigned int order,
				  int migratetype)
{
	int type = page_color_type(migratetype);

	if (!zone->color || type < 0 || zone->color->sparing)
		return NULL;
	return page_color_first(zone->color, type, order, NULL);
}

/**
 * page_color_has_block - may the index of a zone have a block?
 * @zone: the zone
 * @order: order of the block
 * @migratetype: of its pageblock
 *
 * Context: with the zone's lock, or as a hint.
 * Return: true if so.
 */
bool page_color_has_block(struct zone *zone, unsigned int order, int migratetype)
{
	int type = page_color_type(migratetype);
	struct page_color_zone *index;
	unsigned int c, nr;
	bool yes = false;

	if (!page_color_enabled() || type < 0)
		return false;
	/* It may be switched off just now. */
	rcu_read_lock();
	index = READ_ONCE(zone->color);
	if (index && !index->sparing &&
	    index->filled & page_color_filled_bit(type, order)) {
		nr = page_color_nr(&page_color_map);
		for_each_set_bit(c, index->avail[type][order], nr) {
			yes = !list_empty(page_color_list(index, type, order, c));
			if (yes)
				break;
		}
	}
	rcu_read_unlock();
	return yes;
}
