// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: large folios of tasks with colors. Orders whose blocks can be
 * without other colors are allowed, others are not.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and
 * huge pages.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include "page_color_kinds.h"

#define THP		HUGE_PAGES
#define PMD_ORDER	9

/* A set of colors, the largest order that fits it, found by trying frames. */
static unsigned long fits[LONGS];
static int fit;
static char *others_pages;

/* Is there a block of this order without other colors? In the first 256 MiB. */
static bool order_fits(const unsigned long *set, int order)
{
	uint64_t size = page_size << order, start = nr_ranges ? ranges[0].start : 0;

	for (uint64_t block = start; block < start + 256 * MB; block += size) {
		uint64_t phys = block;

		while (phys < block + size && has(set, color_of(phys)))
			phys += page_size;
		if (phys == block + size)
			return true;
	}
	return false;
}

/* The shortest run of colors from 0 on that has blocks of an order; not all colors. */
static bool choose(int order)
{
	for (int n = 1; n < nr_colors; n *= 2) {
		memset(fits, 0, sizeof(fits));
		for (int c = 0; c < n; c++)
			add(fits, c);
		if (!order_fits(fits, order))
			continue;
		for (fit = order; fit < PMD_ORDER && order_fits(fits, fit + 1); fit++)
			;
		return true;
	}
	return false;
}

/* Sizes that the kernel has, by order. */
static void allow(int order, const char *when)
{
	char path[128];

	snprintf(path, sizeof(path), THP "hugepages-%zukB/enabled",
		 (page_size << order) / 1024);
	write_file(path, when);
}

static void allow_all(const char *when)
{
	for (int order = 1; order <= PMD_ORDER; order++)
		allow(order, when);
}

/* Aligned to the largest size that is asked for. */
static char *aligned(size_t size)
{
	char *mem = map_pages(size + 2 * MB);

	return mem + -(uintptr_t)mem % (2 * MB);
}

/* How many aligned blocks of a mapping are blocks of frames as well. */
static long whole_blocks(const char *mem, size_t size, int order)
{
	const uint64_t mask = (1ULL << 55) - 1;
	int fd = open("/proc/self/pagemap", O_RDONLY);
	long blocks = 0;

	for (size_t i = 0; i < size; i += page_size << order) {
		uint64_t first = page_entry(fd, mem + i, true);
		bool whole = first >> 63 && !(first & mask & ((1ULL << order) - 1));

		for (size_t j = 1; whole && j < 1UL << order; j++) {
			uint64_t entry = page_entry(fd, mem + i + j * page_size, true);

			whole = entry >> 63 && (entry & mask) == (first & mask) + j;
		}
		blocks += whole;
	}
	close(fd);
	return blocks;
}

/* Touch a mapping with the chosen colors; how many large folios that took. */
static bool take(char *mem, size_t size, long *large)
{
	long before = read_long(DIR "stats/large");

	if (set_colors(fits, PR_PAGE_COLOR_STRICT))
		return false;
	madvise(mem, size, MADV_HUGEPAGE);
	touch(mem, size, 1);
	*large = read_long(DIR "stats/large") - before;
	return true;
}

/* All sizes are allowed by the administrator; a task gets those that fit. */
static bool faults(int order)
{
	size_t size = 4 * MB;
	char *mem = aligned(size);
	long large, blocks;

	if (!choose(order)) {
		ksft_print_msg("no colors have blocks of order %d\n", order);
		return order == PMD_ORDER;
	}
	if (!take(mem, size, &large))
		return false;
	blocks = whole_blocks(mem, size, fit);
	ksft_print_msg("order %d: %ld folios, %ld of %zu blocks\n", fit, large, blocks,
		       size / (page_size << fit));
	/* Few places have none that is free and whole. */
	return pure(mem, size, fits, "large folios") && large > 0 &&
	       blocks >= (long)(size / (page_size << fit)) / 2;
}

static bool test_small(void)
{
	return faults(2);
}

static bool test_middle(void)
{
	return faults(4);
}

static bool test_pmd(void)
{
	return faults(PMD_ORDER);
}

/* Every second color: bit 13 decides between them on each map, so no block fits. */
static bool test_refused(void)
{
	size_t size = 4 * MB;
	char *mem = aligned(size);
	long large;

	memset(fits, 0, sizeof(fits));
	every_second(fits);
	if (order_fits(fits, 2) || !take(mem, size, &large))
		return false;
	if (!madvise(mem, size, MADV_COLLAPSE)) {
		ksft_print_msg("collapsed\n");
		return false;
	}
	return pure(mem, size, fits, "refused") && !whole_blocks(mem, size, 2) && !large;
}

