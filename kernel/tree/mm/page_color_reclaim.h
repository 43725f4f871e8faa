/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_RECLAIM_H
#define _MM_PAGE_COLOR_RECLAIM_H

/*
 * Reclaim by color: which frames are looked at, and in which order, is for
 * page_color_reclaim.c, what becomes of what is in them for page_color_pageout.c.
 */
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/swap.h>

struct alloc_context;
struct page_color_policy;
struct zone;

/* Pages that are reclaimed together. */
#define RECLAIM_BATCH	SWAP_CLUSTER_MAX

/* What may be reclaimed besides what is not in use and of no owner. */
#define RECLAIM_USED	BIT(0)	/* pages that were used since the last look */
#define RECLAIM_OWNERS	BIT(1)	/* pages of other owners */
#define RECLAIM_LOW	BIT(2)	/* pages below memory.low of their cgroup */
#define RECLAIM_ANON	BIT(3)	/* anonymous pages though swappiness is 0 */
#define RECLAIM_OWN	BIT(4)	/* pages of whom it is done for */

/**
 * struct page_color_reclaim - one attempt
 * @zone: where pages are looked for
 * @policy: whose colors are wanted
 * @take: what may be reclaimed, of the flags above
 * @folios: those of the batch that are isolated
 * @pfns: frames of the batch: of @folios, and of those under writeback already
 * @nr: how many
 * @others: of them, those of other owners
 * @looked: frames of the colors that were looked at
 * @clean: only what is clean and of a file, as no file system is to be called
 * @unwritten: pages of files were found that must be written first
 * @limits_known: the protection of memory cgroups was computed
 */
struct page_color_reclaim {
	struct zone *zone;
	struct page_color_policy *policy;
	unsigned int take;
	struct list_head folios;
	unsigned long pfns[RECLAIM_BATCH];
	unsigned int nr;
	unsigned int others;
	unsigned long looked;
	bool clean;
	bool unwritten;
	bool limits_known;
};

void page_color_reclaim_collect(struct page_color_reclaim *rc, unsigned long pfn);
unsigned int page_color_reclaim_batch(struct page_color_reclaim *rc);
void page_color_sample_share(struct page_color_policy *policy,
			     const struct alloc_context *ac);

#endif /* _MM_PAGE_COLOR_RECLAIM_H */
