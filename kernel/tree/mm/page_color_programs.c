// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: programs that get colors of their own at exec.
 *
 * An administrator registers a user and a pattern of paths. A program that the
 * user starts and whose path matches gets colors that no other task has, on
 * its node, and more of them when these are used up. It gives them back when
 * its last task exits. See Documentation/admin-guide/mm/page_color.rst.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/page_color.h>
#include <linux/proc_fs.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "page_color.h"
#include "page_color_held.h"

/* Of a line that is written, and so of a pattern. */
#define MAX_LINE	1024
/* Lines in the table: each exec of a user compares its path with its lines. */
#define MAX_LINES	256
/* As many colors as a program may be registered for. */
#define MAX_COLORS	127

/**
 * struct program - what is registered
 * @node: in programs
 * @rcu: for freeing
 * @line: its references and what its programs hold
 * @uid: the user
 * @wish: what its programs get; under wish_lock
 * @started: how often one got colors
 * @refused: how often there were not enough
 * @pattern: of paths, for glob_match()
 */
struct program {
	struct list_head node;
	struct rcu_head rcu;
	struct page_color_line line;
	kuid_t uid;
	struct page_color_wish wish;
	atomic_long_t started;
	atomic_long_t refused;
	char pattern[];
};

/* Changed under programs_mutex, read under SRCU: to compare a path takes long. */
static LIST_HEAD(programs);
static unsigned int nr_programs;
static DEFINE_MUTEX(programs_mutex);
DEFINE_STATIC_SRCU(programs_srcu);
static DEFINE_SPINLOCK(wish_lock);

static struct program *find_program(kuid_t uid, const char *pattern)
{
	struct program *p;

	list_for_each_entry(p, &programs, node) {
		if (uid_eq(p->uid, uid) && !strcmp(p->pattern, pattern))
			return p;
	}
	return NULL;
}

/**
 * page_color_no_lines - is no program registered?
 *
 * A line that is registered just now may be missed.
 *
 * Return: true if so.
 */
bool page_color_no_lines(void)
{
	return list_empty(&programs);
}

/**
 * page_color_line_of - the line that a program was registered by
 * @uid: who executes it
 * @path: of it
 * @wish: where what it says is put
 *
 * Return: the first that matches, with a reference; NULL without one, and for a task
 * that is to be killed.
 */
struct page_color_line *page_color_line_of(kuid_t uid, const char *path,
					   struct page_color_wish *wish)
{
	struct page_color_line *line = NULL;
	struct program *p;
	int idx;

	idx = srcu_read_lock(&programs_srcu);
	list_for_each_entry_srcu(p, &programs, node,
				 srcu_read_lock_held(&programs_srcu)) {
		/* A path of 4,096 characters and a pattern of 1,000 are millions of steps. */
		cond_resched();
		if (fatal_signal_pending(current))
			break;
		if (!uid_eq(p->uid, uid) || !glob_match(p->pattern, path) ||
		    !refcount_inc_not_zero(&p->line.ref))
			continue;
		spin_lock(&wish_lock);
		*wish = p->wish;
		spin_unlock(&wish_lock);
		line = &p->line;
		break;
	}
	srcu_read_unlock(&programs_srcu, idx);
	return line;
}

static void free_program(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct program, rcu));
}

/**
 * page_color_line_put - a line is not used any more
 * @line: the line
 *
 * Context: any.
 */
void page_color_line_put(struct page_color_line *line)
{
	struct program *p = container_of(line, struct program, line);

	if (refcount_dec_and_test(&line->ref))
		call_srcu(&programs_srcu, &p->rcu, free_program);
}

/**
 * page_color_line_count - a program of a line was executed
 * @line: the line
 * @started: with colors
 */
void page_color_line_count(struct page_color_line *line, bool started)
{
	struct program *p = container_of(line, struct program, line);

	atomic_long_inc(started ? &p->started : &p->refused);
}

