// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program's start costs, in ticks of the time stamp counter: exec, then
 * the first use of its memory, then its use again after it was given back.
 *
 * Usage: start_cost PATH NAME MIB     PATH is a copy of this program, which may be
 *                                     registered in /proc/page_color/programs
 * Prints one line: start NAME exec E first F again A longest L wrong W
 *   exec     from before exec to main(), pages that are allocated ahead included
 *   first    per page, of MIB that a new process uses for the first time
 *   again    per page, of as much, after the first was unmapped
 *   longest  dearest single fault of both, timer ticks included
 *   wrong    pages that have none of the program's colors: all, if it has none
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#define PAGE 4096UL

static uint64_t longest;

/* The process that is measured begins with exec: it has nothing of this one's. */
static int start(const char *path, const char *name, const char *mib)
{
	char began[32];

	snprintf(began, sizeof(began), "%llu", (unsigned long long)__rdtsc());
	execl(path, path, name, mib, began, NULL);
	perror(path);
	return 2;
}

static char *map(size_t size)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		perror("start_cost: mmap");
		exit(2);
	}
	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

static uint64_t touch(char *mem, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i += PAGE) {
		uint64_t t = __rdtsc();

		mem[i] = 1;
		t = __rdtsc() - t;
		sum += t;
		if (t > longest)
			longest = t;
	}
	return sum / (size / PAGE);
}

/* Of the mapping at mem, as the kernel says; 0 if it knows no colors. */
static long wrong(const char *mem)
{
	FILE *file = fopen("/proc/self/page_colors", "r");
	unsigned long from, to, at = (uintptr_t)mem;
	long pages, own, bad = -1;
	static char line[65536];
	int inside = 0;

	if (!file)
		return 0;
	while (bad < 0 && fgets(line, sizeof(line), file)) {
		if (inside && sscanf(line, "Colors: pages %ld own %ld", &pages, &own) == 2)
			bad = pages - own;
		else if (sscanf(line, "%lx-%lx", &from, &to) == 2)
			inside = from <= at && at < to;
	}
	fclose(file);
	return bad;
}

int main(int argc, char **argv)
{
	uint64_t now = __rdtsc(), exec, first, again;
	size_t size;
	char *mem;
	long bad;

	/* The process that is measured is given no path. */
	if (argc == 4 && *argv[1] == '/')
		return start(argv[1], argv[2], argv[3]);
	if (argc != 4) {
		fprintf(stderr, "usage: start_cost PATH NAME MIB\n");
		return 2;
	}
	size = strtoul(argv[2], NULL, 10) << 20;
	exec = now - strtoull(argv[3], NULL, 10);
	mem = map(size);
	first = touch(mem, size);
	bad = wrong(mem);
	munmap(mem, size);
	mem = map(size);
	again = touch(mem, size);
	printf("start %s exec %lu first %lu again %lu longest %lu wrong %ld\n",
	       argv[1], exec, first, again, longest, bad);
	return 0;
}
