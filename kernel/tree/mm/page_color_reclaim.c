// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: reclaim by color.
 *
 * A task that may have pages of its colors only has none free, and what others
 * have in them without owning them was moved away. Before it is killed, frames of
 * its colors are reclaimed as MADV_PAGEOUT does it: anonymous memory and tmpfs
 * are swapped out, page cache is written back if it is dirty, and dropped.
 *
 * Whose pages? Of nobody and of those who do not own the color always. Between
 * owners goes by shares: frames of a color are divided by its owners. A task
 * that has its share gives up its own pages, also those that are in use; then,
 * before it is killed, pages of other owners that are not. A task that has less
 * takes what is not in use of other owners, then what is, and gives up its own
 * pages only if there is nothing else: what it gave up it would want back, and
 * take more of the others for that than it needs.
 *
 * Reclaim is done in parallel, by each for itself: there is no lock.
 */
#include <linux/backing-dev.h>
#include <linux/delayacct.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/psi.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <linux/timekeeping.h>
#include <linux/writeback.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_evict.h"
#include "page_color_reclaim.h"

/* Frames of the colors that one attempt looks at. */
#define RECLAIM_SCAN	8192
/* Attempts of one allocation that gained pages, which others then took. */
#define RECLAIM_GAINS	256
/* Times that one allocation waits, without a gain, for what is being written. */
#define RECLAIM_WAITS	16
/* Passes through all frames, without a gain. */
#define RECLAIM_PASSES	4

/* What may be reclaimed for who has its share, and for who has less. */
static const unsigned int takes[2][RECLAIM_PASSES] = {
	{ RECLAIM_OWN, RECLAIM_OWN | RECLAIM_USED | RECLAIM_ANON,
	  RECLAIM_OWN | RECLAIM_OWNERS | RECLAIM_ANON,
	  RECLAIM_OWN | RECLAIM_OWNERS | RECLAIM_LOW | RECLAIM_ANON },
	{ RECLAIM_OWNERS, RECLAIM_OWNERS | RECLAIM_USED | RECLAIM_ANON,
	  RECLAIM_OWN | RECLAIM_OWNERS | RECLAIM_USED | RECLAIM_ANON,
	  RECLAIM_OWN | RECLAIM_OWNERS | RECLAIM_USED | RECLAIM_LOW | RECLAIM_ANON },
};

/* The first pass of who has less that takes own pages. */
#define RECLAIM_OWN_PASS	2
/* For so long others had nothing for such a one, and it begins with that pass. */
#define RECLAIM_OWN_NS		(NSEC_PER_SEC / 10)

/* Look through the zone until there is a gain, or it is enough for one attempt. */
static unsigned int reclaim_in_zone(struct page_color_reclaim *rc,
				    struct page_color_cursor *at)
{
	unsigned long looked = rc->looked, pfn;
	unsigned int gained = 0;

	while (!gained && rc->looked < RECLAIM_SCAN && !fatal_signal_pending(current) &&
	       page_color_cursor_frame(at, &rc->policy->set, &pfn)) {
		page_color_reclaim_collect(rc, pfn);
		rc->looked++;
		at->pfn++;
		if (rc->nr == RECLAIM_BATCH)
			gained = page_color_reclaim_batch(rc);
		cond_resched();
	}
	gained += page_color_reclaim_batch(rc);
	WRITE_ONCE(rc->zone->color->reclaim_pfn, at->pfn);
	page_color_count_many(rc->zone, PAGE_COLOR_RECLAIM_LOOKED, rc->looked - looked);
	return gained;
}

/* One attempt; the cursor is at its end after a pass through all zones. */
static unsigned int reclaim(gfp_t gfp, const struct alloc_context *ac,
			    struct page_color_policy *policy,
			    struct page_color_evict *state)
{
	struct page_color_cursor *at = &state->reclaim;
	struct page_color_reclaim rc = {
		.policy = policy,
		.folios = LIST_HEAD_INIT(rc.folios),
		.clean = (gfp & (__GFP_IO | __GFP_FS)) != (__GFP_IO | __GFP_FS),
	};
	unsigned int gained = 0;

