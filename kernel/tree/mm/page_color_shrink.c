// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages that were allocated ahead are given back when memory is
 * short, of a node or of the cgroup that they are charged to.
 *
 * Without them a fault is slower; without memory a task waits or is killed. So they
 * are given back, less readily than caches: by those who get pages of other colors
 * when theirs are used up, then by those who are strict. Reserved pages are not.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/shrinker.h>
#include <linux/swap.h>
#include "page_color.h"
#include "page_color_held.h"

/* Policies and pages that the shrinker looks at in one hold of its lock. */
#define SHRINK_POLICIES	64
#define SHRINK_PAGES	64
/* Pages ahead are given back less readily than caches are, in DEFAULT_SEEKS. */
#define SHRINK_SEEKS	(4 * DEFAULT_SEEKS)

/* Pages that were given back because memory was short. */
atomic_long_t page_color_ahead_shrunk;

/* Policies that may hold pages: those that spill, and those that are strict. */
static struct list_head holders[2] = {
	LIST_HEAD_INIT(holders[0]), LIST_HEAD_INIT(holders[1]),
};

/* Of both lists; ahead_lock of a policy nests inside. */
static DEFINE_SPINLOCK(holders_lock);
static struct shrinker *ahead_shrinker;

#ifdef CONFIG_MEMCG
/* The shrinker is to be asked when the cgroup that a page is charged to is full. */
static void tell_cgroup(struct page *page)
{
	rcu_read_lock();
	if (ahead_shrinker)
		set_shrinker_bit(folio_memcg(page_folio(page)), page_to_nid(page),
				 ahead_shrinker->id);
	rcu_read_unlock();
}

/* Free pages that a cgroup is to have at its limit, and then no more are given back. */
#define CGROUP_ROOM	512

/*
 * Reclaim in a cgroup that is full does not count what shrinkers free, and would
 * have all that there is for one page. It has what it needs if there is room in
 * the cgroup and those above, and the node is not short of memory either.
 */
static bool is_short(struct shrink_control *sc)
{
	struct mem_cgroup *memcg = sc->memcg;
	int i;

	if (!memcg || mem_cgroup_is_root(memcg))
		return true;
	for (i = 0; i < MAX_NR_ZONES; i++) {
		struct zone *zone = &NODE_DATA(sc->nid)->node_zones[i];

		if (populated_zone(zone) &&
		    !zone_watermark_ok(zone, 0, high_wmark_pages(zone), i, 0))
			return true;
	}
	for (; memcg; memcg = parent_mem_cgroup(memcg)) {
		if (page_counter_read(&memcg->memory) + CGROUP_ROOM >
		    READ_ONCE(memcg->memory.max))
			return true;
	}
	return false;
}

/* Is the page charged to the cgroup that is reclaimed? */
static bool is_charged(struct page *page, struct mem_cgroup *memcg)
{
	bool yes;

	if (!memcg)
		return true;
	rcu_read_lock();
	yes = (folio_memcg(page_folio(page)) ?: root_mem_cgroup) == memcg;
	rcu_read_unlock();
	return yes;
}
#else
static void tell_cgroup(struct page *page)
{
}

static bool is_short(struct shrink_control *sc)
{
	return true;
}

static bool is_charged(struct page *page, struct mem_cgroup *memcg)
{
	return true;
}
#endif

/**
 * page_color_shrink_ask - a policy has more pages that can be given back
 * @policy: the policy, of the current task or the program that it executes
 */
void page_color_shrink_ask(struct page_color_policy *policy)
{
	unsigned long flags;

	spin_lock_irqsave(&holders_lock, flags);
	list_move_tail(&policy->ahead_node,
		       &holders[!!(policy->flags & PAGE_COLOR_STRICT)]);
	spin_lock(&policy->ahead_lock);
	if (policy->nr_ahead)
		tell_cgroup(list_last_entry(&policy->ahead, struct page, lru));
	spin_unlock(&policy->ahead_lock);
	spin_unlock_irqrestore(&holders_lock, flags);
}

/**
 * page_color_shrink_forget - nobody has a policy any more
 * @policy: the policy
 *
 * Context: any.
 */
