// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: reclaim what is in a frame.
 *
 * For page_color_reclaim.c: a look at the reverse mapping says who has a page, and
 * whether it was used lately. If whom it is reclaimed for may have it, it is
 * isolated, and with others swapped out, or dropped if it is clean and of a file.
 */
#include <linux/hugetlb.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmu_notifier.h>
#include <linux/page_color.h>
#include <linux/pagemap.h>
#include <linux/random.h>
#include <linux/rmap.h>
#include <linux/swap.h>
#include <trace/events/page_color.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_evict.h"
#include "page_color_reclaim.h"

/* What one frame counts when a share is computed. */
#define SHARE_UNIT	64U
/* When so much was counted, half of it is forgotten. */
#define SHARE_FORGET	(SHARE_UNIT * 128)
/* Frames that are looked at for it in each attempt, and in the first one. */
#define SHARE_FRAMES	16
#define SHARE_FIRST	64

/* Who has a folio mapped, and whether they used it since the last look. */
struct users {
	const struct page_color_policy *policy;
	unsigned int color;
	bool own;
	bool other;
	bool used;
	bool locked;
	/* Who they are is all that is asked. */
	bool just_who;
};

static bool look_at_user(struct folio *folio, struct vm_area_struct *vma,
			 unsigned long addr, void *arg)
{
	DEFINE_FOLIO_VMA_WALK(pvmw, folio, vma, addr, 0);
	const struct page_color_policy *policy;
	struct users *users = arg;
	bool mapped = false;

	while (page_vma_mapped_walk(&pvmw)) {
		bool young = false;

		mapped = true;
		if (users->just_who)
			continue;
		if (pvmw.pte)
			young = ptep_clear_young_notify(vma, pvmw.address, pvmw.pte);
		else if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
			young = pmdp_clear_young_notify(vma, pvmw.address, pvmw.pmd);
		users->used |= young && vma_has_recency(vma);
	}
	if (!mapped)
		return true;
	users->locked |= vma->vm_flags & VM_LOCKED;

	rcu_read_lock();
	policy = rcu_dereference(vma->vm_mm->page_color);
	if ((vma->vm_mm == current->mm && !page_color_in_scope()) ||
	    (policy && policy->id == users->policy->id))
		users->own = true;
	else if (page_color_mm_owns(vma->vm_mm, users->color))
		users->other = true;
	rcu_read_unlock();
	return !users->locked;
}

/* Returns false if that cannot be told just now. The folio is locked. */
static bool find_users(struct folio *folio, struct users *users)
{
	struct rmap_walk_control rwc = {
		.rmap_one = look_at_user,
		.anon_lock = folio_lock_anon_vma_read,
		.arg = users,
		.try_lock = true,
	};

	if (!folio_mapped(folio)) {
		users->used = folio_test_clear_referenced(folio);
		return true;
	}
	rmap_walk(folio, &rwc);
	/* The bits of the page tables are gone; ordinary reclaim is to know. */
	if (users->used)
		folio_set_referenced(folio);
	return !rwc.contended;
}

/* How much of its colors the policy has, of what it could have. */
static void count_share(struct page_color_policy *policy, const struct users *users)
{
	unsigned int sharers = page_color_sharers(users->color);
	unsigned int has = READ_ONCE(policy->share_has);
	unsigned int due = READ_ONCE(policy->share_due);

	if (!sharers || !(users->own || users->other))
		return;
	due += SHARE_UNIT / min(sharers, SHARE_UNIT);
	if (users->own)
		has += SHARE_UNIT;
	if (due > SHARE_FORGET) {
		due /= 2;
		has /= 2;
	}
	WRITE_ONCE(policy->share_due, due);
	WRITE_ONCE(policy->share_has, has);
}

/* One of the zones where the allocation may have pages, the larger the likelier. */
static struct zone *any_zone(const struct page_color_policy *policy,
			     const struct alloc_context *ac)
{
	unsigned long pages = 0, at;
	struct zone *zone;
	struct zoneref *z;

	for_each_zone_zonelist_nodemask(zone, z, ac->zonelist, ac->highest_zoneidx, ac->nodemask)
		if (READ_ONCE(zone->color) &&
		    (policy->nid == NUMA_NO_NODE || policy->nid == zone_to_nid(zone)))
			pages += zone_managed_pages(zone);
	if (!pages)
		return NULL;
	at = get_random_u32_below(min_t(unsigned long, pages, U32_MAX));
	for_each_zone_zonelist_nodemask(zone, z, ac->zonelist, ac->highest_zoneidx, ac->nodemask) {
		if (!READ_ONCE(zone->color) ||
		    (policy->nid != NUMA_NO_NODE && policy->nid != zone_to_nid(zone)))
			continue;
		if (at < zone_managed_pages(zone))
			return zone;
		at -= zone_managed_pages(zone);
	}
	return NULL;
}

