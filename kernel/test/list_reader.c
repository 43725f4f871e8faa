// SPDX-License-Identifier: GPL-2.0-only
/* Follows a list through random lines of so many MiB, without end: for scenarios of fresco loop. */
#include <stdint.h>
#include <stdlib.h>

struct node {
	struct node *next;
	uint64_t value;
	char rest[48];
};

int main(int count, char **words)
{
	size_t bytes = count > 1 ? strtoul(words[1], NULL, 10) << 20 : 0;
	size_t nodes = bytes / sizeof(struct node), at;
	struct node *all = aligned_alloc(4096, bytes);
	/* Xorshift with 64 bits (Marsaglia, Journal of Statistical Software 2003). */
	uint64_t state = 88172645463325252ULL, sum = 0;
	volatile struct node *node = all;

	if (!nodes || !all)
		return 1;
	for (at = 0; at < nodes; at++)
		all[at] = (struct node){ &all[at], at, { 0 } };
	/* One cycle through all of them (Sattolo, Information Processing Letters 1986). */
	for (at = nodes - 1; at > 0; at--) {
		struct node *other, *next = all[at].next;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		other = &all[state % at];
		all[at].next = other->next;
		other->next = next;
	}
	/* The value first: where to go next is in the same line, which has not come yet. */
	for (;;) {
		sum += node->value;
		node = node->next;
	}
}
