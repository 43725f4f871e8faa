// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: policies of tasks.
 */
#include <linux/capability.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/prctl.h>
#include <linux/uaccess.h>
#include <trace/events/page_color.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_held.h"

/* See linux/page_color.h. */
DEFINE_MUTEX(page_color_tasks_mutex);

static struct page_color_policy *
get_policy(struct page_color_policy __rcu **from)
{
	struct page_color_policy *policy;

	rcu_read_lock();
	do {
		policy = rcu_dereference(*from);
	} while (policy && !refcount_inc_not_zero(&policy->ref));
	rcu_read_unlock();
	return policy;
}

/**
 * page_color_fork - a new task has its parent's colours
 * @task: copy of current, not running yet
 */
void page_color_fork(struct task_struct *task)
{
	RCU_INIT_POINTER(task->page_color, get_policy(&current->page_color));
	task->page_color_scope = NULL;
}

/* Take over a reference to @policy, drop the one to what was there. */
static void replace_policy(struct task_struct *task,
			   struct page_color_policy *policy)
{
	policy = unrcu_pointer(xchg(&task->page_color, RCU_INITIALIZER(policy)));
	page_color_policy_put(policy);
}

/**
 * page_color_exit - a task needs its colours no more
 * @task: the task; may be called twice
 */
void page_color_exit(struct task_struct *task)
{
	if (rcu_access_pointer(task->page_color))
		replace_policy(task, NULL);
}

static void set_mm_policy(struct mm_struct *mm, struct page_color_policy *policy)
{
	policy = unrcu_pointer(xchg(&mm->page_color, RCU_INITIALIZER(policy)));
	page_color_policy_put(policy);
}

/*
 * Does a task decide for the mm that it works in? Not one that borrows its parent's,
 * as a child of vfork() until it executes a program.
 */
static bool decides_for(struct task_struct *task, struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	struct task_struct *owner;
	bool yes;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	yes = !owner || same_thread_group(owner, task);
	rcu_read_unlock();
	return yes;
#else
	return !task->vfork_done;
#endif
}

/*
 * The mm of a task has what the task has now; where this is nothing, what another
 * thread has still.
 */
static void update_mm(struct task_struct *task, struct mm_struct *mm)
{
	struct page_color_policy *policy = get_policy(&task->page_color);
	struct task_struct *t;

	if (!decides_for(task, mm)) {
		page_color_policy_put(policy);
		return;
	}
	rcu_read_lock();
	for_each_thread(task, t) {
		if (policy)
			break;
		policy = get_policy(&t->page_color);
	}
	rcu_read_unlock();
	set_mm_policy(mm, policy);
}

/**
 * page_color_mm_init - a new mm is coloured as the task that makes it
 * @mm: for fork or for exec
 */
void page_color_mm_init(struct mm_struct *mm)
{
	RCU_INIT_POINTER(mm->page_color, get_policy(&current->page_color));
}

/**
 * page_color_mm_exit - nobody faults for this mm any more
 * @mm: the mm
 */
void page_color_mm_exit(struct mm_struct *mm)
{
	if (rcu_access_pointer(mm->page_color))
		set_mm_policy(mm, NULL);
}

/**
 * page_color_enter_mm - allocations from now on are for another task's memory
 * @mm: whose memory
 *
 * It is the policy that a task of the mm set last.
 *
 * Return: for page_color_leave_mm().
 */
struct page_color_policy *page_color_enter_mm(struct mm_struct *mm)
{
	struct page_color_policy *scope = current->page_color_scope;
	struct page_color_policy *policy = NULL;

	if (mm_has_page_color(mm))
		policy = get_policy(&mm->page_color);
	current->page_color_scope = policy ?: &page_color_any_policy;
	return scope;
}

/**
 * page_color_leave_mm - back to the colours before page_color_enter_mm()
 * @scope: what it returned
 */
