// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: everything that moves, merges or swaps pages keeps their
 * colors or leaves the pages alone.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/ioctl.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include "page_color_util.h"

/* As in mm/gup_test.h. */
struct gup_test {
	uint64_t get_delta_usec, put_delta_usec, addr, size;
	uint32_t nr_pages_per_call, gup_flags, test_flags, which_pages[8];
};

#define PIN_LONGTERM_BENCHMARK	_IOWR('g', 3, struct gup_test)

static bool test_move_pages(void)
{
	size_t size = 4 * MB, n = size / page_size, i, moved = 0;
	char *mem = map_pages(size);
	void *pages[1024];
	int nodes[1024], status[1024], to;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	touch(mem, size, 1);
	to = node_of(mem) ? 0 : 1;
	for (i = 0; i < n; i++) {
		pages[i] = mem + i * page_size;
		nodes[i] = to;
	}
	if (syscall(SYS_move_pages, 0, n, pages, nodes, status, MPOL_MF_MOVE) < 0) {
		ksft_print_msg("move_pages: %s\n", strerror(errno));
		return false;
	}
	for (i = 0; i < n; i++)
		moved += status[i] == to;
	ksft_print_msg("%zu of %zu pages moved to node %d\n", moved, n, to);
	return moved && pure(mem, size, half, "other node");
}

/* Which memory block, in sysfs, a page is in. */
static long block_of(const void *page)
{
	char text[32];
	uint64_t entry, size;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (read_file("/sys/devices/system/memory/block_size_bytes", text,
		      sizeof(text)) <= 0)
		return -1;
	size = strtoull(text, NULL, 16);
	if (pread(fd, &entry, 8, (uintptr_t)page / page_size * 8) != 8)
		return -1;
	close(fd);
	return (entry & ((1ULL << 55) - 1)) * page_size / size;
}

static bool test_offline(void)
{
	/* In several memory blocks: some have pages that cannot be moved. */
	size_t size = 256 * MB;
	char *mem = map_pages(size), path[80];
	long block, last = -1, refused = 0;
	bool ok = false;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	last_cpu();
	touch(mem, size, 1);
	for (size_t i = 0; i < size && !ok; i += page_size) {
		block = block_of(mem + i);
		if (block == last)
			continue;
		last = block;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/memory/memory%ld/state", block);
		errno = take_offline(path);
		ok = !errno;
		refused += errno == EPERM;
	}
	/* What was isolated for that is as before. */
	if (BOOT_MEMORY_STAYS) {
		ksft_print_msg("%ld memory blocks refused, as arm64 does\n", refused);
		return !ok && refused && pure(mem, size, half, "after refusals") &&
		       zones_are_right();
	}
	if (!ok) {
		ksft_print_msg("no memory block could be taken offline\n");
		return false;
	}
	ok = block_of(mem) >= 0 && pure(mem, size, half, "after offlining");
	if (!write_file(path, "online"))
		return false;
	return ok && zones_are_right();
}

static bool test_ksm(void)
{
	char *mem = map_pages(4 * MB);
	bool ok;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	memset(mem, 7, 4 * MB);
	madvise(mem, 4 * MB, MADV_MERGEABLE);
	if (!write_file("/sys/kernel/mm/ksm/pages_to_scan", "10000") ||
	    !write_file("/sys/kernel/mm/ksm/sleep_millisecs", "0") ||
	    !write_file("/sys/kernel/mm/ksm/run", "1"))
		return false;
	sleep(3);
	ok = read_long("/sys/kernel/mm/ksm/pages_sharing") == 0;
	write_file("/sys/kernel/mm/ksm/run", "2");
	return ok && pure(mem, 4 * MB, half, "mergeable");
}

/* Every second color: huge pages have others on each map. */
static bool test_huge(void)
{
	unsigned long even[LONGS] = {};
	size_t huge = 2 * MB;
	char *mem = map_pages(8 * MB);

	every_second(even);
	mem += -(uintptr_t)mem % huge;
	if (set_colors(even, PR_PAGE_COLOR_STRICT))
		return false;
	madvise(mem, 4 * MB, MADV_HUGEPAGE);
	touch(mem, 4 * MB, 1);
	if (!madvise(mem, 4 * MB, MADV_COLLAPSE)) {
		ksft_print_msg("collapsed\n");
		return false;
	}
	return pure(mem, 4 * MB, even, "MADV_HUGEPAGE");
}

/* What is only read is not the zero page, which all tasks share. */
static bool test_zero_page(void)
{
	char *mem = map_pages(4 * MB);

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	for (size_t i = 0; i < 4 * MB; i += page_size)
		if (peek(mem + i))
			return false;
	return pure(mem, 4 * MB, half, "read only");
}

