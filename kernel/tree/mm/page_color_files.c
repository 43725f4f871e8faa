// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: files in sysfs and debugfs.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/vmstat.h>
#include "page_color_buddy.h"
#include "page_color_held.h"

#ifdef CONFIG_SYSFS
static ssize_t map_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	int n;

	/* With it colours are bits of physical addresses. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	mutex_lock(&page_color_mutex);
	n = page_color_map_print(&page_color_map, buf, PAGE_SIZE - 1);
	mutex_unlock(&page_color_mutex);
	return n + sysfs_emit_at(buf, n, "\n");
}

static ssize_t map_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	mutex_lock(&page_color_mutex);
	err = page_color_set_map(buf);
	mutex_unlock(&page_color_mutex);
	page_color_audit("map", buf, err);
	return err ?: count;
}

static struct kobj_attribute map_attr = __ATTR_RW_MODE(map, 0600);

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%d\n", page_color_enabled());
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t count)
{
	bool on;
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = kstrtobool(buf, &on);
	if (err)
		return err;
	/* The order of locks that the memory notifier is called with. */
	cpus_read_lock();
	mutex_lock(&page_color_mutex);
	err = page_color_switch(on);
	mutex_unlock(&page_color_mutex);
	cpus_read_unlock();
	page_color_audit("enabled", buf, err);
	return err ?: count;
}

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);

static ssize_t colors_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	unsigned int nr = page_color_nr(&page_color_map);

	return sysfs_emit(buf, "%*pbl\n", nr, page_color_map.exists);
}

static struct kobj_attribute colors_attr = __ATTR_RO(colors);

static ssize_t owned_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	/* Of a task with one colour that is bits of all its addresses. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return sysfs_emit(buf, "%*pbl\n", (int)PAGE_COLOR_MAX,
			  page_color_owned);
}

static struct kobj_attribute owned_attr = __ATTR_RO_MODE(owned, 0400);

static ssize_t spilled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	struct zone *zone;
	long n = 0;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		if (zone->color)
			n += atomic_long_read(&zone->color->spilled);
	}
	mutex_unlock(&page_color_mutex);
	return sysfs_emit(buf, "%ld\n", n);
}

static struct kobj_attribute spilled_attr = __ATTR_RO_MODE(spilled, 0400);

static ssize_t mixed_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	struct zone *zone;
	long n = 0;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		if (zone->color)
			n += atomic_long_read(&zone->color->mixed);
	}
	mutex_unlock(&page_color_mutex);
	return sysfs_emit(buf, "%ld\n", n);
}

static struct kobj_attribute mixed_attr = __ATTR_RO_MODE(mixed, 0400);

/* Sum over all zones, since colouring was switched on. */
static unsigned long stat_of_all(enum page_color_stat item)
{
	unsigned long n = 0, one;
	struct zone *zone;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		if (!zone->color)
			continue;
		one = READ_ONCE(zone->color->stat[item]);
		if (item == PAGE_COLOR_SCAN_MAX || item == PAGE_COLOR_EVICT_MAX ||
		    item == PAGE_COLOR_RECLAIM_MAX)
			n = max(n, one);
		else
			n += one;
	}
	mutex_unlock(&page_color_mutex);
	return n;
}

#define STAT_ATTR(_name, _item)						\
static ssize_t _name##_show(struct kobject *kobj,			\
			    struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%lu\n", stat_of_all(_item));		\
}									\
static struct kobj_attribute _name##_attr = __ATTR_RO_MODE(_name, 0400)

STAT_ATTR(indexed, PAGE_COLOR_INDEXED);
STAT_ATTR(split, PAGE_COLOR_SPLIT);
STAT_ATTR(carved, PAGE_COLOR_CARVED);
STAT_ATTR(scanned, PAGE_COLOR_SCANNED);
STAT_ATTR(scan_max, PAGE_COLOR_SCAN_MAX);
STAT_ATTR(claimed, PAGE_COLOR_CLAIMED);
STAT_ATTR(stolen, PAGE_COLOR_STOLEN);
STAT_ATTR(missed, PAGE_COLOR_MISSED);
STAT_ATTR(kept, PAGE_COLOR_KEPT);
STAT_ATTR(stayed, PAGE_COLOR_STAYED);
STAT_ATTR(lost, PAGE_COLOR_LOST);
STAT_ATTR(evicted, PAGE_COLOR_EVICTED);
STAT_ATTR(dropped, PAGE_COLOR_DROPPED);
STAT_ATTR(large, PAGE_COLOR_LARGE);
STAT_ATTR(found, PAGE_COLOR_FOUND);
STAT_ATTR(evict_looked, PAGE_COLOR_EVICT_LOOKED);
STAT_ATTR(evict_max, PAGE_COLOR_EVICT_MAX);
STAT_ATTR(reclaimed, PAGE_COLOR_RECLAIMED);
STAT_ATTR(reclaim_others, PAGE_COLOR_RECLAIM_OTHERS);
STAT_ATTR(reclaim_looked, PAGE_COLOR_RECLAIM_LOOKED);
STAT_ATTR(reclaim_max, PAGE_COLOR_RECLAIM_MAX);
STAT_ATTR(yielded, PAGE_COLOR_YIELDED);

