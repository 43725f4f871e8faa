/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_H
#define _MM_PAGE_COLOR_H

/*
 * The colour index of the free lists. Private to mm/.
 */
#include <linux/migrate.h>
#include <linux/mm_types.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/page_color.h>

#ifdef CONFIG_PAGE_COLOR

/* Pages that one refill of a per-CPU list takes, and how many it may hold. */
#define PAGE_COLOR_BATCH	16
#define PAGE_COLOR_HIGH		(2 * PAGE_COLOR_BATCH)
/* Blocks of one order that a refill looks at; if it finds nothing, then these. */
#define PAGE_COLOR_SCAN		8
#define PAGE_COLOR_SCAN_DEEP	512

/**
 * enum page_color_stat - what is counted per zone
 * @PAGE_COLOR_INDEXED: pages taken from the index
 * @PAGE_COLOR_SPLIT: blocks split for coloured pages
 * @PAGE_COLOR_CARVED: pages taken out of these blocks
 * @PAGE_COLOR_SCANNED: blocks looked at
 * @PAGE_COLOR_SCAN_MAX: most blocks looked at in one hold of zone->lock
 * @PAGE_COLOR_CLAIMED: pageblocks claimed from other migrate types
 * @PAGE_COLOR_STOLEN: pages taken from pageblocks of other migrate types
 * @PAGE_COLOR_MISSED: refills that found no page
 * @PAGE_COLOR_KEPT: pages that were to leave the zone and got one of their
 *	colour
 * @PAGE_COLOR_STAYED: pages that did not leave the zone for want of their colour
 * @PAGE_COLOR_LOST: pages that had to leave the zone and got another colour
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
	NR_PAGE_COLOR_STATS
};

/**
 * struct page_color_zone - free order-0 pages of a zone by colour
 * @list: pages of owned colours. They stay PageBuddy of order 0 and are part
 *	of free_area[0].nr_free; only the list head differs
 * @avail: colours whose @list may have pages; cleared when found empty
 * @any: whether @avail may have bits set
 * @cursor: colour to look at next, so that allocations go round the banks
 * @missed: colours of which no page was found by a search in depth: without and with
 *	the other migrate types
 * @missed_from: when the first of these searches began, by local_clock()
 * @missed_until: when they are looked for again
 * @stat: see enum page_color_stat
 * @spilled: pages of other colours that tasks with a policy were given
 *
 * All of it but @spilled is protected by zone->lock.
 */
struct page_color_zone {
	struct list_head list[MIGRATE_PCPTYPES][PAGE_COLOR_MAX];
	DECLARE_BITMAP(avail[MIGRATE_PCPTYPES], PAGE_COLOR_MAX);
	bool any[MIGRATE_PCPTYPES];
	unsigned int cursor;
	DECLARE_BITMAP(missed[2], PAGE_COLOR_MAX);
	u64 missed_from[2];
	u64 missed_until[2];
	unsigned long stat[NR_PAGE_COLOR_STATS];
	atomic_long_t spilled;
};

/* In this scope the task's own policy does not count. */
extern struct page_color_policy page_color_any_policy;
/* Switching on and off, changing the map, creating policies. */
extern struct mutex page_color_mutex;

int page_color_set_map(const char *text);
int page_color_switch(bool on);
void page_color_policy_release(struct page_color_policy *policy);
void page_color_count_spill(struct zone *zone);
void page_color_forget_misses(void);
void page_color_count(struct zone *zone, enum page_color_stat item);
struct page_color_policy *page_color_single(unsigned int color);
struct page_color_policy *page_color_policy_create(const unsigned long *colors,
						   unsigned int flags);

static inline void page_color_policy_put(struct page_color_policy *policy)
{
	if (policy && refcount_dec_and_test(&policy->ref))
		page_color_policy_release(policy);
}

/* Does the current context have a policy, of its own or of a scope? */
static inline bool page_color_has_policy(void)
{
	bool yes;

	rcu_read_lock();
	yes = page_color_current();
	rcu_read_unlock();
	return yes;
}

/**
 * mm_has_page_color - did a task of this mm ask for colours?
 * @mm: the mm
 *
 * Return: true if so, and page colouring is on.
 */
static inline bool mm_has_page_color(struct mm_struct *mm)
{
	return page_color_enabled() && rcu_access_pointer(mm->page_color);
}

/**
 * folio_keeps_color - does somebody own the colour of this folio?
 * @folio: the folio
 *
 * Return: true if it is a single page of an owned colour.
 */
static inline bool folio_keeps_color(struct folio *folio)
{
	return !folio_test_large(folio) && pfn_color_owned(folio_pfn(folio));
}

struct page_color_policy *page_color_enter_mm(struct mm_struct *mm);
void page_color_leave_mm(struct page_color_policy *scope);
struct folio *page_color_migrate_alloc(struct folio *src,
				       new_folio_t get_new_folio,
				       unsigned long private, int reason);

#else /* CONFIG_PAGE_COLOR */

static inline bool page_color_has_policy(void)
{
	return false;
}

static inline bool mm_has_page_color(struct mm_struct *mm)
{
	return false;
}

static inline void page_color_forget_misses(void)
{
}

static inline bool folio_keeps_color(struct folio *folio)
{
	return false;
}

static inline struct page_color_policy *page_color_enter_mm(struct mm_struct *mm)
{
	return NULL;
}

static inline void page_color_leave_mm(struct page_color_policy *scope)
{
}

static inline struct folio *page_color_migrate_alloc(struct folio *src,
						     new_folio_t get_new_folio,
						     unsigned long private,
						     int reason)
{
	return get_new_folio(src, private);
}

#endif /* CONFIG_PAGE_COLOR */
#endif /* _MM_PAGE_COLOR_H */
