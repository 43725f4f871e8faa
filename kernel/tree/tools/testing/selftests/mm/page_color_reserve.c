// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: the number of reserved pages, who may have it and until when.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), cgroup2
 * in /sys/fs/cgroup, and two memory nodes.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <sys/stat.h>
#include "page_color_reserved.h"

#define PROGRAMS	"/proc/page_color/programs"
#define GROUP		"/sys/fs/cgroup/page_color_reserve"

/* It is a number to have; colors that are new begin with none. */
static bool test_number(void)
{
	bool ok = go_to_node() && !set_colors(half, 0) && !reserve(many) &&
		  is_reserved(many) && !reserve(many) && is_reserved(many);

	ok &= !reserve(3 * many) && is_reserved(3 * many);
	ok &= !reserve(100) && is_reserved(100) && !reserve(0) && is_reserved(0);
	ok &= !reserve(many) && !set_colors(one, 0) && is_reserved(0);
	ok &= !reserve(many) && is_reserved(many) &&
	      !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0) && is_reserved(0);
	return ok;
}

/* Pages are used first, and come back when they are freed. */
static bool test_used(void)
{
	size_t size = many / 2 * page_size;
	char *mem = map_pages(size);
	long used;
	bool ok;

	madvise(mem, size, MADV_NOHUGEPAGE);
	ok = go_to_node() && !set_colors(one, 0) && !reserve(many) && is_reserved(many);
	for (int i = 0; i < 5; i++) {
		touch(mem, size, 1);
		used = many - held();
		ok &= used >= many / 2 && used <= many / 2 + OWN && reserved() == many &&
		      pure(mem, size, one, "used");
		madvise(mem, size, MADV_DONTNEED);
		ok &= is_reserved(many);
	}
	ksft_print_msg("%ld of %ld pages used, %ld held in the end\n", used, many, held());
	return ok;
}

/* What is reserved and given back many times is neither lost nor multiplied. */
static bool test_balance(void)
{
	long n = zone_number("managed "), rounds = 30, free, now;
	bool ok = go_to_node() && !set_colors(half, 0);

	n /= 8;
	ok &= !reserve(n) && !reserve(0);
	drain();
	ok &= !set_colors(half, 0);
	free = zone_number("pages free ");
	for (long i = 0; i < rounds && ok; i++) {
		ok &= !reserve(n);
		now = zone_number("pages free ");
		if (free - now < n - 4096 || free - now > n + 4096) {
			ksft_print_msg("%ld of %ld pages free with %ld reserved\n", now,
				       free, n);
			ok = false;
		}
		ok &= !reserve(0) && is_reserved(0);
	}
	now = zone_number("pages free ");
	ksft_print_msg("%ld times %ld pages: %ld free, %ld before\n", rounds, n, now, free);
	return ok && now - free < 4096 && free - now < 4096;
}

/*
 * A child has its parent's colors, and what is reserved with them. What others free
 * meanwhile is reserved again.
 */
static bool test_fork(void)
{
	long used = many / 3, left;
	size_t size = used * page_size;
	char *mem = map_pages(size), c;
	int status, go[2];
	pid_t pid;
	bool ok;

	madvise(mem, size, MADV_NOHUGEPAGE);
	ok = !pipe(go) && go_to_node() && !set_colors(half, 0) && !reserve(many);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		touch(mem, size, 1);
		left = held();
		ksft_print_msg("%ld of %ld pages used, %ld held\n", used, many, left);
		ok = left <= many - used + OWN && pure(mem, size, half, "child");
		fflush(stdout);
		_exit(!ok);
	}
	ok &= !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0) && is_reserved(many);
	close(go[1]);
	ok &= waitpid(pid, &status, 0) == pid && !status;
	return is_reserved(0) && ok;
}

static bool test_refused(void)
{
	long quarter = zone_number("managed ") / 4;
	long refused = read_long(STATS "reserve_refused");
	bool ok = reserve(1) == -ENODATA && reserve(0) == -ENODATA;

	ok &= go_to_node() && !set_colors(one, 0) && !reserve(100) && is_reserved(100);
	/* Nobody may have more; nor are there so many pages of one color. */
	ok &= reserve(quarter + 1) == -ENOSPC && reserve(ULONG_MAX) == -ENOSPC;
	ok &= is_reserved(100);
	if (nr_colors >= 16)
		ok &= reserve(quarter / 2) == -ENOMEM && is_reserved(100) &&
		      read_long(STATS "reserve_refused") == refused + 3;
	ok &= prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, 1, 1, 0) < 0 && errno == EINVAL &&
	      prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, 1, 0, 1) < 0 && errno == EINVAL;
	/* Colors may be had without the right to reserve. */
	ok &= is_reserved(100) && !setresgid(1000, 1000, 1000) &&
	      !setresuid(1000, 1000, 1000) && reserve(1) == -EPERM && reserve(0) == -EPERM;
	return ok;
}

/* One in four pages of a zone, whoever reserves them. */
static bool test_share(void)
{
	long quarter = zone_number("managed ") / 4;
	bool ok = go_to_node() && !set_colors(half, 0) && !reserve(quarter - 1000);
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		unsigned long last[LONGS] = {};

		add_rest(last, half);
		_exit(!(!set_colors(last, 0) && reserve(2000) == -ENOSPC &&
			!reserve(500) && is_reserved(quarter - 500)));
	}
	ok &= waitpid(pid, &status, 0) == pid && !status;
	return ok && is_reserved(quarter - 1000);
}

