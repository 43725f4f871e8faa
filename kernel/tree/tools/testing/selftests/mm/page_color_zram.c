// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what a task allocates while it reclaims memory has not its colors,
 * as it is for others. Here it is compressed pages of what is swapped out to zram.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and zram.
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/swap.h>
#include "page_color_util.h"

#define COLORS	"/sys/kernel/debug/page_color/colors"
#define CGROUP	"/sys/fs/cgroup/page_color_zram"
#define ZRAM	"/dev/zram0"
#define SIZE	(32 * MB)

/* Pages of a color that are neither free nor a user's: of all colors with -1. */
static long of_kernel(int which)
{
	FILE *file = fopen(COLORS, "r");
	long n = 0, color, pages, free, users;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "node %*d zone %*s color %ld pages %ld free %ld user %ld",
			   &color, &pages, &free, &users) == 4 &&
		    (which < 0 || which == color))
			n += pages - free - users;
	if (file)
		fclose(file);
	return n;
}

static bool swap_on(void)
{
	static char page[65536];
	uint32_t head[] = { 1, 2 * SIZE / page_size - 1, 0 };
	int fd;
	bool ok;

	if (!write_file("/sys/block/zram0/disksize", "64M"))
		ksft_exit_skip("needs zram\n");
	fd = open(ZRAM, O_RDWR);
	memcpy(page + 1024, head, sizeof(head));
	memcpy(page + page_size - 10, "SWAPSPACE2", 10);
	ok = fd >= 0 && pwrite(fd, page, page_size, 0) == (ssize_t)page_size && !fsync(fd);
	if (fd >= 0)
		close(fd);
	return ok && !swapon(ZRAM, 0);
}

/* What cannot be compressed, the same for each page and word. */
static uint64_t noise(size_t i)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static bool test_reclaim_of_others(void)
{
	long colored, all, spilled = read_long(DIR "spilled"), in_swap = 0;
	int ready[2], go[2], status;
	uint64_t *mem;
	char c = 0;
	pid_t pid;
	bool ok;

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	if ((mkdir(CGROUP, 0755) && errno != EEXIST) || pipe(ready) || pipe(go))
		return false;
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (!write_file(CGROUP "/cgroup.procs", "0"))
			_exit(2);
		mem = (uint64_t *)map_pages(SIZE);
		for (size_t i = 0; i < SIZE / 8; i++)
			mem[i] = noise(i);
		if (write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) < 0)
			_exit(3);
		for (size_t i = 0; i < SIZE / 8; i++)
			if (mem[i] != noise(i))
				_exit(4);
		_exit(0);
	}
	if (read(ready[0], &c, 1) != 1 || set_colors(one, 0))
		return false;
	colored = of_kernel(1);
	all = of_kernel(-1);
	/* Not all of it may be had at once. */
	for (int i = 0; i < 32; i++)
		in_swap += write_file(CGROUP "/memory.reclaim", "1M");
	colored = of_kernel(1) - colored;
	all = of_kernel(-1) - all;
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("%ld MiB reclaimed: %ld of the kernel, %ld of the color, %ld spilled\n",
		       in_swap, all, colored, spilled);
	close(go[1]);
	close(ready[0]);
	ok = waitpid(pid, &status, 0) == pid && !status;
	rmdir(CGROUP);
	/* One color has its part of what is taken without looking at colors. */
	return ok && in_swap > 8 && all > (long)(8 * MB / page_size) &&
	       colored <= all / nr_colors * 2 + 64 && spilled < 64;
}

int main(void)
{
	start(3);
	if (!swap_on())
		ksft_exit_skip("needs zram\n");
	run("pages that a task with colors compresses for others", test_reclaim_of_others);
	swapoff(ZRAM);
	write_file("/sys/block/zram0/reset", "1");
	end_tests();
}
