// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: allocations of tasks with colors.
 *
 * Refills take PAGE_COLOR_BATCH pages at a time to a list of the CPU, which belongs
 * to the policy that used it last. Freed pages of owned colors go back through
 * this list, or to the zone.
 */
#include <linux/cpuset.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/vmstat.h>
#include <trace/events/page_color.h>
#include "page_color_buddy.h"

/* A CPU's list belongs to the policy that used it last. */
static void take_over(struct zone *zone, struct per_cpu_pages *pcp,
		      const struct page_color_policy *policy)
{
	if (pcp->color_id == (policy->id | PCP_COLOR_IDLE)) {
		pcp->color_id = policy->id;
		return;
	}
	if (pcp->color_count)
		page_color_pcp_free(zone, pcp, pcp->color_count, PCP_COLOR_LIST);
	pcp->color_id = policy->id;
	bitmap_copy(pcp->colors, policy->set.some[0], PAGE_COLOR_SET_BITS);
}

/**
 * page_color_free_page - free a page of an owned color
 * @zone: its zone
 * @pcp: of this CPU, locked
 * @page: the page, prepared
 *
 * Pages of owned colors do not go to the lists that all tasks share, where
 * only this CPU would find them. They go to this CPU's colored list if it is
 * for a policy that names their color; otherwise to the zone, several at a time.
 */
void page_color_free_page(struct zone *zone, struct per_cpu_pages *pcp,
			  struct page *page)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned int c = page_color_of(&page_color_map, pfn);
	bool here, missing;
	int mt;

	__count_vm_event(PGFREE);
	here = pcp->color_id && test_bit(c, pcp->colors);
	missing = atomic_long_read(&page_color_nr_missing);
	/* What goes offline or to CMA is not kept for anybody. */
	mt = MIGRATE_TYPES;
	if ((here || missing) && READ_ONCE(pcp->batch) > 1)
		mt = get_pfnblock_flags_mask(page, pfn, MIGRATETYPE_MASK);
	if (missing && mt < MIGRATE_PCPTYPES &&
	    page_color_reserve_offer(zone, page, c))
		return;
	pcp->count++;
	if (here && mt == MIGRATE_MOVABLE) {
		list_add(&page->pcp_list, &pcp->lists[PCP_COLOR_LIST]);
		if (++pcp->color_count > PAGE_COLOR_HIGH)
			page_color_pcp_free(zone, pcp, PAGE_COLOR_BATCH,
					    PCP_COLOR_LIST);
	} else {
		list_add(&page->pcp_list, &pcp->lists[PCP_LEAVING_LIST]);
		if (++pcp->leaving_count == PAGE_COLOR_BATCH)
			page_color_pcp_free(zone, pcp, PAGE_COLOR_BATCH,
					    PCP_LEAVING_LIST);
	}
}

static struct page *alloc_from_pcp(struct zone *zone, struct per_cpu_pages *pcp,
				   const struct page_color_policy *policy,
				   unsigned int alloc_flags)
{
	struct list_head *list = &pcp->lists[PCP_COLOR_LIST];
	struct page *page;

	if (unlikely(pcp->color_id != policy->id))
		take_over(zone, pcp, policy);
#ifdef CONFIG_CMA
	/* What is to stay where it is must not be in the way of a device. */
	if (!(alloc_flags & ALLOC_CMA) && !list_empty(list) &&
	    is_migrate_cma_page(list_first_entry(list, struct page, pcp_list)))
		page_color_pcp_free(zone, pcp, pcp->color_count, PCP_COLOR_LIST);
#endif
	if (list_empty(list)) {
		unsigned int max = min(READ_ONCE(pcp->batch), PAGE_COLOR_BATCH);
		unsigned int n;

		n = page_color_take(zone, &policy->set, max, alloc_flags, list);
		if (!n)
			return NULL;
		pcp->color_count += n;
		pcp->count += n;
	}
	page = list_first_entry(list, struct page, pcp_list);
	list_del(&page->pcp_list);
	pcp->color_count--;
	pcp->count--;
	return page;
}

/* From this CPU's list, from what the zone has at hand, or what it has at all. */
static struct page *alloc_from_zone(struct zone *zone,
				    const struct page_color_policy *policy,
				    unsigned int alloc_flags)
{
	struct per_cpu_pages *pcp = NULL;
	struct page *page = NULL;
	unsigned long flags;
	LIST_HEAD(list);

	if (!(policy->flags & PAGE_COLOR_MIGRATION))
		pcp = page_color_pcp_lock(zone, &flags);
	if (pcp) {
		page = alloc_from_pcp(zone, pcp, policy, alloc_flags);
		page_color_pcp_unlock(pcp, flags);
	} else if (page_color_take(zone, &policy->set, 1, alloc_flags, &list)) {
		page = list_first_entry(&list, struct page, pcp_list);
		list_del(&page->pcp_list);
	}
	return page ?: page_color_search(zone, &policy->set, alloc_flags);
}

/* One that was allocated ahead becomes a free page, which the caller prepares. */
static struct page *alloc_ahead(struct zone *zone, struct page_color_policy *policy)
{
	struct page *page = page_color_ahead_take(policy, zone);

