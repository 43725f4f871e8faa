// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: PR_PAGE_COLOR_MIGRATE and cpuset.colors.migrate end soon, also
 * in address spaces that are made to be large, and at once when they are killed.
 *
 * Needs root, coloring switched on, and cgroup2 in /sys/fs/cgroup.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include "page_color_kinds.h"

#define TOP	"/sys/fs/cgroup"
#define GROUP	TOP "/page_color_recolor"
#define TB	(MB * MB)
/* A page table each, on x86: each page of it is looked at. */
#define TABLE	(2 * MB)
/* What it takes some seconds to move. */
#define LARGE	(256 * MB)
/* What takes minutes if it is done page by page, and so many seconds if not. */
#define SOON	20
/* What is no wait on a machine that is busy. */
#define SHORT	0.5

static char *reserve(size_t size)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		ksft_exit_fail_msg("mmap of %zu MiB: %s\n", size / MB, strerror(errno));
	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

/* Does a child end in time? If not it is killed. Its status, or -1. */
static int ends(pid_t pid, double seconds)
{
	double end = now() + seconds;
	int status;

	while (now() < end) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(1000);
	}
	end = now();
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ksft_print_msg("did not end in %.0f s, and %.1f s after it was killed\n",
		       seconds, now() - end);
	return -1;
}

/* What a program reserves and does not use, as sanitizers and runtimes do. */
static bool test_sparse(void)
{
	double begun = now();
	pid_t pid = fork();
	int status;

	if (!pid) {
		char *mem = mmap(NULL, TB, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		_exit(mem == MAP_FAILED || set_colors(half, 0) ||
		      move_to_colors(mem, TB));
	}
	status = ends(pid, SOON);
	ksft_print_msg("%.2f s for 1 TiB that is not there\n", now() - begun);
	return !status;
}

/* Page tables with a page each. */
static char *tables(size_t n)
{
	char *mem = reserve(n * TABLE);

	for (size_t i = 0; i < n; i++)
		mem[i * TABLE] = 1;
	return mem;
}

#define TABLES	16384

/* Seconds from a signal to the end of a process. */
static double killed(pid_t pid)
{
	double at = now();

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return now() - at;
}

/*
 * Killed in the midst of what takes so many seconds, it is dead as soon as if it
 * did nothing; which takes time, too, if its page tables are many.
 */
static bool dies(pid_t pid, double takes, double idle, const char *what)
{
	double after;

	usleep(takes * 250000);
	if (waitpid(pid, NULL, WNOHANG))
		return false;
	after = killed(pid);
	ksft_print_msg("%s: takes %.2f s, dead after %.2f s, idle after %.2f s\n", what,
		       takes, after, idle);
	return after < 2 * idle + SHORT;
}

static bool test_killed(void)
{
	double takes, idle;
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		return false;
	pid = fork();
	if (!pid) {
		/* Its pages have colors as well: to free them takes as long. */
		if (set_colors(half, 0))
			_exit(2);
		tables(TABLES);
		if (write(ready[1], &idle, sizeof(idle)) == sizeof(idle))
			pause();
		_exit(1);
	}
	if (read(ready[0], &idle, sizeof(idle)) != sizeof(idle))
		return false;
	idle = killed(pid);
	pid = fork();
	if (!pid) {
		char *mem = tables(TABLES);

		if (set_colors(half, 0) || move_to_colors(mem, TABLES * TABLE))
			_exit(1);
		takes = now();
		if (move_to_colors(mem, TABLES * TABLE))
			_exit(2);
		takes = now() - takes;
		if (write(ready[1], &takes, sizeof(takes)) != sizeof(takes))
			_exit(3);
		for (;;)
			if (move_to_colors(mem, TABLES * TABLE) < 0)
				_exit(4);
	}
	return read(ready[0], &takes, sizeof(takes)) == sizeof(takes) &&
	       dies(pid, takes, idle, "MIGRATE");
}

static bool over;

static void *moves(void *mem)
{
	long left = move_to_colors(mem, TABLES * TABLE);

	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	return (void *)left;
}

/* A thread goes on while another moves all that there is. */
static bool test_other_thread(void)
{
	char *mem = tables(TABLES), *small;
	double longest = 0, begun, from, took;
	pthread_t thread;
	void *left;
	long n = 0;

	if (set_colors(half, 0) || move_to_colors(mem, TABLES * TABLE))
		return false;
	begun = now();
	pthread_create(&thread, NULL, moves, mem);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		from = now();
		small = map_pages(page_size);
		munmap(small, page_size);
		if (now() - from > longest)
			longest = now() - from;
		n++;
	}
	took = now() - begun;
	pthread_join(thread, &left);
	ksft_print_msg("%ld mappings in %.2f s, the longest took %.3f s\n", n, took,
		       longest);
	return !left && (longest < took / 4 || longest < SHORT);
}