void page_color_leave_mm(struct page_color_policy *scope)
{
	struct page_color_policy *policy = current->page_color_scope;

	current->page_color_scope = scope;
	if (policy != &page_color_any_policy)
		page_color_policy_put(policy);
}

/**
 * page_color_policy_of_mm - the policy that a task of the mm set last
 * @mm: the mm
 *
 * Return: the policy with a reference, NULL if it has none.
 */
struct page_color_policy *page_color_policy_of_mm(struct mm_struct *mm)
{
	return get_policy(&mm->page_color);
}

/**
 * page_color_policy_of_current - the current thread's policy
 *
 * Return: the policy with a reference, NULL without colours.
 */
struct page_color_policy *page_color_policy_of_current(void)
{
	return get_policy(&current->page_color);
}

/**
 * page_color_orders_of_mm - the large folios that tasks with colours may have
 * @mm: the mm
 *
 * Return: a mask of the orders of blocks that have no colour but those of the
 * policy that a task of it set last.
 */
unsigned long page_color_orders_of_mm(struct mm_struct *mm)
{
	const struct page_color_policy *policy;
	unsigned long orders = 0;
	unsigned int order;

	rcu_read_lock();
	policy = rcu_dereference(mm->page_color);
	for (order = 0; policy && order < NR_PAGE_ORDERS; order++)
		if (!bitmap_empty(policy->set.all[order], PAGE_COLOR_SET_BITS))
			orders |= BIT(order);
	rcu_read_unlock();
	return policy ? orders : ~0UL;
}

/**
 * page_color_mm_may_have - is the colour of a frame the mm's, or nobody's?
 * @mm: for which the page is to be copied to its colours
 * @pfn: number of the frame
 *
 * Return: false if somebody owns the colour, and not the task of the mm that
 * set its colours last.
 */
bool page_color_mm_may_have(struct mm_struct *mm, unsigned long pfn)
{
	const struct page_color_policy *policy;
	bool yes;

	if (!pfn_color_owned(pfn))
		return true;
	rcu_read_lock();
	policy = rcu_dereference(mm->page_color);
	yes = policy && test_bit(page_color_of(&page_color_map, pfn),
				 policy->set.some[0]);
	rcu_read_unlock();
	return yes;
}

/* Memory that goes away or is broken: the page moves in any case. */
static bool must_move(int reason)
{
	return reason == MR_MEMORY_HOTPLUG || reason == MR_MEMORY_FAILURE ||
	       reason == MR_CONTIG_RANGE || reason == MR_LONGTERM_PIN;
}

/* Have two folios of one order the same colours? That of @src exists. */
static bool same_colors(struct folio *src, struct folio *dst)
{
	const struct page_color_map *map = &page_color_map;
	unsigned int color = page_color_of(map, folio_pfn(dst));

	return color != PAGE_COLOR_NONE &&
	       page_color_in_block(map, page_color_of(map, folio_pfn(src)),
				   folio_order(src), color);
}

/**
 * page_color_migrate_alloc - where a folio moves to
 * @src: the folio
 * @get_new_folio: allocates the new one
 * @private: for @get_new_folio
 * @reason: enum migrate_reason
 *
 * It does not matter who moves a page: if somebody owns its colour, it keeps
 * it or stays where it is. Only if it must move it may lose its colour, which
 * is counted. Other pages are moved as if the current task had no colours.
 *
 * Return: the new folio or NULL.
 */
