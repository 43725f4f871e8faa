// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random steps of a user to whom a part of the hierarchy of cgroups is delegated:
 * writes to cpuset.colors and its siblings, of his own groups and of those
 * above, groups made and removed, tasks moved, controllers switched, while root
 * changes the colors of the group above. Bounded, and the same for the same seed.
 *
 * What is checked: nothing is written that is not the user's, no group of his has
 * a color that was never given to him, and his tasks' pages are what they wrote.
 *
 * Usage: color_cgroup_fuzz STEPS [SEED [fail]]     needs root and coloring on
 * Prints how many steps of each kind succeeded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "groups.h"
#include "random.h"

#define PR_PAGE_COLOR	0x50434f4c
#define TOP		"/sys/fs/cgroup"
#define ABOVE		TOP "/fuzz"
#define MINE		ABOVE "/mine"
#define USER		1000
#define PAGE		4096UL

/* The user's own groups, parents first; children have no controller unless it is passed on. */
static const char * const own[] = { MINE "/a", MINE "/b", MINE "/a/c", MINE "/a/d", MINE "/a/c/e" };
#define OWN	((int)(sizeof(own) / sizeof(*own)))
static const char * const others[] = { TOP, ABOVE, MINE };
static const char * const files[] = {
	"cpuset.colors", "cpuset.colors.strict", "cpuset.colors.migrate", "cpuset.colors.effective",
};
enum { WRITE, MAKE, REMOVE, JOIN, PASS_ON, TASK, CALL, READ, KINDS };
static const char * const names[KINDS] = {
	"write", "make", "remove", "join", "pass-on", "task", "call", "read",
};

static unsigned long *done;
static char text[4096];
static int colors;

/* Lists of colors, nearly lists, and bytes. */
static size_t some_text(void)
{
	static const char bits[] = "0123456789,,--:/ \nallx";
	static const char * const words[] = { "0", "1", "\n", "", "2", "all", "y", "-1", "0-4294967295", "0-511:2/4" };
	size_t n = 0, len;

	switch (rnd() % 4) {
	case 0:
		return sprintf(text, "%s", words[rnd() % (sizeof(words) / sizeof(*words))]);
	case 1:
		for (len = rnd() % 8 ? rnd() % 32 : rnd() % sizeof(text); n < len; n++)
			text[n] = rnd() % 8 ? bits[rnd() % (sizeof(bits) - 1)] : (char)rnd();
		return n;
	}
	for (int i = rnd() % 6; i >= 0; i--) {
		int from = rnd() % colors, to = from + rnd() % (colors / 2);

		n += sprintf(text + n, "%s%d-%d", n ? "," : "", from, rnd() % 16 && to >= colors ? colors - 1 : to);
	}
	return n;
}

/* A group's colors are given ones only: the lower half. */
static bool within(const char *dir)
{
	char list[4096], *p = list;

	if (get(dir, "cpuset.colors.effective", list, sizeof(list)) <= 0)
		return true;
	while (*p >= '0' && *p <= '9') {
		long to = strtol(p, &p, 10);

		if (*p == '-')
			to = strtol(p + 1, &p, 10);
		if (to >= colors / 2)
			return false;
		p += *p == ',';
	}
	return true;
}

/* A task of one of the groups, which has memory while things change. */
static int task(const char *dir)
{
	uint64_t *mem = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return 0;
	puts_to(dir, "cgroup.procs", "0");
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < 64; i++)
			mem[i * PAGE / 8] = i * 0x9e3779b97f4a7c15ULL + round;
		usleep(rnd() % 2000);
		for (size_t i = 0; i < 64; i++)
			if (mem[i * PAGE / 8] != i * 0x9e3779b97f4a7c15ULL + round)
				return 4;
	}
	return 0;
}

/* The status of a step: 0 or what was wrong. */
static int step(void)
{
	const char *dir = own[rnd() % OWN], *file = files[rnd() % 4];
	unsigned long set[64] = {};
	int kind = rnd() % 16, status;
	bool ok = false;
	size_t n;

	/* Half of the steps are writes. */
	if (kind >= KINDS)
		kind = WRITE;
	switch (kind) {
	case WRITE:
		n = some_text();
		if (rnd() % 4 == 0) {
			dir = others[rnd() % 3];
			if (n && put(dir, file, text, n)) {
				fprintf(stderr, "%s/%s was written by one to whom it is not delegated\n", dir, file);
				return 2;
			}
		} else if (rnd() % 4) {
			ok = n && put(dir, rnd() % 2 ? "cpuset.colors" : file, text, n);
		} else {
			ok = puts_to(dir, "cpuset.colors.strict", rnd() % 2 ? "1" : "0");
		}
		break;
	case MAKE:
		ok = !mkdir(dir, 0755);
		break;
	case REMOVE:
		ok = !rmdir(dir);
		break;
	case JOIN:
		ok = puts_to(rnd() % 4 ? dir : MINE, "cgroup.procs", "0");
		break;
	case PASS_ON:
		ok = puts_to(rnd() % 2 ? dir : MINE, "cgroup.subtree_control", rnd() % 4 ? "+cpuset" : "-cpuset");
		break;
	case TASK:
		/* Not too many at a time. */
		while (waitpid(-1, &status, WNOHANG) > 0)
			if (WIFEXITED(status) && WEXITSTATUS(status))
				return WEXITSTATUS(status);
		if (!fork())
			_exit(task(dir));
		ok = true;
		break;
	case CALL:
		for (int i = rnd() % 4; i >= 0; i--) {
			int c = rnd() % colors;

			set[c / 64] |= 1UL << c % 64;
		}
		ok = !prctl(PR_PAGE_COLOR, 1, set, (colors + 63) / 64 * 8, 0);
		/* Of those asked for the ones that its group has. */
		for (n = 8; ok && n <= sizeof(set); n *= 2)
			if (prctl(PR_PAGE_COLOR, 2, set, n, 0) >= 0)
				break;
		for (int c = colors / 2; ok && n <= sizeof(set) && c < colors; c++) {
			if (set[c / 64] >> c % 64 & 1) {
				fprintf(stderr, "color %d was had, which was not given\n", c);
				return 2;
			}
		}
		if (rnd() % 2)
			prctl(PR_PAGE_COLOR, 3, 0, 0, 0);
		break;
	case READ:
		ok = get(rnd() % 2 ? dir : others[rnd() % 3], file, text, 1 + rnd() % sizeof(text)) >= 0;
		if (!within(dir)) {
			fprintf(stderr, "%s has a color that was not given\n", dir);
			return 3;
		}
		break;
	}
	done[kind] += ok;
	return 0;
}

