// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: the map, and switched on and off.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/setup.h>
#include "page_color_buddy.h"

#define CREATE_TRACE_POINTS
#include <trace/events/page_color.h>

DEFINE_STATIC_KEY_FALSE(page_color_key);
struct page_color_map page_color_map __read_mostly;
struct page_color_policy page_color_any_policy = {
	.flags = PAGE_COLOR_ANY,
	.nid = NUMA_NO_NODE,
};

/* For zsmalloc, which may be a module. */
EXPORT_SYMBOL_GPL(page_color_any_policy);

/* See page_color.h. */
DEFINE_MUTEX(page_color_mutex);

static int switch_on(void)
{
	struct zone *zone;
	int err;

	lockdep_assert_held(&page_color_mutex);
	if (page_color_enabled())
		return 0;
	if (!page_color_map.nr_bits)
		return -ENODATA;
	/* First the key: what is in the index is found only while it is on. */
	static_branch_enable_cpuslocked(&page_color_key);
	for_each_populated_zone(zone) {
		err = page_color_index_attach(zone);
		if (err)
			goto undo;
	}
	page_color_note_nodes();
	return 0;

undo:
	/* Also those that have lost their memory meanwhile. */
	for_each_zone(zone)
		page_color_index_detach(zone);
	static_branch_disable_cpuslocked(&page_color_key);
	return err;
}

static int switch_off(void)
{
	struct zone *zone;

	lockdep_assert_held(&page_color_mutex);
	if (!page_color_enabled())
		return 0;
	if (page_color_any_policies())
		return -EBUSY;
	/* Allocations that looked at the last policy are over. */
	synchronize_rcu();
	/* The colored per-CPU lists are counted only while the key is on. */
	drain_all_pages(NULL);
	/* Also those that have lost their memory meanwhile. */
	for_each_zone(zone)
		page_color_index_detach(zone);
	static_branch_disable_cpuslocked(&page_color_key);
	page_color_free_singles();
	return 0;
}

/**
 * page_color_switch - switch page coloring on or off
 * @on: on
 *
 * Context: under cpus_read_lock() and page_color_mutex.
 * Return: 0 or an error: -ENODATA without a map, -EBUSY while tasks have
 * colors, -ENOMEM.
 */
int page_color_switch(bool on)
{
	return on ? switch_on() : switch_off();
}

static bool is_of_registers(const char *text)
{
	return IS_ENABLED(CONFIG_PAGE_COLOR_AMD10H) &&
	       sysfs_streq(text, PAGE_COLOR_AMD10H_NAME);
}

/**
 * page_color_set_map - take another map
 * @text: as page_color_map_parse() reads it, or that of registers
 *
 * Context: under page_color_mutex.
 * Return: 0 or an error: -EBUSY while switched on, -EINVAL, -ENOMEM, and as
 * page_color_amd10h_map().
 */
int page_color_set_map(const char *text)
{
	struct page_color_map *map;
	char *found = NULL;
	const char *why;
	int err;

	lockdep_assert_held(&page_color_mutex);
	if (page_color_enabled())
		return -EBUSY;
	if (is_of_registers(text)) {
		found = page_color_amd10h_map();
		if (IS_ERR(found))
			return PTR_ERR(found);
		text = found;
	}
	map = kvmalloc(sizeof(*map), GFP_KERNEL);
	if (!map) {
		kfree(found);
		return -ENOMEM;
	}
	err = page_color_map_parse(map, text, &why);
	if (err) {
		pr_err("map refused: %s\n", why);
	} else {
		page_color_map = *map;
		page_color_index_reset();
		page_color_forget_cache_bits();
	}
	kvfree(map);
	kfree(found);
	return err;
}

#ifdef CONFIG_MEMORY_HOTPLUG
/* Zones that get their first memory while coloring is on need an index, too. */
static int memory_changes(struct notifier_block *nb, unsigned long action,
			  void *data)
{
	struct memory_notify *arg = data;
	int err = 0;

	if (action == MEM_GOING_ONLINE) {
		mutex_lock(&page_color_mutex);
		if (page_color_enabled())
			err = page_color_index_attach(page_zone(pfn_to_page(arg->start_pfn)));
		mutex_unlock(&page_color_mutex);
	} else if (action == MEM_ONLINE || action == MEM_OFFLINE) {
		mutex_lock(&page_color_mutex);
		if (page_color_enabled())
			page_color_note_nodes();
		mutex_unlock(&page_color_mutex);
	} else if (action == MEM_GOING_OFFLINE) {
		page_color_reserve_offline(arg->start_pfn, arg->nr_pages);
	}
	return notifier_from_errno(err);
}

static void __init watch_memory(void)
{
	hotplug_memory_notifier(memory_changes, DEFAULT_CALLBACK_PRI);
}
#else
static inline void watch_memory(void)
{
}
#endif

/* As long as any map that the boot loader can pass. */
static char boot_map[COMMAND_LINE_SIZE] __initdata;

static int __init page_color_setup(char *text)
{
	if (strscpy(boot_map, text, sizeof(boot_map)) < 0) {
		boot_map[0] = '\0';
		pr_err("map of the command line is too long\n");
	}
	return 0;
}
early_param("page_color", page_color_setup);

static void __init take_boot_map(void)
{
	cpus_read_lock();
	mutex_lock(&page_color_mutex);
	if (!page_color_set_map(boot_map) && !switch_on())
		pr_info("%u colors\n",
			bitmap_weight(page_color_map.exists, PAGE_COLOR_MAX));
	mutex_unlock(&page_color_mutex);
	cpus_read_unlock();
}

static int __init page_color_init(void)
{
	watch_memory();
	if (boot_map[0] && !is_of_registers(boot_map))
		take_boot_map();
	return 0;
}
subsys_initcall(page_color_init);

/* When PCI devices were found, and before there are programs. */
static int __init page_color_init_late(void)
{
	if (is_of_registers(boot_map))
		take_boot_map();
	return 0;
}
late_initcall(page_color_init_late);
