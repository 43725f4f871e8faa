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
 *   wrong    pages whose color is not among COLORS (0 without COLORS)
 * With ahead the pages of each mapping are allocated ahead, which is not counted.
 * A mean over a mapping, so what a refill of a per-CPU list costs is in it; the
 * median of the means, so that a tick of the timer with its work is not.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "colors.h"

#define ROUNDS			5

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
		if (set_colors(1)) {
			perror("PR_PAGE_COLOR_SET");
			return 2;
		}
	}
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < ROUNDS; i++) {
			mem[i] = map_single(size);
			/* Some more, for what else the task touches. */
			if (argc > 4 && prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_AHEAD,
					      size / PAGE + 8, 0, 0) < (long)(size / PAGE)) {
				fprintf(stderr, "%s: not so many pages ahead\n", argv[1]);
				return 2;
			}
			cost[pass][i] = touch_pages(mem[i], size, &longest);
		}
		for (int i = 0; i < ROUNDS; i++) {
			if (argc > 3)
				bad += other_colors(mem[i], size);
			unmap[i] = __rdtsc();
			munmap(mem[i], size);
			unmap[i] = (__rdtsc() - unmap[i]) / (size / PAGE);
		}
	}
	printf("cost %s fault %lu again %lu unmap %lu longest %lu wrong %u\n",
	       argv[1], median(cost[0]), median(cost[1]), median(unmap), longest, bad);
	return 0;
}