static ssize_t reserved_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	struct zone *zone;
	long n = 0;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		if (zone->color)
			n += atomic_long_read(&zone->color->reserved);
	}
	mutex_unlock(&page_color_mutex);
	return sysfs_emit(buf, "%ld\n", n);
}

static struct kobj_attribute reserved_attr = __ATTR_RO_MODE(reserved, 0400);

static ssize_t reserve_held_show(struct kobject *kobj,
				 struct kobj_attribute *attr, char *buf)
{
	struct zone *zone;
	long n = 0;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		if (zone->color)
			n += atomic_long_read(&zone->color->held);
	}
	mutex_unlock(&page_color_mutex);
	return sysfs_emit(buf, "%ld\n", n);
}

static struct kobj_attribute reserve_held_attr = __ATTR_RO_MODE(reserve_held, 0400);

#define COUNT_ATTR(_name, _count)					\
static ssize_t _name##_show(struct kobject *kobj,			\
			    struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%ld\n", atomic_long_read(&(_count)));	\
}									\
static struct kobj_attribute _name##_attr = __ATTR_RO_MODE(_name, 0400)

COUNT_ATTR(recolored, page_color_recolored);
COUNT_ATTR(ahead, page_color_nr_ahead);
COUNT_ATTR(reserve_below, page_color_reserve_below);
COUNT_ATTR(reserve_refused, page_color_reserve_refused);
COUNT_ATTR(ahead_shrunk, page_color_ahead_shrunk);
COUNT_ATTR(migrating_max, page_color_migrating_max);
COUNT_ATTR(limited_policies, page_color_limited[PAGE_COLOR_LIMITED_POLICIES]);
COUNT_ATTR(limited_colors, page_color_limited[PAGE_COLOR_LIMITED_COLORS]);
COUNT_ATTR(limited_ahead, page_color_limited[PAGE_COLOR_LIMITED_AHEAD]);

static struct attribute *stat_attrs[] = {
	&indexed_attr.attr,
	&split_attr.attr,
	&carved_attr.attr,
	&scanned_attr.attr,
	&scan_max_attr.attr,
	&claimed_attr.attr,
	&stolen_attr.attr,
	&missed_attr.attr,
	&kept_attr.attr,
	&stayed_attr.attr,
	&lost_attr.attr,
	&evicted_attr.attr,
	&dropped_attr.attr,
	&large_attr.attr,
	&found_attr.attr,
	&evict_looked_attr.attr,
	&evict_max_attr.attr,
	&reclaimed_attr.attr,
	&reclaim_others_attr.attr,
	&reclaim_looked_attr.attr,
	&reclaim_max_attr.attr,
	&yielded_attr.attr,
	&mixed_attr.attr,
	&recolored_attr.attr,
	&ahead_attr.attr,
	&reserved_attr.attr,
	&reserve_held_attr.attr,
	&reserve_below_attr.attr,
	&reserve_refused_attr.attr,
	&ahead_shrunk_attr.attr,
	&migrating_max_attr.attr,
	&limited_policies_attr.attr,
	&limited_colors_attr.attr,
	&limited_ahead_attr.attr,
	NULL,
};

static const struct attribute_group stat_group = {
	.name = "stats",
	.attrs = stat_attrs,
};

static struct attribute *page_color_attrs[] = {
	&map_attr.attr,
	&enabled_attr.attr,
	&colors_attr.attr,
	&owned_attr.attr,
	&spilled_attr.attr,
#ifdef CONFIG_PAGE_COLOR_TINT
	&page_color_cache_bits_attr.attr,
#endif
	NULL,
};

static const struct attribute_group page_color_group = {
	.attrs = page_color_attrs,
};

static const struct attribute_group *page_color_groups[] = {
	&page_color_group,
	&stat_group,
	&page_color_limits_group,
	NULL,
};

static void __init create_files(void)
{
	struct kobject *kobj = kobject_create_and_add("page_color", mm_kobj);

	if (!kobj || sysfs_create_groups(kobj, page_color_groups))
		pr_err("no files in /sys/kernel/mm\n");
}
#else
static inline void create_files(void)
{
}
#endif

#ifdef CONFIG_DEBUG_FS
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
 * Blocks of an order on the common lists; @bad counts those all of whose colours are
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

/* What is counted per colour and zone. */
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
	if (free)
		tally->free++;
	else if (!PageSlab(page) && (PageLRU(page) || PageAnon(page)))
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
		if (page_zone(page) == zone) {
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

static void __init create_debug_files(void)
{
	struct dentry *dir = debugfs_create_dir("page_color", NULL);

	debugfs_create_file("zones", 0400, dir, NULL, &zones_fops);
	debugfs_create_file("colors", 0400, dir, NULL, &colors_fops);
}
#else
static inline void create_debug_files(void)
{
}
#endif

static int __init page_color_create_files(void)
{
	create_files();
	create_debug_files();
	return 0;
}
subsys_initcall(page_color_create_files);
