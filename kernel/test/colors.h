/* SPDX-License-Identifier: GPL-2.0-only */
/* What the measurements share: a set of colors from the command line, memory page by page, colors of its pages. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <x86intrin.h>

#define PR_PAGE_COLOR		0x50434f4c
#define PR_PAGE_COLOR_SET	1
#define PR_PAGE_COLOR_AHEAD	5
#define PAGE			4096UL

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

/* Pages of a mapping that are absent or of none of the colors. */
static int other_colors(char *mem, size_t size)
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

static int set_colors(unsigned long flags)
{
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, colors, ((1UL << nr_masks) + 63) / 64 * 8, flags);
}

static char *map_single(size_t size)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		exit(2);
	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

/* Ticks per page. The page tables' own pages are paid for by the first pages: not counted. */
static uint64_t touch_pages(char *mem, size_t size, uint64_t *longest)
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
