/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_EVICT_H
#define _MM_PAGE_COLOR_EVICT_H

/*
 * Eviction by color: which frames are looked at is for page_color_evict.c, what
 * becomes of what is in them for page_color_vacate.c.
 */
#include <linux/list.h>
#include <linux/migrate_mode.h>
#include <linux/swap.h>
#include "page_color_strict.h"

struct folio;
struct mm_struct;
struct page_color_policy;
struct page_color_set;
struct page_color_targets;
struct zone;

/* Pages that are moved together, and what one attempt gains at most. */
#define EVICT_BATCH	SWAP_CLUSTER_MAX

/**
 * struct page_color_eviction - one attempt
 * @zone: where pages are looked for
 * @policy: whose colors are wanted
 * @files: whether pages of files may be moved
 * @mode: of the migration
 * @targets: where pages can go
 * @to: of these, where those that are isolated go
 * @folios: the pages
 * @nr: how many
 * @found: pages that were free, and are on the list of this CPU now
 * @looked: frames of the colors that were looked at
 * @no_room: pages were found that could go nowhere
 * @limits_known: the protection of memory cgroups was computed
 */
struct page_color_eviction {
	struct zone *zone;
	const struct page_color_policy *policy;
	bool files;
	enum migrate_mode mode;
	struct page_color_targets *targets;
	struct page_color_policy *to;
	struct list_head folios;
	unsigned int nr;
	unsigned int found;
	unsigned long looked;
	bool no_room;
	bool limits_known;
};

/* In this order: which zones, and which frames there. */
bool page_color_cursor_zone(struct page_color_cursor *at, gfp_t gfp,
			    const struct alloc_context *ac,
			    const struct page_color_policy *policy, bool last,
			    bool *no_room);
void page_color_cursor_begin(struct page_color_cursor *at, unsigned long pfn);
unsigned long page_color_next_frame(const struct page_color_set *set,
				    unsigned long pfn, unsigned long end);
bool page_color_cursor_frame(struct page_color_cursor *at,
			     const struct page_color_set *set, unsigned long *pfn);
bool page_color_is_spared(void);
bool page_color_evict_is_vain(const struct page_color_policy *policy);
bool page_color_evict_wants_room(struct page_color_evict *state);
bool page_color_evict_in_earnest(struct page_color_evict *state);

struct folio *page_color_get_folio(const struct zone *zone, unsigned long pfn);
bool page_color_mm_owns(struct mm_struct *mm, unsigned int color);
bool page_color_is_protected(struct folio *folio, bool low, bool *known);
bool page_color_collect(struct page_color_eviction *ev, unsigned long pfn);
unsigned int page_color_move_away(struct page_color_eviction *ev);
bool page_color_targets_init(struct page_color_eviction *ev);
void page_color_targets_free(struct page_color_eviction *ev);

#endif /* _MM_PAGE_COLOR_EVICT_H */
