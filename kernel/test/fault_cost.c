// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an anonymous page fault costs, in ticks of the time stamp counter. Under
 * QEMU's -icount shift=0 a tick is one instruction of whichever CPU, so the
 * numbers repeat where one is up.
 *
 * Usage: fault_cost NAME MIB [COLORS [ahead]]     COLORS as in 0-15,32
 * Prints one line: cost NAME fault F again A unmap U longest L wrong W
 *   fault    per page; median of five mappings of MIB each, all held
 *   again    the same, after these were unmapped
 *   unmap    per page; median
 *   longest  dearest single fault of all, timer ticks included
 *   wrong    pages whose colour is not among COLORS (0 without COLORS)
 * With ahead the pages of each mapping are allocated ahead, which is not counted.
 * A mean over a mapping, so what a refill of a per-CPU list costs is in it; the
 * median of the means, so that a tick of the timer with its work is not.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <x86intrin.h>

#define PR_PAGE_COLOR		0x50434f4c
#define PR_PAGE_COLOR_SET	1
#define PR_PAGE_COLOR_AHEAD	5
#define PAGE			4096UL
#define ROUNDS			5

static uint64_t masks[16];
static int nr_masks;
static unsigned long colors[64];

static void read_map(void)
{
	char text[4096] = "", *p = text;
	int fd = open("/sys/kernel/mm/page_color/map", O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		exit(2);
	close(fd);
	do {
		masks[nr_masks++] = strtoull(p, &p, 0);
	} while (*p++ == ',' && nr_masks < 16);
}

static int wrong(char *mem, size_t size)
{
	int fd = open("/proc/self/pagemap", O_RDONLY), bad = 0;

	for (size_t i = 0; i < size; i += PAGE) {
		uint64_t entry, phys;
		int c = 0;

		if (pread(fd, &entry, 8, ((uintptr_t)mem + i) / PAGE * 8) != 8)
			exit(2);
		phys = (entry & ((1ULL << 55) - 1)) * PAGE;
		for (int b = 0; b < nr_masks; b++)
			c |= __builtin_parityll(phys & masks[b]) << b;
		bad += !(entry >> 63) || !(colors[c / 64] >> (c % 64) & 1);
	}
	close(fd);
	return bad;
}

static void parse_colors(char *s)
{
	do {
		long a = strtol(s, &s, 10), b = a;

		if (*s == '-')
			b = strtol(s + 1, &s, 10);
		for (; a <= b; a++)
			colors[a / 64] |= 1UL << (a % 64);
	} while (*s++ == ',');
}

static char *map(size_t size)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		exit(2);
	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

/* The page tables' own pages are paid for by the first pages: not counted. */
static uint64_t touch(char *mem, size_t size, uint64_t *longest)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i += PAGE) {
		uint64_t t = __rdtsc();

		mem[i] = 1;
		t = __rdtsc() - t;
		sum += t;
		if (t > *longest)
			*longest = t;
	}
	return sum / (size / PAGE);
}

static int by_value(const void *a, const void *b)
{
	return *(const uint64_t *)a < *(const uint64_t *)b ? -1 : 1;
}

static uint64_t median(uint64_t *values)
{
	qsort(values, ROUNDS, sizeof(*values), by_value);
	return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
	uint64_t cost[2][ROUNDS], unmap[ROUNDS], longest = 0;
	size_t size = strtoul(argv[2], NULL, 10) << 20;
	unsigned int bad = 0;
	char *mem[ROUNDS];

	if (argc > 3) {
		read_map();
		parse_colors(argv[3]);
		if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, colors,
			  ((1UL << nr_masks) + 63) / 64 * 8, 1)) {
			perror("PR_PAGE_COLOR_SET");
			return 2;
		}
	}
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < ROUNDS; i++) {
			mem[i] = map(size);
			/* Some more, for what else the task touches. */
			if (argc > 4 && prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_AHEAD,
					      size / PAGE + 8, 0, 0) < (long)(size / PAGE)) {
				fprintf(stderr, "%s: not so many pages ahead\n", argv[1]);
				return 2;
			}
			cost[pass][i] = touch(mem[i], size, &longest);
		}
		for (int i = 0; i < ROUNDS; i++) {
			if (argc > 3)
				bad += wrong(mem[i], size);
			unmap[i] = __rdtsc();
			munmap(mem[i], size);
			unmap[i] = (__rdtsc() - unmap[i]) / (size / PAGE);
		}
	}
	printf("cost %s fault %lu again %lu unmap %lu longest %lu wrong %u\n",
	       argv[1], median(cost[0]), median(cost[1]), median(unmap), longest, bad);
	return 0;
}