/* Pages that another CPU has on its lists are moved as well. */
static void *touches(void *mem)
{
	last_cpu();
	touch(mem, 5 * page_size, 1);
	return NULL;
}

static bool test_other_cpu(void)
{
	char *mem = map_pages(5 * page_size);
	pthread_t thread;
	long left;

	stay_on(0);
	pthread_create(&thread, NULL, touches, mem);
	pthread_join(thread, NULL);
	if (set_colors(one, 0))
		return false;
	left = move_to_colors(mem, 5 * page_size);
	if (left)
		ksft_print_msg("%ld of 5 left\n", left);
	return !left && pure(mem, 5 * page_size, one, "of another CPU");
}

/* In a cgroup with colors, as a user without any privilege. */
static pid_t tenant(int ready, bool mapped)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!write_file(GROUP "/cgroup.procs", "0") || setuid(65534))
		_exit(1);
	if (mapped)
		tables(TABLES);
	reserve(64 * TB);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static bool test_cgroup(void)
{
	pid_t user, writer;
	double took;
	int ready[2];
	char one, list[32];
	bool ok;

	snprintf(list, sizeof(list), "0-%d", nr_colors / 2 - 1);
	write_file(TOP "/cgroup.subtree_control", "+cpuset");
	if (pipe(ready) || (mkdir(GROUP, 0755) && errno != EEXIST) ||
	    !write_file(GROUP "/cpuset.colors", list))
		return false;
	user = tenant(ready[1], true);
	ok = read(ready[0], &one, 1) == 1;
	took = now();
	writer = fork();
	if (!writer)
		_exit(!write_file(GROUP "/cpuset.colors.migrate", "1"));
	ok &= ends(writer, 2 * SOON) == 0;
	took = now() - took;
	ksft_print_msg("%.2f s for 64 TiB of a tenant\n", took);

	writer = fork();
	if (!writer) {
		for (;;)
			if (!write_file(GROUP "/cpuset.colors.migrate", "1"))
				_exit(1);
	}
	ok &= dies(writer, took, 0, "cpuset.colors.migrate");
	kill(user, SIGKILL);
	waitpid(user, NULL, 0);
	for (int i = 0; i < 100 && rmdir(GROUP) && errno == EBUSY; i++)
		usleep(10000);
	return ok;
}

/* Who removes a cgroup does not wait for memory that is moved, nor does who waits for him. */
static bool test_removed(void)
{
	long before = read_long(DIR "stats/recolored");
	pid_t user, writer;
	char list[32], one;
	int ready[2];
	double took;
	bool ok;

	if (pipe(ready) || (mkdir(GROUP, 0755) && errno != EEXIST))
		return false;
	user = fork();
	if (!user) {
		char *mem = reserve(LARGE);

		/* Not in the colors that it gets. */
		if (set_colors(other_half(), 0))
			_exit(1);
		touch(mem, LARGE, 1);
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
		if (!write_file(GROUP "/cgroup.procs", "0") || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	snprintf(list, sizeof(list), "0-%d", nr_colors / 2 - 1);
	ok = read(ready[0], &one, 1) == 1 && write_file(GROUP "/cpuset.colors", list);
	writer = fork();
	if (!writer)
		_exit(!write_file(GROUP "/cpuset.colors.migrate", "1"));
	while (read_long(DIR "stats/recolored") == before &&
	       !waitpid(writer, NULL, WNOHANG))
		usleep(1000);
	snprintf(list, sizeof(list), "%d", user);
	ok &= write_file(TOP "/cgroup.procs", list) && !rmdir(GROUP);
	took = now();
	/* It goes on. */
	ok &= !waitpid(writer, NULL, WNOHANG);
	/* All of it is moved, which KASAN makes some times as long. */
	ok &= ends(writer, 4 * SOON) >= 0;
	ksft_print_msg("%.2f s more for memory of a cgroup that is gone\n", now() - took);
	kill(user, SIGKILL);
	waitpid(user, NULL, 0);
	return ok;
}

int main(void)
{
	static const struct row rows[] = {
		{ "a terabyte that is not there", test_sparse, NULL },
		{ "killed while it moves", test_killed, NULL },
		{ "other threads go on", test_other_thread, NULL },
		{ "new pages of another CPU", test_other_cpu, NULL },
		{ "a tenant's address space", test_cgroup, NULL },
		{ "a cgroup that is removed", test_removed, NULL },
	};

	run_rows(rows, sizeof(rows) / sizeof(*rows));
}
