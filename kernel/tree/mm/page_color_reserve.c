// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: hard reservation.
 *
 * The colors of a policy may have pages reserved on a node: free pages that
 * nobody but its tasks gets, whatever others need. They are in the state of
 * pages on a per-CPU list, and not among the free pages of their zone. So every
 * check of a watermark, of whoever allocates or reclaims, is without them, and
 * no allocation finds them. Their owner has them below the watermarks.
 *
 * A reservation is a number of pages per zone. Those that are not held at the
 * moment, as they were used, are filled up from pages of the colors that are
 * freed in the zone. See Documentation/admin-guide/mm/page_color.rst.
 */
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_held.h"

/* Of the managed pages of a zone, one in so many may be reserved, the last by root. */
#define RESERVE_SHARE	4
/* Pages that are given back or looked at in one hold of the lock. */
#define RESERVE_BATCH	64

/**
 * struct page_color_reserve - pages reserved for the colors of a policy
 * @ref: policies that have it: one, and those of a program that follow it
 * @lock: of all below; taken with interrupts off
 * @nid: the node
 * @node: in reserves
 * @rcu: for freeing
 * @gone: nobody has it any more
 * @id: of the policy that it was made for; those that follow one that has grown have
 *	more colors, and others that have this one still would get them
 * @colors: of that policy
 * @pages: that are held, by zone; refcount 0, as on a per-CPU list
 * @held: how many they are
 * @missing: how many more are reserved
 */
struct page_color_reserve {
	refcount_t ref;
	spinlock_t lock;	/* of what is below */
	int nid;
	struct list_head node;
	struct rcu_head rcu;
	bool gone;
	u64 id;
	DECLARE_BITMAP(colors, PAGE_COLOR_SET_BITS);
	struct list_head pages[MAX_NR_ZONES];
	unsigned long held[MAX_NR_ZONES];
	unsigned long missing[MAX_NR_ZONES];
};

/* All of them, for those who free pages; read under RCU. */
static LIST_HEAD(reserves);
static DEFINE_SPINLOCK(reserves_lock);
/* Of all: so that pages are not offered in vain. */
atomic_long_t page_color_nr_missing;
/* Pages that were used while their zone was below its watermark. */
atomic_long_t page_color_reserve_below;
/* Requests that were refused. */
atomic_long_t page_color_reserve_refused;

/* Reservations are made and changed one by one. */
static DEFINE_MUTEX(reserve_mutex);
/* Allocates for them; under reserve_mutex. */
static struct page_color_policy filler = {
	.ref = REFCOUNT_INIT(1),
	.flags = PAGE_COLOR_STRICT,
};

/* With the lock of the reserve; others look at what is counted without it. */
static void count(unsigned long *pages, long n)
{
	WRITE_ONCE(*pages, *pages + n);
}

static unsigned long total(struct page_color_reserve *reserve)
{
	unsigned long flags, n = 0;
	int i;

	spin_lock_irqsave(&reserve->lock, flags);
	for (i = 0; i < MAX_NR_ZONES; i++)
		n += reserve->held[i] + reserve->missing[i];
	spin_unlock_irqrestore(&reserve->lock, flags);
	return n;
}

/**
 * page_color_reserve_take - use a reserved page
 * @reserve: of the policy, which may be released meanwhile
 * @zone: the zone that the page is to be of, with an index
 *
 * Context: under rcu_read_lock().
 * Return: the page, as from a per-CPU list; NULL if none of the zone is held.
 */
struct page *page_color_reserve_take(struct page_color_reserve *reserve,
				     struct zone *zone)
{
	unsigned int i = zone_idx(zone);
	struct page *page = NULL;
	unsigned long flags;

	if (reserve->nid != zone_to_nid(zone) || !READ_ONCE(reserve->held[i]))
		return NULL;
	spin_lock_irqsave(&reserve->lock, flags);
	if (reserve->held[i] && !reserve->gone) {
		page = list_first_entry(&reserve->pages[i], struct page, pcp_list);
		list_del(&page->pcp_list);
		count(&reserve->held[i], -1);
		count(&reserve->missing[i], 1);
		atomic_long_inc(&page_color_nr_missing);
		atomic_long_dec(&zone->color->held);
	}
	spin_unlock_irqrestore(&reserve->lock, flags);
	return page;
}

