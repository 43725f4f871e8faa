/* SPDX-License-Identifier: GPL-2.0-only */
/* What random tests of several processes share: which step is next, how often each was taken, the start and the end of the processes. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Longs that a worker counts in: a page of memory that all have. */
#define WORKER_COUNTS	512

/* A step, and how often it is taken beside the others. */
struct kind {
	const char *name;
	int share;
};

/* Of this worker; before the start those of all, one after the other. */
static unsigned long *counts;

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	_exit(1);
}

static inline int pick(const struct kind *kinds, int n)
{
	int all = 0, at, k = 0;

	for (int i = 0; i < n; i++)
		all += kinds[i].share;
	at = rnd() % all;
	while (at >= kinds[k].share)
		at -= kinds[k++].share;
	return k;
}

static inline void make_counts(int workers)
{
	counts = mmap(NULL, workers * WORKER_COUNTS * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		die("memory for counts");
}

/* The workers' numbers differ, and are the same for the same seed. */
static inline void begin_worker(uint64_t seed, int worker)
{
	state = seed * 0x9e3779b97f4a7c15ULL + worker + 1;
	counts += worker * WORKER_COUNTS;
}

static inline void start_workers(int n, uint64_t seed, int (*work)(unsigned long), unsigned long steps)
{
	make_counts(n);
	for (int w = 0; w < n; w++) {
		if (!fork()) {
			begin_worker(seed, w);
			_exit(work(steps / n));
		}
	}
}

static inline unsigned long counted(int workers, int kind)
{
	unsigned long n = 0;

	for (int w = 0; w < workers; w++)
		n += counts[w * WORKER_COUNTS + kind];
	return n;
}

/*
 * Waits for a worker to end and returns its status. Every 20 s it says how many steps have begun: a test that takes
 * long differs from one that hangs.
 */
static inline int wait_worker(int workers, int nr_kinds, unsigned long steps)
{
	static int tenths;
	int status;

	while (!waitpid(-1, &status, WNOHANG)) {
		usleep(100000);
		if (++tenths % 200)
			continue;
		unsigned long begun = 0;

		for (int k = 0; k < nr_kinds; k++)
			begun += counted(workers, k);
		printf("# %s: %lu of %lu steps begun\n", program_invocation_short_name, begun, steps);
		fflush(stdout);
	}
	return status;
}

static inline void print_counts(int workers, const struct kind *kinds, int n)
{
	for (int k = 0; k < n; k++)
		printf(" %s %lu", kinds[k].name, counted(workers, k));
}
