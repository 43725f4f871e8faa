/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_ZONE_H
#define _MM_PAGE_COLOR_ZONE_H

/*
 * What a zone has while page coloring is on: the index of its free lists by color, and
 * what is counted. Private to mm/.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/mmzone.h>
#include <linux/page_color.h>

/* Pages that one refill of a per-CPU list takes, and how many it may hold. */
#define PAGE_COLOR_BATCH	16
#define PAGE_COLOR_HIGH		(2 * PAGE_COLOR_BATCH)
/* In the id of a per-CPU list: it was not used since it was last looked at. */
#define PCP_COLOR_IDLE		BIT_ULL(63)
/* Blocks of one order that a refill looks at; if it finds nothing, then these. */
#define PAGE_COLOR_SCAN		8
#define PAGE_COLOR_SCAN_DEEP	512
/* Entries of lists that are looked at in one hold of zone->lock, at most. */
#define PAGE_COLOR_HOLD		400

/*
 * Migrate types whose free pages are indexed: not what is isolated, nor the reserve
 * for atomic allocations.
 */
#define PAGE_COLOR_TYPES	(MIGRATE_PCPTYPES + 1)

/**
 * enum page_color_stat - what is counted per zone
 * @PAGE_COLOR_INDEXED: pages taken from the index
 * @PAGE_COLOR_SPLIT: blocks split for colored pages
 * @PAGE_COLOR_CARVED: pages taken out of these blocks
 * @PAGE_COLOR_SCANNED: blocks looked at
 * @PAGE_COLOR_SCAN_MAX: most blocks looked at in one hold of zone->lock
 * @PAGE_COLOR_CLAIMED: pageblocks claimed from other migrate types
 * @PAGE_COLOR_STOLEN: pages taken from pageblocks of other migrate types
 * @PAGE_COLOR_MISSED: refills that found no page
 * @PAGE_COLOR_KEPT: pages that were to leave the zone and got one of their
 *	color
 * @PAGE_COLOR_STAYED: pages that did not leave the zone for want of their color
 * @PAGE_COLOR_LOST: pages that had to leave the zone and got another color
 * @PAGE_COLOR_EVICTED: pages moved away from a color that others wanted
 * @PAGE_COLOR_DROPPED: clean pages of files that were dropped for this
 * @PAGE_COLOR_LARGE: large folios that tasks were given of their colors
 * @PAGE_COLOR_FOUND: free pages that were found only by looking at all frames
 * @PAGE_COLOR_EVICT_LOOKED: frames looked at for this
 * @PAGE_COLOR_EVICT_MAX: most frames looked at for one allocation
 * @PAGE_COLOR_RECLAIMED: pages reclaimed for who owns their color
 * @PAGE_COLOR_RECLAIM_OTHERS: of other owners, pages that were to be reclaimed
 * @PAGE_COLOR_RECLAIM_LOOKED: frames looked at for this
 * @PAGE_COLOR_RECLAIM_MAX: most frames looked at for one allocation
 * @PAGE_COLOR_YIELDED: pages of owned colors that others were given, as no zone
 *	that they may use had another
 * @NR_PAGE_COLOR_STATS: how many there are
 */
enum page_color_stat {
	PAGE_COLOR_INDEXED,
	PAGE_COLOR_SPLIT,
	PAGE_COLOR_CARVED,
	PAGE_COLOR_SCANNED,
	PAGE_COLOR_SCAN_MAX,
	PAGE_COLOR_CLAIMED,
	PAGE_COLOR_STOLEN,
	PAGE_COLOR_MISSED,
	PAGE_COLOR_KEPT,
	PAGE_COLOR_STAYED,
	PAGE_COLOR_LOST,
	PAGE_COLOR_EVICTED,
	PAGE_COLOR_DROPPED,
	PAGE_COLOR_LARGE,
	PAGE_COLOR_FOUND,
	PAGE_COLOR_EVICT_LOOKED,
	PAGE_COLOR_EVICT_MAX,
	PAGE_COLOR_RECLAIMED,
	PAGE_COLOR_RECLAIM_OTHERS,
	PAGE_COLOR_RECLAIM_LOOKED,
	PAGE_COLOR_RECLAIM_MAX,
	PAGE_COLOR_YIELDED,
	NR_PAGE_COLOR_STATS
};

/**
 * struct page_color_zone - free blocks of a zone by color
 * @avail: per migrate type and order, the first colors of classes whose @list
 *	may have blocks; cleared when found empty
 * @filled: which of @avail may have bits set
 * @sparing: a search just now leaves out what the index has
 * @leftover: it may have blocks with colors that lost their last owner
 * @dry: nothing is free but of owned colors
 * @cursor: color to look at next, so that allocations go round the banks
 * @missed: colors of which no page was found by a search in depth: without and with
 *	the other migrate types
 * @missed_from: when the first of these searches began, by local_clock()
 * @missed_until: when they are looked for again
 * @stat: see enum page_color_stat
 * @spilled: pages of other colors that tasks with a policy were given
 * @mixed: frames of owned colors in larger blocks that others were given
 * @evict_pfn: where page_color_evict() begins
 * @evict_vain_id: policy for which it looked through the zone in vain
 * @evict_vain_until: before these jiffies it looks elsewhere first
 * @reclaim_pfn: where page_color_reclaim() begins
 * @spared_until: before these jiffies owned pages are taken without a try to reclaim
 *	others first
 * @reserved: pages that are reserved for policies, in use or not
 * @held: of them, those that are free now
 * @list: blocks all of whose colors are owned, by type, order and the first color of
 *	their class. They stay PageBuddy and are part of free_area[].nr_free; only
 *	the list head differs
 *
 * All of it up to @stat, and @list, is protected by zone->lock.
 */
struct page_color_zone {
	unsigned long avail[PAGE_COLOR_TYPES][NR_PAGE_ORDERS][BITS_TO_LONGS(PAGE_COLOR_MAX)];
	u64 filled;
	bool sparing;
	bool leftover;
	bool dry;
	unsigned int cursor;
	DECLARE_BITMAP(missed[2], PAGE_COLOR_MAX);
	u64 missed_from[2];
	u64 missed_until[2];
	unsigned long stat[NR_PAGE_COLOR_STATS];
	atomic_long_t spilled;
	atomic_long_t mixed;
	unsigned long evict_pfn;
	u64 evict_vain_id;
	unsigned long evict_vain_until;
	unsigned long reclaim_pfn;
	unsigned long spared_until;
	atomic_long_t reserved;
	atomic_long_t held;
	struct list_head list[];
};

void page_color_count_spill(struct zone *zone);
void page_color_count_mixed(struct zone *zone, struct page *page,
			    unsigned int order);
void page_color_count_many(struct zone *zone, enum page_color_stat item,
			   unsigned long n);
void page_color_count_max(struct zone *zone, enum page_color_stat item,
			  unsigned long n);

static inline void page_color_count(struct zone *zone, enum page_color_stat item)
{
	page_color_count_many(zone, item, 1);
}

#endif /* _MM_PAGE_COLOR_ZONE_H */
