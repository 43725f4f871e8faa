// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: policies of tasks, and recolouring what they have.
 */
#include <linux/capability.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/page_color.h>
#include <linux/pagewalk.h>
#include <linux/prctl.h>
#include <linux/swap.h>
#include <linux/uaccess.h>
#include "internal.h"
#include "page_color.h"

/* Pages that are moved in one call of migrate_pages(). */
#define RECOLOR_BATCH	256

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

/* Memory that goes away or is broken: the page moves in any case. */
static bool must_move(int reason)
{
	return reason == MR_MEMORY_HOTPLUG || reason == MR_MEMORY_FAILURE ||
	       reason == MR_CONTIG_RANGE || reason == MR_LONGTERM_PIN;
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
	struct page_color_policy *policy = NULL;
	struct folio *dst;

	/* A scope is there already if pages are moved to other colours. */
	if (!page_color_enabled() || current->page_color_scope)
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
	current->page_color_scope = NULL;

	if (policy && !dst)
		page_color_count(folio_zone(src), PAGE_COLOR_STAYED);
	else if (policy && page_color_of(&page_color_map, folio_pfn(dst)) ==
			   page_color_of(&page_color_map, folio_pfn(src)))
		page_color_count(folio_zone(src), PAGE_COLOR_KEPT);
	else if (policy)
		page_color_count(folio_zone(src), PAGE_COLOR_LOST);
	page_color_policy_put(policy);
	return dst;
}

static long set_colors(const unsigned long __user *user, unsigned long size,
		       unsigned long flags)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX) = {};
	struct page_color_policy *policy;

	if (flags & ~PAGE_COLOR_STRICT)
		return -EINVAL;
	if (!size || size % sizeof(long) || size > sizeof(colors))
		return -EINVAL;
	if (copy_from_user(colors, user, size))
		return -EFAULT;
	/* Colours of one's own are taken away from all others. */
	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	policy = page_color_policy_create(colors, flags);
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	replace_policy(current, policy);
	set_mm_policy(current->mm, get_policy(&current->page_color));
	return 0;
}

/* Returns the flags, or -ENODATA without a policy. */
static long get_colors(unsigned long __user *user, unsigned long size)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	struct page_color_policy *policy;
	long flags = -ENODATA;

	if (size != sizeof(colors))
		return -EINVAL;
	rcu_read_lock();
	policy = rcu_dereference(current->page_color);
	if (policy) {
		bitmap_copy(colors, policy->set.some[0], PAGE_COLOR_MAX);
		flags = policy->flags;
	}
	rcu_read_unlock();
	if (flags >= 0 && copy_to_user(user, colors, size))
		return -EFAULT;
	return flags;
}

static bool wrong_color(struct folio *folio,
			const struct page_color_policy *policy)
{
	unsigned int c = page_color_of(&page_color_map, folio_pfn(folio));

	if (folio_test_large(folio))
		return !test_bit(c, policy->set.all[folio_order(folio)]);
	return !test_bit(c, policy->set.some[0]);
}

static struct folio *recolor_alloc(struct folio *src, unsigned long private)
{
	return folio_alloc(GFP_HIGHUSER_MOVABLE | __GFP_NOWARN, 0);
}

/* Split a large folio that is mapped at @addr; the caller has looked at it. */
static bool recolor_split(struct folio *folio)
{
	bool done = false;

	if (folio_trylock(folio)) {
		done = !split_folio(folio);
		folio_unlock(folio);
	}
	return done;
}

/*
 * Isolate up to RECOLOR_BATCH pages of @vma from *@addr on that have a wrong
 * colour and belong to this process alone. Counts those that cannot be moved.
 */
static unsigned int recolor_collect(struct vm_area_struct *vma,
				    unsigned long *addr, unsigned long end,
				    const struct page_color_policy *policy,
				    struct list_head *pages, unsigned long *left)
{
	unsigned int n = 0;

	for (; *addr < end && n < RECOLOR_BATCH; *addr += PAGE_SIZE) {
		struct folio_walk fw;
		struct folio *folio;
		bool split;

again:
		folio = folio_walk_start(&fw, vma, *addr, 0);
		if (!folio)
			continue;
		if (folio_is_zone_device(folio) || folio_test_hugetlb(folio) ||
		    !wrong_color(folio, policy)) {
			folio_walk_end(&fw, vma);
			continue;
		}
		split = folio_test_large(folio);
		if (folio_likely_mapped_shared(folio) ||
		    (!split && !folio_isolate_lru(folio))) {
			folio_walk_end(&fw, vma);
			++*left;
			continue;
		}
		if (split) {
			folio_get(folio);
			folio_walk_end(&fw, vma);
			split = recolor_split(folio);
			folio_put(folio);
			if (split)
				goto again;
			++*left;
			continue;
		}
		list_add_tail(&folio->lru, pages);
		node_stat_add_folio(folio, NR_ISOLATED_ANON +
				    folio_is_file_lru(folio));
		folio_walk_end(&fw, vma);
		n++;
	}
	return n;
}

/* Returns how many pages of the range still have another colour. */
static long recolor(unsigned long start, unsigned long len)
{
	struct mm_struct *mm = current->mm;
	struct page_color_policy *policy;
	unsigned long addr, end, left = 0;
	long err = 0;

	if (!PAGE_ALIGNED(start) || check_add_overflow(start, PAGE_ALIGN(len), &end))
		return -EINVAL;
	policy = get_policy(&current->page_color);
	if (!policy)
		return -ENODATA;

	lru_cache_disable();
	for (addr = start; addr < end && !err;) {
		struct vm_area_struct *vma;
		LIST_HEAD(pages);
		unsigned int n = 0, moved = 0;

		if (mmap_read_lock_killable(mm)) {
			err = -EINTR;
			break;
		}
		vma = find_vma_intersection(mm, addr, end);
		if (vma) {
			addr = max(addr, vma->vm_start);
			if (vma->vm_flags & (VM_PFNMAP | VM_IO))
				addr = vma->vm_end;
			else
				n = recolor_collect(vma, &addr, min(end, vma->vm_end),
						    policy, &pages, &left);
		} else {
			addr = end;
		}
		mmap_read_unlock(mm);
		if (n) {
			/* The task's colours, not those that the pages have. */
			current->page_color_scope = policy;
			migrate_pages(&pages, recolor_alloc, NULL, 0, MIGRATE_SYNC,
				      MR_SYSCALL, &moved);
			current->page_color_scope = NULL;
			putback_movable_pages(&pages);
			left += n - moved;
		}
		cond_resched();
	}
	lru_cache_enable();
	page_color_policy_put(policy);
	return err ?: min_t(unsigned long, left, INT_MAX);
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
	if (op == PR_PAGE_COLOR_CLEAR || op == PR_PAGE_COLOR_COUNT) {
		if (arg3 || arg4)
			return -EINVAL;
	}
	if (!page_color_enabled())
		return op <= PR_PAGE_COLOR_MIGRATE ? -EOPNOTSUPP : -EINVAL;

	switch (op) {
	case PR_PAGE_COLOR_COUNT:
		return page_color_nr(&page_color_map);
	case PR_PAGE_COLOR_SET:
		return set_colors((const unsigned long __user *)arg3, arg4, arg5);
	case PR_PAGE_COLOR_GET:
		return get_colors((unsigned long __user *)arg3, arg4);
	case PR_PAGE_COLOR_CLEAR:
		page_color_exit(current);
		page_color_mm_exit(current->mm);
		return 0;
	case PR_PAGE_COLOR_MIGRATE:
		return recolor(arg3, arg4);
	}
	return -EINVAL;
}
