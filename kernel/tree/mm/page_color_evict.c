// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: eviction by color.
 *
 * A task that may have pages of its colors only, and finds none free, gets
 * those that others use without owning their color: what is in them moves to
 * other pages of the node, or is dropped if it is clean and of a file.
 *
 * It is compaction in the order of colors rather than of addresses: nothing is
 * held or waited for that direct compaction does not hold or wait for. Each task
 * evicts for itself, without a lock: one that waited for another would wait as long
 * as that one has no CPU. Here is in which order and how long is looked;
 * page_color_vacate.c moves what is in a frame.
 */
#include <linux/delayacct.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/page_color.h>
#include <linux/psi.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <linux/timekeeping.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_evict.h"

/* Frames of the colors that one attempt looks at, then others have their turn. */
#define EVICT_SCAN	8192
/* Attempts of one allocation that gained pages, which others then took. */
#define EVICT_GAINS	16
/* Times that one allocation makes room by reclaim to move pages to. */
#define EVICT_RECLAIMS	16

/* Until there is a gain, the zone was looked through, or it is enough for one attempt. */
static unsigned int evict_in_zone(struct page_color_eviction *ev,
				  struct page_color_cursor *at)
{
	unsigned long looked = ev->looked, pfn;
	unsigned int gained = 0;

	while (!gained && ev->looked < EVICT_SCAN && !fatal_signal_pending(current) &&
	       page_color_cursor_frame(at, &ev->policy->set, &pfn)) {
		if (page_color_collect(ev, pfn)) {
			ev->looked++;
			at->pfn++;
		} else {
			gained = page_color_move_away(ev);
		}
		if (ev->nr == EVICT_BATCH)
			gained = page_color_move_away(ev);
		gained += ev->found;
		ev->found = 0;
		cond_resched();
	}
	gained += page_color_move_away(ev);
	page_color_count_many(ev->zone, PAGE_COLOR_EVICT_LOOKED, ev->looked - looked);
	/* Where the next one begins: what was looked at is at its end. */
	WRITE_ONCE(ev->zone->color->evict_pfn, at->pfn);
	return gained;
}

/*
 * One attempt; sets @state->over when all zones were looked through in vain, or there is
 * no memory for it.
 */
static unsigned int evict(gfp_t gfp, const struct alloc_context *ac,
			  const struct page_color_policy *policy,
			  struct page_color_evict *state)
{
	struct page_color_cursor *at = &state->evict;
	struct page_color_eviction ev = {
		.policy = policy,
		.files = gfp & __GFP_FS,
		.mode = state->passes ? MIGRATE_SYNC_LIGHT : MIGRATE_ASYNC,
		.folios = LIST_HEAD_INIT(ev.folios),
	};
	unsigned int gained = 0;

	if (!page_color_targets_init(&ev)) {
		state->no_room = true;
		state->over = true;
		return 0;
	}
	while (!gained && ev.looked < EVICT_SCAN) {
		if (!at->z || at->zone_done) {
			if (!page_color_cursor_zone(at, gfp, ac, policy, state->passes > 0,
						    &state->no_room)) {
				state->over = true;
				break;
			}
			ev.zone = zonelist_zone(at->z);
			page_color_cursor_begin(at, READ_ONCE(ev.zone->color->evict_pfn));
			state->gained = false;
		}
		ev.zone = zonelist_zone(at->z);
		gained = evict_in_zone(&ev, at);
		state->gained |= gained;
		if (at->zone_done && !state->gained) {
			WRITE_ONCE(ev.zone->color->evict_vain_id, policy->id);
			WRITE_ONCE(ev.zone->color->evict_vain_until, jiffies + HZ);
		}
		if (fatal_signal_pending(current))
			break;
	}
	state->looked += ev.looked;
	state->no_room |= ev.no_room;
	if (ev.zone)
		page_color_count_max(ev.zone, PAGE_COLOR_EVICT_MAX, state->looked);
	page_color_targets_free(&ev);
	return gained;
}

/**
 * page_color_is_spared - is nobody killed for want of a page of its colors?
 *
 * Tasks that are killed ask once, others for each page: they are not to look at all
 * frames each time.
 *
 * Return: true if the current task is not.
 */
bool page_color_is_spared(void)
{
	return page_color_in_scope() || is_global_init(current) ||
	       current->signal->oom_score_adj == OOM_SCORE_ADJ_MIN;
}

/**
 * page_color_evict_is_vain - was all of it looked through in vain just now?
 * @policy: for whom
 *
 * Return: true if so.
 */
