// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: whose pages are reclaimed for a strict task, and whose are not.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and a disk
 * to swap to of 256 MiB or more, /dev/vda, which is overwritten.
 */
#define _GNU_SOURCE
#include "page_color_swap.h"

#define CGROUP	"/sys/fs/cgroup/page_color_swap"

/* A process with so many bytes in the colors, which says how many are in memory. */
struct holder {
	pid_t pid;
	int say, ask;
};

static struct holder hold(size_t size, const char *group)
{
	struct holder h;
	int say[2], ask[2];
	char c;

	fflush(stdout);
	if (pipe(say) || pipe(ask))
		ksft_exit_fail_msg("pipe: %s\n", strerror(errno));
	h.pid = fork();
	if (!h.pid) {
		char *mem = small_pages(size);
		size_t n;

		close(ask[1]);
		if ((group && !write_file(group, "0")) || set_colors(own, PR_PAGE_COLOR_STRICT))
			_exit(2);
		for (size_t i = 0; i < size / page_size; i++)
			fill(mem, i, 7);
		do {
			n = in_memory(mem, size);
			if (write(say[1], &n, sizeof(n)) != sizeof(n))
				_exit(3);
		} while (read(ask[0], &c, 1) == 1);
		_exit(!all_right(mem, size, 7));
	}
	close(say[1]);
	close(ask[0]);
	h.say = say[0];
	h.ask = ask[1];
	return h;
}

static size_t held(struct holder h)
{
	size_t n = 0;

	if (read(h.say, &n, sizeof(n)) != sizeof(n))
		ksft_print_msg("no answer of the other process\n");
	return n * page_size;
}

static size_t held_now(struct holder h)
{
	if (write(h.ask, "?", 1) != 1)
		return 0;
	return held(h);
}

static bool let_go(struct holder h)
{
	int status;

	close(h.ask);
	close(h.say);
	waitpid(h.pid, &status, 0);
	return was_right(status);
}

/*
 * Another has the same colors from a call of its own, and less of them than its
 * share. Who has more and wants even more gives up its own pages.
 */
static bool test_neighbour(void)
{
	struct holder h = hold(own_size / 4, NULL);
	size_t before = held(h), after;
	int status = strict_task(own_size / 4 * 5, 2);
	bool ok;

	after = held_now(h);
	ksft_print_msg("%zu KiB of the other in memory before, %zu after\n", before / 1024,
		       after / 1024);
	ok = let_go(h);
	return ok && was_right(status) && before - after <= before / 20;
}

/* Pages of the colors that are free, in all memory. */
static size_t free_own(void)
{
	FILE *file = fopen("/sys/kernel/debug/page_color/colors", "r");
	long color, free, n = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "node %*d zone %*s color %ld pages %*d free %ld", &color,
			   &free) == 2 && color >= 0 && has(own, color))
			n += free;
	if (file)
		fclose(file);
	return n * page_size;
}

/* Pages that are reclaimed at once, RECLAIM_BATCH in the kernel. */
#define BATCH	32
/* What a process has besides what the test gives it: stack, heap, data, bss. */
#define BESIDES	64

/*
 * Who has all of the colors gives up as much as the other needs, and one batch at most
 * that is more.
 */
static bool test_newcomer(void)
{
	struct holder h = hold(own_size / 20 * 19, NULL);
	size_t before = held(h), after, wanted = own_size / 4, spare = free_own(), most;
	long all = read_long(STATS "reclaimed"), others = read_long(STATS "reclaim_others");
	double begun = now();
	int status = strict_task(wanted, 2);
	bool ok;

	after = held_now(h);
	most = (wanted > spare ? wanted - spare : 0) + (BATCH + BESIDES) * page_size;
	ksft_print_msg("%zu KiB of the other in memory before, %zu after, %.1f s\n",
		       before / 1024, after / 1024, now() - begun);
	ksft_print_msg("%zu KiB wanted, %zu of them free: %zu may be taken, %zu were\n",
		       wanted / 1024, spare / 1024, most / 1024, (before - after) / 1024);
	ksft_print_msg("%ld pages reclaimed, %ld in batches of the other's\n",
		       read_long(STATS "reclaimed") - all,
		       read_long(STATS "reclaim_others") - others);
	ok = let_go(h);
	return ok && was_right(status) && before - after <= most;
}

/* Cgroups that have the colors, and nobody is in them. */
#define EMPTY	100

