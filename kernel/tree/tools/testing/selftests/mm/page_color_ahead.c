// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages that are allocated ahead.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <limits.h>
#include "page_color_util.h"

#ifndef PR_PAGE_COLOR_AHEAD
#define PR_PAGE_COLOR_AHEAD	5
#endif

#define AHEAD		DIR "stats/ahead"
#define PROGRAMS	"/proc/page_color/programs"
#define MOST		262144UL
#define PAGES		512L

static long ahead(unsigned long pages)
{
	long n = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_AHEAD, pages, 0, 0);

	return n < 0 ? -errno : n;
}

/*
 * How many there are in all, but for a few that the test itself has used by now.
 * Those of tasks that have exited go a bit later.
 */
static bool held(long pages)
{
	long n = -1;

	for (int i = 0; i < 200; i++) {
		n = read_long(AHEAD);
		if (n >= 0 && n <= pages && n > pages - 16)
			return true;
		usleep(10000);
	}
	ksft_print_msg("%ld pages ahead, not %ld\n", n, pages);
	return false;
}

/* Colors for a task that stays on its CPU, so that its node is the same. */
static bool begin(const unsigned long *set)
{
	return stay_on(sched_getcpu()) && !set_colors(set, PR_PAGE_COLOR_STRICT);
}

/* They are used first, and no block is split until there are none. */
static bool test_used(void)
{
	unsigned long set[LONGS] = {};
	char *mem = map_pages(2 * PAGES * page_size), c;
	long split;
	bool ok;

	add(set, 1);
	add(set, 6);
	madvise(mem, 2 * PAGES * page_size, MADV_NOHUGEPAGE);
	ok = begin(set) && ahead(PAGES) == PAGES && held(PAGES);
	/* The kernel's own page tables are not colored, and split nothing of it. */
	split = read_long(DIR "stats/carved");
	touch(mem, PAGES / 2 * page_size, 1);
	ok &= read_long(DIR "stats/carved") == split;
	/* Some more were for this program's stack and data. */
	c = read_long(AHEAD) <= PAGES / 2 && read_long(AHEAD) > PAGES / 2 - 32;
	ok &= c;
	ksft_print_msg("%ld of %ld pages ahead left, %ld taken out of blocks\n",
		       read_long(AHEAD), PAGES, read_long(DIR "stats/carved") - split);
	touch(mem + PAGES / 2 * page_size, 3 * PAGES / 2 * page_size, 1);
	ok &= held(0) && pure(mem, 2 * PAGES * page_size, set, "pages");
	/* What was freed is not held again. */
	munmap(mem, 2 * PAGES * page_size);
	return ok && held(0);
}

/* It is a number to have, not one to add; new colors begin with none. */
static bool test_number(void)
{
	bool ok = begin(half) && ahead(PAGES) == PAGES && ahead(PAGES) == PAGES &&
		  held(PAGES);

	ok &= ahead(2 * PAGES) == 2 * PAGES && held(2 * PAGES);
	ok &= ahead(7) == 7 && held(7) && ahead(0) == 0 && held(0);
	ok &= ahead(PAGES) == PAGES && !set_colors(one, 0) && held(0);
	/* Of one color there are less on a small node. */
	ok &= ahead(PAGES / 8) == PAGES / 8 && held(PAGES / 8) &&
	      !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0) && held(0);
	return ok;
}

/* A child has its parent's colors, and what is held with them. */
static bool test_fork(void)
{
	size_t size = PAGES / 4 * page_size;
	char *mem = map_pages(size);
	int status;
	long left;
	pid_t pid;
	bool ok;

	madvise(mem, size, MADV_NOHUGEPAGE);
	ok = begin(half) && ahead(PAGES) == PAGES;
	pid = fork();
	if (!pid) {
		touch(mem, size, 1);
		_exit(!pure(mem, size, half, "child"));
	}
	ok &= waitpid(pid, &status, 0) == pid && !status;
	left = read_long(AHEAD);
	ksft_print_msg("%ld of %ld pages ahead left by a child of %ld\n", left, PAGES,
		       PAGES / 4);
	return ok && left <= PAGES * 3 / 4 && left > PAGES / 2;
}

/* All that a color has on the node, but for what others need; and back. */
static bool test_most(void)
{
	long n, free = sysconf(_SC_AVPHYS_PAGES);
	bool ok = begin(one);

	n = ahead(MOST);
	ksft_print_msg("%ld pages of one color, %ld were free\n", n, free);
	ok &= n > 0 && n <= free && held(n) && ahead(n / 2) == n / 2 && held(n / 2);
	return ahead(0) == 0 && ok && held(0);
}

static bool test_wrong(void)
{
	bool ok = ahead(1) == -ENODATA && begin(half);

	ok &= ahead(MOST + 1) == -EINVAL && ahead(ULONG_MAX) == -EINVAL &&
	      prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_AHEAD, 1, 1, 0) < 0 && errno == EINVAL &&
	      prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_AHEAD, 1, 0, 1) < 0 && errno == EINVAL;
	/* Colors may be had without the right to hold pages. */
	ok &= held(0) && !setresgid(1000, 1000, 1000) && !setresuid(1000, 1000, 1000) &&
	      ahead(1) == -EPERM && ahead(0) == -EPERM;
	return ok;
}

static bool listed(const char *line)
{
	char text[4096];

	return read_file(PROGRAMS, text, sizeof(text)) > 0 && strstr(text, line);
}

static bool test_program(void)
{
	/* Of three in four pages that one of four nodes has of two colors. */
	long want = sysconf(_SC_PHYS_PAGES) / 4 * 2 / nr_colors / 4 * 3, n = 0;
	char line[64], shown[96];
	int status;
	pid_t pid;
	bool ok;

	if (want > 2000)
		want = 2000;
	snprintf(line, sizeof(line), "0 /* colors=2 strict ahead=%ld", want);
	snprintf(shown, sizeof(shown), "%s started=0 refused=0\n", line);
	ok = !write_file(PROGRAMS, "0 /proc/* ahead=") &&
	     !write_file(PROGRAMS, "0 /proc/* ahead=262145") &&
	     !write_file(PROGRAMS, "0 /proc/* ahead=-1") &&
	     write_file(PROGRAMS, line) && listed(shown);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "page_color_ahead", "stop", NULL);
		_exit(1);
	}
	ok &= waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status);
	n = read_long(AHEAD);
	ksft_print_msg("%ld of %ld pages ahead when the program runs\n", n, want);
	/* Its own start has used some. */
	ok &= n > want / 4 * 3 && n < want;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* A line that is written again without it changes that, too. */
	ok &= write_file(PROGRAMS, "0 /* colors=2") &&
	      listed("0 /* colors=2 started=1 refused=0\n");
	return write_file(PROGRAMS, "-0 /*") && ok && held(0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "stop")) {
		kill(getpid(), SIGSTOP);
		return 0;
	}
	start(8);
	run("used first", test_used);
	run("a number to have", test_number);
	run("with a child", test_fork);
	run("as many as there are", test_most);
	run("wrong calls", test_wrong);
	run("a program's", test_program);
	ksft_test_result(nobody_owns() && held(0), "nothing is held, nobody owns colors\n");
	ksft_test_result(zones_are_right(), "free lists and counters agree\n");
	ksft_finished();
}