struct folio *page_color_migrate_alloc(struct folio *src,
				       new_folio_t get_new_folio,
				       unsigned long private, int reason)
{
	struct page_color_policy *scope = current->page_color_scope;
	struct page_color_policy *policy = NULL;
	struct folio *dst;

	/*
	 * A scope is there already if pages are moved to other colours. Demotion
	 * in a scope is for want of memory: whose it is does not matter.
	 */
	if (!page_color_enabled() || (scope && reason != MR_DEMOTION))
		return get_new_folio(src, private);

	if (folio_keeps_color(src))
		policy = page_color_single(page_color_of(&page_color_map,
							 folio_pfn(src)));
	current->page_color_scope = policy ?: &page_color_any_policy;
	dst = get_new_folio(src, private);
	if (policy && !dst && must_move(reason)) {
		current->page_color_scope = &page_color_any_policy;
		dst = get_new_folio(src, private);
	}
	current->page_color_scope = scope;

	if (policy)
		trace_page_color_migrate(folio_pfn(src), dst ? folio_pfn(dst) : 0,
					 reason);
	if (policy && !dst)
		page_color_count(folio_zone(src), PAGE_COLOR_STAYED);
	else if (policy && same_colors(src, dst))
		page_color_count(folio_zone(src), PAGE_COLOR_KEPT);
	else if (policy)
		page_color_count(folio_zone(src), PAGE_COLOR_LOST);
	page_color_policy_put(policy);
	return dst;
}

/**
 * page_color_policy_within - a policy of colours that a group has
 * @colors: PAGE_COLOR_MAX bits
 * @flags: of the policy; a strict group makes it strict
 * @group: the group's policy; NULL for all colours
 * @fallback: all colours of the group if it has none of @colors
 * @user: whom it is counted for
 *
 * Return: the policy with one reference, or an error.
 */
struct page_color_policy *
page_color_policy_within(const unsigned long *colors, unsigned int flags,
			 const struct page_color_policy *group, bool fallback,
			 kuid_t user)
{
	DECLARE_BITMAP(both, PAGE_COLOR_MAX);

	if (!group)
		return page_color_policy_create(colors, flags, user);
	flags |= group->flags & PAGE_COLOR_STRICT;
	if (!bitmap_and(both, colors, group->set.some[0], PAGE_COLOR_MAX)) {
		if (!fallback)
			return ERR_PTR(-EINVAL);
		bitmap_copy(both, group->set.some[0], PAGE_COLOR_MAX);
	}
	return page_color_policy_create(both, flags, user);
}

static u64 id_of(const struct page_color_policy *group)
{
	return group ? group->id : 0;
}

/**
 * page_color_set_asked - note what a task asked for
 * @policy: its policy, which nobody else sees yet
 * @asked: the colours
 * @flags: as it asked for them
 * @group: that they are limited to, or NULL
 */
void page_color_set_asked(struct page_color_policy *policy,
			  const unsigned long *asked, unsigned int flags,
			  const struct page_color_policy *group)
{
	policy->flags |= PAGE_COLOR_OWN | (flags & PAGE_COLOR_DELEGATED);
	bitmap_copy(policy->asked, asked, PAGE_COLOR_MAX);
	policy->asked_flags = flags;
	policy->group_id = id_of(group);
}

/* What a task asked for, within its group. */
static struct page_color_policy *
own_policy(const unsigned long *asked, unsigned int flags,
	   const struct page_color_policy *group, bool fallback, kuid_t user)
{
	struct page_color_policy *policy;

	policy = page_color_policy_within(asked, flags & ~PAGE_COLOR_DELEGATED,
					  group, fallback, user);
	if (!IS_ERR(policy))
		page_color_set_asked(policy, asked, flags, group);
	return policy;
}

/* Colours that no other task has, within the group, for a program of @line. */
static struct page_color_policy *
program_policy(struct page_color_line *line, const struct page_color_wish *wish,
	       kuid_t user, int nid, const struct page_color_policy *group)
{
	DECLARE_BITMAP(none, PAGE_COLOR_MAX) = {};
	unsigned int flags = wish->flags;
	struct page_color_policy *policy;
	struct page_color_hold *hold;

	hold = page_color_hold_create(line, user, wish->colors, wish->most);
	if (IS_ERR(hold))
		return ERR_CAST(hold);
	if (group)
		flags |= group->flags & PAGE_COLOR_STRICT;
	policy = page_color_policy_claim(none, wish->colors, nid,
					 flags | PAGE_COLOR_PROGRAM, user, group);
	if (IS_ERR(policy)) {
		page_color_hold_put(hold);
		return policy;
	}
	policy->hold = hold;
	page_color_set_asked(policy, policy->set.some[0], flags, group);
	return policy;
}

