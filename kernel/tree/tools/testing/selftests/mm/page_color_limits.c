// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: attacks that try to hold more than they may.
 *
 * Needs root, coloring switched on, and cgroup2 in /sys/fs/cgroup.
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include "page_color_view.h"

#ifndef PR_PAGE_COLOR_AHEAD
#define PR_PAGE_COLOR_AHEAD	5
#define PR_PAGE_COLOR_RESERVE	6
#endif

#define LIMITS		DIR "limits/"
#define STATS		DIR "stats/"
#define AHEAD		STATS "ahead"
#define PROGRAMS	"/proc/page_color/programs"
#define TOP		"/sys/fs/cgroup"
#define GROUP		TOP "/page_color_limits"
#define FULL		GROUP "/full"
#define MANY		GROUP "/many"
#define GROUPS		512
#define NOBODY		65534
#define OWNERS		16
#define MAX_LINES	256

static bool put(const char *file, long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", n);
	return write_file(file, text);
}

static bool become(uid_t uid)
{
	return !setresgid(uid, uid, uid) && !setresuid(uid, uid, uid);
}

static long ahead(unsigned long pages)
{
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_AHEAD, pages, 0, 0);
}

/* A child that does something and stays until it is killed. */
static pid_t stay(bool (*body)(int i), int i, bool *ok)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!body(i))
			_exit(1);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	*ok = waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status);
	return pid;
}

static void end(pid_t *pids, int n)
{
	while (n--) {
		kill(pids[n], SIGKILL);
		waitpid(pids[n], NULL, 0);
	}
}

static bool none_ahead(void)
{
	for (int i = 0; i < 200 && read_long(AHEAD); i++)
		usleep(10000);
	return !read_long(AHEAD);
}

/* Who asks for pages ahead is charged for them, until a fault is. */
static bool is_charged(void)
{
	long n, used, limit = 64 * MB;
	int status;
	char *mem;
	pid_t pid;
	bool ok;

	if (!write_file(GROUP "/memory.max", "64M") || !write_file(GROUP "/cgroup.procs", "0") ||
	    !stay_on(sched_getcpu()) || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	n = ahead(128 * MB / page_size);
	used = read_long(GROUP "/memory.current");
	ksft_print_msg("%ld pages ahead of a limit of %ld, %ld charged\n", n,
		       limit / (long)page_size, used / (long)page_size);
	/* The test itself needs some memory, and got it back. */
	ok = n > 256 && n * (long)page_size <= limit && used <= limit &&
	     read_long(AHEAD) > n - 2048 && used >= read_long(AHEAD) * (long)page_size;
	/* Who needs memory there gets it from them, and is not killed. */
	pid = fork();
	if (!pid) {
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
		mem = map_pages(limit / 2);
		touch(mem, limit / 2, 1);
		_exit(0);
	}
	ok &= waitpid(pid, &status, 0) == pid && !status;
	ksft_print_msg("%ld pages ahead left\n", read_long(AHEAD));
	ok &= read_long(AHEAD) < limit / 2 / (long)page_size &&
	      read_long(AHEAD) > limit / 4 / (long)page_size;
	/* No more is charged when they are used. */
	n = ahead(4096);
	used = read_long(GROUP "/memory.current");
	mem = map_pages(n / 2 * page_size);
	madvise(mem, n / 2 * page_size, MADV_NOHUGEPAGE);
	touch(mem, n / 2 * page_size, 1);
	used -= read_long(GROUP "/memory.current");
	ksft_print_msg("%ld pages of %ld ahead left, %ld bytes less charged\n",
		       read_long(AHEAD), n, used);
	ok &= n == 4096 && read_long(AHEAD) < n / 2 + 16 && labs(used) < (long)MB;
	used = read_long(GROUP "/memory.current");
	ok &= ahead(0) == 0 && used - read_long(GROUP "/memory.current") > 7 * (long)MB;
	return ok;
}

static bool test_charged(void)
{
	bool ok = is_charged();

	return write_file(TOP "/cgroup.procs", "0") && ok && none_ahead();
}

static bool greedy(int i)
{
	unsigned long set[LONGS] = {};

	for (int c = 0; c < nr_colors; c++)
		if (c % OWNERS == i)
			add(set, c);
	return !set_colors(set, 0) && ahead(262144) >= 0;
}

/* All tasks together have an eighth of the machine, or what the file says. */
static bool test_ahead_of_all(void)
{
	long all = sysconf(_SC_PHYS_PAGES), was = read_long(LIMITS "ahead"), n;
	pid_t pids[OWNERS];
	bool ok = true, one;

	for (int i = 0; i < OWNERS; i++) {
		pids[i] = stay(greedy, i, &one);
		ok &= one;
	}
	n = read_long(AHEAD);
	ksft_print_msg("%ld of %ld pages of memory ahead, limit %ld\n", n, all, was);
	ok &= n <= all / 8 && n > all / 16 && read_long(STATS "limited_ahead") > 0;
	end(pids, OWNERS);
	ok &= none_ahead() && put(LIMITS "ahead", 1000);
	for (int i = 0; i < 2; i++) {
		pids[i] = stay(greedy, i, &one);
		ok &= one;
	}
	ok &= read_long(AHEAD) <= 1000 && read_long(AHEAD) > 900;
	end(pids, 2);
	return put(LIMITS "ahead", was) && ok && none_ahead();
}

static bool reserving(int i)
{
	return !set_colors(half, i ? PR_PAGE_COLOR_STRICT : 0) && ahead(4000) > 1000 &&
	       (i || !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, 500, 0, 0));
}

