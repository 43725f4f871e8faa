// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: tasks that share a choice of colors or a program's, when their
 * cgroup changes; children that work in their parent's memory.
 *
 * Needs root, coloring switched on, and cgroup2 in /sys/fs/cgroup.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include "page_color_view.h"

#define TOP		"/sys/fs/cgroup"
#define GROUP		TOP "/page_color_family"
#define FIRST		GROUP "/first"
#define SECOND		GROUP "/second"
#define PROGRAMS	"/proc/page_color/programs"
#define PROGRAM		"/tmp/page_color_family"
#define CHILDREN	3
#define THREADS		2000
#define SIZE		MB

static void *wait_here(void *arg)
{
	pause();
	return arg;
}

/* What the program does: a thread and children that are there until it ends. */
static int body(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_here, NULL))
		return 1;
	for (int i = 0; i < CHILDREN; i++) {
		if (!fork()) {
			pause();
			_exit(0);
		}
	}
	kill(getpid(), SIGSTOP);
	pause();
	return 0;
}

/* Those that the table of tasks shows: how many are there, and have all the same? */
static int family(struct entry *all)
{
	char line[8192];
	int pid, n = 0;
	FILE *file = fopen(TASKS, "r");

	while (file && fgets(line, sizeof(line), file)) {
		struct entry e;

		pid = strtol(line, NULL, 10);
		if (!pid || !entry_of(pid, &e))
			continue;
		if (n++ && (memcmp(e.colors, all->colors, sizeof(e.colors)) ||
			    strcmp(e.how, all->how))) {
			ksft_print_msg("%d has others: %s", pid, line);
			n = 1000;
		}
		*all = e;
	}
	if (file)
		fclose(file);
	return n;
}

static bool is(const struct entry *e, int from, int nr)
{
	for (int c = 0; c < nr_colors; c++)
		if (has(e->colors, c) != (c >= from && c < from + nr))
			return false;
	return true;
}

static pid_t start_program(const char *group)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		if (!write_file(group, "0"))
			_exit(1);
		execl(PROGRAM, PROGRAM, "body", NULL);
		_exit(1);
	}
	return waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) ? pid : -1;
}

static void end_program(pid_t pid)
{
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Threads and children stay together, in the colors that they have if they may. */
static bool test_program(void)
{
	struct entry e = {};
	bool ok;
	pid_t pid;
	int n;

	ok = write_file(FIRST "/cpuset.colors", "0-7") &&
	     write_file(SECOND "/cpuset.colors", "6-7") &&
	     write_file(PROGRAMS, "0 " PROGRAM " colors=2 strict\n");
	pid = start_program(FIRST "/cgroup.procs");
	n = pid < 0 ? 0 : family(&e);
	ok &= n >= CHILDREN + 1 && is(&e, 0, 2);
	/* More, others besides, only some of the two, none of the two. */
	ok &= write_file(FIRST "/cpuset.colors", "0-3") && family(&e) == n && is(&e, 0, 2);
	ok &= write_file(FIRST "/cpuset.colors", "1-3") && family(&e) == n && is(&e, 1, 2);
	ok &= write_file(FIRST "/cpuset.colors", "4-7") && family(&e) == n && is(&e, 4, 2);
	/* One where there is one, and two again. */
	ok &= write_file(FIRST "/cpuset.colors", "5") && family(&e) == n && is(&e, 5, 1);
	ok &= write_file(FIRST "/cpuset.colors", "4-5") && family(&e) == n && is(&e, 4, 2);
	ok &= write_file(FIRST "/cpuset.colors", "\n") && family(&e) == n && is(&e, 4, 2);
	ok &= !strcmp(e.how, "program,strict");
	/* With its thread into another cgroup. */
	ok &= pid > 0 && kill(pid, 0) == 0;
	if (pid > 0) {
		char text[16];

		snprintf(text, sizeof(text), "%d", pid);
		ok &= write_file(SECOND "/cgroup.procs", text) && entry_of(pid, &e) &&
		      is(&e, 6, 2);
		end_program(pid);
	}
	return write_file(PROGRAMS, "-0 " PROGRAM "\n") &&
	       write_file(SECOND "/cpuset.colors", "\n") && nobody_owns() && ok;
}

/* So do tasks that have inherited a choice: it counts once for its user. */
static bool test_choice(void)
{
	long refused = read_long(DIR "stats/limited_policies");
	long was = read_long(DIR "limits/user_policies");
	struct entry e = {};
	char text[16];
	int status, n;
	pid_t pid;
	bool ok;

	ok = write_file(FIRST "/cpuset.colors", "0-3");
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		if (!write_file(FIRST "/cgroup.procs", "0") ||
		    setresuid(65534, 65534, 65534) || set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(1);
		_exit(body());
	}
	ok &= waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status);
	n = family(&e);
	ok &= n >= CHILDREN + 1 && e.nr == 1;
	/* The old one and the new one. */
	ok &= write_file(DIR "limits/user_policies", "2") &&
	      write_file(FIRST "/cpuset.colors", "0-4") && family(&e) == n && e.nr == 1 &&
	      strstr(e.how, "strict") && read_long(DIR "stats/limited_policies") == refused;
	snprintf(text, sizeof(text), "%ld", was);
	ok &= write_file(DIR "limits/user_policies", text);
	end_program(pid);
	return write_file(FIRST "/cpuset.colors", "\n") && nobody_owns() && ok;
}

