// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages on the lists of CPUs go back to their zone when the tasks
 * that they are for are gone, or on other CPUs.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include "page_color_util.h"

/* Pages on lists of CPUs for tasks with colors. */
static long pages_listed(void)
{
	FILE *file = fopen("/sys/kernel/debug/page_color/zones", "r");
	char line[4096], *at;
	long n = -1;

	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, " listed ");
		if (at)
			n = (n < 0 ? 0 : n) + strtol(at + 8, NULL, 10);
	}
	if (file)
		fclose(file);
	return n;
}

/* Within how many tenths of a second there are none; -1 if not in five seconds. */
static int settled(void)
{
	for (int i = 0; i < 50; i++) {
		if (!pages_listed())
			return i;
		usleep(100000);
	}
	ksft_print_msg("%ld pages are left\n", pages_listed());
	return -1;
}

/* A task on each CPU takes one page, for which sixteen are taken from the zone. */
static void one_page(int cpu)
{
	char *mem = map_pages(page_size);

	if (!stay_on(cpu) || set_colors(one, 0))
		ksft_exit_fail_msg("no colors on CPU %d\n", cpu);
	*mem = 1;
	munmap(mem, page_size);
}

/* Another has the color all the while, so that it does not lose its owner. */
static pid_t keep(void)
{
	pid_t pid = fork();

	if (!pid) {
		if (set_colors(one, 0))
			_exit(1);
		pause();
	}
	return pid;
}

static bool test_gone(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), before, after;
	pid_t other = keep();
	long most;

	before = settled();
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (!fork()) {
			one_page(cpu);
			_exit(0);
		}
		wait(NULL);
	}
	most = pages_listed();
	after = settled();
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	ksft_print_msg("%ld pages stay behind on %d CPUs, for %d tenths of a second\n",
		       most, cpus, after);
	return before >= 0 && most > cpus && after >= 0 && after < 40;
}

/* The same task, that goes on elsewhere. */
static bool test_moved(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), before, after;
	long most;
	char *mem;

	one_page(0);
	before = settled();
	for (int cpu = 0; cpu < cpus; cpu++) {
		stay_on(cpu);
		mem = map_pages(page_size);
		*mem = 1;
		munmap(mem, page_size);
	}
	most = pages_listed();
	after = settled();
	ksft_print_msg("%ld pages stay behind on %d CPUs, for %d tenths of a second\n",
		       most, cpus, after);
	return before >= 0 && most > cpus && after >= 0 && after < 40;
}

/* Who goes on using a list keeps it. */
static bool test_in_use(void)
{
	long indexed = read_long(DIR "stats/indexed");
	char *mem = map_pages(page_size);

	if (!stay_on(0) || set_colors(one, 0))
		return false;
	for (int i = 0; i < 100; i++) {
		*mem = 1;
		madvise(mem, page_size, MADV_DONTNEED);
		usleep(50000);
	}
	indexed = read_long(DIR "stats/indexed") - indexed;
	ksft_print_msg("%ld pages taken from the index for a page used for 5 s\n", indexed);
	return indexed <= 48;
}

int main(void)
{
	start(5);
	run("pages of tasks that are gone", test_gone);
	run("pages of a task that is elsewhere", test_moved);
	run("pages of a task that is there", test_in_use);
	end_tests();
}