	/* A bad page is not used. */
	if (page && !page_color_make_free(page))
		page = NULL;
	return page;
}

/*
 * One that is reserved for the policy. Not for reclaim, which is done for others
 * as well.
 */
static struct page *alloc_reserved(struct zone *zone,
				   struct page_color_reserve *reserve)
{
	struct page *page;

	if (current->flags & PF_MEMALLOC)
		return NULL;
	do {
		page = page_color_reserve_take(reserve, zone);
	} while (page && (PageHWPoison(page) || page_color_is_bad(page, 0)));
	return page;
}

static void count_page(struct zone *preferred_zone, struct zone *zone,
		       struct page *page, const struct page_color_policy *policy)
{
	page_color_count_alloc(preferred_zone, zone, 1);
	trace_page_color_alloc(page_to_pfn(page), policy->id);
}

/**
 * page_color_alloc - take a page of the current policy's colors from a zone
 * @preferred_zone: for statistics
 * @zone: the zone
 * @alloc_flags: as for rmqueue()
 * @strict: set if no other page will do
 *
 * Return: the page; NULL if there is none or no policy.
 */
struct page *page_color_alloc(struct zone *preferred_zone, struct zone *zone,
			      unsigned int alloc_flags, bool *strict)
{
	struct page_color_reserve *reserve;
	struct page_color_policy *policy;
	struct page *page = NULL;

	rcu_read_lock();
	policy = page_color_current();
	/* Do not spill before other migrate types were looked at. */
	*strict = policy && (policy->flags & (PAGE_COLOR_STRICT | PAGE_COLOR_PROGRAM) ||
			     alloc_flags & ALLOC_NOFRAGMENT);
	if (!policy || !READ_ONCE(zone->color))
		goto out;
	/* Rather more colors than another node: see page_color_grow(). */
	if (policy->nid != NUMA_NO_NODE && zone_to_nid(zone) != policy->nid)
		goto out;

	if (READ_ONCE(policy->nr_ahead))
		page = alloc_ahead(zone, policy);
	reserve = READ_ONCE(policy->reserve);
	if (!page && reserve)
		page = alloc_reserved(zone, reserve);
	while (!page) {
		page = alloc_from_zone(zone, policy, alloc_flags);
		if (!page || !page_color_is_bad(page, 0))
			break;
		page = NULL;
	}
	if (page)
		count_page(preferred_zone, zone, page, policy);
	else if (!*strict)
		page_color_count_spill(zone);
out:
	rcu_read_unlock();
	return page;
}

/**
 * page_color_alloc_below - a page of a zone that is below its watermark for all
 *	but who reserved it
 * @zone: the zone
 * @ac: of an allocation for which alloc_is_colored() is true
 *
 * Return: the page, or NULL.
 */
struct page *page_color_alloc_below(struct zone *zone,
				    const struct alloc_context *ac)
{
	struct page_color_reserve *reserve;
	struct page_color_policy *policy;
	struct page *page = NULL;

	rcu_read_lock();
	policy = page_color_current();
	reserve = policy ? READ_ONCE(policy->reserve) : NULL;
	if (reserve && READ_ONCE(zone->color))
		page = alloc_reserved(zone, reserve);
	if (page) {
		count_page(zonelist_zone(ac->preferred_zoneref), zone, page, policy);
		atomic_long_inc(&page_color_reserve_below);
	}
	rcu_read_unlock();
	return page;
}

/**
 * page_color_prepare - as prep_new_page(), which page_alloc.c wants inline where it is
 * @page: the first page
 * @order: order of the block
 * @gfp: of the allocation
 */
void page_color_prepare(struct page *page, unsigned int order, gfp_t gfp)
{
	post_alloc_hook(page, order, gfp);
	set_page_refcounted(page);
	if (order && gfp & __GFP_COMP)
		prep_compound_page(page, order);
	clear_page_pfmemalloc(page);
}

/**
 * page_color_current_flags - flags of the policy of the current context
 *
 * Return: the flags, 0 without one.
 */
unsigned int page_color_current_flags(void)
{
	struct page_color_policy *policy;
	unsigned int flags;

	rcu_read_lock();
	policy = page_color_current();
	flags = policy ? policy->flags : 0;
	rcu_read_unlock();
	return flags;
}

/**
 * page_color_alloc_spilled - a page of another color, counted
 * @gfp: of an allocation that must not or cannot fail for want of colors
 * @order: as well
 * @alloc_flags: as for get_page_from_freelist()
 * @ac: as well
 *
 * Return: the page, or NULL.
 */
struct page *page_color_alloc_spilled(gfp_t gfp, unsigned int order,
				      int alloc_flags,
				      const struct alloc_context *ac)
{
	struct page_color_policy *scope = current->page_color_scope;
	struct page *page;

	current->page_color_scope = &page_color_any_policy;
	page = page_color_get_page(gfp, order, alloc_flags, ac);
	current->page_color_scope = scope;
	if (page)
		page_color_count_spill(page_zone(page));
	return page;
}

