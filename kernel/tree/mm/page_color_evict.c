// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: eviction by colour.
 *
 * A task that may have pages of its colours only, and finds none free, gets
 * those that others use without owning their colour: what is in them moves to
 * other pages of the node, or is dropped if it is clean and of a file.
 *
 * It is compaction in the order of colours rather than of addresses: nothing is
 * held or waited for that direct compaction does not hold or wait for, but one
 * mutex, which is for allocations that may reclaim.
 */
#include <linux/cpuset.h>
#include <linux/delayacct.h>
#include <linux/huge_mm.h>
#include <linux/hugetlb.h>
#include <linux/memory_hotplug.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/oom.h>
#include <linux/page_color.h>
#include <linux/pagemap.h>
#include <linux/psi.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <trace/events/page_color.h>
#include "internal.h"
#include "page_color.h"

/* Frames of the colours that one attempt looks at, then others have their turn. */
#define EVICT_SCAN	8192
/* Pages that are moved together, and what one attempt gains at most. */
#define EVICT_BATCH	SWAP_CLUSTER_MAX
/* Attempts of one allocation that gained pages, which others then took. */
#define EVICT_GAINS	16
/* Times that one allocation makes room by reclaim to move pages to. */
#define EVICT_RECLAIMS	16
/* Names the colours without owners where those of a policy are named by its id. */
#define EVICT_UNOWNED	U64_MAX

/* One at a time: protects what follows. */
static DEFINE_MUTEX(evict_mutex);
/* Where pages of tasks without colours go: to colours that nobody owns. */
static struct page_color_policy unowned = {
	.flags = PAGE_COLOR_STRICT | PAGE_COLOR_MIGRATION,
	.id = EVICT_UNOWNED,
	.nid = NUMA_NO_NODE,
};

/* Where pages of a task with colours go: a copy of its policy. */
static struct page_color_policy theirs;

/* The policy whose last round was in vain, and until when that is remembered. */
static u64 vain_id;
static unsigned long vain_until;

/**
 * struct eviction - one attempt
 * @zone: where pages are looked for
 * @policy: whose colours are wanted
 * @files: whether pages of files may be moved
 * @mode: of the migration
 * @to: where the pages that are isolated go: &unowned or &theirs
 * @folios: the pages
 * @nr: how many
 * @found: pages that were free, and are on the list of this CPU now
 * @looked: frames of the colours that were looked at
 * @no_room: pages were found that could go nowhere
 */
