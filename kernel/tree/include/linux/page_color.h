/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_PAGE_COLOR_H
#define _LINUX_PAGE_COLOR_H

/*
 * Page coloring: tasks that get frames of chosen colors only.
 *
 * See Documentation/admin-guide/mm/page_color.rst.
 */
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <uapi/linux/page_color.h>

struct linux_binprm;
struct page_color_reserve;
struct page_color_hold;

#ifdef CONFIG_PAGE_COLOR

#include <linux/mutex.h>
#include <linux/page_color_map.h>

/**
 * struct page_color_policy - colors that a task's memory comes from
 * @ref: tasks and scopes that use it
 * @users: of them, tasks and mms, see page_color_join()
 * @flags: PAGE_COLOR_STRICT and so on
 * @id: never used again, so that per-CPU lists can be kept by policy
 * @rcu: for freeing; the allocator looks at policies under rcu_read_lock()
 * @nid: with PAGE_COLOR_PROGRAM, the node that its memory comes from
 * @set: the colors; constant
 * @next: with PAGE_COLOR_PROGRAM, the policy with more colors that follows
 * @full_until: no colors to follow with were found; not before these jiffies
 * @drained: pages were last looked for on the lists of all CPUs, in jiffies
 * @user: whom it is counted for
 * @hold: with PAGE_COLOR_PROGRAM, what it is counted by
 * @of_hold: among the policies of that
 * @asked: with PAGE_COLOR_OWN, what the task asked for
 * @asked_flags: as well
 * @group_id: the policy of its cgroup that these were limited to, or 0
 * @rebound: what tasks got for this when their cgroup changed; without a reference
 * @rebound_of: for what tasks got this, likewise
 * @ahead_lock: of @ahead and @nr_ahead
 * @ahead: pages that were allocated ahead, for its tasks to use first
 * @nr_ahead: how many they are
 * @evict_vain_until: eviction for it was in vain; not before this, by ktime_get_ns()
 * @reclaim_vain_until: reclaim was, too
 * @reclaim_own_until: others had nothing to reclaim; its own pages before this
 * @share_has: how much of its colors it was seen to have, see page_color_pageout.c
 * @share_due: and how much is its share
 * @ahead_node: among those that hold such pages
 * @reserve: pages that are reserved for its tasks, NULL if none ever were
 */
struct page_color_policy {
	refcount_t ref;
	atomic_t users;
	unsigned int flags;
	int nid;
	u64 id;
	struct rcu_head rcu;
	struct page_color_set set;
	struct page_color_policy *next;
	unsigned long full_until;
	unsigned long drained;
	kuid_t user;
	struct page_color_hold *hold;
	struct list_head of_hold;
	unsigned long asked[BITS_TO_LONGS(PAGE_COLOR_MAX)];
	unsigned int asked_flags;
	u64 group_id;
	struct page_color_policy *rebound;
	struct page_color_policy *rebound_of;
	spinlock_t ahead_lock;	/* of the two that follow */
	struct list_head ahead;
	unsigned int nr_ahead;
	u64 evict_vain_until;
	u64 reclaim_vain_until;
	u64 reclaim_own_until;
	unsigned int share_has;
	unsigned int share_due;
	struct list_head ahead_node;
	struct page_color_reserve *reserve;
};

/* No page of another color will do. The same bit as PR_PAGE_COLOR_STRICT. */
#define PAGE_COLOR_STRICT	BIT(0)
/* Pages of files privately, in the colors. The same as PR_PAGE_COLOR_PRIVATE. */
#define PAGE_COLOR_PRIVATE	BIT(1)
/* Of the calls by mmap(): banks were chosen, parts of the cache were. */
#define PAGE_COLOR_USING_BANK	BIT(2)
#define PAGE_COLOR_USING_LLC	BIT(3)
/* No colors at all: a scope in which the task's own policy does not count. */
#define PAGE_COLOR_ANY		BIT(31)
/* For one migration: not worth a per-CPU list, nor reclaim. */
#define PAGE_COLOR_MIGRATION	BIT(30)
/* A task asked for it; others have the policy of their cgroup, or none. */
#define PAGE_COLOR_OWN		BIT(29)
/* It has no right to colors but those of its cgroup. */
#define PAGE_COLOR_DELEGATED	BIT(28)
/* A program was given it at exec: nobody else has its colors. */
#define PAGE_COLOR_PROGRAM	BIT(27)

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
 * pfn_color_owned - does a policy name the color of this frame?
 * @pfn: number of the frame
 *
 * Return: true if so; false while page coloring is off.
 */
