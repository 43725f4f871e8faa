// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: tasks without colors get no page of a color that somebody owns
 * while another is free where they may look.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include "page_color_util.h"

#define YIELDED		DIR "stats/yielded"
#define MIXED		DIR "stats/mixed"
#define SCAN_MAX	DIR "stats/scan_max"
/* Of one hold of a zone's lock: PAGE_COLOR_HOLD and what refills look at. */
#define MOST_ENTRIES	500

/* What nobody owns. */
static unsigned long others[LONGS];

/* Runs @test while another task has the first @n colors, or every second of 2n. */
static bool beside_owner(int n, bool apart, bool (*test)(void))
{
	unsigned long owned[LONGS] = {};
	int ready[2], done[2], status;
	char c = 0;
	pid_t pid;
	bool ok;

	memset(others, 0, sizeof(others));
	for (int i = 0; i < n; i++)
		add(owned, apart ? 2 * i : i);
	add_rest(others, owned);
	if (pipe(ready) || pipe(done))
		return false;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(done[1]);
		if (set_colors(owned, 0))
			_exit(1);
		c = write(ready[1], &c, 1) == 1 && !read(done[0], &c, 1) ? 0 : 1;
		_exit(c);
	}
	close(ready[1]);
	ok = read(ready[0], &c, 1) == 1 && test();
	close(done[0]);
	close(done[1]);
	close(ready[0]);
	return waitpid(pid, &status, 0) == pid && ok;
}

/* Memory that comes page by page. */
static char *single_pages(size_t size)
{
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

/* As much as there is of the other colors many times over. */
static size_t some_memory(void)
{
	int n = 0;

	for (int c = 0; c < nr_colors; c++)
		n += has(others, c);
	return 64 * MB * n / nr_colors / page_size * page_size;
}

static bool single(void)
{
	long yielded = read_long(YIELDED);
	size_t size = some_memory();
	char *mem;
	bool ok;

	/* Twice: what was freed before goes first. */
	for (int i = 0; i < 2; i++) {
		mem = single_pages(size);
		touch(mem, size, 1);
		ok = pure(mem, size, others, "anonymous memory");
		munmap(mem, size);
		if (!ok)
			return false;
	}
	if (read_long(YIELDED) != yielded)
		ksft_print_msg("%ld pages of owned colors were given away\n",
			       read_long(YIELDED) - yielded);
	return read_long(YIELDED) == yielded;
}

static bool file_in_memory(void)
{
	size_t size = some_memory() / 2 / page_size * page_size;
	int fd = memfd_create("others", 0);
	char *mem;
	bool ok;

	if (fd < 0 || ftruncate(fd, size))
		return false;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	touch(mem, size, 1);
	ok = pure(mem, size, others, "file in memory");
	close(fd);
	return ok;
}

/* Copies on write, by a child, of pages that it has from its parent. */
static bool copies(void)
{
	size_t size = some_memory() / 4 / page_size * page_size;
	char *mem = single_pages(size);
	int status;
	pid_t pid;

	touch(mem, size, 1);
	pid = fork();
	if (!pid) {
		touch(mem, size, 2);
		_exit(!pure(mem, size, others, "copies"));
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

static bool all_kinds(void)
{
	return single() && file_in_memory() && copies();
}

/* 1/16, a quarter, a half, all but one. */
static bool test_few(void)
{
	return beside_owner(nr_colors / 16 ?: 1, false, all_kinds);
}

static bool test_quarter(void)
{
	return beside_owner(nr_colors / 4, false, all_kinds);
}

static bool test_half(void)
{
	return beside_owner(nr_colors / 2, false, all_kinds);
}

static bool test_every_second(void)
{
	return beside_owner(nr_colors / 2, true, all_kinds);
}

static bool test_all_but_one(void)
{
	return beside_owner(nr_colors - 1, false, all_kinds);
}

/* What was free when colors got an owner, and is so when they have none any more. */
static bool changing(void)
{
	size_t size = some_memory() / 4 / page_size * page_size;
	char *mem = single_pages(size);
	unsigned long more[LONGS] = {};
	bool ok;

	/* Two owners now: those of this task are taken away, then given back. */
	add_rest(more, half);
	for (int c = 0; c < nr_colors; c++)
		if (!has(others, c))
			more[c / 64] &= ~(1UL << c % 64);
	if (set_colors(more, 0) || prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0))
		return false;
	touch(mem, size, 1);
	ok = pure(mem, size, others, "after a change");
	munmap(mem, size);
	return ok;
}

static bool test_changing(void)
{
	return beside_owner(nr_colors / 4, false, changing);
}

/* Half of the colors get owners and lose them as fast as it goes, on a CPU of its own. */
static pid_t change_owners(void)
{
	unsigned long owned[LONGS] = {};
	pid_t pid;

	every_second(owned);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stay_on(1);
		for (;;)
			if (set_colors(owned, 0) ||
			    prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0))
				_exit(1);
	}
	return pid;
}

