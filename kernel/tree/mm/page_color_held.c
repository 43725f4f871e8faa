// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what users hold.
 *
 * It is counted for the user of the initial user namespace. Whoever is in a
 * namespace that a user made counts as this user, so that nobody has more by having
 * more users. Root has no limit of its own, and one in KEPT_FOR_ROOT of everything
 * is kept for it.
 * See "Limits" in Documentation/admin-guide/mm/page_color.rst.
 */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/page_color.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>
#include "page_color.h"
#include "page_color_held.h"

/* Of what is limited in total, one in so many is not for users but root. */
#define KEPT_FOR_ROOT	4
/* Batches of pages that tasks of a user move to other colors at a time. */
#define MIGRATIONS	4

atomic_long_t page_color_limited[NR_PAGE_COLOR_LIMITED];

/**
 * struct page_color_held - what a user holds
 * @node: in users
 * @uid: the user
 * @policies: how many
 * @colors: of programs whose line does not say how many there may be
 * @migrating: batches of pages that are moved
 * @in_migration: tasks that do that, or wait for it
 */
struct page_color_held {
	struct hlist_node node;
	kuid_t uid;
	unsigned int policies;
	unsigned int colors;
	unsigned int migrating;
	unsigned int in_migration;
};

/* Those that hold something, and sums of all and of all but root. */
static DEFINE_HASHTABLE(users, 6);
static unsigned long all_policies, user_policies, user_colors;
/* Of all that is above, and of lines' and holds' numbers. */
static DEFINE_SPINLOCK(held_lock);

static bool is_root(kuid_t uid)
{
	return uid_eq(uid, GLOBAL_ROOT_UID);
}

/**
 * page_color_user - whom the current task holds something for
 *
 * Return: a user of the initial user namespace.
 */
kuid_t page_color_user(void)
{
	const struct cred *cred = current_cred();
	struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	/* Namespaces that root makes are for users of their own, and not for root. */
	for (; ns != &init_user_ns; ns = ns->parent) {
		if (!is_root(ns->owner))
			uid = ns->owner;
	}
	return uid;
}

/**
 * page_color_limit_of_all - what there may be of something that is limited in total
 * @all: the limit
 *
 * Return: how much all may have together when the current task asks for more: less
 * than @all unless that is root.
 */
unsigned long page_color_limit_of_all(unsigned long all)
{
	return is_root(page_color_user()) ? all : all - all / KEPT_FOR_ROOT;
}

static struct page_color_held *find_held(kuid_t uid)
{
	struct page_color_held *held;

	hash_for_each_possible(users, held, node, __kuid_val(uid)) {
		if (uid_eq(held->uid, uid))
			return held;
	}
	return NULL;
}

/* What a user holds; NULL for want of memory. With held_lock in either case. */
static struct page_color_held *lock_held(kuid_t uid)
	__acquires(&held_lock)
{
	struct page_color_held *held, *new;

	spin_lock_irq(&held_lock);
	held = find_held(uid);
	if (held)
		return held;
	spin_unlock_irq(&held_lock);
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	spin_lock_irq(&held_lock);
	/* Others may have made them meanwhile. */
	held = find_held(uid);
	if (held || !new) {
		kfree(new);
		return held;
	}
	new->uid = uid;
	hash_add(users, &new->node, __kuid_val(uid));
	return new;
}

static void forget_held(struct page_color_held *held)
{
	if (held->policies || held->colors || held->in_migration)
		return;
	hash_del(&held->node);
	kfree(held);
}

/**
 * page_color_hold_policy - a user holds one policy more
 * @uid: the user
 *
 * Return: 0 or an error: -EAGAIN at a limit, -ENOMEM.
 */
int page_color_hold_policy(kuid_t uid)
{
	unsigned long most = READ_ONCE(page_color_limits.policies);
	struct page_color_held *held = lock_held(uid);
	int err = 0;

	if (!held) {
		spin_unlock_irq(&held_lock);
		return -ENOMEM;
	}
	if (all_policies >= most ||
	    (!is_root(uid) &&
	     (held->policies >= READ_ONCE(page_color_limits.user_policies) ||
	      user_policies >= most - most / KEPT_FOR_ROOT)))
		err = -EAGAIN;
	if (!err) {
		held->policies++;
		all_policies++;
		user_policies += !is_root(uid);
	}
	forget_held(held);
	spin_unlock_irq(&held_lock);
	if (err)
		atomic_long_inc(&page_color_limited[PAGE_COLOR_LIMITED_POLICIES]);
	return err;
}