static void sample_frame(struct page_color_policy *policy, const struct zone *zone,
			 unsigned long pfn)
{
	struct users users = {
		.policy = policy,
		.color = page_color_of(&page_color_map, pfn),
		.just_who = true,
	};
	struct folio *folio = page_color_get_folio(zone, pfn);

	if (!folio)
		return;
	if (folio_trylock(folio)) {
		if (!folio_test_hugetlb(folio) && folio_mapped(folio) &&
		    find_users(folio, &users))
			count_share(policy, &users);
		folio_unlock(folio);
	}
	folio_put(folio);
}

/**
 * page_color_sample_share - look who has the frames of the current policy's colors
 * @policy: the policy, whose share_has and share_due are brought up to date
 * @ac: where it may have pages
 *
 * Frames are chosen by chance. Those that reclaim looks at would not do: it begins
 * in the same zone each time, whose pages may all be of one owner.
 */
void page_color_sample_share(struct page_color_policy *policy,
			     const struct alloc_context *ac)
{
	unsigned int n = READ_ONCE(policy->share_due) ? SHARE_FRAMES : SHARE_FIRST;

	while (n--) {
		struct zone *zone = any_zone(policy, ac);
		unsigned long pfn;

		if (!zone)
			return;
		pfn = zone->zone_start_pfn +
		      get_random_u32_below(min_t(unsigned long, zone->spanned_pages, U32_MAX));
		pfn = page_color_next_frame(&policy->set, pfn, zone_end_pfn(zone));
		if (pfn < zone_end_pfn(zone))
			sample_frame(policy, zone, pfn);
	}
}

/* As kswapd does: from the top down, for all cgroups. */
static void find_limits(void)
{
	struct mem_cgroup *memcg = NULL;

	while ((memcg = mem_cgroup_iter(NULL, memcg, NULL)))
		mem_cgroup_calculate_protection(NULL, memcg);
}

/**
 * page_color_find_limits - before memory is reclaimed for want of colors
 *
 * By generations it goes by what memory cgroups protected when kswapd ran last, which
 * sleeps as long as memory is free, of whatever color. By lists each reclaim computes it,
 * as do later versions of Linux in either case: they do not call this.
 *
 * Context: may sleep.
 */
void page_color_find_limits(void)
{
	if (lru_gen_enabled())
		find_limits();
}

static bool is_own_memcg(const struct mem_cgroup *memcg)
{
	bool own = false;

#ifdef CONFIG_MEMCG
	rcu_read_lock();
	own = mem_cgroup_from_task(current) == memcg;
	rcu_read_unlock();
#endif
	return own;
}

/**
 * page_color_is_protected - is a folio kept by its memory cgroup?
 * @folio: the folio
 * @low: also by memory.low, not by memory.min alone
 * @known: were the limits of all cgroups computed? Set, as it is done once
 *
 * Context: under rcu_read_lock(): its cgroup may go away.
 * Return: true if so; false for the cgroup of the current task.
 */
bool page_color_is_protected(struct folio *folio, bool low, bool *known)
{
	struct mem_cgroup *memcg = folio_memcg(folio);

	if (!memcg || mem_cgroup_unprotected(NULL, memcg) || is_own_memcg(memcg))
		return false;
	if (!*known)
		find_limits();
	*known = true;
	return mem_cgroup_below_min(NULL, memcg) ||
	       (low && mem_cgroup_below_low(NULL, memcg));
}

/* Is there where to write it? What is clean in the swap cache is there already. */
static bool can_be_swapped(const struct page_color_reclaim *rc, struct folio *folio)
{
	struct mem_cgroup *memcg = folio_memcg(folio);

	if (folio_test_swapcache(folio) && !folio_test_dirty(folio))
		return true;
	if (!(rc->take & RECLAIM_ANON) &&
	    !(memcg ? mem_cgroup_swappiness(memcg) : READ_ONCE(vm_swappiness)))
		return false;
	if (folio_test_swapcache(folio))
		return true;
	return (memcg ? mem_cgroup_get_nr_swap_pages(memcg) : get_nr_swap_pages()) > 0;
}

/* What can be told of it without its users. The folio is locked. */
static bool may_reclaim(struct page_color_reclaim *rc, struct folio *folio)
{
	if (folio_test_hugetlb(folio) || !folio_evictable(folio) ||
	    folio_test_mlocked(folio) || folio_maybe_dma_pinned(folio) ||
	    page_color_is_protected(folio, !(rc->take & RECLAIM_LOW), &rc->limits_known))
		return false;
	if (folio_test_swapbacked(folio))
		return !rc->clean && (folio_test_writeback(folio) || can_be_swapped(rc, folio));
	if (!folio_test_anon(folio) &&
	    (folio_test_dirty(folio) || folio_test_writeback(folio))) {
		/* The flushers write it; afterwards it can be dropped. */
		folio_set_reclaim(folio);
		rc->unwritten = true;
		return false;
	}
	/* A file system that has something with it would be called. */
	return !rc->clean || !folio_needs_release(folio);
}

