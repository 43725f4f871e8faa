/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_LINUX_H
#define _MM_PAGE_COLOR_LINUX_H

/*
 * What mm/page_color*.c use of Linux 6.12 by names that this version has no more.
 * internal.h or mm/Makefile includes it for these files, and for nothing else.
 */
#include <linux/fs_struct.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/pgtable.h>
#include <linux/vmstat.h>
#include "page_alloc.h"
#include "swap.h"

/* A type, or that the block is isolated: both are told by one call now. */
#define MIGRATETYPE_MASK	0
#define get_pfnblock_flags_mask(page, pfn, mask) \
	((int)get_pfnblock_migratetype(page, pfn) | (mask))

/* The last says which watermarks and zones it had. */
#define post_alloc_hook(page, order, gfp)	post_alloc_hook(page, order, gfp, ALLOC_DEFAULT)

#define __alloc_pages_node(nid, gfp, order)	alloc_pages_node(nid, gfp, order)

static inline bool is_cow_mapping(vm_flags_t flags)
{
	return (flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE;
}

/* Exact, where it was a guess. */
#define folio_likely_mapped_shared(folio)	folio_maybe_mapped_shared(folio)

/* The bit stands for each kind of protection that a monitor (userfaultfd) asks for. */
#define pte_uffd_wp(pte)			pte_uffd(pte)

#define ptep_clear_young_notify(vma, addr, pte) \
	test_and_clear_young_ptes_notify(vma, addr, pte, 1)
#define pmdp_clear_young_notify(vma, addr, pmd) \
	pmdp_test_and_clear_young_notify(vma, addr, pmd)

/* Free blocks of whole pageblocks are counted, also in the index. */
static inline void page_color_count_block(struct zone *zone, unsigned int order)
{
	if (order >= pageblock_order)
		__mod_zone_page_state(zone, NR_FREE_PAGES_BLOCKS, 1 << order);
}

#define page_color_count_block page_color_count_block

/* init has a root of its own; that of the first task, as of all of the kernel, is empty. */
static inline void get_fs_root_of_init(struct path *root)
{
	get_fs_root(userspace_init_fs, root);
}

#define get_fs_root(fs, root)			((void)(fs), get_fs_root_of_init(root))

#endif /* _MM_PAGE_COLOR_LINUX_H */
