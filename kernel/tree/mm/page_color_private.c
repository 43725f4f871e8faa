// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: own copies of pages of files, PR_PAGE_COLOR_PRIVATE.
 */
#include <linux/fs.h>
#include <linux/hugetlb_inline.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmu_notifier.h>
#include <linux/rmap.h>
#include <linux/shmem_fs.h>
#include <linux/swap.h>
#include <linux/userfaultfd_k.h>
#include "internal.h"
#include "page_color.h"

/*
 * Only what is in the page cache. Pages that a driver maps change under its
 * mappings, and some of them are mapped once and never again: those of PCI
 * resources are regular files of sysfs.
 */
static bool is_of_page_cache(struct vm_area_struct *vma)
{
	struct inode *inode = file_inode(vma->vm_file);

	if (vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP | VM_IO) ||
	    is_vm_hugetlb_page(vma) || !S_ISREG(inode->i_mode))
		return false;
	return inode->i_mapping->a_ops->read_folio || IS_DAX(inode) ||
	       shmem_mapping(inode->i_mapping);
}

/**
 * page_color_vma_is_private - does a process have its pages of a file for itself?
 * @vma: the mapping
 *
 * Pages of the page cache have the colors of whoever brought them in, and
 * others map them, too. So a process that asked for it gets copies, as if it
 * wrote to them. Only of mappings that have copies when they are written to:
 * what is mapped as shared stays so, also where the file was opened to be read
 * only, and others write to it.
 *
 * Return: true if so.
 */
bool page_color_vma_is_private(struct vm_area_struct *vma)
{
	const struct page_color_policy *policy;
	bool yes;

	if (!vma->vm_file || !is_cow_mapping(vma->vm_flags) ||
	    !is_of_page_cache(vma))
		return false;
	rcu_read_lock();
	policy = rcu_dereference(vma->vm_mm->page_color);
	yes = policy && policy->flags & PAGE_COLOR_PRIVATE;
	rcu_read_unlock();
	return yes;
}

/* Clear an entry that maps a page of a file, as munmap() does. */
static void drop_page(struct vm_area_struct *vma, unsigned long addr, pte_t *pte,
		      struct page *page)
{
	struct folio *folio = page_folio(page);
	pte_t entry = ptep_clear_flush(vma, addr, pte);

	if (pte_dirty(entry))
		folio_mark_dirty(folio);
	if (pte_young(entry) && vma_has_recency(vma))
		folio_mark_accessed(folio);
	folio_remove_rmap_pte(folio, page, vma);
	dec_mm_counter(vma->vm_mm, mm_counter_file(folio));
	folio_put(folio);
}

/**
 * page_color_drop_shared - unmap pages of the page cache, so that they are copied
 * @vma: the mapping
 * @pmd: a page table of it
 * @addr: the first address
 * @end: the first address behind them
 *
 * Does nothing if the process does not want copies, if the pages are to stay in
 * memory, or if a fault would be seen by a monitor (userfaultfd). What cannot be
 * had from the file again stays: pages that were copied when they were written
 * to, the zero page (UFFDIO_ZEROPAGE, KSM), pages in swap.
 *
 * Context: under mmap_lock.
 */
void page_color_drop_shared(struct vm_area_struct *vma, pmd_t *pmd,
			    unsigned long addr, unsigned long end)
{
	struct mmu_notifier_range range;
	pte_t *pte, *first;
	spinlock_t *ptl;	/* of the page table */

	if (!vma_wants_private(vma) || vma->vm_flags & VM_LOCKED ||
	    userfaultfd_armed(vma))
		return;
	mmu_notifier_range_init(&range, MMU_NOTIFY_CLEAR, 0, vma->vm_mm, addr, end);
	mmu_notifier_invalidate_range_start(&range);
	/* A huge page of a file is not mapped any more after this. */
	if (pmd_trans_huge(pmdp_get(pmd)))
		split_huge_pmd(vma, pmd, addr);
	first = pte_offset_map_lock(vma->vm_mm, pmd, addr, &ptl);
	for (pte = first; first && addr < end; pte++, addr += PAGE_SIZE) {
		pte_t entry = ptep_get(pte);
		struct page *page;

		if (!pte_present(entry) || pte_uffd_wp(entry))
			continue;
		page = vm_normal_page(vma, addr, entry);
		if (page && !PageAnon(page) && !is_zone_device_page(page))
			drop_page(vma, addr, pte, page);
	}
	if (first)
		pte_unmap_unlock(first, ptl);
	mmu_notifier_invalidate_range_end(&range);
}
