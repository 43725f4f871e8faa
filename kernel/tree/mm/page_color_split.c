// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: large folios that are to be moved.
 *
 * They are split for that, which unmaps those of files, from everybody. So who has them
 * mapped is looked up by the reverse mapping: what the counters of a folio tell is a
 * guess where single pages of it are mapped.
 */
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include "internal.h"
#include "page_color.h"

/* Who has a folio mapped: others than @mm, and that in how many entries of a range. */
struct mappings {
	struct mm_struct *mm;
	unsigned long start;
	unsigned long end;
	unsigned long nr;
	bool others;
};

static unsigned long entries_in_range(const struct mappings *maps, unsigned long addr,
				      unsigned long size)
{
	unsigned long from = max(addr, maps->start), to = min(addr + size, maps->end);

	return from < to ? (to - from) / PAGE_SIZE : 0;
}

static bool look_at_mapping(struct folio *folio, struct vm_area_struct *vma,
			    unsigned long addr, void *arg)
{
	DEFINE_FOLIO_VMA_WALK(pvmw, folio, vma, addr, 0);
	struct mappings *maps = arg;

	while (page_vma_mapped_walk(&pvmw)) {
		if (vma->vm_mm != maps->mm) {
			maps->others = true;
			page_vma_mapped_walk_done(&pvmw);
			return false;
		}
		maps->nr += entries_in_range(maps, pvmw.address,
					     pvmw.pte ? PAGE_SIZE : PMD_SIZE);
	}
	return true;
}

/* The folio is locked: nobody maps pages of a file meanwhile. */
static void find_mappings(struct folio *folio, struct mappings *maps)
{
	struct rmap_walk_control rwc = {
		.rmap_one = look_at_mapping,
		.anon_lock = folio_lock_anon_vma_read,
		.arg = maps,
	};

	if (folio_mapped(folio))
		rmap_walk(folio, &rwc);
}

/**
 * page_color_split_own - split a folio, if it is of a file only for its one user
 * @folio: the folio, large and locked
 * @mm: who is to have it mapped
 * @start: where entries of page tables are counted
 * @end: up to here
 * @lost: to which those are added that are gone though it is not split
 *
 * Return: true if it is split.
 */
bool page_color_split_own(struct folio *folio, struct mm_struct *mm, unsigned long start,
			  unsigned long end, unsigned long *lost)
{
	struct mappings before = { .mm = mm, .start = start, .end = end };
	struct mappings after = before;

	if (folio_test_anon(folio))
		return page_color_split_folio(folio);
	find_mappings(folio, &before);
	if (before.others)
		return false;
	if (page_color_split_folio(folio))
		return true;
	find_mappings(folio, &after);
	*lost += before.nr - min(before.nr, after.nr);
	return false;
}

/**
 * page_color_is_of_others - has anybody else a folio mapped?
 * @folio: the folio
 * @mm: who does not count
 *
 * Return: true if so, or if that cannot be told just now.
 */
bool page_color_is_of_others(struct folio *folio, struct mm_struct *mm)
{
	struct mappings maps = { .mm = mm };

	if (!folio_mapped(folio))
		return false;
	if (!folio_trylock(folio))
		return true;
	find_mappings(folio, &maps);
	folio_unlock(folio);
	return maps.others;
}
