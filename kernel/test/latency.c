// SPDX-License-Identifier: GPL-2.0-only
/*
 * How late a real-time task wakes up while colors get and lose owners, free lists are
 * sorted, pages are moved and programs start on the same CPU. Under QEMU's -icount
 * shift=0 a nanosecond is one instruction.
 *
 * Usage: latency WAKEUPS [alone]     needs root and coloring on; alone: nothing else is done
 * Prints one line: latency KIND wakeups N median M p99 P longest L
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "random.h"

#define PR_PAGE_COLOR		0x50434f4c
#define PERIOD			1000000L
#define PAGE			4096UL

static int by_value(const void *a, const void *b)
{
	return *(const long *)a < *(const long *)b ? -1 : 1;
}

/* Sets random colors, uses memory, moves it, starts tasks, for ever. */
static void disturb(uint64_t seed)
{
	int colors = prctl(PR_PAGE_COLOR, 0, 0, 0, 0);

	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (;;) {
		size_t size = (1 + rnd() % 2048) * PAGE;
		unsigned long set[64] = {};
		char *mem;

		for (int n = 1 + rnd() % colors; n; n--) {
			int c = rnd() % colors;

			set[c / 64] |= 1UL << c % 64;
		}
		prctl(PR_PAGE_COLOR, 1, set, (colors + 63) / 64 * 8, 0);
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (mem == MAP_FAILED)
			continue;
		if (rnd() % 2)
			prctl(PR_PAGE_COLOR, 3, 0, 0, 0);
		else
			prctl(PR_PAGE_COLOR, 4, mem, size, 0);
		if (!fork())
			_exit(0);
		wait(NULL);
		munmap(mem, size);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 0) : 1000, *late = calloc(n, sizeof(*late));
	struct sched_param param = { .sched_priority = 80 };
	int alone = argc > 2 && !strcmp(argv[2], "alone");
	struct timespec next, now;
	pid_t pids[3] = {};
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (!late || sched_setaffinity(0, sizeof(cpu), &cpu))
		return 2;
	for (int i = 0; !alone && i < 3; i++) {
		pids[i] = fork();
		if (!pids[i])
			disturb(i + 1);
	}
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("latency");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 0; i < n; i++) {
		next.tv_nsec += PERIOD;
		if (next.tv_nsec >= 1000000000L) {
			next.tv_nsec -= 1000000000L;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
		late[i] = (now.tv_sec - next.tv_sec) * 1000000000L + now.tv_nsec - next.tv_nsec;
	}
	for (int i = 0; i < 3; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	qsort(late, n, sizeof(*late), by_value);
	printf("latency %s wakeups %ld median %ld p99 %ld longest %ld\n", alone ? "alone" : "disturbed",
	       n, late[n / 2], late[n * 99 / 100], late[n - 1]);
	return 0;
}
