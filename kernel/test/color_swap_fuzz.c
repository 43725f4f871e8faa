// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random steps of several strict processes that want up to four times as much memory as
 * their colors have, on one node, and swap for all of it: nobody may be killed, every
 * byte must be right, and pages that are new have the colors that were asked for.
 * Colors overlap, change, and are shared by processes that have forked.
 *
 * Usage: color_swap_fuzz STEPS [SEED]     needs root, coloring on, a map without ranges, and swap of 256 MiB
 * Prints how often each step was taken, what was swapped and reclaimed.
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "random.h"
#include "workers.h"

#define PR_PAGE_COLOR		0x50434f4c
#define PR_PAGE_COLOR_COUNT	0
#define PR_PAGE_COLOR_SET	1
#define PR_PAGE_COLOR_MIGRATE	4
#define PR_PAGE_COLOR_STRICT	1UL
#define MPOL_BIND		2
#define PAGE			4096UL
#define MB			1048576UL
#define WORKERS			6
#define SLOTS			24
#define SLOT_PAGES		256
/* What all the colors have, about: a quarter of what the processes have at most. */
#define MEMORY			(WORKERS * SLOTS * SLOT_PAGES * PAGE / 4)
/* Pages that each process may lock. */
#define LOCKED			32

enum { MAP, UNMAP, READ, WRITE, SET, FORK, PAGEOUT, DROP, LOCK, MIGRATE, KINDS };
static const struct kind kinds[KINDS] = {
	[MAP] = { "map", 28 }, [UNMAP] = { "unmap", 10 }, [READ] = { "read", 16 },
	[WRITE] = { "write", 24 }, [SET] = { "set", 4 }, [FORK] = { "fork", 3 },
	[PAGEOUT] = { "pageout", 6 }, [DROP] = { "drop", 4 }, [LOCK] = { "lock", 3 },
	[MIGRATE] = { "migrate", 2 },
};

/* @mark[i] of each page; 0 for what was given away, or never written. */
static struct slot {
	uint64_t *mem;
	uint64_t mark[SLOT_PAGES];
	size_t pages;
	bool locked;
} slots[SLOTS];
static uint64_t masks[16];
static int nr_masks, colors, first_color, nr_chosen;
static unsigned long chosen[64];

static long number(const char *path, const char *key)
{
	FILE *file = fopen(path, "r");
	char line[256];
	long n = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			n = strtol(line + strlen(key), NULL, 10);
	if (file)
		fclose(file);
	return n;
}

static void read_map(void)
{
	char text[4096] = "", *p = text;
	FILE *file = fopen("/sys/kernel/mm/page_color/map", "r");

	if (!file || !fgets(text, sizeof(text), file) || strchr(text, '@'))
		die("no map without ranges");
	fclose(file);
	do {
		masks[nr_masks++] = strtoull(p, &p, 0);
	} while (*p++ == ',');
}

static int color_of(uint64_t phys)
{
	int c = 0;

	for (int i = 0; i < nr_masks; i++)
		c |= __builtin_parityll(phys & masks[i]) << i;
	return c;
}

/* Those pages that are in memory have colors of the process; it has written to them just now. */
static void check_colors(const struct slot *s)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);

	for (size_t p = 0; p < s->pages; p++) {
		uint64_t entry = 0;
		int c;

		if (pread(fd, &entry, 8, ((uintptr_t)s->mem + p * PAGE) / PAGE * 8) != 8)
			die("pagemap");
		if (!(entry >> 63))
			continue;
		c = color_of((entry & ((1ULL << 55) - 1)) * PAGE);
		if (!(chosen[c / 64] >> c % 64 & 1)) {
			fprintf(stderr, "page %zu of %p has color %d\n", p, (void *)s->mem, c);
			die("wrong color");
		}
	}
	close(fd);
}

static void write_page(struct slot *s, size_t p)
{
	s->mark[p] = rnd() | 1;
	for (size_t i = 0; i < PAGE / 8; i += 32)
		s->mem[p * PAGE / 8 + i] = s->mark[p] + i;
}

static void check_page(const struct slot *s, size_t p)
{
	for (size_t i = 0; i < PAGE / 8; i += 32) {
		uint64_t is = s->mem[p * PAGE / 8 + i], want = s->mark[p] ? s->mark[p] + i : 0;

		if (is != want) {
			fprintf(stderr, "page %zu of %p, word %zu: %lx, not %lx\n", p,
				(void *)s->mem, i, is, want);
			die("wrong data");
		}
	}
}

static void check(const struct slot *s)
{
	for (size_t p = 0; p < s->pages; p++)
		check_page(s, p);
}

/* At least a quarter of the colors. */
static void set_some(void)
{
	size_t n = nr_chosen / 4 + 1 + rnd() % nr_chosen;

	memset(chosen, 0, sizeof(chosen));
	for (int tries = 0; n && tries < 100000; tries++) {
		int c = first_color + rnd() % nr_chosen;

		n -= !(chosen[c / 64] >> c % 64 & 1) || tries > 1000;
		chosen[c / 64] |= 1UL << c % 64;
	}
	if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, chosen, (colors + 63) / 64 * 8,
		  PR_PAGE_COLOR_STRICT))
		die("PR_PAGE_COLOR_SET");
}