/**
 * page_color_release_policy - a user holds one policy less
 * @uid: the user
 *
 * Context: any.
 */
void page_color_release_policy(kuid_t uid)
{
	struct page_color_held *held;
	unsigned long flags;

	spin_lock_irqsave(&held_lock, flags);
	held = find_held(uid);
	held->policies--;
	all_policies--;
	user_policies -= !is_root(uid);
	forget_held(held);
	spin_unlock_irqrestore(&held_lock, flags);
}

/* So many percent of the colors, but enough for one program of the line. */
static unsigned long share(unsigned long percent, const struct page_color_hold *hold)
{
	unsigned long all = bitmap_weight(page_color_map.exists, PAGE_COLOR_MAX);

	return max(all * percent / 100, (unsigned long)hold->first);
}

/* Whether so many colors more are within the limits; under held_lock. */
static bool may_hold(const struct page_color_hold *hold, const struct page_color_held *held,
		     unsigned int n)
{
	if (hold->most)
		return hold->line->held + n <= hold->most;
	if (is_root(hold->uid))
		return true;
	return held->colors + n <= share(READ_ONCE(page_color_limits.user_share), hold) &&
	       user_colors + n <= share(READ_ONCE(page_color_limits.users_share), hold);
}

/* It holds @n colors more, or fewer; under held_lock. */
static void add_colors(struct page_color_hold *hold, struct page_color_held *held, int n)
{
	hold->colors += n;
	if (hold->most) {
		hold->line->held += n;
		return;
	}
	held->colors += n;
	if (!is_root(hold->uid))
		user_colors += n;
}

/* @n more, if there may be @asked more. */
static int hold_more(struct page_color_hold *hold, unsigned int n, unsigned int asked)
{
	struct page_color_held *held = lock_held(hold->uid);
	bool yes;

	if (!held) {
		spin_unlock_irq(&held_lock);
		return -ENOMEM;
	}
	yes = may_hold(hold, held, asked);
	if (yes)
		add_colors(hold, held, n);
	forget_held(held);
	spin_unlock_irq(&held_lock);
	if (yes)
		return 0;
	atomic_long_inc(&page_color_limited[PAGE_COLOR_LIMITED_COLORS]);
	return -EAGAIN;
}

/**
 * page_color_hold_more - a program is to hold more colors
 * @hold: of the program
 * @n: how many more
 *
 * They are counted from now on: page_color_hold_join() follows with the policy that has
 * them, or page_color_hold_count() without one.
 *
 * Return: 0 or an error: -EAGAIN at a limit, -ENOMEM.
 */
int page_color_hold_more(struct page_color_hold *hold, unsigned int n)
{
	return hold_more(hold, n, n);
}

/**
 * page_color_hold_move - a program is to hold others, as it has moved
 * @hold: of the program
 * @n: how many
 *
 * Those that it had are counted until its last task has left them. So it may pass a limit,
 * but only who is within it: not by one such move after the other.
 *
 * Return: as page_color_hold_more().
 */
int page_color_hold_move(struct page_color_hold *hold, unsigned int n)
{
	return hold_more(hold, n, 0);
}

/* Count what its policies have together; under held_lock. */
static void count_colors(struct page_color_hold *hold)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX) = {};
	const struct page_color_policy *policy;
	struct page_color_held *held;
	int n;

	list_for_each_entry(policy, &hold->policies, of_hold)
		bitmap_or(colors, colors, policy->set.some[0], PAGE_COLOR_MAX);
	n = bitmap_weight(colors, PAGE_COLOR_MAX) - hold->colors;
	if (!n)
		return;
	held = find_held(hold->uid);
	add_colors(hold, held, n);
	if (held)
		forget_held(held);
}

/**
 * page_color_hold_count - count anew what a program holds
 * @hold: of the program
 *
 * Context: any.
 */
void page_color_hold_count(struct page_color_hold *hold)
{
	unsigned long flags;

	spin_lock_irqsave(&held_lock, flags);
	count_colors(hold);
	spin_unlock_irqrestore(&held_lock, flags);
}

