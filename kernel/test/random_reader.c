// SPDX-License-Identifier: GPL-2.0-only
/* Reads random lines of so many MiB, without end: for scenarios of fresco loop. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words)
{
	size_t bytes = count > 1 ? strtoul(words[1], NULL, 10) << 20 : 0;
	size_t lines = bytes / 64;
	char *memory = aligned_alloc(4096, bytes);
	/* Xorshift with 64 bits (Marsaglia, Journal of Statistical Software 2003). */
	uint64_t state = 88172645463325252ULL;
	volatile uint64_t sum = 0;

	if (!lines || !memory)
		return 1;
	memset(memory, 1, bytes);
	for (;;) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		sum += *(uint64_t *)(memory + state % lines * 64);
	}
}
