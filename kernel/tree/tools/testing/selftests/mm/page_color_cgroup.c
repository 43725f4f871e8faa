// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: colors of cgroups, cpuset.colors and its siblings.
 *
 * Needs root, coloring switched on, and cgroup2 in /sys/fs/cgroup.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include "page_color_util.h"

#define TOP	"/sys/fs/cgroup"
#define GROUP	TOP "/page_color"
#define CHILD	GROUP "/child"

/* The upper half of the colors, a quarter, and as lists. */
static unsigned long upper[LONGS], quarter[LONGS];
static char half_list[32], upper_list[32], quarter_list[32];

static const char *file_of(const char *group, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	return path;
}

static bool put(const char *group, const char *name, const char *value)
{
	return write_file(file_of(group, name), value);
}

static bool reads(const char *group, const char *name, const char *value)
{
	char text[4096];
	int n = read_file(file_of(group, name), text, sizeof(text));

	if (n > 0)
		text[n - 1] = '\0';
	if (n > 0 && !strcmp(text, value))
		return true;
	ksft_print_msg("%s/%s is '%s', not '%s'\n", group, name,
		       n > 0 ? text : "", value);
	return false;
}

static bool join(const char *group)
{
	return put(group, "cgroup.procs", "0");
}

static bool make(void)
{
	put(TOP, "cgroup.subtree_control", "+cpuset");
	if (mkdir(GROUP, 0755) || !put(GROUP, "cgroup.subtree_control", "+cpuset"))
		return false;
	return !mkdir(CHILD, 0755);
}

static void unmake(void)
{
	join(TOP);
	for (int i = 0; i < 100 && (rmdir(CHILD) && errno == EBUSY); i++)
		usleep(10000);
	for (int i = 0; i < 100 && (rmdir(GROUP) && errno == EBUSY); i++)
		usleep(10000);
}

/* MiB by MiB, so that each call gives fresh pages. */
static bool fresh(const unsigned long *set, const char *what)
{
	char *mem = map_pages(MB);

	madvise(mem, MB, MADV_NOHUGEPAGE);
	touch(mem, MB, 1);
	return pure(mem, MB, set, what);
}

static bool test_files(void)
{
	char all[32];

	if (read_file(DIR "colors", all, sizeof(all)) < 2)
		return false;
	all[strlen(all) - 1] = '\0';
	return reads(TOP, "cpuset.colors.effective", all) &&
	       reads(GROUP, "cpuset.colors", "") &&
	       reads(GROUP, "cpuset.colors.effective", all) &&
	       reads(CHILD, "cpuset.colors.effective", all) &&
	       reads(GROUP, "cpuset.colors.strict", "0") &&
	       access(TOP "/cpuset.colors", F_OK) &&
	       !put(GROUP, "cpuset.colors", "x") &&
	       !put(GROUP, "cpuset.colors", "4095-5000") &&
	       !put(GROUP, "cpuset.colors.strict", "2") &&
	       !put(GROUP, "cpuset.colors.migrate", "0") &&
	       !put(GROUP, "cpuset.colors.effective", "1");
}

static bool test_hierarchy(void)
{
	bool ok;

	/* As configured, what the parent has of it, all that it has. */
	ok = put(GROUP, "cpuset.colors", half_list) &&
	     reads(GROUP, "cpuset.colors.effective", half_list) &&
	     reads(CHILD, "cpuset.colors.effective", half_list) &&
	     put(CHILD, "cpuset.colors", quarter_list) &&
	     reads(CHILD, "cpuset.colors.effective", quarter_list) &&
	     put(GROUP, "cpuset.colors", upper_list) &&
	     reads(CHILD, "cpuset.colors", quarter_list) &&
	     reads(CHILD, "cpuset.colors.effective", upper_list) &&
	     put(GROUP, "cpuset.colors", half_list) &&
	     reads(CHILD, "cpuset.colors.effective", quarter_list);
	return put(CHILD, "cpuset.colors", "\n") &&
	       reads(CHILD, "cpuset.colors.effective", half_list) &&
	       put(GROUP, "cpuset.colors", "\n") && nobody_owns() && ok;
}

