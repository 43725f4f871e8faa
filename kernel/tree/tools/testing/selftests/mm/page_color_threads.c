// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: programs that have more than one choice of colors, as they have grown, or
 * as their threads are in several cgroups. What they hold is counted, and what is
 * reserved for them has the colors that it was reserved for.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and cgroup2 in
 * /sys/fs/cgroup.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include "page_color_view.h"

#ifndef PR_PAGE_COLOR_RESERVE
#define PR_PAGE_COLOR_RESERVE	6
#endif

#define PROGRAMS	"/proc/page_color/programs"
#define PROGRAM		"/tmp/page_color_threads"
#define STATS		DIR "stats/"
#define TOP		"/sys/fs/cgroup"
#define GROUP		TOP "/page_color_threads"
#define USER		1000

/* Pages of a color on a node: an eighth of them is reserved before it grows, a half then. */
static unsigned long color_pages(void)
{
	return sysconf(_SC_PHYS_PAGES) / 4 >> nr_masks;
}

static long reserve(unsigned long pages)
{
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, pages, 0, 0);
}

static pid_t start_program(uid_t uid, const char *what, const char *arg, int *status)
{
	pid_t pid = fork();

	if (!pid) {
		if (uid && (setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
			_exit(125);
		execl(PROGRAM, PROGRAM, what, arg, NULL);
		_exit(errno == EAGAIN ? 126 : 127);
	}
	waitpid(pid, status, WUNTRACED);
	return pid;
}

static void end_program(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Some pages are reserved before it grows, more afterwards. */
static int grow(size_t size)
{
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	read_map();
	if (reserve(color_pages() / 8))
		return 2;
	touch(mem, size, 1);
	munmap(mem, size);
	if (reserve(color_pages() / 2))
		return 3;
	kill(getpid(), SIGSTOP);
	return 0;
}

static bool test_reserve(void)
{
	long size = sysconf(_SC_PHYS_PAGES) * page_size / 4 / nr_colors / 2 * 5;
	char text[32], line[64];
	struct entry e;
	int status;
	pid_t pid;
	bool ok;

	snprintf(line, sizeof(line), "0 " PROGRAM " colors=1");
	snprintf(text, sizeof(text), "%ld", size);
	if (!write_file(PROGRAMS, line))
		return false;
	pid = start_program(0, "grow", text, &status);
	ok = WIFSTOPPED(status) && entry_of(pid, &e) && e.nr >= 3;
	ksft_print_msg("status %#x, %ld pages reserved\n", status, read_long(STATS "reserved"));
	ok &= read_long(STATS "reserved") == (long)color_pages() / 2 && zones_are_right();
	end_program(pid);
	return write_file(PROGRAMS, "-0 " PROGRAM) && ok && nobody_owns();
}

static void *wait_there(void *arg)
{
	pause();
	return arg;
}

/* A program of two threads. */
static int two_threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_there, NULL))
		return 2;
	kill(getpid(), SIGSTOP);
	pause();
	return 0;
}

static pid_t other_thread(pid_t pid)
{
	char path[64];
	FILE *list;
	pid_t tid = 0, one_tid;

	snprintf(path, sizeof(path), "ls /proc/%d/task", pid);
	list = popen(path, "r");
	while (list && fscanf(list, "%d", &one_tid) == 1)
		if (one_tid != pid)
			tid = one_tid;
	if (list)
		pclose(list);
	return tid;
}

/* A part of the threads of GROUP, with colors of the one or the other half. */
static bool make_part(const char *name, int first)
{
	char path[96], list[32];

	snprintf(path, sizeof(path), GROUP "/%s", name);
	if (mkdir(path, 0755))
		return false;
	snprintf(path, sizeof(path), GROUP "/%s/cgroup.type", name);
	if (!write_file(path, "threaded"))
		return false;
	snprintf(path, sizeof(path), GROUP "/%s/cpuset.colors", name);
	snprintf(list, sizeof(list), "%d-%d", first, first + nr_colors / 2 - 1);
	return write_file(path, list);
}

static bool move_thread(pid_t tid, const char *name)
{
	char path[96], text[16];

	snprintf(path, sizeof(path), GROUP "/%s/cgroup.threads", name);
	snprintf(text, sizeof(text), "%d", tid);
	return write_file(path, text);
}

static bool has_colors(pid_t pid, int status)
{
	struct entry e;

	return WIFSTOPPED(status) && entry_of(pid, &e) && e.nr == 2;
}

/* One of its threads has two other colors: four of the line's five are held then. */
static bool test_moved(void)
{
	pid_t first, second;
	int status, again;
	char list[16];
	bool ok;

	snprintf(list, sizeof(list), "0-%d", nr_colors - 1);

	/* The first part must be there for its parent to be one of threads. */
	ok = write_file(TOP "/cgroup.subtree_control", "+cpuset") && !mkdir(GROUP, 0755) &&
	     !mkdir(GROUP "/low", 0755) && write_file(GROUP "/low/cgroup.type", "threaded") &&
	     write_file(GROUP "/cgroup.subtree_control", "+cpuset") && !rmdir(GROUP "/low") &&
	     write_file(GROUP "/cpuset.colors", list) && make_part("low", 0) &&
	     make_part("high", nr_colors / 2) &&
	     write_file(PROGRAMS, "1000 " PROGRAM " colors=2 most=5");
	if (!ok)
		ksft_print_msg("no cgroups of threads: %s\n", strerror(errno));
	if (!ok || !write_file(GROUP "/cgroup.procs", "0"))
		return false;
	first = start_program(USER, "threads", "", &status);
	ok = has_colors(first, status);
	second = start_program(USER, "threads", "", &again);
	ok &= has_colors(second, again);
	end_program(second);
	usleep(300000);
	/* Colors of programs are taken from the lowest on. */
	ok &= move_thread(other_thread(first), "high");
	second = start_program(USER, "threads", "", &again);
	ksft_print_msg("another program has %scolors beside one with threads in two cgroups\n",
		       has_colors(second, again) ? "" : "no ");
	ok &= WIFSTOPPED(again) && !has_colors(second, again);
	end_program(second);
	end_program(first);
	for (int i = 0; i < 100; i++) {
		second = start_program(USER, "threads", "", &again);
		status = has_colors(second, again);
		end_program(second);
		if (status)
			break;
		usleep(20000);
	}
	if (!status)
		ksft_print_msg("what it held is not given back\n");
	write_file(TOP "/cgroup.procs", "0");
	return write_file(PROGRAMS, "-1000 " PROGRAM) && ok && status;
}

int main(int argc, char **argv)
{
	page_size = sysconf(_SC_PAGESIZE);
	if (argc > 2 && !strcmp(argv[1], "grow"))
		return grow(atol(argv[2]));
	if (argc > 2 && !strcmp(argv[1], "threads"))
		return two_threads();
	start(4);
	umask(022);
	if (!copy_self(PROGRAM))
		ksft_exit_fail_msg("no copy in " PROGRAM "\n");
	run("reserved pages of a program that has grown", test_reserve);
	run("a program with threads in two cgroups", test_moved);
	unlink(PROGRAM);
	for (int i = 0; i < 100; i++) {
		rmdir(GROUP "/low");
		rmdir(GROUP "/high");
		if (!rmdir(GROUP) || errno != EBUSY)
			break;
		usleep(10000);
	}
	end_tests();
}
