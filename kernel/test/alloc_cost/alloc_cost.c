// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the allocation of a page costs, without the page fault around it, in
 * ticks of the time stamp counter: one size of PALLOC's table I (PAL-9).
 *
 * insmod alloc_cost.ko mib=N takes N MiB page by page for the thread that loads
 * it, with its colors, and gives them back. Then its parameters say:
 *   mean     ticks per page
 *   longest  ticks of the dearest page
 * Interrupts are off during each allocation, so the allocator's work is all that
 * is counted.
 */
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <asm/msr.h>

static unsigned int mib;
module_param(mib, uint, 0444);
static unsigned long mean;
module_param(mean, ulong, 0444);
static unsigned long longest;
module_param(longest, ulong, 0444);

/* As anonymous memory is taken; nothing that sleeps, as interrupts are off. */
#define GFP	((GFP_HIGHUSER_MOVABLE | __GFP_NOWARN) & ~__GFP_DIRECT_RECLAIM)

static void free_pages_of(struct list_head *pages)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, pages, lru) {
		list_del(&page->lru);
		__free_page(page);
		cond_resched();
	}
}

static int __init alloc_cost_init(void)
{
	unsigned long n = (unsigned long)mib << (20 - PAGE_SHIFT);
	unsigned long i;
	LIST_HEAD(pages);
	u64 sum = 0;

	if (!n)
		return -EINVAL;
	for (i = 0; i < n; i++) {
		unsigned long flags;
		struct page *page;
		u64 ticks;

		local_irq_save(flags);
		ticks = rdtsc();
		page = alloc_page(GFP);
		ticks = rdtsc() - ticks;
		local_irq_restore(flags);
		if (!page) {
			free_pages_of(&pages);
			return -ENOMEM;
		}
		list_add(&page->lru, &pages);
		sum += ticks;
		longest = max_t(unsigned long, longest, ticks);
		cond_resched();
	}
	mean = div64_u64(sum, n);
	free_pages_of(&pages);
	return 0;
}
module_init(alloc_cost_init);

/* Without this it could not be unloaded. */
static void __exit alloc_cost_exit(void)
{
}
module_exit(alloc_cost_exit);

MODULE_DESCRIPTION("Cost of a page allocation");
MODULE_LICENSE("GPL");
