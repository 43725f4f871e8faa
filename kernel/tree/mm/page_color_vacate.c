// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: take what is in a frame elsewhere.
 *
 * For page_color_evict.c: a look at the reverse mapping says who has a page. If
 * that is not an owner of its color, the page is isolated, and with others moved
 * on its node, or dropped if it is clean and of a file. Pages of tasks without
 * colors go to colors that nobody owns, those of others to their own.
 */
#include <linux/hugetlb.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/page_color.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <trace/events/page_color.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_evict.h"

/* Names the colors without owners where those of a policy are named by its id. */
#define EVICT_UNOWNED	U64_MAX

/**
 * struct page_color_targets - where the pages of an attempt go
 * @unowned: those of tasks without colors: to colors that nobody owns
 * @theirs: those of a task with colors: a copy of its policy
 */
struct page_color_targets {
	struct page_color_policy unowned;
	struct page_color_policy theirs;
};

/* Who maps a folio. */
struct mapper {
	unsigned int color;
	bool owns;
	struct page_color_policy *policy;
};

static bool policy_has(const struct page_color_policy *policy, unsigned int color)
{
	return policy && test_bit(color, policy->set.some[0]);
}

/**
 * page_color_mm_owns - does a task of this mm own the color?
 * @mm: the mm
 * @color: the color
 *
 * The policy of an mm is the one that a task of it set last; threads may have
 * others.
 *
 * Return: true if so.
 */
bool page_color_mm_owns(struct mm_struct *mm, unsigned int color)
{
	bool owns;

	rcu_read_lock();
	owns = policy_has(rcu_dereference(mm->page_color), color);
#ifdef CONFIG_MEMCG
	if (!owns) {
		struct task_struct *owner = rcu_dereference(mm->owner), *t;

		if (owner) {
			for_each_thread(owner, t) {
				owns = policy_has(rcu_dereference(t->page_color),
						  color);
				if (owns)
					break;
			}
		}
	}
#endif
	rcu_read_unlock();
	return owns;
}

static bool look_at_mapper(struct folio *folio, struct vm_area_struct *vma,
			   unsigned long addr, void *arg)
{
	DEFINE_FOLIO_VMA_WALK(pvmw, folio, vma, addr, 0);
	struct mapper *mapper = arg;
	bool owns = page_color_mm_owns(vma->vm_mm, mapper->color);

	if (!owns && (mapper->policy || !mm_has_page_color(vma->vm_mm)))
		return true;
	/* It could be mapped there; is it? */
	if (!page_vma_mapped_walk(&pvmw))
		return true;
	page_vma_mapped_walk_done(&pvmw);
	mapper->owns = owns;
	if (!owns)
		mapper->policy = page_color_policy_at(&vma->vm_mm->page_color);
	return !owns;
}

/*
 * Who maps the folio, which is locked. In doubt it is somebody who owns the
 * color. The policy that is found has a reference more.
 */
static void find_mapper(struct folio *folio, struct mapper *mapper)
{
	struct rmap_walk_control rwc = {
		.rmap_one = look_at_mapper,
		.anon_lock = folio_lock_anon_vma_read,
		.arg = mapper,
		.try_lock = true,
	};

	if (!folio_mapped(folio))
		return;
	rmap_walk(folio, &rwc);
	if (rwc.contended)
		mapper->owns = true;
}

/* May it be moved as far as that can be said of it, locked? As compaction does. */
static bool may_move(const struct page_color_eviction *ev, struct folio *folio)
{
	struct address_space *mapping = folio_mapping(folio);

	if (folio_test_hugetlb(folio) || folio_test_writeback(folio) ||
	    folio_maybe_dma_pinned(folio))
		return false;
	if (folio_test_unevictable(folio) && !compaction_moves_unevictable())
		return false;
	/* An owner may have it in swap, and map it the next moment: that is not to be seen. */
	if (folio_test_swapcache(folio) && !folio_free_swap(folio))
		return false;
	/* Somebody else has a reference, for as long as he likes. */
	if (!mapping && folio_ref_count(folio) > 1 + folio_mapcount(folio))
		return false;
	return ev->files || !mapping || folio_test_anon(folio);
}

