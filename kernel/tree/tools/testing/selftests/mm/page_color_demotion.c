// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages that are demoted to slower memory, and promoted again, keep
 * their colors.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), cgroup2 in
 * /sys/fs/cgroup, no swap, node 0 with CPUs and node 1 without, of a lower tier.
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "page_color_util.h"

#define TOP	"/sys/fs/cgroup/"
#define GROUP	TOP "page_color_demotion/"
#define FAST	0
#define SLOW	1
#define SIZE	(32 * MB)

/* Pages on the slow node, in all and of colors of the set. */
static struct slow {
	size_t all, of_set;
} slow_pages(char *mem, size_t size, const unsigned long *set)
{
	uint64_t *frames = frames_of(mem, size);
	struct slow n = {};

	for (size_t i = 0; i < size / page_size; i++) {
		if (node_of(mem + i * page_size) != SLOW)
			continue;
		n.all++;
		n.of_set += has(set, color_of(frames[i] * page_size));
	}
	free(frames);
	return n;
}

/* From now on push_out() is of this process. */
static bool join(void)
{
	return write_file(GROUP "cgroup.procs", "0");
}

/* Pages of the group that are not used go to the slow node: there is no swap. */
static void push_out(int times)
{
	/* They are to grow old first, so more than once. What is not reclaimed is an error. */
	while (times--)
		write_file(GROUP "memory.reclaim", "64M");
}

static char *small_pages(size_t size)
{
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	return mem;
}

static bool mostly_slow(char *mem, size_t size)
{
	size_t n = slow_pages(mem, size, half).all;

	ksft_print_msg("%zu of %zu pages demoted\n", n, size / page_size);
	return n > size / page_size / 2;
}

