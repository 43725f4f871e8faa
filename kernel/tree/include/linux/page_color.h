/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_PAGE_COLOR_H
#define _LINUX_PAGE_COLOR_H

/*
 * Page colouring: tasks that get frames of chosen colours only.
 *
 * See Documentation/admin-guide/mm/page_color.rst.
 */
#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>

#ifdef CONFIG_PAGE_COLOR

#include <linux/page_color_map.h>

/**
 * struct page_color_policy - colours that a task's memory comes from
 * @ref: tasks and scopes that use it
 * @flags: PAGE_COLOR_STRICT, PAGE_COLOR_ANY, PAGE_COLOR_MIGRATION
 * @id: never used again, so that per-CPU lists can be kept by policy
 * @rcu: for freeing; the allocator looks at policies under rcu_read_lock()
 * @set: the colours; constant
 */
struct page_color_policy {
	refcount_t ref;
	unsigned int flags;
	u64 id;
	struct rcu_head rcu;
	struct page_color_set set;
};

/* No page of another colour will do. The same bit as PR_PAGE_COLOR_STRICT. */
#define PAGE_COLOR_STRICT	BIT(0)
/* No colours at all: a scope in which the task's own policy does not count. */
#define PAGE_COLOR_ANY		BIT(31)
/* For one migration: not worth a per-CPU list, nor reclaim. */
#define PAGE_COLOR_MIGRATION	BIT(30)

DECLARE_STATIC_KEY_FALSE(page_color_key);
extern struct page_color_map page_color_map;
extern unsigned long page_color_owned[BITS_TO_LONGS(PAGE_COLOR_SET_BITS)];
extern unsigned int page_color_nr_owned;

static inline bool page_color_enabled(void)
{
	return static_branch_unlikely(&page_color_key);
}

static inline bool page_color_any_owned(void)
{
	return page_color_enabled() && READ_ONCE(page_color_nr_owned);
}

/**
 * pfn_color_owned - does a policy name the colour of this frame?
 * @pfn: number of the frame
 *
 * Return: true if so; false while page colouring is off.
 */
static inline bool pfn_color_owned(unsigned long pfn)
{
	return page_color_any_owned() &&
	       test_bit(page_color_of(&page_color_map, pfn), page_color_owned);
}

/**
 * page_color_active - may the current context have a policy?
 *
 * Interrupts borrow the task, not its policy.
 *
 * Return: false if it certainly has none.
 */
static inline bool page_color_active(void)
{
	return page_color_enabled() &&
	       (rcu_access_pointer(current->page_color) ||
		current->page_color_scope) && in_task();
}

/**
 * page_color_current - policy of the current context
 *
 * Context: under rcu_read_lock(), in a task.
 * Return: the policy or NULL.
 */
static inline struct page_color_policy *page_color_current(void)
{
	struct page_color_policy *policy = current->page_color_scope;

	if (!policy)
		return rcu_dereference(current->page_color);
	return policy->flags & PAGE_COLOR_ANY ? NULL : policy;
}

static inline bool page_color_in_scope(void)
{
	return current->page_color_scope;
}

static inline bool page_color_in_migration(void)
{
	return current->page_color_scope &&
	       current->page_color_scope->flags & PAGE_COLOR_MIGRATION;
}

void page_color_fork(struct task_struct *task);
void page_color_exit(struct task_struct *task);
void page_color_mm_init(struct mm_struct *mm);
void page_color_mm_exit(struct mm_struct *mm);
long page_color_prctl(unsigned long op, unsigned long arg3, unsigned long arg4,
		      unsigned long arg5);

#else /* CONFIG_PAGE_COLOR */

static inline bool page_color_enabled(void)
{
	return false;
}

static inline bool page_color_any_owned(void)
{
	return false;
}

static inline bool pfn_color_owned(unsigned long pfn)
{
	return false;
}

static inline bool page_color_active(void)
{
	return false;
}

static inline bool page_color_in_scope(void)
{
	return false;
}

static inline bool page_color_in_migration(void)
{
	return false;
}

static inline void page_color_fork(struct task_struct *task)
{
}

static inline void page_color_exit(struct task_struct *task)
{
}

static inline void page_color_mm_init(struct mm_struct *mm)
{
}

static inline void page_color_mm_exit(struct mm_struct *mm)
{
}

static inline long page_color_prctl(unsigned long op, unsigned long arg3,
				    unsigned long arg4, unsigned long arg5)
{
	return -EINVAL;
}

#endif /* CONFIG_PAGE_COLOR */
#endif /* _LINUX_PAGE_COLOR_H */