/**
 * page_color_reserve_offer - a page of an owned color is free
 * @zone: its zone, with an index
 * @page: the page, prepared for a per-CPU list
 * @color: its color
 *
 * Return: true if it is reserved now.
 */
bool page_color_reserve_offer(struct zone *zone, struct page *page,
			      unsigned int color)
{
	struct page_color_reserve *reserve;
	unsigned int i = zone_idx(zone);
	unsigned long flags;
	bool taken = false;

	rcu_read_lock();
	list_for_each_entry_rcu(reserve, &reserves, node) {
		if (reserve->nid != zone_to_nid(zone) ||
		    !READ_ONCE(reserve->missing[i]) ||
		    !test_bit(color, reserve->colors))
			continue;
		spin_lock_irqsave(&reserve->lock, flags);
		if (reserve->missing[i]) {
			list_add_tail(&page->pcp_list, &reserve->pages[i]);
			count(&reserve->held[i], 1);
			count(&reserve->missing[i], -1);
			atomic_long_dec(&page_color_nr_missing);
			atomic_long_inc(&zone->color->held);
			taken = true;
		}
		spin_unlock_irqrestore(&reserve->lock, flags);
		if (taken)
			break;
	}
	rcu_read_unlock();
	return taken;
}

/* As many as may be reserved in a zone when the current task asks for more. */
static unsigned long most_of_zone(struct zone *zone)
{
	return page_color_limit_of_all(zone_managed_pages(zone) / RESERVE_SHARE);
}

/* A page more for a reserve, from its own allocation. */
static int add_page(struct page_color_reserve *reserve, struct page *page)
{
	struct zone *zone = page_zone(page);
	unsigned int i = zone_idx(zone);
	unsigned long flags;

	if (atomic_long_inc_return(&zone->color->reserved) > most_of_zone(zone)) {
		atomic_long_dec(&zone->color->reserved);
		__free_page(page);
		return -ENOSPC;
	}
	/* A bad page is not used. */
	if (!page_color_make_free(page)) {
		atomic_long_dec(&zone->color->reserved);
		return 0;
	}
	spin_lock_irqsave(&reserve->lock, flags);
	list_add_tail(&page->pcp_list, &reserve->pages[i]);
	count(&reserve->held[i], 1);
	atomic_long_inc(&zone->color->held);
	spin_unlock_irqrestore(&reserve->lock, flags);
	return 0;
}

/*
 * Reserve up to RESERVE_BATCH pages fewer in a zone, at most @n: of those that
 * are held first, as those in use are in use.
 */
static unsigned long reduce_zone(struct page_color_reserve *reserve, unsigned int i,
				 unsigned long n)
{
	struct zone *zone = &NODE_DATA(reserve->nid)->node_zones[i];
	unsigned long flags, held = 0, missing = 0;
	LIST_HEAD(pages);

	n = min(n, RESERVE_BATCH);
	spin_lock_irqsave(&reserve->lock, flags);
	while (held < n && reserve->held[i]) {
		list_move(reserve->pages[i].prev, &pages);
		count(&reserve->held[i], -1);
		held++;
	}
	if (!held) {
		missing = min(n, reserve->missing[i]);
		count(&reserve->missing[i], -missing);
	}
	spin_unlock_irqrestore(&reserve->lock, flags);
	if (held + missing) {
		atomic_long_sub(missing, &page_color_nr_missing);
		atomic_long_sub(held, &zone->color->held);
		atomic_long_sub(held + missing, &zone->color->reserved);
		page_color_return_pages(zone, &pages);
	}
	return held + missing;
}

static void reduce(struct page_color_reserve *reserve, unsigned long keep)
{
	unsigned long now;
	int i = MAX_NR_ZONES - 1;

	while ((now = total(reserve)) > keep) {
		if (!reduce_zone(reserve, i, now - keep) && --i < 0)
			i = MAX_NR_ZONES - 1;
	}
}

static struct page_color_reserve *make_reserve(const struct page_color_policy *policy)
{
	struct page_color_reserve *reserve;
	int i;

