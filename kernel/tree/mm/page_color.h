/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_H
#define _MM_PAGE_COLOR_H

/*
 * What the files of page coloring have of each other, and what Linux' own files in mm/
 * ask them. Private to mm/.
 */
#include <linux/fs.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/page_color.h>

struct alloc_context;

#ifdef CONFIG_PAGE_COLOR
#include "page_color_zone.h"

/* In this scope the task's own policy does not count. */
extern struct page_color_policy page_color_any_policy;
/* Switching on and off, changing the map, creating policies. */
extern struct mutex page_color_mutex;

#ifdef CONFIG_PAGE_COLOR_TINT
struct kobj_attribute;

extern struct kobj_attribute page_color_cache_bits_attr;
void page_color_forget_cache_bits(void);
int page_color_register_user(unsigned int colors, unsigned int flags);
#else
static inline void page_color_forget_cache_bits(void)
{
}
#endif

/* Pages that a policy may hold ahead. */
#define PAGE_COLOR_AHEAD_MAX	BIT(18)

extern atomic_long_t page_color_nr_ahead;
extern atomic_long_t page_color_ahead_shrunk;
void page_color_ahead_init(struct page_color_policy *policy);
void page_color_ahead_exit(struct page_color_policy *policy);
bool page_color_ahead_add(struct page_color_policy *policy,
			  struct list_head *pages, unsigned int n);
struct page *page_color_ahead_take(struct page_color_policy *policy,
				   const struct zone *zone);
void page_color_ahead_trim(struct page_color_policy *policy, unsigned int keep);
void page_color_ahead_fill(struct page_color_policy *policy, unsigned int pages);
long page_color_ahead_set(unsigned long pages);

extern atomic_long_t page_color_nr_missing;
extern atomic_long_t page_color_reserve_below;
extern atomic_long_t page_color_reserve_refused;
struct page *page_color_reserve_take(struct page_color_reserve *reserve,
				     struct zone *zone);
bool page_color_reserve_offer(struct zone *zone, struct page *page,
			      unsigned int color);
struct page_color_reserve *page_color_reserve_get(struct page_color_policy *policy);
void page_color_reserve_put(struct page_color_reserve *reserve);
int page_color_reserve_pages(struct page_color_policy *policy, unsigned long pages);
long page_color_reserve_set(unsigned long pages);
void page_color_reserve_offline(unsigned long start, unsigned long nr);
unsigned long page_color_reserve_check(struct zone *zone, unsigned long *bad);
bool page_color_make_free(struct page *page);
void page_color_return_pages(struct zone *zone, struct list_head *pages);

/* This map is the one that the registers of the machine describe. */
#define PAGE_COLOR_AMD10H_NAME	"amd10h"

char *page_color_amd10h_map(void);
long page_color_choose(const unsigned long *colors, unsigned int flags);
void page_color_choose_none(void);

int page_color_set_map(const char *text);
int page_color_switch(bool on);
/* Pages that were moved because a task asked for it. */
extern atomic_long_t page_color_recolored;
long page_color_recolor_range(unsigned long start, unsigned long len);
bool page_color_split_own(struct folio *folio, struct mm_struct *mm, unsigned long start,
			  unsigned long end, unsigned long *lost);
bool page_color_is_of_others(struct folio *folio, struct mm_struct *mm);
bool page_color_vma_is_private(struct vm_area_struct *vma);
void page_color_drop_shared(struct vm_area_struct *vma, pmd_t *pmd,
			    unsigned long addr, unsigned long end);

void page_color_forget_misses(void);
struct page *page_color_take_above(struct zone *zone, unsigned long low,
				   unsigned long high,
				   const struct page_color_policy *policy,
				   unsigned int scan);
struct page_color_policy *page_color_get_current(void);
void page_color_sweep_lists(void);
unsigned long page_color_listed(const struct zone *zone);
bool page_color_sweep(struct zone *zone, unsigned int cpu);
bool page_color_any_policies(void);
void page_color_free_singles(void);
unsigned int page_color_sharers(unsigned int color);
void page_color_join(struct page_color_policy *policy);
void page_color_leave(struct page_color_policy *policy);
unsigned int page_color_take_free(struct zone *zone, unsigned long pfn,
				  const struct page_color_policy *policy);
bool page_color_grow(int alloc_flags, const struct alloc_context *ac);
bool page_color_used_up(const struct page_color_policy *policy, int alloc_flags,
			const struct alloc_context *ac);
void page_color_of_node(int nid, unsigned long *colors);
void page_color_note_nodes(void);
void page_color_forget_rebound(struct page_color_policy *policy);

struct page_color_policy *
page_color_policy_at(struct page_color_policy __rcu **from);
void page_color_set_task(struct task_struct *task, struct page_color_policy *policy);
void page_color_set_mm(struct mm_struct *mm, struct page_color_policy *policy);
void page_color_update_mm(struct task_struct *task, struct mm_struct *mm);
struct page_color_policy *
page_color_policy_claim(const unsigned long *have, unsigned int n, int nid,
			unsigned int flags, kuid_t user,
			const struct page_color_policy *group);
struct page_color_policy *page_color_single(unsigned int color);
bool page_color_owns_large(struct folio *folio);
bool page_color_starts(const struct page_color_policy *policy, unsigned int order,
		       unsigned long *colors);
