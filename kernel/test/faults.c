// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that does nothing but fault pages in: faults CPU SECONDS [fifo PRIORITY | deadline | kernel]
 *
 * Prints how many pages it was given. CPU -1: any. "kernel": the faults are the kernel's, which copies into its pages.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "deadline.h"

#define PAGES 1024

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static int become(int argc, char **argv)
{
	struct sched_param fifo = { argc > 4 ? atoi(argv[4]) : 1 };

	if (!strcmp(argv[3], "fifo"))
		return sched_setscheduler(0, SCHED_FIFO, &fifo);
	if (!strcmp(argv[3], "deadline"))
		return become_deadline(4000000, 5000000);
	return 0;
}

int main(int argc, char **argv)
{
	int cpu = argc > 1 ? atoi(argv[1]) : -1, zero = open("/dev/zero", O_RDONLY);
	int by_kernel = argc > 3 && !strcmp(argv[3], "kernel");
	double begin, seconds = argc > 2 ? atof(argv[2]) : 1;
	char *pages = mmap(0, PAGES << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long given = 0;
	cpu_set_t set;

	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set)) {
			perror("faults: the CPU");
			return 1;
		}
	}
	if (argc > 3 && become(argc, argv)) {
		perror("faults: the scheduling");
		return 1;
	}
	madvise(pages, PAGES << 12, MADV_NOHUGEPAGE);
	begin = now();
	while (now() < begin + seconds) {
		if (by_kernel) {
			if (read(zero, pages, PAGES << 12) != PAGES << 12)
				return 1;
			given += PAGES;
		} else {
			for (int i = 0; i < 16; i++, given++)
				pages[given % PAGES << 12] = 1;
		}
		if (given % PAGES == 0)
			madvise(pages, PAGES << 12, MADV_DONTNEED);
	}
	printf("%lu\n", given);
	return 0;
}
