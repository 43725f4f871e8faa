// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: limits, and their files. What they are compared with is counted
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
/* A file of a limit that is a number of at most @most. */
struct limit_attr {
	struct kobj_attribute file;
	unsigned long *limit;
	unsigned long most;
};

static struct limit_attr *to_limit(struct kobj_attribute *attr)
{
	return container_of(attr, struct limit_attr, file);
}

static ssize_t limit_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%lu\n", READ_ONCE(*to_limit(attr)->limit));
}

static ssize_t limit_store(struct kobject *kobj, struct kobj_attribute *attr,
			   const char *buf, size_t count)
{
	struct limit_attr *limit = to_limit(attr);
	unsigned long n;
	char what[32];
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = kstrtoul(buf, 0, &n);
	if (!err && n > limit->most)
		err = -EINVAL;
	if (!err)
		WRITE_ONCE(*limit->limit, n);
	snprintf(what, sizeof(what), "limits/%s", attr->attr.name);
	page_color_audit(what, buf, err);
	return err ?: count;
}

#define LIMIT_ATTR(_name, _limit, _most)				\
static struct limit_attr _name##_attr = {				\
	.file = __ATTR(_name, 0644, limit_show, limit_store),		\
	.limit = &page_color_limits._limit,				\
	.most = (_most),						\
}

LIMIT_ATTR(ahead, ahead, LONG_MAX);
LIMIT_ATTR(policies, policies, INT_MAX);
LIMIT_ATTR(user_policies, user_policies, INT_MAX);
LIMIT_ATTR(user_share, user_share, 100);
LIMIT_ATTR(users_share, users_share, 100);

static struct attribute *limit_attrs[] = {
	&ahead_attr.file.attr,
	&policies_attr.file.attr,
	&user_policies_attr.file.attr,
	&user_share_attr.file.attr,
	&users_share_attr.file.attr,
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