struct eviction {
	struct zone *zone;
	const struct page_color_policy *policy;
	bool files;
	enum migrate_mode mode;
	struct page_color_policy *to;
	struct list_head folios;
	unsigned int nr;
	unsigned int found;
	unsigned long looked;
	bool no_room;
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

/*
 * Does a task of this mm own the colour? The policy of an mm is the one that a
 * task of it set last; threads may have others.
 */
static bool mm_owns(struct mm_struct *mm, unsigned int color)
{
	bool owns;

	rcu_read_lock();
	owns = policy_has(rcu_dereference(mm->page_color), color);
#ifdef CONFIG_MEMCG
	if (!owns) {
		struct task_struct *owner = rcu_dereference(mm->owner), *t;

		if (owner && get_nr_threads(owner) > 1) {
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
	bool owns = mm_owns(vma->vm_mm, mapper->color);

	if (!owns && (mapper->policy || !mm_has_page_color(vma->vm_mm)))
		return true;
	/* It could be mapped there; is it? */
	if (!page_vma_mapped_walk(&pvmw))
		return true;
	page_vma_mapped_walk_done(&pvmw);
	mapper->owns = owns;
	if (!owns)
		mapper->policy = page_color_policy_of_mm(vma->vm_mm);
	return !owns;
}

/*
 * Who maps the folio, which is locked. In doubt it is somebody who owns the
 * colour. The policy that is found has a reference more.
 */
static void find_mapper(struct folio *folio, struct mapper *mapper)
{
	struct rmap_walk_control rwc = {
		.rmap_one = look_at_mapper,
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
static bool may_move(const struct eviction *ev, struct folio *folio)
{
	struct address_space *mapping = folio_mapping(folio);

	if (folio_test_hugetlb(folio) || folio_test_writeback(folio) ||
	    folio_maybe_dma_pinned(folio))
		return false;
	if (folio_test_unevictable(folio) && !compaction_moves_unevictable())
		return false;
	/* Somebody else has a reference, for as long as he likes. */
	if (!mapping && folio_ref_count(folio) > 1 + folio_mapcount(folio))
		return false;
	return ev->files || !mapping || folio_test_anon(folio);
}

/* The folio of a frame with a reference, if it is on an LRU list. */
static struct folio *get_folio(const struct eviction *ev, unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page || page_zone(page) != ev->zone ||
	    get_pageblock_migratetype(page) >= MIGRATE_PCPTYPES)
		return NULL;
	folio = page_folio(page);
	if (!folio_test_lru(folio) || !folio_try_get(folio))
		return NULL;
	if (page_folio(page) != folio || !folio_test_lru(folio)) {
		folio_put(folio);
		return NULL;
	}
	return folio;
}

/*
 * Where what @policy has goes to, NULL for tasks without colours. All pages of
 * a batch go to the same colours. Returns false for others than those.
 */
static bool choose_target(struct eviction *ev,
			  const struct page_color_policy *policy)
{
	struct page_color_policy *to = policy ? &theirs : &unowned;

	if (ev->nr)
		return to == ev->to && (!policy || policy->id == theirs.id);
	if (policy) {
		theirs.flags = PAGE_COLOR_STRICT | PAGE_COLOR_MIGRATION;
		theirs.nid = policy->nid;
		theirs.id = policy->id;
		theirs.set = policy->set;
	}
	ev->to = to;
	return true;
}

/*
 * Refills look at a bounded number of blocks, so a free page may have escaped
 * them. Parts of huge pages that were never written are free after a split.
 */
static unsigned int take_if_free(struct eviction *ev, unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	if (!page || page_zone(page) != ev->zone || !is_free_buddy_page(page))
		return 0;
	return page_color_take_free(ev->zone, pfn, ev->policy);
}

/*
 * Isolate the page of a frame if its user does not own the colour. Returns
 * false if it cannot go where the others go that are isolated already.
 */
static bool collect(struct eviction *ev, unsigned long pfn)
{
	struct mapper mapper = {
		.color = page_color_of(&page_color_map, pfn),
	};
	bool fits = true, again;
	struct folio *folio;

	do {
		again = false;
		folio = get_folio(ev, pfn);
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
			again = !split_folio(folio);
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

/* The first frame from @pfn on that has a colour of the set; @end if none has. */
static unsigned long next_frame(const struct page_color_set *set,
				unsigned long pfn, unsigned long end)
{
	while (pfn < end) {
		unsigned int color = page_color_of(&page_color_map, pfn);
		unsigned int order = MAX_PAGE_ORDER;

		if (pfn)
			order = min_t(unsigned int, order, __ffs(pfn));
		while (order && test_bit(color, set->some[order]))
			order--;
		if (test_bit(color, set->some[order]))
			return pfn;
		pfn += 1UL << order;
	}
	return end;
}

/*
 * On the same node, as another may not be allowed to who has the page, or on
 * that of its program. Never in a colour of somebody else.
 */
static struct folio *evict_alloc(struct folio *src, unsigned long private)
{
	const gfp_t gfp = (GFP_HIGHUSER_MOVABLE & ~__GFP_RECLAIM) | __GFP_NOWARN |
			  __GFP_NOMEMALLOC | __GFP_THISNODE;
	struct eviction *ev = (struct eviction *)private;
	struct folio *dst = NULL;
	int nid = ev->to->nid;

	/* Reclaim does not help if there is no such colour at all. */
	if (!bitmap_empty(ev->to->set.some[0], PAGE_COLOR_MAX)) {
		dst = __folio_alloc_node(gfp, 0, nid == NUMA_NO_NODE ?
					 folio_nid(src) : nid);
		ev->no_room |= !dst;
	}
	trace_page_color_migrate(folio_pfn(src), dst ? folio_pfn(dst) : 0,
				 MR_COMPACTION);
	return dst;
}

/* Move what is isolated, or drop it. Returns how many frames are free now. */
static unsigned int move_away(struct eviction *ev)
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
		dropped = reclaim_clean_pages_from_list(ev->zone, &ev->folios);
	putback_movable_pages(&ev->folios);
	trace_page_color_evict(ev->zone, ev->policy->id, ev->nr, moved, dropped);
	page_color_count_many(ev->zone, PAGE_COLOR_EVICTED, moved);
	page_color_count_many(ev->zone, PAGE_COLOR_DROPPED, dropped);
	ev->nr = 0;
	return moved + dropped;
}

/*
 * Look through the zone from @state->pfn on until there is a gain, the zone was
 * looked through, or it is enough for one attempt.
 */
static unsigned int evict_in_zone(struct eviction *ev,
				  struct page_color_evict *state)
{
	unsigned long end = zone_end_pfn(ev->zone), looked = ev->looked;
	unsigned int gained = 0;

	while (!gained && ev->looked < EVICT_SCAN && !state->zone_done &&
	       !fatal_signal_pending(current)) {
		unsigned long limit = state->wrapped ? state->first : end;
		unsigned long pfn = next_frame(&ev->policy->set, state->pfn, limit);

		if (pfn < limit && collect(ev, pfn)) {
			ev->looked++;
			pfn++;
		} else if (pfn < limit) {
			gained = move_away(ev);
		} else if (state->wrapped) {
			state->zone_done = true;
		} else {
			state->wrapped = true;
			pfn = ev->zone->zone_start_pfn;
		}
		state->pfn = pfn;
		if (ev->nr == EVICT_BATCH)
			gained = move_away(ev);
		gained += ev->found;
		ev->found = 0;
		cond_resched();
	}
	gained += move_away(ev);
	page_color_count_many(ev->zone, PAGE_COLOR_EVICT_LOOKED, ev->looked - looked);
	/* Where the next one begins: what was looked at is at its end. */
	WRITE_ONCE(ev->zone->color->evict_pfn, state->pfn);
	return gained;
}

/* Pages that are free but kept for others are of no use: reclaim may help. */
static bool zone_has_room(struct zone *zone, const struct alloc_context *ac,
			  bool *reclaim)
{
	unsigned long min = min_wmark_pages(zone), all;

	if (zone_watermark_ok(zone, 0, min, ac->highest_zoneidx, 0))
		return true;
	all = zone_reclaimable_pages(zone) +
	      zone_page_state_snapshot(zone, NR_FREE_PAGES);
	if (__zone_watermark_ok(zone, 0, min, ac->highest_zoneidx, 0, all))
		*reclaim = true;
	return false;
}

/* The next zone in which the allocation may take pages, from @z on. */
static struct zoneref *evict_zone(struct zoneref *z, gfp_t gfp,
				  const struct alloc_context *ac,
				  const struct page_color_policy *policy,
				  bool *reclaim)
{
	for (;; z++) {
		struct zone *zone;

		z = next_zones_zonelist(z, ac->highest_zoneidx, ac->nodemask);
		zone = zonelist_zone(z);
		if (!zone)
			return NULL;
		if (READ_ONCE(zone->color) && cpuset_zone_allowed(zone, gfp) &&
		    (policy->nid == NUMA_NO_NODE ||
		     policy->nid == zone_to_nid(zone)) &&
		    zone_has_room(zone, ac, reclaim))
			return z;
	}
}

static void begin_zone(struct page_color_evict *state, struct zoneref *z)
{
	struct zone *zone = zonelist_zone(z);
	unsigned long pfn = READ_ONCE(zone->color->evict_pfn);

	if (pfn < zone->zone_start_pfn || pfn >= zone_end_pfn(zone))
		pfn = zone->zone_start_pfn;
	state->z = z;
	state->first = pfn;
	state->pfn = pfn;
	state->wrapped = false;
	state->zone_done = false;
}

/* One attempt; sets @state->over when all zones were looked through in vain. */
static unsigned int evict(gfp_t gfp, const struct alloc_context *ac,
			  const struct page_color_policy *policy,
			  struct page_color_evict *state)
{
	struct eviction ev = {
		.policy = policy,
		.files = gfp & __GFP_FS,
		.mode = state->passes ? MIGRATE_SYNC_LIGHT : MIGRATE_ASYNC,
		.folios = LIST_HEAD_INIT(ev.folios),
	};
	unsigned int gained = 0;
	struct zoneref *z;

	while (!gained && ev.looked < EVICT_SCAN) {
		if (!state->z || state->zone_done) {
			z = evict_zone(state->z ? state->z + 1 : ac->zonelist->_zonerefs,
				       gfp, ac, policy, &state->no_room);
			if (!z) {
				state->over = true;
				break;
			}
			begin_zone(state, z);
		}
		ev.zone = zonelist_zone(state->z);
		gained = evict_in_zone(&ev, state);
		if (fatal_signal_pending(current))
			break;
	}
	state->looked += ev.looked;
	state->no_room |= ev.no_room;
	if (ev.zone)
		page_color_count_max(ev.zone, PAGE_COLOR_EVICT_MAX, state->looked);
	return gained;
}

/* Colours change owners at any time; this is near enough. */
static void find_unowned(void)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);

	bitmap_andnot(colors, page_color_map.exists, page_color_owned,
		      PAGE_COLOR_MAX);
	if (!bitmap_equal(colors, unowned.set.some[0], PAGE_COLOR_MAX))
		page_color_set_init(&page_color_map, &unowned.set, colors);
}

/*
 * Tasks that are killed for want of a page ask once. Others ask for each page;
 * they are not to look at all frames each time.
 */
static bool is_vain(const struct page_color_policy *policy)
{
	return policy->id == vain_id && time_before(jiffies, vain_until) &&
	       (page_color_in_scope() || is_global_init(current) ||
		current->signal->oom_score_adj == OOM_SCORE_ADJ_MIN);
}

/* From the beginning, for the same allocation. */
static void begin_pass(struct page_color_evict *state)
{
	state->z = NULL;
	state->over = false;
}

/**
 * page_color_evict - make pages of the current policy's colours free
 * @gfp: of the allocation that found none
 * @ac: where it may have pages
 * @state: zero at first, and kept for the whole allocation
 *
 * Each call is one attempt: it looks at EVICT_SCAN frames of the colours at
 * most, and ends when it has gained pages. Calls that return true go on where
 * the last one ended. The first pass takes what can be had at once; before a
 * second the lists of all CPUs are drained, and it waits for buffers.
 *
 * Context: may sleep. Not in a migration for a single colour.
 * Return: true if it is worth while to look for a free page again.
 */
bool page_color_evict(gfp_t gfp, const struct alloc_context *ac,
		      struct page_color_evict *state)
{
	struct page_color_policy *policy;
	unsigned int noreclaim, gained = 0;
	unsigned long pflags;

	if (state->over || !(gfp & __GFP_DIRECT_RECLAIM) || !(gfp & __GFP_IO) ||
	    gfp & __GFP_NORETRY || current->flags & PF_MEMALLOC ||
	    fatal_signal_pending(current))
		return false;
	rcu_read_lock();
	policy = page_color_current();
	if (policy && !refcount_inc_not_zero(&policy->ref))
		policy = NULL;
	rcu_read_unlock();
	if (!policy)
		return false;

	psi_memstall_enter(&pflags);
	delayacct_compact_start();
	lru_add_drain();
	if (mutex_lock_killable(&evict_mutex))
		goto out;
	if (is_vain(policy)) {
		state->over = true;
		state->passes++;
	} else {
		noreclaim = memalloc_noreclaim_save();
		find_unowned();
		gained = evict(gfp, ac, policy, state);
		memalloc_noreclaim_restore(noreclaim);
	}
	if (state->over && state->passes) {
		vain_id = policy->id;
		vain_until = jiffies + HZ / 10;
	}
	mutex_unlock(&evict_mutex);
out:
	delayacct_compact_end();
	psi_memstall_leave(&pflags);
	page_color_policy_put(policy);

	if (gained) {
		page_color_forget_misses();
		state->over = ++state->gains > EVICT_GAINS;
		return true;
	}
	if (state->over && !state->passes++) {
		/* What CPUs keep on their lists is neither free nor can it be moved. */
		lru_add_drain_all();
		drain_all_pages(NULL);
		page_color_forget_misses();
		begin_pass(state);
	}
	return !state->over && !fatal_signal_pending(current);
}

/**
 * page_color_evict_again - memory was reclaimed, is it worth while once more?
 * @state: of the allocation
 *
 * Return: true if pages could not be moved because nothing was free.
 */
bool page_color_evict_again(struct page_color_evict *state)
{
	if (!state->no_room || state->reclaims++ >= EVICT_RECLAIMS)
		return false;
	state->no_room = false;
	begin_pass(state);
	return true;
}