/**
 * page_color_hold_join - a program has a policy more
 * @hold: of the program, with a reference that is taken over
 * @policy: the policy, which nobody else sees yet
 */
void page_color_hold_join(struct page_color_hold *hold, struct page_color_policy *policy)
{
	unsigned long flags;

	policy->hold = hold;
	spin_lock_irqsave(&held_lock, flags);
	list_add(&policy->of_hold, &hold->policies);
	count_colors(hold);
	spin_unlock_irqrestore(&held_lock, flags);
}

/**
 * page_color_hold_leave - a policy is gone
 * @policy: of a program or not
 *
 * Context: any.
 */
void page_color_hold_leave(struct page_color_policy *policy)
{
	unsigned long flags;

	if (!policy->hold)
		return;
	spin_lock_irqsave(&held_lock, flags);
	list_del(&policy->of_hold);
	count_colors(policy->hold);
	spin_unlock_irqrestore(&held_lock, flags);
	page_color_hold_put(policy->hold);
}

/**
 * page_color_hold_create - what a program that is to be executed may hold
 * @line: that it was registered by
 * @uid: of its user
 * @first: how many colors it begins with, which are held from now on
 * @most: how many the programs of the line may hold together, 0 for a share
 *
 * Return: it, with one reference, or an error as page_color_hold_more().
 */
struct page_color_hold *page_color_hold_create(struct page_color_line *line,
					       kuid_t uid, unsigned int first,
					       unsigned int most)
{
	struct page_color_hold *hold = kzalloc(sizeof(*hold), GFP_KERNEL);
	int err;

	if (!hold)
		return ERR_PTR(-ENOMEM);
	refcount_set(&hold->ref, 1);
	hold->line = line;
	hold->uid = uid;
	hold->first = first;
	hold->most = most;
	INIT_LIST_HEAD(&hold->policies);
	err = page_color_hold_more(hold, first);
	if (err) {
		kfree(hold);
		return ERR_PTR(err);
	}
	refcount_inc(&line->ref);
	return hold;
}

/**
 * page_color_hold_put - a reference to what a program holds is gone
 * @hold: of the program
 *
 * Context: any.
 */
void page_color_hold_put(struct page_color_hold *hold)
{
	if (!refcount_dec_and_test(&hold->ref))
		return;
	/* It may never have got the colors that were counted for it. */
	page_color_hold_count(hold);
	page_color_line_put(hold->line);
	kfree(hold);
}

static DECLARE_WAIT_QUEUE_HEAD(migration_wait);
atomic_long_t page_color_migrating_max;

static bool try_migration(struct page_color_held *held)
{
	unsigned long flags;
	bool yes;

	spin_lock_irqsave(&held_lock, flags);
	yes = is_root(held->uid) || held->migrating < MIGRATIONS;
	if (yes)
		held->migrating++;
	if (atomic_long_read(&page_color_migrating_max) < held->migrating &&
	    !is_root(held->uid))
		atomic_long_set(&page_color_migrating_max, held->migrating);
	spin_unlock_irqrestore(&held_lock, flags);
	return yes;
}

static void leave_migration(struct page_color_held *held, bool moved)
{
	spin_lock_irq(&held_lock);
	held->migrating -= moved;
	held->in_migration--;
	forget_held(held);
	spin_unlock_irq(&held_lock);
	wake_up_all(&migration_wait);
}

/**
 * page_color_migration_begin - the current task is to move a batch of pages
 *
 * Waits for others of the same user if they move as many as it may: pages on the
 * move keep reclaim waiting. Users do not wait for each other.
 *
 * Return: for page_color_migration_end(), or an error: -EINTR if the task is to
 * be killed, -ENOMEM.
 */
struct page_color_held *page_color_migration_begin(void)
{
	struct page_color_held *held = lock_held(page_color_user());

	if (!held) {
		spin_unlock_irq(&held_lock);
		return ERR_PTR(-ENOMEM);
	}
	held->in_migration++;
	spin_unlock_irq(&held_lock);
	if (!wait_event_killable(migration_wait, try_migration(held)))
		return held;
	leave_migration(held, false);
	return ERR_PTR(-EINTR);
}

/**
 * page_color_migration_end - a batch of pages was moved
 * @held: what page_color_migration_begin() returned
 */
void page_color_migration_end(struct page_color_held *held)
{
	leave_migration(held, true);
}