static bool users_let_go(const struct page_color_reclaim *rc, const struct users *users)
{
	return !users->locked && (!users->own || rc->take & RECLAIM_OWN) &&
	       (!users->other || rc->take & RECLAIM_OWNERS) &&
	       (!users->used || rc->take & RECLAIM_USED);
}

/**
 * page_color_reclaim_collect - add what is in a frame to the batch
 * @rc: the attempt, whose batch is not full
 * @pfn: the frame
 *
 * If it may be reclaimed; pages that are under writeback are waited for later.
 */
void page_color_reclaim_collect(struct page_color_reclaim *rc, unsigned long pfn)
{
	struct folio *folio;
	bool again;

	do {
		struct users users = {
			.policy = rc->policy,
			.color = page_color_of(&page_color_map, pfn),
		};
		bool take;

		again = false;
		folio = page_color_get_folio(rc->zone, pfn);
		if (!folio)
			return;
		if (!folio_trylock(folio)) {
			folio_put(folio);
			return;
		}
		/* Its memory cgroup may go away, or give it to the one above. */
		rcu_read_lock();
		take = may_reclaim(rc, folio);
		rcu_read_unlock();
		take = take && find_users(folio, &users) && users_let_go(rc, &users);
		if (take && folio_test_large(folio)) {
			again = page_color_split_folio(folio);
		} else if (take && folio_test_writeback(folio)) {
			rc->pfns[rc->nr++] = pfn;
		} else if (take && folio_isolate_lru(folio)) {
			list_add_tail(&folio->lru, &rc->folios);
			rc->pfns[rc->nr++] = pfn;
			rc->others += users.other;
		}
		folio_unlock(folio);
		folio_put(folio);
	} while (again);
}

/* The end of a write puts what is still to be reclaimed on a list of the CPU: not these. */
static void keep_on_lru(const struct page_color_reclaim *rc)
{
	unsigned int i;

	for (i = 0; i < rc->nr; i++) {
		struct folio *folio = page_color_get_folio(rc->zone, rc->pfns[i]);

		if (!folio)
			continue;
		if (folio_test_swapbacked(folio) && folio_test_writeback(folio))
			folio_clear_reclaim(folio);
		folio_put(folio);
	}
}

/* Is what was in a frame in the swap cache, but just now on no LRU list? */
static bool is_off_lru(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page)
		return false;
	/* A hint: nothing keeps it from being freed. */
	folio = data_race(page_folio(page));
	return folio_test_swapcache(folio) && !folio_test_lru(folio);
}

/*
 * Isolate what is written to swap, when that is done, unless somebody has used it
 * meanwhile. Returns how many folios are on lists of CPUs.
 */
static unsigned int isolate_written(struct page_color_reclaim *rc,
				    struct list_head *folios)
{
	unsigned int i, left = 0;

	for (i = 0; i < rc->nr; i++) {
		struct folio *folio = page_color_get_folio(rc->zone, rc->pfns[i]);

		if (!folio) {
			left += is_off_lru(rc->pfns[i]);
			continue;
		}
		if (folio_test_swapbacked(folio) && !folio_mapped(folio) &&
		    !folio_test_large(folio)) {
			if (folio_wait_writeback_killable(folio) ||
			    folio_test_dirty(folio))
				;
			else if (folio_isolate_lru(folio))
				list_add_tail(&folio->lru, folios);
			else
				left++;
		}
		folio_put(folio);
	}
	return left;
}

/*
 * What is being written to swap is free when that is done. What stays behind would
 * be in memory for nobody, and more be reclaimed than is needed.
 */
static unsigned int wait_for_batch(struct page_color_reclaim *rc)
{
	LIST_HEAD(folios);

	/* Where reclaim has put it back. */
	lru_add_drain();
	keep_on_lru(rc);
	if (isolate_written(rc, &folios)) {
		/* Where the end of a write has put it. */
		lru_add_drain_all();
		isolate_written(rc, &folios);
	}
	return reclaim_pages(&folios);
}

/**
 * page_color_reclaim_batch - reclaim what was collected
 * @rc: the attempt, whose batch is empty then
 *
 * Waits until what it writes to swap is written.
 *
 * Return: how many frames are free now.
 */
unsigned int page_color_reclaim_batch(struct page_color_reclaim *rc)
{
	unsigned int gained;

	if (!rc->nr)
		return 0;
	gained = reclaim_pages(&rc->folios);
	if (gained < rc->nr)
		gained += wait_for_batch(rc);
	trace_page_color_reclaim(rc->zone, rc->policy->id, rc->take, rc->nr,
				 rc->others, gained);
	page_color_count_many(rc->zone, PAGE_COLOR_RECLAIMED, gained);
	if (gained)
		page_color_count_many(rc->zone, PAGE_COLOR_RECLAIM_OTHERS, rc->others);
	rc->others = 0;
	rc->nr = 0;
	return gained;
}