/*
 * Pages are split out of blocks while colors get owners: what is unowned at one look
 * is owned at the next. CPUs have to run at the same time for it to show.
 */
static bool test_while_changing(void)
{
	size_t size = node_info(0, "MemFree:") / 4 / page_size * page_size;
	double end = now() + 5;
	int status;
	pid_t pid;

	stay_on(0);
	pid = change_owners();
	while (pid > 0 && now() < end) {
		char *mem = single_pages(size);

		touch(mem, size, 1);
		munmap(mem, size);
	}
	if (pid < 0 || kill(pid, SIGKILL) || waitpid(pid, &status, 0) != pid)
		return false;
	return WIFSIGNALED(status);
}

/* Moved by compaction: pages with holes between them, at the start of memory. */
static bool compacted(void)
{
	size_t size = sysconf(_SC_PHYS_PAGES) / 16 * page_size;
	char *mem = single_pages(size);
	struct count count;
	long moved;

	touch(mem, size, 1);
	for (size_t i = 0; i < size; i += 2 * page_size)
		madvise(mem + i, page_size, MADV_DONTNEED);
	moved = vm_event("pgmigrate_success");
	for (int i = 0; i < 3; i++)
		if (!write_file("/proc/sys/vm/compact_memory", "1"))
			return false;
	moved = vm_event("pgmigrate_success") - moved;
	count = look(mem, size, others, true);
	ksft_print_msg("%ld pages moved, %ld of %ld to owned colors\n", moved,
		       count.wrong, count.present);
	return moved > 0 && count.present > 0 && !count.wrong;
}

static bool test_compacted(void)
{
	return beside_owner(nr_colors / 2, false, compacted) &&
	       beside_owner(nr_colors * 3 / 4, true, compacted);
}

/*
 * Free pages of node 0 of colors that nobody owns; not of the first zone, most of
 * which is kept for devices.
 */
static long free_others(void)
{
	FILE *file = fopen("/sys/kernel/debug/page_color/colors", "r");
	long color, free, n = 0;
	char line[256], zone[16];
	int node;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "node %d zone %15s color %ld pages %*d free %ld", &node,
			   zone, &color, &free) == 4 &&
		    !node && strcmp(zone, "DMA") && has(others, color))
			n += free;
	if (file)
		fclose(file);
	return n;
}

/* Pages that wait on the lists of CPU 0 for its next allocations on node 0. */
static long waiting(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	long n = 0, one, node = -1, cpu = -1;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %ld,", &one) == 1)
			node = one;
		else if (sscanf(line, " cpu: %ld", &one) == 1)
			cpu = one;
		else if (!node && !cpu && sscanf(line, " count: %ld", &one) == 1)
			n += one;
	}
	if (file)
		fclose(file);
	return n;
}

/* Does @mem have an owned color, written to just now? -1 if that cannot be told. */
static int is_owned(char *mem)
{
	struct count count;

	touch(mem, page_size, 1);
	count = look(mem, page_size, others, true);
	return count.present == 1 ? !!count.wrong : -1;
}

/* Pages that the test itself takes and frees when it reads a file and gets a page. */
#define OWN_NOISE	64

/*
 * What was free on lists of other CPUs may come back to the zone at any time. While it
 * is free the next page is one of these.
 */
static bool others_still_first(char *mem, size_t pages)
{
	long owned = 0, seen = 0;

	for (size_t i = 0; i < pages; i++) {
		bool some = free_others() > OWN_NOISE;
		int is = is_owned(mem + i * page_size);

		if (is < 0)
			return false;
		seen += some;
		owned += some && is;
	}
	ksft_print_msg("others were free again before %ld of %zu pages, %ld of them owned\n",
		       seen, pages, owned);
	return !owned;
}

