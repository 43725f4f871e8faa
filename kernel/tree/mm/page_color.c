// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: switched on and off, and who owns which colors.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/setup.h>
#include "page_color_buddy.h"
#include "page_color_held.h"

#define CREATE_TRACE_POINTS
#include <trace/events/page_color.h>

DEFINE_STATIC_KEY_FALSE(page_color_key);
struct page_color_map page_color_map __read_mostly;
unsigned long page_color_owned[BITS_TO_LONGS(PAGE_COLOR_SET_BITS)] __read_mostly;
unsigned int page_color_nr_owned __read_mostly;
struct page_color_policy page_color_any_policy = {
	.flags = PAGE_COLOR_ANY,
	.nid = NUMA_NO_NODE,
};

/* For zsmalloc, which may be a module. */
EXPORT_SYMBOL_GPL(page_color_any_policy);

/* Policies per color; with page_color_owned under owners_lock. */
static unsigned int owners[PAGE_COLOR_MAX];
/* Of them, those of programs. */
static unsigned int program_owners[PAGE_COLOR_MAX];
static DEFINE_SPINLOCK(owners_lock);
/* Policies of one color each; made under page_color_mutex. */
static struct page_color_policy *singles[PAGE_COLOR_MAX];
static atomic_long_t nr_policies;
/* See page_color.h. */
DEFINE_MUTEX(page_color_mutex);

/* A policy of all colors keeps nobody away from any. */
static bool policy_owns(const struct page_color_policy *policy)
{
	return !bitmap_equal(policy->set.some[0], page_color_map.exists,
			     PAGE_COLOR_MAX);
}

/**
 * page_color_forget_misses - pages may have come back to the zones
 */
void page_color_forget_misses(void)
{
	struct page_color_zone *index;
	struct zone *zone;

	rcu_read_lock();
	for_each_populated_zone(zone) {
		index = READ_ONCE(zone->color);
		if (!index)
			continue;
		WRITE_ONCE(index->missed_until[0], 0);
		WRITE_ONCE(index->missed_until[1], 0);
	}
	rcu_read_unlock();
}

/**
 * page_color_count_many - count in a zone
 * @zone: the zone, not locked
 * @item: what is counted
 * @n: how many
 */
void page_color_count_many(struct zone *zone, enum page_color_stat item,
			   unsigned long n)
{
	unsigned long flags;

	if (!n)
		return;
	spin_lock_irqsave(&zone->lock, flags);
	if (zone->color)
		zone->color->stat[item] += n;
	spin_unlock_irqrestore(&zone->lock, flags);
}

/**
 * page_color_count_max - the most of something in a zone
 * @zone: the zone, not locked
 * @item: what is counted
 * @n: how many there were this time
 */
void page_color_count_max(struct zone *zone, enum page_color_stat item,
			  unsigned long n)
{
	unsigned long flags;

	spin_lock_irqsave(&zone->lock, flags);
	if (zone->color && zone->color->stat[item] < n)
		zone->color->stat[item] = n;
	spin_unlock_irqrestore(&zone->lock, flags);
}

/**
 * page_color_count_mixed - a task was given a block, which may have owned colors
 * @zone: its zone
 * @page: the block
 * @order: its order
 *
 * Counts how many of its frames have an owned color.
 */
void page_color_count_mixed(struct zone *zone, struct page *page,
			    unsigned int order)
{
	const struct page_color_map *map = &page_color_map;
	unsigned int first = page_color_of(map, page_to_pfn(page)), n = 0, c;
	struct page_color_zone *index;

	if (first == PAGE_COLOR_NONE)
		return;
	for_each_set_bit(c, map->span[order], PAGE_COLOR_MAX)
		n += test_bit(first ^ c, page_color_owned);
	rcu_read_lock();
	index = READ_ONCE(zone->color);
	if (index && n)
		atomic_long_add((long)n << (order - map->rank[order]), &index->mixed);
	rcu_read_unlock();
}

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

