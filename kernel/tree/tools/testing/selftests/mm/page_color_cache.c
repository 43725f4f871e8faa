// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: page cache of files on a disk has the colors of whoever brings
 * it in, also where more is read than was asked for.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and a file
 * system of type ext2 on /dev/ram1.
 */
#define _GNU_SOURCE
#include "page_color_disk.h"

#define SIZE	(16 * MB)

/* Which pages of a file are in the page cache; the array is the same in each call. */
static const unsigned char *in_cache(const char *mem)
{
	static unsigned char in[SIZE / 4096];

	if (mincore((void *)mem, SIZE, in))
		ksft_exit_fail_msg("mincore: %s\n", strerror(errno));
	return in;
}

static size_t resident(const char *mem)
{
	const unsigned char *in = in_cache(mem);
	size_t n = 0;

	for (size_t i = 0; i < SIZE / page_size; i++)
		n += in[i] & 1;
	return n;
}

static char *map_file(int fd, int flags)
{
	char *mem = mmap(NULL, SIZE, PROT_READ, flags, fd, 0);

	if (mem == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	return mem;
}

/* Pages of the cache by color. What is not there is not brought in by this. */
static struct count cached(const char *mem, const unsigned long *set)
{
	const unsigned char *in;

	madvise((void *)mem, SIZE, MADV_RANDOM);
	in = in_cache(mem);
	for (size_t i = 0; i < SIZE / page_size; i++)
		if (in[i] & 1)
			peek(mem + i * page_size);
	return look(mem, SIZE, set, true);
}

/* More than @asked pages are there, all of the task's colors. */
static bool ahead(const char *mem, size_t asked)
{
	struct count n = cached(mem, half);

	ksft_print_msg("%zu pages asked for, %ld there, %ld of another color\n", asked,
		       n.present, n.wrong);
	return n.present > (long)asked && !n.wrong;
}

static bool test_read(void)
{
	int fd = disk_file(SIZE);
	char *mem = map_file(fd, MAP_SHARED), page[65536];

	if (set_colors(half, PR_PAGE_COLOR_STRICT) || resident(mem))
		return false;
	for (int i = 0; i < 4; i++)
		if (read(fd, page, page_size) != (ssize_t)page_size)
			return false;
	return ahead(mem, 4);
}

static bool test_mapped(void)
{
	char *mem = map_file(disk_file(SIZE), MAP_SHARED);

	if (set_colors(half, PR_PAGE_COLOR_STRICT) || resident(mem))
		return false;
	peek(mem + SIZE / 2);
	return ahead(mem, 1);
}

static bool test_advice(void)
{
	char *mem = map_file(disk_file(SIZE), MAP_SHARED);

	if (set_colors(half, PR_PAGE_COLOR_STRICT) || resident(mem) ||
	    madvise(mem, SIZE, MADV_WILLNEED))
		return false;
	return ahead(mem, 0);
}

/* All of the file. */
static bool read_through(int fd)
{
	static char page[65536];

	for (size_t i = 0; i < SIZE; i += page_size)
		if (pread(fd, page, page_size, i) != (ssize_t)page_size)
			return false;
	return true;
}

static bool test_whole(void)
{
	int fd = disk_file(SIZE);
	char *mem = map_file(fd, MAP_SHARED);

	if (set_colors(half, PR_PAGE_COLOR_STRICT) || !read_through(fd))
		return false;
	return cached(mem, half).present == (long)(SIZE / page_size) &&
	       pure(mem, SIZE, half, "read from start to end");
}

/* What another task has brought in stays as it is; who wants its own colors gets copies. */
static bool test_others(void)
{
	unsigned long upper[LONGS] = {};
	int fd = disk_file(SIZE), status;
	char *mem = map_file(fd, MAP_SHARED), *own;

	add_rest(upper, half);
	if (!fork())
		_exit(set_colors(upper, PR_PAGE_COLOR_STRICT) || !read_through(fd));
	wait(&status);
	if (status || set_colors(half, PR_PAGE_COLOR_STRICT | PR_PAGE_COLOR_PRIVATE))
		return false;
	cached(mem, upper);
	if (!pure(mem, SIZE, upper, "of another"))
		return false;
	own = map_file(fd, MAP_PRIVATE);
	for (size_t i = 0; i < MB; i += page_size)
		if (peek(own + i))
			return false;
	return pure(own, MB, half, "copies") && pure(mem, SIZE, upper, "as before");
}

/* Written, dropped when it is on the disk, and read again. */
static bool test_written(void)
{
	int fd = disk_file(SIZE);
	char *mem = map_file(fd, MAP_SHARED);

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	for (uint64_t i = 0; i < MB / 8; i++)
		if (pwrite(fd, &i, 8, i * 8) != 8)
			return false;
	if (cached(mem, half).wrong || fsync(fd))
		return false;
	if (madvise(mem, SIZE, MADV_DONTNEED) ||
	    posix_fadvise(fd, 0, SIZE, POSIX_FADV_DONTNEED) || resident(mem)) {
		ksft_print_msg("%zu pages were not dropped\n", resident(mem));
		return false;
	}
	for (uint64_t i = 0; i < MB / 8; i++)
		if (((uint64_t *)mem)[i] != i)
			return false;
	return pure(mem, MB, half, "read again") && !cached(mem, half).wrong;
}

int main(void)
{
	start(8);
	run("read ahead of calls", test_read);
	run("read around a fault", test_mapped);
	run("MADV_WILLNEED", test_advice);
	run("a file from start to end", test_whole);
	run("pages of others stay, and are copied", test_others);
	run("written and read again", test_written);
	end_tests();
}