/* Memory that is short gets them back, and not what is reserved. */
static bool test_shrinker(void)
{
	long before, held, shrunk = read_long(STATS "ahead_shrunk");
	pid_t pids[2];
	bool ok = true, one;

	for (int i = 0; i < 2; i++) {
		pids[i] = stay(reserving, i, &one);
		ok &= one;
	}
	before = read_long(AHEAD);
	held = read_long(STATS "reserve_held");
	ok &= write_file("/proc/sys/vm/drop_caches", "2");
	ksft_print_msg("%ld pages ahead of %ld left, %ld of %ld reserved\n", read_long(AHEAD),
		       before, read_long(STATS "reserve_held"), held);
	ok &= read_long(AHEAD) < before / 8 && held > 400 &&
	      read_long(STATS "reserve_held") >= held - 16 &&
	      read_long(STATS "ahead_shrunk") - shrunk >= before / 8 * 7;
	end(pids, 2);
	return ok && none_ahead();
}

/* The longest that a choice of colors took while those of many groups changed. */
static double longest_choice(bool full)
{
	static const char * const lists[] = { "0-1", "0-2" };
	double worst = 0, took;
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (full && (!write_file(FULL "/memory.high", "0") ||
			     !write_file(FULL "/cgroup.procs", "0")))
			_exit(1);
		for (int i = 0; i < 4; i++) {
			if (!write_file(MANY "/cpuset.colors", lists[i % 2]))
				_exit(1);
		}
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		took = now();
		if (set_colors(one, 0) || prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0))
			return -1;
		took = now() - took;
		worst = took > worst ? took : worst;
	}
	return status ? -1 : worst;
}

/*
 * Who changes the colors of many groups from a cgroup that is full waits for it, and
 * keeps nobody else waiting.
 */
static bool test_full_cgroup(void)
{
	double before, during;
	char path[64];
	bool ok;

	ok = write_file(GROUP "/cgroup.subtree_control", "+cpuset +memory") &&
	     !mkdir(FULL, 0755) && !mkdir(MANY, 0755) &&
	     write_file(MANY "/cgroup.subtree_control", "+cpuset");
	for (int i = 0; i < GROUPS && ok; i++) {
		snprintf(path, sizeof(path), MANY "/%d", i);
		ok = !mkdir(path, 0755);
		strcat(path, "/cpuset.colors");
		ok = ok && write_file(path, "0");
	}
	before = longest_choice(false);
	during = longest_choice(true);
	ksft_print_msg("a choice of colors took %.3f s, beside a full cgroup %.3f s\n",
		       before, during);
	for (int i = 0; i < GROUPS; i++) {
		snprintf(path, sizeof(path), MANY "/%d", i);
		rmdir(path);
	}
	ok &= !rmdir(MANY) && !rmdir(FULL);
	ok &= write_file(GROUP "/cgroup.subtree_control", "-cpuset -memory");
	return ok && before >= 0 && during >= 0 &&
	       during < 4 * before + 1;
}