void page_color_shrink_forget(struct page_color_policy *policy)
{
	unsigned long flags;

	if (list_empty(&policy->ahead_node))
		return;
	spin_lock_irqsave(&holders_lock, flags);
	list_del_init(&policy->ahead_node);
	spin_unlock_irqrestore(&holders_lock, flags);
}

/*
 * The page that a policy gives back next, if it is what is to be shrunk. Most have
 * all of theirs on one node, and charged to one cgroup.
 */
static struct page *last_page(struct page_color_policy *policy,
			      struct shrink_control *sc)
{
	struct page *page;

	page = list_last_entry(&policy->ahead, struct page, lru);
	return page_to_nid(page) == sc->nid && is_charged(page, sc->memcg) ? page : NULL;
}

/* Take up to @max pages from the end of a policy's list. */
static unsigned int shrink_policy(struct page_color_policy *policy,
				  struct shrink_control *sc, unsigned int max,
				  struct list_head *pages)
{
	struct page *page;
	unsigned int n = 0;

	spin_lock(&policy->ahead_lock);
	while (n < max && policy->nr_ahead) {
		page = last_page(policy, sc);
		if (!page)
			break;
		page_color_ahead_left(page);
		list_move(&page->lru, pages);
		WRITE_ONCE(policy->nr_ahead, policy->nr_ahead - 1);
		n++;
	}
	spin_unlock(&policy->ahead_lock);
	return n;
}

/* Some pages of the policies of a list, in turn. */
static unsigned long shrink_holders(struct list_head *list, struct shrink_control *sc)
{
	unsigned int looked, n = 0;
	unsigned long flags;
	LIST_HEAD(pages);

	spin_lock_irqsave(&holders_lock, flags);
	for (looked = 0; looked < SHRINK_POLICIES && n < SHRINK_PAGES; looked++) {
		struct page_color_policy *policy;

		policy = list_first_entry_or_null(list, struct page_color_policy,
						  ahead_node);
		if (!policy)
			break;
		n += shrink_policy(policy, sc, SHRINK_PAGES - n, &pages);
		if (READ_ONCE(policy->nr_ahead))
			list_move_tail(&policy->ahead_node, list);
		else
			list_del_init(&policy->ahead_node);
	}
	spin_unlock_irqrestore(&holders_lock, flags);
	page_color_ahead_free(&pages);
	return n;
}

/* Of the policies of which the next turn is, so it is not exact. */
static unsigned long count_holders(struct list_head *list, struct shrink_control *sc)
{
	struct page_color_policy *policy;
	unsigned int looked = 0;
	unsigned long flags, n = 0;

	spin_lock_irqsave(&holders_lock, flags);
	list_for_each_entry(policy, list, ahead_node) {
		if (looked++ == SHRINK_POLICIES)
			break;
		spin_lock(&policy->ahead_lock);
		if (policy->nr_ahead && last_page(policy, sc))
			n += policy->nr_ahead;
		spin_unlock(&policy->ahead_lock);
	}
	spin_unlock_irqrestore(&holders_lock, flags);
	return n;
}

static unsigned long ahead_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	if (!atomic_long_read(&page_color_ahead_of_node[sc->nid]))
		return SHRINK_EMPTY;
	return count_holders(&holders[0], sc) + count_holders(&holders[1], sc);
}

/* First from tasks that get pages of other colors when theirs are used up. */
static unsigned long ahead_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long freed = 0, n;
	int strict = 0;

	while (strict < 2 && freed < sc->nr_to_scan && is_short(sc)) {
		n = shrink_holders(&holders[strict], sc);
		freed += n;
		strict += !n;
	}
	atomic_long_add(freed, &page_color_ahead_shrunk);
	mm_account_reclaimed_pages(freed);
	return freed ?: SHRINK_STOP;
}

static int __init page_color_ahead_setup(void)
{
	ahead_shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE | SHRINKER_MEMCG_AWARE,
					"page_color_ahead");
	if (!ahead_shrinker)
		return -ENOMEM;
	ahead_shrinker->count_objects = ahead_count;
	ahead_shrinker->scan_objects = ahead_scan;
	ahead_shrinker->seeks = SHRINK_SEEKS;
	shrinker_register(ahead_shrinker);
	return 0;
}
subsys_initcall(page_color_ahead_setup);
