// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages that a process has move to its colors, by
 * PR_PAGE_COLOR_MIGRATE and cpuset.colors.migrate.
 *
 * Anybody may ask for it who has colors, of address spaces of any size, and
 * those who administrate cgroups ask for processes of others. So page tables are
 * walked in pieces: what is done under one hold of mmap_lock is bounded by
 * constants, what is not mapped is skipped by whole page tables, and between
 * pieces a signal that kills ends it. No CPU is told to do without its lists of
 * new pages all the while: they are drained once if pages were on them.
 */
#include <linux/file.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/page_color.h>
#include <linux/pagemap.h>
#include <linux/pagewalk.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <trace/events/page_color.h>
#include "internal.h"
#include "page_color.h"
#include "page_color_held.h"

/* Pages that are moved in one call of migrate_pages(). */
#define RECOLOR_BATCH	256
/* Entries of page tables, and mappings, looked at in one hold of mmap_lock. */
#define RECOLOR_LOOK	4096

/**
 * struct recolor - a process whose pages are moved
 * @mm: the process
 * @policy: its colors
 * @addr: what is below was looked at
 * @end: where it ends
 * @looked: entries since mmap_lock was taken
 * @pages: those that are isolated
 * @nr: how many
 * @large: a large folio that is to be split, with a reference
 * @file: that it is of, with a reference; NULL for anonymous memory
 * @index: the first page of @file that is mapped here by @large
 * @last: the last one, or what is beyond
 * @unsplit: the last one that could not be split, with a reference
 * @left: pages that cannot be moved
 * @unmapped: others that cannot, of folios of files that were to be split: no walk finds
 *	them
 * @missed: some of these were not on an LRU list
 * @full: nodes where no page of the colors was found: nothing more is reclaimed or
 *	evicted for one
 */
struct recolor {
	struct mm_struct *mm;
	struct page_color_policy *policy;
	unsigned long addr;
	unsigned long end;
	unsigned int looked;
	struct list_head pages;
	unsigned int nr;
	struct folio *large;
	struct file *file;
	pgoff_t index;
	pgoff_t last;
	struct folio *unsplit;
	unsigned long left;
	unsigned long unmapped;
	bool missed;
	nodemask_t full;
};

atomic_long_t page_color_recolored;

static bool wrong_color(struct folio *folio,
			const struct page_color_policy *policy)
{
	unsigned int c = page_color_of(&page_color_map, folio_pfn(folio));

	if (folio_test_large(folio))
		return !test_bit(c, policy->set.all[folio_order(folio)]);
	return !test_bit(c, policy->set.some[0]);
}

/* Of another process it stays on its node; one's own memory policy counts. */
static struct folio *recolor_alloc(struct folio *src, unsigned long private)
{
	gfp_t gfp = GFP_HIGHUSER_MOVABLE | __GFP_NOWARN;
	struct recolor *rc = (struct recolor *)private;
	const bool own = rc->mm == current->mm;
	int nid = own ? numa_mem_id() : folio_nid(src);
	struct folio *dst;

	if (fatal_signal_pending(current))
		return NULL;
	if (node_isset(nid, rc->full)) {
		/* Others would only give pages of other colors again. */
		if (!(rc->policy->flags & PAGE_COLOR_STRICT))
			return NULL;
		gfp &= ~__GFP_RECLAIM;
	}
	dst = own ? folio_alloc(gfp, 0) : __folio_alloc(gfp, 0, nid, NULL);
	/* Not from one wrong color to another. */
	if (dst && wrong_color(dst, rc->policy)) {
		folio_put(dst);
		dst = NULL;
	}
	if (!dst)
		node_set(nid, rc->full);
	trace_page_color_migrate(folio_pfn(src), dst ? folio_pfn(dst) : 0,
				 MR_SYSCALL);
	return dst;
}

/* The walk goes on from here after mmap_lock was released. */
static int pause_at(struct recolor *rc, unsigned long addr)
{
	rc->addr = addr;
	return -EAGAIN;
}

/*
 * The walk stops at a large folio, which is to be split. That unmaps pages of files:
 * which of them are mapped from here on is remembered.
 */
static int stop_at_large(struct recolor *rc, struct vm_area_struct *vma,
			 unsigned long addr)
{
	if (!folio_test_anon(rc->large) && vma->vm_file) {
		rc->file = get_file(vma->vm_file);
		rc->index = linear_page_index(vma, addr);
		rc->last = linear_page_index(vma, min(vma->vm_end, rc->end) - 1);
		rc->last = min(rc->last, rc->large->index +
			       folio_nr_pages(rc->large) - 1);
	}
	return pause_at(rc, addr);
}

