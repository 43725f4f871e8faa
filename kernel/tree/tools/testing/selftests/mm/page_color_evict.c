// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: a strict task gets the pages of its colors that others use
 * without owning these, and nobody else is killed if it gets none.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include "page_color_disk.h"
#include "page_color_holder.h"

#define UNEVICTABLE	"/proc/sys/vm/compact_unevictable_allowed"
#define STATS	DIR "stats/"
#define TRACE	"/sys/kernel/tracing/"

static long evicted(void)
{
	return read_long(STATS "evicted");
}

/* A strict task that takes pages of the color; returns its status. */
static int strict_task(size_t pages)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *mem = map_pages(pages * page_size);
		bool ok;

		madvise(mem, pages * page_size, MADV_NOHUGEPAGE);
		if (set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(3);
		for (size_t i = 0; i < pages; i++)
			write_page(mem + i * page_size, i);
		ok = pure(mem, pages * page_size, one, "strict task");
		_exit(!contents_are_right(mem, pages) || !ok);
	}
	waitpid(pid, &status, 0);
	return status;
}

static bool killed(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	ksft_print_msg("status %#x of the strict task\n", status);
	return false;
}

static bool trace(const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), TRACE "%s", file);
	return write_file(path, text);
}

static bool clear_trace(void)
{
	int fd = open(TRACE "trace", O_WRONLY | O_TRUNC);

	return fd >= 0 && !close(fd);
}

/* Pages that the trace event says were moved. */
static long traced(void)
{
	FILE *file = fopen(TRACE "trace", "r");
	long n = 0, isolated, moved, dropped;
	char line[256], *p;

	while (file && fgets(line, sizeof(line), file)) {
		p = strstr(line, " isolated=");
		if (p && sscanf(p, " isolated=%ld moved=%ld dropped=%ld",
				&isolated, &moved, &dropped) == 3)
			n += moved + dropped <= isolated ? moved : 1L << 30;
	}
	if (file)
		fclose(file);
	return n;
}

/* The pages of tasks without colors make room. */
static bool evict_from(enum holder what)
{
	long before, dropped, found, n;
	size_t pages = color_pages() / 4;
	struct held held;
	int status;
	bool ok;

	if (access(TRACE "trace", F_OK) &&
	    mount("trace", "/sys/kernel/tracing", "tracefs", 0, NULL)) {
		ksft_print_msg("no tracefs\n");
		return false;
	}
	/* Compaction is not to move the pages when the strict task is gone. */
	if (set_colors(one, 0))
		return false;
	held = hold(what);
	if (!trace("buffer_size_kb", "4096") || !clear_trace() ||
	    !trace("events/page_color/page_color_evict/enable", "1"))
		return false;
	before = evicted();
	dropped = read_long(STATS "dropped");
	found = read_long(STATS "found");
	status = strict_task(pages);
	trace("events/page_color/page_color_evict/enable", "0");
	n = evicted() - before;
	dropped = read_long(STATS "dropped") - dropped;
	found = read_long(STATS "found") - found;
	ksft_print_msg("%zu pages wanted, %ld moved (%ld traced), %ld dropped, %ld found\n",
		       pages, n, traced(), dropped, found);
	ksft_print_msg("most frames for one page: %ld\n", read_long(STATS "evict_max"));
	ok = !status && n + found > (long)pages / 2 && n && traced() == n;
	clear_trace();
	return release(held) && ok;
}

static bool test_anonymous(void)
{
	return evict_from(CLEARS);
}

/* With PREEMPT_RT locked pages stay unless that is asked for. */
static bool test_locked(void)
{
	char was[16];
	bool ok;

	if (read_file(UNEVICTABLE, was, sizeof(was)) <= 0 || !write_file(UNEVICTABLE, "1"))
		return false;
	ok = evict_from(LOCKS);
	write_file(UNEVICTABLE, was);
	return ok;
}

static bool test_home(void)
{
	return evict_from(MOVES);
}

/*
 * Of page cache that is not mapped by anybody: of a file in memory, written, or of
 * holes of a file on a disk, read, whose pages are clean.
 */
