// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: reserved pages are their owner's, also when a node is full.
 *
 * Needs root, colouring switched on (/sys/kernel/mm/page_color/enabled), cgroup2
 * in /sys/fs/cgroup, and two memory nodes.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/mempolicy.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "page_color_util.h"

#ifndef PR_PAGE_COLOR_RESERVE
#define PR_PAGE_COLOR_RESERVE	6
#endif

#define STATS		DIR "stats/"
#define PROGRAMS	"/proc/page_color/programs"
#define BOOST		"/proc/sys/vm/watermark_boost_factor"
#define FRACTION	"/proc/sys/vm/percpu_pagelist_high_fraction"
/* All of it is on one node, so that there is less to fill. */
#define NODE		1
#define GROUP		"/sys/fs/cgroup/page_color_reserve"
/* A task that waits has faults for its stack and data, too. */
#define OWN		64L

static unsigned long other[LONGS];
/* Pages that are reserved, less than the node has of one colour. */
static long many = 1500;

static long reserve(unsigned long pages)
{
	long n = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, pages, 0, 0);

	return n < 0 ? -errno : n;
}

static long reserved(void)
{
	return read_long(STATS "reserved");
}

static long held(void)
{
	return read_long(STATS "reserve_held");
}

/*
 * So many are reserved in all, and free but for what the test itself has used.
 * Those of tasks that have exited go a bit later.
 */
static bool is_reserved(long pages)
{
	for (int i = 0; i < 200; i++) {
		if (reserved() == pages && held() <= pages && held() >= pages - OWN)
			return true;
		usleep(10000);
	}
	ksft_print_msg("%ld pages reserved, %ld held, not %ld\n", reserved(), held(),
		       pages);
	return false;
}

/* A number of the node's zone in /proc/zoneinfo; of the last that has pages. */
static long zone_number(const char *key)
{
	long n = -1, value = -1, managed;
	char line[256];
	FILE *file;
	int node = -1;

	/* What CPUs have counted and not added yet. */
	read_long("/proc/sys/vm/stat_refresh");
	file = fopen("/proc/zoneinfo", "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d, zone", &node) == 1 || node != NODE)
			continue;
		if (strstr(line, key))
			value = strtol(strstr(line, key) + strlen(key), NULL, 10);
		/* It follows the numbers that are asked for. */
		if (sscanf(line, " managed %ld", &managed) == 1 && managed)
			n = value;
	}
	if (file)
		fclose(file);
	return n;
}

static bool bind_memory(int mode)
{
	unsigned long nodes = 1UL << NODE;

	return !syscall(SYS_set_mempolicy, mode, &nodes, 8 * sizeof(nodes));
}

/* Stay on a CPU of the node. */
static bool go_to_node(void)
{
	unsigned int cpu, node;
	cpu_set_t set;

	for (int i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++) {
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		if (!sched_setaffinity(0, sizeof(set), &set) &&
		    !syscall(SYS_getcpu, &cpu, &node, NULL) && node == NODE)
			return true;
	}
	ksft_print_msg("no CPU on node %d\n", NODE);
	return false;
}

/* How many pages of a mapping are on the node. */
static long on_node(char *mem, size_t size)
{
	long n = 0;

	for (size_t i = 0; i < size; i += page_size) {
		void *page = mem + i;
		int status = -1;

		syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0);
		n += status == NODE;
	}
	return n;
}

struct child {
	pid_t pid;
	int from;
	int to;
};

/* A process that says when it is ready, and then waits until it is to go on. */
static struct child start_child(bool (*work)(int step))
{
	int from[2], to[2];
	struct child child;
	char c;

	if (pipe(from) || pipe(to))
		ksft_exit_fail_msg("pipe: %s\n", strerror(errno));
	fflush(stdout);
	child.pid = fork();
	if (!child.pid) {
		close(from[0]);
		close(to[1]);
		if (!work(0) || write(from[1], "r", 1) != 1 || read(to[0], &c, 1) < 0)
			_exit(1);
		_exit(!work(1));
	}
	close(from[1]);
	close(to[0]);
	child.from = from[0];
	child.to = to[1];
	if (read(child.from, &c, 1) != 1)
		ksft_print_msg("a process was not ready\n");
	return child;
}

/* Let it go on; returns its status. */
static int finish(struct child child)
{
	int status;

	/* Closing is not enough: others that were started later have this end, too. */
	if (write(child.to, "g", 1) != 1)
		ksft_print_msg("a process was gone\n");
	close(child.to);
	waitpid(child.pid, &status, 0);
	close(child.from);
	return status;
}