/* With colors of their own, of a user or of root. */
static bool own_policy(int i)
{
	return write_file(GROUP "/cgroup.procs", "0") && (!i || become(i)) && !set_colors(one, 0);
}

static int count_policies(uid_t uid, int most, int *err)
{
	pid_t pids[OWNERS];
	int n = 0, status;
	pid_t pid;
	bool ok = true;

	*err = 0;
	while (n < most && ok) {
		pids[n] = stay(own_policy, uid, &ok);
		n++;
	}
	if (!ok) {
		/* Why it was refused. */
		pid = fork();
		if (!pid) {
			own_policy(uid);
			_exit(errno);
		}
		waitpid(pid, &status, 0);
		*err = WEXITSTATUS(status);
		waitpid(pids[--n], NULL, 0);
	}
	end(pids, n);
	return n;
}

/* A task has its policy a little longer than its parent waits for it. */
static void wait_for_policies(void)
{
	int err;

	for (int i = 0; i < 1000 && !count_policies(NOBODY, 1, &err); i++)
		usleep(10000);
}

/* Choices of colors, each of which costs memory and time: of a user, of all. */
static bool test_policies(void)
{
	long was = read_long(LIMITS "user_policies"), all = read_long(LIMITS "policies");
	long refused = read_long(STATS "limited_policies");
	int err, n;
	bool ok;

	ok = put(LIMITS "user_policies", 8);
	n = count_policies(NOBODY, OWNERS, &err);
	ok &= n == 8 && err == EAGAIN && read_long(STATS "limited_policies") > refused;
	ksft_print_msg("%d policies of a user, %s\n", n, strerror(err));
	n = count_policies(0, OWNERS, &err);
	ok &= n == OWNERS && !err;
	/* One in four is kept for root; the cgroup has one. */
	ok &= put(LIMITS "user_policies", was) && put(LIMITS "policies", 12);
	wait_for_policies();
	n = count_policies(NOBODY, OWNERS, &err);
	ok &= n <= 9 && n >= 8 && err == EAGAIN;
	ksft_print_msg("%d policies of a user, %s\n", n, strerror(err));
	n = count_policies(0, OWNERS, &err);
	ok &= n <= 12 && n >= 11 && err == EAGAIN;
	return put(LIMITS "policies", all) && ok;
}

static bool write_line(int i, bool remove)
{
	char text[64];

	snprintf(text, sizeof(text), "%s1000 /line/%d", remove ? "-" : "", i);
	return write_file(PROGRAMS, text);
}

static bool test_lines(void)
{
	int n = 0;
	bool ok;

	while (n < 2 * MAX_LINES && write_line(n, false))
		n++;
	ok = n == MAX_LINES && errno == ENOSPC;
	ksft_print_msg("%d lines, %s\n", n, strerror(errno));
	/* To write one again needs no other. */
	ok &= n && write_line(0, false) && write_line(n - 1, true) && write_line(n - 1, false);
	while (n--)
		ok &= write_line(n, true);
	return ok;
}

/* A pattern that is compared at each place of a long path. */
static bool write_slow_line(int i, bool remove)
{
	char text[1024];
	int n = sprintf(text, "%s1000 /*", remove ? "-" : "");

	memset(text + n, '?', 990);
	sprintf(text + n + 990, "YZ%03d", i);
	return write_file(PROGRAMS, text);
}

