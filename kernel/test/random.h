/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that a seed repeats: xorshift64* (Vigna, An experimental exploration of Marsaglia's xorshift generators). */
#include <stdint.h>

/* Set by the test from its seed, and not to 0. */
static uint64_t state;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL >> 16;
}
