// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folders of cgroups: who may change and see them, and what they set. A folder can be given to a user (chown), who makes folders
 * in it for cgroups below its own and sets their budgets, not its own: what these use counts for it as well.
 */
#include <linux/capability.h>
#include <linux/configfs.h>
#include <linux/cred.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "files.h"
#include "memguard.h"

struct folder {
	struct config_group group;
	struct mg_group of;
};

static struct folder *folder_of(struct config_item *item)
{
	return container_of(to_config_group(item), struct folder, group);
}

/* The folder's group, or that of the next folder above that has a cgroup. Under mg_mutex. */
static struct cgroup *above(struct config_item *item)
{
	for (item = item->ci_parent; item && item->ci_type != &mg_groups_type; item = item->ci_parent)
		if (folder_of(item)->of.cgroup)
			return folder_of(item)->of.cgroup;
	return NULL;
}

/* Whose folder it is. */
static bool is_own(struct config_item *item)
{
	return item->ci_dentry && uid_eq(current_fsuid(), d_inode(item->ci_dentry)->i_uid);
}

/* A folder is changed by who may configure the machine, and whose a folder above is. */
static bool may_change(struct config_item *item)
{
	if (capable(CAP_SYS_ADMIN))
		return true;
	for (item = item->ci_parent; item && item->ci_type != &mg_groups_type; item = item->ci_parent)
		if (is_own(item))
			return true;
	return false;
}

/* How much others use is nobody's business: it tells what they do. */
static bool may_look(struct config_item *item)
{
	return is_own(item) || may_change(item);
}

static ssize_t group_cgroup_show(struct config_item *item, char *page)
{
	struct mg_group *group = &folder_of(item)->of;
	int length = 0;

	if (!may_look(item))
		return -EACCES;
	mutex_lock(&mg_mutex);
	if (group->cgroup)
		length = cgroup_path(group->cgroup, page, PAGE_SIZE - 1);
	mutex_unlock(&mg_mutex);
	if (length < 0)
		return length;
	page[length] = '\n';
	return length + 1;
}

static ssize_t group_cgroup_store(struct config_item *item, const char *page, size_t size)
{
	struct cgroup *cgroup, *top;
	char *path;
	int error;

	if (!may_change(item))
		return -EPERM;
	path = kstrndup(page, size, GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	cgroup = cgroup_get_from_path(strim(path));
	if (IS_ERR(cgroup)) {
		pr_notice_ratelimited("cgroup: '%s' is none: give a path below the mount of cgroup2, which begins with /\n", strim(path));
		kfree(path);
		return PTR_ERR(cgroup);
	}
	mutex_lock(&mg_mutex);
	top = above(item);
	/* Without one above only who may configure the machine chooses any. */
	error = top ? !cgroup_is_descendant(cgroup, top) : !capable(CAP_SYS_ADMIN);
	error = error ? -EPERM : mg_group_bind(&folder_of(item)->of, cgroup);
	mutex_unlock(&mg_mutex);
	if (error) {
		cgroup_put(cgroup);
		pr_notice_ratelimited("cgroup: '%s' %s\n", strim(path), error == -EEXIST ? "has a folder already" :
			  error == -EPERM ? "is not below that of the folder above" : "cannot be watched");
	}
	kfree(path);
	return error ?: size;
}

static ssize_t group_budget_show(struct config_item *item, char *page)
{
	u64 budget = READ_ONCE(folder_of(item)->of.budget);

	return budget == U64_MAX ? sysfs_emit(page, "none\n") : sysfs_emit(page, "%llu\n", budget);
}

static ssize_t group_budget_store(struct config_item *item, const char *page, size_t size)
{
	u64 value = U64_MAX;
	int error = !may_change(item) ? -EPERM : sysfs_streq(page, "none") ? 0 : mg_number(page, size, 1, S64_MAX >> 16, &value, "budget, which may be none");

	if (error)
		return error;
	WRITE_ONCE(folder_of(item)->of.budget, value);
	return size;
}

static ssize_t group_stat_show(struct config_item *item, char *page)
{
	struct mg_group *g = &folder_of(item)->of;
	u64 periods, total, exhausted, over, overshoot;

	if (!may_look(item))
		return -EACCES;
	raw_spin_lock_irq(&g->lock);
	periods = g->periods;
	total = g->total;
	exhausted = g->exhaustions;
	over = g->over;
	overshoot = g->overshoot;
	raw_spin_unlock_irq(&g->lock);
	return sysfs_emit(page, "periods %llu\nused %llu\nexhausted %llu\nover %llu\novershoot %llu\nsleeps %lu\n",
			  periods, total, exhausted, over, overshoot, atomic_long_read(&g->sleeps));
}

/* configfs gives new files to root: who may is asked above. */
#define GROUP_ATTR(_name, _mode, _store)					\
static struct configfs_attribute group_attr_##_name = {				\
	.ca_name = __stringify(_name),						\
	.ca_mode = _mode,							\
	.ca_owner = THIS_MODULE,						\
	.show = group_##_name##_show,						\
	.store = _store,							\
}
GROUP_ATTR(cgroup, 0666, group_cgroup_store);
GROUP_ATTR(budget, 0666, group_budget_store);
GROUP_ATTR(stat, 0444, NULL);
static struct configfs_attribute *group_attrs[] = { &group_attr_cgroup, &group_attr_budget, &group_attr_stat, NULL };

static void group_release(struct config_item *item)
{
	struct folder *folder = folder_of(item);

	mutex_lock(&mg_mutex);
	mg_group_unbind(&folder->of);
	mutex_unlock(&mg_mutex);
	kfree(folder);
}

static struct configfs_item_operations group_ops = { .release = group_release };
static struct config_group *make_folder(struct config_group *parent, const char *name);
static struct configfs_group_operations group_makes = { .make_group = make_folder };
static const struct config_item_type group_type = {
	.ct_item_ops = &group_ops, .ct_group_ops = &group_makes, .ct_attrs = group_attrs, .ct_owner = THIS_MODULE,
};

static struct config_group *make_folder(struct config_group *parent, const char *name)
{
	struct folder *folder = kzalloc(sizeof(*folder), GFP_KERNEL);

	if (!folder)
		return ERR_PTR(-ENOMEM);
	mg_group_init(&folder->of);
	config_group_init_type_name(&folder->group, name, &group_type);
	return &folder->group;
}

const struct config_item_type mg_groups_type = { .ct_group_ops = &group_makes, .ct_owner = THIS_MODULE };
