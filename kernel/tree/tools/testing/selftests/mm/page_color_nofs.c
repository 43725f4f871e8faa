// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: page cache of files whose file system is not to be called for memory, as
 * of XFS, and of files that a loop device is made of. A strict task has its colors
 * there as well: its own clean page cache is dropped, and if there is none it gets nothing.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), loop devices, and
 * ext2 on /dev/ram1.
 */
#define _GNU_SOURCE
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/stat.h>
#include "page_color_disk.h"

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT	1
#endif

/* Bytes of one color in all memory. */
static size_t color_size(void)
{
	return sysconf(_SC_PHYS_PAGES) / nr_colors * page_size;
}

/* A file of so many bytes that a loop device is made of; closed with this process. */
static int loop_file(size_t size)
{
	int fd = disk_file(size), control = open("/dev/loop-control", O_RDWR), loop, n;
	char path[32];

	n = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
	snprintf(path, sizeof(path), "/dev/loop%d", n);
	loop = n < 0 ? -1 : open(path, O_RDWR);
	if (loop < 0 || ioctl(loop, LOOP_SET_FD, fd))
		ksft_exit_fail_msg("no loop device: %s\n", strerror(errno));
	/* When the last one closes it. */
	ioctl(loop, LOOP_CLR_FD);
	return fd;
}

/* More of a file than the color has, by calls. */
static bool test_larger(void)
{
	size_t size = color_size() / MB * MB * 2;
	static char part[MB];
	long spilled;
	int fd = loop_file(size);

	if (set_colors(one, PR_PAGE_COLOR_STRICT))
		return false;
	spilled = read_long(DIR "spilled");
	for (size_t i = 0; i < size; i += MB) {
		if (pread(fd, part, MB, i) != (ssize_t)MB) {
			ksft_print_msg("read at %zu MiB: %s\n", i / MB, strerror(errno));
			return false;
		}
	}
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("%zu MiB read, a color has %zu; %ld pages of other colors\n", size / MB,
		       color_size() / MB, spilled);
	return !spilled;
}

/* All of the color is locked memory: reads fail, and the task goes on. */
static bool test_used_up(void)
{
	size_t most = color_size() / 4 * 5, had = 0;
	int fd = loop_file(16 * MB), mem_fd = open("/proc/self/mem", O_RDWR), n = 0;
	char *page = map_pages(page_size), *mem;
	long spilled;

	/* What it needs besides is there before: a fault would have it killed. */
	if (mlockall(MCL_CURRENT) || set_colors(one, PR_PAGE_COLOR_STRICT))
		return false;
	mem = map_pages(most);
	madvise(mem, most, MADV_NOHUGEPAGE);
	if (syscall(SYS_mlock2, mem, most, MLOCK_ONFAULT))
		return false;
	while (had < most && pwrite(mem_fd, "x", 1, (uintptr_t)mem + had) == 1)
		had += page_size;
	spilled = read_long(DIR "spilled");
	for (int i = 0; i < 64; i++)
		n += pread(fd, page, page_size, i * 17 * page_size) == -1 && errno == ENOMEM;
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("%zu pages of the color; %d of 64 reads failed, %ld pages of other colors\n",
		       had / page_size, n, spilled);
	return had && had < most && n == 64 && !spilled;
}

int main(void)
{
	start(4);
	if (access("/dev/loop-control", F_OK))
		ksft_exit_skip("no loop devices\n");
	run("a file that is larger than its reader's colors", test_larger);
	run("colors that are used up", test_used_up);
	end_tests();
}
