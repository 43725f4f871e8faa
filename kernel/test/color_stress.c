// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random steps of several processes: map and touch, check and unmap, fork and
 * write, exec, re-color, give away pages, while their colors change. What is
 * in a page depends on its address, so a page that is lost or mixed up shows.
 *
 * Usage: color_stress STEPS [SEED [fail]]     needs root and coloring on
 * With "fail", allocations of the processes are made to fail by the fault
 * injection of the kernel, and only what was written is checked.
 * Prints how often each step was taken.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "random.h"
#include "workers.h"

#define PR_PAGE_COLOR		0x50434f4c
#define PR_PAGE_COLOR_COUNT	0
#define PR_PAGE_COLOR_SET	1
#define PR_PAGE_COLOR_CLEAR	3
#define PR_PAGE_COLOR_MIGRATE	4
#define PAGE			4096UL
#define WORKERS			8
#define SLOTS			48
#define MAX_PAGES		16

enum { MAP, UNMAP, SET, CLEAR, MIGRATE, FORK, EXEC, DROP, MOVE, KINDS };
static const struct kind kinds[KINDS] = {
	[MAP] = { "map", 36 }, [UNMAP] = { "unmap", 30 }, [SET] = { "set", 8 },
	[CLEAR] = { "clear", 3 }, [MIGRATE] = { "migrate", 8 }, [FORK] = { "fork", 5 },
	[EXEC] = { "exec", 1 }, [DROP] = { "drop", 5 }, [MOVE] = { "move", 4 },
};

static struct slot {
	uint64_t *mem;
	size_t pages;
	uint64_t mark;
} slots[SLOTS];
static unsigned long left_behind;
static bool fail;
static int colors;

static uint64_t word(const struct slot *s, size_t page)
{
	return s->mark * 0x9e3779b97f4a7c15ULL + page;
}

static void fill(struct slot *s)
{
	s->mark = rnd() | 1;
	for (size_t p = 0; p < s->pages; p++)
		s->mem[p * PAGE / 8] = s->mem[(p + 1) * PAGE / 8 - 1] = word(s, p);
}

static void check(const struct slot *s)
{
	for (size_t p = 0; p < s->pages; p++) {
		uint64_t first = s->mem[p * PAGE / 8];
		uint64_t last = s->mem[(p + 1) * PAGE / 8 - 1];

		/* Pages that were given away read as zero. */
		if ((first != word(s, p) && first) || first != last) {
			fprintf(stderr, "page %zu of %p: %lx and %lx, not %lx\n", p,
				(void *)s->mem, first, last, word(s, p));
			die("wrong data");
		}
	}
}

static void unmap(struct slot *s)
{
	check(s);
	if (munmap(s->mem, s->pages * PAGE))
		return;
	s->mem = NULL;
}

static void set_some(void)
{
	unsigned long set[64] = {};
	size_t longs = (colors + 63) / 64;
	int n = 1 + rnd() % colors;

	while (n--) {
		int c = rnd() % colors;

		set[c / 64] |= 1UL << c % 64;
	}
	if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, set, longs * 8, 0) &&
	    errno != EINVAL && !(fail && errno == ENOMEM))
		die("PR_PAGE_COLOR_SET");
}

static void child(bool exec)
{
	pid_t pid = fork();
	int status;

	if (pid < 0) {
		if (!fail)
			die("fork");
		return;
	}
	if (!pid) {
		if (exec) {
			execl("/proc/self/exe", "color_stress", "child", NULL);
			_exit(fail ? 0 : 1);
		}
		for (int i = 0; i < SLOTS; i += 3) {
			if (!slots[i].mem)
				continue;
			check(&slots[i]);
			fill(&slots[i]);
			check(&slots[i]);
		}
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	/* Out of memory, which is injected, is no fault of the kernel. */
	if (status && !(fail && WIFSIGNALED(status)))
		die("child");
}

static void step(void)
{
	struct slot *s = &slots[rnd() % SLOTS];
	int k = pick(kinds, KINDS);
	void *mem;
	long n;

	counts[k]++;
	switch (k) {
	case MAP:
		if (s->mem)
			unmap(s);
		if (s->mem)
			return;
		s->pages = 1 + rnd() % MAX_PAGES;
		mem = mmap(NULL, s->pages * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mem == MAP_FAILED) {
			if (!fail)
				die("mmap");
			return;
		}
		s->mem = mem;
		fill(s);
		return;
	case UNMAP:
		if (s->mem)
			unmap(s);
		return;
	case SET:
		set_some();
		return;
	case CLEAR:
		if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0))
			die("PR_PAGE_COLOR_CLEAR");
		return;
	case MIGRATE:
		if (!s->mem)
			return;
		n = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, s->mem,
			  s->pages * PAGE, 0);
		if (n < 0 && errno != ENODATA && !(fail && errno == ENOMEM))
			die("PR_PAGE_COLOR_MIGRATE");
		left_behind += n > 0 ? n : 0;
		check(s);
		return;
	case FORK:
		child(false);
		return;
	case EXEC:
		child(true);
		return;
	case DROP:
		if (s->mem && madvise((char *)s->mem + rnd() % s->pages * PAGE, PAGE,
				      MADV_DONTNEED) && !fail)
			die("madvise");
		return;
	case MOVE:
		if (!s->mem)
			return;
		mem = mremap(s->mem, s->pages * PAGE, s->pages * PAGE,
			     MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
		if (mem == MAP_FAILED)
			return;
		munmap(s->mem, s->pages * PAGE);
		s->mem = mem;
		check(s);
		return;
	}
}

static int worker(unsigned long steps)
{
	/* Faults are injected into tasks that say so. */
	int fd = fail ? open("/proc/self/make-it-fail", O_WRONLY) : -1;

	if (fail && (fd < 0 || write(fd, "1", 1) != 1))
		die("make-it-fail");
	while (steps--)
		step();
	for (int i = 0; i < SLOTS; i++) {
		if (slots[i].mem)
			check(&slots[i]);
	}
	counts[KINDS] = left_behind;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	int status, bad = 0;

	if (argc > 1 && !strcmp(argv[1], "child")) {
		char *mem = malloc(16 * PAGE);

		if (mem)
			memset(mem, 1, 16 * PAGE);
		return 0;
	}
	fail = argc > 3 && !strcmp(argv[3], "fail");
	colors = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_COUNT, 0, 0, 0);
	if (colors <= 0)
		die("PR_PAGE_COLOR_COUNT");
	start_workers(WORKERS, seed, worker, steps);
	for (int w = 0; w < WORKERS; w++) {
		status = wait_worker(WORKERS, KINDS, steps);
		/* With injected failures one may be out of memory. */
		bad += status && !(fail && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	printf("stress");
	print_counts(WORKERS, kinds, KINDS);
	printf(" left %lu failed %d\n", counted(WORKERS, KINDS), bad);
	return bad > 0;
}
