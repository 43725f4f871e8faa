// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: compaction, asked for and by kcompactd, keeps colors and moves
 * pages that have some as it does others.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include "page_color_util.h"

/* Memory with holes in it, of colors or not, for compaction to fill. */
static char *holed(size_t size)
{
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	for (size_t i = 0; i < size; i += 2 * page_size)
		madvise(mem + i, page_size, MADV_DONTNEED);
	return mem;
}

/*
 * Compaction moves pages from the start of a zone to its end. So that colored
 * pages lie at the start, the rest is taken while they are allocated.
 */
static bool test_compaction(void)
{
	size_t rest = sysconf(_SC_PHYS_PAGES) / 6 * page_size, size = 64 * MB;
	char *plain = map_pages(rest), *mem;
	long moved;

	last_cpu();
	madvise(plain, rest, MADV_HUGEPAGE);
	touch(plain, rest, 1);
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = holed(size);
	munmap(plain, rest);
	moved = vm_event("pgmigrate_success");
	for (int i = 0; i < 3; i++)
		if (!write_file("/proc/sys/vm/compact_memory", "1"))
			return false;
	moved = vm_event("pgmigrate_success") - moved;
	ksft_print_msg("%ld pages moved\n", moved);
	return same(mem, size) && moved > 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Of a mapping whose frames were @was keep what was in the first quarter of these,
 * with holes in it, and compact. Pages go to blocks that are in use in part: of
 * each above one page is kept as well. Returns how many pages of the first quarter
 * are elsewhere then; @kept is of how many. Others compact meanwhile, too.
 */
static long compacted(char *mem, size_t size, uint64_t *was, long *kept)
{
	size_t n = size / page_size;
	uint64_t *is = malloc(n * sizeof(*is)), quarter;
	long moved = 0;

	if (!is)
		ksft_exit_fail_msg("no memory\n");
	memcpy(is, was, n * sizeof(*is));
	qsort(is, n, sizeof(*is), by_number);
	quarter = is[n / 4];
	ksft_print_msg("frames %#lx to %#lx, a quarter up to %#lx\n", (long)is[0],
		       (long)is[n - 1], (long)quarter);
	free(is);
	for (size_t i = 0; i < n; i++)
		if (was[i] > quarter ? was[i] % 512 : i % 2)
			madvise(mem + i * page_size, page_size, MADV_DONTNEED);
	for (int i = 0; i < 3; i++)
		if (!write_file("/proc/sys/vm/compact_memory", "1"))
			ksft_exit_fail_msg("no compaction\n");
	is = frames_of(mem, size);
	*kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (was[i] > quarter || i % 2)
			continue;
		++*kept;
		moved += was[i] != is[i];
	}
	free(was);
	free(is);
	return moved;
}

/*
 * The same of pages that are told by their frames. They go to the zone's end, also
 * if a high bit decides on their color and the last frames have others.
 */
static bool test_compaction_own(void)
{
	size_t size = sysconf(_SC_PHYS_PAGES) / 16 * page_size;
	unsigned long even[LONGS] = {};
	char *mem = map_pages(size);
	long moved, kept;

	every_second(even);
	last_cpu();
	if (set_colors(even, PR_PAGE_COLOR_STRICT))
		return false;
	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	moved = compacted(mem, size, frames_of(mem, size), &kept);
	ksft_print_msg("%ld of %ld pages moved\n", moved, kept);
	return !look(mem, size, even, false).wrong && kept && moved > kept / 2;
}

/* Pages that must stay, as their color is used up, do not keep others' where they are. */
static bool test_compaction_others(void)
{
	size_t pages = sysconf(_SC_PHYS_PAGES), size = pages / 32 * page_size;
	size_t fill = pages / nr_colors * 9 / 10 * page_size;
	char *plain = map_pages(size), *mem = map_pages(fill);
	long moved, kept, stayed;
	uint64_t *was;

	/* What others left below would go to the end of the zone first, and fill it. */
	if (!write_file("/proc/sys/vm/drop_caches", "1") ||
	    !write_file("/proc/sys/vm/compact_memory", "1"))
		return false;
	madvise(plain, size, MADV_NOHUGEPAGE);
	touch(plain, size, 1);
	was = frames_of(plain, size);
	if (set_colors(one, 0))
		return false;
	madvise(mem, fill, MADV_NOHUGEPAGE);
	touch(mem, fill, 1);
	stayed = read_long(DIR "stats/stayed");
	moved = compacted(plain, size, was, &kept);
	stayed = read_long(DIR "stats/stayed") - stayed;
	ksft_print_msg("%ld of %ld pages moved, %ld stayed for want of their color\n",
		       moved, kept, stayed);
	return stayed > 0 && kept && moved > kept / 2;
}

/*
 * kcompactd by itself, where half of a node is full of holes. It counts at its end;
 * whether it begins is its own decision.
 */
static bool test_proactive(void)
{
	size_t size = sysconf(_SC_PHYS_PAGES) / 8 * page_size;
	char *mem, was[16];
	long scanned;

	last_cpu();
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = holed(size);
	scanned = vm_event("compact_daemon_migrate_scanned");
	if (read_file(PROACTIVE, was, sizeof(was)) <= 0 || !write_file(PROACTIVE, "100"))
		return false;
	for (int i = 0; i < 300 && vm_event("compact_daemon_migrate_scanned") == scanned; i++)
		usleep(100000);
	sleep(1);
	write_file(PROACTIVE, was);
	scanned = vm_event("compact_daemon_migrate_scanned") - scanned;
	ksft_print_msg("%ld pages looked at by kcompactd\n", scanned);
	return same(mem, size);
}

int main(void)
{
	start(6);

	run("compaction", test_compaction);
	run("compaction, page by page", test_compaction_own);
	run("compaction of others' pages", test_compaction_others);
	run("proactive compaction", test_proactive);
	end_tests();
}
