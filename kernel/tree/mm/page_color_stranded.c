// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages that stay behind on the lists of CPUs, and what else comes before
 * pages of owned colors.
 *
 * A CPU has up to PAGE_COLOR_HIGH pages per zone for the policy that used its list
 * last. When the policy's tasks are gone, or on other CPUs, nobody there takes
 * them, and nobody else finds them. Each second the lists are looked at: what was
 * not used since the last look goes back to its zone. So a page stays behind for two
 * seconds at most. It is done from another CPU, which takes the list's lock as all
 * who drain lists do; lists that are empty are not locked, and where there are no
 * policies and no pages, nothing is done.
 */
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/workqueue.h>
#include "page_color_buddy.h"

static void sweep(struct work_struct *work);

static DECLARE_DELAYED_WORK(sweep_work, sweep);

static void sweep(struct work_struct *work)
{
	bool more = page_color_any_policies();
	struct zone *zone;
	unsigned int cpu;

	if (!page_color_enabled())
		return;
	for_each_populated_zone(zone) {
		for_each_possible_cpu(cpu)
			more |= page_color_sweep(zone, cpu);
		cond_resched();
	}
	if (more)
		page_color_sweep_lists();
}

/**
 * page_color_listed - free pages on the lists of CPUs that are for one policy each
 * @zone: of this zone
 *
 * Return: how many, about.
 */
unsigned long page_color_listed(const struct zone *zone)
{
	unsigned long n = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(per_cpu_ptr(zone->per_cpu_pageset, cpu)->color_count);
	return n;
}

/**
 * page_color_sweep_lists - look after the lists of CPUs from now on
 *
 * For whoever makes a policy. It ends by itself after the last one.
 */
void page_color_sweep_lists(void)
{
	queue_delayed_work(system_unbound_wq, &sweep_work, HZ);
}

/* What is on lists of this CPU without colors, some in one hold of the zone's lock. */
static bool unlist_zone(struct zone *zone)
{
	struct per_cpu_pages *pcp;
	unsigned long flags;
	bool some = false;
	int n;

	if (!READ_ONCE(raw_cpu_ptr(zone->per_cpu_pageset)->count))
		return false;
	pcp = page_color_pcp_lock(zone, &flags);
	if (!pcp)
		return false;
	/* The lists of colored pages are the last ones. */
	while ((n = pcp->count - pcp->color_count - pcp->leaving_count) > 0) {
		page_color_pcp_free(zone, pcp, min(n, PAGE_COLOR_HOLD), 0);
		some = true;
	}
	page_color_pcp_unlock(pcp, flags);
	return some;
}

/**
 * page_color_unlist - give back what waits on this CPU's lists for other allocations
 * @ac: of an allocation for which nothing is free but pages of owned colors
 *
 * Each migrate type has a list, and one refill may bring it 2,000 pages, which others
 * can be in want of.
 *
 * Context: any.
 * Return: true if there were some.
 */
bool page_color_unlist(const struct alloc_context *ac)
{
	bool some = false;
	struct zoneref *z;
	struct zone *zone;

	for_each_zone_zonelist_nodemask(zone, z, ac->zonelist, ac->highest_zoneidx,
					ac->nodemask)
		some |= unlist_zone(zone);
	return some;
}

/**
 * page_color_may_spare - may it help to reclaim pages that nobody owns?
 * @ac: of an allocation for which there are none
 *
 * Return: false if that was in vain just now, or there are no such colors.
 */
bool page_color_may_spare(const struct alloc_context *ac)
{
	struct zone *zone = zonelist_zone(ac->preferred_zoneref);

	/* Either answer is right: see page_color_unowned. */
	if (data_race(bitmap_empty(page_color_unowned[0], PAGE_COLOR_MAX)))
		return false;
	return zone && zone->color &&
	       time_after_eq(jiffies, READ_ONCE(zone->color->spared_until));
}

/**
 * page_color_spared_in_vain - all that others can give up are pages of owned colors
 * @ac: of an allocation that had memory reclaimed
 *
 * Remembered for a tenth of a second: each allocation would have everybody's memory
 * reclaimed.
 */
void page_color_spared_in_vain(const struct alloc_context *ac)
{
	struct zone *zone = zonelist_zone(ac->preferred_zoneref);

	if (zone && zone->color)
		WRITE_ONCE(zone->color->spared_until, jiffies + HZ / 10);
}
