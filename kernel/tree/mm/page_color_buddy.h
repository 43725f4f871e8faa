/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_BUDDY_H
#define _MM_PAGE_COLOR_BUDDY_H

/*
 * Between page_alloc.c and the colors of its free lists: which calls it makes, and
 * what of it page_color_index.c, page_color_buddy.c, page_color_take.c,
 * page_color_search.c, page_color_alloc.c and page_color_large.c use.
 */
#include <linux/gfp.h>
#include <linux/page_color.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_strict.h"

/* An allocation may have pages of colors that others own: there are no more. */
#define ALLOC_OWNED		0x1000
/* It is not to have them yet. */
#define ALLOC_SPARE		0x2000

/* page_color_stranded.c */
bool page_color_unlist(const struct alloc_context *ac);

#ifdef CONFIG_PAGE_COLOR

bool page_color_may_spare(const struct alloc_context *ac);
void page_color_spared_in_vain(const struct alloc_context *ac);

/*
 * Both are written under the lock of who owns what and read under a zone's lock at most:
 * what is put into the wrong list meanwhile, page_color_sorting has sorted.
 */
/* Per order, the first colors of classes of blocks with a color without owner. */
extern unsigned long page_color_unowned[NR_PAGE_ORDERS][BITS_TO_LONGS(PAGE_COLOR_MAX)];
/* Per order and class, how many colors have no owner. */
extern u16 page_color_nr_unowned[NR_PAGE_ORDERS][PAGE_COLOR_MAX];
/* Free pages are being sorted after colors got owners. */
extern atomic_t page_color_sorting;

/* The index of a zone's type, or -1 if it has none. */
static inline int page_color_type(int migratetype)
{
	if (migratetype < MIGRATE_PCPTYPES)
		return migratetype;
	return is_migrate_cma(migratetype) ? MIGRATE_PCPTYPES : -1;
}

/* Has a block that starts with @color a frame that nobody owns? */
static inline bool page_color_has_unowned(unsigned int order, unsigned int color)
{
	return color >= PAGE_COLOR_NONE ||
	       test_bit(page_color_map.first[order][color],
			page_color_unowned[order]);
}

/* Does nobody own any frame of such a block? */
static inline bool page_color_is_unowned(unsigned int order, unsigned int color)
{
	const struct page_color_map *map = &page_color_map;

	return color >= PAGE_COLOR_NONE ||
	       READ_ONCE(page_color_nr_unowned[order][map->first[order][color]]) ==
	       1U << map->rank[order];
}

static inline struct list_head *page_color_list(struct page_color_zone *index,
						int type, unsigned int order,
						unsigned int first)
{
	unsigned int nr = page_color_nr(&page_color_map);

	return &index->list[(type * NR_PAGE_ORDERS + order) * nr + first];
}

static inline u64 page_color_filled_bit(int type, unsigned int order)
{
	return BIT_ULL(type * NR_PAGE_ORDERS + order);
}

/*
 * Are there lists of the zone that __rmqueue() does not know, or pages that are not
 * for everybody? With the zone's lock.
 */
static __always_inline bool page_color_busy(const struct zone *zone)
{
	return page_color_enabled() && zone->color &&
	       (READ_ONCE(page_color_nr_owned) || zone->color->filled);
}

/* Pages that nobody owns come to the common lists. With the zone's lock. */
static __always_inline void page_color_not_dry(struct zone *zone)
{
	if (page_color_enabled() && zone->color)
		zone->color->dry = false;
}

/* Of the entries looked at, @before were counted when zone->lock was taken. */
static inline void page_color_count_scan(struct page_color_zone *index,
					 unsigned long before)
{
	unsigned long looked = index->stat[PAGE_COLOR_SCANNED] - before;

	if (index->stat[PAGE_COLOR_SCAN_MAX] < looked)
		index->stat[PAGE_COLOR_SCAN_MAX] = looked;
}