unsigned long page_color_orders_of_mm(struct mm_struct *mm);
bool page_color_mm_may_have(struct mm_struct *mm, unsigned long pfn);
struct page_color_policy *page_color_policy_create(const unsigned long *colors,
						   unsigned int flags,
						   kuid_t user);

/* A policy of all colors keeps nobody away from any. */
static inline bool page_color_policy_owns(const struct page_color_policy *policy)
{
	return !bitmap_equal(policy->set.some[0], page_color_map.exists, PAGE_COLOR_MAX);
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
 * page_color_forbids - may the current context not have this frame?
 * @pfn: number of the frame
 *
 * Return: true if it is strict and has other colors.
 */
static inline bool page_color_forbids(unsigned long pfn)
{
	const struct page_color_policy *policy;
	bool yes;

	rcu_read_lock();
	policy = page_color_current();
	yes = policy && policy->flags & PAGE_COLOR_STRICT &&
	      !test_bit(page_color_of(&page_color_map, pfn),
				  policy->set.some[0]);
	rcu_read_unlock();
	return yes;
}

/**
 * page_color_may_copy - may a folio of the swap cache be copied to other colors?
 * @folio: the folio, locked
 *
 * Not while somebody has a reference besides the swap cache, who maps it, the caller
 * and the list of pages that are new: it may be a device's, whose data the copy had not.
 * Then it is used as it is, which is counted.
 *
 * Return: true if so.
 */
static inline bool page_color_may_copy(struct folio *folio)
{
	bool yes = folio_ref_count(folio) <=
		   2 + folio_mapcount(folio) + !folio_test_lru(folio);

	if (!yes)
		page_color_count_spill(folio_zone(folio));
	return yes;
}

/**
 * mm_has_page_color - did a task of this mm ask for colors?
 * @mm: the mm
 *
 * Return: true if so, and page coloring is on.
 */
static inline bool mm_has_page_color(struct mm_struct *mm)
{
	return page_color_enabled() && rcu_access_pointer(mm->page_color);
}

/**
 * page_color_orders - the large folios that an mm may have
 * @mm: the mm
 *
 * Return: a mask of orders. If a task of it asked for colors, those of blocks
 * that can be without other colors.
 */
static inline unsigned long page_color_orders(struct mm_struct *mm)
{
	return mm_has_page_color(mm) ? page_color_orders_of_mm(mm) : ~0UL;
}

/**
 * vma_wants_private - are pages of the mapping to be copied when they are read?
 * @vma: the mapping
 *
 * Return: true if so, see page_color_vma_is_private().
 */
static inline bool vma_wants_private(struct vm_area_struct *vma)
{
	return mm_has_page_color(vma->vm_mm) && page_color_vma_is_private(vma);
}

/**
 * folio_keeps_color - does somebody own the colors of this folio?
 * @folio: the folio
 *
 * Return: true if all colors that it has are owned.
 */
static inline bool folio_keeps_color(struct folio *folio)
{
	if (folio_test_large(folio))
		return page_color_any_owned() && page_color_owns_large(folio);
	return pfn_color_owned(folio_pfn(folio));
}

/**
 * page_is_in_zone - is this page in the zone?
 * @page: the page, which nobody needs to hold
 * @zone: the zone
 *
 * Return: true if so.
 */
static inline bool page_is_in_zone(const struct page *page, const struct zone *zone)
{
	/* Other bits of the flags may change meanwhile, those of node and zone do not. */
	return data_race(page_zone(page)) == zone;
}

/**
 * page_color_split_folio - split a large folio into pages
 * @folio: the folio, locked
 *
 * Without CONFIG_TRANSPARENT_HUGEPAGE there are large folios as well, of drivers, but
 * split_folio() does nothing then and returns 0.
 *
 * Return: true if it is split.
 */
static inline bool page_color_split_folio(struct folio *folio)
{
	return IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && !split_folio(folio);
}

/**
 * page_color_enter_none - from here on, allocations are for nobody's memory
 *
 * Pages of the kernel that look like those of users, as they can be moved.
 *
 * Return: what page_color_leave_none() wants back.
 */
static inline struct page_color_policy *page_color_enter_none(void)
{
	struct page_color_policy *scope = current->page_color_scope;

	current->page_color_scope = &page_color_any_policy;
	return scope;
}

static inline void page_color_leave_none(struct page_color_policy *scope)
{
	current->page_color_scope = scope;
}

struct folio *page_color_migrate_alloc(struct folio *src,
				       new_folio_t get_new_folio,
				       unsigned long private, int reason);

#else /* CONFIG_PAGE_COLOR */

static inline bool page_color_has_policy(void)
{
	return false;
}

static inline bool page_color_forbids(unsigned long pfn)
{
	return false;
}

static inline bool page_color_may_copy(struct folio *folio)
{
	return false;
}

static inline bool mm_has_page_color(struct mm_struct *mm)
{
	return false;
}

static inline unsigned long page_color_orders(struct mm_struct *mm)
{
	return ~0UL;
}

static inline bool page_color_mm_may_have(struct mm_struct *mm, unsigned long pfn)
{
	return true;
}

static inline bool vma_wants_private(struct vm_area_struct *vma)
{
	return false;
}

static inline bool page_color_grow(int alloc_flags,
				   const struct alloc_context *ac)
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

static inline struct page_color_policy *page_color_enter_none(void)
{
	return NULL;
}

static inline void page_color_leave_none(struct page_color_policy *scope)
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
