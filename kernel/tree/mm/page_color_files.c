// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: files in sysfs.
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

static ssize_t map_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	int n;

	/* With it colors are bits of physical addresses. */
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

/* Rather none than one that is cut off: many single colors of 4096 need two pages. */
static ssize_t emit_list(char *buf, const unsigned long *colors)
{
	int n = snprintf(buf, PAGE_SIZE, "%*pbl\n", (int)PAGE_COLOR_MAX, colors);

	return n < PAGE_SIZE ? n : -E2BIG;
}

static ssize_t colors_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return emit_list(buf, page_color_map.exists);
}

static struct kobj_attribute colors_attr = __ATTR_RO(colors);

static ssize_t owned_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	DECLARE_BITMAP(owned, PAGE_COLOR_MAX);

	/* Of a task with one color that is bits of all its addresses. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	/* Owners change at any time. */
	data_race(memcpy(owned, page_color_owned, bitmap_size(PAGE_COLOR_MAX)));
	return emit_list(buf, owned);
}

static struct kobj_attribute owned_attr = __ATTR_RO_MODE(owned, 0400);

/* Sum over all zones of what each has just now. */
#define ZONES_ATTR(_name, _count)					\
static ssize_t _name##_show(struct kobject *kobj,			\
			    struct kobj_attribute *attr, char *buf)	\
{									\
	struct zone *zone;						\
	long n = 0;							\
									\
	mutex_lock(&page_color_mutex);					\
	for_each_populated_zone(zone) {					\
		if (zone->color)					\
			n += atomic_long_read(&zone->color->_count);	\
	}								\
	mutex_unlock(&page_color_mutex);				\
	return sysfs_emit(buf, "%ld\n", n);				\
}									\
static struct kobj_attribute _name##_attr = __ATTR_RO_MODE(_name, 0400)

ZONES_ATTR(spilled, spilled);
ZONES_ATTR(mixed, mixed);
ZONES_ATTR(reserved, reserved);
ZONES_ATTR(reserve_held, held);

/* Sum over all zones, since coloring was switched on. */
static unsigned long stat_of_all(enum page_color_stat item)
{
	unsigned long n = 0, one, flags;
	struct zone *zone;

	mutex_lock(&page_color_mutex);
	for_each_populated_zone(zone) {
		if (!zone->color)
			continue;
		spin_lock_irqsave(&zone->lock, flags);
		one = zone->color->stat[item];
		spin_unlock_irqrestore(&zone->lock, flags);
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

static int __init page_color_create_files(void)
{
	struct kobject *kobj = kobject_create_and_add("page_color", mm_kobj);

	if (!kobj || sysfs_create_groups(kobj, page_color_groups))
		pr_err("no files in /sys/kernel/mm\n");
	return 0;
}
subsys_initcall(page_color_create_files);
