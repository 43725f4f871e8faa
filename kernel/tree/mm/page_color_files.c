// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: files in sysfs and debugfs.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/seq_file.h>
#include <linux/sysfs.h>
#include <linux/vmstat.h>
#include "internal.h"
#include "page_color.h"

#ifdef CONFIG_SYSFS
static ssize_t map_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	int n;

	mutex_lock(&page_color_mutex);
	n = page_color_map_print(&page_color_map, buf, PAGE_SIZE - 1);
	mutex_unlock(&page_color_mutex);
	return n + sysfs_emit_at(buf, n, "\n");
}

static ssize_t map_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	int err;

	mutex_lock(&page_color_mutex);
	err = page_color_set_map(buf);
	mutex_unlock(&page_color_mutex);
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

	err = kstrtobool(buf, &on);
	if (err)
		return err;
	/* The order of locks that the memory notifier is called with. */
	cpus_read_lock();
	mutex_lock(&page_color_mutex);
	err = page_color_switch(on);
	mutex_unlock(&page_color_mutex);
	cpus_read_unlock();
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
	return sysfs_emit(buf, "%*pbl\n", (int)PAGE_COLOR_MAX,
			  page_color_owned);
}

static struct kobj_attribute owned_attr = __ATTR_RO(owned);

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

static struct kobj_attribute spilled_attr = __ATTR_RO(spilled);

static struct attribute *page_color_attrs[] = {
	&map_attr.attr,
	&enabled_attr.attr,
	&colors_attr.attr,
	&owned_attr.attr,
	&spilled_attr.attr,
	NULL,
};

static const struct attribute_group page_color_group = {
	.name = "page_color",
	.attrs = page_color_attrs,
};

static void __init create_files(void)
{
	if (sysfs_create_group(mm_kobj, &page_color_group))
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
};

/* Pages on a list of the index; @bad counts those that do not belong there. */
static unsigned long walk_list(const struct list_head *list, unsigned int color,
			       unsigned long *bad)
{
	unsigned long n = 0;
	struct page *page;

	list_for_each_entry(page, list, buddy_list) {
		n++;
		if (!PageBuddy(page) || buddy_order(page) ||
		    page_color_of(&page_color_map, page_to_pfn(page)) != color)
			++*bad;
	}
	return n;
}

/*
 * Every list of a zone under one hold of its lock, so that the sums must fit:
 * for tests only.
 */
static void show_zone(struct seq_file *m, struct zone *zone)
{
	unsigned long stat[NR_PAGE_COLOR_STATS];
	unsigned long buddy = 0, order0 = 0, indexed = 0, bad = 0, free, nr_free0;
	unsigned long flags, isolated = 0;
	struct page *page;
	unsigned int i, c;

	spin_lock_irqsave(&zone->lock, flags);
	if (!zone->color) {
		spin_unlock_irqrestore(&zone->lock, flags);
		return;
	}
	for (i = 0; i < MIGRATE_PCPTYPES; i++) {
		for (c = 0; c < PAGE_COLOR_MAX; c++) {
			unsigned long n = walk_list(&zone->color->list[i][c], c, &bad);

			indexed += n;
			if (n && !(test_bit(c, zone->color->avail[i]) &&
				   zone->color->any[i]))
				bad++;
		}
	}
	for (i = 0; i < MIGRATE_TYPES; i++) {
		list_for_each_entry(page, &zone->free_area[0].free_list[i], buddy_list)
			order0++;
	}
	for (i = 0; i < NR_PAGE_ORDERS; i++) {
		buddy += zone->free_area[i].nr_free << i;
#ifdef CONFIG_MEMORY_ISOLATION
		list_for_each_entry(page, &zone->free_area[i].free_list[MIGRATE_ISOLATE],
				    buddy_list)
			isolated += 1UL << i;
#endif
	}
	nr_free0 = zone->free_area[0].nr_free;
	free = zone_page_state_snapshot(zone, NR_FREE_PAGES);
	memcpy(stat, zone->color->stat, sizeof(stat));
	spin_unlock_irqrestore(&zone->lock, flags);

	seq_printf(m, "node %d zone %s", zone_to_nid(zone), zone->name);
	seq_printf(m, " free %lu buddy %lu isolated %lu order0 %lu indexed %lu bad %lu",
		   free, buddy, isolated, nr_free0, indexed, bad);
	for (i = 0; i < NR_PAGE_COLOR_STATS; i++)
		seq_printf(m, " %s %lu", stat_names[i], stat[i]);
	seq_printf(m, " %s\n", bad || free + isolated != buddy ||
		   order0 + indexed != nr_free0 ? "WRONG" : "ok");
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

static void __init create_debug_files(void)
{
	debugfs_create_file("zones", 0400, debugfs_create_dir("page_color", NULL),
			    NULL, &zones_fops);
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