/**
 * page_color_get_folio - the folio of a frame, if it is on an LRU list
 * @zone: the zone that the frame is to be in
 * @pfn: the frame
 *
 * Return: the folio with a reference more, or NULL. What is isolated or for CMA is
 * left alone.
 */
struct folio *page_color_get_folio(const struct zone *zone, unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page || !page_is_in_zone(page, zone) ||
	    get_pageblock_migratetype(page) >= MIGRATE_PCPTYPES)
		return NULL;
	/* It may be freed and put into a list this moment: that is seen afterwards. */
	folio = data_race(page_folio(page));
	if (!folio_test_lru(folio) || !folio_try_get(folio))
		return NULL;
	if (page_folio(page) != folio || !folio_test_lru(folio)) {
		folio_put(folio);
		return NULL;
	}
	return folio;
}

/*
 * Where what @policy has goes to, NULL for tasks without colors. All pages of
 * a batch go to the same colors. Returns false for others than those.
 */
static bool choose_target(struct page_color_eviction *ev,
			  const struct page_color_policy *policy)
{
	struct page_color_policy *theirs = &ev->targets->theirs;
	struct page_color_policy *to = policy ? theirs : &ev->targets->unowned;

	if (ev->nr)
		return to == ev->to && (!policy || policy->id == theirs->id);
	if (policy) {
		theirs->nid = policy->nid;
		theirs->id = policy->id;
		theirs->set = policy->set;
	}
	ev->to = to;
	return true;
}

/*
 * Refills look at a bounded number of blocks, so a free page may have escaped
 * them. Parts of huge pages that were never written are free after a split.
 */
static unsigned int take_if_free(struct page_color_eviction *ev,
				 unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	if (!page || !page_is_in_zone(page, ev->zone) || !is_free_buddy_page(page))
		return 0;
	return page_color_take_free(ev->zone, pfn, ev->policy);
}

/**
 * page_color_collect - isolate the page of a frame if its user may not keep it
 * @ev: the attempt, to which the page is added
 * @pfn: the frame
 *
 * Who owns the color keeps it.
 *
 * Return: false if it cannot go where the others go that are isolated already.
 */
bool page_color_collect(struct page_color_eviction *ev, unsigned long pfn)
{
	struct mapper mapper = {
		.color = page_color_of(&page_color_map, pfn),
	};
	bool fits = true, again;
	struct folio *folio;

	do {
		again = false;
		folio = page_color_get_folio(ev->zone, pfn);
		if (!folio) {
			ev->found += take_if_free(ev, pfn);
			break;
		}
		if (!folio_trylock(folio)) {
			folio_put(folio);
			break;
		}
		if (may_move(ev, folio))
			find_mapper(folio, &mapper);
		else
			mapper.owns = true;
		if (!mapper.owns && folio_test_large(folio)) {
			again = page_color_split_folio(folio);
		} else if (!mapper.owns) {
			fits = choose_target(ev, mapper.policy);
			if (fits && folio_isolate_lru(folio)) {
				list_add_tail(&folio->lru, &ev->folios);
				node_stat_add_folio(folio, NR_ISOLATED_ANON +
						    folio_is_file_lru(folio));
				ev->nr++;
			}
		}
		folio_unlock(folio);
		folio_put(folio);
		page_color_policy_put(mapper.policy);
		mapper.policy = NULL;
	} while (again);
	return fits;
}

/*
 * On the same node, as another may not be allowed to who has the page, or on
 * that of its program. Never in a color of somebody else.
 */
static struct folio *evict_alloc(struct folio *src, unsigned long private)
{
	const gfp_t gfp = (GFP_HIGHUSER_MOVABLE & ~__GFP_RECLAIM) | __GFP_NOWARN |
			  __GFP_NOMEMALLOC | __GFP_THISNODE;
	struct page_color_eviction *ev = (struct page_color_eviction *)private;
	struct folio *dst = NULL;
	int nid = ev->to->nid;