/* Takes the memory of the node, for ever or to the middle of min and low. */
static void take_node(bool all)
{
	size_t size = 2 * sysconf(_SC_PHYS_PAGES) * page_size;
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long until = (zone_number(" min ") + zone_number(" low ")) / 2, left = 0;

	if (mem == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	madvise(mem, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page_size) {
		if (!all && left-- <= 0) {
			left = zone_number("pages free ") - until;
			if (left <= 0)
				return;
			left = left > 64 ? left / 2 : 4;
		}
		mem[i] = 1;
	}
}

/* If memory runs out it is this one that is killed. */
static bool be_hog(int step)
{
	if (!step) {
		if (!write_file("/proc/self/oom_score_adj", "1000") ||
		    !bind_memory(MPOL_BIND))
			return false;
		take_node(false);
	}
	return true;
}

static bool be_killed(int step)
{
	if (!step)
		return write_file("/proc/self/oom_score_adj", "1000") &&
		       bind_memory(MPOL_BIND);
	take_node(true);
	return true;
}

/* What an owner has when it has touched as many pages as are reserved. */
static bool use_reserve(const unsigned long *set, long pages, long *local)
{
	size_t size = pages * page_size;
	char *mem = map_pages(size);
	bool ok;

	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	ok = pure(mem, size, set, "owner");
	*local = on_node(mem, size);
	return ok;
}

/* Others get pages of the node no more, and spill or go elsewhere. */
static bool be_stranger(int step)
{
	long local = 0;

	if (!step)
		return go_to_node() && !set_colors(other, 0);
	use_reserve(other, many, &local);
	ksft_print_msg("without: %ld of %ld pages on the full node\n", local, many);
	return local < many / 2;
}

static bool own(unsigned long flags, int step)
{
	long evicted, spilled, below, local = 0, n = many - OWN;
	bool ok;

	if (!step)
		return go_to_node() && !set_colors(one, flags) && !reserve(many) &&
		       is_reserved(many);
	if (flags && !bind_memory(MPOL_BIND))
		return false;
	evicted = read_long(STATS "evicted");
	spilled = read_long(DIR "spilled");
	below = read_long(STATS "reserve_below");
	ok = use_reserve(one, n, &local) && local == n &&
	     read_long(STATS "evicted") == evicted &&
	     read_long(DIR "spilled") == spilled;
	below = read_long(STATS "reserve_below") - below;
	ksft_print_msg("with: %ld of %ld pages on the full node, %ld below the mark\n",
		       local, n, below);
	/* All are used up, and reserved nevertheless. */
	return ok && below >= n && reserved() == many && held() <= OWN;
}

static bool be_owner(int step)
{
	return own(0, step);
}

static bool be_strict_owner(int step)
{
	return own(PR_PAGE_COLOR_STRICT, step);
}

static bool full_node(bool (*owner_work)(int step))
{
	struct child stranger, owner, hog;
	bool ok;

	stranger = start_child(be_stranger);
	owner = start_child(owner_work);
	hog = start_child(be_hog);
	ok = is_reserved(many);
	ksft_print_msg("%ld pages free, low %ld, min %ld, and %ld held\n",
		       zone_number("pages free "), zone_number(" low "),
		       zone_number(" min "), held());
	ok &= zone_number("pages free ") < zone_number(" low ");
	ok &= !finish(stranger);
	ok &= !finish(owner);
	ok &= !finish(hog);
	return is_reserved(0) && ok;
}

static bool test_full(void)
{
	return full_node(be_owner);
}

static bool test_full_strict(void)
{
	return full_node(be_strict_owner);
}

/* Whoever wants too much is killed; what is reserved is not touched. */
static bool test_oom(void)
{
	struct child owner, hog;
	long before;
	int status;
	bool ok;

	owner = start_child(be_owner);
	ok = is_reserved(many);
	before = held();
	hog = start_child(be_killed);
	status = finish(hog);
	ksft_print_msg("hog: status %#x, held %ld, before %ld\n", status, held(), before);
	ok &= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && held() == before &&
	      is_reserved(many) && !kill(owner.pid, 0);
	kill(owner.pid, SIGKILL);
	finish(owner);
	return is_reserved(0) && ok;
}

/* It is a number to have; colours that are new begin with none. */
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

/* A child has its parent's colours, and what is reserved with them. */
static bool test_fork(void)
{
	size_t size = many / 3 * page_size;
	char *mem = map_pages(size), c;
	int status, go[2];
	pid_t pid;
	bool ok;

	madvise(mem, size, MADV_NOHUGEPAGE);
	ok = !pipe(go) && go_to_node() && !set_colors(half, 0) && !reserve(many);
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		touch(mem, size, 1);
		_exit(!(held() <= many * 2 / 3 && pure(mem, size, half, "child")));
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
	/* Nobody may have more; nor are there so many pages of one colour. */
	ok &= reserve(quarter + 1) == -ENOSPC && reserve(ULONG_MAX) == -ENOSPC;
	ok &= is_reserved(100);
	if (nr_colors >= 16)
		ok &= reserve(quarter / 2) == -ENOMEM && is_reserved(100) &&
		      read_long(STATS "reserve_refused") == refused + 3;
	ok &= prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, 1, 1, 0) < 0 && errno == EINVAL &&
	      prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, 1, 0, 1) < 0 && errno == EINVAL;
	/* Colours may be had without the right to reserve. */
	ok &= !setresgid(1000, 1000, 1000) && !setresuid(1000, 1000, 1000) &&
	      reserve(1) == -EPERM && reserve(0) == -EPERM;
	return ok && is_reserved(100);
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

		for (int c = nr_colors / 2; c < nr_colors; c++)
			add(last, c);
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
	pid_t pid;
	bool ok;

	ok = !write_file(PROGRAMS, "0 /* reserve=") &&
	     !write_file(PROGRAMS, "0 /* reserve=-1") &&
	     write_file(PROGRAMS, "0 /* colors=2 strict reserve=1000") &&
	     listed("0 /* colors=2 strict reserve=1000 started=0 refused=0\n");
	ok &= !stopped_program(&pid);
	ksft_print_msg("%ld of %ld pages held when the program runs\n", held(), reserved());
	/* Its own start has used some. */
	ok &= reserved() == 1000 && held() > 700 && held() < 1000 && stop_program(pid);
	/* More than there is: a strict program is not executed, another is. */
	ok &= write_file(PROGRAMS, "0 /* colors=2 strict reserve=4000000000") &&
	      stopped_program(&pid) == EAGAIN && is_reserved(0);
	ok &= write_file(PROGRAMS, "0 /* colors=2 reserve=4000000000") &&
	      !stopped_program(&pid) && is_reserved(0) && stop_program(pid);
	return write_file(PROGRAMS, "-0 /*") && ok && is_reserved(0);
}

