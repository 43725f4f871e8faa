// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: programs of users that try to get more colors than they may,
 * or those of others.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and two
 * memory nodes.
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include "page_color_reserved.h"
#include "page_color_view.h"

#ifndef PR_PAGE_COLOR_AHEAD
#define PR_PAGE_COLOR_AHEAD	5
#endif

#define PROGRAMS	"/proc/page_color/programs"
#define FOLDER		"/tmp/page_color_shares"
#define PROGRAM		FOLDER "/rt/program"
#define USER		1000
#define OTHER		1001
#define MAX_RUN		64
#define MIN_FREE	"/proc/sys/vm/min_free_kbytes"
#define MOST_AHEAD	DIR "limits/ahead"

static bool enter(const char *format, int colors)
{
	char line[128];

	snprintf(line, sizeof(line), format, colors);
	return write_file(PROGRAMS, line);
}

/* Start a program as a user; it stops or ends. */
static pid_t start_program(uid_t uid, const char *path, const char *size, int *status)
{
	pid_t pid = fork();

	if (!pid) {
		if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
			_exit(125);
		execl(path, path, "body", size, NULL);
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

/* As many as there may be of a strict program; they go on to run. */
static int fill(uid_t uid, pid_t *pids)
{
	int n = 0, status;

	while (n < MAX_RUN) {
		pids[n] = start_program(uid, PROGRAM, "65536", &status);
		if (!WIFSTOPPED(status))
			break;
		n++;
	}
	if (n < MAX_RUN && (!WIFEXITED(status) || WEXITSTATUS(status) != 126))
		ksft_print_msg("not refused by EAGAIN: %#x\n", status);
	return n;
}

/* Sleepers of users leave root its share, and each other theirs. */
static bool test_share(void)
{
	int each = nr_colors / 16, n, others, status;
	long limited = read_long(STATS "limited_colors");
	pid_t pids[MAX_RUN], theirs[MAX_RUN], pid;
	bool ok;

	if (!enter("1000 " FOLDER "/rt/* colors=%d strict", each) ||
	    !enter("1001 " FOLDER "/rt/* colors=%d strict", each) ||
	    !enter("0 " FOLDER "/rt/* colors=%d strict", nr_colors / 4))
		return false;
	n = fill(USER, pids);
	others = fill(OTHER, theirs);
	ksft_print_msg("%d and %d programs of a 16th of the colors each\n", n, others);
	ok = n == 8 && others == 4 && read_long(STATS "limited_colors") >= limited + 2;
	pid = start_program(0, PROGRAM, "65536", &status);
	ok &= WIFSTOPPED(status);
	end_program(pid);
	/* What is not strict runs without colors. */
	ok &= enter("1000 " FOLDER "/rt/* colors=%d", each);
	pid = start_program(USER, PROGRAM, "65536", &status);
	ok &= WIFSTOPPED(status) && !entry_of(pid, &(struct entry) {});
	end_program(pid);
	/* What one gives back another gets. */
	end_program(pids[--n]);
	theirs[others] = start_program(OTHER, PROGRAM, "65536", &status);
	ok &= WIFSTOPPED(status);
	end_program(theirs[others]);
	while (n)
		end_program(pids[--n]);
	while (others)
		end_program(theirs[--others]);
	ok &= enter("-1000 " FOLDER "/rt/*", 0) && enter("-1001 " FOLDER "/rt/*", 0) &&
	      enter("-0 " FOLDER "/rt/*", 0);
	return ok && nobody_owns();
}

/* A line may say how many its programs have, more than a share or less. */
static bool test_most(void)
{
	pid_t pids[MAX_RUN];
	bool ok = true;
	char line[96];
	int n;

	for (int sixteenths = 2; sixteenths <= 14; sixteenths += 12) {
		snprintf(line, sizeof(line), "1000 " FOLDER "/rt/* colors=%d most=%d strict",
			 nr_colors / 16, nr_colors / 16 * sixteenths);
		if (!write_file(PROGRAMS, line))
			return false;
		n = fill(USER, pids);
		ksft_print_msg("%d programs of %d\n", n, sixteenths);
		ok &= n == sixteenths;
		while (n)
			end_program(pids[--n]);
	}
	ok &= !enter("1000 " FOLDER "/rt/* colors=2 most=1", 0) &&
	      !enter("1000 " FOLDER "/rt/* most=0", 0) &&
	      !enter("1000 " FOLDER "/rt/* most=99999", 0);
	return enter("-1000 " FOLDER "/rt/*", 0) && ok && nobody_owns();
}

/* In a mount namespace of its own, with another file at the path or not. */
static pid_t run_apart(bool bind)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWNS) ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    (bind && mount(FOLDER "/program", PROGRAM, NULL, MS_BIND, NULL)) ||
		    setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
			_exit(125);
		execl(PROGRAM, PROGRAM, "body", "65536", NULL);
		_exit(127);
	}
	waitpid(pid, &status, WUNTRACED);
	if (!WIFSTOPPED(status))
		ksft_print_msg("apart: %#x\n", status);
	return pid;
}

