// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: colors that no frame has where a task may allocate, or none but in a zone
 * whose pages it does not get, or that are used up where memory is nearly short. A strict
 * task that wants one is killed, nobody else is.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include "page_color_reserved.h"

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT	1
#endif

#define SCORE	"/proc/self/oom_score_adj"
#define MIN_FREE	"/proc/sys/vm/min_free_kbytes"

static char map[4096];

static bool set_map(const char *text)
{
	return write_file(DIR "enabled", "0") && write_file(DIR "map", text) &&
	       write_file(DIR "enabled", "1");
}

/* One that the OOM killer would take first. */
static pid_t bystander(void)
{
	pid_t pid = fork();

	if (!pid) {
		write_file(SCORE, "1000");
		touch(map_pages(64 * MB), 64 * MB, 1);
		pause();
	}
	return pid;
}

/* As a real-time task, which may take half of what is below the minimum. */
static bool real_time;

static bool become_real_time(void)
{
	struct sched_param param = { .sched_priority = 1 };

	return !real_time || !sched_setscheduler(0, SCHED_FIFO, &param);
}

/* Memory of a color, as much as there is; returns the task's status. */
static int strict_task(unsigned long nodes, const unsigned long *set, size_t size)
{
	size_t all = node_info(0, "MemTotal:") * 4;
	int status;
	pid_t pid = fork();

	if (!pid) {
		write_file(SCORE, "500");
		/* First: on a node below its minimum a page for others has somebody killed. */
		if (!become_real_time() ||
		    (nodes && syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64UL)) ||
		    prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, set, size, PR_PAGE_COLOR_STRICT))
			_exit(3);
		for (size_t had = 0; had < all; had += MB)
			touch(map_pages(MB), MB, 1);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	return status;
}

static bool nobody_else_is_killed(unsigned long nodes, const unsigned long *set, size_t size)
{
	pid_t other = bystander();
	int status;
	bool ok;

	sleep(1);
	status = strict_task(nodes, set, size);
	ok = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	if (!ok)
		ksft_print_msg("status %#x of the strict task\n", status);
	if (waitpid(other, NULL, WNOHANG)) {
		ksft_print_msg("another task was killed\n");
		ok = false;
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return ok;
}

/* A color of which the second function is 1. */
static bool with_map(const char *text, unsigned long nodes)
{
	unsigned long set[1] = { 1UL << 2 };
	bool ok = set_map(text) && nobody_else_is_killed(nodes, set, sizeof(set));

	return nobody_owns() && set_map(map) && ok;
}

/* A function of a bit above all memory. */
static bool test_nowhere(void)
{
	return with_map("0x2000,0x10000000000", 0);
}

/* Memory from 8 GiB on, if there is some, is not on the first node. */
static bool test_elsewhere(void)
{
	return with_map("0x2000,0x200000000", 1);
}

/*
 * Takes the memory of a node nearly to its minimum, and keeps it. Returns 0 if it was
 * killed: a CPU took more pages to its lists at once than were above the minimum.
 */
static pid_t filler(void)
{
	unsigned long nodes = 1UL << NODE;
	int ready[2], left = 0;
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		if (syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64UL))
			_exit(1);
		for (;; left--) {
			char *mem = map_pages(page_size);

			if (!left) {
				left = (zone_number("pages free ") - zone_number(" min ") - 64) / 2;
				if (left <= 0)
					break;
			}
			*mem = 1;
		}
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

/* What is left of the color on a node at its minimum nobody gets; the next has enough of others. */
static bool test_full(void)
{
	bool ok = read_file(BOOST, boost, sizeof(boost)) > 0 && write_file(BOOST, "0") &&
		  read_file(FRACTION, fraction, sizeof(fraction)) > 0 &&
		  write_file(FRACTION, "4000");
	pid_t pid = 0;

	for (int tries = 0; !pid && tries < 5; tries++)
		pid = filler();
	if (pid <= 0)
		ksft_exit_fail_msg("the node was not filled\n");
	ok &= nobody_else_is_killed(3UL << NODE, one, bytes());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return write_file(BOOST, boost) && write_file(FRACTION, fraction) && ok;
}

/*
 * Locks all that the node has of the color. Nobody is killed where memory is written to by
 * its file. Returns 0 if there was more.
 */
static pid_t holder(void)
{
	size_t most = node_info(NODE, "MemTotal:") / nr_colors * 5 / 4, had = 0;
	unsigned long nodes = 1UL << NODE;
	int self, status;
	pid_t pid = fork();
	char *mem;

	if (!pid) {
		mem = map_pages(most);
		madvise(mem, most, MADV_NOHUGEPAGE);
		self = open("/proc/self/mem", O_RDWR);
		if (self < 0 || syscall(SYS_mlock2, mem, most, MLOCK_ONFAULT) ||
		    syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64UL) ||
		    set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(1);
		while (had < most && pwrite(self, "x", 1, (uintptr_t)mem + had) == 1)
			had += page_size;
		if (had >= most)
			_exit(1);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	return waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) ? pid : 0;
}

/*
 * The node is between half of its minimum and the minimum: for a real-time task memory is
 * not short, for others it is. What it lacks is a page of the color.
 */
static bool test_used_up(void)
{
	long min = read_long(MIN_FREE);
	pid_t all, rest = 0;
	char text[32];
	bool ok;

	ok = read_file(BOOST, boost, sizeof(boost)) > 0 && write_file(BOOST, "0") &&
	     read_file(FRACTION, fraction, sizeof(fraction)) > 0 &&
	     write_file(FRACTION, "4000");
	all = holder();
	/* So that the half is more than what CPUs have on their lists. */
	snprintf(text, sizeof(text), "%ld", 4 * min);
	ok &= all > 0 && write_file(MIN_FREE, text);
	for (int tries = 0; !rest && tries < 5; tries++)
		rest = filler();
	if (rest <= 0)
		ksft_exit_fail_msg("the node was not filled\n");
	snprintf(text, sizeof(text), "%ld", 5 * min);
	ok &= write_file(MIN_FREE, text);
	ksft_print_msg("%ld pages free, minimum %ld\n", zone_number("pages free "),
		       zone_number(" min "));
	real_time = true;
	ok &= nobody_else_is_killed(1UL << NODE, one, bytes());
	snprintf(text, sizeof(text), "%ld", min);
	ok &= write_file(MIN_FREE, text);
	kill(rest, SIGKILL);
	kill(all, SIGKILL);
	while (wait(NULL) > 0)
		;
	return write_file(BOOST, boost) && write_file(FRACTION, fraction) && ok;
}

int main(void)
{
	bool two = node_info(NODE + 1, "MemTotal:") > 0;

	start(4 + 2 * two);
	if (read_file(DIR "map", map, sizeof(map)) <= 1)
		ksft_exit_skip("no map\n");
	run("a color that no frame has", test_nowhere);
	run("a color that no frame of the task's nodes has", test_elsewhere);
	if (two) {
		run("a color that only a full node has", test_full);
		run("a color that is used up on a node below its minimum", test_used_up);
	}
	end_tests();
}