	if (!state->pass) {
		page_color_sample_share(policy, ac);
		state->has_less = READ_ONCE(policy->share_has) <
				  READ_ONCE(policy->share_due);
		if (state->has_less && ktime_get_ns() < READ_ONCE(policy->reclaim_own_until))
			state->pass = RECLAIM_OWN_PASS;
	}
	rc.take = takes[state->has_less][state->pass];
	while (!gained && rc.looked < RECLAIM_SCAN && !fatal_signal_pending(current)) {
		if (!at->z || at->zone_done) {
			if (!page_color_cursor_zone(at, gfp, ac, policy, true,
						    &state->no_room))
				break;
			rc.zone = zonelist_zone(at->z);
			page_color_cursor_begin(at, READ_ONCE(rc.zone->color->reclaim_pfn));
		}
		rc.zone = zonelist_zone(at->z);
		gained = reclaim_in_zone(&rc, at);
	}
	state->reclaim_looked += rc.looked;
	state->unwritten |= rc.unwritten;
	if (rc.zone)
		page_color_count_max(rc.zone, PAGE_COLOR_RECLAIM_MAX,
				     state->reclaim_looked);
	return gained;
}

/*
 * After a pass in vain: the same again if pages of files are to be written first,
 * or the next one. After the last, what is in the colors without owning them is
 * to be moved away in earnest, if that was left out.
 */
static void next_pass(gfp_t gfp, const struct alloc_context *ac,
		      struct page_color_evict *state)
{
	bool wait = state->unwritten && state->waits < RECLAIM_WAITS && gfp & __GFP_IO;

	state->unwritten = false;
	if (wait) {
		state->waits++;
		wakeup_flusher_threads(WB_REASON_VMSCAN);
		reclaim_throttle(zonelist_zone(ac->preferred_zoneref)->zone_pgdat,
				 VMSCAN_THROTTLE_WRITEBACK);
		return;
	}
	/* What CPUs have on their lists cannot be isolated. */
	if (!state->pass++)
		lru_add_drain_all();
	if (state->pass == RECLAIM_PASSES && page_color_evict_in_earnest(state))
		state->pass = 0;
}

/**
 * page_color_reclaim - reclaim pages of the current policy's colors
 * @gfp: of the allocation that found none, also by page_color_evict()
 * @ac: where it may have pages
 * @state: of the allocation
 *
 * Each call is one attempt: it looks at RECLAIM_SCAN frames of the colors at
 * most, and ends when a batch of RECLAIM_BATCH has gained pages. Without a gain it
 * goes on when it is called again, for RECLAIM_PASSES through all frames at most,
 * and as many as RECLAIM_WAITS more while pages of files are written. For an
 * allocation of a file system, which is not to be called then, only clean pages of
 * files are dropped.
 *
 * Context: may sleep, also for writes to swap.
 * Return: true if it is worth while to look for a free page again.
 */
bool page_color_reclaim(gfp_t gfp, const struct alloc_context *ac,
			struct page_color_evict *state)
{
	struct page_color_policy *policy;
	unsigned int noreclaim, nofs, gained;
	unsigned long pflags;

	if (state->pass >= RECLAIM_PASSES || !(gfp & __GFP_DIRECT_RECLAIM) ||
	    gfp & __GFP_NORETRY || current->flags & PF_MEMALLOC ||
	    fatal_signal_pending(current))
		return false;
	policy = page_color_get_current();
	if (!policy)
		return false;
	if (page_color_is_spared() &&
	    ktime_get_ns() < READ_ONCE(policy->reclaim_vain_until)) {
		page_color_policy_put(policy);
		return false;
	}

	psi_memstall_enter(&pflags);
	delayacct_freepages_start();
	lru_add_drain();
	noreclaim = memalloc_noreclaim_save();
	/* Also of the file system whose pages are split. */
	nofs = gfp & __GFP_FS ? 0 : memalloc_nofs_save();
	gained = reclaim(gfp, ac, policy, state);
	if (!(gfp & __GFP_FS))
		memalloc_nofs_restore(nofs);
	memalloc_noreclaim_restore(noreclaim);
	if (gained) {
		page_color_forget_misses();
		state->waits = 0;
		state->pass = ++state->reclaim_gains < RECLAIM_GAINS ? 0 : RECLAIM_PASSES;
	} else if (!state->reclaim.z) {
		next_pass(gfp, ac, state);
		if (state->has_less && state->pass == RECLAIM_OWN_PASS)
			WRITE_ONCE(policy->reclaim_own_until,
				   ktime_get_ns() + RECLAIM_OWN_NS);
		if (state->pass == RECLAIM_PASSES)
			WRITE_ONCE(policy->reclaim_vain_until,
				   ktime_get_ns() + NSEC_PER_SEC / 10);
	}
	delayacct_freepages_end();
	psi_memstall_leave(&pflags);
	page_color_policy_put(policy);
	return gained || (state->pass < RECLAIM_PASSES && !fatal_signal_pending(current));
}
