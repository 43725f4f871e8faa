// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads random lines of so many MiB. Says how long so many reads took by its own clock, round by round, and how many it made until a timer
 * of the kernel that was over after so many microseconds: for scenarios of fresco loop.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t over;

static void on_alarm(int number)
{
	over = number;
}

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(int count, char **words)
{
	size_t bytes = count > 4 ? strtoul(words[1], NULL, 10) << 20 : 0;
	long reads = count > 4 ? atol(words[2]) : 0, rounds = count > 4 ? atol(words[3]) : 0;
	struct itimerval timer = { .it_value.tv_usec = count > 4 ? atol(words[4]) : 0 };
	size_t lines = bytes / 64;
	char *memory = aligned_alloc(4096, bytes);
	long *took = calloc(rounds + 1, sizeof(*took));
	/* Xorshift with 64 bits (Marsaglia, Journal of Statistical Software 2003). */
	uint64_t state = 88172645463325252ULL;
	volatile uint64_t sum = 0;
	long until = 0, armed;

	if (!lines || !memory || !took)
		return 1;
	memset(memory, 1, bytes);
	for (long round = 0; round < rounds; round++) {
		long began = now();

		for (long read = 0; read < reads; read++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			sum += *(uint64_t *)(memory + state % lines * 64);
		}
		took[round] = now() - began;
	}
	signal(SIGALRM, on_alarm);
	armed = now();
	if (setitimer(ITIMER_REAL, &timer, NULL))
		return 1;
	while (!over) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		sum += *(uint64_t *)(memory + state % lines * 64);
		until++;
	}
	armed = now() - armed;
	for (long round = 0; round < rounds; round++)
		fprintf(stderr, "reads took %ld ns\n", took[round]);
	fprintf(stderr, "reads until the timer: %ld in %ld ns\n", until, armed);
	return 0;
}