static inline bool pfn_color_owned(unsigned long pfn)
{
	return page_color_any_owned() &&
	       test_bit(page_color_of(&page_color_map, pfn), page_color_owned);
}

/**
 * page_color_active - may the current context have a policy?
 *
 * Interrupts borrow the task, not its policy. Nor does what it allocates while it
 * reclaims memory: that is for others, such as compressed pages of zswap. Pages that
 * reclaim moves have scopes.
 *
 * Return: false if it certainly has none.
 */
static inline bool page_color_active(void)
{
	return page_color_enabled() &&
	       ((rcu_access_pointer(current->page_color) &&
		 !(current->flags & PF_MEMALLOC)) ||
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

/* Policies of tasks and cgroups. Nests inside of cpuset_mutex. */
extern struct mutex page_color_tasks_mutex;

void page_color_policy_release(struct page_color_policy *policy);
struct page_color_policy *
page_color_policy_within(const unsigned long *colors, unsigned int flags,
			 const struct page_color_policy *group, bool fallback,
			 kuid_t user);
kuid_t page_color_user(void);
bool page_color_is_bound(struct task_struct *task,
			 struct page_color_policy **group);
void page_color_rebind(struct task_struct *task, struct page_color_policy *group);
long page_color_recolor_mm(struct mm_struct *mm);

static inline struct page_color_policy *
page_color_policy_get(struct page_color_policy *policy)
{
	if (policy)
		refcount_inc(&policy->ref);
	return policy;
}

static inline void page_color_policy_put(struct page_color_policy *policy)
{
	if (policy && refcount_dec_and_test(&policy->ref))
		page_color_policy_release(policy);
}

#ifdef CONFIG_CPUSETS
struct page_color_policy *cpuset_page_color(void);
#else
static inline struct page_color_policy *cpuset_page_color(void)
{
	return NULL;
}
#endif

void page_color_exec_mm(struct mm_struct *mm, struct page_color_policy *policy);
int page_color_exec(struct linux_binprm *bprm);
void page_color_exec_done(struct mm_struct *mm);

void page_color_fork(struct task_struct *task);
void page_color_exit(struct task_struct *task);
void page_color_mm_init(struct mm_struct *mm);
void page_color_mm_exit(struct mm_struct *mm);
struct page_color_policy *page_color_enter_mm(struct mm_struct *mm);
void page_color_leave_mm(struct page_color_policy *scope);
bool page_color_relax_scope(void);
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

static inline int page_color_exec(struct linux_binprm *bprm)
{
	return 0;
}

static inline void page_color_exec_done(struct mm_struct *mm)
{
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

static inline struct page_color_policy *page_color_enter_mm(struct mm_struct *mm)
{
	return NULL;
}

static inline void page_color_leave_mm(struct page_color_policy *scope)
{
}

static inline bool page_color_relax_scope(void)
{
	return false;
}

static inline long page_color_prctl(unsigned long op, unsigned long arg3,
				    unsigned long arg4, unsigned long arg5)
{
	return -EINVAL;
}

#endif /* CONFIG_PAGE_COLOR */

#ifdef CONFIG_PAGE_COLOR_TINT
/* Is this mmap() a call for colors? Otherwise such a mapping is refused. */
static inline bool page_color_is_call(unsigned long len, unsigned long prot)
{
	return !len && prot & PAGE_COLOR_PROT;
}

long page_color_mmap(unsigned long arg, unsigned long prot, unsigned long flags,
		     unsigned long pgoff);
#else
static inline bool page_color_is_call(unsigned long len, unsigned long prot)
{
	return false;
}

static inline long page_color_mmap(unsigned long arg, unsigned long prot,
				   unsigned long flags, unsigned long pgoff)
{
	return -EINVAL;
}
#endif
#endif /* _LINUX_PAGE_COLOR_H */
