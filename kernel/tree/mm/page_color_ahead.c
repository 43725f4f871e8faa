// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: pages that are allocated ahead.
 *
 * Whoever comes first pays for taking a page out of a large block, and that is
 * most of what the longest faults cost. A policy may hold pages that were taken
 * before; its tasks use them up first. They are not mapped and not movable. The
 * cgroup of whoever asked for them is charged, as for memory of the kernel, until
 * one is used: then the fault charges its own. All policies together hold no more
 * than a limit, and a shrinker gives pages back when memory is short. See
 * Documentation/admin-guide/mm/page_color.rst.
 */
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/shrinker.h>
#include "page_color.h"
#include "page_color_held.h"

/* Policies and pages that the shrinker looks at in one hold of its lock. */
#define SHRINK_POLICIES	64
#define SHRINK_PAGES	64
/* Pages ahead are given back less readily than caches are, in DEFAULT_SEEKS. */
#define SHRINK_SEEKS	(4 * DEFAULT_SEEKS)

/* Of all policies, and of these by node. */
atomic_long_t page_color_nr_ahead;
static atomic_long_t nr_of_node[MAX_NUMNODES];
/* Pages that were given back because memory was short. */
atomic_long_t page_color_ahead_shrunk;

/* Policies that may hold pages: those that spill, and those that are strict. */
static struct list_head holders[2] = {
	LIST_HEAD_INIT(holders[0]), LIST_HEAD_INIT(holders[1]),
};
/* Of both lists; ahead_lock of a policy nests inside. */
static DEFINE_SPINLOCK(holders_lock);

static void page_left(struct page *page)
{
	atomic_long_dec(&page_color_nr_ahead);
	atomic_long_dec(&nr_of_node[page_to_nid(page)]);
}

static void free_pages_of(struct list_head *pages)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, pages, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
}

/**
 * page_color_ahead_init - a new policy holds no pages
 * @policy: the policy
 */
void page_color_ahead_init(struct page_color_policy *policy)
{
	spin_lock_init(&policy->ahead_lock);
	INIT_LIST_HEAD(&policy->ahead);
	INIT_LIST_HEAD(&policy->ahead_node);
}

/**
 * page_color_ahead_exit - a policy that nobody has holds no pages
 * @policy: the policy
 */
void page_color_ahead_exit(struct page_color_policy *policy)
{
	unsigned long flags;

	if (list_empty(&policy->ahead_node) && !policy->nr_ahead)
		return;
	spin_lock_irqsave(&holders_lock, flags);
	list_del_init(&policy->ahead_node);
	spin_unlock_irqrestore(&holders_lock, flags);
	page_color_ahead_trim(policy, 0);
}

/* Within the limit of all, and of the cgroup of the current task? */
static bool may_hold(struct page *page)
{
	/* Nobody is killed for it, and what can be had easily is reclaimed. */
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;

	if (atomic_long_inc_return(&page_color_nr_ahead) >
	    READ_ONCE(page_color_limits.ahead)) {
		atomic_long_inc(&page_color_limited[PAGE_COLOR_LIMITED_AHEAD]);
		goto no;
	}
	if (!memcg_kmem_charge_page(page, gfp, 0))
		return true;
no:
	atomic_long_dec(&page_color_nr_ahead);
	return false;
}

/**
 * page_color_ahead_add - hold pages for the tasks of a policy
 * @policy: the policy, of the current task or the program that it executes
 * @pages: allocated pages, on their lru; they belong to the policy from now on
 * @n: how many they are
 *
 * Context: may sleep.
 * Return: false if some were given back, as no more may be held.
 */
bool page_color_ahead_add(struct page_color_policy *policy,
			  struct list_head *pages, unsigned int n)
{
	struct list_head *list = &holders[!!(policy->flags & PAGE_COLOR_STRICT)];
	struct page *page, *next;
	unsigned int held = 0;
	unsigned long flags;
	LIST_HEAD(ready);

	list_for_each_entry_safe(page, next, pages, lru) {
		if (!may_hold(page))
			break;
		atomic_long_inc(&nr_of_node[page_to_nid(page)]);
		list_move_tail(&page->lru, &ready);
		held++;
	}
	free_pages_of(pages);

	spin_lock_irqsave(&holders_lock, flags);
	list_move_tail(&policy->ahead_node, list);
	spin_lock(&policy->ahead_lock);
	list_splice_tail(&ready, &policy->ahead);
	policy->nr_ahead += held;
	spin_unlock(&policy->ahead_lock);
	spin_unlock_irqrestore(&holders_lock, flags);
	return held == n;
}

