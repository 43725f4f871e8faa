// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: a walk through the frames of some colors, in the zones where an
 * allocation may take pages. For page_color_evict.c and page_color_reclaim.c.
 */
#include <linux/cpuset.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_evict.h"

/**
 * page_color_next_frame - the first frame of some colors
 * @set: the colors
 * @pfn: from here on
 * @end: up to here
 *
 * Return: its number; @end if there is none.
 */
unsigned long page_color_next_frame(const struct page_color_set *set,
				    unsigned long pfn, unsigned long end)
{
	while (pfn < end) {
		unsigned int color = page_color_of(&page_color_map, pfn);
		unsigned int order = MAX_PAGE_ORDER;

		if (pfn)
			order = min_t(unsigned int, order, __ffs(pfn));
		while (order && test_bit(color, set->some[order]))
			order--;
		if (test_bit(color, set->some[order]))
			return pfn;
		pfn += 1UL << order;
	}
	return end;
}

/**
 * page_color_cursor_frame - the frame to look at next
 * @at: in a zone; the caller adds one to @at->pfn when it is done with the frame
 * @set: the colors
 * @pfn: where it is put
 *
 * Return: false if the zone was looked through.
 */
bool page_color_cursor_frame(struct page_color_cursor *at,
			     const struct page_color_set *set, unsigned long *pfn)
{
	const struct zone *zone = zonelist_zone(at->z);

	while (!at->zone_done) {
		unsigned long limit = at->wrapped ? at->first : zone_end_pfn(zone);

		at->pfn = page_color_next_frame(set, at->pfn, limit);
		if (at->pfn < limit) {
			*pfn = at->pfn;
			return true;
		}
		at->zone_done = at->wrapped;
		if (!at->wrapped) {
			at->wrapped = true;
			at->pfn = zone->zone_start_pfn;
		}
	}
	return false;
}

/* Pages that are free but kept for others are of no use: reclaim may help. */
static bool zone_has_room(struct zone *zone, const struct alloc_context *ac,
			  bool *reclaim)
{
	unsigned long min = min_wmark_pages(zone), all;

	if (zone_watermark_ok(zone, 0, min, ac->highest_zoneidx, 0))
		return true;
	all = zone_reclaimable_pages(zone) +
	      zone_page_state_snapshot(zone, NR_FREE_PAGES);
	if (__zone_watermark_ok(zone, 0, min, ac->highest_zoneidx, 0, all))
		*reclaim = true;
	return false;
}

/*
 * Was the zone just looked through for this policy, and nothing could be moved? With
 * several zones that are used up each page would cost a look at all of them; the
 * last pass of an allocation looks nevertheless.
 */
static bool is_vain_zone(const struct zone *zone,
			 const struct page_color_policy *policy)
{
	return READ_ONCE(zone->color->evict_vain_id) == policy->id &&
	       time_before(jiffies, READ_ONCE(zone->color->evict_vain_until));
}

/**
 * page_color_cursor_zone - go to the next zone where the allocation may take pages
 * @at: at the end of a zone, or all zero for the first
 * @gfp: of the allocation
 * @ac: where it may have pages
 * @policy: whose colors
 * @last: also zones through which eviction looked in vain just now
 * @no_room: set if a zone is left out that has pages, but for others
 *
 * Return: false if there is none.
 */
bool page_color_cursor_zone(struct page_color_cursor *at, gfp_t gfp,
			    const struct alloc_context *ac,
			    const struct page_color_policy *policy, bool last,
			    bool *no_room)
{
	struct zoneref *z = at->z ? at->z + 1 : ac->zonelist->_zonerefs;

	for (;; z++) {
		struct zone *zone;

		z = next_zones_zonelist(z, ac->highest_zoneidx, ac->nodemask);
		zone = zonelist_zone(z);
		if (zone && (!READ_ONCE(zone->color) || !cpuset_zone_allowed(zone, gfp) ||
			     (policy->nid != NUMA_NO_NODE &&
			      policy->nid != zone_to_nid(zone)) ||
			     (!last && is_vain_zone(zone, policy)) ||
			     !zone_has_room(zone, ac, no_room)))
			continue;
		*at = (struct page_color_cursor) { .z = zone ? z : NULL };
		return zone;
	}
}

/**
 * page_color_cursor_begin - begin in a zone
 * @at: just come to the zone
 * @pfn: the frame to begin with, if it is one of the zone
 */
void page_color_cursor_begin(struct page_color_cursor *at, unsigned long pfn)
{
	const struct zone *zone = zonelist_zone(at->z);

	if (pfn < zone->zone_start_pfn || pfn >= zone_end_pfn(zone))
		pfn = zone->zone_start_pfn;
	at->first = pfn;
	at->pfn = pfn;
}
