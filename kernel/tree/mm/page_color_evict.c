// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: eviction by colour.
 *
 * A task that may have pages of its colours only, and finds none free, gets
 * those that others use without owning their colour: what is in them moves to
 * other pages of the node, or is dropped if it is clean and of a file.
 *
 * It is compaction in the order of colours rather than of addresses: nothing is
 * held or waited for that direct compaction does not hold or wait for, but one
 * mutex, which is for allocations that may reclaim. Here is in which order and
 * how long is looked; page_color_vacate.c moves what is in a frame.
 */
#include <linux/cpuset.h>
#include <linux/delayacct.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/page_color.h>
#include <linux/psi.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_evict.h"

/* Frames of the colours that one attempt looks at, then others have their turn. */
#define EVICT_SCAN	8192
/* Attempts of one allocation that gained pages, which others then took. */
#define EVICT_GAINS	16
/* Times that one allocation makes room by reclaim to move pages to. */
#define EVICT_RECLAIMS	16

/* One at a time: protects what follows, and what page_color_vacate.c has. */
static DEFINE_MUTEX(evict_mutex);

/* The policy whose last round was in vain, and until when that is remembered. */
static u64 vain_id;
static unsigned long vain_until;

/* The first frame from @pfn on that has a colour of the set; @end if none has. */
static unsigned long next_frame(const struct page_color_set *set,
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

/*
 * Look through the zone from @state->pfn on until there is a gain, the zone was
 * looked through, or it is enough for one attempt.
 */
static unsigned int evict_in_zone(struct page_color_eviction *ev,
				  struct page_color_evict *state)
{
	unsigned long end = zone_end_pfn(ev->zone), looked = ev->looked;
	unsigned int gained = 0;

	while (!gained && ev->looked < EVICT_SCAN && !state->zone_done &&
	       !fatal_signal_pending(current)) {
		unsigned long limit = state->wrapped ? state->first : end;
		unsigned long pfn = next_frame(&ev->policy->set, state->pfn, limit);

		if (pfn < limit && page_color_collect(ev, pfn)) {
			ev->looked++;
			pfn++;
		} else if (pfn < limit) {
			gained = page_color_move_away(ev);
		} else if (state->wrapped) {
			state->zone_done = true;
		} else {
			state->wrapped = true;
			pfn = ev->zone->zone_start_pfn;
		}
		state->pfn = pfn;
		if (ev->nr == EVICT_BATCH)
			gained = page_color_move_away(ev);
		gained += ev->found;
		ev->found = 0;
		cond_resched();
	}
	gained += page_color_move_away(ev);
	page_color_count_many(ev->zone, PAGE_COLOR_EVICT_LOOKED, ev->looked - looked);
	/* Where the next one begins: what was looked at is at its end. */
	WRITE_ONCE(ev->zone->color->evict_pfn, state->pfn);
	return gained;
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
	return zone->color->evict_vain_id == policy->id &&
	       time_before(jiffies, zone->color->evict_vain_until);
}

/* The next zone in which the allocation may take pages, from @z on. */
static struct zoneref *evict_zone(struct zoneref *z, gfp_t gfp,
				  const struct alloc_context *ac,
				  const struct page_color_policy *policy,
				  bool last, bool *reclaim)
{
	for (;; z++) {
		struct zone *zone;

		z = next_zones_zonelist(z, ac->highest_zoneidx, ac->nodemask);
		zone = zonelist_zone(z);
		if (!zone)
			return NULL;
		if (READ_ONCE(zone->color) && cpuset_zone_allowed(zone, gfp) &&
		    (policy->nid == NUMA_NO_NODE ||
		     policy->nid == zone_to_nid(zone)) &&
		    (last || !is_vain_zone(zone, policy)) &&
		    zone_has_room(zone, ac, reclaim))
			return z;
	}
}

static void begin_zone(struct page_color_evict *state, struct zoneref *z)
{
	struct zone *zone = zonelist_zone(z);
	unsigned long pfn = READ_ONCE(zone->color->evict_pfn);

	if (pfn < zone->zone_start_pfn || pfn >= zone_end_pfn(zone))
		pfn = zone->zone_start_pfn;
	state->z = z;
	state->first = pfn;
	state->pfn = pfn;
	state->wrapped = false;
	state->zone_done = false;
	state->gained = false;
}

/* One attempt; sets @state->over when all zones were looked through in vain. */
static unsigned int evict(gfp_t gfp, const struct alloc_context *ac,
			  const struct page_color_policy *policy,
			  struct page_color_evict *state)
{
	struct page_color_eviction ev = {
		.policy = policy,
		.files = gfp & __GFP_FS,
		.mode = state->passes ? MIGRATE_SYNC_LIGHT : MIGRATE_ASYNC,
		.folios = LIST_HEAD_INIT(ev.folios),
	};
	unsigned int gained = 0;
	struct zoneref *z;

	while (!gained && ev.looked < EVICT_SCAN) {
		if (!state->z || state->zone_done) {
			z = evict_zone(state->z ? state->z + 1 : ac->zonelist->_zonerefs,
				       gfp, ac, policy, state->passes > 0,
				       &state->no_room);
			if (!z) {
				state->over = true;
				break;
			}
			begin_zone(state, z);
		}
		ev.zone = zonelist_zone(state->z);
		gained = evict_in_zone(&ev, state);
		state->gained |= gained;
		if (state->zone_done && !state->gained) {
			ev.zone->color->evict_vain_id = policy->id;
			ev.zone->color->evict_vain_until = jiffies + HZ;
		}
		if (fatal_signal_pending(current))
			break;
	}
	state->looked += ev.looked;
	state->no_room |= ev.no_room;
	if (ev.zone)
		page_color_count_max(ev.zone, PAGE_COLOR_EVICT_MAX, state->looked);
	return gained;
}

/*
 * Tasks that are killed for want of a page ask once. Others ask for each page;
 * they are not to look at all frames each time.
 */
static bool is_vain(const struct page_color_policy *policy)
{
	return policy->id == vain_id && time_before(jiffies, vain_until) &&
	       (page_color_in_scope() || is_global_init(current) ||
		current->signal->oom_score_adj == OOM_SCORE_ADJ_MIN);
}

/* From the beginning, for the same allocation. */
static void begin_pass(struct page_color_evict *state)
{
	state->z = NULL;
	state->over = false;
}

/**
 * page_color_evict - make pages of the current policy's colours free
 * @gfp: of the allocation that found none
 * @ac: where it may have pages
 * @state: zero at first, and kept for the whole allocation
 *
 * Each call is one attempt: it looks at EVICT_SCAN frames of the colours at
 * most, and ends when it has gained pages. Calls that return true go on where
 * the last one ended. The first pass takes what can be had at once; before a
 * second the lists of all CPUs are drained, and it waits for buffers.
 *
 * Context: may sleep. Not in a migration for a single colour.
 * Return: true if it is worth while to look for a free page again.
 */
bool page_color_evict(gfp_t gfp, const struct alloc_context *ac,
		      struct page_color_evict *state)
{
	struct page_color_policy *policy;
	unsigned int noreclaim, gained = 0;
	unsigned long pflags;

	if (state->over || !(gfp & __GFP_DIRECT_RECLAIM) || !(gfp & __GFP_IO) ||
	    gfp & __GFP_NORETRY || current->flags & PF_MEMALLOC ||
	    fatal_signal_pending(current))
		return false;
	rcu_read_lock();
	policy = page_color_current();
	if (policy && !refcount_inc_not_zero(&policy->ref))
		policy = NULL;
	rcu_read_unlock();
	if (!policy)
		return false;

	psi_memstall_enter(&pflags);
	delayacct_compact_start();
	lru_add_drain();
	if (mutex_lock_killable(&evict_mutex))
		goto out;
	if (is_vain(policy)) {
		state->over = true;
		state->passes++;
	} else {
		noreclaim = memalloc_noreclaim_save();
		page_color_find_unowned();
		gained = evict(gfp, ac, policy, state);
		memalloc_noreclaim_restore(noreclaim);
	}
	if (state->over && state->passes) {
		vain_id = policy->id;
		vain_until = jiffies + HZ / 10;
	}
	mutex_unlock(&evict_mutex);
out:
	delayacct_compact_end();
	psi_memstall_leave(&pflags);
	page_color_policy_put(policy);

	if (gained) {
		page_color_forget_misses();
		state->over = ++state->gains > EVICT_GAINS;
		return true;
	}
	if (state->over && !state->passes++) {
		/* What CPUs keep on their lists is neither free nor can it be moved. */
		lru_add_drain_all();
		drain_all_pages(NULL);
		page_color_forget_misses();
		begin_pass(state);
	}
	return !state->over && !fatal_signal_pending(current);
}

/**
 * page_color_evict_again - memory was reclaimed, is it worth while once more?
 * @state: of the allocation
 *
 * Return: true if pages could not be moved because nothing was free.
 */
bool page_color_evict_again(struct page_color_evict *state)
{
	if (!state->no_room || state->reclaims++ >= EVICT_RECLAIMS)
		return false;
	state->no_room = false;
	begin_pass(state);
	return true;
}
