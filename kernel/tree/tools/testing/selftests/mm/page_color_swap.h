/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page coloring: a strict task that wants more than its colors have, and a disk to
 * swap to, /dev/vda, which is overwritten.
 */
#ifndef PAGE_COLOR_SWAP_H
#define PAGE_COLOR_SWAP_H

#include <sys/stat.h>
#include <sys/swap.h>
#include <time.h>
#include "page_color_util.h"

#define STATS	DIR "stats/"
#define SWAP	"/dev/vda"
/* What the colors of the tests have, about. */
#define MEMORY	(16 * MB)

static unsigned long own[LONGS];
/* Bytes of these colors. */
static size_t own_size;

/* What a page is to have in it, also when it was written again. */
static inline uint64_t word(size_t page, unsigned int round)
{
	return (page + 1) * 0x9e3779b97f4a7c15ULL + round;
}

static inline void fill(char *mem, size_t page, unsigned int round)
{
	uint64_t *at = (uint64_t *)(mem + page * page_size);

	for (size_t i = 0; i < page_size / 8; i += 16)
		at[i] = word(page, round) + i;
}

static inline bool is_right(const char *mem, size_t page, unsigned int round)
{
	const uint64_t *at = (const uint64_t *)(mem + page * page_size);

	for (size_t i = 0; i < page_size / 8; i += 16) {
		if (at[i] != word(page, round) + i) {
			ksft_print_msg("page %zu, word %zu: %lx\n", page, i, at[i]);
			return false;
		}
	}
	return true;
}

static inline bool all_right(const char *mem, size_t size, unsigned int round)
{
	for (size_t i = 0; i < size / page_size; i++)
		if (!is_right(mem, i, round))
			return false;
	return true;
}

/* Swap to the disk, so many bytes of it. */
static inline bool swap_on(size_t size)
{
	static char page[65536];
	uint32_t head[] = { 1, size / page_size - 1, 0 };
	int fd = open(SWAP, O_RDWR);
	bool ok;

	memset(page, 0, page_size);
	memcpy(page + 1024, head, sizeof(head));
	memcpy(page + page_size - 10, "SWAPSPACE2", 10);
	ok = fd >= 0 && pwrite(fd, page, page_size, 0) == (ssize_t)page_size && !fsync(fd);
	if (fd >= 0)
		close(fd);
	if (ok && !swapon(SWAP, 0))
		return true;
	ksft_print_msg("swap on " SWAP ": %s\n", strerror(errno));
	return false;
}

static inline char *small_pages(size_t size)
{
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

/* Pages that are in memory, and not in swap. */
static inline size_t in_memory(const char *mem, size_t size)
{
	return look(mem, size, own, false).present;
}

static inline bool was_killed(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	ksft_print_msg("status %#x of the strict task\n", status);
	return false;
}

static inline bool was_right(int status)
{
	if (status)
		ksft_print_msg("status %#x of the strict task\n", status);
	return !status;
}

/* A strict task that writes to so many bytes, so often, and reads them again. */
static inline int strict_task(size_t size, unsigned int rounds)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *mem = small_pages(size);
		struct count n;

		if (set_colors(own, PR_PAGE_COLOR_STRICT))
			_exit(3);
		for (unsigned int round = 0; round < rounds; round++) {
			for (size_t i = 0; i < size / page_size; i++) {
				if (round && !is_right(mem, i, round - 1))
					_exit(4);
				fill(mem, i, round);
			}
		}
		n = look(mem, size, own, false);
		if (n.wrong) {
			ksft_print_msg("%ld of %ld pages of other colors\n", n.wrong,
				       n.present);
			_exit(5);
		}
		_exit(all_right(mem, size, rounds - 1) ? 0 : 6);
	}
	waitpid(pid, &status, 0);
	return status;
}

/* Colors of so much memory, and whether there is a disk. */
static inline void start_swap(unsigned int tests)
{
	size_t color_size;
	struct stat st;

	start(tests);
	if (stat(SWAP, &st))
		ksft_exit_skip("needs " SWAP "\n");
	color_size = node_info(0, "MemTotal:") / nr_colors;
	for (int c = 1; c < nr_colors / 2 && own_size < MEMORY; c++, own_size += color_size)
		add(own, c);
}

#endif /* PAGE_COLOR_SWAP_H */