/* A folio that is mapped by @nr entries. False if it is to be split first. */
static bool collect(struct recolor *rc, struct folio *folio, unsigned long nr)
{
	if (folio_is_zone_device(folio) || folio_test_hugetlb(folio) ||
	    !wrong_color(folio, rc->policy))
		return true;
	if (folio_likely_mapped_shared(folio) || folio == rc->unsplit) {
		rc->left += nr;
		return true;
	}
	if (folio_test_large(folio)) {
		folio_get(folio);
		rc->large = folio;
		return false;
	}
	if (!folio_isolate_lru(folio)) {
		rc->left += nr;
		rc->missed = true;
		return true;
	}
	list_add_tail(&folio->lru, &rc->pages);
	node_stat_add_folio(folio, NR_ISOLATED_ANON + folio_is_file_lru(folio));
	rc->nr++;
	return true;
}

static int collect_ptes(pmd_t *pmd, unsigned long addr, unsigned long end,
			struct mm_walk *walk)
{
	struct vm_area_struct *vma = walk->vma;
	struct recolor *rc = walk->private;
	pte_t *pte, *first;
	spinlock_t *ptl;	/* of the page table */
	bool go_on = true;

	page_color_drop_shared(vma, pmd, addr, end);
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	ptl = pmd_trans_huge_lock(pmd, vma);
	if (ptl) {
		struct folio *folio = NULL;

		if (pmd_present(*pmd))
			folio = vm_normal_folio_pmd(vma, addr, *pmd);
		if (folio)
			go_on = collect(rc, folio, (end - addr) / PAGE_SIZE);
		spin_unlock(ptl);
		if (!go_on)
			return stop_at_large(rc, vma, addr);
		return ++rc->looked < RECOLOR_LOOK ? 0 : pause_at(rc, end);
	}
#endif
	first = pte_offset_map_lock(walk->mm, pmd, addr, &ptl);
	if (!first) {
		walk->action = ACTION_AGAIN;
		return 0;
	}
	for (pte = first; addr < end && rc->nr < RECOLOR_BATCH; pte++, addr += PAGE_SIZE) {
		pte_t entry = ptep_get(pte);
		struct folio *folio = NULL;

		rc->looked++;
		if (pte_present(entry))
			folio = vm_normal_folio(vma, addr, entry);
		if (folio && !collect(rc, folio, 1)) {
			go_on = false;
			break;
		}
	}
	pte_unmap_unlock(first, ptl);
	if (!go_on)
		return stop_at_large(rc, vma, addr);
	if (rc->nr < RECOLOR_BATCH && rc->looked < RECOLOR_LOOK)
		return 0;
	return pause_at(rc, addr);
}

static int skip_hole(unsigned long addr, unsigned long next, int depth,
		     struct mm_walk *walk)
{
	struct recolor *rc = walk->private;

	return ++rc->looked < RECOLOR_LOOK ? 0 : pause_at(rc, next);
}

/* Memory of devices has no color, pages of hugetlb are of all colors. */
static int skip_mapping(unsigned long addr, unsigned long next,
			struct mm_walk *walk)
{
	struct vm_area_struct *vma = walk->vma;
	struct recolor *rc = walk->private;

	if (!(vma->vm_flags & (VM_PFNMAP | VM_IO)) && !is_vm_hugetlb_page(vma))
		return 0;
	return ++rc->looked < RECOLOR_LOOK ? 1 : pause_at(rc, next);
}

static const struct mm_walk_ops recolor_ops = {
	.test_walk	= skip_mapping,
	.pmd_entry	= collect_ptes,
	.pte_hole	= skip_hole,
	.walk_lock	= PGWALK_RDLOCK,
};

/* Move what was isolated; of others nothing is waited for that takes long. */
static void move_collected(struct recolor *rc)
{
	enum migrate_mode mode = rc->mm == current->mm ? MIGRATE_SYNC :
							 MIGRATE_SYNC_LIGHT;
	struct page_color_policy *scope = current->page_color_scope;
	unsigned int moved = 0;

	/* The task's colors, not those that the pages have. */
	current->page_color_scope = rc->policy;
	migrate_pages(&rc->pages, recolor_alloc, NULL, (unsigned long)rc, mode,
		      MR_SYSCALL, &moved);
	current->page_color_scope = scope;
	putback_movable_pages(&rc->pages);
	atomic_long_add(moved, &page_color_recolored);
	rc->left += rc->nr - moved;
	rc->nr = 0;
}

/*
 * Move the pages that a folio of a file was split into. None of them is mapped now:
 * they are looked up in the file, and mapped by the next fault.
 */
