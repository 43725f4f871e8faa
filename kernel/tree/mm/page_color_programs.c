// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: programs that get colours of their own at exec.
 *
 * An administrator registers a user and a pattern of paths. A program that the
 * user starts and whose path matches gets colours that no other task has, on
 * its node, and more of them when these are used up. It gives them back when
 * its last task exits. See Documentation/admin-guide/mm/page_color.rst.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/binfmts.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/page_color.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "page_color.h"

/* Of a line that is written, and so of a pattern. */
#define MAX_LINE	1024
/* As many colours as a program may be registered for. */
#define MAX_COLORS	127

/**
 * struct program - what is registered
 * @node: in programs
 * @uid: the user
 * @colors: how many colours it starts with
 * @flags: PAGE_COLOR_STRICT, PAGE_COLOR_PRIVATE
 * @ahead: how many pages are allocated ahead for it
 * @reserve: how many are reserved for it
 * @started: how often one got colours
 * @refused: how often there were not enough
 * @pattern: of paths, for glob_match()
 */
struct program {
	struct list_head node;
	kuid_t uid;
	unsigned int colors;
	unsigned int flags;
	unsigned int ahead;
	unsigned int reserve;
	unsigned long started;
	unsigned long refused;
	char pattern[];
};

/* Under programs_mutex. */
static LIST_HEAD(programs);
static DEFINE_MUTEX(programs_mutex);

static struct program *find_program(kuid_t uid, const char *pattern)
{
	struct program *p;

	list_for_each_entry(p, &programs, node) {
		if (uid_eq(p->uid, uid) && !strcmp(p->pattern, pattern))
			return p;
	}
	return NULL;
}

/* The first that was registered for this user and path. */
static struct program *match_program(kuid_t uid, const char *path)
{
	struct program *p;

	list_for_each_entry(p, &programs, node) {
		if (uid_eq(p->uid, uid) && glob_match(p->pattern, path))
			return p;
	}
	return NULL;
}

static int parse_option(struct program *p, const char *word)
{
	if (!strncmp(word, "colors=", 7)) {
		if (kstrtouint(word + 7, 0, &p->colors) ||
		    !p->colors || p->colors > MAX_COLORS)
			return -EINVAL;
	} else if (!strncmp(word, "ahead=", 6)) {
		if (kstrtouint(word + 6, 0, &p->ahead) ||
		    p->ahead > PAGE_COLOR_AHEAD_MAX)
			return -EINVAL;
	} else if (!strncmp(word, "reserve=", 8)) {
		if (kstrtouint(word + 8, 0, &p->reserve))
			return -EINVAL;
	} else if (!strcmp(word, "strict")) {
		p->flags |= PAGE_COLOR_STRICT;
	} else if (!strcmp(word, "private")) {
		p->flags |= PAGE_COLOR_PRIVATE;
	} else {
		return -EINVAL;
	}
	return 0;
}