static inline unsigned int page_color_of_page(struct page *page)
{
	return page_color_of(&page_color_map, page_to_pfn(page));
}

/* The list of the index for a block all of whose colors are owned. */
static __always_inline struct list_head *
page_color_index_list(struct page_color_zone *index, int type, unsigned int order,
		      unsigned int color)
{
	unsigned int first = page_color_map.first[order][color];

	__set_bit(first, index->avail[type][order]);
	index->filled |= page_color_filled_bit(type, order);
	return page_color_list(index, type, order, first);
}

/* The list that a free block belongs to. With the zone's lock. */
static __always_inline struct list_head *
page_color_list_of(struct zone *zone, unsigned int order, int migratetype,
		   unsigned int color)
{
	struct page_color_zone *index = zone->color;
	int type = page_color_type(migratetype);

	if (!index || type < 0 || page_color_has_unowned(order, color)) {
		if (index)
			index->dry = false;
		return &zone->free_area[order].free_list[migratetype];
	}
	return page_color_index_list(index, type, order, color);
}

/* Linux 7.3 counts free blocks of whole pageblocks. */
#ifndef page_color_count_block
static inline void page_color_count_block(struct zone *zone, unsigned int order)
{
}
#endif

/*
 * Put a part of a block that was split into the free lists; @owned if it is known
 * that all of its colors are, and its zone and migrate type have an index.
 */
static __always_inline void
page_color_put_part(struct page *page, struct zone *zone, unsigned int order,
		    int migratetype, unsigned int color, bool owned)
{
	struct list_head *list;

	list = owned ? page_color_index_list(zone->color, page_color_type(migratetype),
					     order, color) :
		       page_color_list_of(zone, order, migratetype, color);
	list_add(&page->buddy_list, list);
	zone->free_area[order].nr_free++;
	/* As set_buddy_order() of page_alloc.c. */
	set_page_private(page, order);
	__SetPageBuddy(page);
	page_color_count_block(zone, order);
}

/* page_color_index.c */
int page_color_index_attach(struct zone *zone);
void page_color_index_detach(struct zone *zone);
void page_color_index_reset(void);
unsigned long page_color_index_own(unsigned int color);
void page_color_index_disown(unsigned int color);
void page_color_index_leftover(void);
void page_color_index_sort(unsigned long orders);
struct list_head *page_color_free_list(struct zone *zone, struct page *page,
				       unsigned int order, int migratetype);
void page_color_add_block(struct page *page, struct zone *zone, unsigned int order,
			  int migratetype, bool tail);
void page_color_put_block(struct page *page, struct zone *zone, unsigned int order,
			  int migratetype, unsigned int color);
struct page *page_color_first(struct page_color_zone *index, int type,
			      unsigned int order, const unsigned long *colors);
struct page *page_color_first_other(struct zone *zone, unsigned int order,
				    int migratetype);
struct page *page_color_any_block(struct zone *zone, unsigned int order,
				  int migratetype);
bool page_color_has_block(struct zone *zone, unsigned int order, int migratetype);

/* page_color_buddy.c */
unsigned int page_color_rmqueue(struct zone *zone, int migratetype,
				unsigned int alloc_flags, unsigned int max,
				struct list_head *list);
unsigned int page_color_carve(struct zone *zone, struct page *block,
			      unsigned int order, int migratetype,
			      const struct page_color_set *set, unsigned int max,
			      struct list_head *list);

/* page_color_take.c */
unsigned int page_color_take_of_type(struct zone *zone, int migratetype,
				     const struct page_color_set *set,
				     unsigned int max, struct list_head *list);
unsigned int page_color_take(struct zone *zone, const struct page_color_set *set,
			     unsigned int max, unsigned int alloc_flags,
			     struct list_head *list);
unsigned int page_color_take_at(struct zone *zone, unsigned long pfn,
				const struct page_color_set *set,
				unsigned int max, struct list_head *list);

/* page_color_search.c */
struct page *page_color_search(struct zone *zone, const struct page_color_set *set,
			       unsigned int alloc_flags);