static bool listed(const char *line)
{
	char text[4096];

	return read_file(PROGRAMS, text, sizeof(text)) > 0 && strstr(text, line);
}

/* A program that stops itself; returns 0, or the error of exec. */
static int stopped_program(pid_t *pid)
{
	int status;

	fflush(stdout);
	*pid = fork();
	if (!*pid) {
		execl("/proc/self/exe", "page_color_reserve", "stop", NULL);
		_exit(errno);
	}
	if (waitpid(*pid, &status, WUNTRACED) != *pid)
		return -1;
	return WIFSTOPPED(status) ? 0 : WEXITSTATUS(status);
}

static bool stop_program(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return is_reserved(0);
}

static bool test_program(void)
{
	/* Two colors of a small node have less than 1000. */
	long n = many < 1000 ? many : 1000;
	char line[80];
	pid_t pid;
	bool ok;

	snprintf(line, sizeof(line), "0 /* colors=2 strict reserve=%ld", n);
	ok = !write_file(PROGRAMS, "0 /* reserve=") &&
	     !write_file(PROGRAMS, "0 /* reserve=-1") &&
	     write_file(PROGRAMS, line);
	strcat(line, " started=0 refused=0\n");
	ok &= listed(line);
	ok &= !stopped_program(&pid);
	ksft_print_msg("%ld of %ld pages held when the program runs\n", held(), reserved());
	/* Its own start has used some. */
	ok &= reserved() == n && held() > n - 300 && held() < n && stop_program(pid);
	/* More than there is: a strict program is not executed, another is. */
	ok &= write_file(PROGRAMS, "0 /* colors=2 strict reserve=4000000000") &&
	      stopped_program(&pid) == EAGAIN && is_reserved(0);
	ok &= write_file(PROGRAMS, "0 /* colors=2 reserve=4000000000") &&
	      !stopped_program(&pid) && is_reserved(0) && stop_program(pid);
	return write_file(PROGRAMS, "-0 /*") && ok && is_reserved(0);
}

/* The node's memory blocks, one after the other: its file, or false behind the last. */
static bool next_block(long *block, char *path, size_t size)
{
	while (++*block < 4096) {
		snprintf(path, size, "/sys/devices/system/node/node%d/memory%ld/state",
			 NODE, *block);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

/*
 * Is there a block that goes offline while nothing is reserved, or, where that is
 * forbidden, gets so far as to be asked? Others have the kernel's pages.
 */
static bool some_block_goes(void)
{
	char path[96];
	int error;

	for (long block = -1; next_block(&block, path, sizeof(path));) {
		error = take_offline(path);
		if (!error)
			return write_file(path, "online");
		if (BOOT_MEMORY_STAYS && error == EPERM)
			return true;
	}
	return false;
}

/* Memory blocks of the node go offline although pages in them are reserved. */
static bool test_offline(void)
{
	long n = zone_number("managed ") / 8, before, left = 0;
	long blocks = 0, refused = 0, forbidden = 0;
	bool some = some_block_goes();
	bool ok = go_to_node() && !set_colors(half, 0) && !reserve(n) && is_reserved(n);
	char path[96];

	before = held();
	for (long block = -1; ok && !left && next_block(&block, path, sizeof(path));) {
		errno = take_offline(path);
		refused += errno != 0;
		forbidden += errno == EPERM;
		if (errno)
			continue;
		blocks++;
		left = before - held() > OWN ? before - held() : 0;
		ok &= reserved() == n && zones_are_right() && write_file(path, "online");
	}
	ksft_print_msg("%ld blocks went offline, %ld of %ld pages were in the last\n",
		       blocks, left, n);
	ksft_print_msg("%ld blocks were refused, %ld of them forbidden\n", refused, forbidden);
	if (BOOT_MEMORY_STAYS)
		ok &= !blocks && (forbidden || !some) && is_reserved(n) && zones_are_right();
	else if (!left)
		/* None can go, or, with KASAN, a few, which have no reserved pages. */
		ok &= (blocks || !some) && refused > blocks && is_reserved(n) &&
		      zones_are_right();
	return ok && !reserve(0) && is_reserved(0);
}

/* One task of a cgroup reserves for all. */
static bool in_group(bool (*work)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(!(go_to_node() && write_file(GROUP "/cgroup.procs", "0") && work()));
	return waitpid(pid, &status, 0) == pid && !status;
}

static bool reserve_some(void)
{
	return !reserve(many) && is_reserved(many);
}

static bool use_some(void)
{
	size_t size = many / 2 * page_size;
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	return pure(mem, size, one, "group") && held() <= many / 2 + 1;
}

static bool test_group(void)
{
	bool ok;

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
	ok = !mkdir(GROUP, 0755) && write_file(GROUP "/cpuset.colors", "1") &&
	     in_group(reserve_some) && is_reserved(many) && in_group(use_some) &&
	     reserved() == many;
	ok &= write_file(GROUP "/cpuset.colors", "2") && is_reserved(0);
	for (int i = 0; i < 100 && (rmdir(GROUP) && errno == EBUSY); i++)
		usleep(10000);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "stop")) {
		kill(getpid(), SIGSTOP);
		return 0;
	}
	begin(11);
	run("a number to have", test_number);
	run("used first, and refilled", test_used);
	run("no page is lost", test_balance);
	run("with a child", test_fork);
	run("refused", test_refused);
	run("a quarter for all", test_share);
	run("a program's", test_program);
	run("a cgroup's", test_group);
	run("memory goes offline", test_offline);
	end();
	ksft_finished();
}