/* New memory that is read: of the task's colors, or the zero page. */
static bool reads_own(void)
{
	char *mem = map_pages(SIZE);
	bool ok = true;

	madvise(mem, SIZE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < SIZE; i += page_size)
		ok &= !mem[i];
	ok &= pure(mem, SIZE, one, "memory that is read");
	munmap(mem, SIZE);
	return ok;
}

/* A child that works in its parent's memory chooses for itself. */
static bool test_vfork(void)
{
	int status;
	pid_t pid;

	if (set_colors(one, PR_PAGE_COLOR_STRICT))
		return false;
	pid = vfork();
	if (!pid) {
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status && reads_own();
}

static void *clear(void *arg)
{
	prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
	return arg;
}

/* So does a thread: the memory of all goes by those that have a choice still. */
static bool test_thread(void)
{
	pthread_t thread;

	return !set_colors(one, PR_PAGE_COLOR_STRICT) &&
	       !pthread_create(&thread, NULL, clear, NULL) && !pthread_join(thread, NULL) &&
	       reads_own();
}

/* Many threads get and lose the colors of their cgroup: it takes as long for each. */
static bool test_threads(void)
{
	pthread_attr_t small;
	pthread_t thread;
	double given, taken;
	bool ok;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	ok = write_file(FIRST "/cgroup.procs", "0");
	for (int i = 0; ok && i < THREADS; i++)
		ok = !pthread_create(&thread, &small, wait_here, NULL);
	given = now();
	ok &= write_file(FIRST "/cpuset.colors", "0-3");
	taken = now();
	given = taken - given;
	ok &= write_file(FIRST "/cpuset.colors", "\n");
	taken = now() - taken;
	ksft_print_msg("%d threads: colors given in %.3f s, taken in %.3f s\n", THREADS, given,
		       taken);
	return ok && taken < 20 * given + 0.2;
}

/* It comes into a cgroup with colors, and this is gone when it has ended. */
static bool test_vfork_cgroup(void)
{
	int status;
	pid_t pid;
	bool ok;

	ok = write_file(FIRST "/cpuset.colors", "0-3");
	pid = vfork();
	if (!pid)
		_exit(!write_file(FIRST "/cgroup.procs", "0"));
	ok &= waitpid(pid, &status, 0) == pid && !status;
	ok &= write_file(FIRST "/cpuset.colors", "\n");
	/* While this task is still there. */
	return nobody_owns() && ok;
}

int main(int argc, char **argv)
{
	page_size = sysconf(_SC_PAGESIZE);
	if (argc > 1 && !strcmp(argv[1], "body"))
		return body();
	start(8);
	write_file(TOP "/cgroup.subtree_control", "+cpuset");
	if (mkdir(GROUP, 0755) || !write_file(GROUP "/cgroup.subtree_control", "+cpuset") ||
	    mkdir(FIRST, 0755) || mkdir(SECOND, 0755) || !copy_self(PROGRAM))
		ksft_exit_fail_msg("no cgroups or no program: %s\n", strerror(errno));

	run("a program whose cgroup changes", test_program);
	run("a choice whose cgroup changes", test_choice);
	run("vfork, the child chooses", test_vfork);
	run("a thread that clears its choice", test_thread);
	run("vfork, the child changes its cgroup", test_vfork_cgroup);
	run("many threads", test_threads);
	unlink(PROGRAM);
	for (int i = 0; i < 100 && rmdir(FIRST) && errno == EBUSY; i++)
		usleep(10000);
	for (int i = 0; i < 100 && rmdir(SECOND) && errno == EBUSY; i++)
		usleep(10000);
	rmdir(GROUP);
	end_tests();
}