	/* Reclaim does not help if there is no such color at all. */
	if (!bitmap_empty(ev->to->set.some[0], PAGE_COLOR_MAX)) {
		dst = __folio_alloc_node(gfp, 0, nid == NUMA_NO_NODE ?
					 folio_nid(src) : nid);
		ev->no_room |= !dst;
	}
	trace_page_color_migrate(folio_pfn(src), dst ? folio_pfn(dst) : 0,
				 MR_COMPACTION);
	return dst;
}

/*
 * Drop what is clean and of a file, unless its memory cgroup protects it: from
 * memory.low as well, which reclaim by color takes if nothing else is left.
 */
static unsigned int drop(struct page_color_eviction *ev)
{
	struct folio *folio, *next;
	unsigned int dropped;
	LIST_HEAD(kept);

	list_for_each_entry_safe(folio, next, &ev->folios, lru) {
		rcu_read_lock();
		if (page_color_is_protected(folio, true, &ev->limits_known))
			list_move(&folio->lru, &kept);
		rcu_read_unlock();
	}
	dropped = reclaim_clean_pages_from_list(ev->zone, &ev->folios);
	list_splice(&kept, &ev->folios);
	return dropped;
}

/**
 * page_color_move_away - move what is isolated, or drop it
 * @ev: the attempt, of which nothing is isolated then
 *
 * Return: how many frames are free now.
 */
unsigned int page_color_move_away(struct page_color_eviction *ev)
{
	struct page_color_policy *scope = current->page_color_scope;
	unsigned int moved = 0, dropped = 0;

	if (!ev->nr)
		return 0;
	current->page_color_scope = ev->to;
	migrate_pages(&ev->folios, evict_alloc, NULL, (unsigned long)ev, ev->mode,
		      MR_COMPACTION, &moved);
	current->page_color_scope = scope;
	if (ev->files && !list_empty(&ev->folios))
		dropped = drop(ev);
	putback_movable_pages(&ev->folios);
	trace_page_color_evict(ev->zone, ev->policy->id, ev->nr, moved, dropped);
	page_color_count_many(ev->zone, PAGE_COLOR_EVICTED, moved);
	page_color_count_many(ev->zone, PAGE_COLOR_DROPPED, dropped);
	ev->nr = 0;
	return moved + dropped;
}

/**
 * page_color_targets_init - find out where pages can go
 * @ev: the attempt
 *
 * Each attempt has its own: who evicts waits for nobody who does. Colors change owners at
 * any time; this is near enough.
 *
 * Return: false if there is no memory for it.
 */
bool page_color_targets_init(struct page_color_eviction *ev)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	struct page_color_targets *targets;

	/* Not of what is kept for reclaim: many may evict at a time. */
	targets = kzalloc(sizeof(*targets), GFP_NOWAIT | __GFP_NOMEMALLOC | __GFP_NOWARN);
	if (!targets)
		return false;
	targets->unowned.flags = PAGE_COLOR_STRICT | PAGE_COLOR_MIGRATION;
	targets->unowned.id = EVICT_UNOWNED;
	targets->unowned.nid = NUMA_NO_NODE;
	targets->theirs.flags = PAGE_COLOR_STRICT | PAGE_COLOR_MIGRATION;
	/* Owners change meanwhile, see above. */
	data_race(bitmap_andnot(colors, page_color_map.exists, page_color_owned,
				PAGE_COLOR_MAX));
	page_color_set_init(&page_color_map, &targets->unowned.set, colors);
	ev->targets = targets;
	return true;
}

/**
 * page_color_targets_free - the end of an attempt
 * @ev: the attempt, of which nothing is isolated
 */
void page_color_targets_free(struct page_color_eviction *ev)
{
	kfree(ev->targets);
}