	reserve = kzalloc(sizeof(*reserve), GFP_KERNEL);
	if (!reserve)
		return NULL;
	refcount_set(&reserve->ref, 1);
	spin_lock_init(&reserve->lock);
	reserve->nid = policy->nid == NUMA_NO_NODE ? numa_mem_id() : policy->nid;
	reserve->id = policy->id;
	bitmap_copy(reserve->colors, policy->set.some[0], PAGE_COLOR_SET_BITS);
	for (i = 0; i < MAX_NR_ZONES; i++)
		INIT_LIST_HEAD(&reserve->pages[i]);
	spin_lock_irq(&reserves_lock);
	list_add_tail_rcu(&reserve->node, &reserves);
	spin_unlock_irq(&reserves_lock);
	return reserve;
}

/**
 * page_color_reserve_get - another policy has the same reserve
 * @policy: one that has a reserve or not
 *
 * Return: the reserve with a reference more, or NULL.
 */
struct page_color_reserve *page_color_reserve_get(struct page_color_policy *policy)
{
	struct page_color_reserve *reserve = READ_ONCE(policy->reserve);

	if (reserve)
		refcount_inc(&reserve->ref);
	return reserve;
}

/**
 * page_color_reserve_put - a policy does not need its reserve any more
 * @reserve: the reserve or NULL
 */
void page_color_reserve_put(struct page_color_reserve *reserve)
{
	unsigned long flags;

	if (!reserve || !refcount_dec_and_test(&reserve->ref))
		return;
	spin_lock_irqsave(&reserves_lock, flags);
	list_del_rcu(&reserve->node);
	spin_unlock_irqrestore(&reserves_lock, flags);
	/* Those who have found it meanwhile neither take nor offer from here on. */
	spin_lock_irqsave(&reserve->lock, flags);
	reserve->gone = true;
	spin_unlock_irqrestore(&reserve->lock, flags);
	reduce(reserve, 0);
	kfree_rcu(reserve, rcu);
}

/* As many as the zones of the node may have reserved together. */
static unsigned long most_of_node(int nid)
{
	unsigned long n = 0;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++)
		n += most_of_zone(&NODE_DATA(nid)->node_zones[i]);
	return n;
}

/*
 * Reserve more pages: by ordinary allocations, so that what is not free is
 * reclaimed or evicted, the watermarks hold for it, and nobody is killed.
 */