static int user(unsigned long steps, bool fail)
{
	int status = 0, one, fd = fail ? open("/proc/self/make-it-fail", O_WRONLY) : -1;

	/* Only root may ask for failures, which then may hit what follows. */
	if (!puts_to(MINE, "cgroup.procs", "0") || (fail && (fd < 0 || write(fd, "1", 1) != 1)))
		return 5;
	for (int i = 0; i < 1000 && (setresgid(USER, USER, USER) || setresuid(USER, USER, USER)); i++)
		;
	if (geteuid() != USER)
		return 5;
	while (steps-- && !status)
		status = step();
	while (wait(&one) > 0)
		if (WIFEXITED(one) && WEXITSTATUS(one))
			status = WEXITSTATUS(one);
	return status;
}

static bool setup(void)
{
	puts_to(TOP, "cgroup.subtree_control", "+cpuset");
	return !mkdir(ABOVE, 0755) && puts_to(ABOVE, "cgroup.subtree_control", "+cpuset") &&
	       !mkdir(MINE, 0755) && !chown(MINE, USER, USER) &&
	       !chown(MINE "/cgroup.procs", USER, USER) &&
	       !chown(MINE "/cgroup.subtree_control", USER, USER);
}

/* Groups that are gone give their colors back a bit later. */
static bool nobody_owns(void)
{
	char owned[64];

	for (int i = 0; i < 500; i++) {
		if (get("/sys/kernel/mm/page_color", "owned", owned, sizeof(owned)) == 1)
			return true;
		usleep(10000);
	}
	fprintf(stderr, "color_cgroup_fuzz: owned: %s", owned);
	return false;
}

static void unmake(void)
{
	for (int i = OWN - 1; i >= -2; i--) {
		const char *dir = i >= 0 ? own[i] : i == -1 ? MINE : ABOVE;

		for (int k = 0; k < 200 && rmdir(dir) && errno == EBUSY; k++)
			usleep(10000);
	}
}

int main(int argc, char **argv)
{
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000, changes = 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	bool fail = argc > 3 && !strcmp(argv[3], "fail");
	char lists[3][32], now[64];
	int status;
	pid_t pid;

	colors = prctl(PR_PAGE_COLOR, 0, 0, 0, 0);
	if (colors < 8) {
		fprintf(stderr, "color_cgroup_fuzz: needs coloring switched on, with 8 colors or more\n");
		return 1;
	}
	snprintf(lists[0], sizeof(lists[0]), "0-%d", colors / 2 - 1);
	snprintf(lists[1], sizeof(lists[1]), "0-%d", colors / 4 - 1);
	snprintf(lists[2], sizeof(lists[2]), "%d-%d", colors / 4, colors / 2 - 1);
	unmake();
	if (!setup() || !puts_to(ABOVE, "cpuset.colors", lists[0])) {
		fprintf(stderr, "color_cgroup_fuzz: no delegated cgroup: %s\n", strerror(errno));
		return 1;
	}
	done = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	pid = fork();
	if (!pid)
		_exit(user(steps, fail));
	while (waitpid(pid, &status, WNOHANG) == 0) {
		changes += puts_to(ABOVE, "cpuset.colors", lists[rnd() % 3]);
		usleep(rnd() % 20000);
	}
	status = WIFEXITED(status) ? WEXITSTATUS(status) : fail && WTERMSIG(status) == SIGKILL ? 0 : 6;
	/* What root configured last is as it was. */
	if (!puts_to(ABOVE, "cpuset.colors", lists[0]) || get(ABOVE, "cpuset.colors", now, sizeof(now)) <= 0 ||
	    strncmp(now, lists[0], strlen(lists[0])) || get(MINE, "cpuset.colors", now, sizeof(now)) != 1)
		status = 7;
	unmake();
	if (!access(ABOVE, F_OK)) {
		fprintf(stderr, "color_cgroup_fuzz: " ABOVE " is still there\n");
		status = 8;
	}
	if (!nobody_owns())
		status = 9;
	printf("cgroup-fuzz");
	for (int k = 0; k < KINDS; k++)
		printf(" %s %lu", names[k], done[k]);
	printf(" changes-above %lu status %d\n", changes, status);
	return status;
}
