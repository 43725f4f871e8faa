// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: a strict allocation that found no page of its colors.
 *
 * What is tried, in which order, and how it ends. Memory of whoever has some is reclaimed
 * if memory is short, or for room to move pages of the colors to; that colors are used up
 * is no reason for it.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/page_color.h>
#include <linux/sched/signal.h>
#include "page_color_buddy.h"
#include "page_color_evict.h"

/* Times that pages were free, and then another had them. */
#define TRIES_FOR_FREED	16

/* Nobody is killed for these: they would wait for ever. */
static bool may_spill(gfp_t gfp)
{
	return gfp & __GFP_NOFAIL || is_global_init(current) ||
	       current->signal->oom_score_adj == OOM_SCORE_ADJ_MIN;
}

/* A page of another color; if there is none, memory is short. */
static enum page_color_step spill(gfp_t gfp, unsigned int order, int alloc_flags,
				  const struct alloc_context *ac, struct page **page)
{
	*page = page_color_alloc_spilled(gfp, order, alloc_flags, ac);
	return *page ? PAGE_COLOR_DONE : PAGE_COLOR_RECLAIM;
}

/*
 * Pages of the right colors may wait on the lists of other CPUs. Who asks for each page
 * anew has them looked through only as often as it evicts.
 */
static bool drain(struct page_color_evict *state)
{
	struct page_color_policy *policy;
	bool vain;

	if (state->drained)
		return false;
	state->drained = true;
	policy = page_color_get_current();
	vain = policy && page_color_is_spared() && page_color_evict_is_vain(policy);
	page_color_policy_put(policy);
	if (vain)
		return false;
	drain_all_pages(NULL);
	page_color_forget_misses();
	return true;
}

/**
 * page_color_strict - what is to be done for a strict allocation that found no page
 * @gfp: of the allocation, for which alloc_is_strict() is true
 * @order: as well
 * @alloc_flags: as for get_page_from_freelist()
 * @ac: as well
 * @state: zero at first, and kept for the whole allocation
 * @page: set to a page that it gets, of another color
 *
 * It is called again after PAGE_COLOR_RETRY, and after PAGE_COLOR_RECLAIM if
 * page_color_evict_again() says so.
 *
 * Context: may sleep if the allocation may.
 * Return: what is next.
 */
enum page_color_step page_color_strict(gfp_t gfp, unsigned int order, int alloc_flags,
				       const struct alloc_context *ac,
				       struct page_color_evict *state,
				       struct page **page)
{
	/* Without a page the source stays where it is. */
	if (page_color_in_migration())
		return gfp & __GFP_NOFAIL ? spill(gfp, order, alloc_flags, ac, page) :
					    PAGE_COLOR_DONE;
	if (!(gfp & __GFP_DIRECT_RECLAIM))
		return PAGE_COLOR_RECLAIM;
	if (drain(state))
		return PAGE_COLOR_RETRY;
	/* Others have pages of the right colors, but do not own these. */
	if (page_color_evict(gfp, ac, state))
		return PAGE_COLOR_RETRY;
	/* What is in them is reclaimed, for one part its own. */
	if (page_color_reclaim(gfp, ac, state))
		return PAGE_COLOR_RETRY;

	switch (page_color_lack(gfp, alloc_flags, ac)) {
	case PAGE_COLOR_LACKS_MEMORY:
		return PAGE_COLOR_RECLAIM;
	case PAGE_COLOR_LACKS_NOTHING:
		if (state->freed++ < TRIES_FOR_FREED)
			return PAGE_COLOR_RETRY;
		break;
	case PAGE_COLOR_LACKS_COLORS:
		break;
	}
	/* Pages can be moved from the colors to what others give up. */
	if (page_color_evict_wants_room(state))
		return PAGE_COLOR_RECLAIM;
	/* In a scope it is not current's fault. */
	if (!(gfp & __GFP_NOFAIL) && (page_color_in_scope() || gfp & __GFP_NORETRY))
		return PAGE_COLOR_DONE;
	if (may_spill(gfp))
		return spill(gfp, order, alloc_flags, ac, page);
	/* A file system may hold locks that its other users wait for: its caller fails. */
	return gfp & __GFP_FS ? PAGE_COLOR_KILL : PAGE_COLOR_DONE;
}
