/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_STRICT_H
#define _MM_PAGE_COLOR_STRICT_H

/*
 * An allocation that may have pages of its colors only, and found none: what
 * page_alloc.c asks, and how far it came.
 */
#include <linux/gfp.h>
#include <linux/types.h>

struct alloc_context;
struct page;
struct zoneref;

/* What an allocation lacks that found no page of its colors. */
enum page_color_lack {
	PAGE_COLOR_LACKS_NOTHING,	/* some are free now */
	PAGE_COLOR_LACKS_COLORS,	/* memory is free, but not of them */
	PAGE_COLOR_LACKS_MEMORY,	/* whatever the color */
};

/* How a strict allocation goes on then. */
enum page_color_step {
	PAGE_COLOR_RETRY,	/* it looks for a free page again */
	PAGE_COLOR_DONE,	/* it has one, or fails */
	PAGE_COLOR_RECLAIM,	/* as any other: memory is reclaimed, if it may be */
	PAGE_COLOR_KILL,	/* its task is killed */
};

#ifdef CONFIG_PAGE_COLOR
/**
 * struct page_color_cursor - a walk through the frames of some colors
 * @z: the zone; NULL before the first, and after the last
 * @first: frame where it began there
 * @pfn: frame where it goes on
 * @wrapped: @pfn was at the end of the zone
 * @zone_done: and has come back to @first
 */
struct page_color_cursor {
	struct zoneref *z;
	unsigned long first;
	unsigned long pfn;
	bool wrapped;
	bool zone_done;
};

/**
 * struct page_color_evict - how far an allocation came that found no page
 * @evict: page_color_evict()'s walk
 * @begun: when that began
 * @looked: frames that it looked at
 * @passes: through all zones, without a gain
 * @gains: attempts that made pages free
 * @reclaims: times that memory was reclaimed to move pages to
 * @freed: times that pages of the colors were free, but not for it
 * @gained: pages of the zone that it is in
 * @over: nothing more can be moved
 * @no_room: pages were found that could not be moved for want of free ones
 * @for_room: memory is reclaimed for that now
 * @drained: the lists of all CPUs were looked through
 * @left_out: nothing was looked at, as that was in vain just now
 * @in_earnest: it is not left out any more
 * @reclaim: page_color_reclaim()'s walk
 * @reclaim_looked: frames that it looked at
 * @pass: the how manieth that is; all that there are: it is over
 * @reclaim_gains: attempts that made pages free
 * @waits: times that it waited for pages to be written
 * @unwritten: there are such pages
 * @has_less: the policy has less than its share of the colors
 */
struct page_color_evict {
	struct page_color_cursor evict;
	u64 begun;
	unsigned long looked;
	unsigned int passes;
	unsigned int gains;
	unsigned int reclaims;
	unsigned int freed;
	bool gained;
	bool over;
	bool no_room;
	bool for_room;
	bool drained;
	bool left_out;
	bool in_earnest;
	struct page_color_cursor reclaim;
	unsigned long reclaim_looked;
	unsigned int pass;
	unsigned int reclaim_gains;
	unsigned int waits;
	bool unwritten;
	bool has_less;
};

bool page_color_evict(gfp_t gfp, const struct alloc_context *ac,
		      struct page_color_evict *state);
bool page_color_evict_again(struct page_color_evict *state, bool progress);
bool page_color_reclaim(gfp_t gfp, const struct alloc_context *ac,
			struct page_color_evict *state);
enum page_color_lack page_color_lack(gfp_t gfp, int alloc_flags,
				     const struct alloc_context *ac);
enum page_color_step page_color_strict(gfp_t gfp, unsigned int order, int alloc_flags,
				       const struct alloc_context *ac,
				       struct page_color_evict *state,
				       struct page **page);
void page_color_find_limits(void);

#else /* CONFIG_PAGE_COLOR */

struct page_color_evict {
};

static inline enum page_color_step
page_color_strict(gfp_t gfp, unsigned int order, int alloc_flags,
		  const struct alloc_context *ac, struct page_color_evict *state,
		  struct page **page)
{
	return PAGE_COLOR_RECLAIM;
}

static inline bool page_color_evict_again(struct page_color_evict *state, bool progress)
{
	return false;
}

static inline enum page_color_lack page_color_lack(gfp_t gfp, int alloc_flags,
						   const struct alloc_context *ac)
{
	return PAGE_COLOR_LACKS_MEMORY;
}

static inline void page_color_find_limits(void)
{
}

#endif /* CONFIG_PAGE_COLOR */
#endif /* _MM_PAGE_COLOR_STRICT_H */