/* Pages that a device is to use for long are faulted in as others, in the task's colors. */
static bool test_pinned(void)
{
	size_t size = 4 * MB;
	char *mem = map_pages(size);
	struct gup_test gup = {
		.addr = (uintptr_t)mem,
		.size = size,
		.nr_pages_per_call = size / page_size,
		.gup_flags = 1, /* FOLL_WRITE */
	};
	int fd = open("/sys/kernel/debug/gup_test", O_RDWR);

	if (fd < 0) {
		ksft_print_msg("no /sys/kernel/debug/gup_test (CONFIG_GUP_TEST)\n");
		return false;
	}
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	madvise(mem, size, MADV_NOHUGEPAGE);
	if (ioctl(fd, PIN_LONGTERM_BENCHMARK, &gup)) {
		ksft_print_msg("gup_test: %s\n", strerror(errno));
		return false;
	}
	close(fd);
	return pure(mem, size, half, "pinned");
}

static bool test_swap(void)
{
	size_t size = 4 * MB;
	char *mem = map_pages(size);
	long in = vm_event("pswpin");
	bool ok;

	if (swapon("/dev/ram0", 0)) {
		ksft_print_msg("no swap on /dev/ram0: %s\n", strerror(errno));
		return false;
	}
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	for (size_t i = 0; i < size; i += 8)
		*(uint64_t *)(mem + i) = i;
	madvise(mem, size, MADV_PAGEOUT);
	for (size_t i = 0; i < size; i += 8)
		if (*(uint64_t *)(mem + i) != i)
			return false;
	in = vm_event("pswpin") - in;
	ksft_print_msg("%ld pages swapped in\n", in);
	ok = in > 0 && pure(mem, size, half, "swapped in");

	/* Again, brought in by swapoff: for this mm, by another task. */
	madvise(mem, size, MADV_PAGEOUT);
	if (!fork())
		_exit(prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0) ||
		      swapoff("/dev/ram0"));
	wait(NULL);
	return pure(mem, size, half, "after swapoff") && ok;
}

/* Another task without colors, or with others, writes into this memory. */
static bool test_remote(void)
{
	size_t size = 4 * MB;
	char *mem = map_pages(size);
	pid_t me = getpid();
	int status;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	if (!fork()) {
		static char from[4 * 1048576];
		struct iovec local = { from, size }, remote = { mem, size };
		unsigned long others[LONGS] = {};

		memset(from, 5, size);
		add(others, nr_colors - 1);
		if (set_colors(others, 0))
			_exit(1);
		_exit(process_vm_writev(me, &local, 1, &remote, 1, 0) != (ssize_t)size);
	}
	wait(&status);
	return !status && mem[size - 1] == 5 && pure(mem, size, half, "remote");
}

/* A task that hops from node to node: its pages may follow, in their colors. */
static bool test_balancing(void)
{
	size_t size = 16 * MB;
	char *mem = map_pages(size);
	long moved = vm_event("numa_pages_migrated"), cpus;
	bool ok;

	madvise(mem, size, MADV_NOHUGEPAGE);
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	write_file(BALANCING, "1");
	write_file("/sys/kernel/debug/sched/numa_balancing/scan_delay_ms", "1");
	write_file("/sys/kernel/debug/sched/numa_balancing/scan_period_min_ms", "1");
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	touch(mem, size, 1);
	/* On each node until some have followed: that takes looks in two of its periods. */
	for (int i = 0; i < 4; i++) {
		long before = vm_event("numa_pages_migrated");
		time_t end = time(NULL) + 10;

		stay_on((i * cpus / 4 + 1) % cpus);
		while (vm_event("numa_pages_migrated") < before + 256 && time(NULL) < end)
			for (size_t at = 0; at < size; at += 512)
				peek(mem + at);
	}
	moved = vm_event("numa_pages_migrated") - moved;
	ksft_print_msg("%ld pages moved by NUMA balancing\n", moved);
	ok = same(mem, size);
	write_file(BALANCING, "0");
	return ok && moved > 0;
}

int main(void)
{
	bool huge = is_there(HUGE_PAGES, "huge pages");
	bool balancing = is_there(BALANCING, "NUMA balancing");

	start(9 + huge + balancing);
	run("move_pages to another node", test_move_pages);
	run("memory offline and online", test_offline);
	run("KSM", test_ksm);
	if (huge)
		run("huge pages", test_huge);
	run("zero page", test_zero_page);
	run("pinned for long", test_pinned);
	run("swap", test_swap);
	run("written by another task", test_remote);
	if (balancing)
		run("NUMA balancing", test_balancing);
	end_tests();
}