static void free_singles(void)
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
		__set_bit(c, page_color_owned);
		page_color_nr_owned++;
		orders |= page_color_index_own(c);
	}
	spin_unlock_irq(&owners_lock);
	if (orders)
		page_color_index_sort(orders);
	atomic_dec(&page_color_sorting);
}

/**
 * page_color_owners - how many policies name a color
 * @color: the color
 *
 * Return: the number, which changes at any time.
 */
unsigned int page_color_owners(unsigned int color)
{
	return READ_ONCE(owners[color]);
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
	if (policy_owns(policy) && make_singles(policy->set.some[0]))
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
	if (policy_owns(policy))
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
 * page_color_of_node - colors that memory of a node has
 * @nid: the node
 * @colors: set to them, PAGE_COLOR_MAX bits
 *
 * A map may contain bits that select nodes.
 *
 * Context: may sleep.
 */
void page_color_of_node(int nid, unsigned long *colors)
{
	unsigned long pfn = ALIGN_DOWN(node_start_pfn(nid), MAX_ORDER_NR_PAGES);
	const unsigned long *span = page_color_map.span[MAX_PAGE_ORDER];

	bitmap_zero(colors, PAGE_COLOR_MAX);
	for (; pfn < node_end_pfn(nid); pfn += MAX_ORDER_NR_PAGES) {
		unsigned int first = page_color_of(&page_color_map, pfn), c;
		struct page *page = pfn_to_online_page(pfn);

		if (!page || page_to_nid(page) != nid || first == PAGE_COLOR_NONE ||
		    test_bit(first, colors))
			continue;
		for_each_set_bit(c, span, PAGE_COLOR_MAX)
			__set_bit(first ^ c, colors);
		cond_resched();
	}
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
	page_color_hold_put(policy->hold);
	page_color_release_policy(policy->user);
	if (policy_owns(policy)) {
		spin_lock_irqsave(&owners_lock, flags);
		for_each_set_bit(c, policy->set.some[0], PAGE_COLOR_MAX) {
			if (policy->flags & PAGE_COLOR_PROGRAM)
				program_owners[c]--;
			if (--owners[c])
				continue;
			__clear_bit(c, page_color_owned);
			page_color_nr_owned--;
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

/**
 * page_color_count_spill - a task with a policy gets a page of another color
 * @zone: where it was looked for or found
 */
void page_color_count_spill(struct zone *zone)
{
	struct page_color_policy *policy;
	struct page_color_zone *index;

	rcu_read_lock();
	index = READ_ONCE(zone->color);
	if (index)
		atomic_long_inc(&index->spilled);
	policy = page_color_current();
	trace_page_color_spill(zone, policy ? policy->id : 0);
	rcu_read_unlock();
}

static int switch_on(void)
{
	struct zone *zone;
	int err;

	lockdep_assert_held(&page_color_mutex);
	if (page_color_enabled())
		return 0;
	if (!page_color_map.nr_bits)
		return -ENODATA;
	/* First the key: what is in the index is found only while it is on. */
	static_branch_enable_cpuslocked(&page_color_key);
	for_each_populated_zone(zone) {
		err = page_color_index_attach(zone);
		if (err)
			goto undo;
	}
	return 0;

undo:
	/* Also those that have lost their memory meanwhile. */
	for_each_zone(zone)
		page_color_index_detach(zone);
	static_branch_disable_cpuslocked(&page_color_key);
	return err;
}

static int switch_off(void)
{
	struct zone *zone;

	lockdep_assert_held(&page_color_mutex);
	if (!page_color_enabled())
		return 0;
	if (atomic_long_read(&nr_policies))
		return -EBUSY;
	/* Allocations that looked at the last policy are over. */
	synchronize_rcu();
	/* The colored per-CPU lists are counted only while the key is on. */
	drain_all_pages(NULL);
	/* Also those that have lost their memory meanwhile. */
	for_each_zone(zone)
		page_color_index_detach(zone);
	static_branch_disable_cpuslocked(&page_color_key);
	free_singles();
	return 0;
}

/**
 * page_color_switch - switch page coloring on or off
 * @on: on
 *
 * Context: under cpus_read_lock() and page_color_mutex.
 * Return: 0 or an error: -ENODATA without a map, -EBUSY while tasks have
 * colors, -ENOMEM.
 */
int page_color_switch(bool on)
{
	return on ? switch_on() : switch_off();
}

static bool is_of_registers(const char *text)
{
	return IS_ENABLED(CONFIG_PAGE_COLOR_AMD10H) &&
	       sysfs_streq(text, PAGE_COLOR_AMD10H_NAME);
}

/**
 * page_color_set_map - take another map
 * @text: as page_color_map_parse() reads it, or that of registers
 *
 * Context: under page_color_mutex.
 * Return: 0 or an error: -EBUSY while switched on, -EINVAL, -ENOMEM, and as
 * page_color_amd10h_map().
 */
int page_color_set_map(const char *text)
{
	struct page_color_map *map;
	char *found = NULL;
	const char *why;
	int err;

	lockdep_assert_held(&page_color_mutex);
	if (page_color_enabled())
		return -EBUSY;
	if (is_of_registers(text)) {
		found = page_color_amd10h_map();
		if (IS_ERR(found))
			return PTR_ERR(found);
		text = found;
	}
	map = kvmalloc(sizeof(*map), GFP_KERNEL);
	if (!map) {
		kfree(found);
		return -ENOMEM;
	}
	err = page_color_map_parse(map, text, &why);
	if (err) {
		pr_err("map refused: %s\n", why);
	} else {
		page_color_map = *map;
		page_color_index_reset();
		page_color_forget_cache_bits();
	}
	kvfree(map);
	kfree(found);
	return err;
}

#ifdef CONFIG_MEMORY_HOTPLUG
/* Zones that get their first memory while coloring is on need an index, too. */
static int memory_changes(struct notifier_block *nb, unsigned long action,
			  void *data)
{
	struct memory_notify *arg = data;
	int err = 0;

	if (action == MEM_GOING_ONLINE) {
		mutex_lock(&page_color_mutex);
		if (page_color_enabled())
			err = page_color_index_attach(page_zone(pfn_to_page(arg->start_pfn)));
		mutex_unlock(&page_color_mutex);
	} else if (action == MEM_GOING_OFFLINE) {
		page_color_reserve_offline(arg->start_pfn, arg->nr_pages);
	}
	return notifier_from_errno(err);
}

static void __init watch_memory(void)
{
	hotplug_memory_notifier(memory_changes, DEFAULT_CALLBACK_PRI);
}
#else
static inline void watch_memory(void)
{
}
#endif

/* As long as any map that the boot loader can pass. */
static char boot_map[COMMAND_LINE_SIZE] __initdata;

static int __init page_color_setup(char *text)
{
	if (strscpy(boot_map, text, sizeof(boot_map)) < 0) {
		boot_map[0] = '\0';
		pr_err("map of the command line is too long\n");
	}
	return 0;
}
early_param("page_color", page_color_setup);

static void __init take_boot_map(void)
{
	cpus_read_lock();
	mutex_lock(&page_color_mutex);
	if (!page_color_set_map(boot_map) && !switch_on())
		pr_info("%u colors\n",
			bitmap_weight(page_color_map.exists, PAGE_COLOR_MAX));
	mutex_unlock(&page_color_mutex);
	cpus_read_unlock();
}

static int __init page_color_init(void)
{
	watch_memory();
	if (boot_map[0] && !is_of_registers(boot_map))
		take_boot_map();
	return 0;
}
subsys_initcall(page_color_init);

/* When PCI devices were found, and before there are programs. */
static int __init page_color_init_late(void)
{
	if (is_of_registers(boot_map))
		take_boot_map();
	return 0;
}
late_initcall(page_color_init_late);
