// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: a strict task gets the pages of its colours that others use
 * without owning these, and nobody else is killed if it gets none.
 *
 * Needs root, and colouring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "page_color_util.h"

#define STATS	DIR "stats/"
#define TRACE	"/sys/kernel/tracing/"
/* All of it is on one node, so that there is less to fill. */
#define NODE	1

/* What a process that holds memory of the colour does when it has it. */
enum holder {
	CLEARS,		/* it is a task without colours from then on */
	LOCKS,		/* as well, and locks its memory */
	PINS,		/* as well, and the kernel holds its pages */
	OWNS,		/* it keeps its colour */
	MOVES,		/* it has another colour from then on */
	SHARES,		/* one of its threads keeps the colour, it has another */
};

static unsigned long last[LONGS];

static long node_info(const char *key)
{
	FILE *file;
	char path[64], line[128], *at;
	long n = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", NODE);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, key);
		if (at)
			n = strtol(at + strlen(key), NULL, 10) * 1024;
	}
	if (file)
		fclose(file);
	return n;
}

/* Pages of one colour on the node. */
static size_t color_pages(void)
{
	return node_info("MemTotal:") / page_size / nr_colors;
}

static long evicted(void)
{
	return read_long(STATS "evicted");
}

static uint64_t pattern(size_t i)
{
	return (i + 1) * 0x9e3779b97f4a7c15ULL;
}

static void write_page(char *page, size_t i)
{
	for (size_t at = 0; at < page_size; at += 512)
		*(uint64_t *)(page + at) = pattern(i + at);
}

static bool page_is_right(const char *page, size_t i)
{
	for (size_t at = 0; at < page_size; at += 512)
		if (*(uint64_t *)(page + at) != pattern(i + at))
			return false;
	return true;
}

static bool contents_are_right(const char *mem, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (page_is_right(mem + i * page_size, i))
			continue;
		ksft_print_msg("page %zu has lost its content\n", i);
		return false;
	}
	return true;
}

/* A colour that gets an owner is taken from the lists of all CPUs; so are all. */
static void drain_cpus(void)
{
	unsigned long other[LONGS] = {};
	pid_t pid;

	add(other, 2);
	pid = fork();
	if (!pid)
		_exit(set_colors(other, 0));
	waitpid(pid, NULL, 0);
}

/*
 * Are there no more pages of the colour, as the last 16 were of others? A search
 * in vain is not repeated for a moment, so ask more than once.
 */
static bool none_left(void)
{
	static long spilled;
	static int times;
	long now = read_long(DIR "spilled");

	times = now - spilled >= 16 ? times + 1 : 0;
	spilled = now;
	if (times)
		usleep(20000);
	if (times == 2)
		drain_cpus();
	return times > 4;
}

/* Take pages of the colour until there is no other; returns how many. */
static size_t take_all(char *mem, size_t max)
{
	size_t i;

	for (i = 0; i < max; i++) {
		write_page(mem + i * page_size, i);
		if (i % 16 == 15 && none_left())
			break;
	}
	return i;
}

static void *keep_color(void *arg)
{
	int *fds = arg;
	char c;

	/* For ever: the other end is never closed. */
	if (read(fds[0], &c, 1) < 0)
		return NULL;
	return arg;
}

/* The pages are in pipes as well. */
static bool pin(char *mem, size_t size)
{
	while (size) {
		int fds[2];

		if (pipe2(fds, O_NONBLOCK) ||
		    fcntl(fds[1], F_SETPIPE_SZ, MB) < 0)
			return false;
		while (size) {
			struct iovec iov = { mem, size < MB ? size : MB };
			ssize_t n = vmsplice(fds[1], &iov, 1, SPLICE_F_NONBLOCK);

			if (n <= 0)
				break;
			mem += n;
			size -= n;
		}
	}
	return true;
}

struct held {
	pid_t pid;
	int ready;
	int go;
};

static bool act(enum holder what, char *mem, size_t n)
{
	static int fds[2];
	pthread_t thread;

	switch (what) {
	case SHARES:
		if (pipe(fds) || pthread_create(&thread, NULL, keep_color, fds))
			return false;
		return !set_colors(last, 0);
	case OWNS:
		return true;
	case MOVES:
		return !set_colors(last, 0);
	case LOCKS:
		if (mlock(mem, n * page_size))
			return false;
		break;
	case PINS:
		if (!pin(mem, n * page_size))
			return false;
		break;
	case CLEARS:
		break;
	}
	return !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
}