static bool evict_cache(int file, bool holes)
{
	size_t pages = color_pages() / 4, max = color_pages() / 4 * 5, i;
	long before, dropped, n;
	static char page[65536];
	bool ok = true;
	int status;

	if (file < 0 || set_colors(one, 0) || ftruncate(file, max * page_size) ||
	    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM))
		return false;
	for (i = 0; i < max; i++) {
		write_page(page, i);
		if ((holes ? pread(file, page, page_size, i * page_size) :
			     pwrite(file, page, page_size, i * page_size)) !=
		    (ssize_t)page_size)
			return false;
		if (i % 16 == 15 && none_left())
			break;
	}
	max = i;
	prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
	before = evicted();
	dropped = read_long(STATS "dropped");
	status = strict_task(pages);
	n = evicted() - before;
	dropped = read_long(STATS "dropped") - dropped;
	ksft_print_msg("%zu pages wanted, %ld moved, %ld dropped\n", pages, n, dropped);
	for (i = 0; i < max && ok; i++)
		ok = pread(file, page, page_size, i * page_size) == (ssize_t)page_size &&
		     (holes ? !*(uint64_t *)page : page_is_right(page, i));
	return ok && !status && n + dropped > (long)pages / 2;
}

static bool test_files(void)
{
	return evict_cache(memfd_create("page_color", 0), false);
}

static bool test_disk(void)
{
	return evict_cache(disk_file(0), true);
}

/*
 * All colors have owners: nothing can be moved. But what is clean is dropped,
 * here what was given back with MADV_FREE.
 */
static bool test_dropped(void)
{
	size_t pages = color_pages() / 4;
	unsigned long others[LONGS] = {};
	long before = read_long(STATS "dropped"), n;
	char *mem = map_pages(pages * page_size);
	struct held held;
	int status;
	pid_t owner;

	madvise(mem, pages * page_size, MADV_NOHUGEPAGE);
	madvise(mem, pages * page_size, MADV_DONTFORK);
	if (set_colors(one, 0))
		return false;
	for (size_t i = 0; i < pages; i++)
		write_page(mem + i * page_size, i);
	held = hold(OWNS);
	add_rest(others, one);
	if (set_colors(others, 0))
		return false;
	owner = fork();
	if (!owner)
		pause();
	if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0) ||
	    madvise(mem, pages * page_size, MADV_FREE))
		return false;
	status = strict_task(pages / 2);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	n = read_long(STATS "dropped") - before;
	ksft_print_msg("%zu pages wanted, %ld dropped\n", pages / 2, n);
	for (size_t i = 0; i < pages; i++)
		if (*(uint64_t *)(mem + i * page_size) && !page_is_right(mem + i * page_size, i))
			return false;
	return release(held) && !status && n >= (long)pages / 4;
}

/*
 * Huge pages of another task are split, and only the pages needed are moved. If
 * nothing was written to these, they are free then.
 */
static bool evict_huge(size_t step)
{
	size_t size = node_info(NODE, "MemFree:") / 10 * 8 / (2 * MB) * (2 * MB);
	size_t pages = color_pages() / 10 * 4;
	long before = evicted(), split = vm_event("thp_split_page");
	char *mem = map_pages(size);
	int status;
	bool ok = true;

	madvise(mem, size, MADV_HUGEPAGE);
	for (size_t i = 0; i < size / page_size; i += step)
		*(uint64_t *)(mem + i * page_size) = pattern(i);
	/* The child's mappings of these pages are none of an owner's. */
	madvise(mem, size, MADV_DONTFORK);
	status = strict_task(pages);
	split = vm_event("thp_split_page") - split;
	ksft_print_msg("%zu pages wanted, %ld moved, %ld huge pages split\n", pages,
		       evicted() - before, split);
	for (size_t i = 0; i < size / page_size && ok; i += step)
		ok = *(uint64_t *)(mem + i * page_size) == pattern(i);
	return ok && !status && split > 0 && (evicted() > before || step > 1);
}

static bool test_huge(void)
{
	return evict_huge(1);
}

static bool test_huge_and_empty(void)
{
	return evict_huge(8);
}