/* UID PATTERN [colors=N] [strict] [private] [ahead=N] [reserve=N] */
static int add_program(kuid_t uid, const char *pattern, char *options)
{
	struct program *p, *old;
	char *word;
	int err;

	if (*pattern != '/')
		return -EINVAL;
	p = kzalloc(struct_size(p, pattern, strlen(pattern) + 1), GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	p->uid = uid;
	p->colors = 1;
	memcpy(p->pattern, pattern, strlen(pattern) + 1);
	while ((word = strsep(&options, " \t\n"))) {
		err = *word ? parse_option(p, word) : 0;
		if (err) {
			kfree(p);
			return err;
		}
	}
	mutex_lock(&programs_mutex);
	old = find_program(uid, pattern);
	if (old) {
		old->colors = p->colors;
		old->flags = p->flags;
		old->ahead = p->ahead;
		old->reserve = p->reserve;
		kfree(p);
	} else {
		list_add_tail(&p->node, &programs);
	}
	mutex_unlock(&programs_mutex);
	return 0;
}

static int remove_program(kuid_t uid, const char *pattern)
{
	struct program *p;

	mutex_lock(&programs_mutex);
	p = find_program(uid, pattern);
	if (p) {
		list_del(&p->node);
		kfree(p);
	}
	mutex_unlock(&programs_mutex);
	return p ? 0 : -ENOENT;
}

#ifdef CONFIG_PAGE_COLOR_TINT
/**
 * page_color_register_user - colours for all that the current user executes
 * @colors: how many for each program, 0 for none any more
 * @flags: PAGE_COLOR_STRICT, PAGE_COLOR_PRIVATE
 *
 * It is one line of /proc/page_color/programs.
 *
 * Return: 0 or an error: -EPERM, -EINVAL for a number that is too large,
 * -ENOENT if there is nothing to remove, -ENOMEM.
 */
int page_color_register_user(unsigned int colors, unsigned int flags)
{
	char options[48];

	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	if (!colors)
		return remove_program(current_uid(), "/*");
	snprintf(options, sizeof(options), "colors=%u%s%s", colors,
		 flags & PAGE_COLOR_STRICT ? " strict" : "",
		 flags & PAGE_COLOR_PRIVATE ? " private" : "");
	return add_program(current_uid(), "/*", options);
}
#endif

/* One line: a program to add, or after a '-' one to remove. */
static ssize_t programs_write(struct file *file, const char __user *user,
			      size_t count, loff_t *pos)
{
	char *text, *rest, *word, *pattern;
	bool remove;
	uid_t number;
	kuid_t uid;
	int err = -EINVAL;

	if (!file_ns_capable(file, &init_user_ns, CAP_SYS_NICE))
		return -EPERM;
	if (count > MAX_LINE)
		return -EINVAL;
	text = memdup_user_nul(user, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = strim(text);
	remove = *rest == '-';
	rest += remove;
	word = strsep(&rest, " \t");
	rest = rest ? skip_spaces(rest) : NULL;
	pattern = strsep(&rest, " \t");
	if (!pattern || !*pattern || kstrtouint(word, 10, &number))
		goto out;
	uid = make_kuid(&init_user_ns, number);
	if (!uid_valid(uid))
		goto out;
	if (!remove)
		err = add_program(uid, pattern, rest);
	else if (!rest)
		err = remove_program(uid, pattern);
out:
	kfree(text);
	return err ?: count;
}

static void *programs_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&programs_mutex);
	return seq_list_start(&programs, *pos);
}

static void *programs_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &programs, pos);
}

static void programs_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&programs_mutex);
}

static int programs_show(struct seq_file *m, void *v)
{
	struct program *p = list_entry(v, struct program, node);

	seq_printf(m, "%u %s colors=%u%s%s", from_kuid(&init_user_ns, p->uid),
		   p->pattern, p->colors,
		   p->flags & PAGE_COLOR_STRICT ? " strict" : "",
		   p->flags & PAGE_COLOR_PRIVATE ? " private" : "");
	if (p->ahead)
		seq_printf(m, " ahead=%u", p->ahead);
	if (p->reserve)
		seq_printf(m, " reserve=%u", p->reserve);
	seq_printf(m, " started=%lu refused=%lu\n", p->started, p->refused);
	return 0;
}

static const struct seq_operations programs_seq = {
	.start	= programs_start,
	.next	= programs_next,
	.stop	= programs_stop,
	.show	= programs_show,
};

static int programs_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &programs_seq);
}

static const struct proc_ops programs_ops = {
	.proc_open	= programs_open,
	.proc_read	= seq_read,
	.proc_write	= programs_write,
	.proc_lseek	= seq_lseek,
	.proc_release	= seq_release,
};

/* The next task with colours from number *@pos on, with a reference. */
static struct task_struct *next_task_from(loff_t *pos)
{
	struct task_struct *task = NULL;
	struct pid *pid;

	rcu_read_lock();
	while (*pos < PID_MAX_LIMIT && (pid = find_ge_pid(*pos, &init_pid_ns))) {
		*pos = pid_nr(pid);
		task = pid_task(pid, PIDTYPE_PID);
		if (task && rcu_access_pointer(task->page_color)) {
			get_task_struct(task);
			break;
		}
		task = NULL;
		++*pos;
	}
	rcu_read_unlock();
	return task;
}

static void *tasks_start(struct seq_file *m, loff_t *pos)
{
	return next_task_from(pos);
}

