// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: policies, and who owns which colors.
 *
 * A color has as many owners as policies name it. With the first its free pages go
 * into the index, with the last they leave it.
 */
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/slab.h>
#include "page_color_buddy.h"
#include "page_color_held.h"

unsigned long page_color_owned[BITS_TO_LONGS(PAGE_COLOR_SET_BITS)] __read_mostly;
unsigned int page_color_nr_owned __read_mostly;

/* Policies per color; with page_color_owned under owners_lock. */
static unsigned int owners[PAGE_COLOR_MAX];
/* Of them, those of programs. */
static unsigned int program_owners[PAGE_COLOR_MAX];
static DEFINE_SPINLOCK(owners_lock);
/* Policies of one color each; made under page_color_mutex. */
static struct page_color_policy *singles[PAGE_COLOR_MAX];
static atomic_long_t nr_policies;

/**
 * page_color_single - a policy for one color, for migrations
 * @color: a color that is or was owned
 *
 * Return: the policy with a reference, NULL if the color was never owned.
 */
struct page_color_policy *page_color_single(unsigned int color)
{
	struct page_color_policy *policy;

	rcu_read_lock();
	policy = READ_ONCE(singles[color]);
	if (policy && !refcount_inc_not_zero(&policy->ref))
		policy = NULL;
	rcu_read_unlock();
	return policy;
}

/**
 * page_color_owns_large - are all colors of a large folio owned?
 * @folio: the folio
 *
 * Return: true if so; false for hugetlb, which is not colored.
 */
bool page_color_owns_large(struct folio *folio)
{
	const struct page_color_map *map = &page_color_map;
	unsigned int first = page_color_of(map, folio_pfn(folio)), c;

	if (first == PAGE_COLOR_NONE || folio_test_hugetlb(folio))
		return false;
	for_each_set_bit(c, map->span[folio_order(folio)], PAGE_COLOR_MAX)
		if (!test_bit(first ^ c, page_color_owned))
			return false;
	return true;
}

/**
 * page_color_starts - colors that large folios for a policy may start with
 * @policy: the policy
 * @order: order of the folio
 * @colors: where they are put, PAGE_COLOR_SET_BITS bits
 *
 * A policy for one color, in a migration, stands for the colors of the folio
 * that starts with it.
 *
 * Return: false if there are none.
 */
bool page_color_starts(const struct page_color_policy *policy, unsigned int order,
		       unsigned long *colors)
{
	const struct page_color_map *map = &page_color_map;
	unsigned int first, c;

	bitmap_copy(colors, policy->set.all[order], PAGE_COLOR_SET_BITS);
	if (policy->flags & PAGE_COLOR_MIGRATION &&
	    bitmap_weight(policy->set.some[0], PAGE_COLOR_MAX) == 1) {
		first = find_first_bit(policy->set.some[0], PAGE_COLOR_MAX);
		for_each_set_bit(c, map->span[order], PAGE_COLOR_MAX)
			__set_bit(first ^ c, colors);
	}
	return !bitmap_empty(colors, PAGE_COLOR_SET_BITS);
}

/* Colors with owners need a policy each. */
static int make_singles(const unsigned long *colors)
{
	unsigned int c;

	lockdep_assert_held(&page_color_mutex);
	for_each_set_bit(c, colors, PAGE_COLOR_MAX) {
		DECLARE_BITMAP(one, PAGE_COLOR_MAX) = {};
		struct page_color_policy *single;

		if (singles[c])
			continue;
		single = kzalloc(sizeof(*single), GFP_KERNEL);
		if (!single)
			return -ENOMEM;
		__set_bit(c, one);
		page_color_set_init(&page_color_map, &single->set, one);
		refcount_set(&single->ref, 1);
		single->nid = NUMA_NO_NODE;
		single->flags = PAGE_COLOR_STRICT | PAGE_COLOR_MIGRATION;
		/* Complete before page_color_single() finds it. */
		smp_store_release(&singles[c], single);
	}
	return 0;
}

/**
 * page_color_free_singles - coloring is switched off: policies of one color are over
 *
 * Context: under page_color_mutex.
 */
void page_color_free_singles(void)
{
	unsigned int c;

	for (c = 0; c < PAGE_COLOR_MAX; c++)
		page_color_policy_put(xchg(&singles[c], NULL));
}

/* The colors of a policy have one owner more. */
static void own_colors(const struct page_color_policy *policy)
{
	unsigned long orders = 0;
	unsigned int c;

	/* From now on nobody else takes for granted that lists are in order. */
	atomic_inc(&page_color_sorting);
	spin_lock_irq(&owners_lock);
	for_each_set_bit(c, policy->set.some[0], PAGE_COLOR_MAX) {
		if (policy->flags & PAGE_COLOR_PROGRAM)
			program_owners[c]++;
		if (owners[c]++)
			continue;
		set_bit(c, page_color_owned);
		WRITE_ONCE(page_color_nr_owned, page_color_nr_owned + 1);
		orders |= page_color_index_own(c);
	}
	spin_unlock_irq(&owners_lock);
	if (orders)
		page_color_index_sort(orders);
	atomic_dec(&page_color_sorting);
}

/**
 * page_color_any_policies - has any task or cgroup colors?
 *
 * Return: true if so.
 */
bool page_color_any_policies(void)
{
	return atomic_long_read(&nr_policies);
}