/**
 * page_color_ahead_take - use a page that was allocated ahead
 * @policy: the policy; may be released meanwhile
 * @zone: the zone that the page is to be of
 *
 * Context: under rcu_read_lock().
 * Return: the page, with a reference; NULL if the next one is not of @zone.
 */
struct page *page_color_ahead_take(struct page_color_policy *policy,
				   const struct zone *zone)
{
	unsigned long flags;
	struct page *page;

	spin_lock_irqsave(&policy->ahead_lock, flags);
	page = list_first_entry_or_null(&policy->ahead, struct page, lru);
	if (page && page_zone(page) == zone) {
		list_del(&page->lru);
		policy->nr_ahead--;
		page_left(page);
	} else {
		page = NULL;
	}
	spin_unlock_irqrestore(&policy->ahead_lock, flags);
	return page;
}

/* Take up to @max pages of those above @keep out of the list. */
static void take_some(struct page_color_policy *policy, unsigned int keep,
		      unsigned int max, struct list_head *pages)
{
	unsigned int n = 0;
	unsigned long flags;

	spin_lock_irqsave(&policy->ahead_lock, flags);
	while (policy->nr_ahead > keep && n < max) {
		page_left(list_last_entry(&policy->ahead, struct page, lru));
		list_move(policy->ahead.prev, pages);
		policy->nr_ahead--;
		n++;
	}
	spin_unlock_irqrestore(&policy->ahead_lock, flags);
}

/**
 * page_color_ahead_trim - give pages back
 * @policy: the policy
 * @keep: how many it may keep
 */
void page_color_ahead_trim(struct page_color_policy *policy, unsigned int keep)
{
	LIST_HEAD(pages);

	while (READ_ONCE(policy->nr_ahead) > keep) {
		take_some(policy, keep, PAGE_COLOR_BATCH, &pages);
		free_pages_of(&pages);
	}
}

/**
 * page_color_ahead_set - the current thread's colours hold so many pages
 * @pages: how many
 *
 * Context: may sleep.
 * Return: how many they hold then, fewer if there are no more on the node, or at a
 * limit, or an error: -EINVAL, -EPERM as others miss them, -ENODATA without
 * colours, -EINTR.
 */
long page_color_ahead_set(unsigned long pages)
{
	struct page_color_policy *policy;
	long n;

	if (pages > PAGE_COLOR_AHEAD_MAX)
		return -EINVAL;
	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	policy = page_color_policy_of_current();
	if (!policy)
		return -ENODATA;
	page_color_ahead_trim(policy, pages);
	page_color_ahead_fill(policy, pages);
	n = fatal_signal_pending(current) ? -EINTR : READ_ONCE(policy->nr_ahead);
	page_color_policy_put(policy);
	return n;
}

/* Take up to @max pages of a node from the end of a policy's list. */
static unsigned int shrink_policy(struct page_color_policy *policy, int nid,
				  unsigned int max, struct list_head *pages)
{
	struct page *page;
	unsigned int n = 0;

	spin_lock(&policy->ahead_lock);
	while (n < max && policy->nr_ahead) {
		page = list_last_entry(&policy->ahead, struct page, lru);
		/* They are of the node on which they were asked for, mostly one. */
		if (page_to_nid(page) != nid)
			break;
		page_left(page);
		list_move(&page->lru, pages);
		policy->nr_ahead--;
		n++;
	}
	spin_unlock(&policy->ahead_lock);
	return n;
}

/* Some pages of the policies of a list, in turn. */
static unsigned long shrink_list_of(struct list_head *list, int nid)
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
		n += shrink_policy(policy, nid, SHRINK_PAGES - n, &pages);
		if (READ_ONCE(policy->nr_ahead))
			list_move_tail(&policy->ahead_node, list);
		else
			list_del_init(&policy->ahead_node);
	}
	spin_unlock_irqrestore(&holders_lock, flags);
	free_pages_of(&pages);
	return n;
}

static unsigned long ahead_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	return max(atomic_long_read(&nr_of_node[sc->nid]), 0);
}

/* First from tasks that get pages of other colours when theirs are used up. */
static unsigned long ahead_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long freed = 0, n;
	int strict = 0;

	while (strict < 2 && freed < sc->nr_to_scan) {
		n = shrink_list_of(&holders[strict], sc->nid);
		freed += n;
		strict += !n;
	}
	atomic_long_add(freed, &page_color_ahead_shrunk);
	return freed ?: SHRINK_STOP;
}

static int __init page_color_ahead_setup(void)
{
	struct shrinker *shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE, "page_color_ahead");

	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = ahead_count;
	shrinker->scan_objects = ahead_scan;
	shrinker->seeks = SHRINK_SEEKS;
	shrinker_register(shrinker);
	return 0;
}
subsys_initcall(page_color_ahead_setup);
