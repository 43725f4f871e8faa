// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: colors at exec, for programs that are registered.
 *
 * Nothing here waits for others that are executed: lines are read under RCU, and
 * no lock is held while colors are claimed, which sorts free pages.
 */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/namei.h>
#include <linux/page_color.h>
#include <linux/path.h>
#include <linux/sched/task.h>
#include "page_color.h"
#include "page_color_held.h"

/*
 * Does the path name this file for init, too? The path is that in the mount
 * namespace of the file. Whoever may have one of his own mounts what he likes at
 * any path of it. Services that have one by their administrator find the file in
 * the same place as init.
 */
static bool is_file_of_init(const char *name, const struct path *file)
{
	struct path root, found;
	bool same;
	int err;

	task_lock(&init_task);
	get_fs_root(init_task.fs, &root);
	task_unlock(&init_task);
	err = vfs_path_lookup(root.dentry, root.mnt, name, LOOKUP_NO_SYMLINKS, &found);
	path_put(&root);
	if (err)
		return false;
	same = d_backing_inode(found.dentry) == d_backing_inode(file->dentry);
	path_put(&found);
	return same;
}

/*
 * The line of a program that the current user executes, with a reference; NULL if
 * it is not registered.
 */
static struct page_color_line *line_of(const struct path *file,
				       struct page_color_wish *wish)
{
	struct page_color_line *line = NULL;
	char *buffer, *name;

	buffer = __getname();
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	/* From the root of the mounts: nobody makes a path by chroot(). */
	name = d_absolute_path(file, buffer, PATH_MAX);
	if (!IS_ERR(name))
		line = page_color_line_of(current_uid(), name, wish);
	if (line && !is_file_of_init(name, file)) {
		page_color_line_put(line);
		line = NULL;
	}
	__putname(buffer);
	return line;
}

/* What the line wishes. With colors rather than not at all, unless strict. */
static struct page_color_policy *policy_of(struct page_color_line *line,
					   const struct page_color_wish *wish)
{
	bool strict = wish->flags & PAGE_COLOR_STRICT;
	struct page_color_policy *policy;

	policy = page_color_program_policy(line, wish);
	page_color_line_count(line, !IS_ERR(policy));
	if (IS_ERR(policy))
		return strict ? policy : NULL;
	/* Just so without what was to be reserved. */
	if (wish->reserve && page_color_reserve_pages(policy, wish->reserve) && strict) {
		page_color_policy_put(policy);
		return ERR_PTR(-EAGAIN);
	}
	page_color_ahead_fill(policy, wish->ahead);
	return policy;
}

/**
 * page_color_exec - colors of the program that is to be executed
 * @bprm: its file and its mm, which nobody uses yet
 *
 * The task gets them in page_color_exec_done(), when exec cannot fail any more.
 *
 * Return: 0 or an error: -EAGAIN if it must have colors and there are none
 * that nobody has, or not the pages that are to be reserved, or it is at a limit,
 * -ENOMEM.
 */
int page_color_exec(struct linux_binprm *bprm)
{
	struct page_color_policy *policy = NULL;
	struct page_color_line *line = NULL;
	struct page_color_wish wish;

	if (!page_color_enabled())
		return 0;
	if (!page_color_no_lines())
		line = line_of(&bprm->file->f_path, &wish);
	if (IS_ERR(line))
		return PTR_ERR(line);
	if (line) {
		policy = policy_of(line, &wish);
		page_color_line_put(line);
	}
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	page_color_exec_mm(bprm->mm, policy);
	return 0;
}