/*
 * A task that is given an owned page has nothing left on the lists of its CPU, which
 * may have brought it 2,000 pages at once for allocations of another type.
 */
static bool nothing_waits(char *mem, size_t pages)
{
	long n = 0;

	/* They may be filled from lists of other CPUs just now. */
	for (size_t i = 0; i < pages; i++) {
		if (is_owned(mem + i * page_size) != 1)
			continue;
		n = waiting();
		if (n <= OWN_NOISE)
			break;
	}
	ksft_print_msg("%ld pages wait on lists of the CPU\n", n);
	return n <= OWN_NOISE;
}

/*
 * When nothing else is left a task without colors gets pages of owned colors rather
 * than none, and they are counted; it gets all others first, also those that wait on
 * its CPU for allocations of another type.
 */
static bool exhausting(void)
{
	long yielded = read_long(YIELDED), n;
	size_t size = node_info(0, "MemTotal:") * 9 / 10 / page_size * page_size;
	struct count count;
	unsigned long node0 = 1;
	char *mem = single_pages(size);

	/* This node alone. */
	if (syscall(SYS_mbind, mem, size, 2, &node0, 64, 0)) {
		ksft_print_msg("mbind: %s\n", strerror(errno));
		return false;
	}
	for (size_t i = 0; i < size; i += 16 * MB) {
		size_t part = size - i < 16 * MB ? size - i : 16 * MB;

		touch(mem + i, part, 1);
		count = look(mem + i, part, others, true);
		if (!count.wrong)
			continue;
		n = read_long(YIELDED) - yielded;
		ksft_print_msg("%zu MiB of others, then %ld of %ld pages owned, %ld counted\n",
			       i / MB, count.wrong, count.present, n);
		/* Some of those that are counted wait on lists of the CPU. */
		return i && n >= count.wrong && size - i > 2 * part &&
		       nothing_waits(mem + i + part, 8) &&
		       others_still_first(mem + i + part + 8 * page_size, 64);
	}
	ksft_print_msg("%zu MiB, and no page of an owned color\n", size / MB);
	return true;
}

static bool test_exhausted(void)
{
	stay_on(0);
	return beside_owner(nr_colors / 2, false, exhausting);
}

/* A huge page has owned colors by nature: these are counted. */
static bool large(void)
{
	size_t huge = 2 * MB;
	char *map = map_pages(2 * huge);
	char *mem = (char *)(((uintptr_t)map + huge - 1) / huge * huge);
	long mixed = read_long(MIXED);
	struct count count;

	madvise(mem, huge, MADV_HUGEPAGE);
	*mem = 1;
	count = look(mem, huge, others, true);
	mixed = read_long(MIXED) - mixed;
	ksft_print_msg("%ld of %ld pages at once, %ld of them of owned colors, %ld counted\n",
		       count.present, (long)(huge / page_size), count.wrong, mixed);
	/* Blocks that the kernel takes meanwhile are counted as well. */
	return count.present < (long)(huge / page_size) || mixed >= count.wrong;
}

static bool test_large(void)
{
	write_file("/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
	return beside_owner(nr_colors / 2, false, large);
}

static bool test_bounded(void)
{
	long most = read_long(SCAN_MAX);

	ksft_print_msg("at most %ld entries of lists looked at in one hold of a lock\n",
		       most);
	return most > 0 && most <= MOST_ENTRIES;
}

int main(void)
{
	start(13);
	run("one in sixteen colors owned: none of these", test_few);
	run("a quarter of the colors owned: none of these", test_quarter);
	run("half of the colors owned: none of these", test_half);
	run("every second color owned: none of these", test_every_second);
	run("all colors but one owned: this one alone", test_all_but_one);
	run("owners come and go: none of these", test_changing);
	run("owners come and go while others allocate", test_while_changing);
	run("compaction moves nothing to owned colors", test_compacted);
	run("all others first, then owned ones, counted", test_exhausted);
	run("owned colors in large blocks are counted", test_large);
	run("a hold of a lock looks at a bounded number", test_bounded);
	end_tests();
}