/**
 * page_color_alloc_for_program - a program's colors are used up
 * @gfp: of the allocation
 * @order: as well
 * @alloc_flags: as for get_page_from_freelist()
 * @ac: as well
 * @page: set to a page that it gets, of another color
 *
 * Nobody else has the colors of a program, and it has them on one node. When
 * they are used up it gets another, then pages of any color unless it is
 * strict.
 *
 * Return: false if nothing was done; true with a page or with another color.
 */
bool page_color_alloc_for_program(gfp_t gfp, unsigned int order, int alloc_flags,
				  const struct alloc_context *ac,
				  struct page **page)
{
	unsigned int flags;

	if (!alloc_is_colored(gfp, order, ac->migratetype))
		return false;
	flags = page_color_current_flags();
	if (!(flags & PAGE_COLOR_PROGRAM))
		return false;
	/* It waits for tasks that allocate with GFP_KERNEL. */
	if ((gfp & GFP_KERNEL) == GFP_KERNEL && !page_color_in_scope() &&
	    page_color_grow(alloc_flags, ac))
		return true;
	if (!(flags & PAGE_COLOR_STRICT))
		*page = page_color_alloc_spilled(gfp, order, alloc_flags, ac);
	return *page;
}

/**
 * page_color_take_free - take free pages of a block that no refill has found
 * @zone: the zone
 * @pfn: a frame of a color of the policy, which may be free
 * @policy: the policy
 *
 * They go to the list of this CPU.
 *
 * Return: how many.
 */
unsigned int page_color_take_free(struct zone *zone, unsigned long pfn,
				  const struct page_color_policy *policy)
{
	unsigned int max, n = 0;
	struct per_cpu_pages *pcp;
	unsigned long flags;

	pcp = page_color_pcp_lock(zone, &flags);
	if (!pcp)
		return 0;
	max = min(READ_ONCE(pcp->batch), PAGE_COLOR_BATCH);
	/* Otherwise lists of CPUs are not to be used just now. */
	if (max > 1) {
		if (pcp->color_id != policy->id)
			take_over(zone, pcp, policy);
		n = page_color_take_at(zone, pfn, &policy->set, max,
				       &pcp->lists[PCP_COLOR_LIST]);
		pcp->color_count += n;
		pcp->count += n;
	}
	page_color_pcp_unlock(pcp, flags);
	return n;
}

/* Pages of a zone for page_color_ahead_fill(). */
static void fill_from_zone(struct zone *zone, struct page_color_policy *policy,
			   unsigned int pages)
{
	unsigned int have;

	while ((have = READ_ONCE(policy->nr_ahead)) < pages) {
		unsigned int max = min(pages - have, PAGE_COLOR_BATCH), n = 0;
		struct page *page, *next;
		LIST_HEAD(taken);
		LIST_HEAD(ready);

		/* Not what others cannot do without. */
		if (fatal_signal_pending(current) ||
		    !zone_watermark_ok(zone, 0, high_wmark_pages(zone) + max,
				       gfp_zone(GFP_HIGHUSER), 0))
			return;
		if (!page_color_take(zone, &policy->set, max, ALLOC_NOFRAGMENT, &taken)) {
			page = page_color_search(zone, &policy->set, ALLOC_NOFRAGMENT);
			if (!page)
				return;
			list_add(&page->pcp_list, &taken);
		}
		list_for_each_entry_safe(page, next, &taken, pcp_list) {
			list_del(&page->pcp_list);
			if (page_color_is_bad(page, 0))
				continue;
			page_color_prepare(page, 0, GFP_HIGHUSER);
			list_add_tail(&page->lru, &ready);
			n++;
		}
		if (!page_color_ahead_add(policy, &ready, n))
			return;
		cond_resched();
	}
}

/**
 * page_color_ahead_fill - allocate pages ahead
 * @policy: whose
 * @pages: how many it is to have
 *
 * They are of the policy's node, or of that of the current CPU. They cannot be
 * moved, so none is taken from ZONE_MOVABLE. It may be left with fewer.
 *
 * Context: may sleep.
 */
void page_color_ahead_fill(struct page_color_policy *policy, unsigned int pages)
{
	int nid = policy->nid == NUMA_NO_NODE ? numa_mem_id() : policy->nid;
	int i;

	for (i = gfp_zone(GFP_HIGHUSER); i >= 0; i--) {
		struct zone *zone = &NODE_DATA(nid)->node_zones[i];

		if (populated_zone(zone) && cpuset_zone_allowed(zone, GFP_HIGHUSER))
			fill_from_zone(zone, policy, pages);
	}
}

/**
 * page_color_return_pages - give pages as of per-CPU lists back to their zone
 * @zone: the zone
 * @pages: of order 0, on their pcp_list
 */
void page_color_return_pages(struct zone *zone, struct list_head *pages)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, pages, pcp_list) {
		list_del(&page->pcp_list);
		/* Broken memory, which was not on a free list then, is nobody's any more. */
		if (!PageHWPoison(page))
			page_color_free_one(zone, page);
	}
}
