// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads random lines of so many MiB once it is WAKE, and counts those from FROM to TO, times of CLOCK_MONOTONIC in ns. Then a file says how many
 * those are in each round of all banks' turns, and how many of its pages lie in each bank of gem5-2core: bits 13 to 16 of the physical address.
 *
 * Usage: bank_reader MIB NAME WAKE FROM TO FILE
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BANKS 16
#define ROUND_NS 63897600
#define ROUNDS 64
#define PRESENT (1ULL << 63)

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* Pages in each bank, by the kernel's own word. */
static int count_pages(const char *memory, size_t bytes, unsigned long *banks)
{
	int map = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;

	for (size_t page = 0; page < bytes >> 12; page++) {
		if (pread(map, &entry, 8, ((uintptr_t)memory / 4096 + page) * 8) != 8 || !(entry & PRESENT))
			return 1;
		/* Bits 13 to 16 of the address are 1 to 4 of the frame's number. */
		banks[entry >> 1 & (BANKS - 1)]++;
	}
	return close(map);
}

int main(int count, char **words)
{
	size_t bytes = count > 6 ? strtoul(words[1], NULL, 10) << 20 : 0;
	uint64_t wake = count > 6 ? strtoull(words[3], NULL, 10) : 0, from = count > 6 ? strtoull(words[4], NULL, 10) : 0;
	uint64_t to = count > 6 ? strtoull(words[5], NULL, 10) : 0;
	struct timespec until = { .tv_sec = wake / 1000000000, .tv_nsec = wake % 1000000000 };
	unsigned long banks[BANKS] = { 0 }, reads[ROUNDS] = { 0 }, each = 4096;
	size_t lines = bytes / 64;
	char *memory = aligned_alloc(4096, bytes);
	/* Xorshift with 64 bits (Marsaglia, Journal of Statistical Software 2003). */
	uint64_t state = 88172645463325252ULL + (count > 6 ? words[2][0] : 0), at;
	volatile uint64_t sum = 0;
	FILE *file;

	if (!lines || !memory)
		return 1;
	memset(memory, 1, bytes);
	if (count_pages(memory, bytes, banks))
		return 2;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	while ((at = now()) < to && (at < from || (at - from) / ROUND_NS < ROUNDS)) {
		for (unsigned long read = 0; read < each; read++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			sum += *(uint64_t *)(memory + state % lines * 64);
		}
		if (at >= from)
			reads[(at - from) / ROUND_NS] += each;
	}
	file = fopen(words[6], "w");
	if (!file)
		return 3;
	fprintf(file, "read");
	for (uint64_t round = 0; round < (to - from) / ROUND_NS; round++)
		fprintf(file, " %lu", reads[round % ROUNDS]);
	fprintf(file, ", pages");
	for (int bank = 0; bank < BANKS; bank++)
		fprintf(file, " %lu", banks[bank]);
	fprintf(file, "\n");
	return fclose(file) != 0;
}