static bool test_demotion(void)
{
	char *mem;

	if (!join() || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = small_pages(SIZE);
	push_out(8);
	return mostly_slow(mem, SIZE) && pure(mem, SIZE, half, "demoted");
}

/* The task that reclaims has a color; neither whose pages have others nor who has none gets it. */
static bool by_another(const unsigned long *set)
{
	struct slow n;
	char *mem;
	int status;

	if (!join() || (set && set_colors(set, PR_PAGE_COLOR_STRICT)))
		return false;
	mem = small_pages(SIZE);
	if (!fork()) {
		if (set_colors(one, PR_PAGE_COLOR_STRICT) ||
		    !write_file(TOP "cgroup.procs", "0"))
			_exit(1);
		push_out(8);
		_exit(0);
	}
	wait(&status);
	if (status || !mostly_slow(mem, SIZE))
		return false;
	if (set)
		return pure(mem, SIZE, set, "demoted by another");
	n = slow_pages(mem, SIZE, one);
	ksft_print_msg("%zu of %zu pages of the other's color\n", n.of_set, n.all);
	return n.of_set < n.all / 4;
}

static bool test_by_another(void)
{
	unsigned long upper[LONGS] = {};

	add_rest(upper, half);
	return by_another(upper);
}

static bool test_without_colors(void)
{
	return by_another(NULL);
}

/* Memory of one node alone. */
static char *pages_of(int node, size_t size)
{
	unsigned long nodes = 1UL << node;
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	if (syscall(SYS_mbind, mem, size, MPOL_BIND, &nodes, 64UL, 0))
		ksft_exit_fail_msg("mbind: %s\n", strerror(errno));
	return mem;
}

/* Who allocates where a node is full reclaims there first, before kswapd is woken. */
static bool reclaim_first(bool yes)
{
	return write_file("/proc/sys/vm/zone_reclaim_mode", yes ? "7" : "0") &&
	       write_file("/proc/sys/vm/min_unmapped_ratio", yes ? "0" : "1");
}

/*
 * Where node 0 is full, somebody writes into the memory of a task with colors: in
 * this fault for the task, pages of a third are demoted. That one has no colors,
 * and its pages do not get the task's.
 */
static bool test_in_fault(void)
{
	size_t size = node_info(FAST, "MemFree:") - SIZE, more = 8 * SIZE, written = 0;
	char *third = pages_of(FAST, size), *mem = pages_of(FAST, more);
	unsigned long part[LONGS] = {};
	static char from[MB];
	long n = 0, got = 0;
	uint64_t *was, *is;
	int ready[2];
	pid_t task;
	char c;

	madvise(third, size, MADV_DONTFORK);
	touch(third, size, 1);
	memset(from, 5, sizeof(from));
	for (int i = 0; i < nr_colors / 8; i++)
		add(part, i);
	if (pipe(ready))
		return false;
	task = fork();
	if (!task) {
		if (set_colors(part, 0) || write(ready[1], "r", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1 || !reclaim_first(true)) {
		kill(task, SIGKILL);
		return false;
	}
	was = frames_of(third, size);
	/* Older pages than the third's go first. */
	for (; written < more; written += MB) {
		struct iovec local = { from, MB }, remote = { mem + written, MB };

		if (process_vm_writev(task, &local, 1, &remote, 1, 0) != MB)
			break;
	}
	reclaim_first(false);
	kill(task, SIGKILL);
	waitpid(task, NULL, 0);
	/* What has a color that is owned keeps it. */
	is = frames_of(third, size);
	for (size_t i = 0; i < size / page_size; i++) {
		if (was[i] == is[i] || has(part, color_of(was[i] * page_size)))
			continue;
		n++;
		got += has(part, color_of(is[i] * page_size));
	}
	ksft_print_msg("%zu bytes written, %ld pages of other colors demoted, %ld to the task's\n",
		       written, n, got);
	return written == more && n > 1000 && got < n / 10;
}

/* Where the slow node has no page of its color, a page stays or goes elsewhere, in its color. */
static bool test_used_up(void)
{
	size_t size = sysconf(_SC_PHYS_PAGES) / nr_colors / 8 * page_size, all = 8 * size;
	long stayed = read_long(DIR "stats/stayed");
	char *mem, *fill = pages_of(SLOW, all);
	int status;

	if (set_colors(one, 0))
		return false;
	/* More than the node has: the rest is of other colors. */
	touch(fill, all, 1);
	if (!fork()) {
		if (!join() || set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(1);
		mem = small_pages(size);
		push_out(2);
		ksft_print_msg("%zu of %zu pages demoted, %ld times a page stayed\n",
			       slow_pages(mem, size, one).all, size / page_size,
			       read_long(DIR "stats/stayed") - stayed);
		fflush(stdout);
		_exit(!pure(mem, size, one, "used up"));
	}
	wait(&status);
	return !status && read_long(DIR "stats/stayed") > stayed;
}

/*
 * NUMA balancing of memory tiers brings back what is used. It looks at the task after
 * a second of its CPU time, not of the clock: how often it touches its pages in that
 * depends on the machine.
 */
static bool test_promotion(void)
{
	long promoted;
	char *mem;

	if (!join() || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = small_pages(SIZE);
	push_out(8);
	if (!mostly_slow(mem, SIZE) || !write_file("/proc/sys/kernel/numa_balancing", "2"))
		return false;
	promoted = vm_event("pgpromote_success");
	for (int i = 0; i < 6000 && vm_event("pgpromote_success") - promoted < 1000; i++) {
		touch(mem, SIZE, i);
		usleep(10000);
	}
	write_file("/proc/sys/kernel/numa_balancing", "0");
	promoted = vm_event("pgpromote_success") - promoted;
	ksft_print_msg("%ld pages promoted\n", promoted);
	return promoted > 0 && pure(mem, SIZE, half, "promoted");
}

int main(void)
{
	start(8);
	if (!write_file("/sys/kernel/mm/numa/demotion_enabled", "1") ||
	    !write_file(TOP "cgroup.subtree_control", "+memory") || mkdir(GROUP, 0755))
		ksft_exit_fail_msg("no demotion or no cgroups of memory: %s\n",
				   strerror(errno));
	run("demotion", test_demotion);
	run("demotion of pages of other colors", test_by_another);
	run("demotion of pages of a task without colors", test_without_colors);
	run("demotion in a fault of another task", test_in_fault);
	run("demotion where the color is used up", test_used_up);
	run("promotion", test_promotion);
	rmdir(GROUP);
	end_tests();
}