static struct page_color_policy *create_policy(const unsigned long *colors,
					       unsigned int flags, int nid,
					       kuid_t user)
{
	static u64 last_id;
	struct page_color_policy *policy;
	int err;

	lockdep_assert_held(&page_color_mutex);
	if (!page_color_enabled())
		return ERR_PTR(-EOPNOTSUPP);
	/* Not charged: others wait for these mutexes, and a full cgroup would hold them up. */
	policy = kzalloc(sizeof(*policy), GFP_KERNEL);
	if (!policy)
		return ERR_PTR(-ENOMEM);
	page_color_set_init(&page_color_map, &policy->set, colors);
	err = -EINVAL;
	if (bitmap_empty(policy->set.some[0], PAGE_COLOR_MAX))
		goto free;
	err = page_color_hold_policy(user);
	if (err)
		goto free;
	err = -ENOMEM;
	if (page_color_policy_owns(policy) && make_singles(policy->set.some[0]))
		goto release;
	refcount_set(&policy->ref, 1);
	policy->flags = flags;
	policy->nid = nid;
	policy->user = user;
	policy->full_until = jiffies;
	policy->drained = jiffies - HZ;
	policy->id = ++last_id;
	page_color_ahead_init(policy);
	atomic_long_inc(&nr_policies);
	page_color_sweep_lists();
	if (page_color_policy_owns(policy))
		own_colors(policy);
	return policy;

release:
	page_color_release_policy(user);
free:
	kfree(policy);
	return ERR_PTR(err);
}

/**
 * page_color_policy_create - a policy for a set of colors
 * @colors: PAGE_COLOR_MAX bits
 * @flags: PAGE_COLOR_STRICT and PAGE_COLOR_PRIVATE or 0
 * @user: whom it is counted for
 *
 * Return: the policy with one reference, or an error: -EOPNOTSUPP while
 * switched off, -EINVAL if none of the colors exists, -EAGAIN if the user has
 * as many as it may, -ENOMEM.
 */
struct page_color_policy *page_color_policy_create(const unsigned long *colors,
						   unsigned int flags,
						   kuid_t user)
{
	struct page_color_policy *policy;

	mutex_lock(&page_color_mutex);
	policy = create_policy(colors, flags, NUMA_NO_NODE, user);
	mutex_unlock(&page_color_mutex);
	return policy;
}

/**
 * page_color_policy_claim - a policy with colors that nobody has
 * @have: what it has already
 * @n: how many more
 * @nid: the node that they are for
 * @flags: of the policy
 * @user: whom it is counted for
 * @group: whose colors they are among; NULL for any
 *
 * The colors of a group are free for this if no other program has them.
 *
 * Return: the policy with one reference, or an error: -EAGAIN if there are not
 * enough such colors, and as page_color_policy_create().
 */
struct page_color_policy *
page_color_policy_claim(const unsigned long *have, unsigned int n, int nid,
			unsigned int flags, kuid_t user,
			const struct page_color_policy *group)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	DECLARE_BITMAP(local, PAGE_COLOR_MAX);
	struct page_color_policy *policy;
	unsigned int c;

	bitmap_copy(colors, have, PAGE_COLOR_MAX);
	mutex_lock(&page_color_mutex);
	page_color_of_node(nid, local);
	if (group)
		bitmap_and(local, local, group->set.some[0], PAGE_COLOR_MAX);
	spin_lock_irq(&owners_lock);
	for_each_set_bit(c, local, PAGE_COLOR_MAX) {
		if (!n)
			break;
		if (group ? program_owners[c] : owners[c])
			continue;
		__set_bit(c, colors);
		n--;
	}
	spin_unlock_irq(&owners_lock);
	policy = n ? ERR_PTR(-EAGAIN) : create_policy(colors, flags, nid, user);
	mutex_unlock(&page_color_mutex);
	return policy;
}

/* Nobody has this one any more; it may have the last reference to another. */
static void free_policy(struct page_color_policy *policy)
{
	bool lost = false;
	unsigned long flags;
	unsigned int c;

	if (policy->flags & PAGE_COLOR_MIGRATION) {
		kfree_rcu(policy, rcu);
		return;
	}
	page_color_forget_rebound(policy);
	page_color_ahead_exit(policy);
	page_color_reserve_put(policy->reserve);
	page_color_hold_leave(policy);
	page_color_release_policy(policy->user);
	if (page_color_policy_owns(policy)) {
		spin_lock_irqsave(&owners_lock, flags);
		for_each_set_bit(c, policy->set.some[0], PAGE_COLOR_MAX) {
			if (policy->flags & PAGE_COLOR_PROGRAM)
				program_owners[c]--;
			if (--owners[c])
				continue;
			clear_bit(c, page_color_owned);
			WRITE_ONCE(page_color_nr_owned, page_color_nr_owned - 1);
			page_color_index_disown(c);
			lost = true;
		}
		spin_unlock_irqrestore(&owners_lock, flags);
		if (lost)
			page_color_index_leftover();
	}
	kfree_rcu(policy, rcu);
	atomic_long_dec(&nr_policies);
}

/**
 * page_color_policy_release - the last reference to a policy is gone
 * @policy: the policy
 *
 * Its colors are nobody's again unless other policies name them.
 */
void page_color_policy_release(struct page_color_policy *policy)
{
	struct page_color_policy *next;

	do {
		next = policy->next;
		free_policy(policy);
		policy = next;
	} while (policy && refcount_dec_and_test(&policy->ref));
}