bool page_color_evict_is_vain(const struct page_color_policy *policy)
{
	return ktime_get_ns() < READ_ONCE(policy->evict_vain_until);
}

/*
 * Then reclaim comes first, and what was left out here is made up for by
 * page_color_evict_in_earnest().
 */
static bool is_left_out(const struct page_color_policy *policy,
			const struct page_color_evict *state)
{
	return page_color_evict_is_vain(policy) &&
	       (!state->in_earnest || page_color_is_spared());
}

/* Remembered for 16 times what it took, so that it is a small part of the time. */
static void remember_vain(struct page_color_policy *policy,
			  const struct page_color_evict *state)
{
	u64 now = ktime_get_ns();

	WRITE_ONCE(policy->evict_vain_until,
		   now + clamp_t(u64, 16 * (now - state->begun),
				 NSEC_PER_SEC / 10, NSEC_PER_SEC));
}

/* From the beginning, for the same allocation. */
static void begin_pass(struct page_color_evict *state)
{
	state->evict = (struct page_color_cursor) {};
	state->over = false;
}

/**
 * page_color_get_current - the policy of the current context
 *
 * Return: the policy with a reference, NULL without one.
 */
struct page_color_policy *page_color_get_current(void)
{
	struct page_color_policy *policy;

	rcu_read_lock();
	policy = page_color_current();
	if (policy && !refcount_inc_not_zero(&policy->ref))
		policy = NULL;
	rcu_read_unlock();
	return policy;
}

/**
 * page_color_evict - make pages of the current policy's colors free
 * @gfp: of the allocation that found none
 * @ac: where it may have pages
 * @state: zero at first, and kept for the whole allocation
 *
 * Each call is one attempt: it looks at EVICT_SCAN frames of the colors at
 * most, and ends when it has gained pages. Calls that return true go on where
 * the last one ended. The first pass takes what can be had at once; before a
 * second the lists of all CPUs are drained, and it waits for buffers.
 *
 * Context: may sleep. Not in a migration for a single color.
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
	policy = page_color_get_current();
	if (!policy)
		return false;
	if (!state->begun)
		state->begun = ktime_get_ns();

	psi_memstall_enter(&pflags);
	delayacct_compact_start();
	lru_add_drain();
	if (is_left_out(policy, state)) {
		state->over = true;
		state->left_out = true;
	} else {
		noreclaim = memalloc_noreclaim_save();
		gained = evict(gfp, ac, policy, state);
		memalloc_noreclaim_restore(noreclaim);
	}
	if (state->over && state->passes && !state->left_out)
		remember_vain(policy, state);
	delayacct_compact_end();
	psi_memstall_leave(&pflags);
	page_color_policy_put(policy);

	if (gained) {
		page_color_forget_misses();
		state->over = ++state->gains > EVICT_GAINS;
		return true;
	}
	if (state->over && !state->left_out && !state->passes++) {
		/* What CPUs keep on their lists is neither free nor can it be moved. */
		lru_add_drain_all();
		drain_all_pages(NULL);
		page_color_forget_misses();
		begin_pass(state);
	}
	return !state->over && !fatal_signal_pending(current);
}

/**
 * page_color_evict_wants_room - is memory to be reclaimed for pages to move to?
 * @state: of the allocation
 *
 * Not for who asks for each page: eviction is left out for it now, see is_left_out().
 *
 * Return: true if pages could not be moved because nothing was free.
 */
bool page_color_evict_wants_room(struct page_color_evict *state)
{
	if (!state->no_room || state->reclaims >= EVICT_RECLAIMS || page_color_is_spared())
		return false;
	state->for_room = true;
	return true;
}

/**
 * page_color_evict_again - is it worth while once more, after reclaim?
 * @state: of the allocation
 * @progress: whether memory was reclaimed
 *
 * Return: true if reclaim was for page_color_evict_wants_room().
 */
bool page_color_evict_again(struct page_color_evict *state, bool progress)
{
	if (!state->for_room)
		return false;
	state->for_room = false;
	state->no_room = false;
	state->reclaims++;
	if (progress) {
		state->pass = 0;
		begin_pass(state);
	}
	return true;
}

/**
 * page_color_evict_in_earnest - was eviction left out, as it was in vain just now?
 * @state: of the allocation
 *
 * Return: true if so, once; from now on it is not left out.
 */
bool page_color_evict_in_earnest(struct page_color_evict *state)
{
	if (!state->left_out || state->in_earnest || page_color_is_spared())
		return false;
	state->left_out = false;
	state->in_earnest = true;
	state->passes = 0;
	state->begun = 0;
	begin_pass(state);
	return true;
}