/* However long a program is compared with its user's lines, it can be killed. */
static bool test_slow_lines(void)
{
	char path[4096] = "/tmp";
	int n = 0, parts = 0;
	double begun;
	pid_t pid;
	bool ok;

	for (; parts < 15; parts++) {
		size_t at = strlen(path);

		path[at] = '/';
		memset(path + at + 1, 'a', 230);
		if (mkdir(path, 0755))
			return false;
	}
	strcat(path, "/program");
	ok = copy_self(path);
	while (n < MAX_LINES && write_slow_line(n, false))
		n++;
	pid = fork();
	if (!pid) {
		if (become(1000))
			execl(path, path, "ends", NULL);
		_exit(1);
	}
	sleep(1);
	begun = now();
	kill(pid, SIGKILL);
	ok &= waitpid(pid, NULL, 0) == pid;
	begun = now() - begun;
	ksft_print_msg("%d lines, ended %.3f s after SIGKILL\n", n, begun);
	ok &= n == MAX_LINES && begun < 10;
	while (n--)
		ok &= write_slow_line(n, true);
	unlink(path);
	for (; parts; parts--) {
		*strrchr(path, '/') = '\0';
		ok &= !rmdir(path);
	}
	return ok;
}

static bool moving(int i)
{
	char *mem = map_pages(MB);
	unsigned long other[LONGS] = {};

	madvise(mem, MB, MADV_NOHUGEPAGE);
	if (!write_file(GROUP "/cgroup.procs", "0") || !become(NOBODY))
		return false;
	for (int c = 0; c < nr_colors / 2; c++)
		if (c % 2)
			add(other, c);
	for (int n = 0; n < 40; n++) {
		if (set_colors(n % 2 ? one : other, 0))
			return false;
		touch(mem, MB, i);
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, MB, 0);
	}
	return true;
}

/* Batches of pages on the move keep reclaim waiting: four of a user at a time. */
static bool test_migrations(void)
{
	pid_t pids[OWNERS];
	int status;
	bool ok = true;
	long n;

	for (int i = 0; i < OWNERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(!moving(i));
	}
	for (int i = 0; i < OWNERS; i++)
		ok &= waitpid(pids[i], &status, 0) == pids[i] && !status;
	n = read_long(STATS "migrating_max");
	ksft_print_msg("%ld batches at a time\n", n);
	return ok && n >= 1 && n <= 4;
}

/* Limits are root's to change. */
static bool test_files(void)
{
	static const char * const names[] = { "ahead", "policies", "user_policies",
					      "user_share", "users_share" };
	long was = read_long(LIMITS "ahead");
	bool ok = was > 0 && !write_file(LIMITS "user_share", "101") &&
		  !write_file(LIMITS "policies", "-1") && !write_file(LIMITS "policies", "x");

	ok &= read_long(LIMITS "ahead") == was && become(NOBODY);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[128];

		snprintf(path, sizeof(path), LIMITS "%s", names[i]);
		ok &= read_long(path) > 0 && open(path, O_WRONLY) < 0 && errno == EACCES;
	}
	return ok;
}

int main(int argc, char **argv)
{
	char list[32];

	if (argc > 1 && !strcmp(argv[1], "ends"))
		return 0;
	start(11);
	snprintf(list, sizeof(list), "0-%d", nr_colors / 2 - 1);
	write_file(TOP "/cgroup.subtree_control", "+cpuset +memory");
	if (mkdir(GROUP, 0755))
		ksft_exit_fail_msg("no cgroup: %s\n", strerror(errno));

	run("pages ahead are charged", test_charged);
	run("pages ahead of all tasks", test_ahead_of_all);
	run("pages ahead are given back", test_shrinker);
	if (!write_file(GROUP "/cpuset.colors", list))
		ksft_exit_fail_msg("no colors for a cgroup\n");
	run("a full cgroup", test_full_cgroup);
	run("policies", test_policies);
	run("pages on the move", test_migrations);
	write_file(GROUP "/cpuset.colors", "\n");
	run("registered lines", test_lines);
	run("lines that match slowly", test_slow_lines);
	run("who changes limits", test_files);
	for (int i = 0; i < 100 && rmdir(GROUP) && errno == EBUSY; i++)
		usleep(10000);
	end_tests();
}
