/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks of order 10 that are free as a whole, and what keeps others from being
 * so, page by page from /proc/kpageflags and /proc/kpagecount.
 */
#ifndef PAGE_COLOR_BLOCKS_H
#define PAGE_COLOR_BLOCKS_H

#include "page_color_util.h"

#define BLOCK		1024
#define MAX_BLOCKS	65536
/* Bits of /proc/kpageflags. */
#define KPF_LRU		0x20
#define KPF_SLAB	0x80
#define KPF_BUDDY	0x400
#define KPF_MMAP	0x800
#define KPF_ANON	0x1000
#define KPF_USER	(KPF_LRU | KPF_MMAP | KPF_ANON)
#define KPF_PGTABLE	0x4000000

/**
 * struct in_use - pages that are not free
 * @all_user: mapped, anonymous or on an LRU list, in all memory
 * @user: these in blocks that were free before, to where they were moved
 * @slab: of slab, in such blocks, as are all that follow
 * @tables: page tables
 * @kernel: with another user that is no task: stacks, vmalloc, percpu
 * @held: blocks with slab, page tables or other pages of the kernel
 * @unused: without a user, but not free: on per-CPU lists, or lost
 */
struct in_use {
	long all_user, user, slab, tables, kernel, unused, held;
};

static unsigned char whole[MAX_BLOCKS];

/* What slab keeps in its pages may look like KPF_ANON. */
static inline bool is_user(uint64_t flags)
{
	return flags & KPF_USER && !(flags & KPF_SLAB);
}

static inline void count_page(struct in_use *n, int counts, uint64_t flags,
			      uint64_t pfn)
{
	uint64_t users = 0;

	if (is_user(flags))
		n->user++;
	else if (flags & KPF_SLAB)
		n->slab++;
	else if (flags & KPF_PGTABLE)
		n->tables++;
	else if (pread(counts, &users, 8, pfn * 8) == 8 && users)
		n->kernel++;
	else
		n->unused++;
}

/*
 * Count the blocks that are free as a whole, and note them if @first, otherwise
 * look at the pages in noted blocks that are not free now.
 *
 * Return: the number, or -1 if it cannot be read.
 */
static inline long whole_blocks(struct in_use *n, bool first)
{
	int flags = open("/proc/kpageflags", O_RDONLY);
	int counts = open("/proc/kpagecount", O_RDONLY);
	static uint64_t block[BLOCK];
	long blocks = 0;

	*n = (struct in_use) {};
	if (flags < 0 || counts < 0)
		return -1;
	for (uint64_t b = 0; b < MAX_BLOCKS; b++) {
		int used = 0;
		long kernel;

		if (read(flags, block, sizeof(block)) != sizeof(block))
			break;
		for (int i = 0; i < BLOCK; i++) {
			used += !(block[i] & KPF_BUDDY);
			n->all_user += is_user(block[i]);
		}
		blocks += !used;
		if (first)
			whole[b] = !used;
		kernel = n->slab + n->tables + n->kernel;
		for (int i = 0; whole[b] && used && i < BLOCK; i++)
			if (!(block[i] & KPF_BUDDY))
				count_page(n, counts, block[i], b * BLOCK + i);
		n->held += n->slab + n->tables + n->kernel > kernel;
	}
	close(flags);
	close(counts);
	return blocks;
}

/* What waits in batches and lists of the CPUs, and caches, is not in use. */
static inline void flush(void)
{
	write_file("/proc/sys/vm/drop_caches", "3");
	drain();
}

static inline long blocks_before(struct in_use *n)
{
	/* What the test itself needs later counts as before. */
	memset(whole, 0, sizeof(whole));
	write_file("/proc/sys/vm/compact_memory", "1");
	flush();
	return whole_blocks(n, true);
}

/*
 * Are the blocks back that blocks_before() saw?
 *
 * What is free must be merged at once. Nobody may have more user memory than
 * before; what others have may have been moved into these blocks, so it is
 * moved together again. What is in use then must be the kernel's, which
 * allocates while the tests run, also from blocks that these split, and keeps
 * some of it: slab, stacks, per-CPU lists. None of this is ever colored.
 */
static inline bool blocks_are_back(long before, const struct in_use *was)
{
	long at_once, merged, after, percpu, stacks = 0;
	struct in_use n;

	/* The machine does not stand still while its pages are read. */
	for (int i = 0; i < 5; i++) {
		flush();
		at_once = whole_blocks(&n, false);
		merged = large_blocks();
		if (merged >= at_once)
			break;
	}
	write_file("/proc/sys/vm/compact_memory", "1");
	flush();
	after = whole_blocks(&n, false);
	percpu = percpu_pages();
#ifdef __aarch64__
	/* Those of threads have no user in /proc/kpagecount, and are many there. */
	stacks = vm_event("nr_kernel_stack") * 1024 / (long)page_size;
#endif
	ksft_print_msg("blocks of order 10: %ld before, %ld at once (%ld merged), %ld after\n",
		       before, at_once, merged, after);
	ksft_print_msg("user pages: %ld before, %ld after\n", was->all_user,
		       n.all_user);
	ksft_print_msg("in other blocks: user %ld, slab %ld, tables %ld, kernel %ld (%ld blocks)\n",
		       n.user, n.slab, n.tables, n.kernel, n.held);
	ksft_print_msg("in other blocks: unused %ld (per CPU %ld, stacks %ld)\n",
		       n.unused, percpu, stacks);
	/* A few pages for reading what is compared. */
	return before > 0 && merged >= at_once && n.unused <= percpu + stacks &&
	       n.all_user <= was->all_user + 32 &&
	       after + n.held >= before - before / 100;
}

#endif /* PAGE_COLOR_BLOCKS_H */