/* page_color_alloc.c */
void page_color_free_page(struct zone *zone, struct per_cpu_pages *pcp,
			  struct page *page);
struct page *page_color_alloc(struct zone *preferred_zone, struct zone *zone,
			      unsigned int alloc_flags, bool *strict);
struct page *page_color_alloc_below(struct zone *zone,
				    const struct alloc_context *ac);
void page_color_prepare(struct page *page, unsigned int order, gfp_t gfp);
struct page *page_color_alloc_spilled(gfp_t gfp, unsigned int order,
				      int alloc_flags,
				      const struct alloc_context *ac);
bool page_color_alloc_for_program(gfp_t gfp, unsigned int order, int alloc_flags,
				  const struct alloc_context *ac,
				  struct page **page);
unsigned int page_color_current_flags(void);

/* page_color_large.c */
struct page *page_color_alloc_large(gfp_t gfp, unsigned int order,
				    int preferred_nid, nodemask_t *nodemask);

/* page_alloc.c: what it does for these files, with the locks that its own have. */
struct per_cpu_pages *page_color_pcp_lock(struct zone *zone, unsigned long *flags);
void page_color_pcp_unlock(struct per_cpu_pages *pcp, unsigned long flags);
void page_color_pcp_free(struct zone *zone, struct per_cpu_pages *pcp,
			 unsigned int count, int pindex);
void page_color_drain(struct zone *zone);
void page_color_free_one(struct zone *zone, struct page *page);
void page_color_del_block(struct page *page, struct zone *zone, unsigned int order,
			  int migratetype);
void page_color_account(struct zone *zone, int pages, int migratetype);
bool page_color_claim(struct zone *zone, int migratetype, unsigned int alloc_flags);
int page_color_fallback(int migratetype, unsigned int i);
bool page_color_is_bad(struct page *page, unsigned int order);
void page_color_count_alloc(struct zone *preferred_zone, struct zone *zone,
			    unsigned int pages);
struct page *page_color_get_page(gfp_t gfp, unsigned int order, int alloc_flags,
				 const struct alloc_context *ac);

/*
 * Only movable user pages of order 0 are colored: not slab, not page tables,
 * nothing that the kernel or a device keeps. User pages that are pinned for long
 * when they are faulted in are not asked for as movable. Pages of a block device are
 * movable, but not asked for as a user's, also while a fault is taken for another;
 * those that are moved have the color that they had.
 */
static __always_inline bool alloc_is_colored(gfp_t gfp, unsigned int order,
					     int migratetype)
{
	return page_color_active() && !order &&
	       (migratetype == MIGRATE_MOVABLE ||
		current->flags & PF_MEMALLOC_PIN) &&
	       (gfp & __GFP_HIGHMEM || page_color_in_migration());
}

/*
 * Does a task with colors ask for a block that it can do without? These are
 * huge pages and large folios of user memory, which are asked for without
 * retries or as GFP_TRANSHUGE. Blocks of hugetlb, of the kernel and of file
 * systems that cannot do with less are left alone.
 */
static __always_inline bool alloc_is_large_of_colors(gfp_t gfp,
						     unsigned int order)
{
	return page_color_active() && order && gfp & __GFP_HIGHMEM &&
	       gfp_migratetype(gfp) == MIGRATE_MOVABLE &&
	       (gfp & (__GFP_NORETRY | __GFP_NOMEMALLOC) ||
		!(gfp & __GFP_DIRECT_RECLAIM) || page_color_in_migration()) &&
	       page_color_has_policy();
}

/* Is a page of another color worse for this allocation than none? */
static inline bool alloc_is_strict(gfp_t gfp, unsigned int order,
				   const struct alloc_context *ac)
{
	return alloc_is_colored(gfp, order, ac->migratetype) &&
	       page_color_current_flags() & PAGE_COLOR_STRICT;
}

