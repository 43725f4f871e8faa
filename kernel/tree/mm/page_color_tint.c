// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: calls by mmap(), one per color, as TintMalloc and CAMC have.
 *
 * Banks and parts of the last level cache are numbered apart: some functions of
 * the map are the cache's, the others are those of memory controllers and
 * banks. A thread that has chosen of both gets pages that match both; of one of
 * them, pages that match it: see PAGE_COLOR_USING_BANK.
 */
#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/kobject.h>
#include <linux/mman.h>
#include <linux/page_color.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "page_color.h"
#include "page_color_held.h"

/* Bits of a color that are parts of the cache; under page_color_mutex. */
static unsigned long cache_bits;

/**
 * page_color_forget_cache_bits - there is another map
 *
 * Context: under page_color_mutex.
 */
void page_color_forget_cache_bits(void)
{
	WRITE_ONCE(cache_bits, 0);
}

static ssize_t cache_bits_show(struct kobject *kobj, struct kobj_attribute *attr,
			       char *buf)
{
	unsigned long bits = READ_ONCE(cache_bits);

	return sysfs_emit(buf, "%*pbl\n", CONFIG_PAGE_COLOR_BITS, &bits);
}

static ssize_t cache_bits_store(struct kobject *kobj, struct kobj_attribute *attr,
				const char *buf, size_t count)
{
	unsigned long bits;
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = bitmap_parselist(buf, &bits, CONFIG_PAGE_COLOR_BITS);
	if (err)
		return err;
	mutex_lock(&page_color_mutex);
	if (page_color_enabled())
		err = -EBUSY;
	else if (bits >= page_color_nr(&page_color_map))
		err = -EINVAL;
	else
		WRITE_ONCE(cache_bits, bits);
	mutex_unlock(&page_color_mutex);
	page_color_audit("cache_bits", buf, err);
	return err ?: count;
}

struct kobj_attribute page_color_cache_bits_attr = __ATTR_RW(cache_bits);

/**
 * struct choice - what a thread has chosen, and what it will have
 * @bits: per kind, the bits of a color that number it
 * @using: kinds that it has chosen of
 * @had: per kind, what was chosen
 * @colors: the colors that match all
 */
struct choice {
	unsigned long bits[3];
	unsigned int using;
	DECLARE_BITMAP(had[3], PAGE_COLOR_MAX);
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
};

#define WHOLE	FIELD_GET(PAGE_COLOR_KIND, PAGE_COLOR_WHOLE)
#define BANK	FIELD_GET(PAGE_COLOR_KIND, PAGE_COLOR_BANK)
#define LLC	FIELD_GET(PAGE_COLOR_KIND, PAGE_COLOR_LLC)
#define KINDS	3

static void init_bits(unsigned long *bits)
{
	unsigned long all = page_color_nr(&page_color_map) - 1;

	bits[WHOLE] = all;
	bits[LLC] = READ_ONCE(cache_bits) & all;
	bits[BANK] = all & ~bits[LLC];
}

/* How many colors of a kind there are; none of one that no function is of. */
static unsigned int nr_of_kind(unsigned long bits)
{
	return bits ? 1U << hweight_long(bits) : 0;
}

/* The number that some bits of a color are, pushed together. */
static unsigned int part_of(unsigned int color, unsigned long bits)
{
	unsigned int bit, n = 0, part = 0;

	for_each_set_bit(bit, &bits, CONFIG_PAGE_COLOR_BITS)
		part |= (color >> bit & 1) << n++;
	return part;
}

/* What the thread has chosen until now. */
static unsigned int init_choice(struct choice *choice)
{
	const struct page_color_policy *policy;
	unsigned int flags = 0, c, kind;

	lockdep_assert_held(&page_color_tasks_mutex);
	init_bits(choice->bits);
	rcu_read_lock();
	policy = rcu_dereference(current->page_color);
	if (policy && policy->flags & PAGE_COLOR_OWN &&
	    !(policy->flags & PAGE_COLOR_PROGRAM)) {
		flags = policy->asked_flags;
		if (flags & PAGE_COLOR_USING_BANK)
			choice->using |= BIT(BANK);
		if (flags & PAGE_COLOR_USING_LLC)
			choice->using |= BIT(LLC);
		if (!choice->using)
			choice->using = BIT(WHOLE);
		for_each_set_bit(c, policy->asked, page_color_nr(&page_color_map)) {
			for (kind = 0; kind < KINDS; kind++)
				__set_bit(part_of(c, choice->bits[kind]),
					  choice->had[kind]);
		}
	}
	rcu_read_unlock();
	return flags;
}

/* Colors that match what is chosen of each kind. */
static void match_choice(struct choice *choice)
{
	unsigned int c, kind;

	for (c = 0; c < page_color_nr(&page_color_map); c++) {
		for (kind = 0; kind < KINDS; kind++) {
			if (choice->using & BIT(kind) &&
			    !test_bit(part_of(c, choice->bits[kind]),
				      choice->had[kind]))
				break;
		}
		if (kind == KINDS)
			__set_bit(c, choice->colors);
	}
}