/* Memory blocks of the node go offline although pages in them are reserved. */
static bool test_offline(void)
{
	long n = zone_number("managed ") / 8, before, left = 0, blocks = 0;
	bool ok = go_to_node() && !set_colors(half, 0) && !reserve(n) && is_reserved(n);
	char path[96];

	before = held();
	for (long block = 0; ok && !left && block < 4096; block++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/memory%ld/state",
			 NODE, block);
		if (access(path, F_OK) || !write_file(path, "offline"))
			continue;
		blocks++;
		left = before - held() > OWN ? before - held() : 0;
		ok &= reserved() == n && zones_are_right() && write_file(path, "online");
	}
	ksft_print_msg("%ld blocks went offline, %ld of %ld pages were in the last\n",
		       blocks, left, n);
	return ok && left && !reserve(0) && is_reserved(0);
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
	char boost[64], fraction[64];
	long managed;

	if (argc > 1 && !strcmp(argv[1], "stop")) {
		kill(getpid(), SIGSTOP);
		return 0;
	}
	start(14);
	add(other, 3);
	managed = zone_number("managed ");
	if (managed < 0)
		ksft_exit_skip("no node %d\n", NODE);
	if (many > managed / nr_colors * 3 / 4)
		many = managed / nr_colors * 3 / 4;
	/*
	 * Watermarks that rise meanwhile, and thousands of pages that a CPU takes at
	 * once and gives back later, kill who stops a bit above, or make room.
	 */
	if (read_file(BOOST, boost, sizeof(boost)) <= 0 || !write_file(BOOST, "0") ||
	    read_file(FRACTION, fraction, sizeof(fraction)) <= 0 ||
	    !write_file(FRACTION, "4000"))
		ksft_exit_fail_msg("no " BOOST " or " FRACTION "\n");
	run("a full node", test_full);
	run("a full node, strict", test_full_strict);
	run("memory runs out for others", test_oom);
	run("a number to have", test_number);
	run("used first, and refilled", test_used);
	run("no page is lost", test_balance);
	run("with a child", test_fork);
	run("refused", test_refused);
	run("a quarter for all", test_share);
	run("a program's", test_program);
	run("a cgroup's", test_group);
	run("memory goes offline", test_offline);
	write_file(BOOST, boost);
	write_file(FRACTION, fraction);
	ksft_test_result(nobody_owns() && is_reserved(0),
			 "nothing is reserved, nobody owns colours\n");
	ksft_test_result(zones_are_right(), "free lists and counters agree\n");
	ksft_finished();
}