/**
 * page_color_program_policy - colours for a program that the task executes
 * @line: that it was registered by
 * @wish: what this says
 *
 * The group may have other colours by now: see page_color_exec_done().
 *
 * Return: the policy with one reference, or an error: as
 * page_color_policy_claim(), -EAGAIN at a limit.
 */
struct page_color_policy *
page_color_program_policy(struct page_color_line *line,
			  const struct page_color_wish *wish)
{
	struct page_color_policy *policy, *group;

	mutex_lock(&page_color_tasks_mutex);
	group = page_color_policy_get(cpuset_page_color());
	mutex_unlock(&page_color_tasks_mutex);
	policy = program_policy(line, wish, page_color_user(), numa_mem_id(), group);
	page_color_policy_put(group);
	return policy;
}

static bool is_program(const struct page_color_policy *policy)
{
	return policy && policy->flags & PAGE_COLOR_PROGRAM;
}

/*
 * A program stays in the colours that it has as far as its group has them, as its
 * memory is there, and gets others for the rest. If there are none it has fewer.
 */
static struct page_color_policy *
moved_program(struct page_color_policy *old,
	      const struct page_color_policy *group)
{
	unsigned int flags = old->asked_flags | PAGE_COLOR_PROGRAM, n;
	DECLARE_BITMAP(have, PAGE_COLOR_MAX);
	struct page_color_policy *policy;

	bitmap_copy(have, old->set.some[0], PAGE_COLOR_MAX);
	if (group) {
		bitmap_and(have, have, group->set.some[0], PAGE_COLOR_MAX);
		flags |= group->flags & PAGE_COLOR_STRICT;
	}
	n = bitmap_weight(old->asked, PAGE_COLOR_MAX) - bitmap_weight(have, PAGE_COLOR_MAX);
	policy = page_color_policy_claim(have, n, old->nid, flags, old->user, group);
	if (IS_ERR(policy) && n && !bitmap_empty(have, PAGE_COLOR_MAX))
		policy = page_color_policy_claim(have, 0, old->nid, flags, old->user,
						 group);
	if (IS_ERR(policy))
		return policy;
	refcount_inc(&old->hold->ref);
	policy->hold = old->hold;
	page_color_set_asked(policy, old->asked, old->asked_flags, group);
	/* Its pages have the old colours. */
	if (bitmap_equal(policy->set.some[0], old->set.some[0], PAGE_COLOR_MAX))
		policy->reserve = page_color_reserve_get(old);
	return policy;
}

/**
 * page_color_exec_mm - give the mm that exec builds its colours
 * @mm: the mm; it has those of the current task
 * @policy: of the program, with a reference; NULL if it is not registered. Then
 *	it does not get those of the program that executes it
 */
void page_color_exec_mm(struct mm_struct *mm, struct page_color_policy *policy)
{
	/* Nobody else knows the mm. */
	if (policy) {
		set_mm_policy(mm, policy);
	} else if (is_program(rcu_dereference_protected(mm->page_color, true))) {
		mutex_lock(&page_color_tasks_mutex);
		set_mm_policy(mm, page_color_policy_get(cpuset_page_color()));
		mutex_unlock(&page_color_tasks_mutex);
	}
}

/*
 * Has exec nothing to do? Who rebinds the task meanwhile changes the task's
 * policy first. It finds the new mm if it looks for that after exec has
 * installed it, under the same lock; else its change is seen here.
 */
static bool is_settled(struct mm_struct *mm)
{
	const struct page_color_policy *policy, *old;
	bool yes;

	rcu_read_lock();
	policy = rcu_dereference(mm->page_color);
	old = rcu_dereference(current->page_color);
	yes = policy == old && !is_program(old);
	rcu_read_unlock();
	return yes;
}