/* Flags of the policy, -1 if there is none. */
static long flags_now(void)
{
	unsigned long got[LONGS];
	long flags = -1;

	/* The size is what the kernel was built for. */
	for (size_t size = 8; size <= sizeof(got) && flags < 0; size *= 2)
		flags = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, got, size, 0);
	return flags;
}

/* Colors come with the group, change with it, and go with it. */
static bool test_task(void)
{
	char *mem;
	bool ok;

	if (!put(GROUP, "cpuset.colors.strict", "1") ||
	    !put(GROUP, "cpuset.colors", half_list) || !join(CHILD))
		return false;
	ok = fresh(half, "in the group");
	ok &= put(GROUP, "cpuset.colors", upper_list) && fresh(upper, "changed");
	ok &= put(CHILD, "cpuset.colors", half_list) && fresh(upper, "disjoint");
	ok &= put(GROUP, "cpuset.colors", half_list) && fresh(half, "changed back");
	ok &= put(CHILD, "cpuset.colors", quarter_list) && fresh(quarter, "child");
	/* A thread of its own keeps to the group, too. */
	ok &= set_colors(half, 0) == 0 && fresh(quarter, "asked for more");
	ok &= set_colors(upper, 0) == -1 && errno == EINVAL;
	ok &= set_colors(one, 0) == 0 && fresh(one, "asked for one");
	ok &= put(CHILD, "cpuset.colors", "\n") && fresh(one, "still asked for one");
	ok &= put(GROUP, "cpuset.colors", upper_list) && fresh(upper, "nothing asked for is left");
	ok &= put(GROUP, "cpuset.colors", half_list) && fresh(one, "one is there again");
	ok &= !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0) &&
	      fresh(half, "cleared");
	/* The strictness is the group's, too. */
	ok &= flags_now() == PR_PAGE_COLOR_STRICT;
	mem = map_pages(MB);
	touch(mem, MB, 1);
	ok &= join(TOP) && prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, MB, 0) == -1 &&
	      errno == ENODATA;
	return ok && put(GROUP, "cpuset.colors", "\n") &&
	       put(GROUP, "cpuset.colors.strict", "0");
}

/* Children, threads and programs that are there or come later. */
struct pipes {
	int go[2], done[2];
};

static void *late_thread(void *arg)
{
	return fresh(upper, "new thread") ? arg : NULL;
}

static bool test_running(void)
{
	pthread_t thread;
	struct pipes p;
	void *result;
	char c = 0;
	pid_t pid;
	bool ok;

	if (pipe(p.go) || pipe(p.done) ||
	    !put(GROUP, "cpuset.colors.strict", "1") ||
	    !put(GROUP, "cpuset.colors", half_list) || !join(GROUP "/child"))
		return false;
	pid = fork();
	if (!pid) {
		char ok = fresh(half, "child");

		if (write(p.done[1], &ok, 1) != 1 || read(p.go[0], &c, 1) != 1)
			_exit(1);
		ok = fresh(upper, "child, after the group changed");
		if (pthread_create(&thread, NULL, late_thread, half) ||
		    pthread_join(thread, &result) || !result)
			ok = false;
		if (write(p.done[1], &ok, 1) != 1)
			_exit(1);
		_exit(0);
	}
	/* So that reading ends if the child does. */
	close(p.done[1]);
	ok = join(TOP) && read(p.done[0], &c, 1) == 1 && c;
	ok &= put(GROUP, "cpuset.colors", upper_list);
	ok &= write(p.go[1], &c, 1) == 1 && read(p.done[0], &c, 1) == 1 && c;
	waitpid(pid, NULL, 0);
	return put(GROUP, "cpuset.colors", "\n") && ok;
}

