/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that holds all pages of a color on a node, as one of several kinds
 * of users, and finds out afterwards what became of its pages.
 */
#ifndef PAGE_COLOR_HOLDER_H
#define PAGE_COLOR_HOLDER_H

#include <pthread.h>
#include <sys/uio.h>
#include "page_color_util.h"

/* All of it is on one node, so that there is less to fill. */
#define NODE	1

/* What a process that holds memory of the color does when it has it. */
enum holder {
	CLEARS,		/* it is a task without colors from then on */
	LOCKS,		/* as well, and locks its memory */
	PINS,		/* as well, and the kernel holds its pages */
	OWNS,		/* it keeps its color */
	MOVES,		/* it has another color from then on */
	SHARES,		/* one of its threads keeps the color, it has another */
};

/* The color of those that have another one, which is for main() to set. */
static unsigned long last[LONGS];

/* Pages of one color on the node. */
static inline size_t color_pages(void)
{
	return node_info(NODE, "MemTotal:") / page_size / nr_colors;
}

static inline uint64_t pattern(size_t i)
{
	return (i + 1) * 0x9e3779b97f4a7c15ULL;
}

static inline void write_page(char *page, size_t i)
{
	for (size_t at = 0; at < page_size; at += 512)
		*(uint64_t *)(page + at) = pattern(i + at);
}

static inline bool page_is_right(const char *page, size_t i)
{
	for (size_t at = 0; at < page_size; at += 512)
		if (*(uint64_t *)(page + at) != pattern(i + at))
			return false;
	return true;
}

static inline bool contents_are_right(const char *mem, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (page_is_right(mem + i * page_size, i))
			continue;
		ksft_print_msg("page %zu has lost its content\n", i);
		return false;
	}
	return true;
}

/* A color that gets an owner is taken from the lists of all CPUs; so are all. */
static inline void drain_cpus(void)
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
 * Are there no more pages of the color, as the last 16 were of others? A search
 * in vain is not repeated for a moment, so ask more than once.
 */
static inline bool none_left(void)
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

/* Take pages of the color until there is no other; returns how many. */
static inline size_t take_all(char *mem, size_t max)
{
	size_t i;

	for (i = 0; i < max; i++) {
		write_page(mem + i * page_size, i);
		if (i % 16 == 15 && none_left())
			break;
	}
	return i;
}

static inline void *keep_color(void *arg)
{
	int *fds = arg;
	char c;

	/* For ever: the other end is never closed. */
	if (read(fds[0], &c, 1) < 0)
		return NULL;
	return arg;
}

/* The pages are in pipes as well. */
static inline bool pin(char *mem, size_t size)
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

static inline bool act(enum holder what, char *mem, size_t n)
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
static inline bool judge(enum holder what, char *mem, size_t n, struct count was)
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
		ksft_print_msg("%ld pages moved to the colors of their owner, %ld of others\n",
			       home.max, now.wrong - home.max);
		return ok && home.max && now.wrong - home.max <= was.wrong;
	default:
		return ok && now.wrong > was.wrong;
	}
}

/* A process that takes all pages of the color, and says so. */
static inline struct held hold(enum holder what)
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

static inline bool release(struct held held)
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

#endif /* PAGE_COLOR_HOLDER_H */
