// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: prctl(PR_PAGE_COLOR, ...).
 */
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/prctl.h>
#include <linux/uaccess.h>
#include "internal.h"
#include "page_color.h"

/* Colors in calls are 64-bit words, whatever a long is. */
#define WORDS	BITS_TO_U64(PAGE_COLOR_MAX)

/* Larger bitmaps than this kernel knows may not name colors that it does not. */
static long set_colors(const u64 __user *user, unsigned long size,
		       unsigned long flags)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	u64 words[WORDS] = {};
	long err;

	if (flags & ~(PAGE_COLOR_STRICT | PAGE_COLOR_PRIVATE))
		return -EINVAL;
	if (!size || size % sizeof(u64))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(words, sizeof(words), user, size);
	if (err)
		return err;
	/* Of fewer than 64 colors a word has bits to spare. */
	if (PAGE_COLOR_MAX < 64 && words[0] >> (PAGE_COLOR_MAX % 64))
		return -E2BIG;
	bitmap_from_arr64(colors, words, PAGE_COLOR_MAX);
	mutex_lock(&page_color_tasks_mutex);
	err = page_color_choose(colors, flags);
	mutex_unlock(&page_color_tasks_mutex);
	return err;
}

/* Back to what the group has. */
static long clear_colors(void)
{
	mutex_lock(&page_color_tasks_mutex);
	page_color_choose_none();
	mutex_unlock(&page_color_tasks_mutex);
	return 0;
}

/*
 * Returns the flags, or -ENODATA without a policy. What the bitmap has more than
 * this kernel's colors is cleared; it may have less if no color is lost.
 */
static long get_colors(u64 __user *user, unsigned long size)
{
	struct page_color_policy *policy;
	u64 words[WORDS];
	long flags = -ENODATA;
	size_t known;

	if (!size || size % sizeof(u64))
		return -EINVAL;
	/* What is cleared in one go. */
	if (size > PAGE_SIZE)
		return -E2BIG;
	known = min(size, sizeof(words));
	rcu_read_lock();
	policy = rcu_dereference(current->page_color);
	if (policy) {
		bitmap_to_arr64(words, policy->set.some[0], PAGE_COLOR_MAX);
		flags = policy->flags & (PAGE_COLOR_STRICT | PAGE_COLOR_PRIVATE);
	}
	rcu_read_unlock();
	if (flags < 0)
		return flags;
	if (memchr_inv((char *)words + known, 0, sizeof(words) - known))
		return -EINVAL;
	if (copy_to_user(user, words, known) ||
	    clear_user((char __user *)user + known, size - known))
		return -EFAULT;
	return flags;
}

/**
 * page_color_prctl - prctl(PR_PAGE_COLOR, ...)
 * @op: PR_PAGE_COLOR_*
 * @arg3: see Documentation/admin-guide/mm/page_color.rst
 * @arg4: as well
 * @arg5: as well
 *
 * Return: what @op says, or an error: -EINVAL for what is not known or not
 * zero, -EOPNOTSUPP while page coloring is switched off.
 */
long page_color_prctl(unsigned long op, unsigned long arg3, unsigned long arg4,
		      unsigned long arg5)
{
	if (op != PR_PAGE_COLOR_SET && arg5)
		return -EINVAL;
	if ((op == PR_PAGE_COLOR_AHEAD || op == PR_PAGE_COLOR_RESERVE) && arg4)
		return -EINVAL;
	if (op == PR_PAGE_COLOR_CLEAR || op == PR_PAGE_COLOR_COUNT) {
		if (arg3 || arg4)
			return -EINVAL;
	}
	if (!page_color_enabled())
		return op <= PR_PAGE_COLOR_RESERVE ? -EOPNOTSUPP : -EINVAL;

	switch (op) {
	case PR_PAGE_COLOR_COUNT:
		return page_color_nr(&page_color_map);
	case PR_PAGE_COLOR_SET:
		return set_colors((const u64 __user *)arg3, arg4, arg5);
	case PR_PAGE_COLOR_GET:
		return get_colors((u64 __user *)arg3, arg4);
	case PR_PAGE_COLOR_CLEAR:
		return clear_colors();
	case PR_PAGE_COLOR_MIGRATE:
		return page_color_recolor_range(arg3, arg4);
	case PR_PAGE_COLOR_AHEAD:
		return page_color_ahead_set(arg3);
	case PR_PAGE_COLOR_RESERVE:
		return page_color_reserve_set(arg3);
	}
	return -EINVAL;
}