static int enlarge(struct page_color_reserve *reserve, unsigned long pages)
{
	const gfp_t gfp = GFP_HIGHUSER_MOVABLE | __GFP_THISNODE | __GFP_NOWARN |
			  __GFP_RETRY_MAYFAIL | __GFP_NOMEMALLOC;
	struct page_color_policy *scope = current->page_color_scope;
	unsigned int pin;
	int err = 0;

	if (pages > most_of_node(reserve->nid))
		return -ENOSPC;
	filler.id = reserve->id;
	filler.nid = reserve->nid;
	page_color_set_init(&page_color_map, &filler.set, reserve->colors);
	/* No block goes offline between an allocation and add_page(). */
	get_online_mems();
	/* As they wait they cannot be moved: not of CMA, not of ZONE_MOVABLE. */
	pin = memalloc_pin_save();
	while (!err && total(reserve) < pages) {
		struct page *page;

		current->page_color_scope = &filler;
		page = __alloc_pages_node(reserve->nid, gfp, 0);
		current->page_color_scope = scope;
		if (page)
			err = add_page(reserve, page);
		else
			err = -ENOMEM;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	memalloc_pin_restore(pin);
	put_online_mems();
	return err;
}

/**
 * page_color_reserve_pages - reserve pages for the tasks of a policy
 * @policy: the policy
 * @pages: how many, in all
 *
 * They are of the policy's node, or of that of the CPU where it was called first.
 *
 * Context: may sleep.
 * Return: 0 or an error, then nothing has changed: -ENOSPC if it is more than
 * may be reserved in a zone, -ENOMEM if there are not so many pages to be had,
 * -EINTR.
 */
int page_color_reserve_pages(struct page_color_policy *policy, unsigned long pages)
{
	struct page_color_reserve *reserve;
	unsigned long before;
	int err = 0;

	if (mutex_lock_killable(&reserve_mutex))
		return -EINTR;
	reserve = policy->reserve;
	if (!reserve && pages) {
		reserve = make_reserve(policy);
		/* Complete before the allocator sees it. */
		smp_store_release(&policy->reserve, reserve);
		err = reserve ? 0 : -ENOMEM;
	}
	if (reserve) {
		before = total(reserve);
		if (pages > before)
			err = enlarge(reserve, pages);
		reduce(reserve, err ? before : pages);
	}
	mutex_unlock(&reserve_mutex);
	if (err)
		atomic_long_inc(&page_color_reserve_refused);
	return err;
}

/**
 * page_color_reserve_set - reserve pages for the current thread's colors
 * @pages: how many, in all
 *
 * Context: may sleep.
 * Return: 0 or an error: -EPERM, -ENODATA without colors, and as
 * page_color_reserve_pages().
 */
long page_color_reserve_set(unsigned long pages)
{
	struct page_color_policy *policy;
	int err;

	/* They are taken away from all others, and charged to nobody. */
	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	policy = page_color_policy_at(&current->page_color);
	if (!policy)
		return -ENODATA;
	err = page_color_reserve_pages(policy, pages);
	page_color_policy_put(policy);
	return err;
}

#ifdef CONFIG_MEMORY_HOTPLUG
/* Give back what is held in a range. The number that is reserved stays. */
static void leave_range(struct page_color_reserve *reserve, unsigned int i,
			unsigned long start, unsigned long end)
{
	struct zone *zone = &NODE_DATA(reserve->nid)->node_zones[i];
	unsigned long left = READ_ONCE(reserve->held[i]);

	/* What was looked at goes to the tail; nothing of the range is added. */
	while (left) {
		unsigned long flags, n = min(left, RESERVE_BATCH), gone = 0;
		LIST_HEAD(pages);

		left -= n;
		spin_lock_irqsave(&reserve->lock, flags);
		while (n-- && reserve->held[i]) {
			struct page *page = list_first_entry(&reserve->pages[i],
							     struct page, pcp_list);
			unsigned long pfn = page_to_pfn(page);

			if (pfn < start || pfn >= end) {
				list_move_tail(&page->pcp_list, &reserve->pages[i]);
				continue;
			}
			list_move(&page->pcp_list, &pages);
			count(&reserve->held[i], -1);
			count(&reserve->missing[i], 1);
			gone++;
		}
		spin_unlock_irqrestore(&reserve->lock, flags);
		if (!gone)
			continue;
		atomic_long_add(gone, &page_color_nr_missing);
		atomic_long_sub(gone, &zone->color->held);
		page_color_return_pages(zone, &pages);
	}
}

/**
 * page_color_reserve_offline - memory goes offline
 * @start: first frame; the range is isolated, per-CPU lists are not used
 * @nr: number of frames
 */
void page_color_reserve_offline(unsigned long start, unsigned long nr)
{
	int nid = page_to_nid(pfn_to_page(start));
	struct page_color_reserve *reserve;
	int i;

	rcu_read_lock();
	list_for_each_entry_rcu(reserve, &reserves, node) {
		for (i = 0; reserve->nid == nid && i < MAX_NR_ZONES; i++)
			leave_range(reserve, i, start, start + nr);
	}
	rcu_read_unlock();
}
#endif

/**
 * page_color_reserve_check - what is held in a zone, for tests
 * @zone: the zone
 * @bad: counts pages that should not be held, and wrong numbers
 *
 * Return: pages held.
 */
unsigned long page_color_reserve_check(struct zone *zone, unsigned long *bad)
{
	struct page_color_reserve *reserve;
	unsigned int i = zone_idx(zone);
	unsigned long flags, sum = 0, n;
	struct page *page;

	rcu_read_lock();
	list_for_each_entry_rcu(reserve, &reserves, node) {
		if (reserve->nid != zone_to_nid(zone))
			continue;
		n = 0;
		spin_lock_irqsave(&reserve->lock, flags);
		list_for_each_entry(page, &reserve->pages[i], pcp_list) {
			n++;
			if (!page_is_in_zone(page, zone) || page_count(page) ||
			    PageBuddy(page) ||
			    !test_bit(page_color_of(&page_color_map,
						    page_to_pfn(page)),
				      reserve->colors))
				++*bad;
		}
		*bad += n != reserve->held[i];
		spin_unlock_irqrestore(&reserve->lock, flags);
		sum += n;
	}
	rcu_read_unlock();
	return sum;
}
