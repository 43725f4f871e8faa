/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_HELD_H
#define _MM_PAGE_COLOR_HELD_H

/*
 * Page coloring: what users hold and how much of it they may; lines of programs.
 */
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/numa.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct attribute_group;
struct page;
struct page_color_held;
struct page_color_policy;

/* What was refused at a limit, in page_color_limited[]. */
enum page_color_limited {
	PAGE_COLOR_LIMITED_POLICIES,
	PAGE_COLOR_LIMITED_COLORS,
	PAGE_COLOR_LIMITED_AHEAD,
	NR_PAGE_COLOR_LIMITED
};

/**
 * struct page_color_line - what holds refer to of a registered line
 * @ref: the table and holds
 * @held: colors of programs of a line that says how many there may be
 */
struct page_color_line {
	refcount_t ref;
	unsigned int held;
};

/**
 * struct page_color_hold - colors that a program holds
 * @ref: policies of the program
 * @line: that it was registered by
 * @uid: whom they are counted for
 * @first: how many it began with
 * @most: how many all programs of the line may hold; 0: see @uid's share
 * @policies: that it has: one, those with more colors that follow, and where some of
 *	its threads are in another cgroup, theirs
 * @colors: how many these have together
 */
struct page_color_hold {
	refcount_t ref;
	struct page_color_line *line;
	kuid_t uid;
	unsigned int first;
	unsigned int most;
	struct list_head policies;
	unsigned int colors;
};

/**
 * struct page_color_limits - see "Limits" in the documentation
 * @policies: of all
 * @user_policies: of one user that is not root
 * @user_share: percent of the colors, for programs of one such user
 * @users_share: for those of all such users
 * @ahead: pages ahead of all
 */
struct page_color_limits {
	unsigned long policies;
	unsigned long user_policies;
	unsigned long user_share;
	unsigned long users_share;
	unsigned long ahead;
};

extern struct page_color_limits page_color_limits;
extern const struct attribute_group page_color_limits_group;
extern atomic_long_t page_color_limited[NR_PAGE_COLOR_LIMITED];
extern atomic_long_t page_color_migrating_max;
unsigned long page_color_limit_of_all(unsigned long all);
int page_color_hold_policy(kuid_t uid);
void page_color_release_policy(kuid_t uid);
struct page_color_hold *page_color_hold_create(struct page_color_line *line,
					       kuid_t uid, unsigned int first,
					       unsigned int most);
int page_color_hold_more(struct page_color_hold *hold, unsigned int n);
int page_color_hold_move(struct page_color_hold *hold, unsigned int n);
void page_color_hold_count(struct page_color_hold *hold);
void page_color_hold_join(struct page_color_hold *hold, struct page_color_policy *policy);
void page_color_hold_leave(struct page_color_policy *policy);
void page_color_hold_put(struct page_color_hold *hold);
struct page_color_held *page_color_migration_begin(void);
void page_color_migration_end(struct page_color_held *held);

/**
 * struct page_color_wish - what a line says of a program
 * @colors: how many colors it starts with
 * @flags: PAGE_COLOR_STRICT, PAGE_COLOR_PRIVATE
 * @ahead: how many pages are allocated ahead for it
 * @reserve: how many are reserved for it
 * @most: how many colors all programs of the line may hold, 0 if not said
 */
struct page_color_wish {
	unsigned int colors;
	unsigned int flags;
	unsigned int ahead;
	unsigned int reserve;
	unsigned int most;
};

struct page_color_line *page_color_line_of(kuid_t uid, const char *path,
					   struct page_color_wish *wish);
void page_color_line_put(struct page_color_line *line);
void page_color_line_count(struct page_color_line *line, bool started);
bool page_color_no_lines(void);
struct page_color_policy *
page_color_program_policy(struct page_color_line *line,
			  const struct page_color_wish *wish);
void page_color_set_asked(struct page_color_policy *policy,
			  const unsigned long *asked, unsigned int flags,
			  const struct page_color_policy *group);
void page_color_use(struct page_color_policy *policy);
extern const struct seq_operations page_color_tasks_seq;
/* Pages ahead, by node. */
extern atomic_long_t page_color_ahead_of_node[MAX_NUMNODES];
void page_color_ahead_left(struct page *page);
void page_color_ahead_free(struct list_head *pages);
void page_color_shrink_ask(struct page_color_policy *policy);
void page_color_shrink_forget(struct page_color_policy *policy);
void page_color_audit(const char *what, const char *text, int err);

#endif /* _MM_PAGE_COLOR_HELD_H */
