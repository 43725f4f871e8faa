// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: limits, and their files. What they are compared with is counted
 * in page_color_held.c and page_color_ahead.c.
 */
#include <linux/capability.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/sysfs.h>
#include "page_color.h"
#include "page_color_held.h"

/* Of the pages of the machine, one in so many may be ahead. */
#define AHEAD_SHARE	8

struct page_color_limits page_color_limits = {
	.policies = 16384,
	.user_policies = 1024,
	.user_share = 50,
	.users_share = 75,
};

#ifdef CONFIG_SYSFS
/* A limit that is a number of at most @_most. */
#define LIMIT_ATTR(_name, _most)					\
static ssize_t _name##_show(struct kobject *kobj,			\
			    struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%lu\n",					\
			  READ_ONCE(page_color_limits._name));		\
}									\
static ssize_t _name##_store(struct kobject *kobj,			\
			     struct kobj_attribute *attr,		\
			     const char *buf, size_t count)		\
{									\
	int err = set_limit(&page_color_limits._name, buf, _most);	\
									\
	page_color_audit("limits/" #_name, buf, err);			\
	return err ?: count;						\
}									\
static struct kobj_attribute _name##_attr = __ATTR_RW(_name)

static int set_limit(unsigned long *limit, const char *text, unsigned long most)
{
	unsigned long n;
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = kstrtoul(text, 0, &n);
	if (!err && n > most)
		err = -EINVAL;
	if (!err)
		WRITE_ONCE(*limit, n);
	return err;
}

LIMIT_ATTR(ahead, LONG_MAX);
LIMIT_ATTR(policies, INT_MAX);
LIMIT_ATTR(user_policies, INT_MAX);
LIMIT_ATTR(user_share, 100);
LIMIT_ATTR(users_share, 100);

static struct attribute *limit_attrs[] = {
	&ahead_attr.attr,
	&policies_attr.attr,
	&user_policies_attr.attr,
	&user_share_attr.attr,
	&users_share_attr.attr,
	NULL,
};

const struct attribute_group page_color_limits_group = {
	.name = "limits",
	.attrs = limit_attrs,
};
#endif

static int __init page_color_init_limits(void)
{
	page_color_limits.ahead = totalram_pages() / AHEAD_SHARE;
	return 0;
}
core_initcall(page_color_init_limits);
