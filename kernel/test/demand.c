// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that faults pages in, another number of them in each period of a second: demand CPU PERIODS MOST SEED
 *
 * It begins 150 ms after a multiple of a second, and leaves out what it has not had when the second is over.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGES 1024

static unsigned long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000UL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	char *pages = mmap(0, PAGES << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long taken = 0, second = now_ns() / 1000000000 + 1;
	cpu_set_t set;
	int most;

	if (argc < 5)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("demand: the CPU");
		return 1;
	}
	most = atoi(argv[3]);
	srand(atoi(argv[4]));
	madvise(pages, PAGES << 12, MADV_NOHUGEPAGE);
	for (int i = atoi(argv[2]); i > 0; i--, second++) {
		unsigned long at = second * 1000000000 + 150000000 + rand() % 100 * 1000000;
		int wanted = rand() % (most + 1);
		struct timespec t = { at / 1000000000, at % 1000000000 };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		for (; wanted && now_ns() / 1000000000 == second; wanted--) {
			pages[taken % PAGES << 12] = 1;
			if (++taken % PAGES == 0)
				madvise(pages, PAGES << 12, MADV_DONTNEED);
		}
	}
	return 0;
}