/* Pages stay where they are until they are asked to move. */
static bool test_migrate(void)
{
	size_t size = 4 * MB;
	char *mem = map_pages(size);
	const unsigned long *to = half;
	struct pipes p;
	bool ok = true;
	char c = 0;
	pid_t pid;

	if (pipe(p.go) || pipe(p.done))
		return false;
	madvise(mem, size, MADV_NOHUGEPAGE);
	pid = fork();
	if (!pid) {
		if (!join(CHILD))
			_exit(1);
		for (size_t i = 0; i < size; i += 8)
			*(uint64_t *)(mem + i) = i * 0x9e3779b97f4a7c15ULL;
		/* To the half that the first page is not in. */
		c = !look(mem, page_size, half, true).wrong;
		if (c)
			to = upper;
		if (write(p.done[1], &c, 1) != 1 || read(p.go[0], &c, 1) != 1)
			_exit(1);
		if (!look(mem, size, to, true).wrong)
			_exit(2);
		if (write(p.done[1], &c, 1) != 1 || read(p.go[0], &c, 1) != 1)
			_exit(1);
		for (size_t i = 0; i < size; i += 8)
			if (*(uint64_t *)(mem + i) != i * 0x9e3779b97f4a7c15ULL)
				_exit(3);
		_exit(!pure(mem, size, to, "migrated"));
	}
	close(p.done[1]);
	ok &= read(p.done[0], &c, 1) == 1;
	ok &= put(GROUP, "cpuset.colors", c ? upper_list : half_list);
	ok &= write(p.go[1], &c, 1) == 1 && read(p.done[0], &c, 1) == 1;
	ok &= put(GROUP, "cpuset.colors.migrate", "1");
	ok &= write(p.go[1], &c, 1) == 1;
	if (waitpid(pid, &pid, 0) < 0 || pid)
		ok = false;
	return put(GROUP, "cpuset.colors", "\n") && ok;
}

static bool become_nobody(void)
{
	return !setresgid(65534, 65534, 65534) && !setresuid(65534, 65534, 65534);
}

/* Run a part of a test in a child. */
static bool part(const char *name, bool (*body)(void))
{
	int status;

	fflush(stdout);
	if (!fork())
		_exit(!body());
	wait(&status);
	if (status)
		ksft_print_msg("%s: failed\n", name);
	return !status;
}

/* What is above is not theirs, and there are no colors to divide. */
static bool without_colors(void)
{
	return become_nobody() && !mkdir(CHILD "/own", 0755) &&
	       !put(CHILD "/own", "cpuset.colors", quarter_list) &&
	       !put(CHILD "/own", "cpuset.colors.strict", "1") &&
	       !put(CHILD, "cpuset.colors", quarter_list) &&
	       !rmdir(CHILD "/own");
}

/* With colors they are divided, and never more than these. */
static bool with_colors(void)
{
	return become_nobody() && !mkdir(CHILD "/own", 0755) &&
	       !put(CHILD, "cpuset.colors", quarter_list) &&
	       put(CHILD "/own", "cpuset.colors", quarter_list) &&
	       reads(CHILD "/own", "cpuset.colors.effective", quarter_list) &&
	       put(CHILD "/own", "cpuset.colors", upper_list) &&
	       reads(CHILD "/own", "cpuset.colors.effective", half_list) &&
	       !rmdir(CHILD "/own");
}

/* What they ask for beyond these is not theirs, */
static bool ask_for_more(void)
{
	return become_nobody() && !mkdir(CHILD "/own", 0755) &&
	       put(CHILD "/own", "cpuset.colors", upper_list) &&
	       put(CHILD "/own", "cpuset.colors.strict", "1");
}

/* not even when there is nothing to divide any more. What root asks for is. */
static bool taken_away(void)
{
	return part("ask for more", ask_for_more) &&
	       put(GROUP, "cpuset.colors", "\n") && nobody_owns() &&
	       put(GROUP, "cpuset.colors", half_list) &&
	       reads(CHILD "/own", "cpuset.colors.effective", half_list) &&
	       put(CHILD "/own", "cpuset.colors", quarter_list) &&
	       put(GROUP, "cpuset.colors", "\n") &&
	       reads(CHILD "/own", "cpuset.colors.effective", quarter_list) &&
	       put(GROUP, "cpuset.colors", half_list) &&
	       !rmdir(CHILD "/own");
}