/**
 * page_color_exec_done - the current task executes the program for certain
 * @mm: its new mm
 */
void page_color_exec_done(struct mm_struct *mm)
{
	struct page_color_policy *policy, *old;

	if (!page_color_enabled() || is_settled(mm))
		return;
	mutex_lock(&page_color_tasks_mutex);
	policy = get_policy(&mm->page_color);
	old = get_policy(&current->page_color);
	if (is_program(policy) || is_program(old))
		replace_policy(current, page_color_policy_get(policy));
	/* The group may have changed since page_color_exec(). */
	page_color_rebind(current, cpuset_page_color());
	set_mm_policy(mm, get_policy(&current->page_color));
	page_color_policy_put(old);
	page_color_policy_put(policy);
	mutex_unlock(&page_color_tasks_mutex);
}

/**
 * page_color_use - the current task and the mm that is its own have another policy
 * @policy: the policy, with a reference that is taken over
 *
 * Context: under page_color_tasks_mutex.
 */
void page_color_use(struct page_color_policy *policy)
{
	lockdep_assert_held(&page_color_tasks_mutex);
	replace_policy(current, policy);
	update_mm(current, current->mm);
}

/* May tasks of the group have all colours of the policy? */
static bool is_within(const struct page_color_policy *policy,
		      const struct page_color_policy *group)
{
	if (!group)
		return true;
	if (group->flags & PAGE_COLOR_STRICT && !(policy->flags & PAGE_COLOR_STRICT))
		return false;
	return bitmap_subset(policy->set.some[0], group->set.some[0], PAGE_COLOR_MAX);
}

/* Nothing changes for a task that has what its group gives it. */
static bool is_bound(const struct page_color_policy *policy,
		     const struct page_color_policy *group)
{
	if (is_program(policy) && is_within(policy, group) &&
	    bitmap_weight(policy->set.some[0], PAGE_COLOR_MAX) >=
	    bitmap_weight(policy->asked, PAGE_COLOR_MAX))
		return true;
	if (policy && policy->flags & PAGE_COLOR_OWN)
		return policy->group_id == id_of(group);
	return policy == group;
}

/**
 * page_color_is_bound - has a task the colours that its group gives it?
 * @task: the task, not running
 * @group: the policy of the group, which may change at any time
 *
 * Return: true if page_color_rebind() has nothing to do.
 */
bool page_color_is_bound(struct task_struct *task,
			 struct page_color_policy **group)
{
	bool yes;

	rcu_read_lock();
	yes = is_bound(rcu_dereference(task->page_color), READ_ONCE(*group));
	rcu_read_unlock();
	return yes;
}

/* Of policies' @rebound and @rebound_of. */
static DEFINE_SPINLOCK(rebound_lock);

/* From now on tasks that have @old get @policy in the group that it is for. */
static void set_rebound(struct page_color_policy *old, struct page_color_policy *policy)
{
	unsigned long flags;

	spin_lock_irqsave(&rebound_lock, flags);
	if (old->rebound)
		old->rebound->rebound_of = NULL;
	old->rebound = policy;
	policy->rebound_of = old;
	spin_unlock_irqrestore(&rebound_lock, flags);
}

/* What another task that has @old got in the group, with a reference. */
static struct page_color_policy *
get_rebound(const struct page_color_policy *old, const struct page_color_policy *group)
{
	struct page_color_policy *policy;
	unsigned long flags;

	spin_lock_irqsave(&rebound_lock, flags);
	policy = old->rebound;
	if (policy && (policy->group_id != id_of(group) ||
		       !refcount_inc_not_zero(&policy->ref)))
		policy = NULL;
	spin_unlock_irqrestore(&rebound_lock, flags);
	return policy;
}

