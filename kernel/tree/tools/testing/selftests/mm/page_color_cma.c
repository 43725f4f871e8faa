// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: memory for contiguous allocations (CMA) is for tasks with colors,
 * too, as long as it is not needed.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and CMA:
 * cma=256M on the command line.
 */
#define _GNU_SOURCE
#include "page_color_util.h"

#ifndef PR_PAGE_COLOR_RESERVE
#define PR_PAGE_COLOR_RESERVE	6
#endif

/* Bytes, of a line of /proc/meminfo. */
static long info(const char *key)
{
	char text[8192], *at;

	if (read_file("/proc/meminfo", text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, key);
	return at ? strtol(at + strlen(key), NULL, 10) * 1024 : -1;
}

/* Pages of one color in all zones, of them in pageblocks that are not of CMA. */
static size_t of_one_color(long bytes)
{
	return bytes / nr_colors / page_size;
}

/* A task takes so many pages of the color; how many it got before it was killed. */
static size_t take(size_t pages, unsigned long flags, bool *killed)
{
	size_t *n = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0), got;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *mem = map_pages(pages * page_size);

		madvise(mem, pages * page_size, MADV_NOHUGEPAGE);
		if (set_colors(one, flags))
			_exit(2);
		for (; *n < pages; ++*n)
			mem[*n * page_size] = 1;
		_exit(!pure(mem, pages * page_size, one, "all that there is"));
	}
	waitpid(pid, &status, 0);
	*killed = WIFSIGNALED(status);
	got = *n;
	munmap(n, page_size);
	if (status && !*killed)
		ksft_print_msg("status %#x\n", status);
	return status && !*killed ? 0 : got;
}

/* More than there is outside of CMA. */
static bool test_used(void)
{
	long total = info("MemTotal:"), cma = info("CmaTotal:"), free = info("CmaFree:");
	size_t all = of_one_color(total), rest = of_one_color(total - cma), got;
	bool killed;

	got = take(rest + of_one_color(free) / 4, PR_PAGE_COLOR_STRICT, &killed);
	ksft_print_msg("%zu pages of %zu, %zu outside of CMA, %ld MiB of CMA free of %ld%s\n",
		       got, all, rest, free / (long)MB, cma / (long)MB,
		       killed ? ", killed" : "");
	return !killed && got > rest;
}

/* Without the flag it does not get others before those of CMA are used. */
static bool test_not_spilled(void)
{
	size_t rest = of_one_color(info("MemTotal:") - info("CmaTotal:"));
	long before = read_long(DIR "spilled");
	bool killed;
	size_t got;

	got = take(rest + of_one_color(info("CmaFree:")) / 4, 0, &killed);
	before = read_long(DIR "spilled") - before;
	ksft_print_msg("%zu pages, %ld of other colors\n", got, before);
	return !killed && got && before < 64;
}

/* What is used of it moves when it is needed: all of it can be had again. */
static bool test_given_back(void)
{
	size_t rest = of_one_color(info("MemTotal:") - info("CmaTotal:"));
	size_t pages = rest + of_one_color(info("CmaFree:")) / 8;
	char *mem = map_pages(pages * page_size);
	long free = info("CmaFree:");

	madvise(mem, pages * page_size, MADV_NOHUGEPAGE);
	if (set_colors(one, PR_PAGE_COLOR_STRICT))
		return false;
	touch(mem, pages * page_size, 1);
	if (!pure(mem, pages * page_size, one, "with pages of CMA"))
		return false;
	munmap(mem, pages * page_size);
	prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
	drain();
	ksft_print_msg("CMA free before %ld KiB, after %ld KiB\n", free / 1024,
		       info("CmaFree:") / 1024);
	return free < info("CmaFree:") + (long)MB;
}

/* What waits for its owner could not move away: none is reserved, though others are short. */
static bool test_reserved(void)
{
	size_t rest = of_one_color(info("MemTotal:") - info("CmaTotal:"));
	size_t size = rest * 7 / 8 * page_size;
	char *mem = map_pages(size);
	long free, after;
	int err;

	madvise(mem, size, MADV_NOHUGEPAGE);
	if (set_colors(one, PR_PAGE_COLOR_STRICT))
		return false;
	touch(mem, size, 1);
	drain();
	free = info("CmaFree:");
	err = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, rest / 4, 0, 0);
	after = info("CmaFree:");
	ksft_print_msg("%zu pages: %s; CMA free before %ld KiB, after %ld KiB\n", rest / 4,
		       err ? strerror(errno) : "reserved", free / 1024, after / 1024);
	return after > free - (long)MB;
}

int main(void)
{
	start(6);
	if (info("CmaFree:") < (long)(64 * MB))
		ksft_exit_skip("needs cma=256M on the command line\n");
	run("a strict task uses it before it is killed", test_used);
	run("another uses it before other colors", test_not_spilled);
	run("it is free again", test_given_back);
	run("it is not reserved", test_reserved);
	end_tests();
}