/* Tasks of a group with colors choose among them. */
static bool choose(void)
{
	return join(CHILD) && become_nobody() && !set_colors(one, 0) &&
	       set_colors(upper, 0) == -1 && errno == EINVAL;
}

/* What they chose does not go with them. */
static bool leave(void)
{
	char text[16];
	int status;
	bool ok;
	pid_t pid = fork();

	if (!pid) {
		if (!choose())
			_exit(1);
		kill(getpid(), SIGSTOP);
		_exit(flags_now() >= 0);
	}
	waitpid(pid, &status, WUNTRACED);
	if (!WIFSTOPPED(status))
		return false;
	snprintf(text, sizeof(text), "%d", pid);
	ok = put(TOP, "cgroup.procs", text) &&
	     put(GROUP, "cpuset.colors", "\n") && nobody_owns();
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	return ok && !status;
}

/* A user to whom the hierarchy below is delegated. */
static bool test_delegation(void)
{
	bool ok;

	if (chown(CHILD, 65534, 65534) ||
	    chown(CHILD "/cgroup.procs", 65534, 65534) ||
	    chown(CHILD "/cgroup.subtree_control", 65534, 65534) ||
	    !put(CHILD, "cgroup.subtree_control", "+cpuset"))
		return false;
	ok = part("without colors", without_colors);
	ok &= put(GROUP, "cpuset.colors", half_list);
	ok &= part("with colors", with_colors);
	ok &= part("taken away", taken_away);
	for (int i = 0; i < 100 && !put(CHILD, "cgroup.subtree_control", "-cpuset"); i++)
		usleep(10000);
	ok &= part("choose", choose);
	ok &= part("leave", leave);
	return put(GROUP, "cpuset.colors", "\n") && ok;
}

/* Many changes while tasks come and go. */
static bool test_changes(void)
{
	const char * const lists[] = { half_list, upper_list, quarter_list, "\n" };
	pid_t pid = fork();
	int status;
	bool ok = true;

	if (!pid) {
		if (!join(CHILD))
			_exit(1);
		for (int i = 0; i < 300; i++) {
			if (!fork()) {
				char *mem = map_pages(64 * page_size);

				if (i % 3 == 0)
					set_colors(one, 0);
				touch(mem, 64 * page_size, 1);
				if (i % 5 == 0)
					join(TOP);
				_exit(0);
			}
			if (i % 4 == 3)
				while (wait(NULL) > 0)
					;
		}
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	for (int i = 0; waitpid(pid, &status, WNOHANG) == 0; i++)
		ok &= put(i % 3 ? GROUP : CHILD, "cpuset.colors", lists[i % 4]);
	ok &= put(CHILD, "cpuset.colors", "\n") && put(GROUP, "cpuset.colors", "\n");
	return ok && !status && nobody_owns();
}

int main(void)
{
	start(9);
	add_rest(upper, half);
	for (int c = 0; c < nr_colors / 4; c++)
		add(quarter, c);
	snprintf(half_list, sizeof(half_list), "0-%d", nr_colors / 2 - 1);
	snprintf(upper_list, sizeof(upper_list), "%d-%d", nr_colors / 2, nr_colors - 1);
	snprintf(quarter_list, sizeof(quarter_list), "0-%d", nr_colors / 4 - 1);
	unmake();
	if (!make())
		ksft_exit_fail_msg("no cgroup with cpuset: %s\n", strerror(errno));

	run("files", test_files);
	run("hierarchy", test_hierarchy);
	run("tasks of a group", test_task);
	run("tasks that run meanwhile", test_running);
	run("migrate", test_migrate);
	run("delegation", test_delegation);
	run("changes while tasks come and go", test_changes);
	unmake();
	end_tests();
}