/* Nobody gets a program's colors by mounting another file at its path. */
static bool test_mount(void)
{
	struct entry e;
	char path[128];
	int status;
	pid_t pid, other;
	bool ok;

	if (!enter("1000 " FOLDER "/rt/* colors=%d strict", 2))
		return false;
	pid = run_apart(true);
	ok = !entry_of(pid, &e);
	/* Nor by executing it there from here. */
	snprintf(path, sizeof(path), "/proc/%d/root" PROGRAM, pid);
	other = start_program(USER, path, "65536", &status);
	ok &= !entry_of(other, &e);
	end_program(other);
	end_program(pid);
	/* The same file in the same place is registered in every namespace. */
	pid = run_apart(false);
	ok &= entry_of(pid, &e) && e.nr == 2;
	end_program(pid);
	return enter("-1000 " FOLDER "/rt/*", 0) && ok && nobody_owns();
}

/* Takes the memory of the node, to the middle of its min and low watermarks. */
static void take_node(void)
{
	size_t size = 2 * sysconf(_SC_PHYS_PAGES) * page_size;
	long until = (zone_number(" min ") + zone_number(" low ")) / 2, left = 0;
	unsigned long nodes = 1UL << NODE;
	char *mem;

	mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED || !go_to_node() ||
	    syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8 * sizeof(nodes)))
		_exit(1);
	madvise(mem, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += page_size) {
		if (left-- <= 0) {
			left = zone_number("pages free ") - until;
			if (left <= 0)
				break;
			left = left > 64 ? left / 2 : 4;
		}
		mem[at] = 1;
	}
	kill(getpid(), SIGSTOP);
	_exit(0);
}

/* A small program on a node below its watermark needs memory, and not colors. */
static bool test_watermark(void)
{
	long min = read_long(MIN_FREE);
	struct entry e = {};
	char text[32];
	int status;
	pid_t hog, pid;
	bool ok;

	if (!enter("1000 " FOLDER "/rt/* colors=%d", 1) || !go_to_node())
		return false;
	/* So that there are some pages of each color. */
	snprintf(text, sizeof(text), "%ld", 4 * min);
	write_file(MIN_FREE, text);
	fflush(stdout);
	hog = fork();
	if (!hog)
		take_node();
	waitpid(hog, &status, WUNTRACED);
	ok = WIFSTOPPED(status);
	snprintf(text, sizeof(text), "%ld", 12 * min);
	ok &= write_file(MIN_FREE, text);
	ksft_print_msg("%ld pages free, watermark %ld\n", zone_number("pages free "),
		       zone_number(" min "));
	pid = start_program(USER, PROGRAM, "6291456", &status);
	ok &= WIFSTOPPED(status) && entry_of(pid, &e);
	ksft_print_msg("6 MiB: %d of %d colors, node %d\n", e.nr, nr_colors, e.node);
	ok &= e.nr == 1 && e.node == NODE;
	snprintf(text, sizeof(text), "%ld", min);
	write_file(MIN_FREE, text);
	end_program(pid);
	end_program(hog);
	return enter("-1000 " FOLDER "/rt/*", 0) && ok && nobody_owns();
}

