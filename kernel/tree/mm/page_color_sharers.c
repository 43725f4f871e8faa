// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: who shares a color.
 *
 * Frames of a color are divided among the policies that name it and that a task or an
 * mm has. A cgroup whose colors nobody uses owns them, so that they are kept from
 * others, but no part of them is due to it: whoever may make cgroups would have as many
 * parts as it likes.
 */
#include <linux/atomic.h>
#include <linux/page_color.h>
#include <linux/spinlock.h>
#include "page_color.h"

/* Such policies per color; under sharers_lock. */
static unsigned int sharers[PAGE_COLOR_MAX];
static DEFINE_SPINLOCK(sharers_lock);

/**
 * page_color_sharers - how many policies of tasks and of mms name a color
 * @color: the color
 *
 * Return: the number, which changes at any time.
 */
unsigned int page_color_sharers(unsigned int color)
{
	return READ_ONCE(sharers[color]);
}

/* With sharers_lock. */
static void count_sharer(const struct page_color_policy *policy, int n)
{
	unsigned int c;

	if (!page_color_policy_owns(policy))
		return;
	for_each_set_bit(c, policy->set.some[0], PAGE_COLOR_MAX)
		WRITE_ONCE(sharers[c], sharers[c] + n);
}

/**
 * page_color_join - a task or an mm has a policy
 * @policy: the policy, with a reference, or NULL
 *
 * Context: any.
 */
void page_color_join(struct page_color_policy *policy)
{
	unsigned long flags;

	if (!policy || atomic_inc_not_zero(&policy->users))
		return;
	spin_lock_irqsave(&sharers_lock, flags);
	if (atomic_inc_return(&policy->users) == 1)
		count_sharer(policy, 1);
	spin_unlock_irqrestore(&sharers_lock, flags);
}

/**
 * page_color_leave - a task or an mm has a policy no more
 * @policy: the policy, whose reference it has still, or NULL
 *
 * Context: any.
 */
void page_color_leave(struct page_color_policy *policy)
{
	unsigned long flags;

	if (!policy || !atomic_dec_and_lock_irqsave(&policy->users, &sharers_lock, flags))
		return;
	count_sharer(policy, -1);
	spin_unlock_irqrestore(&sharers_lock, flags);
}