/* MADV_COLLAPSE as faults: where a huge page fits it makes one. */
static bool test_collapse(void)
{
	size_t size = 4 * MB;
	char *mem = aligned(size);
	bool can = choose(PMD_ORDER);
	long blocks;
	int err;

	if (!can)
		memcpy(fits, half, sizeof(fits));
	if (set_colors(fits, PR_PAGE_COLOR_STRICT))
		return false;
	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	madvise(mem, size, MADV_HUGEPAGE);
	err = madvise(mem, size, MADV_COLLAPSE) ? errno : 0;
	blocks = whole_blocks(mem, size, PMD_ORDER);
	ksft_print_msg("collapse: %s, %ld huge pages\n", strerror(err), blocks);
	return pure(mem, size, fits, "collapse") &&
	       (can ? !err && blocks == 2 : err && !blocks);
}

/* The same by khugepaged, which has no colors, within 30 s. */
static bool test_khugepaged(void)
{
	size_t size = 4 * MB;
	char *mem = aligned(size), *first = aligned(size);
	bool can = choose(PMD_ORDER);
	long blocks = 0, scans;

	if (!can)
		memcpy(fits, half, sizeof(fits));
	/* With its first huge page a process is on khugepaged's list. */
	madvise(first, size, MADV_HUGEPAGE);
	touch(first, size, 1);
	if (set_colors(fits, PR_PAGE_COLOR_STRICT))
		return false;
	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	scans = read_long(THP "khugepaged/full_scans");
	if (!write_file(THP "khugepaged/scan_sleep_millisecs", "10") ||
	    !write_file(THP "khugepaged/pages_to_scan", "65536"))
		return false;
	madvise(mem, size, MADV_HUGEPAGE);
	for (int i = 0; i < 300 && blocks < 2; i++) {
		/* The first may have begun before there was anything to do. */
		if (!can && read_long(THP "khugepaged/full_scans") > scans + 2)
			break;
		usleep(100000);
		blocks = whole_blocks(mem, size, PMD_ORDER);
	}
	scans = read_long(THP "khugepaged/full_scans") - scans;
	write_file(THP "khugepaged/scan_sleep_millisecs", "10000");
	write_file(THP "khugepaged/pages_to_scan", "4096");
	ksft_print_msg("%ld times all looked at, %ld huge pages\n", scans, blocks);
	return pure(mem, size, fits, "khugepaged") && (can ? blocks == 2 : scans > 2 && !blocks);
}

/* A thread that has all other colors, and keeps them. */
static void *other_thread(void *arg)
{
	unsigned long rest[LONGS] = {};
	int *done = arg;

	add_rest(rest, fits);
	if (!set_colors(rest, PR_PAGE_COLOR_STRICT))
		touch(others_pages, 4 * MB, 1);
	if (write(done[1], pure(others_pages, 4 * MB, rest, "thread") ? "y" : "n", 1) == 1)
		pause();
	return NULL;
}

/* Pages of a thread are not copied to the colors of the one that set its own last. */
static bool test_threads(void)
{
	size_t size = 4 * MB;
	bool can = choose(PMD_ORDER);
	pthread_t thread;
	uint64_t *was, *is;
	int done[2], err;
	char c = 'n';

	if (!can)
		memcpy(fits, half, sizeof(fits));
	others_pages = aligned(size);
	madvise(others_pages, size, MADV_NOHUGEPAGE);
	if (pipe(done) || pthread_create(&thread, NULL, other_thread, done) ||
	    read(done[0], &c, 1) != 1 || c != 'y' || set_colors(fits, PR_PAGE_COLOR_STRICT))
		return false;
	was = frames_of(others_pages, size);
	madvise(others_pages, size, MADV_HUGEPAGE);
	err = madvise(others_pages, size, MADV_COLLAPSE) ? errno : 0;
	is = frames_of(others_pages, size);
	ksft_print_msg("collapse: %s\n", strerror(err));
	return err && !memcmp(was, is, size / page_size * sizeof(*was));
}

/* To another node as large folios, in the same colors. */
static bool test_move(void)
{
	size_t size = 4 * MB, moved = 0;
	char *mem = aligned(size);
	long large, kept, blocks;
	int to;

	if (!choose(4) || !take(mem, size, &large))
		return false;
	to = node_of(mem) ? 0 : 1;
	kept = read_long(DIR "stats/kept");
	for (size_t i = 0; i < size; i += page_size) {
		void *page = mem + i;
		int status;

		syscall(SYS_move_pages, 0, 1UL, &page, &to, &status, 0);
	}
	for (size_t i = 0; i < size; i += page_size)
		moved += node_of(mem + i) == to;
	kept = read_long(DIR "stats/kept") - kept;
	blocks = whole_blocks(mem, size, fit);
	ksft_print_msg("%zu of %zu pages moved, %ld blocks, %ld times colors kept\n",
		       moved, size / page_size, blocks, kept);
	return pure(mem, size, fits, "moved") && moved > size / page_size / 2 &&
	       kept > 0 && blocks > 0;
}