static bool empty_groups(bool make)
{
	char path[128], list[16384], *at = list;
	bool ok = true;

	if (make)
		ok = write_file("/sys/fs/cgroup/cgroup.subtree_control", "+cpuset") &&
		     !mkdir(CGROUP, 0755) &&
		     write_file(CGROUP "/cgroup.subtree_control", "+cpuset");
	for (int c = 0; c < nr_colors; c++)
		if (has(own, c))
			at += sprintf(at, "%s%d", at == list ? "" : ",", c);
	for (int i = 0; i < EMPTY && ok; i++) {
		snprintf(path, sizeof(path), CGROUP "/%d", i);
		if (!make) {
			rmdir(path);
			continue;
		}
		ok = !mkdir(path, 0755);
		strcat(path, "/cpuset.colors");
		ok = ok && write_file(path, list);
	}
	if (!make)
		rmdir(CGROUP);
	return ok;
}

/* Shares are of those who are there: a newcomer has its own beside them. */
static bool test_empty(void)
{
	struct holder h = hold(own_size / 20 * 19, NULL);
	size_t before = held(h), after, wanted = own_size / 4, spare = free_own();
	bool ok = empty_groups(true);
	int status;

	status = strict_task(wanted, 4);
	after = held_now(h);
	wanted = wanted > spare ? wanted - spare : 0;
	ksft_print_msg("%zu KiB missing, %zu taken of the other\n", wanted / 1024,
		       (before - after) / 1024);
	ok &= let_go(h);
	return empty_groups(false) && ok && was_right(status) &&
	       before - after >= wanted / 4 * 3;
}

static bool make_group(const char *file, const char *text)
{
	char path[128];

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		return false;
	snprintf(path, sizeof(path), CGROUP "/%s", file);
	return write_file(path, text);
}

/* What its cgroup guarantees is not taken, not even by who has less than its share. */
static bool test_protected(void)
{
	struct holder h;
	size_t before, after;
	int status;
	bool ok;

	if (!make_group("memory.min", "1G"))
		return false;
	h = hold(own_size / 20 * 19, CGROUP "/cgroup.procs");
	before = held(h);
	status = strict_task(own_size / 8, 1);
	after = held_now(h);
	ksft_print_msg("%zu KiB of the other in memory before, %zu after\n", before / 1024,
		       after / 1024);
	ok = let_go(h);
	rmdir(CGROUP);
	/* It has the twentieth part that is left, and swap. */
	return ok && was_right(status) && after == before;
}

/*
 * A cgroup that may not swap does not. Pages of others that are in the colors may be
 * swapped out for its task, again and again if it needs them: those of tmpfs that its
 * program is read from.
 */
static bool test_no_swap_in_group(void)
{
	long out = vm_event("pswpout"), peak;
	int status;
	pid_t pid;

	if (!make_group("memory.swap.max", "0"))
		return false;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!write_file(CGROUP "/cgroup.procs", "0"))
			_exit(2);
		status = strict_task(own_size / 4 * 5, 1);
		_exit(!was_killed(status));
	}
	waitpid(pid, &status, 0);
	out = vm_event("pswpout") - out;
	peak = read_long(CGROUP "/memory.swap.peak");
	rmdir(CGROUP);
	ksft_print_msg("%ld bytes of the cgroup, %ld pages of all swapped out\n", peak, out);
	return was_right(status) && peak == 0;
}

/* The limit of its cgroup is reached long before the colors are used up. */
static bool test_limit_of_group(void)
{
	char limit[32];
	int status;
	pid_t pid;

	snprintf(limit, sizeof(limit), "%zu", own_size / 4);
	if (!make_group("memory.max", limit))
		return false;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!write_file(CGROUP "/cgroup.procs", "0"))
			_exit(2);
		status = strict_task(own_size / 2, 2);
		_exit(!was_right(status));
	}
	waitpid(pid, &status, 0);
	rmdir(CGROUP);
	return was_right(status);
}

int main(void)
{
	start_swap(8);
	if (!swap_on(256 * MB))
		ksft_exit_skip("no swap\n");
	run("another that has less than its share keeps it", test_neighbour);
	run("another that has more gives it up", test_newcomer);
	run("cgroups that nobody is in have no share", test_empty);
	run("memory.min is kept", test_protected);
	run("memory.swap.max is kept", test_no_swap_in_group);
	run("memory.max is kept", test_limit_of_group);
	swapoff(SWAP);
	end_tests();
}