/**
 * page_color_forget_rebound - a policy goes away
 * @policy: the policy
 *
 * Context: any.
 */
void page_color_forget_rebound(struct page_color_policy *policy)
{
	unsigned long flags;

	spin_lock_irqsave(&rebound_lock, flags);
	if (policy->rebound)
		policy->rebound->rebound_of = NULL;
	if (policy->rebound_of)
		policy->rebound_of->rebound = NULL;
	spin_unlock_irqrestore(&rebound_lock, flags);
}

/*
 * What a task that has @old gets in a group, with a reference, or an error. Tasks
 * that have shared a choice of their own, or a program's colours, share it again.
 */
static struct page_color_policy *rebound_policy(struct page_color_policy *old,
						struct page_color_policy *group)
{
	struct page_color_policy *policy;

	if (!old || !(old->flags & PAGE_COLOR_OWN) ||
	    (!is_program(old) && !group && old->flags & PAGE_COLOR_DELEGATED))
		return page_color_policy_get(group);
	policy = get_rebound(old, group);
	if (policy)
		return policy;
	if (is_program(old))
		policy = moved_program(old, group);
	else
		policy = own_policy(old->asked, old->asked_flags, group, true, old->user);
	if (!IS_ERR(policy))
		set_rebound(old, policy);
	return policy;
}

/**
 * page_color_rebind - the colours of a task's group are others now
 * @task: the task
 * @group: the policy of the group, NULL for all colours
 *
 * Context: under page_color_tasks_mutex.
 */
void page_color_rebind(struct task_struct *task, struct page_color_policy *group)
{
	struct page_color_policy *policy, *old;
	struct mm_struct *mm;

	lockdep_assert_held(&page_color_tasks_mutex);
	if (task->flags & (PF_KTHREAD | PF_EXITING))
		return;
	old = get_policy(&task->page_color);
	if (is_bound(old, group))
		goto out;

	policy = rebound_policy(old, group);
	/* Out of memory or at a limit: never a colour that the group has not. */
	if (IS_ERR(policy)) {
		if (is_within(old, group))
			goto out;
		policy = page_color_policy_get(group);
	}

	replace_policy(task, policy);
	mm = get_task_mm(task);
	if (mm) {
		update_mm(task, mm);
		/* Not here, under the mutex, if it is the last one. */
		mmput_async(mm);
	}
out:
	page_color_policy_put(old);
}

/**
 * page_color_choose - the current thread chooses its colours
 * @colors: the colours, PAGE_COLOR_MAX bits
 * @flags: PAGE_COLOR_STRICT and so on, kept with what the thread asked for
 *
 * Context: under page_color_tasks_mutex.
 * Return: 0 or an error: -EPERM, or as page_color_policy_within().
 */
long page_color_choose(const unsigned long *colors, unsigned int flags)
{
	struct page_color_policy *policy, *group = cpuset_page_color();

	lockdep_assert_held(&page_color_tasks_mutex);
	/* Colours are taken away from all others, but for those of the group. */
	if (!capable(CAP_SYS_NICE)) {
		if (!group)
			return -EPERM;
		flags |= PAGE_COLOR_DELEGATED;
	}
	policy = own_policy(colors, flags, group, false, page_color_user());
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	page_color_use(policy);
	return 0;
}

/**
 * page_color_choose_none - the current thread has what its group has
 *
 * Context: under page_color_tasks_mutex.
 */
void page_color_choose_none(void)
{
	page_color_use(page_color_policy_get(cpuset_page_color()));
}

/* Colours in calls are 64-bit words, whatever a long is. */
#define WORDS	BITS_TO_U64(PAGE_COLOR_MAX)