static void map(struct slot *s)
{
	s->pages = 1 + rnd() % SLOT_PAGES;
	s->mem = mmap(NULL, s->pages * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->mem == MAP_FAILED)
		die("mmap");
	madvise(s->mem, s->pages * PAGE, MADV_NOHUGEPAGE);
	s->locked = false;
	for (size_t p = 0; p < s->pages; p++)
		write_page(s, p);
	check_colors(s);
}

static void unmap(struct slot *s)
{
	check(s);
	munmap(s->mem, s->pages * PAGE);
	s->mem = NULL;
}

static void child(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (!pid) {
		for (int i = 0; i < SLOTS; i += 5) {
			if (!slots[i].mem)
				continue;
			write_page(&slots[i], rnd() % slots[i].pages);
			check(&slots[i]);
		}
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		errno = 0;
		fprintf(stderr, "status of a child %#x\n", status);
		die("child");
	}
}

static void step(void)
{
	struct slot *s = &slots[rnd() % SLOTS];
	int k = pick(kinds, KINDS);
	size_t p;

	if (!s->mem && k != SET && k != FORK)
		k = MAP;
	counts[k]++;
	switch (k) {
	case MAP:
		if (s->mem)
			unmap(s);
		map(s);
		return;
	case UNMAP:
		unmap(s);
		return;
	case READ:
		check(s);
		return;
	case WRITE:
		for (int i = 0; i < 16; i++)
			write_page(s, rnd() % s->pages);
		return;
	case SET:
		set_some();
		return;
	case FORK:
		child();
		return;
	case PAGEOUT:
		madvise(s->mem, s->pages * PAGE, MADV_PAGEOUT);
		return;
	case DROP:
		if (s->locked)
			return;
		p = rnd() % s->pages;
		if (madvise(s->mem + p * PAGE / 8, PAGE, MADV_DONTNEED))
			die("MADV_DONTNEED");
		s->mark[p] = 0;
		return;
	case LOCK:
		if (s->pages > LOCKED || s != slots)
			return;
		s->locked = !mlock(s->mem, s->pages * PAGE);
		return;
	case MIGRATE:
		if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, s->mem, s->pages * PAGE, 0) < 0)
			die("PR_PAGE_COLOR_MIGRATE");
		check(s);
		return;
	}
}

static int worker(unsigned long steps)
{
	set_some();
	while (steps--)
		step();
	for (int i = 0; i < SLOTS; i++)
		if (slots[i].mem)
			check(&slots[i]);
	return 0;
}

int main(int argc, char **argv)
{
	static const char * const stats[] = { "reclaimed", "reclaim_others", "reclaim_looked", "reclaim_max", "evicted" };
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000, nodes;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	int status, bad = 0, node = 0;
	char path[96];
	long size, free;

	read_map();
	colors = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_COUNT, 0, 0, 0);
	if (colors <= 0 || colors > 4096)
		die("PR_PAGE_COLOR_COUNT");
	/* The last node, of which the kernel has least. */
	do {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", ++node);
	} while (!access(path, F_OK));
	nodes = 1UL << --node;
	snprintf(path, sizeof(path), "Node %d MemTotal:", node);
	snprintf(path + 48, sizeof(path) - 48, "/sys/devices/system/node/node%d/meminfo", node);
	size = number(path + 48, path) * 1024 / colors;
	free = number("/proc/meminfo", "SwapFree:") * 1024;
	if (size <= 0 || free < (long)(250 * MB))
		die("needs swap of 256 MiB");
	for (nr_chosen = 0; nr_chosen < colors / 2 && nr_chosen * size < (long)MEMORY; nr_chosen++)
		;
	first_color = colors / 4;
	if (nr_chosen * size > 2 * (long)MEMORY)
		die("needs a map with more colors");
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64UL))
		die("set_mempolicy");
	start_workers(WORKERS, seed, worker, steps);
	for (int w = 0; w < WORKERS; w++) {
		status = wait_worker(WORKERS, KINDS, steps);
		if (status)
			fprintf(stderr, "status of a process %#x, %ld MiB of swap are free\n", status,
				number("/proc/meminfo", "SwapFree:") / 1024);
		bad += !!status;
	}
	printf("swap-fuzz %d colors of %ld KiB", nr_chosen, size / 1024);
	print_counts(WORKERS, kinds, KINDS);
	for (size_t i = 0; i < sizeof(stats) / sizeof(*stats); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/mm/page_color/stats/%s", stats[i]);
		printf(" %s %ld", stats[i], number(path, ""));
	}
	printf(" in %ld out %ld failed %d\n", number("/proc/vmstat", "pswpin "),
	       number("/proc/vmstat", "pswpout "), bad);
	/* Without pressure it says nothing. */
	return bad > 0 || number("/sys/kernel/mm/page_color/stats/reclaimed", "") < (long)(steps / 100);
}
