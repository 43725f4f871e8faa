// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what all free lists and all frames have, in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmstat.h>
#include "page_color_buddy.h"
#include "page_color_held.h"

static const char * const stat_names[NR_PAGE_COLOR_STATS] = {
	[PAGE_COLOR_INDEXED] = "indexed",
	[PAGE_COLOR_SPLIT] = "split",
	[PAGE_COLOR_CARVED] = "carved",
	[PAGE_COLOR_SCANNED] = "scanned",
	[PAGE_COLOR_SCAN_MAX] = "scan_max",
	[PAGE_COLOR_CLAIMED] = "claimed",
	[PAGE_COLOR_STOLEN] = "stolen",
	[PAGE_COLOR_MISSED] = "missed",
	[PAGE_COLOR_KEPT] = "kept",
	[PAGE_COLOR_STAYED] = "stayed",
	[PAGE_COLOR_LOST] = "lost",
	[PAGE_COLOR_EVICTED] = "evicted",
	[PAGE_COLOR_DROPPED] = "dropped",
	[PAGE_COLOR_LARGE] = "large",
	[PAGE_COLOR_FOUND] = "found",
	[PAGE_COLOR_EVICT_LOOKED] = "evict_looked",
	[PAGE_COLOR_EVICT_MAX] = "evict_max",
	[PAGE_COLOR_RECLAIMED] = "reclaimed",
	[PAGE_COLOR_RECLAIM_OTHERS] = "reclaim_others",
	[PAGE_COLOR_RECLAIM_LOOKED] = "reclaim_looked",
	[PAGE_COLOR_RECLAIM_MAX] = "reclaim_max",
	[PAGE_COLOR_YIELDED] = "yielded",
};

/* Blocks on a list of the index; @bad counts those that do not belong there. */
static unsigned long walk_list(const struct list_head *list, unsigned int order,
			       unsigned int first, unsigned long *bad)
{
	const struct page_color_map *map = &page_color_map;
	unsigned long n = 0;
	struct page *page;

	list_for_each_entry(page, list, buddy_list) {
		unsigned int color = page_color_of(map, page_to_pfn(page));

		n++;
		if (!PageBuddy(page) || buddy_order(page) != order ||
		    color == PAGE_COLOR_NONE || map->first[order][color] != first)
			++*bad;
	}
	return n;
}

/* Blocks of an order in the index. */
static unsigned long walk_index(struct page_color_zone *index, unsigned int order,
				unsigned long *bad)
{
	unsigned int type, c, nr = page_color_nr(&page_color_map);
	unsigned long sum = 0, n;

	for (type = 0; type < PAGE_COLOR_TYPES; type++) {
		for (c = 0; c < nr; c++) {
			n = walk_list(page_color_list(index, type, order, c), order,
				      c, bad);
			sum += n;
			if (n && !(test_bit(c, index->avail[type][order]) &&
				   index->filled & page_color_filled_bit(type, order)))
				++*bad;
		}
	}
	return sum;
}

/*
 * Blocks of an order on the common lists; @bad counts those all of whose colors are
 * owned, unless they are just being sorted.
 */
static unsigned long walk_common(struct zone *zone, unsigned int order,
				 unsigned long *bad)
{
	unsigned long n = 0;
	struct page *page;
	unsigned int mt;

	for (mt = 0; mt < MIGRATE_TYPES; mt++) {
		list_for_each_entry(page, &zone->free_area[order].free_list[mt], buddy_list) {
			n++;
			if (page_color_type(mt) >= 0 && !atomic_read(&page_color_sorting) &&
			    !page_color_has_unowned(order, page_color_of(&page_color_map,
									 page_to_pfn(page))))
				++*bad;
		}
	}
	return n;
}

/*
 * Every list of a zone under one hold of its lock, so that the sums must fit:
 * for tests only.
 */