/* Larger bitmaps than this kernel knows may not name colours that it does not. */
static long set_colors(const u64 __user *user, unsigned long size,
		       unsigned long flags)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	u64 words[WORDS] = {};
	long err;

	if (flags & ~(PAGE_COLOR_STRICT | PAGE_COLOR_PRIVATE))
		return -EINVAL;
	if (!size || size % sizeof(u64))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(words, sizeof(words), user, size);
	if (err)
		return err;
	/* Of fewer than 64 colours a word has bits to spare. */
	if (PAGE_COLOR_MAX < 64 && words[0] >> (PAGE_COLOR_MAX % 64))
		return -E2BIG;
	bitmap_from_arr64(colors, words, PAGE_COLOR_MAX);
	mutex_lock(&page_color_tasks_mutex);
	err = page_color_choose(colors, flags);
	mutex_unlock(&page_color_tasks_mutex);
	return err;
}

/* Back to what the group has. */
static long clear_colors(void)
{
	mutex_lock(&page_color_tasks_mutex);
	page_color_choose_none();
	mutex_unlock(&page_color_tasks_mutex);
	return 0;
}

/*
 * Returns the flags, or -ENODATA without a policy. What the bitmap has more than
 * this kernel's colours is cleared; it may have less if no colour is lost.
 */
static long get_colors(u64 __user *user, unsigned long size)
{
	struct page_color_policy *policy;
	u64 words[WORDS];
	long flags = -ENODATA;
	size_t known;

	if (!size || size % sizeof(u64))
		return -EINVAL;
	/* What is cleared in one go. */
	if (size > PAGE_SIZE)
		return -E2BIG;
	known = min(size, sizeof(words));
	rcu_read_lock();
	policy = rcu_dereference(current->page_color);
	if (policy) {
		bitmap_to_arr64(words, policy->set.some[0], PAGE_COLOR_MAX);
		flags = policy->flags & (PAGE_COLOR_STRICT | PAGE_COLOR_PRIVATE);
	}
	rcu_read_unlock();
	if (flags < 0)
		return flags;
	if (memchr_inv((char *)words + known, 0, sizeof(words) - known))
		return -EINVAL;
	if (copy_to_user(user, words, known) ||
	    clear_user((char __user *)user + known, size - known))
		return -EFAULT;
	return flags;
}

/**
 * page_color_prctl - prctl(PR_PAGE_COLOR, ...)
 * @op: PR_PAGE_COLOR_*
 * @arg3: see Documentation/admin-guide/mm/page_color.rst
 * @arg4: as well
 * @arg5: as well
 *
 * Return: what @op says, or an error: -EINVAL for what is not known or not
 * zero, -EOPNOTSUPP while page colouring is switched off.
 */
long page_color_prctl(unsigned long op, unsigned long arg3, unsigned long arg4,
		      unsigned long arg5)
{
	if (op != PR_PAGE_COLOR_SET && arg5)
		return -EINVAL;
	if ((op == PR_PAGE_COLOR_AHEAD || op == PR_PAGE_COLOR_RESERVE) && arg4)
		return -EINVAL;
	if (op == PR_PAGE_COLOR_CLEAR || op == PR_PAGE_COLOR_COUNT) {
		if (arg3 || arg4)
			return -EINVAL;
	}
	if (!page_color_enabled())
		return op <= PR_PAGE_COLOR_RESERVE ? -EOPNOTSUPP : -EINVAL;

	switch (op) {
	case PR_PAGE_COLOR_COUNT:
		return page_color_nr(&page_color_map);
	case PR_PAGE_COLOR_SET:
		return set_colors((const u64 __user *)arg3, arg4, arg5);
	case PR_PAGE_COLOR_GET:
		return get_colors((u64 __user *)arg3, arg4);
	case PR_PAGE_COLOR_CLEAR:
		return clear_colors();
	case PR_PAGE_COLOR_MIGRATE:
		return page_color_recolor_range(arg3, arg4);
	case PR_PAGE_COLOR_AHEAD:
		return page_color_ahead_set(arg3);
	case PR_PAGE_COLOR_RESERVE:
		return page_color_reserve_set(arg3);
	}
	return -EINVAL;
}