/* What must be so after the others had their turn. */
static bool judge(enum holder what, char *mem, size_t n, struct count was)
{
	struct count now = look(mem, n * page_size, one, true), home;
	bool ok = contents_are_right(mem, n);

	switch (what) {
	case OWNS:
	case SHARES:
	case PINS:
		if (now.wrong != was.wrong) {
			ksft_print_msg("%ld pages were taken away\n",
				       now.wrong - was.wrong);
			return false;
		}
		return ok;
	case MOVES:
		home = look(mem, n * page_size, last, true);
		ksft_print_msg("%ld pages moved to the colours of their owner, %ld of others\n",
			       home.max, now.wrong - home.max);
		return ok && home.max && now.wrong - home.max <= was.wrong;
	default:
		return ok && now.wrong > was.wrong;
	}
}

/* A process that takes all pages of the colour, and says so. */
static struct held hold(enum holder what)
{
	int ready[2], go[2];
	struct held held;
	char c;

	if (pipe(ready) || pipe(go))
		ksft_exit_fail_msg("pipe: %s\n", strerror(errno));
	fflush(stdout);
	held.pid = fork();
	if (!held.pid) {
		size_t max = color_pages() / 4 * 5, n;
		char *mem = map_pages(max * page_size);
		struct count was;

		madvise(mem, max * page_size, MADV_NOHUGEPAGE);
		close(ready[0]);
		close(go[1]);
		if (set_colors(one, 0))
			_exit(2);
		n = take_all(mem, max);
		was = look(mem, n * page_size, one, true);
		if (!act(what, mem, n))
			_exit(3);
		if (write(ready[1], "r", 1) != 1 || read(go[0], &c, 1) < 0)
			_exit(4);
		_exit(!judge(what, mem, n, was));
	}
	close(ready[1]);
	close(go[0]);
	held.ready = ready[0];
	held.go = go[1];
	if (read(ready[0], &c, 1) != 1)
		ksft_print_msg("the other process did not take the pages\n");
	return held;
}

static bool release(struct held held)
{
	int status;

	close(held.go);
	close(held.ready);
	if (waitpid(held.pid, &status, 0) != held.pid || status) {
		ksft_print_msg("the other process: status %#x\n", status);
		return false;
	}
	return true;
}

/* A strict task that takes pages of the colour; returns its status. */
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

/* The pages of tasks without colours make room. */
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

static bool test_locked(void)
{
	return evict_from(LOCKS);
}

static bool test_home(void)
{
	return evict_from(MOVES);
}

/* Of files in memory, which are page cache and not mapped by anybody. */
static bool test_files(void)
{
	size_t pages = color_pages() / 4, max = color_pages() / 4 * 5, i;
	int shm = memfd_create("page_color", 0), status;
	static char page[65536];
	long before, n;
	bool ok = true;

	if (shm < 0 || set_colors(one, 0))
		return false;
	for (i = 0; i < max; i++) {
		write_page(page, i);
		if (write(shm, page, page_size) != (ssize_t)page_size)
			return false;
		if (i % 16 == 15 && none_left())
			break;
	}
	max = i;
	prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
	before = evicted();
	status = strict_task(pages);
	n = evicted() - before;
	ksft_print_msg("%zu pages wanted, %ld moved\n", pages, n);
	for (i = 0; i < max && ok; i++)
		ok = pread(shm, page, page_size, i * page_size) == (ssize_t)page_size &&
		     page_is_right(page, i);
	return ok && !status && n > (long)pages / 2;
}

/*
 * All colours have owners: nothing can be moved. But what is clean is dropped,
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
	for (int c = 0; c < nr_colors; c++)
		if (!has(one, c))
			add(others, c);
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
	size_t size = node_info("MemFree:") / 10 * 8 / (2 * MB) * (2 * MB);
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
 * Frames that one allocation looks at: those of its colour on all nodes, twice
 * at most. Other tests of tasks with one colour have run out of it, too.
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
	unsigned long nodes = 1UL << NODE;

	start(13);
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64UL))
		ksft_exit_skip("needs a node %d with memory\n", NODE);
	add(last, nr_colors - 1);

	run("anonymous pages of others", test_anonymous);
	run("locked pages of others", test_locked);
	run("pages of others go to their own colours", test_home);
	run("pages of files", test_files);
	run("clean pages are dropped if all colours have owners", test_dropped);
	run("huge pages of others", test_huge);
	run("huge pages of others, mostly empty", test_huge_and_empty);
	run("owners keep their pages", test_owned);
	run("threads keep their pages", test_threads);
	run("pinned pages stay", test_pinned);
	ksft_test_result(bound_holds(), "work is bounded\n");
	ksft_test_result(nobody_owns(), "colours are given back\n");
	ksft_test_result(zones_are_right(), "free lists and counters agree\n");
	ksft_finished();
}
