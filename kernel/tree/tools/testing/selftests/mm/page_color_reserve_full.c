// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: when a node is full. Reserved pages are their owner's; who is killed.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and two
 * memory nodes.
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sys/syscall.h>
#include "page_color_reserved.h"

static unsigned long other[LONGS];
/*
 * Shared: meanwhile somebody gave memory back, as KASAN does with what it kept, and
 * whoever is killed.
 */
static bool *roomy;

/* All memory of this task from now on is the node's. */
static bool bind_memory(void)
{
	unsigned long nodes = 1UL << NODE;

	return !syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8 * sizeof(nodes));
}

static bool unbind_memory(void)
{
	return !syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0UL);
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
	static char *mem;
	static size_t at;
	size_t size = 2 * sysconf(_SC_PHYS_PAGES) * page_size;
	long until = (zone_number(" min ") + zone_number(" low ")) / 2, left = 0;

	if (!mem)
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	madvise(mem, size, MADV_NOHUGEPAGE);
	for (; at < size; at += page_size) {
		if (!all && left-- <= 0) {
			left = zone_number("pages free ") - until;
			if (left <= 0)
				return;
			left = left > 64 ? left / 2 : 4;
		}
		mem[at] = 1;
	}
}

/* What is given back meanwhile is taken, too. */
static void *keep_full(void *arg)
{
	for (;;) {
		take_node(false);
		usleep(5000);
	}
	return arg;
}

/* If memory runs out it is this one that is killed. */
static bool be_hog(int step)
{
	pthread_t thread;

	if (step)
		return true;
	if (!write_file("/proc/self/oom_score_adj", "1000") || !bind_memory())
		return false;
	take_node(false);
	return !pthread_create(&thread, NULL, keep_full, NULL);
}

static bool be_killed(int step)
{
	if (!step)
		return write_file("/proc/self/oom_score_adj", "1000") &&
		       bind_memory();
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
	/* Looking takes memory as well, and KASAN keeps for a while what was freed. */
	ok = unbind_memory() && pure(mem, size, set, "owner");
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
	if (flags && !bind_memory())
		return false;
	*roomy = zone_number("pages free ") >= zone_number(" low ");
	evicted = read_long(STATS "evicted");
	spilled = read_long(DIR "spilled");
	below = read_long(STATS "reserve_below");
	ok = use_reserve(one, n, &local) && local == n &&
	     read_long(STATS "evicted") == evicted &&
	     read_long(DIR "spilled") == spilled;
	below = read_long(STATS "reserve_below") - below;
	ksft_print_msg("with: %ld of %ld pages on the full node, %ld below the mark\n",
		       local, n, below);
	*roomy |= zone_number("pages free ") >= zone_number(" low ");
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

static bool full_once(bool (*owner_work)(int step))
{
	struct child stranger, owner, hog;
	int status;
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
	status = finish(hog);
	/* Page tables for the owner are not reserved: below min the hog is killed for them. */
	*roomy |= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	ok &= !status;
	return is_reserved(0) && ok;
}

static bool full_node(bool (*owner_work)(int step))
{
	for (int i = 0; i < 3; i++) {
		*roomy = false;
		if (full_once(owner_work))
			return true;
		if (!*roomy)
			break;
		ksft_print_msg("the node is not full any more: again\n");
	}
	return false;
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

static bool be_strict(int step)
{
	const size_t size = 64 * MB;
	char *mem;

	if (!step)
		return bind_memory() && !set_colors(half, PR_PAGE_COLOR_STRICT);
	mem = map_pages(size);
	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	return true;
}

/* What is short is memory, not colors: who has most of it is killed, as ever. */
static bool test_oom_strict(void)
{
	struct child strict, hog;
	int status, killed;

	strict = start_child(be_strict);
	hog = start_child(be_hog);
	status = finish(strict);
	killed = finish(hog);
	ksft_print_msg("strict task: status %#x, hog: %#x\n", status, killed);
	return !status && WIFSIGNALED(killed) && WTERMSIG(killed) == SIGKILL;
}

int main(void)
{
	begin(6);
	/* Of a process that was killed. */
	signal(SIGPIPE, SIG_IGN);
	add(other, 3);
	roomy = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (roomy == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	run("a full node", test_full);
	run("a full node, strict", test_full_strict);
	run("memory runs out for others", test_oom);
	run("memory runs out for all", test_oom_strict);
	end();
	ksft_finished();
}