/* Make the change of one call; 0 or an error. */
static int change_choice(struct choice *choice, unsigned long action,
			 unsigned int kind, unsigned int number)
{
	bool used = choice->using & BIT(kind);

	if (action == PAGE_COLOR_CLEAR) {
		choice->using &= kind == WHOLE ? 0 : ~BIT(kind);
		return number ? -EINVAL : 0;
	}
	/* Colors of the map are not chosen of together with the other kinds. */
	choice->using &= kind == WHOLE ? BIT(WHOLE) : ~BIT(WHOLE);
	if (number >= nr_of_kind(choice->bits[kind]))
		return -EINVAL;
	if (action == PAGE_COLOR_REMOVE) {
		if (!used || !test_bit(number, choice->had[kind]))
			return -ENODATA;
		/* No color is not any color: that is said by PAGE_COLOR_CLEAR. */
		__clear_bit(number, choice->had[kind]);
		return bitmap_empty(choice->had[kind], PAGE_COLOR_MAX) ? -EINVAL : 0;
	}
	if (action == PAGE_COLOR_SET || !used)
		bitmap_zero(choice->had[kind], PAGE_COLOR_MAX);
	__set_bit(number, choice->had[kind]);
	choice->using |= BIT(kind);
	return 0;
}

static long choose(unsigned long action, unsigned int kind, unsigned int number,
		   unsigned int flags)
{
	struct choice *choice = kzalloc(sizeof(*choice), GFP_KERNEL);
	unsigned int had;
	long err;

	if (!choice)
		return -ENOMEM;
	mutex_lock(&page_color_tasks_mutex);
	had = init_choice(choice);
	err = change_choice(choice, action, kind, number);
	if (err)
		goto out;
	if (action == PAGE_COLOR_CLEAR)
		flags = had & (PAGE_COLOR_STRICT | PAGE_COLOR_PRIVATE);
	if (choice->using & BIT(BANK))
		flags |= PAGE_COLOR_USING_BANK;
	if (choice->using & BIT(LLC))
		flags |= PAGE_COLOR_USING_LLC;
	match_choice(choice);
	if (choice->using)
		err = page_color_choose(choice->colors, flags);
	else
		page_color_choose_none();
out:
	mutex_unlock(&page_color_tasks_mutex);
	kfree(choice);
	return err;
}

/**
 * page_color_mmap - mmap() of no bytes with PAGE_COLOR_PROT
 * @arg: the call, see include/uapi/linux/page_color.h
 * @prot: the protection
 * @flags: MAP_PRIVATE | MAP_ANONYMOUS
 * @pgoff: 0
 *
 * Return: what the call says, or an error: -EINVAL for what is not known,
 * -EOPNOTSUPP while page coloring is switched off, and as prctl() has.
 */
long page_color_mmap(unsigned long arg, unsigned long prot, unsigned long flags,
		     unsigned long pgoff)
{
	unsigned long known = PAGE_COLOR_NUMBER | PAGE_COLOR_KIND | PAGE_COLOR_ACTION;
	unsigned long action = arg & PAGE_COLOR_ACTION;
	unsigned int kind = FIELD_GET(PAGE_COLOR_KIND, arg);
	unsigned int number = arg & PAGE_COLOR_NUMBER;
	unsigned long bits[KINDS];
	unsigned int with = 0;

	if (action == PAGE_COLOR_SET || action == PAGE_COLOR_ADD ||
	    action == PAGE_COLOR_REMOVE || (action == PAGE_COLOR_USER && number))
		known |= PAGE_COLOR_CALL_STRICT | PAGE_COLOR_CALL_PRIVATE;
	if (arg & ~known || kind >= KINDS || pgoff ||
	    flags != (MAP_PRIVATE | MAP_ANONYMOUS) ||
	    prot & ~(PROT_READ | PROT_WRITE | PROT_EXEC | PAGE_COLOR_PROT))
		return -EINVAL;
	if (arg & PAGE_COLOR_CALL_STRICT)
		with |= PAGE_COLOR_STRICT;
	if (arg & PAGE_COLOR_CALL_PRIVATE)
		with |= PAGE_COLOR_PRIVATE;
	if (action == PAGE_COLOR_VERSION)
		return arg & ~PAGE_COLOR_ACTION ? -EINVAL : PAGE_COLOR_CALLS_VERSION;
	if (!page_color_enabled())
		return action && action <= PAGE_COLOR_USER ? -EOPNOTSUPP : -EINVAL;

	switch (action) {
	case PAGE_COLOR_COUNT:
		if (number)
			return -EINVAL;
		init_bits(bits);
		return nr_of_kind(bits[kind]);
	case PAGE_COLOR_SET:
	case PAGE_COLOR_ADD:
	case PAGE_COLOR_REMOVE:
	case PAGE_COLOR_CLEAR:
		return choose(action, kind, number, with);
	case PAGE_COLOR_USER:
		return kind ? -EINVAL : page_color_register_user(number, with);
	}
	return -EINVAL;
}
