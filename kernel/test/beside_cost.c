// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memory costs a task without colors while another owns some, in ticks of the
 * time stamp counter: see fault_cost.c.
 *
 * Usage: beside_cost NAME MIB [COLORS]     COLORS as in 0-15,32, which another task owns
 * Prints one line: beside NAME mib MIB fault F again A unmap U fork K exec E wrong W
 *   fault    per page; median of five mappings of MIB each, all held
 *   again    the same, after these were unmapped
 *   unmap    per page; median of 21 mappings of MIB: ticks of the timer are in each
 *   fork     median of 21 children that end at once, up to the wait for them; this
 *            task has MIB
 *   exec     median of 21, from before exec to main()
 *   wrong    pages that have a color of COLORS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "colors.h"

#define ROUNDS		5
#define STARTS		21

static int by_value(const void *a, const void *b)
{
	return *(const uint64_t *)a < *(const uint64_t *)b ? -1 : 1;
}

static uint64_t median(uint64_t *values, int n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

/* A task that owns the colors until this one ends. */
static void own(void)
{
	int ready[2], end[2];
	char c = 0;

	if (pipe(ready) || pipe(end))
		exit(2);
	if (!fork()) {
		close(end[1]);
		if (set_colors(0) || write(ready[1], &c, 1) != 1)
			_exit(2);
		_exit(read(end[0], &c, 1) != 0);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		fprintf(stderr, "beside_cost: no owner\n");
		exit(2);
	}
	/* end[1] stays open as long as this task is there. */
	fcntl(end[1], F_SETFD, FD_CLOEXEC);
}

/* Per page of a mapping of its own. */
static uint64_t unmap_cost(char *mem, size_t size)
{
	uint64_t t = __rdtsc();

	munmap(mem, size);
	return (__rdtsc() - t) / (size / PAGE);
}

static uint64_t fork_cost(void)
{
	uint64_t cost[STARTS];

	for (int i = 0; i < STARTS; i++) {
		uint64_t t = __rdtsc();
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		cost[i] = __rdtsc() - t;
	}
	return median(cost, STARTS);
}

static uint64_t exec_cost(void)
{
	uint64_t cost[STARTS];
	int back[2];

	if (pipe(back))
		exit(2);
	for (int i = 0; i < STARTS; i++) {
		char began[32], fd[16];
		pid_t pid = fork();

		if (!pid) {
			snprintf(fd, sizeof(fd), "%d", back[1]);
			snprintf(began, sizeof(began), "%llu", (unsigned long long)__rdtsc());
			execl("/proc/self/exe", "beside_cost", "began", began, fd, NULL);
			_exit(2);
		}
		if (read(back[0], &cost[i], 8) != 8)
			exit(2);
		waitpid(pid, NULL, 0);
	}
	return median(cost, STARTS);
}

int main(int argc, char **argv)
{
	uint64_t now = __rdtsc(), cost[2][ROUNDS], unmap[STARTS], starts[2], longest = 0;
	char *mem[ROUNDS], *held;
	unsigned int bad = 0;
	size_t size;

	if (!strcmp(argv[1], "began")) {
		now -= strtoull(argv[2], NULL, 10);
		return write(atoi(argv[3]), &now, 8) != 8;
	}
	size = strtoul(argv[2], NULL, 10) << 20;
	if (argc > 3) {
		read_map();
		parse_colors(argv[3]);
		own();
	}
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < ROUNDS; i++) {
			mem[i] = map_single(size);
			cost[pass][i] = touch_pages(mem[i], size, &longest);
		}
		for (int i = 0; i < ROUNDS; i++) {
			if (argc > 3)
				bad += size / PAGE - other_colors(mem[i], size);
			unmap[i] = unmap_cost(mem[i], size);
		}
	}
	for (int i = ROUNDS; i < STARTS; i++) {
		held = map_single(size);
		touch_pages(held, size, &longest);
		unmap[i] = unmap_cost(held, size);
	}
	held = map_single(size);
	touch_pages(held, size, &longest);
	starts[0] = fork_cost();
	starts[1] = exec_cost();
	printf("beside %s mib %s fault %lu again %lu unmap %lu fork %lu exec %lu wrong %u\n", argv[1],
	       argv[2], median(cost[0], ROUNDS), median(cost[1], ROUNDS), median(unmap, STARTS), starts[0],
	       starts[1], bad);
	return 0;
}