static int parse_option(struct page_color_wish *p, const char *word)
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
	} else if (!strncmp(word, "most=", 5)) {
		if (kstrtouint(word + 5, 0, &p->most) ||
		    !p->most || p->most > PAGE_COLOR_MAX)
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

/* [colors=N] [most=N] [strict] [private] [ahead=N] [reserve=N] */
static int parse_options(struct page_color_wish *wish, char *options)
{
	char *word;
	int err;

	*wish = (struct page_color_wish) { .colors = 1 };
	while ((word = strsep(&options, " \t\n"))) {
		err = *word ? parse_option(wish, word) : 0;
		if (err)
			return err;
	}
	/* No program of such a line could be executed. */
	return wish->most && wish->most < wish->colors ? -EINVAL : 0;
}

/* UID PATTERN and options */
static int add_program(kuid_t uid, const char *pattern, char *options)
{
	struct page_color_wish wish;
	struct program *p;
	int err;

	if (*pattern != '/')
		return -EINVAL;
	err = parse_options(&wish, options);
	if (err)
		return err;
	mutex_lock(&programs_mutex);
	p = find_program(uid, pattern);
	if (p) {
		spin_lock(&wish_lock);
		p->wish = wish;
		spin_unlock(&wish_lock);
		goto out;
	}
	err = -ENOSPC;
	if (nr_programs == MAX_LINES)
		goto out;
	err = -ENOMEM;
	p = kzalloc(struct_size(p, pattern, strlen(pattern) + 1), GFP_KERNEL);
	if (!p)
		goto out;
	err = 0;
	refcount_set(&p->line.ref, 1);
	p->uid = uid;
	p->wish = wish;
	memcpy(p->pattern, pattern, strlen(pattern) + 1);
	list_add_tail_rcu(&p->node, &programs);
	nr_programs++;
out:
	mutex_unlock(&programs_mutex);
	return err;
}

static int remove_program(kuid_t uid, const char *pattern)
{
	struct program *p;

	mutex_lock(&programs_mutex);
	p = find_program(uid, pattern);
	if (p) {
		list_del_rcu(&p->node);
		nr_programs--;
		page_color_line_put(&p->line);
	}
	mutex_unlock(&programs_mutex);
	return p ? 0 : -ENOENT;
}

#ifdef CONFIG_PAGE_COLOR_TINT
/**
 * page_color_register_user - colors for all that the current user executes
 * @colors: how many for each program, 0 for none any more
 * @flags: PAGE_COLOR_STRICT, PAGE_COLOR_PRIVATE
 *
 * It is one line of /proc/page_color/programs.
 *
 * Return: 0 or an error: -EPERM, -EINVAL for a number that is too large,
 * -ENOENT if there is nothing to remove, -ENOSPC if the table is full, -ENOMEM.
 */
int page_color_register_user(unsigned int colors, unsigned int flags)
{
	char options[48] = "-";
	int err;

	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	if (!colors) {
		err = remove_program(current_uid(), "/*");
		goto out;
	}
	snprintf(options, sizeof(options), "colors=%u%s%s", colors,
		 flags & PAGE_COLOR_STRICT ? " strict" : "",
		 flags & PAGE_COLOR_PRIVATE ? " private" : "");
	err = add_program(current_uid(), "/*", options);
	/* It is cut into words there. */
	snprintf(options, sizeof(options), "colors=%u%s%s", colors,
		 flags & PAGE_COLOR_STRICT ? " strict" : "",
		 flags & PAGE_COLOR_PRIVATE ? " private" : "");
out:
	page_color_audit("programs by mmap", options, err);
	return err;
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
	if (strchr(rest, '\n'))
		goto out;
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
	/* The words of it are in their places still. */
	for (word = text; word < text + count; word++) {
		if (!*word)
			*word = ' ';
	}
	page_color_audit("programs", text, err);
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
	const struct page_color_wish *wish = &p->wish;

	/* It changes under programs_mutex alone. */
	seq_printf(m, "%u %s colors=%u%s%s", from_kuid(&init_user_ns, p->uid),
		   p->pattern, wish->colors,
		   wish->flags & PAGE_COLOR_STRICT ? " strict" : "",
		   wish->flags & PAGE_COLOR_PRIVATE ? " private" : "");
	if (wish->ahead)
		seq_printf(m, " ahead=%u", wish->ahead);
	if (wish->reserve)
		seq_printf(m, " reserve=%u", wish->reserve);
	if (wish->most)
		seq_printf(m, " most=%u", wish->most);
	seq_printf(m, " started=%ld refused=%ld\n", atomic_long_read(&p->started),
		   atomic_long_read(&p->refused));
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

static int __init page_color_create_proc(void)
{
	struct proc_dir_entry *dir = proc_mkdir("page_color", NULL);

	if (!dir || !proc_create("programs", 0600, dir, &programs_ops) ||
	    !proc_create_seq("tasks", 0400, dir, &page_color_tasks_seq))
		pr_err("no files in /proc/page_color\n");
	return 0;
}
subsys_initcall(page_color_create_proc);
