// SPDX-License-Identifier: GPL-2.0-only
/*
 * Computes: for ever, or for a time in each period, as a job that is released at its begin.
 *
 * Usage: busy [PERIOD_US WORK_US]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000ULL

static unsigned long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

int main(int count, char **words)
{
	unsigned long long period, work, end, next;

	if (count != 1 && count != 3) {
		fprintf(stderr, "Usage: busy [PERIOD_US WORK_US]\n");
		return 2;
	}
	while (count == 1)
		;
	period = strtoull(words[1], NULL, 10) * 1000;
	work = strtoull(words[2], NULL, 10) * 1000;
	for (next = now(CLOCK_MONOTONIC) / period * period;; next += period) {
		struct timespec t = { next / SECOND, next % SECOND };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		end = now(CLOCK_THREAD_CPUTIME_ID) + work;
		while (now(CLOCK_THREAD_CPUTIME_ID) < end)
			;
	}
}
