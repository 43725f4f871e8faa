// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: faults that are taken for the memory of a task (/proc/PID/mem) whose
 * colors are used up. They fail, and nothing else does: file systems have the pages of
 * their devices, and nobody's memory is reclaimed for what cannot be had.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and ext2 on
 * /dev/ram1.
 */
#define _GNU_SOURCE
#include <linux/falloc.h>
#include "page_color_disk.h"

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT	1
#endif

#define DROP	"/proc/sys/vm/drop_caches"
/* Read at every ninth page: none is read ahead, and blocks of the file's map differ. */
#define STEP	(9 * page_size)
#define ROUNDS	16
#define CALLS	100

/* Shared memory of one color, all that there is, and a file that has its owner's memory. */
static char *mem;
static size_t had, most;
static int shared, theirs;
static pid_t owner;

/* What is written there is faulted in for the owner, in its colors. */
static bool write_theirs(void)
{
	return pwrite(theirs, "x", 1, (uintptr_t)mem + had) == 1;
}

/*
 * One that has a color and does nothing. Its memory is locked, so nothing of it can be
 * reclaimed; this process, which has no colors, uses all of it up.
 */
static bool use_up(void)
{
	char path[64];
	int status;

	most = sysconf(_SC_PHYS_PAGES) * page_size / nr_colors * 5 / 4;
	most -= most % page_size;
	shared = memfd_create("page_color", 0);
	if (shared < 0 || ftruncate(shared, most))
		return false;
	mem = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
	owner = fork();
	if (!owner) {
		if (syscall(SYS_mlock2, mem, most, MLOCK_ONFAULT) ||
		    set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(1);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	if (waitpid(owner, &status, WUNTRACED) != owner || !WIFSTOPPED(status))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", owner);
	theirs = open(path, O_RDWR);
	while (had < most && write_theirs())
		had += page_size;
	ksft_print_msg("%zu pages of the color\n", had / page_size);
	return had && had < most;
}

static bool end_owner(void)
{
	int status;

	kill(owner, SIGKILL);
	return waitpid(owner, &status, 0) == owner && WIFSIGNALED(status);
}

/*
 * A page of a file is read with one page of the color left, and what the file system
 * needs of its device with none. Those pages are of any color, and never refused.
 */
static bool test_device(void)
{
	size_t size = 2 * MB, at = MB;
	int fd = disk_file(size), good = 0;
	char *file, *fill = map_pages(size), c;

	memset(fill, 'f', size);
	if (pwrite(fd, fill, size, 0) != (ssize_t)size)
		return false;
	file = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED || madvise(file, size, MADV_RANDOM) || fsync(fd) ||
	    !use_up())
		return false;
	for (int i = 0; i < ROUNDS; i++, at += STEP) {
		write_file(DROP, "1");
		/* What was dropped may have had the color. */
		while (write_theirs())
			had += page_size;
		had -= page_size;
		if (fallocate(shared, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, had,
			      page_size))
			return false;
		c = 0;
		good += pread(theirs, &c, 1, (uintptr_t)file + at) == 1 && c == 'f';
	}
	ksft_print_msg("%d of %d pages of the file read\n", good, ROUNDS);
	return end_owner() && good == ROUNDS;
}

/* Times that somebody had to reclaim memory of whoever has some. */
static long stalls(void)
{
	static const char * const zones[] = { "dma", "dma32", "normal", "movable" };
	char name[32];
	long n = 0, one_zone;

	for (size_t i = 0; i < sizeof(zones) / sizeof(*zones); i++) {
		snprintf(name, sizeof(name), "allocstall_%s", zones[i]);
		one_zone = vm_event(name);
		n += one_zone < 0 ? 0 : one_zone;
	}
	return n;
}

/* With most of the memory free, however often it is tried. */
static bool test_reclaim(void)
{
	long before, failed = 0;

	if (!use_up())
		return false;
	before = stalls();
	for (int i = 0; i < CALLS; i++)
		failed += !write_theirs();
	before = stalls() - before;
	ksft_print_msg("%ld of %d writes failed, memory was reclaimed %ld times\n", failed,
		       CALLS, before);
	return end_owner() && failed == CALLS && !before;
}

int main(void)
{
	start(4);
	run("a device's pages while colors are used up", test_device);
	run("nobody's memory for colors that are used up", test_reclaim);
	end_tests();
}