static void show_zone(struct seq_file *m, struct zone *zone)
{
	unsigned long buddy = 0, indexed = 0, lost = 0, bad = 0, free, nr_free0;
	unsigned long flags, isolated = 0, reserved, held;
	unsigned long stat[NR_PAGE_COLOR_STATS];
	unsigned int i;

	spin_lock_irqsave(&zone->lock, flags);
	if (!zone->color) {
		spin_unlock_irqrestore(&zone->lock, flags);
		return;
	}
	for (i = 0; i < NR_PAGE_ORDERS; i++) {
		unsigned long n = walk_index(zone->color, i, &bad);
#ifdef CONFIG_MEMORY_ISOLATION
		struct page *page;

		list_for_each_entry(page, &zone->free_area[i].free_list[MIGRATE_ISOLATE],
				    buddy_list)
			isolated += 1UL << i;
#endif
		buddy += zone->free_area[i].nr_free << i;
		indexed += n << i;
		if (n + walk_common(zone, i, &bad) != zone->free_area[i].nr_free)
			lost++;
	}
	nr_free0 = zone->free_area[0].nr_free;
	free = zone_page_state_snapshot(zone, NR_FREE_PAGES);
	memcpy(stat, zone->color->stat, sizeof(stat));
	reserved = atomic_long_read(&zone->color->reserved);
	spin_unlock_irqrestore(&zone->lock, flags);
	held = page_color_reserve_check(zone, &bad);

	seq_printf(m, "node %d zone %s", zone_to_nid(zone), zone->name);
	seq_printf(m, " free %lu buddy %lu isolated %lu order0 %lu indexed %lu bad %lu",
		   free, buddy, isolated, nr_free0, indexed, bad);
	seq_printf(m, " reserved %lu held %lu", reserved, held);
	seq_printf(m, " listed %lu", page_color_listed(zone));
	for (i = 0; i < NR_PAGE_COLOR_STATS; i++)
		seq_printf(m, " %s %lu", stat_names[i], stat[i]);
	seq_printf(m, " %s\n", bad || lost || held > reserved ||
		   free + isolated != buddy ? "WRONG" : "ok");
}

static int zones_show(struct seq_file *m, void *v)
{
	struct zone *zone;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone)
		show_zone(m, zone);
	mutex_unlock(&page_color_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(zones);

/* What is counted per color and zone. */
struct tally {
	unsigned long pages;
	unsigned long free;
	unsigned long user;
};

static void tally_page(struct tally *tally, unsigned long pfn, struct page *page,
		       bool free)
{
	tally += page_color_of(&page_color_map, pfn);
	tally->pages++;
	if (free) {
		tally->free++;
		return;
	}
	/* Nobody holds the page: what it is for may change meanwhile. */
	if (data_race(!PageSlab(page) && (PageLRU(page) || PageAnon(page))))
		tally->user++;
}

/* Frame by frame and without a lock: what changes meanwhile may be missed. */
static void tally_zone(struct tally *tally, struct zone *zone)
{
	unsigned long pfn = zone->zone_start_pfn, end = zone_end_pfn(zone);
	unsigned long free_until = 0;

	while (pfn < end) {
		struct page *page = pfn_to_online_page(pfn);

		if (!page) {
			pfn = ALIGN(pfn + 1, MAX_ORDER_NR_PAGES);
			continue;
		}
		if (page_is_in_zone(page, zone)) {
			if (pfn >= free_until && PageBuddy(page)) {
				unsigned int order = buddy_order_unsafe(page);

				if (order <= MAX_PAGE_ORDER)
					free_until = pfn + (1UL << order);
			}
			tally_page(tally, pfn, page, pfn < free_until);
		}
		if (!(++pfn % MAX_ORDER_NR_PAGES))
			cond_resched();
	}
}

static int colors_show_pages(struct seq_file *m, void *v)
{
	struct tally *tally;
	struct zone *zone;
	unsigned int c;

	tally = kvcalloc(PAGE_COLOR_SET_BITS, sizeof(*tally), GFP_KERNEL);
	if (!tally)
		return -ENOMEM;
	get_online_mems();
	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		if (!page_color_map.nr_bits)
			break;
		memset(tally, 0, PAGE_COLOR_SET_BITS * sizeof(*tally));
		tally_zone(tally, zone);
		for (c = 0; c < PAGE_COLOR_SET_BITS; c++) {
			if (!tally[c].pages)
				continue;
			seq_printf(m, "node %d zone %s color %d pages %lu free %lu user %lu\n",
				   zone_to_nid(zone), zone->name,
				   c == PAGE_COLOR_NONE ? -1 : (int)c,
				   tally[c].pages, tally[c].free, tally[c].user);
		}
	}
	mutex_unlock(&page_color_mutex);
	put_online_mems();
	kvfree(tally);
	return 0;
}

/* All at once: nothing is to be counted again because the buffer was small. */
static int colors_open(struct inode *inode, struct file *file)
{
	size_t lines = page_color_nr(&page_color_map) + 1;

	return single_open_size(file, colors_show_pages, NULL,
				lines * 80 * MAX_NR_ZONES * nr_online_nodes);
}

static const struct file_operations colors_fops = {
	.owner		= THIS_MODULE,
	.open		= colors_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init page_color_create_debug_files(void)
{
	struct dentry *dir = debugfs_create_dir("page_color", NULL);

	debugfs_create_file("zones", 0400, dir, NULL, &zones_fops);
	debugfs_create_file("colors", 0400, dir, NULL, &colors_fops);
	return 0;
}
subsys_initcall(page_color_create_debug_files);