static void move_pages_of_file(struct recolor *rc, struct file *file)
{
	unsigned long left;
	pgoff_t index;

	if (rc->nr)
		move_collected(rc);
	left = rc->left;
	for (index = rc->index; index <= rc->last; index++) {
		struct folio *folio = filemap_get_folio(file->f_mapping, index);

		if (IS_ERR(folio))
			continue;
		/*
		 * Of blocks that are larger than a page, or made again by others; or they
		 * have mapped it meanwhile.
		 */
		if (folio_test_large(folio) || page_color_is_of_others(folio, rc->mm))
			rc->left++;
		else
			collect(rc, folio, 1);
		folio_put(folio);
		if (rc->nr == RECOLOR_BATCH)
			move_collected(rc);
	}
	if (rc->nr)
		move_collected(rc);
	rc->unmapped += rc->left - left;
	rc->left = left;
}

/* Split the folio at which the walk has stopped. */
static void split_large(struct recolor *rc)
{
	struct folio *folio = rc->large;
	struct file *file = rc->file;
	bool done = false;

	rc->large = NULL;
	rc->file = NULL;
	if (folio_trylock(folio)) {
		done = !folio_test_large(folio) ||
		       page_color_split_own(folio, rc->mm, rc->addr, rc->end,
					    &rc->unmapped);
		folio_unlock(folio);
	}
	if (done) {
		folio_put(folio);
		if (file)
			move_pages_of_file(rc, file);
	} else {
		if (rc->unsplit)
			folio_put(rc->unsplit);
		rc->unsplit = folio;
	}
	if (file)
		fput(file);
}

static bool is_over(struct mm_struct *mm)
{
	/* Of another process that has exited by now the reference is ours alone. */
	return mm != current->mm && atomic_read(&mm->mm_users) == 1;
}

static int recolor_pass(struct recolor *rc, unsigned long start, unsigned long end)
{
	lru_add_drain();
	rc->addr = start;
	rc->end = end;
	rc->left = 0;
	while (rc->addr < end && !is_over(rc->mm)) {
		struct page_color_held *held = page_color_migration_begin();

		if (IS_ERR(held))
			return PTR_ERR(held);
		if (fatal_signal_pending(current) || mmap_read_lock_killable(rc->mm)) {
			page_color_migration_end(held);
			return -EINTR;
		}
		rc->looked = 0;
		if (!walk_page_range(rc->mm, rc->addr, end, &recolor_ops, rc))
			rc->addr = end;
		mmap_read_unlock(rc->mm);
		if (rc->large)
			split_large(rc);
		if (rc->nr)
			move_collected(rc);
		page_color_migration_end(held);
		cond_resched();
	}
	return 0;
}

/* Returns how many pages of the range still have another color. */
static long recolor(struct mm_struct *mm, struct page_color_policy *policy,
		    unsigned long start, unsigned long end)
{
	struct recolor rc = {
		.mm = mm,
		.policy = policy,
		.pages = LIST_HEAD_INIT(rc.pages),
	};
	int err;

	err = recolor_pass(&rc, start, end);
	/* New pages are on lists of CPUs before they are on an LRU list. */
	if (!err && rc.missed && !is_over(mm)) {
		lru_add_drain_all();
		err = recolor_pass(&rc, start, end);
	}
	if (rc.unsplit)
		folio_put(rc.unsplit);
	return err ?: min_t(unsigned long, rc.left + rc.unmapped, INT_MAX);
}

/**
 * page_color_recolor_range - PR_PAGE_COLOR_MIGRATE
 * @start: the first address
 * @len: how many bytes
 *
 * Return: how many pages could not be moved, or an error: -EINVAL for a range
 * that is none, -ENODATA without colors, -EINTR.
 */
long page_color_recolor_range(unsigned long start, unsigned long len)
{
	struct page_color_policy *policy;
	unsigned long end;
	long left;

	if (!PAGE_ALIGNED(start) || PAGE_ALIGN(len) < len ||
	    check_add_overflow(start, PAGE_ALIGN(len), &end))
		return -EINVAL;
	policy = page_color_policy_at(&current->page_color);
	if (!policy)
		return -ENODATA;
	left = recolor(current->mm, policy, start, min(end, current->mm->task_size));
	page_color_policy_put(policy);
	return left;
}

/**
 * page_color_recolor_mm - move the pages of a process to its colors
 * @mm: the process
 *
 * Return: how many could not be moved, or -EINTR.
 */
long page_color_recolor_mm(struct mm_struct *mm)
{
	struct page_color_policy *policy = page_color_policy_at(&mm->page_color);
	long left = 0;

	if (policy)
		left = recolor(mm, policy, 0, mm->task_size);
	page_color_policy_put(policy);
	return left;
}
