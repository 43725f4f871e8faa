// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: page cache of others beside owned colors. What a memory cgroup protects
 * is not dropped for a strict task, nor reclaimed for page tables or for room to move
 * pages to; what nobody protects is, before page tables of tasks without colors get pages
 * of owned colors, where they stay.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), cgroup2 in
 * /sys/fs/cgroup, and ext2 on /dev/ram1.
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/stat.h>
#include "page_color_disk.h"

#define TOP	"/sys/fs/cgroup"
#define GROUP	TOP "/page_color_spared"
#define STATS	DIR "stats/"
/* All of it is on one node, so that there is less to fill. */
#define NODE	1
/* One color in so many has no owner. */
#define UNOWNED	8
/* Of a file. */
#define KEPT	(64 * MB)
/*
 * That pageblocks change their type has kswapd run for a while, where this is not 0. It
 * computes what cgroups protect, by which reclaim by generations goes in Linux 6.12.
 */
#define BOOST	"/proc/sys/vm/watermark_boost_factor"
#define TABLES	1500
#define HUGE	(2 * MB)

static bool on_node(void)
{
	unsigned long node = 1UL << NODE;

	return !syscall(SYS_set_mempolicy, MPOL_BIND, &node, 64);
}

static long of_node(void)
{
	return node_info(NODE, "MemTotal:");
}

/* Some that own colors and do nothing; they end with this process. */
static pid_t own(const unsigned long *set)
{
	int fds[2], status;
	pid_t pid;
	char c;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		if (set_colors(set, 0))
			_exit(1);
		kill(getpid(), SIGSTOP);
		_exit(read(fds[0], &c, 1));
	}
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		return -1;
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static long in_cache(char *mem, size_t size)
{
	unsigned char *in = malloc(size / page_size);
	long n = 0;

	if (!in || mincore(mem, size, in))
		ksft_exit_fail_msg("mincore: %s\n", strerror(errno));
	for (size_t i = 0; i < size / page_size; i++)
		n += in[i] & 1;
	free(in);
	return n;
}

static void read_all(const char *mem, size_t size)
{
	for (size_t i = 0; i < size; i += page_size)
		peek(mem + i);
}

/* Some of a file have the color, the others whichever they come by. */
static bool read_in(const char *mem)
{
	size_t some = of_node() / nr_colors / 4;

	if (set_colors(one, 0))
		return false;
	read_all(mem, some < KEPT ? some : KEPT);
	if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0))
		return false;
	read_all(mem, KEPT);
	return true;
}

static long of_color(const char *mem)
{
	struct count n = look(mem, KEPT, one, true);

	return n.present - n.wrong;
}