/* Nothing else is free where it may look: pages of colors that others own. */
static inline bool alloc_takes_owned(unsigned int order, int alloc_flags)
{
	return page_color_any_owned() && !order &&
	       (alloc_flags & (ALLOC_WMARK_MASK | ALLOC_OWNED)) != ALLOC_WMARK_LOW &&
	       !(alloc_flags & (ALLOC_OWNED | ALLOC_SPARE));
}

/*
 * Is memory of colors that nobody owns to be reclaimed first? For pages that could
 * never be moved out of the colors of an owner.
 */
static inline bool alloc_spares_owned(gfp_t gfp, unsigned int order,
				      const struct alloc_context *ac)
{
	return page_color_any_owned() && !order && ac->migratetype != MIGRATE_MOVABLE &&
	       gfp & __GFP_DIRECT_RECLAIM && !(current->flags & PF_MEMALLOC) &&
	       !alloc_is_colored(gfp, order, ac->migratetype) && page_color_may_spare(ac);
}

#else /* CONFIG_PAGE_COLOR */

static inline bool page_color_busy(const struct zone *zone)
{
	return false;
}

static inline void page_color_not_dry(struct zone *zone)
{
}

static inline void page_color_add_block(struct page *page, struct zone *zone,
					unsigned int order, int migratetype,
					bool tail)
{
}

static inline struct list_head *
page_color_free_list(struct zone *zone, struct page *page, unsigned int order,
		     int migratetype)
{
	return &zone->free_area[order].free_list[migratetype];
}

static inline struct page *page_color_first_other(struct zone *zone,
						  unsigned int order,
						  int migratetype)
{
	return NULL;
}

static inline struct page *page_color_any_block(struct zone *zone,
						unsigned int order,
						int migratetype)
{
	return NULL;
}

static inline bool page_color_has_block(struct zone *zone, unsigned int order,
					int migratetype)
{
	return false;
}

static inline unsigned int page_color_rmqueue(struct zone *zone, int migratetype,
					      unsigned int alloc_flags,
					      unsigned int max,
					      struct list_head *list)
{
	return 0;
}

static inline void page_color_free_page(struct zone *zone,
					struct per_cpu_pages *pcp,
					struct page *page)
{
}

static inline struct page *page_color_alloc(struct zone *preferred_zone,
					    struct zone *zone,
					    unsigned int alloc_flags, bool *strict)
{
	return NULL;
}

static inline struct page *page_color_alloc_below(struct zone *zone,
						  const struct alloc_context *ac)
{
	return NULL;
}

static inline struct page *page_color_alloc_large(gfp_t gfp, unsigned int order,
						  int preferred_nid,
						  nodemask_t *nodemask)
{
	return NULL;
}

static inline struct page *
page_color_alloc_spilled(gfp_t gfp, unsigned int order, int alloc_flags,
			 const struct alloc_context *ac)
{
	return NULL;
}

static inline bool page_color_alloc_for_program(gfp_t gfp, unsigned int order,
						int alloc_flags,
						const struct alloc_context *ac,
						struct page **page)
{
	return false;
}

static inline bool alloc_is_colored(gfp_t gfp, unsigned int order, int migratetype)
{
	return false;
}

static inline bool alloc_is_large_of_colors(gfp_t gfp, unsigned int order)
{
	return false;
}

static inline bool alloc_is_strict(gfp_t gfp, unsigned int order,
				   const struct alloc_context *ac)
{
	return false;
}

static inline bool alloc_takes_owned(unsigned int order, int alloc_flags)
{
	return false;
}

static inline bool alloc_spares_owned(gfp_t gfp, unsigned int order,
				      const struct alloc_context *ac)
{
	return false;
}

static inline void page_color_spared_in_vain(const struct alloc_context *ac)
{
}

static inline void page_color_count_mixed(struct zone *zone, struct page *page,
					  unsigned int order)
{
}

#endif /* CONFIG_PAGE_COLOR */
#endif /* _MM_PAGE_COLOR_BUDDY_H */