/* Nothing can be moved: the strict task is killed, nobody else is. */
static bool kill_for(enum holder what)
{
	size_t size = color_pages() / 4 * 5 * page_size;
	struct held held = hold(what);
	pid_t other;
	bool ok;

	other = fork();
	if (!other) {
		/* A bigger one that the OOM killer would prefer. */
		char *mem = map_pages(2 * size);

		touch(mem, 2 * size, 1);
		pause();
	}
	ok = killed(strict_task(color_pages()));
	if (waitpid(other, NULL, WNOHANG)) {
		ksft_print_msg("another task was killed\n");
		ok = false;
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return release(held) && ok;
}

static bool test_owned(void)
{
	return kill_for(OWNS);
}

static bool test_threads(void)
{
	return kill_for(SHARES);
}

static bool test_pinned(void)
{
	return kill_for(PINS);
}

/* Frames of all zones, also those that the kernel took at boot. */
static long frames_present(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	char line[256];
	long n = 0, one;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " present %ld", &one) == 1)
			n += one;
	if (file)
		fclose(file);
	return n;
}

/*
 * Two tasks have used up a color each, and go on in turns: a search in vain for one
 * is remembered while the other searches.
 */
static bool test_in_vain(void)
{
	size_t max = color_pages() / 4 * 5, rounds = 400;
	char *mem = map_pages((max + rounds) * page_size), c = 0;
	unsigned long two[LONGS] = {};
	int there[2], back[2];
	long missed, spilled;
	pid_t pid;

	add(two, 2);
	madvise(mem, (max + rounds) * page_size, MADV_NOHUGEPAGE);
	if (pipe(there) || pipe(back))
		return false;
	pid = fork();
	if (!pid) {
		close(there[1]);
		if (set_colors(one, 0) || !take_all(mem, max))
			_exit(1);
		mem += max * page_size;
		while (write(back[1], "r", 1) == 1 && read(there[0], &c, 1) == 1) {
			*mem = 1;
			mem += page_size;
		}
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	if (read(back[0], &c, 1) != 1 || set_colors(two, 0) || !take_all(mem, max))
		return false;
	missed = read_long(STATS "missed");
	spilled = read_long(DIR "spilled");
	for (size_t i = 0; i < rounds; i++) {
		mem[(max + i) * page_size] = 1;
		if (write(there[1], "g", 1) != 1 || read(back[0], &c, 1) != 1)
			return false;
	}
	missed = read_long(STATS "missed") - missed;
	spilled = read_long(DIR "spilled") - spilled;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ksft_print_msg("%ld searches in vain for %ld pages\n", missed, spilled);
	return spilled > (long)rounds && missed && missed < spilled / 4;
}

/*
 * Frames that one allocation looks at: those of its color on all nodes, twice
 * at most. Other tests of tasks with one color have run out of it, too.
 */
static bool bound_holds(void)
{
	long most = read_long(STATS "evict_max");
	long frames = frames_present() / nr_colors;

	ksft_print_msg("%ld frames looked at for one page, of %ld\n", most, frames);
	/* What is not there has frame numbers, too. */
	return most > 0 && most <= frames * 9 / 4;
}

int main(void)
{
	bool huge = is_there(HUGE_PAGES, "huge pages");
	unsigned long nodes = 1UL << NODE;

	start(13 + 2 * huge);
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64UL))
		ksft_exit_skip("needs a node %d with memory\n", NODE);
	add(last, nr_colors - 1);

	run("anonymous pages of others", test_anonymous);
	run("locked pages of others", test_locked);
	run("pages of others go to their own colors", test_home);
	run("pages of files in memory", test_files);
	run("pages of files on a disk", test_disk);
	run("clean pages are dropped if all colors have owners", test_dropped);
	if (huge) {
		run("huge pages of others", test_huge);
		run("huge pages of others, mostly empty", test_huge_and_empty);
	}
	run("owners keep their pages", test_owned);
	run("threads keep their pages", test_threads);
	run("pinned pages stay", test_pinned);
	run("searches in vain are remembered", test_in_vain);
	ksft_test_result(bound_holds(), "work is bounded\n");
	end_tests();
}