/* A user who may take colors and memory away from others. */
static bool become_entitled(uid_t uid)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	data[0].permitted = 1U << CAP_SYS_NICE;
	data[0].effective = data[0].permitted;
	return !uid || (!prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) && !setresgid(uid, uid, uid) &&
			!setresuid(uid, uid, uid) && !syscall(SYS_capset, &header, data));
}

/* A task of a user with some of the colors; it stays if it gets what it asks for. */
static pid_t entitled(uid_t uid, const unsigned long *set, bool (*asks)(long n), long n,
		      bool *ok)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!go_to_node() || !become_entitled(uid) || set_colors(set, 0) || !asks(n))
			_exit(1);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	*ok &= waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status);
	return pid;
}

static bool asks_ahead(long n)
{
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_AHEAD, n, 0, 0) > 0;
}

static bool asks_reserve(long n)
{
	return !reserve(n);
}

static bool is_refused(long n)
{
	return reserve(n) == -ENOSPC;
}

/* Root gets the last quarter of pages ahead, and of those that are reserved. */
static bool test_kept(void)
{
	long quarter = zone_number("managed ") / 4, was = read_long(MOST_AHEAD), n, all;
	unsigned long rest[LONGS] = {};
	pid_t pids[3];
	bool ok = true;
	char text[32];

	add_rest(rest, half);
	if (!write_file(MOST_AHEAD, "4000"))
		return false;
	pids[0] = entitled(USER, half, asks_ahead, 6000, &ok);
	n = read_long(STATS "ahead");
	pids[1] = entitled(0, rest, asks_ahead, 6000, &ok);
	all = read_long(STATS "ahead");
	ksft_print_msg("%ld pages ahead of a user, %ld with root\n", n, all);
	ok &= n <= 3000 && n > 2900 && all <= 4000 && all > 3900;
	end_program(pids[0]);
	end_program(pids[1]);
	snprintf(text, sizeof(text), "%ld", was);
	ok &= write_file(MOST_AHEAD, text);

	/* Another user gets nothing of it either. */
	pids[0] = entitled(USER, half, asks_reserve, quarter / 8 * 5, &ok);
	pids[1] = entitled(OTHER, rest, is_refused, quarter / 8 * 2, &ok);
	pids[2] = entitled(0, rest, asks_reserve, quarter / 8 * 2, &ok);
	ksft_print_msg("%ld pages of %ld reserved\n", reserved(), quarter);
	ok &= is_reserved(quarter / 8 * 5 + quarter / 8 * 2);
	for (int i = 0; i < 3; i++)
		end_program(pids[i]);
	return ok && is_reserved(0) && nobody_owns();
}

static int body(size_t size)
{
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	kill(getpid(), SIGSTOP);
	return 0;
}

int main(int argc, char **argv)
{
	page_size = sysconf(_SC_PAGESIZE);
	if (argc > 2 && !strcmp(argv[1], "body"))
		return body(atol(argv[2]));
	begin(7);
	umask(022);
	mkdir(FOLDER, 0755);
	mkdir(FOLDER "/rt", 0755);
	if (!copy_self(FOLDER "/program") || !copy_self(PROGRAM))
		ksft_exit_fail_msg("no copies in " FOLDER "\n");
	run("shares of users", test_share);
	run("a line's most", test_most);
	run("mounts of others", test_mount);
	run("kept for root", test_kept);
	run("a node below its watermark", test_watermark);
	unlink(PROGRAM);
	unlink(FOLDER "/program");
	rmdir(FOLDER "/rt");
	rmdir(FOLDER);
	end();
	ksft_finished();
}