static void *tasks_next(struct seq_file *m, void *v, loff_t *pos)
{
	put_task_struct(v);
	++*pos;
	return next_task_from(pos);
}

static void tasks_stop(struct seq_file *m, void *v)
{
	if (v)
		put_task_struct(v);
}

/* PID TGID UID HOW NODE COLORS COMM */
static int tasks_show(struct seq_file *m, void *v)
{
	const struct page_color_policy *policy;
	struct task_struct *task = v;
	char comm[TASK_COMM_LEN];
	const char *how;

	rcu_read_lock();
	policy = rcu_dereference(task->page_color);
	if (policy) {
		if (policy->flags & PAGE_COLOR_PROGRAM)
			how = "program";
		else if (policy->flags & PAGE_COLOR_OWN)
			how = "thread";
		else
			how = "cgroup";
		seq_printf(m, "%d %d %u %s%s %d %*pbl %s\n", task_pid_nr(task),
			   task_tgid_nr(task),
			   from_kuid(&init_user_ns, task_uid(task)), how,
			   policy->flags & PAGE_COLOR_STRICT ? ",strict" : "",
			   policy->nid, (int)PAGE_COLOR_MAX, policy->set.some[0],
			   get_task_comm(comm, task));
	}
	rcu_read_unlock();
	return 0;
}

static const struct seq_operations tasks_seq = {
	.start	= tasks_start,
	.next	= tasks_next,
	.stop	= tasks_stop,
	.show	= tasks_show,
};

static int __init page_color_create_proc(void)
{
	struct proc_dir_entry *dir = proc_mkdir("page_color", NULL);

	if (!dir || !proc_create("programs", 0600, dir, &programs_ops) ||
	    !proc_create_seq("tasks", 0400, dir, &tasks_seq))
		pr_err("no files in /proc/page_color\n");
	return 0;
}
subsys_initcall(page_color_create_proc);

/*
 * Colours for a program of the current user, and how many pages it has ahead
 * and reserved; NULL if none is registered.
 */
static struct page_color_policy *claim_for(const char *path, unsigned int *ahead,
					   unsigned int *reserve)
{
	struct page_color_policy *policy = NULL;
	struct program *p;

	mutex_lock(&programs_mutex);
	p = match_program(current_uid(), path);
	if (p) {
		policy = page_color_program_policy(p->colors, p->flags);
		if (IS_ERR(policy))
			p->refused++;
		else
			p->started++;
		*ahead = p->ahead;
		*reserve = p->reserve;
		/* Without colours rather than not at all. */
		if (IS_ERR(policy) && !(p->flags & PAGE_COLOR_STRICT))
			policy = NULL;
	}
	mutex_unlock(&programs_mutex);
	return policy;
}

/**
 * page_color_exec - colours of the program that is to be executed
 * @bprm: its file and its mm, which nobody uses yet
 *
 * The task gets them in page_color_exec_done(), when exec cannot fail any more.
 *
 * Return: 0 or an error: -EAGAIN if it must have colours and there are none
 * that nobody has, or not the pages that are to be reserved, -ENOMEM.
 */
int page_color_exec(struct linux_binprm *bprm)
{
	struct page_color_policy *policy = NULL;
	unsigned int ahead = 0, reserve = 0;
	char *buffer, *path;

	if (!page_color_enabled())
		return 0;
	if (!list_empty(&programs)) {
		buffer = __getname();
		if (!buffer)
			return -ENOMEM;
		/* From the root of the mounts: nobody makes a path by chroot(). */
		path = d_absolute_path(&bprm->file->f_path, buffer, PATH_MAX);
		if (!IS_ERR(path))
			policy = claim_for(path, &ahead, &reserve);
		__putname(buffer);
		if (IS_ERR(policy))
			return PTR_ERR(policy);
	}
	/* Without what was reserved rather than not at all, as with colours. */
	if (policy && reserve && page_color_reserve_pages(policy, reserve) &&
	    policy->flags & PAGE_COLOR_STRICT) {
		page_color_policy_put(policy);
		return -EAGAIN;
	}
	if (policy)
		page_color_ahead_fill(policy, ahead);
	page_color_exec_mm(bprm->mm, policy);
	return 0;
}