/* A strict task that wants more than its color has on the node; it is killed. */
static bool want_all(void)
{
	size_t size = of_node() / nr_colors * 2;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *mem;

		if (!write_file(TOP "/cgroup.procs", "0") || set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(1);
		mem = map_pages(size);
		madvise(mem, size, MADV_NOHUGEPAGE);
		touch(mem, size, 1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status))
		ksft_print_msg("status %#x of the strict task\n", status);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* Of all memory, by whoever wants some. */
static long usually_reclaimed(void)
{
	return vm_event("pgsteal_direct") + vm_event("pgsteal_kswapd");
}

/*
 * All other colors have an owner, so pages of files that have the color can go nowhere:
 * they are dropped, unless they are protected.
 */
static bool cache_beside(const char *min, long *before, long *after)
{
	long dropped = read_long(STATS "dropped"), reclaimed = read_long(STATS "reclaimed");
	long usual = usually_reclaimed(), colored;
	unsigned long rest[LONGS] = {};
	int fd = disk_file(KEPT);
	char *mem = mmap(NULL, KEPT, PROT_READ, MAP_SHARED, fd, 0);
	pid_t pid;
	bool ok;

	if (mem == MAP_FAILED || !on_node() || !write_file(GROUP "/memory.min", min) ||
	    !write_file(GROUP "/cgroup.procs", "0") || !read_in(mem))
		return false;
	*before = in_cache(mem, KEPT);
	colored = of_color(mem);
	add_rest(rest, one);
	pid = own(rest);
	ok = pid > 0 && want_all();
	*after = in_cache(mem, KEPT);
	end(pid);
	ksft_print_msg("memory.min %s: %ld of %ld pages of the file left, %ld had the color\n",
		       min, *after, *before, colored);
	ksft_print_msg("%ld pages dropped, %ld reclaimed by color, %ld as usual\n",
		       read_long(STATS "dropped") - dropped,
		       read_long(STATS "reclaimed") - reclaimed, usually_reclaimed() - usual);
	return write_file(TOP "/cgroup.procs", "0") && ok && colored;
}

static bool test_protected(void)
{
	long before, after;

	return cache_beside("max", &before, &after) && after == before;
}

/* Otherwise the test above says nothing. */
static bool test_unprotected(void)
{
	long before, after;

	return cache_beside("0", &before, &after) && after < before;
}

/* Clean page cache on the node, more than all that nobody owns there. */
static bool fill_cache(int *fd, size_t *size)
{
	static char part[MB];

	*size = of_node() / UNOWNED / 4 * 5 / MB * MB;
	*fd = disk_file(*size);
	for (size_t i = 0; i < *size; i += MB)
		if (pread(*fd, part, MB, i) != MB)
			return false;
	return true;
}

/* As many page tables, by reads of memory that has no page of its own. */
static bool make_tables(void)
{
	char *mem = mmap(NULL, TABLES * HUGE, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		return false;
	/* Fails where the kernel has no huge pages. */
	madvise(mem, TABLES * HUGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < TABLES; i++)
		peek(mem + i * HUGE);
	return true;
}

/* Page tables beside page cache that fills what nobody owns: how many got owned pages? */
static bool tables_beside(long *yielded, long *gone)
{
	unsigned long set[LONGS] = {};
	long filled, before;
	size_t size;
	char *mem;
	pid_t pid;
	int fd;
	bool ok;

	for (int c = 0; c < nr_colors; c++)
		if (c % UNOWNED)
			add(set, c);
	pid = own(set);
	filled = read_long(STATS "yielded");
	ok = pid > 0 && on_node() && fill_cache(&fd, &size);
	if (!ok)
		return false;
	mem = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	*yielded = read_long(STATS "yielded");
	filled = *yielded - filled;
	before = in_cache(mem, size);
	ok = mem != MAP_FAILED && make_tables();
	*yielded = read_long(STATS "yielded") - *yielded;
	*gone = before - in_cache(mem, size);
	end(pid);
	ksft_print_msg("%ld pages of owned colors for a file, %ld for %d page tables\n", filled,
		       *yielded, TABLES);
	ksft_print_msg("%ld of %ld pages of the file gone\n", *gone, before);
	return ok && filled > 0;
}

static bool test_tables(void)
{
	long yielded, gone;

	/* Some at once, as reclaim has pages of owned colors to give up as well. */
	return tables_beside(&yielded, &gone) && yielded < TABLES / 10;
}

/* A cgroup that nobody has computed the protection of. */
static bool new_group(void)
{
	for (int i = 0; i < 100 && rmdir(GROUP) && errno == EBUSY; i++)
		usleep(10000);
	return !mkdir(GROUP, 0755);
}

static bool test_tables_protected(void)
{
	long yielded, gone;

	return new_group() && write_file(GROUP "/memory.min", "max") &&
	       write_file(GROUP "/cgroup.procs", "0") && tables_beside(&yielded, &gone) &&
	       !gone;
}

/* Fill what the node has of a color, and give the color back. */
static bool fill(const unsigned long *set, char *mem, bool write)
{
	size_t size = of_node() / nr_colors / 4 * 5;

	if (set_colors(set, 0))
		return false;
	if (write)
		touch(mem, size, 1);
	else
		read_all(mem, size);
	return !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
}

/*
 * A strict task whose color another fills that does not own it. All but one color have
 * owners, and that one a file fills: where it is reclaimed, pages can move there. What is
 * protected changes when the task has its first page and all the page tables it needs.
 */
static bool room_beside(const char *min, long *gone)
{
	unsigned long rest[LONGS] = {}, other[LONGS] = {}, both[LONGS] = {};
	size_t size = of_node() / nr_colors / 4 * 5;
	int fd = disk_file(size), status;
	char *mem = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), *filled = map_pages(size);
	long before, reclaimed, evicted = read_long(STATS "evicted");
	pid_t owner, pid;

	add(other, 2);
	add(both, 1);
	add(both, 2);
	add_rest(rest, both);
	if (mem == MAP_FAILED || !on_node() || !new_group())
		return false;
	/* Who has it mapped and owns the color keeps it. */
	if (madvise(filled, size, MADV_NOHUGEPAGE) && errno != EINVAL)
		return false;
	if (madvise(filled, size, MADV_DONTFORK))
		return false;
	/* No page of the file gets the color: eviction would compute what is protected. */
	if (!fill(one, filled, true) || !write_file(GROUP "/cgroup.procs", "0") ||
	    !fill(other, mem, false) || !write_file(TOP "/cgroup.procs", "0"))
		return false;
	owner = own(rest);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *want = map_pages(2 * HUGE);

		want += -(uintptr_t)want % HUGE;
		madvise(want, HUGE, MADV_NOHUGEPAGE);
		if (set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(1);
		*want = 1;
		kill(getpid(), SIGSTOP);
		touch(want, HUGE, 1);
		_exit(0);
	}
	if (owner < 0 || waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) ||
	    !write_file(GROUP "/memory.min", min)) {
		ksft_print_msg("status %#x of the strict task\n", status);
		end(owner);
		return false;
	}
	before = in_cache(mem, size);
	reclaimed = usually_reclaimed();
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	*gone = before - in_cache(mem, size);
	end(owner);
	ksft_print_msg("memory.min %s: %ld of %ld pages of the file gone\n", min, *gone, before);
	ksft_print_msg("%ld pages reclaimed, %ld moved\n", usually_reclaimed() - reclaimed,
		       read_long(STATS "evicted") - evicted);
	/* It has what it wants, or is killed. */
	return !status || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static bool test_room_protected(void)
{
	long gone;

	return room_beside("max", &gone) && !gone;
}

/* Otherwise the test above says nothing. */
static bool test_room(void)
{
	long gone;

	return room_beside("0", &gone) && gone > 0;
}

int main(void)
{
	char boost[64];

	start(8);
	write_file(TOP "/cgroup.subtree_control", "+memory");
	if (!new_group())
		ksft_exit_fail_msg("no cgroup: %s\n", strerror(errno));
	if (read_file(BOOST, boost, sizeof(boost)) <= 0 || !write_file(BOOST, "0"))
		ksft_exit_fail_msg("%s: %s\n", BOOST, strerror(errno));
	run("page cache without protection is dropped for a strict task", test_unprotected);
	run("memory.min is kept", test_protected);
	run("page cache comes before owned colors for page tables", test_tables);
	run("memory.min is kept from page tables", test_tables_protected);
	run("page cache gives room to move pages to", test_room);
	run("memory.min is kept from who wants room", test_room_protected);
	write_file(BOOST, boost);
	for (int i = 0; i < 100 && rmdir(GROUP) && errno == EBUSY; i++)
		usleep(10000);
	end_tests();
}