/*
 * Pages of a file that were brought in as huge pages, by a task without colors: they
 * are split, which unmaps them, and moved all the same.
 */
static bool test_file(void)
{
	const size_t size = 4 * MB;
	char *mem = aligned(size);
	unsigned long even[LONGS] = {};
	long left, blocks;
	int fd;

	every_second(even);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("huge", "/tmp", "tmpfs", 0, "huge=always"))
		return false;
	fd = open("/tmp/page_color", O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, size) ||
	    mmap(mem, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != mem)
		return false;
	write_words(mem, size);
	blocks = whole_blocks(mem, size, PMD_ORDER);
	if (set_colors(even, PR_PAGE_COLOR_STRICT))
		return false;
	left = move_to_colors(mem, size);
	ksft_print_msg("%ld huge pages of the file, %ld pages left\n", blocks, left);
	/* Whoever looks through memory, as khugepaged does, holds a page for a moment. */
	for (int i = 0; left && i < 3; i++) {
		usleep(100000);
		left = move_to_colors(mem, size);
	}
	for (size_t i = 0; i < size; i += page_size)
		peek(mem + i);
	return blocks == 2 && !left && pure(mem, size, even, "of a file") &&
	       words_are_right(mem, size, "of a file");
}

/* A child's copies, and what is left of large folios of which parts are given back. */
static bool test_split(void)
{
	size_t size = 4 * MB;
	char *mem = aligned(size);
	int status;
	long large;
	pid_t pid;

	if (!choose(4) || !take(mem, size, &large))
		return false;
	for (size_t i = 0; i < size; i += 8 * page_size)
		madvise(mem + i, page_size, MADV_DONTNEED);
	pid = fork();
	if (!pid) {
		touch(mem, size, 2);
		_exit(!pure(mem, size, fits, "child"));
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return false;
	touch(mem, size, 3);
	return pure(mem, size, fits, "parent");
}

/* No frame is there twice, as the zero page would be. */
static bool distinct(const char *mem, size_t size)
{
	uint64_t *frames = frames_of(mem, size);
	bool ok = true;

	for (size_t i = 0; ok && i < size / page_size; i++)
		for (size_t j = 0; ok && j < i; j++)
			ok = frames[i] != frames[j];
	free(frames);
	return ok;
}

/* What is only read, and what is zero when it is split, is not the zero page. */
static bool test_zero(void)
{
	size_t size = 4 * MB;
	char *mem = aligned(size), *zero = aligned(size);
	long large;

	if (!choose(PMD_ORDER) && !choose(4))
		return false;
	if (set_colors(fits, PR_PAGE_COLOR_STRICT))
		return false;
	madvise(mem, size, MADV_HUGEPAGE);
	for (size_t i = 0; i < size; i += page_size)
		if (peek(mem + i))
			return false;
	if (!pure(mem, size, fits, "read only") || !distinct(mem, size))
		return false;
	large = read_long(DIR "stats/large");
	madvise(zero, size, MADV_HUGEPAGE);
	touch(zero, size, 0);
	large = read_long(DIR "stats/large") - large;
	if (!write_file("/sys/kernel/debug/split_huge_pages", "1"))
		ksft_print_msg("no debugfs, nothing is split\n");
	return pure(zero, size, fits, "split") && distinct(zero, size) && large > 0;
}

/* Tasks without colors have them as before. */
static bool test_others(void)
{
	size_t size = 4 * MB;
	char *mem = aligned(size);
	long large = read_long(DIR "stats/large");

	madvise(mem, size, MADV_HUGEPAGE);
	touch(mem, size, 1);
	return whole_blocks(mem, size, PMD_ORDER) == 2 &&
	       read_long(DIR "stats/large") == large;
}

int main(void)
{
	if (!is_there(THP, "huge pages")) {
		start(2);
		end_tests();
	}
	start(14);
	allow_all("madvise");
	run("16 KiB", test_small);
	run("64 KiB", test_middle);
	run("huge pages", test_pmd);
	run("blocks that have others", test_refused);
	run("collapse", test_collapse);
	run("khugepaged", test_khugepaged);
	run("collapse of another thread's pages", test_threads);
	run("move_pages to another node", test_move);
	run("split, forked and copied", test_split);
	run("MIGRATE of huge pages of a file", test_file);
	run("zero pages", test_zero);
	run("tasks without colors", test_others);
	allow_all("never");
	allow(PMD_ORDER, "inherit");
	end_tests();
}
